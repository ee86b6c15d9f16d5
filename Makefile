# parlab: build, check, one target per experiment, figures, report. `make help` lists them.
#
# Everything is built under build/ and bin/ (build/debug and bin/debug with DEBUG=1). Without the
# CUDA toolkit the CPU backends and the emulated CUDA variants are built all the same.

SHELL         := /bin/bash
.DEFAULT_GOAL := build
MAKEFLAGS     += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:

# All cores, unless -j says otherwise.
ifeq ($(MAKELEVEL),0)
  MAKEFLAGS += -j$(shell nproc)
endif

ifneq ($(word 2,$(MAKECMDGOALS)),)
# Several goals (make clean build): one after the other, each in parallel.
.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
$(MAKECMDGOALS):
	@$(MAKE) $@
else

comma := ,

# ---- what may be set from outside ----------------------------------------------------------------
DEBUG ?= 0
MARCH ?= native
# What the experiments run on: quick or full; empty: full with a GPU, else quick.
SCALE   ?=
# The folder under results/ and plots/; empty: this machine's own name.
MACHINE ?=
ifeq ($(origin CXX),default)
  CXX := g++
endif
ifeq ($(origin NVCC),undefined)   # NVCC= (empty) builds without CUDA
  # The first that runs: a name in PATH may be a wrapper around a compiler that is not there.
  NVCC := $(shell for n in nvcc $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc) /usr/local/cuda/bin/nvcc; do \
                    "$$n" --version >/dev/null 2>&1 && command -v "$$n" && break; done)
endif
ifeq ($(origin GPU_ARCH),undefined)   # 90; empty: no GPU here
  GPU_ARCH := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                      head -1 | tr -dc 0-9)
endif
ifeq ($(origin COMMIT),undefined)
  COMMIT := $(shell git describe --always --abbrev=10 --exclude='*' 2>/dev/null || echo unknown)
  COMMIT := $(COMMIT)$(if $(shell git status --porcelain -- Makefile src serial openmp cuda blas 2>/dev/null),+changes)
endif
export DEBUG MARCH SCALE MACHINE CXX NVCC GPU_ARCH COMMIT

# Libraries may lie in a prefix of one's own: compilers read CPATH and LIBRARY_PATH themselves, Boost's
# own variable is BOOST_ROOT, and what is described to pkg-config is found by PKG_CONFIG_PATH.
packaged = $(if $(PKG_CONFIG_PATH),$(foreach p,hwloc sqlite3 libzstd nlohmann_json,$(shell pkg-config $1 $p 2>/dev/null)))
PREFIX_FLAGS := $(if $(BOOST_ROOT),-isystem $(BOOST_ROOT)/include) $(call packaged,--cflags-only-I)
PREFIX_LIBS  := $(if $(BOOST_ROOT),-L$(BOOST_ROOT)/lib -Wl$(comma)-rpath$(comma)$(BOOST_ROOT)/lib) $(call packaged,--libs-only-L)

# Without SQLite and gnuplot everything but the figures, and of SQLite the tables, is built and works.
SQLITE := $(shell echo '\#include <sqlite3.h>' | $(CXX) $(PREFIX_FLAGS) -E -x c++ - >/dev/null 2>&1 && echo -DPARLAB_SQLITE)
GNUPLOT := $(shell command -v gnuplot)

# ---- places --------------------------------------------------------------------------------------
B   := build$(if $(filter 1,$(DEBUG)),/debug)
BIN := bin$(if $(filter 1,$(DEBUG)),/debug)
PARLAB := $(BIN)/parlab$(if $(NVCC),,-emulated)

# A variant is any file BACKEND/WORKLOAD/NAME.{cpp,cu}; nothing lists them by name.
# The claims of an experiment stand in its folder, scripts/NAME/claims.cpp.
HOST_SOURCES := $(wildcard src/*/*.cpp src/places/host/*.cpp scripts/*/claims.cpp) \
                $(wildcard serial/*/*.cpp openmp/*/*.cpp blas/*/*.cpp)
# What several kernels launch is compiled once, in cuda/WORKLOAD/shared.
EMULATED_KERNELS := $(wildcard cuda/*/shared/*.cu cuda/*/*.cu)
CUDA_SOURCES := $(wildcard src/places/cuda/*.cu blas/*/*.cu) $(EMULATED_KERNELS)
EMULATION    := $(wildcard src/places/emulation/*.cpp)
TEST_SOURCES := $(wildcard tests/*.cpp tests/*/*.cpp tests/*/*/*.cpp)
TEST_KERNELS := $(wildcard tests/*/*.cu tests/*/*/*.cu)
WORKLOADS    := $(patsubst src/workloads/%.cpp,%,$(wildcard src/workloads/*.cpp))
# An experiment is a folder scripts/NAME/: steps.sh, views.sql, claims.cpp, the figures and tables.
EXPERIMENTS  := $(patsubst scripts/%/steps.sh,%,$(wildcard scripts/*/steps.sh))

# ---- flags ---------------------------------------------------------------------------------------
CLANG     := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
# GCC collects garbage beyond 128 MB. Most files need twice as much, and compile in 7 % less time if it
# does not.
COMPILE   := $(CXX) $(if $(CLANG),,--param=ggc-min-heapsize=524288)
# GCC 12 sees a copy onto itself in std::string (its bug 105651): -Wno-restrict.
WARN      := -Wall -Wextra -Wshadow $(if $(CLANG),,-Wno-restrict)
LANGUAGE  := -std=c++20 $(WARN) -fopenmp -Isrc $(PREFIX_FLAGS) -MMD -MP
OPTIMIZE  := $(if $(filter 1,$(DEBUG)),-O0 -g3,-O3 -g1)
CXXFLAGS   = $(LANGUAGE) $(OPTIMIZE) -march=$(MARCH)
# What UBSan would check at every use of a pointer doubles the code: ASan sees most of it too, and what
# kernels do to addresses is checked where they are emulated.
SANITIZE  := -fsanitize=address,undefined -fno-sanitize=null,object-size,vptr,alignment \
             -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# Without optimisation these compile in a third of the time; what the tests spend their time in is
