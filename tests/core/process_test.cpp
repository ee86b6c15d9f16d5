// Other programs: what they see of this process's environment, and when their
// output counts as an answer.

#include "core/process.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "text.hpp"

using namespace parlab;
using parlab::testing::contains;

BOOST_AUTO_TEST_SUITE(process)

BOOST_AUTO_TEST_CASE(children_see_nothing_that_steers_other_programs) {
  const auto names = {"CDPATH",     "BASH_ENV",    "BASH_FUNC_ls%%",
                      "GREP_COLOR", "LC_NUMERIC",  "LC_ALL",
                      "SBATCH_X",   "TAR_OPTIONS", "OMP_NUM_THREADS_OF_TEST"};
  for (const auto* name : names)
    setenv(name, name[0] == 'O' ? "kept" : "hostile", 1);
  const auto said = output_of({path_of_program("env")}, {{"GIVEN", "too"}});
  for (const auto* name : names)
    unsetenv(name);
  BOOST_TEST(said.succeeded);
  BOOST_TEST(!contains(said.text, "hostile"));
  BOOST_TEST(contains(said.text, "LC_ALL=C.UTF-8\n"));
  BOOST_TEST(contains(said.text, "OMP_NUM_THREADS_OF_TEST=kept\n"));
  BOOST_TEST(contains(said.text, "GIVEN=too\n"));
}

BOOST_AUTO_TEST_CASE(a_program_that_fails_or_dies_gives_no_answer) {
  BOOST_TEST(output_of({"/bin/sh", "-c", "echo 7"}).succeeded);
  BOOST_TEST(!output_of({"/bin/sh", "-c", "echo 7; exit 3"}).succeeded);
  BOOST_TEST(!output_of({"/bin/sh", "-c", "echo 7; kill -9 $$"}).succeeded);
}

BOOST_AUTO_TEST_SUITE_END()
