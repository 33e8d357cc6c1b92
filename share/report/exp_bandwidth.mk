# Section of a bandwidth archive.
bandwidth := $(call of,bandwidth)
KNOWN += $(bandwidth)
FINDINGS += $(bandwidth:%=$P/%.bests.tsv)
$(bandwidth:%=$P/%.bests.tsv): $P/%.bests.tsv: $$(call archive,$$*) $(call program,l2band) | $P
	$(step) $@ l2band $<
$(bandwidth:%=$P/%.roof.gp): $P/%.roof.gp: $P/%.bests.tsv $(call program,l2plot)
	$(step) -n $@ l2plot -T svg -t roofline $<
$(bandwidth:%=$P/%.html): $P/%.html: $(SHARE)/bandwidth.txt $P/%.prov $P/%.picture.svg $P/%.roof.svg $P/%.bests.tsv \
  $(section_needs)
	$(section)
