# Section of a latency archive: the curve with its knees, every latency, who answers.
latency := $(call of,latency)
KNOWN += $(latency)
FINDINGS += $(latency:%=$P/%.findings.tsv) $(latency:%=$P/%.knees.tsv)
$(latency:%=$P/%.html): $P/%.html: $(SHARE)/latency.txt $P/%.prov $P/%.curve.svg $P/%.knees.tsv $P/%.density.svg \
  $P/%.shares.svg $P/%.findings.tsv $P/%.histogram.svg $(section_needs)
	$(section)
