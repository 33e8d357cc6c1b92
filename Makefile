# l2tools: make [all|check|lint|bench|report|install|uninstall|clean] [asan=1] [nvcc=no] [PREFIX=/usr/local] [DESTDIR=]
# A program is analyze/l2NAME.c or collect/l2collect.c; every other .c file of a folder goes into that folder's library,
# so a new file needs no line here.

CC ?= cc
PREFIX ?= /usr/local
O := build$(if $(asan),/asan)
B := $(if $(asan),build/asan/bin,bin)
WITH ?=
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes
CFLAGS ?= -O2 -g
comma := ,
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS) -MMD -MP \
  $(if $(asan),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_LDFLAGS := $(if $(asan),-fsanitize=address$(comma)undefined) $(LDFLAGS)
GSL := -lgsl -lgslcblas -lm

nvcc ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc) no)
ifneq ($(nvcc),no)
FATBIN := build/kernels.fatbin
# Machine code for every architecture that this toolkit knows, and PTX of the oldest for those it does not know.
ARCHS := $(sort $(patsubst sm_%,%,$(filter sm_%,$(shell $(nvcc) --list-gpu-code 2>/dev/null))))
OLDEST := $(firstword $(shell printf '%s\n' $(ARCHS) | sort -n))
GENCODE := $(foreach a,$(ARCHS),-gencode arch=compute_$a$(comma)code=sm_$a) \
  -gencode arch=compute_$(OLDEST)$(comma)code=compute_$(OLDEST)
endif

LIB := $(patsubst %.c,$O/%.o,$(wildcard share/lib/*.c))
FILTERS := $(patsubst analyze/%.c,%,$(wildcard analyze/l2*.c))
MATH := $(patsubst %.c,$O/%.o,$(filter-out analyze/l2%,$(wildcard analyze/*.c)))
COLLECT := $(patsubst %.c,$O/%.o,$(filter-out collect/l2%,$(wildcard collect/*.c))) $O/collect/cuda_image.o
UNIT := $(patsubst tests/unit/%.c,$O/tests/%,$(wildcard tests/unit/test_*.c))
SCRIPTS := $(filter-out bin/bootstrap,$(shell git ls-files 'bin/*' 2>/dev/null || echo bin/l2body))
PROGRAMS := $(FILTERS:%=$B/%) $(if $(wildcard collect/l2collect.c),$B/l2collect)

all: $(PROGRAMS)

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
	$(nvcc) -fatbin -O3 $(GENCODE) kernels/kernels.cu -o $@

$B/l2collect: $O/collect/l2collect.o $O/collect.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ -lm -ldl -lpthread

$(FILTERS:%=$B/%): $B/%: $O/analyze/%.o $O/analyze.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(GSL)

$O/tests/%: tests/unit/%.c $O/collect.a $O/analyze.a $O/share.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -I. $< $O/collect.a $O/analyze.a $O/share.a -o $@ -lcmocka $(GSL) -ldl -lpthread

# One file or one test by name: make check T=NAME
RUN = tests/run $B $(if $(T),-f '$(T)')
check: all $(UNIT)
	$(RUN) $(UNIT) $(wildcard tests/cli/*.bats tests/truth/*.bats)

check-gpu: all
	$(RUN) $(wildcard tests/gpu/*.bats)

clean:
	rm -rf build report $(PROGRAMS)

.PHONY: all check check-gpu clean
.SECONDARY:
-include $(shell find $O -name '*.d' 2>/dev/null)
