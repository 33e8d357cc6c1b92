# Section of a dirty archive.
dirty := $(call of,dirty)
KNOWN += $(dirty)
FINDINGS += $(dirty:%=$P/%.dirty.tsv)
$(dirty:%=$P/%.dirty.tsv): $P/%.dirty.tsv: $$(call archive,$$*) $(call program,l2write) | $P
	$(step) $@ l2write $<
$(dirty:%=$P/%.html): $P/%.html: $(SHARE)/dirty.txt $P/%.prov $P/%.picture.svg $P/%.dirty.tsv $(section_needs)
	$(section)
