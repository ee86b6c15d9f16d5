// NCCL is loaded when it is needed: the calls to it, and the messages if it is
// missing, too old or fails. fake_nccl.c replaces it here and works on the
// host's memory.
#include <dlfcn.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "facts/cause.hpp"
#include "folder.hpp"
#include "places/cuda/nccl.hpp"
#include "text.hpp"

using namespace parlab;

namespace {

// The replacement as a library, for the lifetime of the process.
std::string built(const std::string& name, const std::string& flags = "") {
  static const testing::Folder folder;
  const std::string library = folder.path / name;
  if (!std::filesystem::exists(library)) {
    const auto command = "cc -std=c99 -shared -fPIC " + flags + " -o '" +
                         library + "' tests/places/fake_nccl.c";
    BOOST_REQUIRE_MESSAGE(std::system(command.c_str()) == 0, command);
  }
  return library;
}

// A variable of the replacement.
template <typename T>
T& seen(const std::string& library, const char* name) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  BOOST_REQUIRE(opened != nullptr);
  return *static_cast<T*>(dlsym(opened, name));
}

struct Failing {
  explicit Failing(const char* function) {
    setenv("FAKE_NCCL_FAILS", function, 1);
  }
  ~Failing() { unsetenv("FAKE_NCCL_FAILS"); }
};

// Data of three GPUs in the host's memory: `from` of GPU i is i + 1 everywhere.
template <typename T>
struct Three {
  std::vector<std::vector<T>> from{std::vector<T>(5, 1), std::vector<T>(5, 2),
                                   std::vector<T>(5, 3)};
  std::vector<std::vector<T>> to = from;

  static std::vector<void*> pointers(std::vector<std::vector<T>>& data) {
    return {data[0].data(), data[1].data(), data[2].data()};
  }
};

const std::vector<int> devices{4, 0, 2};

std::vector<cudaStream_t> streams() {
  static char places[3];
  std::vector<cudaStream_t> all;
  for (auto& place : places)
    all.push_back(reinterpret_cast<cudaStream_t>(&place));
  return all;
}

template <typename F>
PointError error_of(F action) {
  try {
    action();
  } catch (const PointError& error) {
    return error;
  }
  return {Verdict::passed, "nothing was thrown"};
}

auto says(const PointError& error, const std::string& part) {
  return testing::contains(to_string(error.detail), part);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nccl)

BOOST_AUTO_TEST_CASE(collectives_reach_every_gpu_on_its_own_stream) {
  const auto library = built("libnccl-good.so");
  Nccl nccl(devices, library);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST((&seen<int>(library, "fake_devices"))[i] ==
               devices[static_cast<std::size_t>(i)]);
  }
  const auto add_up = [&]<typename T>(T, Dtype dtype) {
    Three<T> data;
    nccl.all_reduce(data.pointers(data.from), data.pointers(data.to), 4, dtype,
                    streams());
    for (const auto& sums : data.to)
      BOOST_TEST(sums[3] == 6);
    BOOST_TEST(data.to[0][4] == 1);  // beyond the four that were requested
    for (std::size_t i = 0; i < 3; ++i) {
      BOOST_TEST((&seen<void*>(library, "fake_streams"))[i] == streams()[i]);
    }
    nccl.broadcast(1, data.pointers(data.from), 4, dtype, streams());
    for (const auto& copy : data.from)
      BOOST_TEST(copy[3] == 2);
  };
  add_up(1.0f, Dtype::f32);
  add_up(1.0, Dtype::f64);
}

BOOST_AUTO_TEST_CASE(multicast_stays_off) {
  unsetenv("NCCL_NVLS_ENABLE");
  const Nccl nccl(devices, built("libnccl-good.so"));
  BOOST_REQUIRE(std::getenv("NCCL_NVLS_ENABLE") != nullptr);
  BOOST_TEST(std::getenv("NCCL_NVLS_ENABLE") == std::string("0"));
}

BOOST_AUTO_TEST_CASE(each_gpu_is_left_once_by_abort_or_at_the_end) {
  const auto library = built("libnccl-good.so");
  auto &aborted = seen<int>(library, "fake_aborted"),
       &left = seen<int>(library, "fake_destroyed");
  aborted = left = 0;
  { const Nccl nccl(devices, library); }
  BOOST_TEST(left == 3);
  {
    Nccl nccl(devices, library);
    nccl.abort();
  }
  BOOST_TEST(aborted == 3);
  BOOST_TEST(left == 3);
}

BOOST_AUTO_TEST_CASE(without_the_library_it_is_said_what_to_install) {
  const auto error =
      error_of([] { Nccl(devices, "libnccl-that-nobody-has.so"); });
  BOOST_TEST(to_string(error.verdict) == to_string(Verdict::not_supported));
  // tried again once it exists
  BOOST_TEST(error.library == "libnccl-that-nobody-has.so");
  BOOST_TEST(says(error, "install libnccl2"));
  BOOST_TEST(says(error, "LD_LIBRARY_PATH"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_library_is_refused) {
  const auto error =
      error_of([] { Nccl(devices, "tests/places/fake_nccl.c"); });
  BOOST_TEST(to_string(error.verdict) == to_string(Verdict::not_supported));
  BOOST_TEST(says(error, "library_missing"));
}

BOOST_AUTO_TEST_CASE(a_library_that_lacks_a_function_is_too_old) {
  const auto error =
      error_of([] { Nccl(devices, built("libnccl-old.so", "-DOLD")); });
  BOOST_TEST(to_string(error.verdict) == to_string(Verdict::not_supported));
  BOOST_TEST(says(error, "library_too_old"));
  BOOST_TEST(says(error, "ncclBroadcast"));
  BOOST_TEST(says(error, "install libnccl2"));
}

BOOST_AUTO_TEST_CASE(a_library_that_cannot_start_fails_the_point) {
  const auto library = built("libnccl-good.so");
  seen<int>(library, "fake_destroyed") = 0;
  const Failing failing("ncclCommInitAll");
  const auto error = error_of([&] { Nccl(devices, library); });
  BOOST_TEST(to_string(error.verdict) == to_string(Verdict::launch_failed));
  BOOST_TEST(says(error, "nccl_failed ncclCommInitAll unhandled system error"));
  // there was nothing to leave
  BOOST_TEST(seen<int>(library, "fake_destroyed") == 0);
}

BOOST_AUTO_TEST_CASE(a_collective_that_fails_is_named_and_the_next_one_works) {
  Nccl nccl(devices, built("libnccl-good.so"));
  Three<float> data;
  const auto add_up = [&] {
    nccl.all_reduce(data.pointers(data.from), data.pointers(data.to), 5,
                    Dtype::f32, streams());
  };
  for (const std::string function : {"ncclAllReduce", "ncclGroupEnd"}) {
    const Failing failing(function.c_str());
    const auto error = error_of(add_up);
    BOOST_TEST(to_string(error.verdict) == to_string(Verdict::launch_failed));
    BOOST_TEST(says(error, "nccl_failed " + function));
  }
  add_up();
  BOOST_TEST(data.to[2][4] == 6);
}

BOOST_AUTO_TEST_SUITE_END()
