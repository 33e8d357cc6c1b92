# A report of a folder of archives: make -f share/report/report.mk RUN=DIR [OUT=DIR]; or l2report DIR.
#
# DIR holds EXPERIMENT.tsv.gz or EXPERIMENT[-VARIANT].tsv files. Everything is a target below OUT/parts, so one changed
# archive redoes only what depends on it, and -j works. A section is made by exp_EXPERIMENT.mk, which says of what parts it
# consists, and EXPERIMENT.txt, its words. Names in these files: archive, of, step, section below.
# No name may hold a blank or a '$' (l2report sees to that).

RUN ?= .
OUT ?= $(RUN)/report
SHARE ?= $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
P := $(OUT)/parts
step := sh $(SHARE)/step.sh
AWK := env LC_ALL=C awk -f $(SHARE)/html.awk

.SUFFIXES:
.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:

STEMS := $(shell ls $(RUN) | sed -nE 's/^([a-z][A-Za-z0-9_-]*)\.tsv(\.gz)?$$/\1/p' | sort -u)
# The file of a stem; the stems of an experiment; the program, so that a new version redoes its results.
archive = $(firstword $(wildcard $(RUN)/$1.tsv.gz $(RUN)/$1.tsv))
of = $(filter $1 $1-%,$(STEMS))
program = $(shell command -v $1)

all: $(OUT)/index.html
	@bad=0; for s in $(STEMS); do for f in $P/$$s.*.failed; do \
	    if [ -e "$$f" ]; then bad=1; sed "s,^,l2report: $$s: ," "$$f" >&2; fi; done; done; exit $$bad

$P:
	@mkdir -p $P

# What failed is tried again.
ifneq ($(wildcard $P/*.failed),)
$(shell touch -d @1 $(patsubst %.failed,%,$(wildcard $P/*.failed)))
endif

# What filters and l2plot make of an archive.
$P/%.prov: $$(call archive,$$*) | $P
	$(step) $@ sh -c 'gzip -cdf "$$1" | grep "^#"' sh $<
$P/%.stat.tsv: $$(call archive,$$*) $(call program,l2stat) | $P
	$(step) $@ l2stat $<
$P/%.knees.tsv: $$(call archive,$$*) $(call program,l2knee) | $P
	$(step) $@ l2knee $<
$P/%.findings.tsv: $P/%.level.tsv
	cp $< $@
$P/%.level.tsv: $$(call archive,$$*) $(call program,l2level) | $P
	$(step) -n $@ l2level $<
$P/%.shares.tsv: $$(call archive,$$*) $(call program,l2level) | $P
	$(step) -n $@ l2level -s $<
$P/%.curve.gp: $$(call archive,$$*) $P/%.knees.tsv $(call program,l2plot)
	$(step) $@ l2plot -T svg $(filter %.tsv %.gz,$^)
$P/%.density.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ l2plot -T svg -t density $<
$P/%.histogram.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ l2plot -T svg -t histogram $<
$P/%.picture.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ l2plot -T svg $<
$P/%.shares.gp: $P/%.shares.tsv $(call program,l2plot)
	$(step) -n $@ l2plot -T svg $<
$P/%.svg: $P/%.gp
	if [ -s $< ]; then LC_ALL=C.UTF-8 $(step) $@ gnuplot $<; else : >$@; fi

# The section of archive $* from the parts that its rule names.
section = $(step) $@ sh $(SHARE)/section.sh $* $(filter %.txt,$^) $P/$*.prov $(filter-out %.txt %.prov %.sh %.awk,$^)
section_needs := $(SHARE)/section.sh $(SHARE)/html.awk $(SHARE)/findings.awk $(SHARE)/provenance.awk

include $(wildcard $(SHARE)/exp_*.mk)

# Experiments that no exp_*.mk knows: what they are and where they come from.
OTHERS := $(filter-out $(KNOWN),$(STEMS))
$(OTHERS:%=$P/%.html): $P/%.html: $(SHARE)/other.txt $P/%.prov $(section_needs)
	$(section)

FINDINGS := $(sort $(FINDINGS))
ORDER := latency level evict survive stride replace matrix contend sector partial sametag write dirty inclusion tlb persist bandwidth clock
SECTIONS := $(foreach e,$(ORDER),$(filter $e $e-%,$(STEMS)))
SECTIONS += $(filter-out $(SECTIONS),$(STEMS))

# Changes when archives come or go, and then the index is made again.
$P/stems: force | $P
	@echo $(STEMS) | cmp -s - $@ || echo $(STEMS) >$@
force:

$(OUT)/index.html: $P/stems $(FINDINGS) $(SECTIONS:%=$P/%.html) $(STEMS:%=$P/%.prov) $(wildcard $(SHARE)/*.awk \
  $(SHARE)/*.html $(SHARE)/index.sh)
	sh $(SHARE)/index.sh "$P" "$(FINDINGS)" $(SECTIONS) >$@.part
	mv $@.part $@

.PHONY: all force
