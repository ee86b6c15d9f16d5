# parlab: build, check, one target per experiment, figures, report. `make help`
# lists them. This file has the settings and the targets; scripts/make/ has the
# rest: programs.mk, tests.mk, figures.mk.
#
# Everything is built under build/ and bin/ (build/debug and bin/debug with
# DEBUG=1). Without the CUDA toolkit only the CPU backends and the emulated CUDA
# variants are built.

# In a known locale from its first line: bash warns of one that is not there.
SHELL         := /usr/bin/env
.SHELLFLAGS   := LC_ALL=C.UTF-8 scripts/make/shell -c
.DEFAULT_GOAL := build
MAKEFLAGS     += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:

comma := ,
hash  := \#
empty :=
space := $(empty) $(empty)
define newline


endef

# make -n, make -q, make help and make print-X write nothing.
dry := $(strip $(filter help print-%,$(MAKECMDGOALS)) $(foreach f,n q,$(findstring $f,$(filter-out -%,$(firstword $(MAKEFLAGS))))))

# Uses all cores, unless -j says otherwise, here or in MAKEFLAGS from outside:
# -j1, j1, -kj 1, --jobs=1.
ifeq ($(MAKELEVEL),0)
  cores := $(shell [[ " -$${MAKEFLAGS$(hash)-}" =~ \ (-[bBdehikLnpqrRsStvw]*j|--jobs) ]] || echo "-j$$(cpus)")
  MAKEFLAGS += $(cores)
endif

ifneq ($(word 2,$(MAKECMDGOALS)),)
# Several goals (make clean build) run one after the other, each in parallel.
.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
$(MAKECMDGOALS):
	@$(MAKE) $@
else

# in_path PROGRAM: its path, or nothing. $(shell ...) would take 25 ms; where it
# is needed, one asks several questions.
in_path = $(firstword $(wildcard $(addsuffix /$1,$(subst :,$(space),$(PATH)))))

# ---- settings ---------------------------------------------------------------
DEBUG ?= 0
MARCH ?= native
# The sizes of experiments: quick or full; empty: full with a GPU, else quick.
SCALE   ?=
# The folder under results/ and plots/; empty: this machine's own name.
MACHINE ?=
ifneq ($(filter default undefined,$(origin CXX)),)   # undefined by make -R
  CXX := g++
endif
ifeq ($(origin NVCC),undefined)   # NVCC= (empty) builds without CUDA
  # The first one that runs: one in PATH may wrap a missing compiler.
  export SOUGHT_NVCC := 1
  NVCC := $(shell for n in nvcc $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc) /usr/local/cuda/bin/nvcc; do \
                    answer '.* release [0-9]+\.[0-9]+,.*' "$$n" --version >/dev/null && command -v "$$n" && break; done)
endif
ifeq ($(origin GPU_ARCH),undefined)   # 90; empty: no GPU here
  GPU_ARCH := $(subst .,,$(if $(call in_path,nvidia-smi),$(shell answer '[0-9]{1,2}\.[0-9]' nvidia-smi --query-gpu=compute_cap --format=csv,noheader)))
  UNKNOWN_ARCH = $(if $(GPU_ARCH),,$(call in_path,nvidia-smi))
endif
ifeq ($(origin COMMIT),undefined)
  # Only this repository's commit: an unpacked archive may lie in another one.
  COMMIT := $(or $(shell answer Makefile git ls-files --full-name Makefile >/dev/null && \
                    commit=$$(answer '[0-9a-f]{7,40}' git describe --always --abbrev=10 --exclude='*') && \
                    echo "$$commit$$(answer '.+' git status --porcelain -- Makefile src serial openmp cuda blas >/dev/null && echo +changes)"),unknown)
endif
export DEBUG MARCH SCALE MACHINE CXX NVCC GPU_ARCH COMMIT

# Libraries may be installed under a private prefix: compilers read CPATH and
# LIBRARY_PATH themselves, Boost has the variable BOOST_ROOT, and pkg-config
# searches PKG_CONFIG_PATH.
packaged = $(if $(PKG_CONFIG_PATH),$(foreach p,hwloc sqlite3 libzstd RapidJSON,$(shell pkg-config $1 $p 2>/dev/null)))
PREFIX_FLAGS := $(if $(BOOST_ROOT),-isystem $(BOOST_ROOT)/include) $(call packaged,--cflags-only-I)
PREFIX_LIBS  := $(if $(BOOST_ROOT),-L$(BOOST_ROOT)/lib -Wl$(comma)-rpath$(comma)$(BOOST_ROOT)/lib) $(call packaged,--libs-only-L)

# Without SQLite there are no figures and tables, without gnuplot no figures;
# everything else is built and works.
PATTERN := -ftrivial-auto-var-init=pattern
known   := $(shell echo '$(hash)include <sqlite3.h>' | $(CXX) $(PREFIX_FLAGS) -E -x c++ - >/dev/null 2>&1 && echo -DPARLAB_SQLITE; \
                   $(CXX) $(PATTERN) -E -x c++ /dev/null >/dev/null 2>&1 && echo $(PATTERN); $(CXX) --version 2>/dev/null)
