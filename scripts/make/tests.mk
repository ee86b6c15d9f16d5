# `make check` and its pieces, with the programs that they need.

# ---- programs ---------------------------------------------------------------
TEST_SOURCES := $(wildcard tests/*.cpp tests/*/*.cpp tests/*/*/*.cpp)
TEST_KERNELS := $(wildcard tests/*/*.cu tests/*/*/*.cu)
$(call store,$(B)/tests.list,$(sort $(TEST_SOURCES) $(TEST_KERNELS)))

# The whole emulated program, under AddressSanitizer and UBSan. The code below
# the emulated kernels is left out: it has checks of its own, and stacks that
# AddressSanitizer does not know. UBSan's checks of every pointer would double
# the code, and ASan finds most of these errors too.
SANITIZE := -fsanitize=address,undefined -fno-sanitize=null,object-size,vptr,alignment \
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# Without optimisation a unit compiles in half the time, and checks as calls
# save a sixth of that; the folders in which tests spend their time are
# optimised. Line numbers in messages of the sanitizers cost an eighth:
# CXXFLAGS=-g1. With sanitizers GCC takes parts of <regex> for uninitialized.
calls        = $(if $(CLANG),,--param=asan-instrumentation-with-call-threshold=$1)
UNCHECKED   := $(LANGUAGE) $(UNIT) -O0 $(EMULATED) $(if $(filter no,$(ARCHIVES)),-DBOOST_TEST_DYN_LINK) $(ADDED)
CHECK_FLAGS := $(UNCHECKED) $(SANITIZE) $(call calls,0) $(if $(CLANG),,-Wno-maybe-uninitialized)
$(call store,$(B)/check.flags,$(CXX) $(CHECK_FLAGS))

CHECK_OBJECTS := $(HOST_UNITS:%=$(B)/check/units/%.o) $(ALONE:%=$(B)/check/%.o) $(VARIANTS:%=$(B)/check/%.o) \
                 $(TEST_SOURCES:%=$(B)/check/%.o) $(EMULATED_OBJECTS) $(TEST_KERNELS:%=$(B)/emulated/%.o)
unit_test = $(call boost,unit_test_framework)
$(B)/check/run-tests: $(CHECK_OBJECTS) $(B)/sources.list $(B)/tests.list
	$(call say,LINK,$@) $(LINK) $(SANITIZE) -rdynamic $(there) $(LIBS) $(EMULATION_LIBS) $(unit_test)

HOT := $(filter $(B)/check/src/workloads/% $(B)/check/units/verify-% $(B)/check/units/statistics-% \
         $(B)/check/serial/% $(B)/check/src/machine/%,$(CHECK_OBJECTS))
$(HOT): HOT_FLAGS := -O2 $(call calls,7000)
$(B)/check/units/%.o: $(B)/units/%.cpp $(B)/check.flags
	$(call say,CHECK,$*) $(COMPILE) $(CHECK_FLAGS) $(HOT_FLAGS) -c $< -o $@
$(B)/check/src/%.cpp.o: src/%.cpp $(B)/check.flags
	$(call say,CHECK,$<) $(COMPILE) $(CHECK_FLAGS) $(HOT_FLAGS) $(OWN_FLAGS) -c $< -o $@
$(B)/check/%.cpp.o: %.cpp $(B)/check.flags $(B)/hash.flags
	$(call say,CHECK,$<) $(COMPILE) $(CHECK_FLAGS) $(HOT_FLAGS) $(IDENTITY) -c $< -o $@

# The tests' own code is built without sanitizers, in two thirds of the time. It
# is linked after the rest, so that the linker takes the sanitized copy of
# inline functions that both have. main.cpp must define a macro before
# Boost.Test.
TEST_FLAGS = $(UNCHECKED) -Itests
$(B)/check/tests/%.cpp.o: tests/%.cpp $(B)/check/tests/standard.hpp.gch
	$(call say,CHECK,$<) $(COMPILE) $(if $(filter tests/main.cpp,$<),,-include $(B)/check/tests/standard.hpp) $(TEST_FLAGS) -c $< -o $@
$(B)/check/tests/standard.hpp.gch: src/core/standard.hpp $(B)/check.flags
	@mkdir -p $(@D) && printf '#include <%s>\n' boost/test/unit_test.hpp >$(@:.gch=) && cat $< >>$(@:.gch=)
	$(call say,CHECK,$<) $(call precompile,$(TEST_FLAGS))

# Headers of the tests are found from tests/.
$(B)/emulated/tests/%: OWN_FLAGS := -Itests
$(B)/cuda/tests/%: CUDA_FLAGS += -Itests

# With a GPU the same tests, except those of the emulation, also run on it,
# without sanitizers. The last one leaves the process without a GPU.
LOSES_GPU := tests/places/unusable_gpu.cu
GPU_TESTS := $(if $(NVCC),$(if $(GPU_ARCH),$(B)/gpu-tests/run-tests))
$(B)/gpu-tests/run-tests: $(patsubst %,$(B)/gpu-tests/%.o,$(filter-out tests/places/emulation/%,$(TEST_SOURCES))) \
                      $(patsubst %,$(B)/cuda/%.o,$(filter-out tests/places/emulation/% $(LOSES_GPU),$(TEST_KERNELS)) \
                      $(LOSES_GPU)) $(HOST_OBJECTS) $(CUDA_OBJECTS) $(B)/sources.list $(B)/tests.list
	$(call say,LINK,$@) $(LINK_CUDA) $(filter %.o,$^) $(CUDA_LIBS) $(unit_test)
$(B)/gpu-tests/%.cpp.o: %.cpp $(B)/room.flags
	$(call say,C++,$<) $(COMPILE) $(ROOM_FLAGS) -O1 -Itests -c $< -o $@

# ---- pieces -----------------------------------------------------------------
# Each piece of `make check` leaves its output and its two numbers in results/.
SHELL_TESTS  := $(wildcard tests/tree/*.sh) $(filter-out %/slurm.sh,$(wildcard tests/cluster/*.sh))
shell-of      = $(patsubst %,shell-%,$(basename $(notdir $1)))
LINT_SOURCES  = $(shell find src serial openmp cuda blas tests scripts -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h')
LINT_SCRIPTS := $(wildcard scripts/*.sh scripts/*/*.sh tests/*/*.sh) scripts/make/shell .ci/run debian/man-page.sh
LINTS        := lint-format lint-shell
# Without the emulation, whose hooks must have reserved names.
TIDY_SOURCES := $(filter-out src/places/emulation/%,$(wildcard src/*.cpp src/*/*.cpp src/*/*/*.cpp))
piece = @BUILD=$(B) scripts/check-piece.sh $(B)/check/results/$@
VARIANTS_OF := $(WORKLOADS:%=variants-%)
# The longest suites are separate pieces.
SUITES  := atax convsep covariance matmul
UNIT_OF := $(SUITES:%=unit-%)
.PHONY: build-checks run-checks $(VARIANTS_OF) $(UNIT_OF) unit-others gpu-tests compile-cuda emulate-kernels $(LINTS) lint-tidy $(call shell-of,$(SHELL_TESTS))