# optimised all the same. With sanitizers GCC takes parts of <regex> for uninitialized.
UNCHECKED  := $(LANGUAGE) -O0 -g1 -DPARLAB_EMULATED -Isrc/places/emulation/include \
              $(if $(filter no,$(ARCHIVES)),-DBOOST_TEST_DYN_LINK)
CHECKFLAGS := $(UNCHECKED) $(SANITIZE) $(if $(CLANG),,-Wno-maybe-uninitialized)
EMULATEDFLAGS := $(CXXFLAGS:-O3=-O2) -DPARLAB_EMULATED -Isrc/places/emulation/include \
    $(if $(CLANG),-idirafter $(dir $(shell gcc -print-file-name=include/backtrace.h)))
# Emulated kernels: the compiler calls src/places/emulation/hooks.cpp at every access to memory; libtsan and
# libubsan have no part in it. Loops stay loops, so that each access keeps its size. The hooks are what
# takes the time, not the kernels: -O2 compiles a third longer and runs no faster. Local variables
# that nobody initialises start with a pattern, from g++ 12 on: what comes of it is wrong, and the same
# every time.
PATTERN := -ftrivial-auto-var-init=pattern
PATTERN := $(shell $(CXX) $(PATTERN) -E -x c++ /dev/null >/dev/null 2>&1 && echo $(PATTERN))
ACCESSES := $(if $(CLANG),-fno-vectorize -fno-slp-vectorize -mllvm -disable-loop-idiom-all \
    -mllvm -tsan-instrument-func-entry-exit=0, \
    -fno-tree-vectorize -fno-tree-loop-distribute-patterns \
    --param=tsan-instrument-func-entry-exit=0 -fno-extern-tls-init)
EMULATED_KERNEL_FLAGS := $(LANGUAGE) -O1 -g1 -march=$(MARCH) -DPARLAB_EMULATED \
    -Isrc/places/emulation/include $(ACCESSES) -fsanitize=thread \
    -fsanitize=bounds,alignment,shift,integer-divide-by-zero -Wno-unknown-pragmas \
    $(PATTERN) -fstack-clash-protection
# libbacktrace comes with GCC.
# Linked in where there is an archive, so that a program runs where the library is not installed; else
# shared (ARCHIVES=no: always). Looked for when a program is linked, and not before.
links     = $(shell printf 'int main() {}' | $(CXX) $(PREFIX_LIBS) -x c++ - -o /dev/null $1 2>/dev/null && echo yes)
archive   = $(if $(filter no,$(ARCHIVES)),$3,$(if $(call links,-l:lib$1.a $2),-l:lib$1.a $2,$3))
boost     = $(call archive,boost_$1,,-lboost_$1)
EMULATION_LIBS = $(call boost,context) -l:libbacktrace.a
HWLOC     = $(call archive,hwloc,-l:libudev.so.1,-lhwloc)
LIBS      = $(PREFIX_LIBS) $(call boost,program_options) $(HWLOC) \
            $(if $(SQLITE),$(call archive,sqlite3,-lm,-lsqlite3)) $(call archive,seccomp,,-lseccomp) $(call archive,zstd,,-lzstd) -fopenmp -ldl
# Variants know their own path and content: records made from another version are stale.
IDENTITY   = $(if $(filter src/%,$<),,-DPARLAB_SOURCE='"$<"' -DPARLAB_SOURCE_HASH='"$(shell scripts/source-hash.sh $<)"')

# The device's own architecture; without a device a program for the H200 and, as PTX, for all from
# Ampere on. Both come from the code for compute_80, so that nvcc reads each file for the device once.
ifeq ($(GPU_ARCH),)
  FOR_ALL := -gencode arch=compute_80$(comma)code=compute_80
  GENCODE := -gencode arch=compute_80$(comma)code=sm_90 $(FOR_ALL)
else ifeq ($(GPU_ARCH),90)
  GENCODE := -gencode arch=compute_90a$(comma)code=sm_90a
else
  GENCODE := -arch=sm_$(GPU_ARCH)
endif
# CUDA_NO_HALF: half is our word (core/narrow.hpp); the toolkit's headers keep __half. -O is for the
# host's side, which launches; what is for the device is optimised as far as can be in any case.
NVCCFLAGS := -std=c++20 $(if $(filter 1,$(DEBUG)),-O0 -g,-O1) $(GENCODE) -Isrc \
             -Xcompiler -Wall$(comma)-Wextra$(comma)-march=$(MARCH) --expt-relaxed-constexpr -MMD -MP \
             -lineinfo -DCUDA_NO_HALF

# Files whose content is a value: written only when it changes, so that what depends on them is
# made anew then, and only then.
store = $(if $(filter-out x$(subst $(empty) ,_,$(file <$1)),x$(subst $(empty) ,_,$2)),$(shell mkdir -p $(dir $1))$(file >$1,$2))
define newline


