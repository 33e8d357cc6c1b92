# Section of an inclusion archive.
inclusion := $(call of,inclusion)
KNOWN += $(inclusion)
FINDINGS += $(inclusion:%=$P/%.inclusive.tsv)
$(inclusion:%=$P/%.inclusive.tsv): $P/%.inclusive.tsv: $$(call archive,$$*) $(call program,l2write) | $P
	$(step) $@ l2write $<
$(inclusion:%=$P/%.cases.gp): $P/%.cases.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ l2plot -T svg -t heat -x op -y case -z cycles $<
$(inclusion:%=$P/%.html): $P/%.html: $(SHARE)/inclusion.txt $P/%.prov $P/%.cases.svg $P/%.inclusive.tsv $(section_needs)
	$(section)
