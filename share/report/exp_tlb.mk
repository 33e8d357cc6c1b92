# Section of a tlb archive.
tlb := $(call of,tlb)
KNOWN += $(tlb)
FINDINGS += $(tlb:%=$P/%.reach.tsv)
$(tlb:%=$P/%.reach.tsv): $P/%.reach.tsv: $$(call archive,$$*) $(call program,l2band) | $P
	$(step) $@ l2band $<
$(tlb:%=$P/%.html): $P/%.html: $(SHARE)/tlb.txt $P/%.prov $P/%.picture.svg $P/%.reach.tsv $(section_needs)
	$(section)
