// The fields of everything that is stored, one line each. Reading and writing
// JSON, the columns of tables, messages between processes and their tests all
// use these lists. fields(visit, object) calls visit(name, member, when) for
// each field, in the order in which they are written.
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "record/record.hpp"

namespace parlab {

// When a field is written. Readers accept any field that is present, but the
// required ones must be there. when_set: unless it is empty, zero or false.
// of_file: likewise, but the field describes how the file stores a fact and is
// not a fact itself.
enum class Stored { when_set, always, required, never, of_file };
constexpr Stored when(bool condition) {
  return condition ? Stored::always : Stored::never;
}

// T or const T.
template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// Stored as one object, with the extents under their dimensions' names.
template <typename Names, typename Extents>
struct NamedExtents {
  Names& names;
  Extents& extents;
};
template <typename Names, typename Extents>
NamedExtents(Names&, Extents&) -> NamedExtents<Names, Extents>;

// Stored with 8 digits, finer than any clock.
template <typename Seconds>
struct InMicroseconds {
  Seconds& in_microseconds;
  bool empty() const { return in_microseconds.empty(); }
};
template <typename Seconds>
InMicroseconds(Seconds&) -> InMicroseconds<Seconds>;

// ---- facts ------------------------------------------------------------------

template <typename V, Is<Interval> T>
void fields(V& visit, T& interval) {
  visit("low", interval.low, Stored::always);
  visit("high", interval.high, when(std::isfinite(interval.high)));
}

template <typename V, Is<Quantity> T>
void fields(V& visit, T& quantity) {
  visit("value", quantity.value, Stored::always);
  visit("unit", quantity.unit);
  visit("interval", quantity.interval);
}

template <typename V, Is<Detail> T>
void fields(V& visit, T& detail) {
  visit("cause", detail.cause, Stored::required);
  visit("arguments", detail.arguments);
  visit("further", detail.further);
}

// ---- records ----------------------------------------------------------------

template <typename V, Is<LaunchShape> T>
void fields(V& visit, T& launch) {
  visit("grid", launch.grid, Stored::always);
  visit("block", launch.block, Stored::always);
  visit("shared_bytes", launch.shared_bytes, Stored::always);
  visit("registers", launch.registers);
  visit("spill_bytes", launch.spill_bytes, when(launch.registers > 0));
  visit("launches", launch.launches, Stored::always);
  visit("occupancy", launch.occupancy);
  visit("active_warps", launch.active_warps);
  visit("limited_by", launch.limited_by);
}

template <typename V, Is<Energy> T>
void fields(V& visit, T& energy) {
  visit("runs_j", energy.runs_j);
  visit("seconds", energy.seconds, when(!energy.runs_j.empty()));
  visit("idle_w", energy.idle_w);
  visit("source", energy.source);
  visit("absent", energy.absent);
}

template <typename V, Is<Record> T>
void fields(V& visit, T& record) {
  const bool timed = !record.seconds.empty();
  visit("run", record.run, Stored::required);
  visit("workload", record.workload, Stored::required);
  visit("backend", record.backend, Stored::required);
  visit("variant", record.variant, Stored::required);
  visit("size", NamedExtents{record.dimensions, record.size}, Stored::required);
  visit("dtype", record.dtype, Stored::required);
  visit("unit", record.unit);
  visit("arithmetic", record.arithmetic,
        record.unit.empty() ? Stored::never : Stored::required);
  visit("tunables", record.tunables);
  visit("cache", record.cache, Stored::required);
  visit("inputs", record.inputs);
  visit("verdict", record.verdict, Stored::required);
  visit("detail", record.detail);
  visit("emulated", record.emulated);
  visit("flops", record.flops);
  visit("bytes", record.bytes);
  visit("converged", record.converged, when(timed));
  visit("samples_us", InMicroseconds{record.seconds});
  visit("batches", record.batches);
  visit("grouped", record.grouped, Stored::of_file);
  visit("apart_us", InMicroseconds{record.apart});
  visit("moving_s", record.moving_s);
  visit("discarded", record.discarded);
  visit("clock_hz", record.clock_hz);
  visit("errors", record.errors);
  visit("to_device_s", record.to_device_s);
  visit("to_host_s", record.to_host_s);
  visit("to_device_pinned_s", record.to_device_pinned_s);
  visit("to_host_pinned_s", record.to_host_pinned_s);
  visit("from_host", record.from_host);
  visit("energy", record.energy);
  visit("roof_s", record.roof_s);
  visit("slowest_roof_s", record.slowest_roof_s);
  visit("roof_absent", record.roof_absent);
  visit("flags", record.flags);
  visit("launch", record.launch, when(record.launch.known()));
  visit("counters", record.counters);
  visit("gpu", record.gpu);
  visit("library", record.library);
  visit("source", record.source, Stored::always);
  visit("source_hash", record.source_hash, Stored::always);
}

// ---- runs -------------------------------------------------------------------

template <typename V, Is<Ceilings> T>
void fields(V& visit, T& ceilings) {
  visit("read", ceilings.read, Stored::always);
  visit("copy", ceilings.copy, Stored::always);
  visit("units", ceilings.units, Stored::always);
  visit("links", ceilings.links, Stored::always);
  visit("launch_s", ceilings.launch_s, Stored::always);
  visit("between_runs", ceilings.between_runs.share, Stored::always);
  visit("between_runs_s", ceilings.between_runs.seconds, Stored::always);
  visit("ways", ceilings.ways, Stored::always);
}

// The other facts of the GPU are fields of the run.
template <typename V, Is<GpuFacts> T>
void fields(V& visit, T& gpu) {
  visit("uuid", gpu.uuid, Stored::required);
  visit("pci", gpu.pci, Stored::always);
  visit("name", gpu.name, Stored::always);
}

template <typename V, Is<Run> T>
void fields(V& visit, T& run) {
  const auto with_gpu = when(!run.gpu.empty());
  visit("id", run.id, Stored::required);
  visit("date", run.date, Stored::always);
  visit("machine", run.machine, Stored::required);
  visit("commit", run.commit, Stored::always);
  visit("command", run.command, Stored::always);
  visit("gpu", run.gpu);
  visit("driver", run.driver, with_gpu);
  visit("cuda", run.cuda, with_gpu);
  visit("host_id", run.host_id);
  visit("node", run.node);
  visit("gpus", run.gpus);
  visit("cpu", run.cpu, Stored::always);
  visit("cores", run.cores, Stored::always);
  visit("memory_bytes", run.memory_bytes, Stored::always);
  visit("virtual_machine", run.virtual_machine);
  visit("others_at_work", run.others_at_work);
  visit("others_on_gpu", run.others_on_gpu);
  visit("kernel", run.kernel);
  visit("compiler", run.compiler, Stored::always);
  visit("flags", run.flags, Stored::always);
  visit("host", run.host, Stored::always);
  visit("device", run.device, with_gpu);
}

}  // namespace parlab
