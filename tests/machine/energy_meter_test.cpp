// Energy meters read values from NVIDIA's library and from Linux; here a small
// library and a tree of files replace those.
#include "machine/energy_meter.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "folder.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;
using testing::message_of;
namespace fs = std::filesystem;

namespace {

struct Folder : testing::Folder {
  void write(const std::string& file, const std::string& text) const {
    testing::Folder::write(file, text + '\n');
  }
};

struct FakeNvml : Folder {
  FakeNvml() {
    library = (path / "libnvidia-ml.so.1").string();
    const auto command =
        "cc -shared -fPIC -o " + library + " tests/machine/fake_nvml.c";
    BOOST_REQUIRE_EQUAL(std::system(command.c_str()), 0);
  }
  ~FakeNvml() {
    for (const auto* name : {"MJ", "MW", "CELSIUS", "PROGRAMS", "FAILS"}) {
      unsetenv((std::string("FAKE_NVML_") + name).c_str());
    }
  }
  static void says(const std::string& name, const std::string& value) {
    setenv(("FAKE_NVML_" + name).c_str(), value.c_str(), 1);
  }
  std::string library;
};

// Two packages, one with memory. Cores, the platform and a second path to
// package 0 must not count.
struct FakePowercap : Folder {
  FakePowercap() {
    zone("intel-rapl:0", "package-0", 1'000'000);
    zone("intel-rapl:0:0", "core", 7'000'000);
    zone("intel-rapl:0:1", "dram", 500'000);
    zone("intel-rapl:1", "package-1", 2'000'000);
    zone("intel-rapl:2", "psys", 9'000'000);
    zone("intel-rapl-mmio:0", "package-0", 1'000'000);
  }
  void zone(const std::string& folder, const std::string& name,
            long microjoules) const {
    write("powercap/" + folder + "/name", name);
    write("powercap/" + folder + "/max_energy_range_uj", "10000000");
    counts(folder, microjoules);
  }
  void counts(const std::string& folder, long microjoules) const {
    write("powercap/" + folder + "/energy_uj", std::to_string(microjoules));
  }
};

template <typename Action>
std::string why_not(const Action& action) {
  return message_of<NoEnergy>(action);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(energy_meters)

BOOST_AUTO_TEST_CASE(nvml_counts_in_joules_watts_and_degrees) {
  const FakeNvml fake;
  FakeNvml::says("MJ", "123456789012");  // more than 32 bits hold
  FakeNvml::says("MW", "698250");
  const auto meter = gpu_energy_meter("GPU-fake", fake.library);
  BOOST_TEST(meter->joules() == 123456789.012);
  BOOST_TEST(meter->watts().value() == 698.25);
  BOOST_TEST(meter->celsius().value() == 40);
  BOOST_TEST(meter->source() == "NVML");
  BOOST_TEST(meter->counts_other_programs());
}

BOOST_AUTO_TEST_CASE(without_nvml_the_reason_is_said) {
  BOOST_TEST(contains(
      why_not([] { gpu_energy_meter("GPU-fake", "libno-such-nvml.so.1"); }),
      "it comes with the NVIDIA driver"));
  const FakeNvml fake;
  BOOST_TEST(why_not([&] { gpu_energy_meter("GPU-other", fake.library); }) ==
             "NVML, finding GPU-other: Not Found");
  FakeNvml::says("FAILS", "3");
  BOOST_TEST(why_not([&] { gpu_energy_meter("GPU-fake", fake.library); }) ==
             "NVML, the energy counter: Not Supported");
  FakeNvml::says("FAILS", "0");
  {
    const auto meter = gpu_energy_meter("GPU-fake", fake.library);
    FakeNvml::says("FAILS", "3");
    BOOST_TEST(contains(why_not([&] { meter->joules(); }), "Not Supported"));
  }
}

BOOST_AUTO_TEST_CASE(
    nvml_is_stopped_as_often_as_it_was_started_even_after_failures) {
  const FakeNvml fake;
  gpu_energy_meter("GPU-fake", fake.library);
  why_not([&] { gpu_energy_meter("GPU-other", fake.library); });
  FakeNvml::says("FAILS", "3");
  why_not([&] { gpu_energy_meter("GPU-fake", fake.library); });
  auto* const library = dlopen(fake.library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  BOOST_TEST_REQUIRE(library != nullptr);
  BOOST_TEST(reinterpret_cast<int (*)()>(dlsym(library, "fake_starts"))() == 0);
}

BOOST_AUTO_TEST_CASE(rapl_adds_packages_and_memory) {
  const FakePowercap fake;
  const auto meter = host_energy_meter(fake.path);
  BOOST_TEST(meter->source() == "RAPL package-0 + dram + package-1");
  BOOST_TEST(meter->joules() == 0);
  fake.counts("intel-rapl:0", 3'000'000);
  fake.counts("intel-rapl:0:0", 9'000'000);
  fake.counts("intel-rapl:0:1", 1'000'000);
  fake.counts("intel-rapl:1", 2'250'000);
  BOOST_TEST(meter->joules() == 2.75);
  BOOST_TEST(meter->joules() == 2.75);  // nothing more was used since
  BOOST_TEST(!meter->watts());
  BOOST_TEST(meter->counts_other_programs());
}

// The range of the counters is 10 J: see FakePowercap.
BOOST_AUTO_TEST_CASE(rapl_counters_may_wrap_around) {
  const FakePowercap fake;
  const auto meter = host_energy_meter(fake.path);
  fake.counts("intel-rapl:0", 9'500'000);
  BOOST_TEST(meter->joules() == 8.5);
  fake.counts("intel-rapl:0", 500'000);
  BOOST_TEST(meter->joules() == 9.5);
}

BOOST_AUTO_TEST_CASE(the_hottest_package_is_the_temperature) {
  const FakePowercap fake;
  BOOST_TEST(!host_energy_meter(fake.path)->celsius());
  fake.write("hwmon/hwmon0/name", "nvme");
  fake.write("hwmon/hwmon0/temp1_input", "99000");
  fake.write("hwmon/hwmon1/name", "coretemp");
  fake.write("hwmon/hwmon1/temp1_input", "51500");
  fake.write("hwmon/hwmon2/name", "coretemp");
  fake.write("hwmon/hwmon2/temp1_input", "48000");
  BOOST_TEST(host_energy_meter(fake.path)->celsius().value() == 51.5);
}

BOOST_AUTO_TEST_CASE(without_rapl_the_reason_is_said) {
  const Folder empty;
  BOOST_TEST(
      contains(why_not([&] { host_energy_meter(empty.path); }),
               "RAPL: no package in " + (empty.path / "powercap").string()));

  const FakePowercap fake;
  fake.write("powercap/intel-rapl:0/energy_uj", "many");
  BOOST_TEST(contains(why_not([&] { host_energy_meter(fake.path); }),
                      "it holds no number"));
  fs::remove(fake.path / "powercap/intel-rapl:0/energy_uj");
  BOOST_TEST(
      contains(why_not([&] { host_energy_meter(fake.path); }), "No such file"));
}

BOOST_AUTO_TEST_CASE(rapl_without_permission_names_the_remedy,
                     *boost::unit_test::precondition([](auto) {
                       return geteuid() != 0;
                     })) {
  const FakePowercap fake;
  fs::permissions(fake.path / "powercap/intel-rapl:1/energy_uj",
                  fs::perms::none);
  const auto why = why_not([&] { host_energy_meter(fake.path); });
  BOOST_TEST(
      contains(why, "Permission denied; as root, chmod a+r makes it readable"));
}

BOOST_FIXTURE_TEST_CASE(programs_on_a_gpu_are_counted, FakeNvml) {
  BOOST_TEST(programs_on_gpu("GPU-fake", library).value() == 0);
  says("PROGRAMS", "2");
  BOOST_TEST(programs_on_gpu("GPU-fake", library).value() == 2);
  BOOST_TEST(!programs_on_gpu("GPU-other", library));
  says("FAILS", "3");
  BOOST_TEST(!programs_on_gpu("GPU-fake", library));
  BOOST_TEST(!programs_on_gpu("GPU-fake", "libparlab-none.so"));
}

BOOST_AUTO_TEST_SUITE_END()
