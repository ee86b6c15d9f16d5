# parlab: build, check, one target per experiment, figures, report. `make help` lists them.
#
# Everything is built under build/ (build/debug with DEBUG=1). Without the CUDA toolkit the CPU
# backends and the emulated CUDA variants are built all the same.

SHELL   := /bin/bash
.DEFAULT_GOAL := build
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:

# ---- what may be set from outside ----------------------------------------------------------------
CXX     := g++
MARCH   ?= native
DEBUG   ?= 0
NVCC    ?= $(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))

# ---- places --------------------------------------------------------------------------------------
B       := build$(if $(filter 1,$(DEBUG)),/debug)
OPT     := $(if $(filter 1,$(DEBUG)),-O0 -g3,-O3 -g1)
OPENBLAS := $(wildcard /usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0)

# A variant is any file BACKEND/WORKLOAD/NAME.{cpp,cu}; nothing lists them by name.
HOST_SOURCES  := $(filter-out src/main.cpp,$(wildcard src/core/*.cpp src/contracts/*.cpp src/host/*.cpp \
                   src/machine/*.cpp src/verify/*.cpp src/measure/*.cpp src/record/*.cpp \
                   src/sweep/*.cpp src/driver/*.cpp)) \
                 $(wildcard serial/*/*.cpp openmp/*/*.cpp blas/*/*.cpp)
CUDA_SOURCES  := $(wildcard src/device/*.cu cuda/*/*.cu blas/*/*.cu)
EMULATED_SOURCES := $(wildcard src/emulation/*.cpp) $(wildcard cuda/*/*.cu)
TEST_SOURCES  := $(wildcard tests/*.cpp)
WORKLOADS     := $(patsubst src/contracts/%.cpp,%,$(wildcard src/contracts/*.cpp))

WARN     := -Wall -Wextra -Wshadow
CXXFLAGS := -std=c++20 $(OPT) -march=$(MARCH) $(WARN) -fopenmp -Isrc -MMD -MP
LIBS     := -lboost_program_options -fopenmp -ldl
# Variants know their own path and content: records made from another version are stale.
IDENTITY  = -DPARLAB_SOURCE='"$<"' -DPARLAB_SOURCE_HASH='"$(firstword $(shell sha1sum $<))"'

# The device's own architecture; without a device sm_90a, and PTX for older ones.
GPU_ARCH := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .)
comma    := ,
ifeq ($(GPU_ARCH),)
  GENCODE := -gencode arch=compute_90a$(comma)code=sm_90a -gencode arch=compute_75$(comma)code=compute_75
else ifeq ($(GPU_ARCH),90)
  GENCODE := -gencode arch=compute_90a$(comma)code=sm_90a
else
  GENCODE := -arch=sm_$(GPU_ARCH)
endif
NVCCFLAGS := -std=c++20 $(if $(filter 1,$(DEBUG)),-O0 -g,-O3) $(GENCODE) -Isrc -Xcompiler -Wall,-Wextra \
             -Xcompiler -march=$(MARCH) --expt-relaxed-constexpr -MMD -MP -lineinfo

HOST_OBJECTS     := $(HOST_SOURCES:%=$(B)/host/%.o)
CUDA_OBJECTS     := $(CUDA_SOURCES:%=$(B)/cuda/%.o)
EMULATED_OBJECTS := $(EMULATED_SOURCES:%=$(B)/emulated/%.o)

.PHONY: build
ifneq ($(NVCC),)
build: bin/parlab bin/parlab-emulated $(WORKLOADS:%=bin/%)
else
build: bin/parlab-emulated $(WORKLOADS:%=bin/%)
	$(info CUDA toolkit not found: CUDA variants are emulated, cuBLAS is left out)
endif

bin/parlab: $(B)/host/src/main.cpp.o $(HOST_OBJECTS) $(CUDA_OBJECTS)
	@mkdir -p bin
	$(NVCC) -o $@ $^ -Xcompiler -fopenmp $(LIBS:-fopenmp=) -lgomp -cudart static

bin/parlab-emulated: $(B)/host/src/main.cpp.o $(HOST_OBJECTS) $(EMULATED_OBJECTS)
	@mkdir -p bin
	$(CXX) -rdynamic -o $@ $^ $(LIBS) -lboost_context

$(WORKLOADS:%=bin/%):
	@mkdir -p bin
	ln -sfn $(if $(NVCC),parlab,parlab-emulated) $@

$(B)/host/%.cpp.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) $(IDENTITY) -c $< -o $@

$(B)/cuda/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(IDENTITY) -Xptxas -v -c $< -o $@ 2> >(tee $(@:.o=.ptxas) | grep -v -E 'ptxas|bytes stack frame|^$$' >&2)

# Emulated kernels: the compiler calls src/emulation/hooks.cpp at every access to memory; libtsan and
# libubsan are never linked. Loops stay loops, so that each access keeps its size.
EMULATED_KERNEL_FLAGS := -DPARLAB_EMULATED -Isrc/emulation/include -O2 -fno-tree-vectorize \
                         -fno-tree-loop-distribute-patterns -fsanitize=thread \
                         --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1 \
                         -fsanitize=bounds,alignment,shift,integer-divide-by-zero -fno-sanitize=null \
                         -Wno-unknown-pragmas

$(B)/emulated/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) $(EMULATED_KERNEL_FLAGS) $(IDENTITY) -x c++ -c $< -o $@

$(B)/emulated/%.cpp.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -DPARLAB_EMULATED -c $< -o $@

-include $(shell find $(B) -name '*.d' 2>/dev/null)
