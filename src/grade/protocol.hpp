// The words of Executor as messages: both ends write and read them here.
#pragma once

#include <string>

#include "core/variant.hpp"
#include "grade/message.hpp"
#include "places/executor.hpp"

namespace parlab::grade {

PARLAB_ENUM(Ask,
            "question",
            (describe, "describe"),
            (load, "load"),
            (run_checked, "run_checked"),
            (sample, "sample"),
            (transfers, "transfers"),
            (recover, "recover"),
            (release, "release"))
PARLAB_ENUM(Answer,
            "answer",
            (done, "done"),
            (point_error, "point_error"),
            (other_error, "other_error"))

// ---- members, in the order in which they travel -----------------------------

template <typename Visit, Is<ArraySpec> T>
void parts(const Visit& visit, T& spec) {
  visit(spec.name, spec.dtype, spec.count, spec.role, spec.layout_of);
}

// A call, but its variant: there is one.
template <typename Visit, Is<Call> T>
void parts(const Visit& visit, T& call) {
  visit(call.size, call.dtype, call.tunables);
}

template <typename Visit, Is<ChangedElement> T>
void parts(const Visit& visit, T& changed) {
  visit(changed.array, changed.to, changed.from);
}
template <typename Visit, Is<SpoiledElement> T>
void parts(const Visit& visit, T& spoiled) {
  visit(spoiled.array, spoiled.element);
}
template <typename Visit, Is<Disturbance> T>
void parts(const Visit& visit, T& disturbance) {
  visit(disturbance.inputs, disturbance.outputs);
}
template <typename Visit, Is<BatchPlan> T>
void parts(const Visit& visit, T& plan) {
  visit(plan.cache, plan.executions, plan.check_last, plan.watch_waits);
}

template <typename Visit, Is<LaunchShape> T>
void parts(const Visit& visit, T& shape) {
  visit(shape.grid, shape.block, shape.shared_bytes, shape.registers,
        shape.spill_bytes, shape.launches, shape.occupancy, shape.active_warps,
        shape.limited_by);
}
// Without their outputs, which follow.
template <typename Visit, Is<Checked> T>
void parts(const Visit& visit, T& checked) {
  visit(checked.damage, checked.inputs_lost, checked.launch, checked.seconds);
}
template <typename Visit, Is<Batch> T>
void parts(const Visit& visit, T& batch) {
  visit(batch.seconds, batch.clock_hz, batch.highest_clock_hz, batch.waited_s,
        batch.threads, batch.damage);
}
template <typename Visit, Is<TransferTimes> T>
void parts(const Visit& visit, T& times) {
  visit(times.to_device_s, times.to_host_s);
}

template <typename Visit, Is<Quantity> T>
void parts(const Visit& visit, T& quantity) {
  visit(quantity.value, quantity.unit);
}
template <typename Visit, Is<Detail> T>
void parts(const Visit& visit, T& detail) {
  visit(detail.cause, detail.arguments, detail.further);
}

template <typename Visit, Is<Tunable> T>
void parts(const Visit& visit, T& tunable) {
  visit(tunable.name, tunable.fallback, tunable.min, tunable.max,
        tunable.multiple_of, tunable.power_of_two);
}
// What a submission declared.
template <typename Visit, Is<Variant> T>
void parts(const Visit& visit, T& variant) {
  visit(variant.workload, variant.idea, variant.hardware, variant.target,
        variant.arithmetic, variant.dtypes, variant.tunables, variant.inputs,
        variant.outputs);
}

// ---- what a reader makes of it ----------------------------------------------

// The arrays that are written, with their bytes.
void put_outputs(Message& message, const Arrays& outputs);
// Into arrays of these names and sizes, no others. Throws Malformed.
void get_outputs(Message& message, const Arrays& into);

// Their texts can be shown on a terminal, and their numbers are some that can
// be. Throw Malformed.
Variant get_variant(Message& message);
Detail get_detail(Message& message);
LaunchShape plausible(LaunchShape shape);

}  // namespace parlab::grade