CLANG   := $(findstring clang,$(known))
PATTERN := $(filter $(PATTERN),$(known))
SQLITE  := $(filter -DPARLAB_SQLITE,$(known))
GNUPLOT := $(call in_path,gnuplot)

# Uses ccache if it is installed, with the settings that precompiled headers
# need. An object of one checkout serves in another: nobody reads its folder.
CCACHE := $(if $(findstring ccache,$(CXX)),,$(call in_path,ccache))
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_PCH_EXTSUM ?= 1
export CCACHE_NOHASHDIR  ?= 1

B   := build$(if $(filter 1,$(DEBUG)),/debug)
BIN := bin$(if $(filter 1,$(DEBUG)),/debug)
PARLAB := $(BIN)/parlab$(if $(NVCC),,-emulated)
# An experiment is a folder scripts/NAME/: steps.sh, views.sql, claims.cpp, the
# figures and tables.
EXPERIMENTS := $(sort $(patsubst scripts/%/steps.sh,%,$(wildcard scripts/*/steps.sh)))

# store FILE, TEXT: writes the file only if the text changes, so that its
# dependants are rebuilt only then. In a dry run it counts as changed.
store = $(if $(findstring <$(strip $2)>,<$(strip $(file <$1))>),,$(if $(dry),$(eval $(call changed,$1)),$(shell mkdir -p $(dir $1))$(file >$1,$2)))
define changed
.PHONY: $1
$1:
endef

# One short line per command; V=1 shows the commands. Makes the target's folder
# in the same shell.
say = $(if $(V),,@)[ -d $(@D) ] || mkdir -p $(@D); $(if $(V),,printf '  %-5s %s\n' $1 $2;)

# A first build begins by saying what it lacks, and builds what it can (make
# -k).
$(if $(filter all build install,$(MAKECMDGOALS)),$(if $(wildcard $(BIN)/parlab*),,$(shell NO_INSTALL=1 scripts/install.sh build >&2)))

# ---- targets ----------------------------------------------------------------
.PHONY: assignment workload measure build check check-quick device-spread report sanitize counters energy tune figures say-what-is-left-out gallery docs format lint all install deb deps clean help $(EXPERIMENTS)

# On a cluster the build runs here, or with BUILD_ON=node in the first job.
BUILD_ON   ?= $(shell sed -n 's/^BUILD_ON=//p' $(or $(CLUSTER_SETTINGS),cluster.settings) 2>/dev/null)
ON_CLUSTER = $(if $(filter node,$(BUILD_ON)),,build)

# Without a GPU, experiments do not wait minutes for nvcc: bin/parlab is then
# the emulation, or an older program. Experiments run what was built now.
NOW := PARLAB=$(if $(GPU_ARCH),$(PARLAB),$(BIN)/parlab-emulated)
ENOUGH = $(if $(GPU_ARCH),build,build-emulated)

# each_experiment NAMES, SETTINGS, ARGUMENT: runs their steps, or a fourth
# argument for each $e. A point that fails (status 1) stops neither the other
# experiments nor the figures; none_failed reports it at the end.
FAILED = $(B)/$@.failed
each_experiment = rm -f $(FAILED); for e in $1; do $2 $(or $4,scripts/$$e/steps.sh) $3 || \
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
	  $(MAKE) --keep-going --silent -j$$(($$(cpus) + 1)) run-checks || true
	@scripts/sum-checks.sh $(B)/check/results

check-quick: ## build the tests and what a change touches, run the tests that concern it: a minute, once all is built
	$(if $(dry),,+)@scripts/check-quick.sh

device-spread: ## measure control points on each device, with CLUSTER=slurm on each node, to find slow ones
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

energy: ## energy of every ladder of this machine, by the counters of its GPU or CPU
	@$(MAKE) $(ENOUGH)
	@$(call each_experiment,$(EXPERIMENTS),$(NOW),energy)
	@$(MAKE) figures
	@$(none_failed)

# Before anything is built: a name that no workload has.
no_workload = $(if $(filter-out $(WORKLOADS),$1),echo "$@: workload $1 is unknown (make $@ WORKLOAD=...: $(WORKLOADS))" >&2; exit 2)

tune: ## search for the best tunables of all variants (or WORKLOAD=dmv SIZE=8K), for `--block best`
	@$(call no_workload,$(WORKLOAD))
	@$(MAKE) $(ENOUGH)
	@scripts/tune.sh $(or $(WORKLOAD),$(WORKLOADS))

assignment: ## make a hand-out with kernels to be written: WORKLOAD=dmv KERNELS=naive,coalesced [COURSE=cslab] [OUT=folder]
	@scripts/assignment.sh "$(WORKLOAD)" "$(KERNELS)" "$(or $(OUT),assignment-$(WORKLOAD))" "$(COURSE)"

measure: ## measure a workload, WORKLOAD=heat: all of its variants at sizes in each cache and beyond; figures, tables, page
	@$(if $(CLUSTER),echo "measure: no job of a cluster; run it in one: srun make measure WORKLOAD=..." >&2; exit 2)
	@$(call no_workload,$(or $(WORKLOAD),''))
	@$(MAKE) $(ENOUGH)
	@$(call each_experiment,$(or $(WORKLOAD),''),$(NOW),,scripts/measure.sh $$e)
	@$(MAKE) figures-of-$$(scripts/machine-name.sh)
	@scripts/list-figures.sh $(WORKLOAD)
	@$(none_failed)

workload: ## make a new workload to start from: NAME=scan EXTENTS="n"; with parameters: PARAMETERS="steps"
	@scripts/workload.sh "$(NAME)" "$(EXTENTS)" "$(PARAMETERS)"

all: build ## the same as build
build: ## build bin/parlab, bin/parlab-emulated and a link for each workload
figures: ## draw the figures and pages that are out of date, from the records of every machine
gallery: ## draw the few pictures of docs/gallery again, from the records in the repository
	@$(MAKE) figures
	@scripts/gallery.sh nvidia-h200 nvidia-h200-x4
docs: ## build the documentation as a site, in build/docs/site
	@scripts/install.sh docs
	@$(MAKE) $(BIN)/parlab-emulated
	@PARLAB=$(BIN)/parlab-emulated scripts/docs.sh
format: ## format all C++ and CUDA sources in place
lint: ## check formatting, shell scripts, and all of src for common mistakes (clang-tidy)
deps: ## install the packages that are missing (NO_INSTALL=1: say which)
	@scripts/install.sh
# The program finds its files beside itself: experiments, published tables, and
# the files with which `parlab grade` builds submissions. Owner and modes are
# set, whatever they are in this tree; times stay, because precompiled headers
# record them.
PREFIX ?= /usr/local
FOR_GRADE = $(wildcard $(B)/*.flags) $(B)/grade $(B)/emulated/kernel.hpp $(B)/emulated/kernel.hpp.gch $(if $(NVCC),$(DRIVER_OBJECTS))
install_from = tar -cf - --mode=u=rwX,go=rX -C $1 $2 | tar -xpf - --no-same-owner -C "$$into/$3"
install: build ## put the program and its scripts under PREFIX=/usr/local
	@set -e -o pipefail; umask 022; prefix='$(DESTDIR)$(PREFIX)'; into=$$prefix/lib/parlab; \
	mkdir -p "$$into/bin" "$$prefix/bin"; \
	$(call install_from,.,VERSION LICENSE docs scripts src results/published $(wildcard results/counts.jsonl.zst) $(FOR_GRADE)); \
	$(call install_from,$(BIN),$$(cd $(BIN) && ls -d parlab*) $(WORKLOADS),bin); \
	for p in parlab $(WORKLOADS); do ln -sfn ../lib/parlab/bin/$$p "$$prefix/bin/$$p"; done; \
	ln -sfn ../lib/parlab/scripts/run-experiment.sh "$$prefix/bin/parlab-experiment"
	@echo "installed: $(PREFIX)/bin/parlab, parlab-experiment and $(WORKLOADS)"

deb: ## make a Debian package of the program, without CUDA, in build/deb
	@scripts/deb.sh

clean: ## remove what was built; records and figures stay
	rm -rf build bin

help: ## list the targets
	@{ awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile; \
	for e in $(EXPERIMENTS); do \
	  printf '  make %-14s %s\n' $$e "$$(sed -n '2s/^# *//p' scripts/$$e/steps.sh)"; done; \
	echo "settings: DEBUG=1, SCALE=quick|full, MACHINE=name, MARCH=native, GPU_ARCH=90, NVCC= (no CUDA), NO_INSTALL=1, V=1"; \
	echo "a cluster: CLUSTER=slurm with an experiment or report, WAIT=1 to stay; PARTITION, TIME, GRES ...: docs/how-to/cluster.md"; } | \
	awk '{ while (length > 80) { end = match(substr($$0, 1, 81), / [^ ]*$$/); print substr($$0, 1, end - 1); $$0 = sprintf("%22s", "") substr($$0, end + 1) } print }'

print-%:
	@echo '$($*)'

ifdef CLUSTER
$(EXPERIMENTS): $(ON_CLUSTER)
	@scripts/cluster/submit.sh $@
else
$(EXPERIMENTS): build
	@$(call each_experiment,$@,PARLAB=$(PARLAB))
	@$(MAKE) figures-of-$$(scripts/machine-name.sh)
	@scripts/list-figures.sh $@
	@$(none_failed)
endif

device-spread: $(if $(CLUSTER),$(ON_CLUSTER),build)
	@$(if $(CLUSTER),scripts/cluster/submit.sh $@,scripts/cluster/control.sh all)
	@$(if $(CLUSTER),,$(MAKE) figures)

include scripts/make/programs.mk scripts/make/tests.mk scripts/make/figures.mk
-include $(filter %.d,$(found))
endif
