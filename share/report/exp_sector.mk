# Section of a sector archive.
sector := $(call of,sector)
KNOWN += $(sector)
FINDINGS += $(sector:%=$P/%.sectors.tsv)
$(sector:%=$P/%.sectors.tsv): $P/%.sectors.tsv: $$(call archive,$$*) $(call program,l2sector) | $P
	$(step) $@ l2sector $<
$(sector:%=$P/%.html): $P/%.html: $(SHARE)/sector.txt $P/%.prov $P/%.picture.svg $P/%.sectors.tsv $(section_needs)
	$(section)
