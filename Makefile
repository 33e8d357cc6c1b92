# l2tools: make [GOAL...] [asan=1] [werror=1] [nvcc=no] [archs=90] [PREFIX=/usr/local] [DESTDIR=]   (make help lists the goals)
# A program is analyze/l2NAME.c or collect/l2collect.c; every other .c file of a folder goes into that folder's library,
# so a new file needs no line here.

CC ?= cc
PREFIX ?= /usr/local
O := build$(if $(asan),/asan)
B := $(if $(asan),build/asan/bin,bin)
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes $(if $(werror),-Werror)
CFLAGS ?= -O2 -g
comma := ,
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS) -MMD -MP \
  $(if $(asan),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_LDFLAGS := $(if $(asan),-fsanitize=address$(comma)undefined) $(LDFLAGS)
GSL := -lgsl -lgslcblas -lm

# Machine code for every architecture that this toolkit and the kernels know, and PTX for those that came later.
nvcc ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc) no)
ARCHS := $(or $(archs),$(shell test $(nvcc) = no || $(nvcc) --list-gpu-code 2>/dev/null | \
  sed -n 's/^sm_\([0-9]*\)$$/\1/p' | sort -n | awk '$$1 >= 70'))
PTX := $(firstword $(filter 80,$(ARCHS)) $(ARCHS))
GENCODE := $(foreach a,$(ARCHS),-gencode arch=compute_$a$(comma)code=sm_$a) \
  -gencode arch=compute_$(PTX)$(comma)code=compute_$(PTX)
FATBIN := $(if $(ARCHS),build/kernels.fatbin)