# Without a GPU, a kernel is compiled for the device alone, because emulation
# compiles its host side and nothing could run it. With little optimisation it
# still passes the assembler, in less time than optimised PTX takes. The code
# that drives the GPU is compiled and linked in full.
ifeq ($(GPU_ARCH),)
CHECKED_CUDA := $(patsubst %.cu,$(B)/cuda/%.cubin,$(filter cuda/%,$(CUDA_SOURCES))) $(B)/check/parlab-without-kernels
else
CHECKED_CUDA := $(CUDA_OBJECTS)
endif
$(B)/cuda/%.cubin: %.cu $(B)/cuda.flags
	$(call say,NVCC,$<) $(CACHED_NVCC) -cubin -Xcicc -O1 -Xptxas -O0 $(subst $(FOR_ALL),,$(CUDA_FLAGS)) $(IDENTITY) -c $< -o $@
WITHOUT_KERNELS := $(MAIN_OBJECT) $(HOST_OBJECTS) $(DRIVER_OBJECTS) $(patsubst %,$(B)/cuda/%.o,$(filter blas/%,$(CUDA_SOURCES)))
$(B)/check/parlab-without-kernels: $(WITHOUT_KERNELS) $(B)/sources.list
	$(call say,LINK,$@) $(LINK_CUDA) $(filter %.o,$^) $(CUDA_LIBS)
