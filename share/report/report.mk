# A report of a folder of archives: make -f share/report/report.mk RUN=DIR [OUT=DIR] [RUN2=DIR]; or l2report DIR [DIR2].
#
# DIR holds EXPERIMENT.tsv.gz or .tsv files, as l2survey makes them; EXPERIMENT-WORD.tsv is a second one of its kind.
# Everything is a target below OUT/parts, so one changed archive redoes only what depends on it, and -j works: findings of
# the filters (as l2survey would find them), the verdict, tables, pictures, sections, the page. With RUN2 that folder gets a
# report of its own in OUT/second, and the page shows both with what l2diff says.
#
# The section of an archive comes from EXPERIMENT.txt: its title, its text, and the parts that it shows in their order, each
# with a caption. A part KIND.svg is what l2plot -t KIND makes of the archive unless there is a rule for it. No name may hold a blank or a '$' (l2report sees to that).

RUN ?= .
OUT ?= $(RUN)/report
SHARE ?= $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
THIS := $(lastword $(MAKEFILE_LIST))
P := $(OUT)/parts
step := sh $(SHARE)/step.sh
AWK := env LC_ALL=C awk -v LIST=$(SHARE)/parameters.txt -f $(SHARE)/html.awk

.SUFFIXES:
.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:

list = ls $1 | sed -nE 's/^([a-z][A-Za-z0-9_-]*)\.tsv(\.gz)?$$/\1/p' | grep -vxE 'manifest|verdict|troubles' | sort -u
STEMS := $(shell $(call list,$(RUN)))
# The file of a stem; the stems of an experiment; the program, so that a new version redoes its results.
archive = $(firstword $(wildcard $(RUN)/$1.tsv.gz $(RUN)/$1.tsv))
of = $(filter $1 $1-% $1_%,$(STEMS))
program = $(shell command -v $1)
# The words of a stem: of its own name, else of what stands before the first - or _.
text = $(firstword $(wildcard $(SHARE)/$1.txt $(SHARE)/$(firstword $(subst _, ,$(subst -, ,$1))).txt) $(SHARE)/other.txt)
parts = $(shell sed -nE 's/^([a-z]+\.(svg|tsv))( .*)?$$/\1/p' $(call text,$1))

all: $(OUT)/index.html $(OUT)/report.md
	@bad=0; for s in $(STEMS) found; do for f in $P/$$s.*.failed; do \
	    if [ -e "$$f" ]; then bad=1; sed "s,^,l2report: $$s: ," "$$f" >&2; fi; done; done; exit $$bad

$P:
	@mkdir -p $P

