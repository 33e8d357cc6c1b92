# Section of a partial archive.
partial := $(call of,partial)
KNOWN += $(partial)
FINDINGS += $(partial:%=$P/%.blocks.tsv)
$(partial:%=$P/%.blocks.tsv): $P/%.blocks.tsv: $$(call archive,$$*) $(call program,l2sector) | $P
	$(step) $@ l2sector $<
$(partial:%=$P/%.takes.gp): $P/%.takes.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ sh -c 'gzip -cdf "$$1" | l2body grep -E "memory.*default" | l2plot -T svg -t heat -x take -y every -z gbps' sh $<
$(partial:%=$P/%.html): $P/%.html: $(SHARE)/partial.txt $P/%.prov $P/%.takes.svg $P/%.blocks.tsv $(section_needs)
	$(section)