LIB := $(patsubst %.c,$O/%.o,$(wildcard share/lib/*.c))
FILTERS := $(patsubst analyze/%.c,%,$(wildcard analyze/l2*.c))
MATH := $(patsubst %.c,$O/%.o,$(filter-out analyze/l2%,$(wildcard analyze/*.c)))
COLLECT := $(patsubst %.c,$O/%.o,$(filter-out collect/l2%,$(wildcard collect/*.c))) $O/collect/cuda_image.o
UNIT := $(patsubst tests/unit/%.c,$O/tests/%,$(wildcard tests/unit/test_*.c))
SCRIPTS := $(filter-out bin/bootstrap,$(shell grep -Il '^\#!' bin/* 2>/dev/null))
PROGRAMS := $(FILTERS:%=$B/%) $(if $(wildcard collect/l2collect.c),$B/l2collect)

# What is installed, as FILE:FOLDER below PREFIX; install and uninstall read the same list.
DATA := $(filter-out share/lib/% share/archive/%,$(wildcard share/*/*))
INSTALLED := $(patsubst %,%:bin,$(PROGRAMS) $(SCRIPTS)) \
  $(foreach s,1 5 7,$(patsubst %,%:share/man/man$s,$(wildcard man/*.$s))) \
  $(foreach d,$(DATA),$d:share/l2tools/$(patsubst share/%/,%,$(dir $d)))

all: $(PROGRAMS)
	@$(if $(FATBIN)$(filter command,$(origin nvcc)),:,echo "built without nvcc: everything but the device cuda (install the CUDA Toolkit, then make clean all)")

help:
	@echo 'all        the programs, into bin/ (a GPU needs nvcc at build time; nothing else does)'
	@echo 'check      all tests that need no GPU; T=NAME runs one file or one test'
	@echo 'check-gpu  the tests that need one'
	@echo 'bench      timings of l2stat, the cache model and l2predict; bench-gpu bandwidth by every variant, against BENCH_PEER=program|file|GB/s'
	@echo 'fuzz       random input to the reader for FUZZ_SECONDS (60); check does it for 4'
	@echo 'report     surveys the default device (SURVEY=--quick) and writes report/index.html'
	@echo 'lint       mandoc, shellcheck, cppcheck, clang-tidy, clang-format, and the rules of the house'
	@echo 'install, uninstall   below PREFIX (/usr/local), DESTDIR before it'
	@echo 'clean      removes what was built'
	@echo 'asan=1 builds with address and undefined-behaviour sanitizers into build/asan, werror=1 stops at a warning'

$O/share.a: $(LIB)
$O/analyze.a: $(MATH)
$O/collect.a: $(COLLECT)
$O/%.a:
	@rm -f $@
	$(AR) rcs $@ $^

$O/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$O/collect/cuda_image.o: collect/cuda_image.S $(FATBIN)
	@mkdir -p $(@D)
	$(CC) $(if $(FATBIN),-DL2_FATBIN='"$(FATBIN)"') -c $< -o $@

build/kernels.fatbin: $(wildcard kernels/*)
	@mkdir -p $(@D)
	$(nvcc) -fatbin -O3 --threads 0 -Xfatbin -compress-all $(GENCODE) kernels/kernels.cu -o $@

$B/l2collect: $O/collect/l2collect.o $O/collect.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ -lm -ldl -lpthread

$(FILTERS:%=$B/%): $B/%: $O/analyze/%.o $O/analyze.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(GSL)

$O/tests/%: tests/unit/%.c $O/collect.a $O/analyze.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -I. $< $O/collect.a $O/analyze.a $O/share.a -o $@ -lcmocka $(GSL) -ldl -lpthread

# The reader under clang's libFuzzer.
build/fuzz_tsv: tests/fuzz/fuzz_tsv.c $(wildcard share/lib/*.[ch])
	@mkdir -p $(@D)
	clang -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined -I. -Wl,--wrap=xdie,--wrap=cli_warn \
	  $< share/lib/*.c -lm -o $@

$O/tests/draw_chip: tests/truth/draw_chip.c $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -I. $^ -o $@ -lm

RUN = TESTS=$(CURDIR)/$O/tests tests/run $B $(if $(T),-f '$(T)')
# The long ones first.
BATS := $(wildcard tests/truth/*.bats tests/cli/*.bats tests/fuzz/*.bats)
check: all tests
	$(RUN) $(BATS) $(UNIT) tests/lint/house.bats

tests: $(UNIT) $O/tests/draw_chip

# Timings against datamash, Miller and awk, as TSV; ROWS=500000 for a quick one. Then million accesses a second of the cache
# model and of l2predict.
bench: all build/bench/reader build/bench/cache
	tests/bench/stat.sh $B build/bench
	@for d in tiny v100 h200; do build/bench/cache share/devices/$$d.dev 32K 4M 20M; done
	@build/bench/cache share/devices/h200.dev 128M
	tests/bench/predict.sh $B

build/bench/%: tests/bench/%.c $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ -o $@ -lm

# Bandwidth by every variant of the kernels; BENCH_PEER is a program, its output or a figure in GB/s to compare with.
bench-gpu: all
	PATH="$(CURDIR)/$B:$$PATH" L2TOOLS_SHARE="$(CURDIR)/share" BENCH_PEER="$(BENCH_PEER)" tests/gpu/bandwidth.sh $(DEVICE)

check-gpu: all build/tests/gpu_ops
	$(RUN) $(wildcard tests/gpu/*.bats)

GPU_OPS := $(patsubst %.c,$O/%.o,$(wildcard tests/gpu/*.c))
build/tests/gpu_ops: $(GPU_OPS) $O/collect.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ -lm -ldl -lpthread
$(GPU_OPS): ALL_CFLAGS += -I.

# Many more drawn chips than check tries.
truth: all tests
	SLICE_DRAWS=$${SLICE_DRAWS:-200} ASSOC_DRAWS=$${ASSOC_DRAWS:-200} SURVEY_MODE=$${SURVEY_MODE-} \
	    SURVEY_SEEDS="$${SURVEY_SEEDS:-$$(seq -s " " 20)}" LIMIT=7200 $(RUN) $(wildcard tests/truth/*.bats)

fuzz:
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(RUN) tests/fuzz/fuzz.bats

lint:
	$(RUN) tests/lint/house.bats tests/lint/tools.bats

install: all
	@for f in $(INSTALLED); do \
	    to=$(DESTDIR)$(PREFIX)/$${f#*:} from=$${f%%:*} mode=644; \
	    test -x $$from && mode=755; \
	    install -D -m $$mode $$from "$$to/$${from##*/}" || exit 1; \
	done; echo "installed below $(DESTDIR)$(PREFIX)"

uninstall:
	@for f in $(INSTALLED); do from=$${f%%:*}; rm -f "$(DESTDIR)$(PREFIX)/$${f#*:}/$${from##*/}"; done
	@rm -rf "$(DESTDIR)$(PREFIX)/share/l2tools"

# A survey of the default device and its report; SURVEY='--quick' or '-d sim:tiny' are words for l2survey. A survey with
# failed steps has a report, too.
report: all
	@rm -rf report/run && mkdir -p report
	@PATH="$(CURDIR)/$B:$$PATH"; bin/l2survey $(SURVEY) -o report/run; status=$$?; \
	    bin/l2report -o report report/run && exit $$status
	@! gzip -dc report/run/*.gz | grep -q '^#simulated yes' || \
	    printf '\n*** SIMULATED: there is no GPU, so a modelled one was measured. ***\n\n'

clean:
	rm -rf build report $(PROGRAMS)

.PHONY: all help bench bench-gpu truth check tests check-gpu fuzz lint report install uninstall clean
-include $(shell find $O -name '*.d' 2>/dev/null)