# What failed is tried again.
ifneq ($(wildcard $P/*.failed),)
$(shell touch -d @1 $(patsubst %.failed,%,$(wildcard $P/*.failed)))
endif

# What filters make of an archive.
$P/%.prov: $$(call archive,$$*) | $P
	$(step) $@ sh -c 'gzip -cdf "$$1" | grep "^#"' sh $<
$P/%.stat.tsv: $$(call archive,$$*) $(call program,l2stat) | $P
	$(step) $@ l2stat $<
$P/%.knees.tsv: $$(call archive,$$*) $(call program,l2knee) | $P
	$(step) $@ l2knee $<
$P/%.level.tsv: $$(call archive,$$*) $(call program,l2level) | $P
	$(step) -n $@ l2level $<
$P/%.shares.tsv: $$(call archive,$$*) $(call program,l2level) | $P
	$(step) -n $@ l2level -s $<

$P/%.table.tsv: $$(call archive,$$*) | $P
	$(step) $@ gzip -cdf $<

# Findings: which filter takes which archives l2survey knows.
FINDERS := $(shell l2survey --find)
$(foreach f,$(FINDERS),$(eval reads_$f := $(filter $(STEMS),$(shell l2survey --find $f))))
FOUND := $(foreach f,$(FINDERS),$(if $(reads_$f),$P/found.$f.tsv))
archives_of = $(foreach s,$(reads_$1),$(call archive,$s))
$(FOUND): $P/found.%.tsv: $$(call archives_of,$$*) $(call program,l2survey) | $P
	$(step) $(if $(filter level,$*),-n) $@ l2survey --find $* "$$(sed -n 's/^ways	\([0-9.]*\)	.*/\1/p' $P/found.assoc.tsv 2>/dev/null | head -n 1)" \
	  $(call archives_of,$*)
$(filter $P/found.level.tsv,$(FOUND)): | $(filter $P/found.assoc.tsv,$(FOUND))

$P/verdict.tsv: $(FOUND) $P/stems $(call program,l2verdict)
	$(step) -n $@ l2verdict -a $(FOUND)
$P/verdict.md: $(FOUND) $P/stems $(call program,l2verdict)
	$(step) -n $@ l2verdict -m $(FOUND)

# Where slices and sides are known, the pictures of the matrix are in their order.
SLICED := $(foreach s,$(filter matrix contend,$(STEMS)),$(call archive,$s))
$P/slices.map.tsv: $(SLICED) $(call program,l2slice) $P/stems
	$(step) -n $@ l2slice -m $(SLICED)
$P/slices.sms.tsv: $(SLICED) $(call program,l2slice) $P/stems
	$(step) -n $@ l2slice -s $(SLICED)

# Pictures.
filled = $(shell for f in $1; do [ ! -s $$f ] || echo $$f; done)
$P/%.curve.gp: $$(call archive,$$*) $P/%.knees.tsv $(call program,l2plot)
	$(step) $@ l2plot -T svg $(filter %.tsv %.gz,$^)
$P/%.picture.gp: $$(call archive,$$*) $(call program,l2plot) | $P
	$(step) $@ l2plot -T svg $<
$P/%.shares.gp: $P/%.shares.tsv $(call program,l2plot)
	$(step) -n $@ l2plot -T svg $<
$P/%.matrix.gp $P/%.fingerprints.gp: $$(call archive,$$*) $P/slices.map.tsv $P/slices.sms.tsv $(call program,l2plot)
	$(step) $@ l2plot -T svg -t $(subst .,,$(suffix $(basename $@))) $< $$(find $P/slices.map.tsv $P/slices.sms.tsv -size +0)
$P/%.sms.gp: $P/slices.sms.tsv $(call program,l2plot)
	if [ -n "$$(grep -v '^#' $< | sed -n 2p)" ]; then $(step) -n $@ l2plot -T svg -t sms $<; else : >$@; fi
# The others: l2plot -t NAME ARCHIVE, or with these words, or a pipe that reads the archive as $1.
draw_cases := -t heat -x op -y case -z cycles
draw_nodes := -t curve -x nodes -y cycles -g stride
draw_distance := -t curve -x by -y cycles -g case
pipe_takes := gzip -cdf "$$1" | l2body grep -E "memory.*default" | l2plot -T svg -t heat -x take -y every -z gbps
pipe_windows := l2band -w "$$1" | l2plot -T svg -t curve -x size -y share -g persist
pipe_roof := l2band "$$1" | l2plot -T svg -t roofline
draw_strides := -t heat -x stride -y lines -z cycles
# Nothing where lines of two sides push each other out: no law is known for them.
pipe_survival := points=$$(l2assoc -p "$$1") || exit; case $$points in *"rows=0 "*) ;; *) printf "%s\\n" "$$points" | l2plot -T svg -t survival ;; esac
pipe_agreement := l2policy -c "$$1" | l2plot -T svg -t agreement
pipe_depth := l2copies -n "$$1" | awk -f $(SHARE)/depth.awk | l2plot -T svg -t curve -x others -y share -g case
define other_picture
$P/%.$1.gp: $$$$(call archive,$$$$*) $(call program,l2plot) | $P
	$(step) $$@ $(if $(pipe_$1),sh -c '$(subst $$,$$$$,$(pipe_$1))' sh,l2plot -T svg $(or $(draw_$1),-t $1)) $$<
endef
RULED := curve picture shares matrix fingerprints sms
KINDS := $(sort $(basename $(filter %.svg,$(foreach s,$(STEMS),$(call parts,$s)))))
$(foreach k,$(filter-out $(RULED),$(KINDS)),$(eval $(call other_picture,$k)))
$P/%.svg: $P/%.gp
	if [ -s $< ]; then LC_ALL=C.UTF-8 $(step) $@ gnuplot $<; else : >$@; fi
# For a phone: narrower, with letters as large and shorter lines above.
$P/%.narrow.svg: $P/%.gp
	if [ -s $< ]; then sed "s/^W = 960; H = 608/W = 640; H = 560/; s/SMALL = 'sans-serif,12'/SMALL = 'sans-serif,9'/" $< | \
	    LC_ALL=C.UTF-8 $(step) $@ gnuplot; else : >$@; fi