# The same on simulated GPUs; later calls to them are not linked.
$(B)/check/parlab-of-fake-gpus: tests/machine/fake_gpus.c $(B)/check/parlab-without-kernels
	$(call say,LINK,$@) $(LINK_CUDA) -I$(dir $(NVCC))../include $< $(filter %.o,$(WITHOUT_KERNELS)) $(CUDA_LIBS:static=none) \
	  -Xlinker --unresolved-symbols=ignore-all -Xlinker -znow

# After the programs, in a separate make: two makes at once would write the same
# objects.
build-checks: $(B)/check/run-tests $(GPU_TESTS) $(if $(NVCC),$(CHECKED_CUDA))
# Two shell tests mostly wait, so they begin first while others use the cores.
# Then come the longest pieces, which are mostly single-threaded and would
# otherwise end alone. The variants of each workload are a piece.
run-checks: shell-losses shell-three-nodes unit-others $(VARIANTS_OF) $(UNIT_OF) \
            $(call shell-of,$(SHELL_TESTS)) $(LINTS) emulate-kernels $(if $(NVCC),compile-cuda) \
            $(if $(GPU_TESTS),gpu-tests)
$(VARIANTS_OF): variants-%: $(B)/check/run-tests
	$(piece) $< --run_test=variants/$*
$(UNIT_OF): unit-%: $(B)/check/run-tests
	$(piece) $< --run_test=$*
unit-others: $(B)/check/run-tests
	$(piece) $< $(foreach s,variants $(SUITES),--run_test='!$s')
# unit-others ran the CPU's cheats; here they would damage CUDA's state.
gpu-tests: $(GPU_TESTS)
	$(piece) $< --run_test='!cheats'
define shell_test
$(call shell-of,$1): $1
	$$(piece) $$<
endef
$(foreach t,$(SHELL_TESTS),$(eval $(call shell_test,$t)))
emulate-kernels: $(BIN)/parlab-emulated # none of ours may be left out
	$(piece) ls $(KERNELS:%=$(B)/emulated/%.o)
compile-cuda: $(CHECKED_CUDA) # reached only when each of them compiled
	$(piece) $(if $(GPU_ARCH),true,$(B)/check/parlab-without-kernels --version)

lint: $(LINTS) lint-tidy
lint-format:
	$(piece) bash -c 'clang-format --dry-run -Werror "$$@" || { echo "make format formats them"; exit 1; }' lint $(LINT_SOURCES)
lint-shell:
	$(piece) shellcheck -x --severity=warning $(LINT_SCRIPTS)
# Takes six minutes of a core: a part of `make lint`, but not of `make check`.
lint-tidy:
	@printf '%s\n' $(TIDY_SOURCES) | xargs -P"$$(cpus)" -I{} clang-tidy --quiet {} -- -std=c++20 -Isrc -fopenmp
# A file that is already formatted is not written, so it keeps its time and its
# objects.
format:
	@clang-format --dry-run -Werror $(LINT_SOURCES) 2>&1 | sed -n 's/^\([^ :]*\):[0-9:]* error: .*/\1/p' | sort -u | \
	  while read -r f; do echo "  FORMAT $$f" && clang-format -i "$$f"; done

