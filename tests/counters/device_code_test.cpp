// nvcc's code for a source is shown beside its lines.
#include <boost/algorithm/string/replace.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "counters/device_code.hpp"
#include "folder.hpp"
#include "render/formats.hpp"
#include "support.hpp"
#include "text.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using testing::contains;
using testing::Folder;
using testing::message_of;

namespace {

constexpr const char* symbol =
    "_ZN46_GLOBAL__N__627fc272_8_naive_cu_d607b9f9_142679dmv_naiveIfEEvPKT_S3_"
    "PS1_ll";

// Output of nvdisasm: inlined code has its own line first.
std::string sass() {
  return std::string(R"(	.headerflags	@"EF_CUDA_SM90"
//--------------------- .text.KERNEL --------------------------
	.section	.text.KERNEL,"ax",@progbits
        .type           KERNEL,@function
KERNEL:
.text.KERNEL:
	//## File "mine.cu", line 2
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "sum.cuh", line 7 inlined at "mine.cu", line 3
	//## File "mine.cu", line 3
        /*0010*/              @!P0 LDG.E R4, desc[UR4][R2.64] ; /* 0x0 */
.L_x_1:
	//## File "mine.cu", line 2
        /*0020*/                   BRA `(.L_x_1);
)");
}

std::string ptx() {
  return R"(
Fatbin ptx code:
================
.version 9.0
.target sm_80
.visible .entry KERNEL(
	.param .u64 KERNEL_param_0
)
{
	.reg .pred 	%p<10>;
	.loc	1 2 3
	ld.param.u64 	%rd1, [KERNEL_param_0];
$L__BB0_1:
	ld.global.L2::128B.f32 	%f1, [%rd1];
	@%p1 bra 	$L__BB0_1;
	.loc	2 7 1, function_name $L__info_string0, inlined_at 1 3 5
	add.f32 	%f2, %f1, %f1;
}
	.file	1 "mine.cu"
	.file	2 "sum.cuh"
.version 9.0
.target sm_90
.visible .entry KERNEL(
{
	.loc	1 2 3
	ret;
}
)";
}

std::string named(std::string text) {
  return boost::replace_all_copy(text, "KERNEL", symbol);
}

// A tree in which a source is built, and a toolkit that prints this for it.
struct Tree : Folder {
  Tree() : path_before(std::getenv("PATH")), before(fs::current_path()) {
    fs::current_path(path);
    write("build/cuda/mine.cu.o", "");
    write("mine.cu", "\n  one();\n  two();\n");
    write("said.sass", named(sass()));
    write("said.ptx", named(ptx()));
    tool("cuobjdump",
         "for object; do :; done; [ -r \"$object\" ] || exit\n"
         "case $1 in --extract-elf) : >mine.sm_90.cubin ;; *) cat " +
             (path / "said.ptx").string() + " ;; esac");
    tool("nvdisasm", "cat " + (path / "said.sass").string());
  }
  ~Tree() {
    fs::current_path(before);
    setenv("PATH", path_before.c_str(), 1);
  }
  void tool(const std::string& name, const std::string& script) {
    write(name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(path / name, fs::perms::owner_all);
    setenv("PATH", (path.string() + ":" + path_before).c_str(), 1);
  }
  std::string path_before;
  fs::path before;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(device_code)

BOOST_AUTO_TEST_CASE(instructions_belong_to_the_innermost_line) {
  const auto all = parse_sass(named(sass()));
  BOOST_TEST_REQUIRE(all.size() == 1U);
  const InstructionsByLine expected{
      {{"mine.cu", 2}, {"LDC R1, c[0x0][0x28]", "BRA `(.L_x_1)"}},
      {{"sum.cuh", 7}, {"@!P0 LDG.E R4, desc[UR4][R2.64]"}}};
  BOOST_TEST((all.at(symbol) == expected));
}

BOOST_AUTO_TEST_CASE(of_several_architectures_the_first_counts) {
  const auto all = parse_ptx(named(ptx()));
  BOOST_TEST_REQUIRE(all.size() == 1U);
  const InstructionsByLine expected{
      {{"mine.cu", 2},
       {"ld.param.u64 %rd1, [param_0]", "ld.global.L2::128B.f32 %f1, [%rd1]",
        "@%p1 bra $L__BB0_1"}},
      {{"sum.cuh", 7}, {"add.f32 %f2, %f1, %f1"}}};
  BOOST_TEST((all.at(symbol) == expected));
}

BOOST_AUTO_TEST_CASE(they_stand_beside_the_source) {
  const Tree tree;
  BOOST_CHECK_NO_THROW(require_disassemblers());
  const auto text = terminal(
      Document{.blocks = device_code_of("mine.cu", Dtype::f32)}, Looks{});
  BOOST_TEST(contains(text, "dmv_naive<float>"), text);
  BOOST_TEST(contains(text, "mine.cu:2  one();"), text);
  BOOST_TEST(contains(text, "LDC R1, c[0x0][0x28]"), text);
  BOOST_TEST(contains(text, "ld.global.L2::128B.f32"), text);
  BOOST_TEST(contains(text, "sum.cuh:7"), text);
}

BOOST_AUTO_TEST_CASE(without_code_or_a_tool_it_says_why) {
  Tree tree;
  const auto why = [](const std::string& source) {
    return message_of<ExplainedError>(
        [&] { device_code_of(source, Dtype::f32); });
  };
  BOOST_TEST(contains(why("other.cu"), "other.cu.o is not there"));
  tree.tool("cuobjdump", "echo 'cuobjdump fatal : no memory' >&2; exit 1");
  BOOST_TEST(why("mine.cu") ==
             "no SASS: cuobjdump says: cuobjdump fatal : no memory");
  tree.tool("cuobjdump",
            "echo \"cuobjdump info : File 'x' does not contain device code\"; "
            "exit 255");
  BOOST_TEST(why("mine.cu") == "no SASS: mine.cu has no device code");
  fs::remove(tree.path / "nvdisasm");
  setenv("PATH", tree.path.c_str(), 1);
  // A toolkit in its usual folder is found without PATH.
  if (!fs::exists("/usr/local/cuda/bin/nvdisasm")) {
    BOOST_TEST(contains(message_of<UsageError>([] { require_disassemblers(); }),
                        "--sass needs nvdisasm"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
