// The words of Executor as messages: both ends write and read them here.
#pragma once

#include <string>
#include <vector>

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

constexpr std::size_t most_of_a_list = 1 << 16;

void put(Message& message, const ArraySpec& spec);
ArraySpec get_spec(Message& message);

// A call, but its variant: there is one.
void put(Message& message,
         const Size& size,
         Dtype dtype,
         const TunableValues& tunables);
void get(Message& message, Size& size, Dtype& dtype, TunableValues& tunables);

void put(Message& message, const BatchPlan& plan);
BatchPlan get_plan(Message& message);

// The arrays that are written, with their bytes.
void put_outputs(Message& message, const Arrays& outputs);
// Into arrays of these names and sizes, no others. Throws Malformed.
void get_outputs(Message& message, const Arrays& into);

void put(Message& message, const LaunchShape& shape);
LaunchShape get_launch(Message& message);

// What a submission declared, and whether it is executed by emulation.
void put(Message& message, const Variant& variant);
Variant get_variant(Message& message);

}  // namespace parlab::grade
