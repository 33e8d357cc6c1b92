# Section of a sametag archive.
sametag := $(call of,sametag)
KNOWN += $(sametag)
FINDINGS += $(sametag:%=$P/%.lines.tsv)
$(sametag:%=$P/%.lines.tsv): $P/%.lines.tsv: $$(call archive,$$*) $(call program,l2sector) | $P
	$(step) $@ l2sector $<
$(sametag:%=$P/%.distance.gp): $P/%.distance.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ l2plot -T svg -t curve -x by -y cycles -g case $<
$(sametag:%=$P/%.html): $P/%.html: $(SHARE)/sametag.txt $P/%.prov $P/%.distance.svg $P/%.lines.tsv $(section_needs)
	$(section)
