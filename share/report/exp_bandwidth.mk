# Section of a bandwidth archive.
bandwidth := $(call of,bandwidth)
KNOWN += $(bandwidth)
FINDINGS += $(bandwidth:%=$P/%.bests.tsv)
$(bandwidth:%=$P/%.bests.tsv): $P/%.bests.tsv: $P/%.stat.tsv $(SHARE)/bandwidth.awk
	$(step) $@ $(AWK) -f $(SHARE)/bandwidth.awk $<
$(bandwidth:%=$P/%.html): $P/%.html: $(SHARE)/bandwidth.txt $P/%.prov $P/%.picture.svg $P/%.bests.tsv $(section_needs)
	$(section)
