#include "fake_workload.hpp"

#include <memory>

#include "core/variant.hpp"

namespace parlab {
namespace {

class FakeWorkload final : public Workload {
 public:
  explicit FakeWorkload(bool line) : line_(line) {}
  std::string_view name() const override {
    return line_ ? "fake_line" : "fake";
  }
  std::string_view summary() const override {
    return "nothing, for tests of the driver";
  }
  std::vector<std::string_view> dimensions() const override {
    if (line_) return {"n", "radius"};
    return {"rows", "cols"};
  }
  std::vector<Tunable> parameters() const override {
    if (line_) return {{"radius", 16, 0, 64}};
    return {};
  }
  Size complete(const std::vector<std::int64_t>& typed) const override {
    if (typed.size() == (line_ ? 1 : 2)) return typed;
    if (typed.size() == 1) return {typed[0], typed[0]};
    throw UsageError("wrong number of extents");
  }
  std::vector<Dtype> dtypes() const override {
    return {Dtype::f32, Dtype::f64};
  }
  Work work(const Size&, Dtype) const override { return {1, 1}; }
  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    const auto count = line_ ? size[0] : size[0] * size[1];
    return {{"a", dtype, count, Role::input},
            {"a_transposed", dtype, count, Role::input, "a"},
            {"y", dtype, size[0], Role::output}};
  }
  void fill(const Arrays&, const Size&, Dtype, InputKind) const override {}
  std::unique_ptr<Oracle> oracle(const Arrays&, const Size&, Dtype, InputKind,
                                 Arithmetic) const override {
    return nullptr;
  }

 private:
  bool line_;
};

void add(Description description, const char* source, bool on_gpu) {
  Variant variant = describe(std::move(description), source, "hash");
  variant.target = on_gpu ? Target::gpu : Target::host;
  variant.dtypes = {Dtype::f32, Dtype::f64};
  Registry::instance().add(std::move(variant));
}

bool register_all() {
  Registry::instance().add(std::make_unique<FakeWorkload>(false));
  Registry::instance().add(std::make_unique<FakeWorkload>(true));
  add({.idea = "the loop"}, "serial/fake/plain.cpp", false);
  add({.rung = 1, .tunables = {threads()}}, "openmp/fake/rows.cpp", false);
  add({.rung = 2, .tunables = {threads()}}, "openmp/fake/second.cpp", false);
  add({.idea = "the library"}, "blas/fake/gemv.cpp", false);
  add({.rung = 1,
       .id = 0,
       .idea = "one row per thread",
       .tunables = {block_size()}},
      "cuda/fake/naive.cu", true);
  add({.rung = 2,
       .id = 1,
       .tunables = {block_size()},
       .inputs = {"a_transposed"}},
      "cuda/fake/coalesced.cu", true);
  add({.rung = 3, .id = 2, .tunables = {block_size(256, 32)}},
      "cuda/fake/warp.cu", true);
  add({.rung = 4, .id = 3, .label = "CUBLAS"}, "blas/fake/library.cu", true);
  add({.rung = 5,
       .id = 4,
       .tunables = {{"tile", 16, 4, 64, 1, true}},
       .hardware = "TMA"},
      "cuda/fake/tiled.cu", true);
  add({.idea = "the loop"}, "serial/fake_line/plain.cpp", false);
  return true;
}

}  // namespace

void register_fake_workloads() {
  static const bool registered = register_all();
  (void)registered;
}

}  // namespace parlab
