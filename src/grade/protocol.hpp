// Executor's calls as messages. Both ends write and read them here.
#pragma once

#include <tuple>

#include "core/variant.hpp"
#include "grade/message.hpp"
#include "places/executor.hpp"

namespace parlab {

// ---- members, in the order in which they travel -----------------------------

auto members(grade::Is<LayoutMap> auto& map) {
  return std::tie(map.pitch, map.down, map.across, map.start);
}
auto members(grade::Is<ArraySpec> auto& s) {
  return std::tie(s.name, s.dtype, s.count, s.role, s.layout_of, s.map);
}
// Without the variant: there is only one.
auto members(grade::Is<Call> auto& call) {
  return std::tie(call.size, call.dtype, call.tunables, call.expected_s,
                  call.at_most_s);
}
auto members(grade::Is<Signs> auto& signs) {
  auto& [a, b, c, d, e, f, g, h] = signs.key;
  return std::tie(a, b, c, d, e, f, g, h);
}
auto members(grade::Is<ChangedElement> auto& changed) {
  return std::tie(changed.array, changed.to, changed.from);
}
auto members(grade::Is<SpoiledElement> auto& spoiled) {
  return std::tie(spoiled.array, spoiled.element);
}
auto members(grade::Is<Disturbance> auto& disturbance) {
  return std::tie(disturbance.signs, disturbance.inputs, disturbance.outputs);
}
auto members(grade::Is<LaunchShape> auto& s) {
  return std::tie(s.grid, s.block, s.shared_bytes, s.registers, s.spill_bytes,
                  s.launches, s.occupancy, s.active_warps, s.limited_by);
}
// Without its outputs, which follow.
auto members(grade::Is<Checked> auto& c) {
  return std::tie(c.damage, c.inputs_lost, c.launch, c.seconds);
}
auto members(grade::Is<CountedLine> auto& l) {
  return std::tie(l.file, l.line, l.access, l.array, l.bytes, l.requests,
                  l.lanes, l.moved, l.fewest, l.at_one_word, l.different,
                  l.from_l2, l.stride, l.first);
}
auto members(grade::Is<Counted> auto& c) {
  return std::tie(c.lines, c.launches, c.blocks, c.threads_per_block,
                  c.shared_bytes);
}
auto members(grade::Is<Batch> auto& b) {
  return std::tie(b.seconds, b.clock_hz, b.highest_clock_hz, b.waited_s,
                  b.threads, b.damage);
}
auto members(grade::Is<TransferTimes> auto& times) {
  return std::tie(times.to_device_s, times.to_host_s);
}
auto members(grade::Is<Quantity> auto& quantity) {
  return std::tie(quantity.value, quantity.unit);
}
auto members(grade::Is<Detail> auto& detail) {
  return std::tie(detail.cause, detail.arguments, detail.further);
}
auto members(grade::Is<Tunable> auto& t) {
  return std::tie(t.name, t.fallback, t.min, t.max, t.multiple_of,
                  t.power_of_two);
}
// The declarations of a submission.
auto members(grade::Is<Variant> auto& v) {
  return std::tie(v.workload, v.idea, v.hardware, v.target, v.arithmetic,
                  v.dtypes, v.tunables, v.multiple_of, v.inputs, v.outputs);
}

}  // namespace parlab

namespace parlab::grade {

PARLAB_ENUM(Ask, "question", (describe, "describe"), (load, "load"),
            (run_checked, "run_checked"), (sample, "sample"),
            (outputs, "outputs"), (count, "count"), (transfers, "transfers"),
            (recover, "recover"), (release, "release"))
PARLAB_ENUM(Answer, "answer", (done, "done"), (failed, "failed"))

// The arrays that were written, with their bytes.
void put_outputs(Message& message, const Arrays& outputs);
std::uint64_t fingerprint_of(const Arrays& outputs);
// Reads into arrays of these names and sizes only. Throws Malformed.
void get_outputs(Message& message, const Arrays& into);

// Checked: texts that a terminal can show, and plausible numbers. Throw
// Malformed.
Variant get_variant(Message& message);
// With printable texts, since an untrusted process sent them.
Detail cleaned(Detail detail);
LaunchShape plausible(LaunchShape shape);
Counted plausible(Counted counted);

}  // namespace parlab::grade
