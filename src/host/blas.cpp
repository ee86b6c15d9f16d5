#include "host/blas.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "facts/cause.hpp"
#include "host/blas_in_use.hpp"

namespace parlab {
namespace {

struct Known {
  const char* name;
  const char* set_threads;
  bool is_long;         // its argument has 64 bits
  const char* version;  // a function that gives it as text, or ""
};

constexpr Known known[] = {
    {"OpenBLAS", "openblas_set_num_threads", false, "openblas_get_config"},
    {"BLIS", "bli_thread_set_num_threads", true, "bli_info_get_version_str"},
    {"FlexiBLAS", "flexiblas_set_num_threads", false, ""},
    {"MKL", "MKL_Set_Num_Threads", false, ""},
};

// In the order of preference. First comes the OpenBLAS that shares this
// program's threads, under its names in Debian and Fedora, whichever build is
// the default there. A build with its own threads waits for those of OpenMP,
// which spin.
constexpr const char* looked_for[] = {
    "/usr/lib/*/openblas-openmp/libopenblas.so.0",
    "libopenblaso.so.0",
    "libopenblas.so.0",
    "libblis.so.4",
    "libflexiblas.so.3",
    "libmkl_rt.so.2",
    "libmkl_rt.so.1"};

// The files that match a pattern; a soname stands for itself.
std::vector<std::string> files_of(const char* pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern, GLOB_NOMAGIC, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

enum class ThreadsOf { none, library, openmp };

// The kind of threads that a library was built to use.
ThreadsOf threads_of(void* library) {
  if (void* const parallel = dlsym(library, "openblas_get_parallel"))
    return ThreadsOf{reinterpret_cast<int (*)()>(parallel)()};
  void* const has_pthreads = dlsym(library, "bli_info_get_enable_pthreads");
  const bool own = has_pthreads != nullptr &&
                   reinterpret_cast<std::int64_t (*)()>(has_pthreads)() != 0;
  return own ? ThreadsOf::library : ThreadsOf::openmp;
}

// The CPU type that OpenBLAS detects. If a CPU is newer than the library or
// hides its type, as in a virtual machine, OpenBLAS may take it for a far older
// one.
std::string core_of(void* library) {
  void* const name = dlsym(library, "openblas_get_corename");
  return name == nullptr ? "" : reinterpret_cast<const char* (*)()>(name)();
}

constexpr std::string_view for_core = " for ";  // in a library's name

// A CPU type that OpenBLAS has kernels for and that this CPU can execute.
const char* newer_core() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512vl")) return "SkylakeX";
#endif
  return "Haswell";
}

// Whether the detected type has no AVX2 though this CPU does. Matrix products
// then take several times as long as necessary. The names are those of OpenBLAS
// 0.3.
bool is_too_old([[maybe_unused]] const std::string& core) {
#ifdef __x86_64__
  const auto without = {
      "Katmai",       "Coppermine", "Northwood",  "Prescott",    "Banias",
      "Atom",         "Core2",      "Penryn",     "Dunnington",  "Nehalem",
      "Sandybridge",  "Athlon",     "Opteron",    "Barcelona",   "Bobcat",
      "Opteron_SSE3", "Bulldozer",  "Piledriver", "Steamroller", "Nano"};
  return std::ranges::find(without, core) != without.end() &&
         __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

bool is_loaded = false;  // whether the only instance is loaded
std::string too_old;     // the CPU type that it detects, if that is too old

std::string requested_blas() {
  const char* wanted = std::getenv("PARLAB_BLAS");
  return wanted == nullptr ? "" : wanted;
}

}  // namespace

const Blas& Blas::instance() {
  static const Blas library;
  return library;
}

std::string Blas::loaded() {
  return is_loaded ? instance().name_ : "";
}

Blas::Blas() {
  // The threads of an OpenBLAS that has its own spin on all CPUs for a tenth of
  // a second after each call. With 2^24 clock cycles it is a few milliseconds,
  // as with the threads of OpenMP.
  setenv("OPENBLAS_THREAD_TIMEOUT", "24", 0);
  std::string tried;
  const auto load = [&](const std::string& soname) {
    library_ = dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      const char* why = dlerror();
      tried += (tried.empty() ? "" : "; ") +
               std::string(why == nullptr ? soname : why);
    }
    soname_ = soname;
    return library_ != nullptr;
  };
  // A single-threaded library cannot compete with a team, so it is only used if
  // it was requested.
  const auto load_threaded = [&](const std::string& soname) {
    if (!load(soname)) return false;
    if (threads_of(library_) != ThreadsOf::none) return true;
    tried += (tried.empty() ? "" : "; ") + soname + " computes on one thread";
    dlclose(library_);
    library_ = nullptr;
    return false;
  };
  if (const auto wanted = requested_blas(); !wanted.empty()) {
    if (!load(wanted))
      throw LibraryMissing(wanted, tried + "; it is what PARLAB_BLAS names");
  } else {
    bool any = false;
    for (const char* pattern : looked_for) {
      for (const auto& file : files_of(pattern))
        any = any || load_threaded(file);
    }
    if (!any)
      throw LibraryMissing("libopenblas.so.0",
                           tried + "; install libopenblas0-openmp");
  }
  resolve(std::get<Calls<float>>(calls_), "cblas_s");
  resolve(std::get<Calls<double>>(calls_), "cblas_d");
  name_ = soname_;
  // Identified by its functions, because its file name may be a link of the
  // distribution.
  for (const auto& one : known) {
    void* const function = dlsym(library_, one.set_threads);
    if (function == nullptr) continue;
    if (one.is_long) {
      set_threads_long_ = reinterpret_cast<void (*)(std::int64_t)>(function);
    } else {
      set_threads_ = reinterpret_cast<void (*)(int)>(function);
    }
    name_ = one.name;
    // "OpenBLAS 0.3.21 DYNAMIC_ARCH ...": the number is enough.
    if (void* const version =
            *one.version == '\0' ? nullptr : dlsym(library_, one.version)) {
      std::string text = reinterpret_cast<const char* (*)()>(version)();
      if (text.starts_with(name_ + " ")) text = text.substr(name_.size() + 1);
      name_ += " " + text.substr(0, text.find(' '));
    }
    break;
  }
  const auto core = core_of(library_);
  if (!core.empty()) name_ += std::string(for_core) + core;
  if (is_too_old(core)) too_old = core;
  has_own_threads_ = threads_of(library_) == ThreadsOf::library;
  wake_blas = [](int threads) {
    constexpr int side = 128;  // enough for OpenBLAS to use all threads
    static const std::vector<float> a(side * side), x(side);
    std::vector<float> y(side);
    instance().gemv(threads, side, side, a.data(), x.data(), y.data());
  };
  if (has_own_threads_) name_ += " with pthreads";
  if (threads_of(library_) == ThreadsOf::none) name_ += " without threads";
  // Makes MKL use the threads of this program's OpenMP.
  if (void* const layer = dlsym(library_, "MKL_Set_Threading_Layer")) {
    constexpr int gnu = 3;
    reinterpret_cast<int (*)(int)>(layer)(gnu);
  }
  is_loaded = true;
}

bool is_blas_in_use(const std::string& name) {
  try {
    Blas::instance();
  } catch (const PointError&) {
    return true;
  }
  std::string now = Blas::loaded();
  if (name == now) return true;
  if (const auto core = now.find(for_core); core != now.npos)
    now.erase(core, now.find(' ', core + for_core.size()) - core);
  return name == now;
}

Detail blas_advice() {
  if (too_old.empty()) return {};
  return because(Cause::blas_for_old_cpu, too_old, newer_core());
}

template <typename T>
void Blas::resolve(Calls<T>& calls, const std::string& prefix) const {
  const auto find = [&]<typename F>(F*& function, const std::string& call) {
    const auto name = prefix + call;
    function = reinterpret_cast<F*>(dlsym(library_, name.c_str()));
    if (function != nullptr) return;
    throw PointError(Verdict::not_supported, Cause::no_cblas, soname_, name);
  };
  find(calls.gemv, "gemv");
  find(calls.dot, "dot");
  find(calls.gemm, "gemm");
  find(calls.syrk, "syrk");
}

}  // namespace parlab