# Sections. The card of a parameter stands in the first section that parameters.txt names for it.
section_needs := $(SHARE)/section.sh $(SHARE)/common.sh $(SHARE)/parameters.txt $(wildcard $(SHARE)/*.awk)
section = $(step) $@ sh $(SHARE)/section.sh $* $(filter %.txt,$(filter-out %/parameters.txt,$^)) $P/$*.prov $P/verdict.tsv "$(STEMS)" \
  $(filter-out %.txt %.prov %.sh %.awk %/verdict.tsv %.narrow.svg,$^)
found_of = $(foreach f,$(FINDERS),$(if $(filter $1,$(reads_$f)),$P/found.$f.tsv))
define one_section
$P/$1.html: $P/%.html: $(call text,$1) $P/%.prov $(foreach p,$(call parts,$1),$P/%.$p $(if $(filter %.svg,$p),$P/%.$(p:.svg=.narrow.svg))) $(call found_of,$1) $P/verdict.tsv $(section_needs)
	$$(section)
endef
$(foreach s,$(STEMS),$(eval $(call one_section,$s)))

ORDER := latency sector partial evict survive stride sametag pitch replace copies matrix contend loads write dirty inclusion tlb persist bandwidth \
  clock predictions
SECTIONS := $(foreach e,$(ORDER),$(filter $e $e-% $e_%,$(STEMS)))
SECTIONS += $(filter-out $(SECTIONS),$(STEMS))

# What l2check says of the archives.
TROUBLES := $(if $(call program,l2check),$P/troubles.tsv)
$P/troubles.tsv: $(foreach s,$(STEMS),$(call archive,$s)) $(call program,l2check) $P/stems
	$(step) -n $@ l2check $(foreach s,$(STEMS),$(call archive,$s))

# Changes when archives come or go, and then the index is made again.
$P/stems: force | $P
	@echo $(STEMS) '$(RUN2)' | cmp -s - $@ || echo $(STEMS) '$(RUN2)' >$@
force:

# The other run: a report of its own, and what differs. l2diff calls them first and second.
ifneq ($(RUN2),)
SECOND := $(OUT)/second
STEMS2 := $(shell $(call list,$(RUN2)))
archives2 := $(foreach s,$(STEMS2),$(firstword $(wildcard $(RUN2)/$s.tsv.gz $(RUN2)/$s.tsv)))
$(SECOND)/index.html: force
	+$(MAKE) -s -f $(THIS) RUN=$(RUN2) OUT=$(SECOND) RUN2= SHARE=$(SHARE) $@
$P/diff.tsv: $(foreach s,$(STEMS),$(call archive,$s)) $(archives2) $P/verdict.tsv $(SECOND)/index.html $(call program,l2diff)
	@rm -rf $P/pair && mkdir -p $P/pair/first $P/pair/second
	@for f in $(foreach s,$(STEMS),$(call archive,$s)) $P/verdict.tsv; do ln -s "$$(readlink -f $$f)" $P/pair/first/; done
	@for f in $(archives2) $(SECOND)/parts/verdict.tsv; do ln -s "$$(readlink -f $$f)" $P/pair/second/; done
	$(step) -n $@ sh -c 'cd $$1 && l2diff first second' sh $P/pair
$P/diff.gp: $P/diff.tsv
	$(step) -n $@ l2plot -T svg -t diff $<
DIFF := $P/diff.tsv $P/diff.svg $P/diff.narrow.svg
endif

page = $P/stems $P/verdict.tsv $(SECTIONS:%=$P/%.html) $(STEMS:%=$P/%.prov) $(TROUBLES) $(DIFF) $(wildcard $(SHARE)/*.awk \
  $(SHARE)/*.html $(SHARE)/*.txt)
$(OUT)/index.html: $(page) $(SHARE)/index.sh $(SHARE)/common.sh
	echo $(SECTIONS) | tr ' ' '\n' >$P/order
	sh $(SHARE)/index.sh "$P" "$(SECOND)" $(SECTIONS) >$@.part
	mv $@.part $@
$(OUT)/report.md: $(page) $P/verdict.md $(SHARE)/markdown.sh $(SHARE)/common.sh
	sh $(SHARE)/markdown.sh "$P" $(SECTIONS) >$@.part
	mv $@.part $@

.PHONY: all force
