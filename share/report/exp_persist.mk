# Section of a persist archive.
persist := $(call of,persist)
KNOWN += $(persist)
FINDINGS += $(persist:%=$P/%.kept.tsv)
$(persist:%=$P/%.kept.tsv): $P/%.kept.tsv: $$(call archive,$$*) $(call program,l2band) | $P
	$(step) $@ l2band $<
$(persist:%=$P/%.windows.gp): $P/%.windows.gp: $$(call archive,$$*) $(call program,l2band) $(call program,l2plot) | $P
	$(step) -n $@ sh -c 'l2band -w "$$1" | l2plot -T svg -t curve -x size -y share -g persist' sh $<
$(persist:%=$P/%.html): $P/%.html: $(SHARE)/persist.txt $P/%.prov $P/%.windows.svg $P/%.kept.tsv $(section_needs)
	$(section)
