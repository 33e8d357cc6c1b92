# Section of a write archive.
write := $(call of,write)
KNOWN += $(write)
FINDINGS += $(write:%=$P/%.stores.tsv)
$(write:%=$P/%.stores.tsv): $P/%.stores.tsv: $$(call archive,$$*) $(call program,l2write) | $P
	$(step) $@ l2write $<
$(write:%=$P/%.html): $P/%.html: $(SHARE)/write.txt $P/%.prov $P/%.picture.svg $P/%.stores.tsv $(section_needs)
	$(section)
