# Section of a clock archive.
clock := $(call of,clock)
KNOWN += $(clock)
$(clock:%=$P/%.html): $P/%.html: $(SHARE)/clock.txt $P/%.prov $P/%.picture.svg $(section_needs)
	$(section)