endef
ifneq ($(MAKECMDGOALS),help)
  $(call store,$(B)/host.flags,$(CXX) $(CXXFLAGS))
  $(call store,$(B)/emulated.flags,$(CXX) $(EMULATEDFLAGS))
  $(if $(NVCC),$(call store,$(B)/cuda.flags,$(NVCC) $(NVCCFLAGS)))
  $(call store,$(B)/kernel.flags,$(CXX) $(EMULATED_KERNEL_FLAGS))
  $(call store,$(B)/check.flags,$(CXX) $(CHECKFLAGS))
  $(call store,$(B)/sqlite.flags,$(SQLITE))
  $(call store,$(B)/hash.flags,$(shell sha1sum <scripts/source-hash.sh))
  $(call store,$(B)/sources.list,$(sort $(HOST_SOURCES) $(CUDA_SOURCES) $(EMULATION)))
  $(call store,$(B)/tests.list,$(sort $(TEST_SOURCES) $(TEST_KERNELS)))
  $(call store,$(B)/pages.list,$(sort $(shell scripts/list-records.sh --silent | xargs -r dirname)))
  # A first build says at its beginning what it lacks, and builds what it can (make -k).
  $(if $(filter all build install,$(MAKECMDGOALS)),$(if $(wildcard $(BIN)/parlab*),,$(shell NO_INSTALL=1 scripts/install.sh build >&2)))
  # Included by the one file that reports it: a commit costs one small compilation.
  $(call store,$(B)/build_info.hpp,#define PARLAB_VERSION "$(strip $(file <VERSION))"$(newline)#define PARLAB_COMMIT "$(COMMIT)"$(newline)#define PARLAB_FLAGS "$(notdir $(lastword $(CXX))) $(CXXFLAGS)$(if $(NVCC),; nvcc $(NVCCFLAGS))")
endif

# One short line per command; V=1 shows the commands.
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-5s %s\n' $1 $2;)

# ---- targets -------------------------------------------------------------------------------------
.PHONY: assignment build check check-quick device-spread report sanitize counters energy tune figures say-what-is-left-out gallery format lint all install deps clean help $(EXPERIMENTS)

# On a cluster the build is done here, or with BUILD_ON=node by the first job.
BUILD_ON   ?= $(shell sed -n 's/^BUILD_ON=//p' $(or $(CLUSTER_SETTINGS),cluster.settings) 2>/dev/null)
ON_CLUSTER := $(if $(filter node,$(BUILD_ON)),,build)

# What experiments run: without a GPU not what takes nvcc minutes. bin/parlab is the emulation then, or
# what was built before; the experiments run what was built now.
NOW := PARLAB=$(if $(GPU_ARCH),$(PARLAB),$(BIN)/parlab-emulated)
ENOUGH = $(if $(GPU_ARCH),build,some-parlab $(WORKLOADS:%=$(BIN)/%) $(B)/grade/emulated.link)

# each_experiment NAMES, SETTINGS, ARGUMENT: runs their steps. A point that fails, status 1, stops neither
# the other experiments nor the figures; none_failed says it at the end.
FAILED = $(B)/$@.failed
each_experiment = rm -f $(FAILED); for e in $1; do $2 scripts/$$e/steps.sh $3 || \
  { status=$$?; [ $$status = 1 ] && touch $(FAILED) || exit $$status; }; done
none_failed = if [ -e $(FAILED) ]; then rm $(FAILED); exit 1; fi

ifdef CLUSTER
report: $(ON_CLUSTER)
	@scripts/cluster/submit.sh $(EXPERIMENTS)
else
report: ## install what is missing, build, run the experiments, draw all figures and the pages
	@scripts/install.sh build figures
	@$(MAKE) $(ENOUGH)
	@$(call each_experiment,$(EXPERIMENTS),$(NOW))
	@$(MAKE) figures
	@scripts/list-figures.sh
	@$(none_failed)
endif

check: ## install what is missing, build, run every test
	@scripts/install.sh
	@rm -f $(B)/check/results/*
	@$(MAKE) $(ENOUGH)
	@$(MAKE) build-checks
	@MAKEFLAGS='$(filter-out -j% --jobserver%,$(MAKEFLAGS))' \
	  $(MAKE) --keep-going --silent -j$(shell expr $$(nproc) + 1) run-checks || true
	@scripts/sum-checks.sh $(B)/check/results

check-quick: ## build what a change touches and run the tests of its rooms: a minute or so
	+@scripts/check-quick.sh

device-spread: ## control points on each device, with CLUSTER=slurm on each node: which one is slow?
sanitize: ## run every CUDA variant under compute-sanitizer, on the GPU
	@$(MAKE) build
	@scripts/sanitize.sh

counters: ## add hardware counters (ncu) to a few of the records of this machine
	@$(MAKE) build
	@machine=$$(scripts/machine-name.sh) || exit; \
	recorded=$$(for e in $(EXPERIMENTS); do [ ! "$$(compgen -G "results/$$machine/$$e.jsonl*")" ] || echo $$e; done); \
	[ "$$recorded" ] || echo "no records in results/$$machine: run an experiment first (make help)"; \
	$(call each_experiment,$$recorded,,counters)
	@$(MAKE) figures
	@$(none_failed)

energy: ## joules of every ladder of this machine, by the counters of its GPU or CPU
	@$(MAKE) $(ENOUGH)
	@$(call each_experiment,$(EXPERIMENTS),$(NOW),energy)
	@$(MAKE) figures
	@$(none_failed)

tune: ## search the tunables of all variants (WORKLOAD=dmv SIZE=8K: of these), for `--block best`
	@$(MAKE) $(ENOUGH)
	@scripts/tune.sh $(or $(WORKLOAD),$(WORKLOADS))

assignment: ## a hand-out with kernels to be written: WORKLOAD=dmv KERNELS=naive,coalesced [OUT=folder]
	@scripts/assignment.sh "$(WORKLOAD)" "$(KERNELS)" "$(or $(OUT),assignment-$(WORKLOAD))"

all: build ## the same as build
build: ## build bin/parlab, bin/parlab-emulated and a link for each workload
figures: ## draw the figures and pages that are out of date, from the records of every machine
gallery: ## draw the few pictures of docs/gallery again, from the records in the repository
	@$(MAKE) figures
	@scripts/gallery.sh nvidia-h200 nvidia-h200-x4
format: ## format all C++ and CUDA sources in place
lint: ## check formatting, shell scripts, and all of src for common mistakes (clang-tidy)
deps: ## install the packages that are missing (NO_INSTALL=1: say which)
	@scripts/install.sh
# The program finds what it reads beside itself, experiments and the published tables among it.
PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)/lib/parlab
install: build ## put the program and its scripts under PREFIX=/usr/local
	@mkdir -p $(INSTALLED)/bin $(INSTALLED)/results $(DESTDIR)$(PREFIX)/bin
	@cp -a $(BIN)/parlab* $(WORKLOADS:%=$(BIN)/%) $(INSTALLED)/bin/
	@cp -a VERSION LICENSE docs scripts $(INSTALLED)/ && cp -a results/published $(INSTALLED)/results/
	@for p in parlab $(WORKLOADS); do ln -sfn ../lib/parlab/bin/$$p $(DESTDIR)$(PREFIX)/bin/$$p; done
	@echo "installed: $(PREFIX)/bin/parlab and $(WORKLOADS)"

clean: ## remove what was built; records and figures stay
	rm -rf build bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@for e in $(EXPERIMENTS); do \
	  printf '  make %-14s %s\n' $$e "$$(sed -n '2s/^# *//p' scripts/$$e/steps.sh)"; done
	@echo "settings: DEBUG=1, SCALE=quick|full, MACHINE=name, MARCH=native, GPU_ARCH=90, NVCC= (no CUDA),"
	@echo "          NO_INSTALL=1, V=1"
	@echo "a cluster: CLUSTER=slurm with an experiment or report, WAIT=1 to stay; PARTITION, TIME, GRES ...:"
	@echo "          docs/cluster.md"

print-%:
	@echo '$($*)'

# ---- programs ------------------------------------------------------------------------------------
# What reads requests and writes records and reports compiles in half the time, and is fast enough.
LIGHT := $(filter $(patsubst %,src/%/%,claims cli cluster commands compare counters grade image machine page record report sweep tune),$(HOST_SOURCES))
LIGHT += $(wildcard scripts/*/claims.cpp)
# Every command parses all records there are, and ceilings are measured.
LIGHT := $(filter-out src/record/json.cpp src/machine/host_ceilings.cpp,$(LIGHT))
# They are linked last: of an inline function that others have too, the optimised one is taken.
LIGHT_OBJECTS    := $(LIGHT:%=$(B)/host/%.o)
HOST_OBJECTS     := $(patsubst %,$(B)/host/%.o,$(filter-out $(LIGHT),$(HOST_SOURCES)))
CUDA_OBJECTS     := $(CUDA_SOURCES:%=$(B)/cuda/%.o)
EMULATED_OBJECTS := $(EMULATION:%=$(B)/emulated/%.o) $(EMULATED_KERNELS:%=$(B)/emulated/%.o)
MAIN_OBJECT      := $(B)/host/src/main.cpp.o

# bin/dmv and its kin; made anew when they point elsewhere.
LINK_TO := $(notdir $(PARLAB))
STALE_LINKS := $(shell for w in $(WORKLOADS); do \
                         [ "$$(readlink $(BIN)/$$w)" = $(LINK_TO) ] || echo $(BIN)/$$w; done)
.PHONY: $(STALE_LINKS)

build: $(PARLAB) $(BIN)/parlab-emulated $(BIN)/parlab $(WORKLOADS:%=$(BIN)/%)
	@$(if $(NVCC),:,echo "CUDA toolkit not found: CUDA variants are emulated (never timed)$(comma) cuBLAS is left out")

# How `parlab grade` links the program of a submission, OBJECT, to PROGRAM: with what executes it, and
# without the workloads, which know what is right.
RUNNER := $(patsubst %,$(B)/host/%.o,$(wildcard $(patsubst %,src/%/*.cpp,core gpu places places/host \
            statistics verify machine record grade/runner)) $(patsubst %,src/grade/%.cpp,message protocol serve))
build: $(B)/grade/emulated.link $(if $(NVCC),$(B)/grade/device.link)
# Our libraries are linked in beforehand, once: a submission is linked in a moment, and where it is
# graded they need not be installed. Ubuntu's archives have code for its linker to optimise: no.
NO_LTO := $(if $(CLANG),,-flinker-output=nolto-rel)
$(B)/grade/emulated.o: $(RUNNER) $(EMULATION:%=$(B)/emulated/%.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@) $(CXX) -r $(NO_LTO) -o $@ $^ $(PREFIX_LIBS) $(filter %.a,$(HWLOC) $(EMULATION_LIBS))
$(B)/grade/host.o: $(RUNNER)
	@mkdir -p $(@D)
	$(call say,LINK,$@) $(CXX) -r $(NO_LTO) -o $@ $^ $(filter %.a,$(HWLOC))
$(B)/grade/emulated.link: $(B)/grade/emulated.o
	@echo $(CXX) -rdynamic -o PROGRAM OBJECT $^ $(PREFIX_LIBS) $(filter-out %.a,$(HWLOC) $(EMULATION_LIBS)) -fopenmp -ldl >$@
$(B)/grade/device.link: $(B)/grade/host.o $(patsubst %,$(B)/cuda/%.o,$(wildcard src/places/cuda/*.cu))
	@echo $(NVCC) -o PROGRAM OBJECT $^ $(filter-out %.a,$(HWLOC)) -lgomp -ldl -cudart static >$@

$(WORKLOADS:%=$(BIN)/%):
	@mkdir -p $(BIN) && ln -sfn $(LINK_TO) $@

# Does all that needs no toolkit; one that was built with it stays.
.PHONY: some-parlab
some-parlab: $(BIN)/parlab-emulated
	@[ -e $(BIN)/parlab ] || ln -sfn parlab-emulated $(BIN)/parlab

ifeq ($(NVCC),)
$(BIN)/parlab: some-parlab
else
# A link to the emulation, from before there was a toolkit, is no program to keep.
ifneq ($(shell readlink $(BIN)/parlab),)
.PHONY: $(BIN)/parlab
endif
$(BIN)/parlab: $(MAIN_OBJECT) $(HOST_OBJECTS) $(CUDA_OBJECTS) $(LIGHT_OBJECTS) $(B)/sources.list
	@mkdir -p $(@D) && rm -f $@
	$(call say,LINK,$@) $(NVCC) -o $@ $(filter %.o,$^) -Xcompiler -fopenmp $(LIBS:-fopenmp=) -lgomp -cudart static
endif

# In this order. A kernel that cannot be compiled for emulation is left out: its object is not there.
there = $$(ls -U $(filter %.o,$^) 2>/dev/null)

# Emulated kernels come first: what they share with others counts accesses.
$(BIN)/parlab-emulated: $(EMULATED_OBJECTS) $(MAIN_OBJECT) $(HOST_OBJECTS) $(LIGHT_OBJECTS) $(B)/sources.list
	@mkdir -p $(@D)
	$(call say,LINK,$@) $(CXX) -rdynamic -o $@ $(there) $(LIBS) $(EMULATION_LIBS)

$(LIGHT_OBJECTS): OPTIMIZE := $(OPTIMIZE:-O3=-O0)

# With DEBUG=1, too: a BLAS is as fast there as ever, and would beat a roof that was measured by slow
# loops.
$(B)/host/src/machine/host_ceilings.cpp.o: OPTIMIZE := -O3 -g1

# The standard headers are parsed once, which takes a third off the time of most files: `make lint`,
# without this, shows that each file includes what it needs. Only where -O is the same: else GCC 12
# crashes now and then. Variants include little, and go without.
FAST := $(filter-out $(LIGHT) src/machine/host_ceilings.cpp,$(filter src/%,$(HOST_SOURCES)))
with_standard = -I$(B)/host/$1 $(LANGUAGE) $(OPTIMIZE) -march=$(MARCH) -include core/standard.hpp
$(LIGHT_OBJECTS): $(B)/host/light/core/standard.hpp.gch
$(LIGHT_OBJECTS): private CXXFLAGS = $(call with_standard,light)
$(B)/host/light/core/standard.hpp.gch: OPTIMIZE := $(OPTIMIZE:-O3=-O0)
$(FAST:%=$(B)/host/%.o): $(B)/host/fast/core/standard.hpp.gch
# g++ 12 sees strings of 2^63 bytes there.
$(FAST:%=$(B)/host/%.o): private CXXFLAGS = $(call with_standard,fast) \
    $(if $(CLANG),,-Wno-stringop-overflow -Wno-array-bounds)
$(B)/host/light/core/standard.hpp.gch $(B)/host/fast/core/standard.hpp.gch: src/core/standard.hpp $(B)/host.flags
	@mkdir -p $(@D)
	$(call say,C++,$<) $(COMPILE) $(CXXFLAGS) -x c++-header $< -o $@

$(B)/host/%.cpp.o: %.cpp $(B)/host.flags $(B)/hash.flags
	@mkdir -p $(@D)
	$(call say,C++,$<) $(COMPILE) $(CXXFLAGS) $(IDENTITY) -c $< -o $@

# Where nothing is for the device, as where cuBLAS is called, one pass of a C++ compiler will do.
FOR_HOST = $(if $(filter blas/% src/places/cuda/%,$<),$(shell grep -qE '__global__|__device__|<<<|\.cuh"|<cub/' $< || echo -x c++))

# What ptxas says of registers and spills is kept beside the object.
$(B)/cuda/%.cu.o: %.cu $(B)/cuda.flags $(B)/hash.flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<) $(NVCC) $(NVCCFLAGS) $(FOR_HOST) $(IDENTITY) -Xptxas -v -c $< -o $@ 2>$(@:.o=.ptxas) || \
	  { cat $(@:.o=.ptxas) >&2; exit 1; }; grep -E 'warning' $(@:.o=.ptxas) >&2 || true

# The tests link the same objects: AddressSanitizer is for the code around the kernels. What each
# kernel includes first is parsed once, as the standard headers are: nvcc finds a file that does not.
$(B)/emulated/%.cu.o: %.cu $(B)/emulated/kernel.hpp.gch $(B)/kernel.flags $(B)/hash.flags
	@mkdir -p $(@D)
	$(call say,EMUL,$<) scripts/emulate-kernel.sh $< $@ $(COMPILE) -I$(B)/emulated -include kernel.hpp \
	  $(EMULATED_KERNEL_FLAGS) $(IDENTITY)
$(B)/emulated/kernel.hpp.gch: src/gpu/gpu.hpp $(B)/kernel.flags
	@mkdir -p $(@D) && echo '#include "gpu/gpu.hpp"' >$(@:.gch=)
	$(call say,EMUL,$<) $(COMPILE) $(EMULATED_KERNEL_FLAGS) -x c++-header $(@:.gch=) -o $@

$(B)/emulated/%.cpp.o: %.cpp $(B)/emulated/core/standard.hpp.gch $(B)/emulated.flags
	@mkdir -p $(@D)
	$(call say,EMUL,$<) $(COMPILE) -I$(B)/emulated $(EMULATEDFLAGS) -include core/standard.hpp -c $< -o $@
$(B)/emulated/core/standard.hpp.gch: src/core/standard.hpp $(B)/emulated.flags
	@mkdir -p $(@D)
	$(call say,EMUL,$<) $(COMPILE) $(EMULATEDFLAGS) -x c++-header $< -o $@

BUILD_OBJECTS := $(B)/host/src/core/build.cpp.o $(B)/check/src/core/build.cpp.o
$(BUILD_OBJECTS): $(B)/build_info.hpp
$(BUILD_OBJECTS): IDENTITY += -include $(B)/build_info.hpp

# Its products must not be fused with additions: it computes what each of them loses.
PAIR_OBJECTS := $(B)/host/src/core/pair_rows.cpp.o $(B)/check/src/core/pair_rows.cpp.o
$(PAIR_OBJECTS): IDENTITY += -ffp-contract=off

DATABASE_OBJECTS := $(B)/host/src/commands/sqlite.cpp.o $(B)/check/src/commands/sqlite.cpp.o
$(DATABASE_OBJECTS): $(B)/sqlite.flags
$(DATABASE_OBJECTS): IDENTITY += $(SQLITE)

# ---- tests ---------------------------------------------------------------------------------------
# Everything the emulated build has, and the tests, under AddressSanitizer and UBSan; but what is
# below the emulated kernels has checks of its own, and stacks that AddressSanitizer does not know.
CHECK_OBJECTS := $(patsubst %,$(B)/check/%.o,$(HOST_SOURCES) $(TEST_SOURCES)) \
                 $(patsubst %,$(B)/emulated/%.o,$(EMULATION) $(EMULATED_KERNELS) $(TEST_KERNELS))

unit_test = $(call boost,unit_test_framework)
$(B)/check/run-tests: $(CHECK_OBJECTS) $(B)/sources.list $(B)/tests.list
	$(call say,LINK,$@) $(CXX) $(SANITIZE) -rdynamic -o $@ $(there) $(LIBS) $(EMULATION_LIBS) \
	  $(call unit_test)

HOT_OBJECTS := $(patsubst %,$(B)/check/%.o,$(filter src/workloads/% src/verify/% src/statistics/% serial/% \
                 src/core/pair_rows.cpp src/machine/host_ceilings.cpp,$(HOST_SOURCES)))
$(HOT_OBJECTS): CHECKFLAGS += -O2

# Flags must be the same as those of the precompiled headers: not for HOT_OBJECTS.
WITH_STANDARD := $(filter-out $(HOT_OBJECTS),$(patsubst %,$(B)/check/%.o,$(HOST_SOURCES)))
$(WITH_STANDARD): $(B)/check/core/standard.hpp.gch
$(WITH_STANDARD): private CHECKFLAGS := -I$(B)/check $(CHECKFLAGS) -include core/standard.hpp
$(B)/check/core/standard.hpp.gch: src/core/standard.hpp $(B)/check.flags
	@mkdir -p $(@D)
	$(call say,CHECK,$<) $(COMPILE) $(CHECKFLAGS) -x c++-header $< -o $@

# The tests' own code does without sanitizers, and compiles in two thirds of the time. It is linked
# after the rest: of what both have, the sanitized one is taken.
TEST_OBJECTS := $(patsubst %,$(B)/check/%.o,$(TEST_SOURCES))
$(TEST_OBJECTS): $(B)/check/tests/standard.hpp.gch
$(TEST_OBJECTS): private CHECKFLAGS := -I$(B)/check/tests $(UNCHECKED) -Itests -include standard.hpp
$(B)/check/tests/main.cpp.o: private CHECKFLAGS := $(UNCHECKED) -Itests # has a word for Boost.Test first
$(B)/check/tests/standard.hpp.gch: src/core/standard.hpp $(B)/check.flags
	@mkdir -p $(@D) && printf '#include <%s>\n' boost/test/unit_test.hpp >$(@:.gch=) && cat $< >>$(@:.gch=)
	$(call say,CHECK,$<) $(COMPILE) $(UNCHECKED) -x c++-header $(@:.gch=) -o $@

# Headers of the tests' own are found from tests/.
$(B)/gpu-tests/%: CXXFLAGS += -Itests
$(B)/gpu-tests/%: OPTIMIZE := $(OPTIMIZE:-O3=-O1)
$(B)/emulated/tests/%: EMULATED_KERNEL_FLAGS += -Itests
$(B)/cuda/tests/%: NVCCFLAGS += -Itests

$(B)/check/%.cpp.o: %.cpp $(B)/check.flags $(B)/hash.flags
	@mkdir -p $(@D)
	$(call say,CHECK,$<) $(COMPILE) $(CHECKFLAGS) $(IDENTITY) -c $< -o $@

# With a GPU the same tests, but those of the emulation, also run on it, without sanitizers.
# The last of them has none left afterwards.
LOSES_GPU := tests/places/unusable_gpu.cu
GPU_TESTS := $(if $(NVCC),$(if $(GPU_ARCH),$(B)/gpu-tests/run-tests))
$(B)/gpu-tests/run-tests: $(patsubst %,$(B)/gpu-tests/%.o,$(filter-out tests/places/emulation/%,$(TEST_SOURCES))) \
                      $(patsubst %,$(B)/cuda/%.o,$(filter-out tests/places/emulation/% $(LOSES_GPU),$(TEST_KERNELS)) \
                      $(LOSES_GPU)) $(HOST_OBJECTS) $(CUDA_OBJECTS) $(LIGHT_OBJECTS) \
                      $(B)/sources.list $(B)/tests.list
	$(call say,LINK,$@) $(NVCC) -o $@ $(filter %.o,$^) -Xcompiler -fopenmp $(LIBS:-fopenmp=) -lgomp \
	  -cudart static $(call unit_test)

$(B)/gpu-tests/%.cpp.o: %.cpp $(B)/host.flags
	@mkdir -p $(@D)
	$(call say,C++,$<) $(COMPILE) $(CXXFLAGS) $(IDENTITY) -c $< -o $@

# Each piece of `make check` leaves its output and its two numbers in results/.
SHELL_TESTS  := $(wildcard tests/tree/*.sh) $(filter-out %/slurm.sh,$(wildcard tests/cluster/*.sh))
shell-of      = $(patsubst %,shell-%,$(basename $(notdir $1)))
LINT_SOURCES := $(wildcard src/places/emulation/include/*.h src/places/emulation/include/*/*.h src/*.[ch]pp src/*/*.[ch]pp src/*/*/*.[ch]pp src/*/*/*.cu serial/*/*.cpp openmp/*/*.cpp \
                           blas/*/*.c* cuda/*/*.cu* cuda/*/*/*.cu openmp/*.hpp openmp/*/*.hpp tests/*.[ch]pp tests/*/*.[ch]pp tests/*/*/*.[ch]pp tests/*/*.cu \
                           tests/*/*/*.cu scripts/*.cpp scripts/*/*.cpp)
LINT_SCRIPTS := $(wildcard scripts/*.sh scripts/*/*.sh tests/*/*.sh) .ci/run
LINTS        := lint-format lint-shell
# Not the emulation: the names of its hooks are reserved ones, and have to be.
TIDY_SOURCES := $(filter src/%,$(HOST_SOURCES)) $(wildcard src/grade/runner/*.cpp) src/main.cpp
piece = @BUILD=$(B) scripts/check-piece.sh $(B)/check/results/$@
.PHONY: build-checks run-checks unit-variants unit-matmul unit-others gpu-tests compile-cuda emulate-kernels $(LINTS) lint-tidy $(call shell-of,$(SHELL_TESTS))

# Where no GPU is, a kernel is compiled for the device alone: its host side is what emulation compiles,
# and nothing could run it. What drives the GPU is compiled and linked in full.
ifeq ($(GPU_ARCH),)
CHECKED_CUDA := $(patsubst %.cu,$(B)/cuda/%.cubin,$(filter cuda/%,$(CUDA_SOURCES))) $(B)/check/parlab-without-kernels
else
CHECKED_CUDA := $(CUDA_OBJECTS)
endif
$(B)/cuda/%.cubin: %.cu $(B)/cuda.flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<) $(NVCC) -cubin $(subst $(FOR_ALL),,$(NVCCFLAGS)) $(IDENTITY) $< -o $@
$(B)/check/parlab-without-kernels: $(MAIN_OBJECT) $(HOST_OBJECTS) \
                                   $(patsubst %,$(B)/cuda/%.o,$(filter-out cuda/%,$(CUDA_SOURCES))) \
                                   $(LIGHT_OBJECTS) $(B)/sources.list
	@mkdir -p $(@D)
	$(call say,LINK,$@) $(NVCC) -o $@ $(filter %.o,$^) -Xcompiler -fopenmp $(LIBS:-fopenmp=) -lgomp -cudart static

# Not beside the programs, in a make of their own: two makes at once would write the same objects.
build-checks: $(B)/check/run-tests $(GPU_TESTS) $(if $(NVCC),$(CHECKED_CUDA))
# The two longest suites apart, so that two cores share the work.
# Two shell tests mostly wait: they begin first, and what else runs uses the cores meanwhile. Then the
# piece that takes longest and is of one thread for the most part, or it ends alone.
run-checks: shell-losses shell-three-nodes unit-others unit-variants unit-matmul \
            $(call shell-of,$(SHELL_TESTS)) $(LINTS) emulate-kernels $(if $(NVCC),compile-cuda) \
            $(if $(GPU_TESTS),gpu-tests)
unit-variants unit-matmul: unit-%: $(B)/check/run-tests
	$(piece) $< --run_test=$*
unit-others: $(B)/check/run-tests
	$(piece) $< --run_test='!variants' --run_test='!matmul'
gpu-tests: $(GPU_TESTS)
	$(piece) $<
define shell_test
$(call shell-of,$1): $1
	$$(piece) $$<
endef
$(foreach t,$(SHELL_TESTS),$(eval $(call shell_test,$t)))
emulate-kernels: $(BIN)/parlab-emulated # none of ours may be left out
	$(piece) ls $(EMULATED_KERNELS:%=$(B)/emulated/%.o)
compile-cuda: $(CHECKED_CUDA) # reached only when each of them compiled
	$(piece) $(if $(GPU_ARCH),true,$(B)/check/parlab-without-kernels --version)

lint: $(LINTS) lint-tidy
lint-format:
	$(piece) clang-format --dry-run -Werror $(LINT_SOURCES)
lint-shell:
	$(piece) shellcheck -x --severity=warning $(LINT_SCRIPTS)
# Six minutes of a core: a part of `make lint`, and not of `make check`.
lint-tidy:
	@printf '%s\n' $(TIDY_SOURCES) | xargs -P$(shell nproc) -I{} clang-tidy --quiet {} -- -std=c++20 -Isrc -fopenmp
# Only what is not formatted is written: the others keep their time, and their objects.
format:
	@for f in $(LINT_SOURCES); do \
	  clang-format --dry-run -Werror $$f 2>/dev/null || { echo "  FORMAT $$f" && clang-format -i $$f; }; done

# ---- experiments and figures ---------------------------------------------------------------------
ifdef CLUSTER
$(EXPERIMENTS): $(ON_CLUSTER)
	@scripts/cluster/submit.sh $@
else
$(EXPERIMENTS): build
	@$(call each_experiment,$@,PARLAB=$(PARLAB))
	@$(MAKE) figures
	@scripts/list-figures.sh $@
	@$(none_failed)
endif

device-spread: $(if $(CLUSTER),$(ON_CLUSTER),build)
	@$(if $(CLUSTER),scripts/cluster/submit.sh $@,scripts/cluster/control.sh all && $(MAKE) figures)

# results/MACHINE/EXPERIMENT.jsonl -> build/records/MACHINE/EXPERIMENT.db -> plots/MACHINE/EXPERIMENT-*
R        := build/records
# Only names that mean nothing to make or a shell: the others are named by `make figures`.
RECORDS  := $(shell scripts/list-records.sh --silent)
RECORDED := $(filter $(foreach e,$(EXPERIMENTS),%/$e),$(RECORDS:results/%.jsonl=%))
# A file of records is packed, plain, or both (parlab pack); it has one name.
parts_of  = $(wildcard $(foreach r,$1,$r $r.zst))
DATABASE_SOURCES := $(wildcard src/record/* src/statistics/* src/commands/database.cpp src/commands/sqlite.* src/commands/query.cpp results/published/*.csv)
STYLE    := scripts/figures/style.gp scripts/figure.sh $(wildcard scripts/figures/*.gp)

# What is drawn is written beside and renamed: an error leaves the old one, which make is not to delete.
# figures_of MACHINE/EXPERIMENT: its database, one rule per figure, one for the tables. Any of the two
# programs can make and read the database; the emulated one needs no CUDA compiler.
DRAW := PARLAB=$(BIN)/parlab-emulated
define figures_of
$(R)/$1.db: $(call parts_of,results/$1.jsonl) scripts/$(notdir $1)/views.sql $(DATABASE_SOURCES) | $(BIN)/parlab-emulated
	@mkdir -p $$(@D) && $(BIN)/parlab-emulated database results/$1.jsonl $$@ --views scripts/$(notdir $1)/views.sql
$(foreach f,$(if $(GNUPLOT),$(patsubst scripts/$(notdir $1)/%.gp,%,$(wildcard scripts/$(notdir $1)/*.gp))),
figures: plots/$1-$f.svg
.PRECIOUS: plots/$1-$f.svg plots/$1-$f.png
plots/$1-$f.svg plots/$1-$f.png &: scripts/$(notdir $1)/$f.gp $(R)/$1.db $(STYLE) \
    $(wildcard scripts/$(notdir $1)/*.inc)
	@$(DRAW) scripts/figure.sh $(R)/$1.db $$< plots/$1-$f
)
figures: plots/$1-tables.txt
.PRECIOUS: plots/$1-tables.txt
plots/$1-tables.txt: scripts/$(notdir $1)/tables.sh scripts/figures/tables.sh $(R)/$1.db
	@mkdir -p $$(@D) && { $(DRAW) $$< $(R)/$1.db >$$@.part && mv $$@.part $$@ || { rm -f $$@.part; exit 1; }; }
endef
$(if $(SQLITE),$(foreach r,$(RECORDED),$(eval $(call figures_of,$r))))

figures: say-what-is-left-out
say-what-is-left-out:
	@scripts/list-records.sh >/dev/null
	@$(if $(SQLITE),,echo "figures and tables are left out: install libsqlite3-dev (scripts/install.sh figures)")
	@$(if $(GNUPLOT),,echo "figures are left out: install gnuplot (scripts/install.sh figures)")

# plots/MACHINE/index.html, from the records, once the figures are drawn. A figure that is skipped is
# no file, so they are not among what it is older than: what they are made from is.
PAGE_SOURCES := $(wildcard src/page/* src/claims/* src/commands/page.* src/workloads/* results/published/*.csv \
                           serial/*/* openmp/*/* blas/*/* cuda/*/* scripts/*/*)
drawn = $(foreach r,$(filter $1/%,$(RECORDED)),plots/$r-tables.txt $(if $(GNUPLOT),$(patsubst \
          scripts/$(notdir $r)/%.gp,plots/$r-%.svg,$(wildcard scripts/$(notdir $r)/*.gp))))
define page_of
figures: plots/$1/index.html
plots/$1/index.html: $(call parts_of,$(filter results/$1/%,$(RECORDS))) $(PAGE_SOURCES) | $(if $(SQLITE),$(call drawn,$1)) $(BIN)/parlab-emulated
	@$(BIN)/parlab-emulated page results/$1 --figures plots/$1 --output $$@ && echo "  wrote $$@"
endef
PAGED := $(sort $(patsubst %/,%,$(dir $(RECORDED))))
$(foreach m,$(PAGED),$(eval $(call page_of,$m)))

figures: $(if $(PAGED),plots/index.html)
plots/index.html: $(call parts_of,$(filter $(PAGED:%=results/%/%),$(RECORDS))) $(PAGE_SOURCES) $(B)/pages.list | $(BIN)/parlab-emulated
	@$(BIN)/parlab-emulated index $(PAGED:%=results/%) --output $@ && echo "  wrote $@"

-include $(shell find $(B) -name '*.d' 2>/dev/null)
endif
