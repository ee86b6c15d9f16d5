#include "grade/protocol.hpp"

#include <algorithm>

#include "core/name.hpp"

namespace parlab::grade {
namespace {

void put_texts(Message& message, const std::vector<std::string>& texts) {
  message.put_all(texts,
                  [](Message& to, const std::string& text) { to.put(text); });
}

std::vector<std::string> get_names(Message& message) {
  std::vector<std::string> names;
  message.get_all(64, [&](Message& from) {
    names.push_back(from.text(100));
    if (!is_name(names.back()))
      throw Malformed("it declares the name of no array");
  });
  return names;
}

}  // namespace

void put(Message& message, const ArraySpec& spec) {
  message.put(spec.name)
      .put(spec.dtype)
      .put(spec.count)
      .put(spec.role)
      .put(spec.layout_of);
}

ArraySpec get_spec(Message& message) {
  ArraySpec spec;
  spec.name = message.text();
  spec.dtype = message.get<Dtype>();
  spec.count = message.get<std::int64_t>();
  spec.role = message.get<Role>();
  spec.layout_of = message.text();
  return spec;
}

void put(Message& message,
         const Size& size,
         Dtype dtype,
         const TunableValues& tunables) {
  message
      .put_all(size, [](Message& to, std::int64_t extent) { to.put(extent); })
      .put(dtype);
  message.put_all(tunables, [](Message& to, const auto& one) {
    to.put(one.first).put(one.second);
  });
}

void get(Message& message, Size& size, Dtype& dtype, TunableValues& tunables) {
  message.get_all(most_of_a_list, [&](Message& from) {
    size.push_back(from.get<std::int64_t>());
  });
  dtype = message.get<Dtype>();
  message.get_all(most_of_a_list, [&](Message& from) {
    const auto name = from.text();
    tunables.emplace(name, from.get<std::int64_t>());
  });
}

void put(Message& message, const BatchPlan& plan) {
  message.put(plan.cache).put(plan.check_last).put(plan.watch_waits);
  message.put_all(
      plan.executions, [](Message& to, const Disturbance& disturbance) {
        to.put_all(disturbance.inputs,
                   [](Message& each, const ChangedElement& changed) {
                     each.put(changed.array).put(changed.to).put(changed.from);
                   });
        to.put_all(disturbance.outputs,
                   [](Message& each, const SpoiledElement& spoiled) {
                     each.put(spoiled.array).put(spoiled.element);
                   });
      });
}

BatchPlan get_plan(Message& message) {
  BatchPlan plan;
  plan.cache = message.get<Cache>();
  plan.check_last = message.get<bool>();
  plan.watch_waits = message.get<bool>();
  message.get_all(most_of_a_list, [&](Message& from) {
    Disturbance disturbance;
    from.get_all(most_of_a_list, [&](Message& each) {
      ChangedElement changed;
      changed.array = each.text();
      changed.to = each.get<std::int64_t>();
      changed.from = each.get<std::int64_t>();
      disturbance.inputs.push_back(std::move(changed));
    });
    from.get_all(most_of_a_list, [&](Message& each) {
      SpoiledElement spoiled;
      spoiled.array = each.text();
      spoiled.element = each.get<std::int64_t>();
      disturbance.outputs.push_back(std::move(spoiled));
    });
    plan.executions.push_back(std::move(disturbance));
  });
  return plan;
}

void put_outputs(Message& message, const Arrays& outputs) {
  std::vector<Array> written;
  std::copy_if(
      outputs.begin(), outputs.end(), std::back_inserter(written),
      [](const Array& array) { return array.spec.role == Role::output; });
  message.put_all(written, [](Message& to, const Array& array) {
    to.put(array.spec.name).put_bytes(array.data, array.spec.bytes());
  });
}

void get_outputs(Message& message, const Arrays& into) {
  message.get_all(most_of_a_list, [&](Message& from) {
    const auto name = from.text();
    const auto found =
        std::find_if(into.begin(), into.end(), [&](const Array& array) {
          return array.spec.name == name && array.spec.role == Role::output;
        });
    if (found == into.end())
      throw Malformed("its process answered with an array of its own");
    from.get_bytes(found->data, found->spec.bytes());
  });
}

void put(Message& message, const LaunchShape& shape) {
  for (const auto& extent : {shape.grid, shape.block}) {
    for (const auto each : extent)
      message.put(each);
  }
  message.put(shape.shared_bytes)
      .put(shape.registers)
      .put(shape.spill_bytes)
      .put(shape.launches);
  message.put(shape.occupancy).put(shape.active_warps).put(shape.limited_by);
}

LaunchShape get_launch(Message& message) {
  LaunchShape shape;
  for (auto* extent : {&shape.grid, &shape.block}) {
    for (auto& each : *extent)
      each = message.get<std::int64_t>();
  }
  shape.shared_bytes = message.get<std::int64_t>();
  shape.registers = message.get<int>();
  shape.spill_bytes = message.get<int>();
  shape.launches = message.get<int>();
  shape.occupancy = message.get<double>();
  if (!(shape.occupancy >= 0 && shape.occupancy <= 1)) shape.occupancy = 0;
  shape.active_warps = message.get<int>();
  shape.limited_by = printable(message.text(100));
  return shape;
}

void put(Message& message, const Variant& variant) {
  message.put(variant.workload)
      .put(variant.idea)
      .put(variant.hardware)
      .put(variant.target);
  message.put(variant.arithmetic);
  message.put_all(variant.dtypes,
                  [](Message& to, Dtype dtype) { to.put(dtype); });
  message.put_all(variant.tunables, [](Message& to, const Tunable& tunable) {
    to.put(tunable.name)
        .put(tunable.fallback)
        .put(tunable.min)
        .put(tunable.max);
    to.put(tunable.multiple_of).put(tunable.power_of_two);
  });
  put_texts(message, variant.inputs);
  put_texts(message, variant.outputs);
}

Variant get_variant(Message& message) {
  Variant variant;
  variant.workload = message.text(100);
  variant.idea = printable(message.text(300));
  variant.hardware = printable(message.text(100));
  variant.target = message.get<Target>();
  variant.arithmetic = message.get<Arithmetic>();
  message.get_all(
      16, [&](Message& from) { variant.dtypes.push_back(from.get<Dtype>()); });
  message.get_all(16, [&](Message& from) {
    Tunable tunable;
    tunable.name = from.text(100);
    if (!is_name(tunable.name))
      throw Malformed("it declares a tunable without a name");
    tunable.fallback = from.get<std::int64_t>();
    tunable.min = from.get<std::int64_t>();
    tunable.max = from.get<std::int64_t>();
    tunable.multiple_of = from.get<std::int64_t>();
    tunable.power_of_two = from.get<bool>();
    variant.tunables.push_back(std::move(tunable));
  });
  variant.inputs = get_names(message);
  variant.outputs = get_names(message);
  return variant;
}

}  // namespace parlab::grade
