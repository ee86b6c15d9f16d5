#include "host/blas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace parlab {
namespace {

struct Known {
  const char *name, *soname;
  const char* set_threads;
  bool is_long;         // its argument has 64 bits
  const char* version;  // a function that gives it as text, or ""
};

// In the order in which they are looked for.
constexpr Known known[] = {
    {"OpenBLAS", "libopenblas.so.0", "openblas_set_num_threads", false,
     "openblas_get_config"},
    {"BLIS", "libblis.so.4", "bli_thread_set_num_threads", true,
     "bli_info_get_version_str"},
    {"FlexiBLAS", "libflexiblas.so.3", "flexiblas_set_num_threads", false, ""},
    {"MKL", "libmkl_rt.so.2", "MKL_Set_Num_Threads", false, ""},
    {"MKL", "libmkl_rt.so.1", "MKL_Set_Num_Threads", false, ""},
};

bool is_loaded = false;  // of the one instance there is

std::string of_environment() {
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
  // OpenBLAS with threads of its own lets them spin for a tenth of a
  // second after each call, on all CPUs. With 2^24 clock cycles it is a few
  // milliseconds, as with the threads of OpenMP.
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
  if (const auto wanted = of_environment(); !wanted.empty()) {
    if (!load(wanted))
      throw LibraryMissing(wanted, tried + "; it is what PARLAB_BLAS names");
  } else {
    bool any = false;
    for (const auto& one : known)
      any = any || load(one.soname);
    if (!any)
      throw LibraryMissing(known[0].soname,
                           tried + "; install libopenblas0-openmp");
  }
  resolve(sgemv_, "cblas_sgemv");
  resolve(dgemv_, "cblas_dgemv");
  resolve(sdot_, "cblas_sdot");
  resolve(ddot_, "cblas_ddot");
  resolve(sgemm_, "cblas_sgemm");
  resolve(dgemm_, "cblas_dgemm");
  resolve(ssyrk_, "cblas_ssyrk");
  resolve(dsyrk_, "cblas_dsyrk");
  name_ = soname_;
  // Told by what it has, not by its name: that may be a link of
  // the distribution's own.
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
  if (void* const parallel = dlsym(library_, "openblas_get_parallel")) {
    constexpr int posix_threads = 1;
    has_own_threads_ = reinterpret_cast<int (*)()>(parallel)() == posix_threads;
  }
  if (void* const has_pthreads =
          dlsym(library_, "bli_info_get_enable_pthreads")) {
    has_own_threads_ =
        reinterpret_cast<std::int64_t (*)()>(has_pthreads)() != 0;
  }
  // Its threads are those of the OpenMP that this program has.
  if (void* const layer = dlsym(library_, "MKL_Set_Threading_Layer")) {
    constexpr int gnu = 3;
    reinterpret_cast<int (*)(int)>(layer)(gnu);
  }
  is_loaded = true;
}

template <typename F>
void Blas::resolve(F*& function, const char* name) const {
  function = reinterpret_cast<F*>(dlsym(library_, name));
  if (function == nullptr) {
    throw PointError(Verdict::not_supported,
                     soname_ + " has no function " + name +
                         ": no CBLAS interface; install libopenblas0-openmp, "
                         "or name another with PARLAB_BLAS");
  }
}

}  // namespace parlab
