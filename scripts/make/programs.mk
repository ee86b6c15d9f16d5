# The programs: bin/parlab, bin/parlab-emulated, and the parts with which
# `parlab grade` links a submission.

# ---- sources ----------------------------------------------------------------
# A variant is any file BACKEND/WORKLOAD/NAME.{cpp,cu}; nothing lists them by
# name. Launches that several kernels share are compiled once, in
# cuda/WORKLOAD/shared. Sorted, because make 4.2 does not.
VARIANTS  := $(sort $(wildcard serial/*/*.cpp openmp/*/*.cpp blas/*/*.cpp))
KERNELS   := $(wildcard cuda/*/shared/*.cu cuda/*/*.cu)
# The content of the tree, as words: a hash, files with code for the device,
# links in the folder of programs as NAME:TARGET, lists of headers, and `odd` if
# make or records cannot take the name of a variant.
odd_names = find serial openmp cuda blas -name '[!.]*' -name '*[!a-zA-Z0-9_.+-]*' '(' -name '*.cu' -o -name '*.cpp' ')' 2>/dev/null
found := $(shell cat scripts/source-hash.sh scripts/same-sources.list | sha1sum; \
                 grep -lE '__global__|__device__|<<<|\.cuh"|<cub/' src/places/cuda/*.cu blas/*/*.cu; \
                 find $(BIN) -type l -printf '%f:%l ' 2>/dev/null; find $(B) -name '*.d' 2>/dev/null; \
                 [[ -z $$($(odd_names)) ]] || echo odd)
$(if $(filter odd,$(found)),$(error $(shell $(odd_names)): rename it: the file of a variant has letters, digits and _ . + - in its name, no others))
WORKLOADS := $(sort $(patsubst src/workloads/%.cpp,%,$(wildcard src/workloads/*.cpp)))

# A folder of src/ compiles in units: files that include up to eight of its
# files. A file is compiled alone if it has flags of its own or changes with
# each commit. Workloads are too, because their authors do not know of each
# other. A submission's program has a part of grade/ too.
ALONE  := src/core/build.cpp src/machine/host_ceilings.cpp \
          $(wildcard src/workloads/*.cpp)
SERVED := $(wildcard src/grade/message.cpp src/grade/protocol.cpp src/grade/serve.cpp)
# units NAME, FILES, x: writes them as build/units/NAME-1.cpp, NAME-2.cpp ...
# and returns their names.
units = $(if $2,$(call unit,$1-$(words $3),$(wordlist 1,8,$2)) $(call units,$1,$(wordlist 9,999,$2),$3 x))
unit  = $1$(call store,$(B)/units/$1.cpp,$(foreach f,$2,$(hash)include "$f"$(newline)))
files = $(filter-out $(ALONE) $(SERVED),$(sort $(wildcard src/$1/*.cpp)))
rooms = $(foreach r,$1,$(call units,$r,$(call files,$r),x))

HOST_ROOMS := $(filter-out places/cuda places/emulation places/races grade/runner,$(patsubst src/%/,%,$(sort \
                $(dir $(wildcard src/*/*.cpp src/*/*/*.cpp)))))
