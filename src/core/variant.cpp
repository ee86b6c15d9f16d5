#include "core/variant.hpp"

#include <algorithm>
#include <tuple>

#include "core/text.hpp"

namespace parlab {
namespace {

bool is_unit(std::string_view name) {
  constexpr std::string_view names[] = {
      "fma float",   "fma double",      "int",         "tensor double",
      "tensor tf32", "tensor bfloat16", "tensor half", "tensor int8"};
  return std::ranges::find(names, name) != std::end(names);
}

// The order is serial, openmp, CPU libraries, variants on one GPU by rung,
// variants that begin and end in the host's memory, and teams.
int backend_rank(const Variant& variant) {
  if (variant.needs_team()) return 5;
  if (variant.from_host()) return 4;
  if (variant.backend == "serial") return 0;
  if (variant.backend == "openmp") return 1;
  return variant.needs_gpu() ? 3 : 2;
}

}  // namespace

std::string plain_unit(Dtype dtype) {
  return dispatch_all(dtype, []<typename T>(T) {
    return std::is_integral_v<T>       ? "int"
           : std::is_same_v<T, double> ? "fma double"
                                       : "fma float";
  });
}

bool Variant::has(Dtype dtype) const {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

std::string Variant::unit(Dtype dtype) const {
  const auto declared = units.find(dtype);
  return declared != units.end() ? declared->second : plain_unit(dtype);
}

Arithmetic Variant::arithmetic_in(Dtype dtype) const {
  const bool narrow = dtype == Dtype::f16 || dtype == Dtype::bf16;
  return narrow && arithmetic == Arithmetic::tf32 ? Arithmetic::ieee
                                                  : arithmetic;
}

const Tunable* Variant::tunable(std::string_view tunable_name) const {
  for (const auto& candidate : tunables) {
    if (candidate.name == tunable_name) return &candidate;
  }
  return nullptr;
}

namespace {

bool names(const std::vector<std::string>& arrays, const ArraySpec& array) {
  if (arrays.empty()) return array.layout_of.empty();
  return std::find(arrays.begin(), arrays.end(), array.name) != arrays.end();
}

}  // namespace

bool Variant::reads(const ArraySpec& input) const {
  return input.role == Role::input && names(inputs, input);
}

bool Variant::writes(const ArraySpec& output) const {
  return output.role == Role::output && names(outputs, output);
}

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

void Registry::add(std::unique_ptr<Workload> workload) {
  workloads_.push_back(std::move(workload));
}

void Registry::add(Variant added) {
  const auto place = [](const Variant& variant) {
    return std::tuple(backend_rank(variant), variant.rung, variant.name);
  };
  auto& [variants, in_order, conflict] = ladders_[added.workload];
  const auto at =
      std::upper_bound(variants.begin(), variants.end(), place(added),
                       [&](const auto& ours, const auto& other) {
                         return ours < place(*other);
                       });
  variants.insert(at, std::make_unique<Variant>(std::move(added)));
  // Numbers for GPU_KERNEL: those that variants claim, then the next free ones
  // in ladder order.
  std::map<int, std::string> taken;
  for (const auto& variant : variants) {
    if (variant->claimed_id < 0) continue;
    const auto& source = variant->source;
    const auto first = taken.emplace(variant->claimed_id, source).first->second;
    if (first == source) continue;
    conflict = first + " and " + source + " both claim the number " +
               std::to_string(variant->claimed_id) +
               ": remove .id from one of them";
  }
  in_order.clear();
  int next = 0;
  for (const auto& variant : variants) {
    in_order.push_back(variant.get());
    variant->id = variant->claimed_id;
    if (variant->target != Target::gpu || variant->id >= 0) continue;
    while (!taken.emplace(next, variant->source).second)
      ++next;
    variant->id = next;
  }
}

const Workload* Registry::workload(std::string_view name) const {
  for (const auto& workload : workloads_) {
    if (workload->name() == name) return workload.get();
  }
  return nullptr;
}

std::vector<const Workload*> Registry::workloads() const {
  std::vector<const Workload*> all;
  for (const auto& workload : workloads_)
    all.push_back(workload.get());
  std::sort(all.begin(), all.end(),
            [](auto* a, auto* b) { return a->name() < b->name(); });
  return all;
}

const std::vector<const Variant*>& Registry::variants(
    std::string_view workload) const {
  static const std::vector<const Variant*> none;
  const auto found = ladders_.find(workload);
  if (found == ladders_.end()) return none;
  if (!found->second.conflict.empty()) throw UsageError(found->second.conflict);
  return found->second.in_order;
}

std::vector<const Variant*> Registry::variants() const {
  std::vector<const Variant*> all;
  for (const auto* workload : workloads()) {
    const auto& some = variants(workload->name());
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

namespace {

std::vector<std::string> texts(const ShortList<const char*>& list) {
  return {list.begin(), list.end()};
}

}  // namespace

Size extents_of(std::string_view workload, Size size) {
  if (const auto* known = Registry::instance().workload(workload))
    size.resize(std::min(size.size(), count_extents(*known)));
  return size;
}

std::string size_text(std::string_view workload, const Size& size) {
  const auto* known = Registry::instance().workload(workload);
  const bool whole =
      known != nullptr && size.size() == known->dimensions().size();
  return whole ? size_text(*known, size) : to_string(size);
}

Variant describe(const Description& description, std::string_view source,
                 std::string_view hash) {
  const auto path = split(source, '/');
  const auto dot = path.back().rfind('.');
  if (path.size() != 3 || dot == std::string::npos) {
    throw std::logic_error(
        "a variant is BACKEND/WORKLOAD/NAME.cpp or .cu, not '" +
        std::string(source) + "'");
  }
  std::vector<Tunable> tunables;
  for (const auto& each : description.tunables) {
    tunables.push_back({each.name, each.fallback, each.min, each.max,
                        each.multiple_of, each.power_of_two != 0});
  }
  std::map<Dtype, std::string> units;
  for (const auto& each : description.units)
    units[static_cast<Dtype>(each.dtype_number)] = each.unit;
  Variant variant{.rung = description.rung,
                  .claimed_id = description.id,
                  .idea = description.idea,
                  .tunables = std::move(tunables),
                  .multiple_of = description.multiple_of,
                  .inputs = texts(description.inputs),
                  .outputs = texts(description.outputs),
                  .arithmetic = description.arithmetic,
                  .units = std::move(units),
                  .hardware = description.hardware,
                  .label = description.label,
                  .split = texts(description.split),
                  .pays_from = description.pays_from,
                  .travels = description.travels,
                  .workload = path[1],
                  .backend = path[0],
                  .name = path[2].substr(0, dot),
                  .source = std::string(source),
                  .source_hash = std::string(hash)};
  for (const auto& [dtype, unit] : variant.units) {
    if (!is_unit(unit)) {
      throw std::logic_error(variant.source + " names the unit '" + unit +
                             "', which core/variant.cpp does not know");
    }
  }
  return variant;
}

namespace {

template <typename Run>
void add(const Announcement<Run>& announced, Target target, Run Variant::*run) {
  Variant variant =
      describe(announced.description, announced.source, announced.hash);
  variant.asks_for_emulation = announced.asks_for_emulation;
  variant.target = target;
  variant.dtypes = {announced.dtypes.begin(), announced.dtypes.end()};
  variant.*run = announced.run;
  Registry::instance().add(std::move(variant));
}

}  // namespace

void register_variant(const Announcement<RunOn<Gpu>>& variant) {
  add(variant, Target::gpu, &Variant::run_gpu);
}
void register_variant(const Announcement<RunOn<Streams>>& variant) {
  add(variant, Target::streams, &Variant::run_streams);
}
void register_variant(const Announcement<RunOn<Host>>& variant) {
  add(variant, Target::host, &Variant::run_host);
}
void register_variant(const Announcement<RunOnTeam>& variant) {
  add(variant, Target::team, &Variant::run_gpus);
}

}  // namespace parlab