HOST_UNITS := $(call rooms,$(HOST_ROOMS)) $(call units,served,$(SERVED),x) \
              $(call units,experiments,$(sort $(wildcard scripts/*/claims.cpp)),x)
EMULATION_UNITS := $(call rooms,places/emulation)
RACES_UNITS := $(call rooms,places/races)
CUDA_SOURCES := $(wildcard blas/*/*.cu) $(KERNELS)
# The files with code for the device. For calls of cuBLAS or the driver a C++
# compiler is enough. Units have files of one kind only.
FOR_DEVICE   := $(filter %.cu,$(found))
DRIVER       := $(sort $(wildcard src/places/cuda/*.cu))
DRIVER_UNITS := $(call units,places/cuda,$(filter $(FOR_DEVICE),$(DRIVER)),x) \
                $(call units,places/cuda-host,$(filter-out $(FOR_DEVICE),$(DRIVER)),x)

# ---- flags ------------------------------------------------------------------
# CPPFLAGS, CXXFLAGS, NVCCFLAGS and LDFLAGS from outside are added.
# Without ccache: `parlab grade` confines the compiler, so ccache is no use.
COMPILER := $(filter-out ccache %/ccache sccache distcc,$(CXX))
# GCC collects garbage beyond 128 MB: most units need more.
COMPILE  := $(CCACHE) $(CXX) $(if $(CLANG),,--param=ggc-min-heapsize=524288)
# precompile FLAGS: makes $@, a precompiled header, of the header beside it. It
# stores the times of its files: one from ccache has those of another checkout,
# and #pragma once fails. Instead of $@, ccache reads $@.sum, a hash of the
# header's text, which is the same in each checkout.
header     = CCACHE_DISABLE=1 $(COMPILE) -x c++-header $1 $(@:.gch=)
precompile = $(call header,$1) -E -P -dD -MF /dev/null | sha1sum >$@.sum && $(call header,$1) -o $@
# GCC 12 warns of a copy onto itself in std::string (its bug 105651):
# -Wno-restrict.
WARN     := -Wall -Wextra -Wshadow $(if $(CLANG),,-Wno-restrict)
LANGUAGE := -std=c++20 $(WARN) -fopenmp -Isrc $(PREFIX_FLAGS) -MMD -MP
ADDED    := $(CPPFLAGS) $(CXXFLAGS)
debug    := $(filter 1,$(DEBUG))
# A variant is optimised as far as possible; its flags are part of its records.
VARIANT_FLAGS := $(LANGUAGE) $(if $(debug),-O0 -g3,-O3 -g1) -march=$(MARCH) $(ADDED)
# For a folder of src/. In a unit a name may hide one of another file.
UNIT := -I. -Wno-shadow $(if $(CLANG),,-Wshadow=local -Wno-subobject-linkage) $(SQLITE)
ROOM_FLAGS := $(LANGUAGE) $(UNIT) $(if $(debug),-O0 -g3,-O2) -march=$(MARCH) $(ADDED)
# Ceilings are measured with the flags of variants even with DEBUG=1. Otherwise
# a BLAS, which does not slow down, would beat a roof.
CEILING_FLAGS := -O3
# These compute rounding errors of products, so no product may be fused with an
# addition.
PAIR_FLAGS := -ffp-contract=off

EMULATED := -DPARLAB_EMULATED -Isrc/places/emulation/include -Isrc/gpu/samples
EMULATION_FLAGS := $(ROOM_FLAGS) $(EMULATED) \
    $(if $(CLANG),-idirafter $(dir $(shell gcc -print-file-name=include/backtrace.h)))
# Emulated kernels: the compiler calls src/places/emulation/hooks.cpp at every
# access to memory; libtsan and libubsan are not used. Loops and whole copies
# are not transformed, so that each access keeps its size. Most time goes to the
# hooks, not to the kernels: -O2 compiles a third longer and runs no faster.
# From g++ 12 on, uninitialised local variables start with a pattern, so that a
# wrong result is the same each time.
ACCESSES := $(if $(CLANG),-fno-vectorize -fno-slp-vectorize -mllvm -disable-loop-idiom-all \
    -mllvm -tsan-instrument-func-entry-exit=0, \
    -fno-tree-vectorize -fno-tree-loop-distribute-patterns -fno-tree-sra \
    --param=tsan-instrument-func-entry-exit=0 -fno-extern-tls-init)
KERNEL_FLAGS := $(LANGUAGE) -O1 -g1 -march=$(MARCH) $(EMULATED) -DPARLAB_KERNEL $(ACCESSES) -fsanitize=thread \
    -fsanitize=bounds,alignment,shift,integer-divide-by-zero -Wno-unknown-pragmas \
    $(if $(CLANG),,-Wno-maybe-uninitialized) $(PATTERN) -fstack-clash-protection $(ADDED)
# Host code whose threads are watched, by src/places/races/hooks.cpp. GCC's own
# compare-and-swap for `omp atomic` becomes a call too.
RACES_FLAGS := $(LANGUAGE) -O1 -g1 -march=$(MARCH) $(ACCESSES) $(if $(CLANG),,-fno-inline-atomics) \
    -fsanitize=thread $(ADDED)
# The first header of each kernel and submission is parsed only once.
FIRST := -include $(B)/emulated/kernel.hpp

# ccache reads the list of headers: nvcc -E leaves out what the device alone has.
# A profiler reads the folder of what runs on a device here.
CACHED_NVCC = $(if $(CCACHE),CCACHE_DEPEND=1 $(if $(GPU_ARCH),env -u CCACHE_NOHASHDIR )$(CCACHE) )$(NVCC)
# The device's own architecture. Without a device the program is built for the
# H200 and, as PTX, for all from Ampere on. Both come from the code for
# compute_80, so that nvcc reads each file for the device once.
ifeq ($(GPU_ARCH),)
  FOR_ALL := -gencode arch=compute_80$(comma)code=compute_80
  GENCODE := -gencode arch=compute_80$(comma)code=sm_90 $(FOR_ALL)
else ifeq ($(GPU_ARCH),90)
  GENCODE := -gencode arch=compute_90a$(comma)code=sm_90a
else
  GENCODE := -arch=sm_$(GPU_ARCH)
endif
# CUDA_NO_HALF: half is our own name (core/narrow.hpp); the toolkit's headers
# keep __half. -O is for the host's side, which launches; the device's code is
# optimised fully in any case.
CUDA_FLAGS := -std=c++20 $(if $(debug),-O0 -g,-O1) $(GENCODE) -Isrc \
              -Xcompiler -Wall$(comma)-Wextra$(comma)-march=$(MARCH) --expt-relaxed-constexpr -MMD -MP \
              -lineinfo -DCUDA_NO_HALF $(NVCCFLAGS)

# A library is linked statically if there is an archive, so that the program
# runs where the library is not installed; otherwise shared (ARCHIVES=no:
# always).
links     = $(shell printf 'int main() {}' | $(CXX) $(PREFIX_LIBS) -x c++ - -o /dev/null $1 2>/dev/null && echo yes)
archive   = $(if $(filter no,$(ARCHIVES)),$3,$(if $(call links,-l:lib$1.a $2),-l:lib$1.a $2,$3))
boost     = $(call archive,boost_$1,,-lboost_$1)
# libbacktrace comes with GCC.
EMULATION_LIBS = $(call boost,context) -l:libbacktrace.a
HWLOC     = $(call archive,hwloc,-l:libudev.so.1,-lhwloc)
ZSTD      = $(call archive,zstd,,-lzstd)
LIBS      = $(PREFIX_LIBS) $(call boost,program_options) $(HWLOC) \
            $(if $(SQLITE),$(call archive,sqlite3,-lm,-lsqlite3)) $(call archive,seccomp,,-lseccomp) \
            $(ZSTD) -fopenmp -ldl
MOLD      = $(if $(call links,-fuse-ld=mold),-fuse-ld=mold)
LINK      = $(CXX) $(MOLD) $(LDFLAGS) -o $@
LINK_CUDA = $(NVCC) $(addprefix -Xcompiler$(space),$(MOLD) $(LDFLAGS)) -o $@
CUDA_LIBS = -Xcompiler -fopenmp $(LIBS:-fopenmp=) -lgomp -cudart static

# A variant knows its own path and content, so that a record of another version
# is found to be stale.
IDENTITY = $(call identity,$(or $(shell answer '[0-9a-f]{40}( asks)?' scripts/source-hash.sh $< --asks),$(error $<: has no hash: \
             scripts/source-hash.sh fails)))
identity = -DPARLAB_SOURCE='"$<"' -DPARLAB_SOURCE_HASH='"$(firstword $1)"' $(if $(word 2,$1),-DPARLAB_ASKS_FOR_EMULATION=true)

$(call store,$(B)/host.flags,$(COMPILER) $(VARIANT_FLAGS))
$(call store,$(B)/room.flags,$(COMPILER) $(ROOM_FLAGS))
$(call store,$(B)/kernel.flags,$(COMPILER) $(KERNEL_FLAGS) $(FIRST))
$(call store,$(B)/races.flags,$(COMPILER) $(RACES_FLAGS))
$(if $(NVCC),$(call store,$(B)/cuda.flags,$(NVCC) $(CUDA_FLAGS)))
$(call store,$(B)/hash.flags,$(wordlist 1,2,$(found)))
$(call store,$(B)/sources.list,$(sort $(HOST_UNITS) $(ALONE) $(VARIANTS) $(DRIVER_UNITS) $(CUDA_SOURCES)))
# Included only by the file that reports it: a commit costs one small
# compilation.
$(call store,$(B)/build_info.hpp,$(hash)define PARLAB_VERSION "$(strip $(file <VERSION))"$(newline)$(hash)define PARLAB_COMMIT "$(COMMIT)"$(newline)$(hash)define PARLAB_FLAGS "$(strip $(notdir $(firstword $(COMPILER))) $(wordlist 2,99,$(COMPILER)) $(VARIANT_FLAGS))$(if $(NVCC),; nvcc $(CUDA_FLAGS))")

# ---- objects ----------------------------------------------------------------
ROOM_OBJECTS := $(HOST_UNITS:%=$(B)/host/units/%.o) $(ALONE:%=$(B)/host/%.o)
HOST_OBJECTS := $(ROOM_OBJECTS) $(VARIANTS:%=$(B)/host/%.o)
MAIN_OBJECT  := $(B)/host/src/main.cpp.o
DRIVER_OBJECTS := $(DRIVER_UNITS:%=$(B)/cuda/units/%.o)
CUDA_OBJECTS := $(DRIVER_OBJECTS) $(CUDA_SOURCES:%=$(B)/cuda/%.o)
EMULATION_OBJECTS := $(EMULATION_UNITS:%=$(B)/emulated/units/%.o)
EMULATED_OBJECTS  := $(EMULATION_OBJECTS) $(KERNELS:%=$(B)/emulated/%.o)

$(B)/host/units/%.o: $(B)/units/%.cpp $(B)/room.flags
	$(call say,C++,$*) $(COMPILE) $(ROOM_FLAGS) $(OWN_FLAGS) -c $< -o $@

$(B)/host/src/%.cpp.o: src/%.cpp $(B)/room.flags
	$(call say,C++,$<) $(COMPILE) $(ROOM_FLAGS) $(OWN_FLAGS) -c $< -o $@

$(B)/%/src/core/build.cpp.o: $(B)/build_info.hpp
$(B)/%/src/core/build.cpp.o: OWN_FLAGS := -include $(B)/build_info.hpp
$(B)/host/src/workloads/%.cpp.o: OWN_FLAGS := -O3 $(PAIR_FLAGS)
$(B)/check/src/workloads/%.cpp.o: OWN_FLAGS := $(PAIR_FLAGS)
$(B)/%/src/machine/host_ceilings.cpp.o: OWN_FLAGS := $(CEILING_FLAGS)

$(B)/host/%.cpp.o: %.cpp $(B)/host.flags $(B)/hash.flags
	$(call say,C++,$<) $(COMPILE) $(VARIANT_FLAGS) $(IDENTITY) -c $< -o $@

# ptxas's report on registers and spills is kept.
define compile_cuda
	$(call say,NVCC,$*) $(CACHED_NVCC) $(CUDA_FLAGS) $1 $(IDENTITY) -Xptxas -v -c $< -o $@ 2>$(@:.o=.ptxas) || \
	  { cat $(@:.o=.ptxas) >&2; exit 1; }; grep -E 'warning' $(@:.o=.ptxas) >&2 || true
endef
$(B)/cuda/units/%.o: $(B)/units/%.cpp $(B)/cuda.flags
	$(call compile_cuda,-I. -Xcompiler -Wno-subobject-linkage $(if $(findstring -host-,$*),-x c++,-x cu))
$(B)/cuda/%.cu.o: %.cu $(B)/cuda.flags $(B)/hash.flags
	$(call compile_cuda,$(if $(filter blas/%,$<),$(if $(filter $(FOR_DEVICE),$<),,-x c++)))

# A kernel that does not compile
# for emulation is left out of the program.
$(B)/emulated/%.cu.o: %.cu $(B)/emulated/kernel.hpp.gch $(B)/hash.flags
	$(call say,EMUL,$<) scripts/emulate-kernel.sh $< $@ $(COMPILE) $(KERNEL_FLAGS) $(FIRST) $(OWN_FLAGS) $(IDENTITY)
$(B)/emulated/kernel.hpp.gch: src/gpu/gpu.hpp $(B)/kernel.flags
	@mkdir -p $(@D) && echo '#include "gpu/gpu.hpp"' >$(@:.gch=)
	$(call say,EMUL,$<) $(call precompile,$(KERNEL_FLAGS))
$(B)/emulated/units/%.o: $(B)/units/%.cpp $(B)/room.flags
	$(call say,EMUL,$*) $(COMPILE) $(EMULATION_FLAGS) -c $< -o $@

# ---- programs ---------------------------------------------------------------
# An emulated kernel that does not compile has no object. Emulated kernels come
# first, so that the linker keeps their inline functions, which count accesses.
# At a fixed address a process starts in half the time: instrumented kernels have
# 28,000 pointers that would be moved.
FIXED = $(if $(CLANG),,-no-pie)
there = $$(ls -U $(filter %.o,$^) 2>/dev/null)
$(BIN)/parlab-emulated: $(EMULATED_OBJECTS) $(MAIN_OBJECT) $(HOST_OBJECTS) $(B)/sources.list
	$(call say,LINK,$@) $(LINK) $(FIXED) -rdynamic $(there) $(LIBS) $(EMULATION_LIBS)

LINKED := $(strip $(foreach f,$(found),$(if $(findstring :,$f),$f)))

# It does everything that needs no toolkit; a bin/parlab built with one stays.
.PHONY: some-parlab
some-parlab: $(BIN)/parlab-emulated
	@[ -e $(BIN)/parlab ] || ln -sfn parlab-emulated $(BIN)/parlab
.PHONY: build-emulated
build-emulated: some-parlab $(WORKLOADS:%=$(BIN)/%) $(B)/grade/emulated.link
	@:

ifeq ($(NVCC),)
$(BIN)/parlab: some-parlab
else
# A link to the emulation, from before a toolkit was installed, is not kept.
ifneq ($(filter parlab:%,$(LINKED)),)
.PHONY: $(BIN)/parlab
endif
$(BIN)/parlab: $(MAIN_OBJECT) $(HOST_OBJECTS) $(CUDA_OBJECTS) $(B)/sources.list
	@mkdir -p $(@D) && rm -f $@
	$(call say,LINK,$@) $(LINK_CUDA) $(filter %.o,$^) $(CUDA_LIBS)
endif

# bin/dmv and the other links; made again if they point elsewhere.
LINK_TO := $(notdir $(PARLAB))
STALE_LINKS := $(foreach w,$(WORKLOADS),$(if $(filter $w:$(LINK_TO),$(LINKED)),,$(BIN)/$w))
.PHONY: $(STALE_LINKS)
$(WORKLOADS:%=$(BIN)/%):
	@mkdir -p $(BIN) && ln -sfn $(LINK_TO) $@

build: $(PARLAB) $(BIN)/parlab-emulated $(BIN)/parlab $(WORKLOADS:%=$(BIN)/%)
	@$(if $(NVCC),:,echo "$(if $(SOUGHT_NVCC),CUDA toolkit not found,built without CUDA (NVCC=)): CUDA variants are emulated (never timed)$(comma) cuBLAS is left out")
	@$(if $(UNKNOWN_ARCH),echo "nvidia-smi tells no compute capability: built for several GPUs; GPU_ARCH=90 says it",:)

# How `parlab grade` links the program of a submission, OBJECT, to PROGRAM: with
# the code that executes it, but without the workloads, which know what is
# right. Our libraries are linked once in advance, so a submission links
# quickly, and the grading machine need not have them. Ubuntu's archives contain
# code for link-time optimisation, which is switched off.
RUNS   := core facts render gpu places places/host statistics verify machine record served
RUNNER := $(foreach r,$(RUNS),$(filter $(B)/host/units/$r-% $(B)/host/src/$r/%,$(ROOM_OBJECTS))) \
          $(patsubst %,$(B)/host/%.o,$(wildcard src/grade/runner/*.cpp))
NO_LTO := $(if $(CLANG),,-flinker-output=nolto-rel)
# mold without its second process: nothing may be left of a submission.
ALONE_MOLD = $(MOLD:%=% -Wl$(comma)--no-fork)
# With -r the linker does not search its usual folders.
LINK_PART = $(CXX) -r $(NO_LTO) $(PREFIX_LIBS) -L/usr/local/lib -o $@ $^
build: $(B)/grade/emulated.link $(if $(NVCC),$(B)/grade/device.link)
$(B)/grade/emulated.o: $(RUNNER) $(EMULATION_OBJECTS)
	$(call say,LINK,$@) $(LINK_PART) $(filter %.a,$(HWLOC) $(ZSTD) $(EMULATION_LIBS))
$(B)/grade/host.o: $(RUNNER)
	$(call say,LINK,$@) $(LINK_PART) $(filter %.a,$(HWLOC) $(ZSTD))
$(B)/grade/races.o: $(RUNNER) $(RACES_UNITS:%=$(B)/host/units/%.o)
	$(call say,LINK,$@) $(LINK_PART) $(filter %.a,$(HWLOC) $(ZSTD) -l:libbacktrace.a)
$(B)/grade/races.link: $(B)/grade/races.o
	@echo $(CXX) $(ALONE_MOLD) -rdynamic -o PROGRAM OBJECT $^ $(PREFIX_LIBS) $(filter-out %.a,$(HWLOC) $(ZSTD)) -fopenmp -ldl >$@
$(B)/grade/emulated.link: $(B)/grade/emulated.o $(B)/grade/races.link
	@echo $(CXX) $(ALONE_MOLD) -rdynamic -o PROGRAM OBJECT $< $(PREFIX_LIBS) $(filter-out %.a,$(HWLOC) $(ZSTD) $(EMULATION_LIBS)) -fopenmp -ldl >$@
$(B)/grade/device.link: $(B)/grade/host.o $(DRIVER_OBJECTS)
	@echo $(NVCC) -o PROGRAM OBJECT $^ $(filter-out %.a,$(HWLOC) $(ZSTD)) -lgomp -ldl -cudart static >$@
