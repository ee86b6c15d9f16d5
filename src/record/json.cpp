#include "record/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

// Numbers to the last bit.
#define RAPIDJSON_PARSE_DEFAULT_FLAGS \
  (kParseFullPrecisionFlag | kParseValidateEncodingFlag)
#include <rapidjson/document.h>

#include "core/name.hpp"
#include "core/variant.hpp"
#include "record/before_units.hpp"
#include "record/numbers_of_line.hpp"

namespace parlab {
namespace {

using Json = nlohmann::ordered_json;

// ---- writing ----------------------------------------------------------------

// JSON has no infinity and no NaN; the library would write null, and
// the number would be lost.
double finite(const char* name, double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(std::string("cannot store ") + name + " = " +
                                std::to_string(value) +
                                ": not a finite number");
  }
  return value;
}

// 8 significant digits: finer than any clock, and short.
double microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7e", finite("a sample", seconds) * 1e6);
  return std::strtod(text, nullptr);
}

Json to_json(const char* name, const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values)
    json[key] = finite(name, value);
  return json;
}

Json to_json(const LaunchShape& launch) {
  return {{"grid", launch.grid},
          {"block", launch.block},
          {"shared_bytes", launch.shared_bytes},
          {"registers", launch.registers},
          {"spill_bytes", launch.spill_bytes},
          {"launches", launch.launches},
          {"occupancy", finite("occupancy", launch.occupancy)},
          {"active_warps", launch.active_warps},
          {"limited_by", launch.limited_by}};
}

Json to_json(const Quantity& quantity) {
  Json json{{"value", finite("a value", quantity.value)},
            {"unit", to_string(quantity.unit)}};
  if (!quantity.interval) return json;
  json["low"] = finite("an interval", quantity.interval->low);
  if (std::isfinite(quantity.interval->high))
    json["high"] = quantity.interval->high;
  return json;
}

// A text as it is; else the cause's name and what there is besides.
Json to_json(const Detail& detail) {
  const auto& arguments = detail.arguments;
  const bool is_text = detail.cause == Cause::other && arguments.size() == 1 &&
                       detail.further.empty() &&
                       std::holds_alternative<std::string>(arguments[0]);
  if (is_text) return std::get<std::string>(arguments[0]);
  Json json{{"cause", to_string(detail.cause)}};
  for (const auto& argument : arguments) {
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>,
                                       Quantity>) {
            json["arguments"].push_back(to_json(value));
          } else {
            json["arguments"].push_back(value);
          }
        },
        argument);
  }
  for (const auto& more : detail.further)
    json["further"].push_back(to_json(more));
  return json;
}

Json to_json(const Energy& energy) {
  Json json = Json::object();
  if (!energy.runs_j.empty()) {
    for (const double run : energy.runs_j)
      json["runs_j"].push_back(finite("joules", run));
    json["seconds"] = finite("the time of a run for energy", energy.seconds);
  }
  if (energy.idle_w > 0)
    json["idle_w"] = finite("the power at rest", energy.idle_w);
  if (!energy.source.empty()) json["source"] = energy.source;
  if (energy.absent) json["absent"] = to_json(energy.absent);
  return json;
}

Json to_json(const Ceilings& ceilings) {
  const auto curve = [](const auto& points) {
    Json json = Json::array();
    for (const auto& [bytes, rate] : points) {
      json.push_back(
          {finite("a footprint", bytes), finite("a bandwidth", rate)});
    }
    return json;
  };
  return {{"read", curve(ceilings.read)},
          {"copy", curve(ceilings.copy)},
          {"units", to_json("the peak of a unit", ceilings.units)},
          {"links", to_json("a link", ceilings.links)},
          {"launch_s", finite("launch_s", ceilings.launch_s)},
          {"between_runs", finite("between_runs", ceilings.between_runs.share)},
          {"between_runs_s",
           finite("between_runs_s", ceilings.between_runs.seconds)},
          {"ways", ceilings.ways}};
}

std::string dump(const Json& json) {
  // A command line may hold bytes that are not UTF-8: they become U+FFFD.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// ---- reading ----------------------------------------------------------------
// By RapidJSON: files of many records are read at every command, several
// times as fast as by the library that writes them.

using Value = rapidjson::Value;

std::string text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

[[noreturn]] void wrong_type(const std::string& name) {
  throw ForeignLine("field '" + name + "' has a wrong type or value");
}

// Names go to file names, to columns of a database and to charts:
// they are no other text.
const std::string& checked_name(const std::string& field,
                                const std::string& name) {
  if (is_name(name)) return name;
  throw ForeignLine("field '" + field + "' has the name '" +
                    printable(name.substr(0, 80)) + "': " + name_rule);
}

template <typename Map>
void require_names(const char* field, const Map& map) {
  for (const auto& [name, value] : map)
    checked_name(field, name);
}

// Strict: 1.5 is no integer, true is no number.
template <typename T>
void read(const Value& value, const char* name, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!value.IsBool()) wrong_type(name);
    out = value.GetBool();
  } else if constexpr (std::is_integral_v<T>) {
    if (!value.IsInt64() || value.GetInt64() > std::numeric_limits<T>::max() ||
        value.GetInt64() < std::numeric_limits<T>::min()) {
      wrong_type(name);
    }
    out = static_cast<T>(value.GetInt64());
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!value.IsNumber()) wrong_type(name);
    out = value.GetDouble();
  } else {
    static_assert(std::is_same_v<T, std::string>);
    if (!value.IsString()) wrong_type(name);
    out = printable(text_of(value));
  }
}

template <typename T>
void read(const Value& value, const char* name, std::optional<T>& out) {
  read(value, name, out.emplace());
}

template <typename T, std::size_t n>
void read(const Value& value, const char* name, std::array<T, n>& out) {
  if (!value.IsArray() || value.Size() != n) wrong_type(name);
  for (rapidjson::SizeType i = 0; i < n; ++i)
    read(value[i], name, out[i]);
}

template <typename T>
void read(const Value& value, const char* name, std::pair<T, T>& out) {
  std::array<T, 2> both;
  read(value, name, both);
  out = {both[0], both[1]};
}

template <typename T>
void read(const Value& value, const char* name, std::vector<T>& out) {
  if (!value.IsArray()) wrong_type(name);
  out.resize(value.Size());
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
    read(value[i], name, out[i]);
}

template <typename T>
void read(const Value& value, const char* name, std::map<std::string, T>& out) {
  if (!value.IsObject()) wrong_type(name);
  for (const auto& member : value.GetObject())
    read(member.value, name, out[printable(text_of(member.name))]);
}

class Fields {
 public:
  explicit Fields(const Value& object) : object_(object) {}

  bool has(const char* name) const { return object_.HasMember(name); }
  template <typename T>
  void optional(const char* name, T& out) const {
    const auto found = object_.FindMember(name);
    if (found != object_.MemberEnd()) read(found->value, name, out);
  }
  template <typename T>
  void required(const char* name, T& out) const {
    if (!has(name))
      throw ForeignLine(std::string("field '") + name + "' is missing");
    optional(name, out);
  }
  std::string required_text(const char* name) const {
    std::string text;
    required(name, text);
    if (text.empty()) wrong_type(name);
    return text;
  }
  std::string required_name(const char* name) const {
    return checked_name(name, required_text(name));
  }
  // Calls f with the fields of a nested object, when there is one.
  template <typename F>
  void nested(const char* name, F f) const {
    const auto found = object_.FindMember(name);
    if (found == object_.MemberEnd()) return;
    if (!found->value.IsObject()) wrong_type(name);
    f(Fields(found->value));
  }
  // Calls f with each value of an array, when there is one.
  template <typename F>
  void values(const char* name, F f) const {
    const auto found = object_.FindMember(name);
    if (found == object_.MemberEnd()) return;
    if (!found->value.IsArray()) wrong_type(name);
    for (const auto& value : found->value.GetArray())
      f(value);
  }
  // Calls f with the value, when there is one.
  template <typename F>
  void value(const char* name, F f) const {
    const auto found = object_.FindMember(name);
    if (found != object_.MemberEnd()) f(found->value);
  }
  // Calls f with the fields of each object of an array, when there is one.
  template <typename F>
  void each(const char* name, F f) const {
    const auto found = object_.FindMember(name);
    if (found == object_.MemberEnd()) return;
    if (!found->value.IsArray()) wrong_type(name);
    for (const auto& element : found->value.GetArray()) {
      if (!element.IsObject()) wrong_type(name);
      f(Fields(element));
    }
  }
  const Value& object() const { return object_; }

 private:
  const Value& object_;
};

Quantity read_quantity(const Fields& fields) {
  Quantity quantity;
  std::string unit;
  fields.required("value", quantity.value);
  fields.optional("unit", unit);
  quantity.unit = value_named<Unit>(unit).value_or(Unit::none);
  if (fields.has("low")) {
    auto& interval = quantity.interval.emplace();
    fields.required("low", interval.low);
    fields.optional("high", interval.high);
  }
  return quantity;
}

Argument read_argument(const Value& value) {
  if (value.IsObject()) return read_quantity(Fields(value));
  if (value.IsString()) return printable(text_of(value));
  std::int64_t count = 0;
  read(value, "arguments", count);
  return count;
}

void read_detail(const Value& value, Detail& detail) {
  if (value.IsString()) {
    detail = detail_of_text(printable(text_of(value)));
    return;
  }
  if (!value.IsObject()) wrong_type("detail");
  const Fields fields(value);
  const auto cause = fields.required_text("cause");
  fields.values("arguments", [&](const Value& argument) {
    detail.arguments.push_back(read_argument(argument));
  });
  fields.values("further", [&](const Value& more) {
    read_detail(more, detail.further.emplace_back());
  });
  detail.cause = value_named<Cause>(cause).value_or(Cause::other);
  // of a newer version: its name stands for its words
  if (detail.cause == Cause::other && cause != to_string(Cause::other))
    detail.arguments.insert(detail.arguments.begin(), cause);
}

template <typename F>
auto named_value(const char* name, F f) {
  try {
    return f();
  } catch (const std::exception&) {
    wrong_type(name);
  }
}

void read_size(const Fields& fields, Record& record) {
  fields.nested("size", [&](const Fields& size) {
    for (const auto& extent : size.object().GetObject()) {
      record.dimensions.push_back(checked_name("size", text_of(extent.name)));
      read(extent.value, "size", record.size.emplace_back());
      // An extent is never 0, a parameter may be.
      if (record.size.back() < 0) wrong_type("size");
    }
  });
  if (record.size.empty()) throw ForeignLine("field 'size' is missing");
}

void read_launch(const Fields& fields, LaunchShape& launch) {
  fields.optional("grid", launch.grid);
  fields.optional("block", launch.block);
  fields.optional("shared_bytes", launch.shared_bytes);
  fields.optional("registers", launch.registers);
  fields.optional("spill_bytes", launch.spill_bytes);
  fields.optional("launches", launch.launches);
  fields.optional("occupancy", launch.occupancy);
  fields.optional("active_warps", launch.active_warps);
  fields.optional("limited_by", launch.limited_by);
}

void read_energy(const Fields& fields, Energy& energy) {
  fields.optional("runs_j", energy.runs_j);
  for (const double run : energy.runs_j) {
    if (!(run > 0)) wrong_type("runs_j");
  }
  fields.optional("seconds", energy.seconds);
  fields.optional("idle_w", energy.idle_w);
  fields.optional("source", energy.source);
  fields.value("absent",
               [&](const Value& value) { read_detail(value, energy.absent); });
}

// Records made before batches were kept have none.
void check_batches(const Record& record) {
  std::size_t sum = 0;
  for (const int batch : record.batches) {
    if (batch < 1) wrong_type("batches");
    sum += static_cast<std::size_t>(batch);
  }
  if (!record.batches.empty() && sum != record.seconds.size())
    wrong_type("batches");
}

// Whoever reads records asks for the tunables of the variants that are here.
void require_tunables(const Record& record) {
  // All are there before main(), and a file has many records.
  static const auto variants = [] {
    std::map<std::string, const Variant*> by_name;
    for (const auto* workload : Registry::instance().workloads()) {
      for (const auto* variant :
           Registry::instance().variants(workload->name())) {
        by_name[variant->full_name()] = variant;
      }
    }
    return by_name;
  }();
  const auto found = variants.find(record.full_name());
  if (found == variants.end() || !record.timed()) return;
  for (const auto& tunable : found->second->tunables) {
    if (record.tunables.count(tunable.name) == 0) {
      throw ForeignLine("record of " + record.full_name() +
                        " without its tunable '" + tunable.name + "'");
    }
  }
}

// samples: in microseconds; those that were taken from the
// line before it was parsed.
Record read_record(const Fields& fields,
                   const std::optional<std::vector<double>>& samples) {
  Record record;
  record.run = fields.required_name("run");
  record.workload = fields.required_name("workload");
  record.backend = fields.required_name("backend");
  record.variant = fields.required_name("variant");
  read_size(fields, record);
  const auto dtype = fields.required_text("dtype"),
             cache = fields.required_text("cache"),
             verdict = fields.required_text("verdict");
  record.dtype =
      named_value("dtype", [&] { return from_string<Dtype>(dtype); });
  record.cache =
      named_value("cache", [&] { return from_string<Cache>(cache); });
  record.verdict =
      named_value("verdict", [&] { return from_string<Verdict>(verdict); });
  fields.optional("tunables", static_cast<std::map<std::string, std::int64_t>&>(
                                  record.tunables));
  require_names("tunables", record.tunables);
  fields.value("detail",
               [&](const Value& value) { read_detail(value, record.detail); });
  fields.optional("emulated", record.emulated);
  if (samples) {
    record.seconds = *samples;
  } else {
    fields.optional("samples_us", record.seconds);
  }
  for (auto& second : record.seconds) {
    if (second < 0) wrong_type("samples_us");
    second /= 1e6;
  }
  fields.optional("apart_us", record.apart);
  for (auto& second : record.apart)
    second /= 1e6;
  fields.optional("moving_s", record.moving_s);
  fields.optional("batches", record.batches);
  check_batches(record);
  fields.optional("converged", record.converged);
  fields.optional("discarded", record.discarded);
  fields.optional("errors", record.errors);
  require_names("errors", record.errors);
  fields.optional("to_device_s", record.to_device_s);
  fields.optional("to_host_s", record.to_host_s);
  fields.optional("to_device_pinned_s", record.to_device_pinned_s);
  fields.optional("to_host_pinned_s", record.to_host_pinned_s);
  fields.optional("from_host", record.from_host);
  fields.nested("energy", [&](const Fields& energy) {
    read_energy(energy, record.energy.emplace());
  });
  fields.optional("flops", record.flops);
  fields.optional("bytes", record.bytes);
  fields.optional("roof_s", record.roof_s);
  fields.optional("flags", record.flags);
  fields.nested("launch", [&](const Fields& launch) {
    read_launch(launch, record.launch);
  });
  fields.optional("counters", record.counters);
  require_names("counters", record.counters);
  fields.optional("gpu", record.gpu);
  fields.optional("library", record.library);
  fields.optional("source", record.source);
  fields.optional("source_hash", record.source_hash);
  if (fields.has("unit")) {
    record.unit = fields.required_text("unit");
    const auto arithmetic = fields.required_text("arithmetic");
    record.arithmetic = named_value(
        "arithmetic", [&] { return from_string<Arithmetic>(arithmetic); });
  } else {
    assume_unit(record);
  }
  require_tunables(record);
  return record;
}

void read_ceilings(const Fields& fields, Ceilings& ceilings) {
  fields.optional("read", ceilings.read);
  fields.optional("copy", ceilings.copy);
  if (fields.has("units")) {
    fields.required("units", ceilings.units);
  } else {
    fields.optional("fma", ceilings.units);
    assume_units(ceilings);
  }
  fields.optional("links", ceilings.links);
  fields.optional("launch_s", ceilings.launch_s);
  fields.optional("between_runs", ceilings.between_runs.share);
  fields.optional("between_runs_s", ceilings.between_runs.seconds);
  if (ceilings.between_runs.share < 0) wrong_type("between_runs");
  if (ceilings.between_runs.seconds < 0) wrong_type("between_runs_s");
  fields.optional("ways", ceilings.ways);
}

void read_gpus(const Fields& fields, Run& run) {
  fields.each("gpus", [&](const Fields& gpu) {
    GpuFacts facts;
    facts.device = static_cast<int>(run.gpus.size());
    facts.uuid = gpu.required_text("uuid");
    gpu.optional("name", facts.name);
    gpu.optional("pci", facts.pci);
    facts.driver = run.driver;
    facts.cuda = run.cuda;
    run.gpus.push_back(std::move(facts));
  });
}

Run read_run(const Fields& fields) {
  Run run;
  run.id = fields.required_name("id");
  run.machine = fields.required_name("machine");
  fields.optional("date", run.date);
  fields.optional("command", run.command);
  fields.optional("commit", run.commit);
  fields.optional("gpu", run.gpu);
  fields.optional("host_id", run.host_id);
  fields.optional("node", run.node);
  fields.optional("driver", run.driver);
  fields.optional("cuda", run.cuda);
  read_gpus(fields, run);
  fields.optional("cpu", run.cpu);
  fields.optional("cores", run.cores);
  fields.optional("memory_bytes", run.memory_bytes);
  fields.optional("others_at_work", run.others_at_work);
  fields.optional("others_on_gpu", run.others_on_gpu);
  fields.optional("kernel", run.kernel);
  fields.optional("compiler", run.compiler);
  fields.optional("flags", run.flags);
  fields.nested("host",
                [&](const Fields& host) { read_ceilings(host, run.host); });
  fields.nested("device", [&](const Fields& device) {
    read_ceilings(device, run.device);
  });
  return run;
}

bool was_launched(const LaunchShape& launch) {
  return launch.launches > 0 || launch.block[0] > 0 || launch.grid[0] > 0;
}

}  // namespace

std::string to_json_line(const Record& record) {
  if (record.dimensions.size() != record.size.size()) {
    throw std::invalid_argument(
        "a record of " + record.full_name() + " names " +
        std::to_string(record.dimensions.size()) + " dimensions but has " +
        std::to_string(record.size.size()) + " extents");
  }
  Json json{{"type", "record"},          {"schema", record_schema},
            {"run", record.run},         {"workload", record.workload},
            {"backend", record.backend}, {"variant", record.variant}};
  for (std::size_t i = 0; i < record.size.size(); ++i) {
    json["size"][record.dimensions[i]] = record.size[i];
  }
  json["dtype"] = to_string(record.dtype);
  if (!record.unit.empty()) {
    json["unit"] = record.unit;
    json["arithmetic"] = to_string(record.arithmetic);
  }
  if (!record.tunables.empty()) {
    json["tunables"] = static_cast<const std::map<std::string, std::int64_t>&>(
        record.tunables);
  }
  json["cache"] = to_string(record.cache);
  json["verdict"] = to_string(record.verdict);
  if (record.detail) json["detail"] = to_json(record.detail);
  if (record.emulated) json["emulated"] = true;
  json["flops"] = finite("flops", record.flops);
  json["bytes"] = finite("bytes", record.bytes);
  if (!record.seconds.empty()) {
    json["converged"] = record.converged;
    json["samples_us"] = Json::array();
    for (const double second : record.seconds)
      json["samples_us"].push_back(microseconds(second));
    if (!record.batches.empty()) json["batches"] = record.batches;
    for (const double second : record.apart)
      json["apart_us"].push_back(microseconds(second));
  }
  if (record.moving_s) json["moving_s"] = finite("moving_s", *record.moving_s);
  if (record.discarded != 0) json["discarded"] = record.discarded;
  if (!record.errors.empty())
    json["errors"] = to_json("an error", record.errors);
  if (record.to_device_s)
    json["to_device_s"] = finite("to_device_s", *record.to_device_s);
  if (record.to_host_s)
    json["to_host_s"] = finite("to_host_s", *record.to_host_s);
  if (record.to_device_pinned_s) {
    json["to_device_pinned_s"] =
        finite("to_device_pinned_s", *record.to_device_pinned_s);
  }
  if (record.to_host_pinned_s) {
    json["to_host_pinned_s"] =
        finite("to_host_pinned_s", *record.to_host_pinned_s);
  }
  if (record.from_host) json["from_host"] = true;
  if (record.energy) json["energy"] = to_json(*record.energy);
  if (record.roof_s != 0) json["roof_s"] = finite("roof_s", record.roof_s);
  if (!record.flags.empty()) json["flags"] = record.flags;
  if (was_launched(record.launch)) json["launch"] = to_json(record.launch);
  if (!record.counters.empty())
    json["counters"] = to_json("a counter", record.counters);
  if (!record.gpu.empty()) json["gpu"] = record.gpu;
  if (!record.library.empty()) json["library"] = record.library;
  json["source"] = record.source;
  json["source_hash"] = record.source_hash;
  return dump(json);
}

std::string to_json_line(const Run& run) {
  Json json{{"type", "run"},          {"schema", record_schema},
            {"id", run.id},           {"date", run.date},
            {"machine", run.machine}, {"commit", run.commit},
            {"command", run.command}};
  if (!run.gpu.empty()) {
    json["gpu"] = run.gpu;
    json["driver"] = run.driver;
    json["cuda"] = run.cuda;
  }
  if (!run.host_id.empty()) json["host_id"] = run.host_id;
  if (!run.node.empty()) json["node"] = run.node;
  for (const auto& gpu : run.gpus) {
    json["gpus"].push_back(
        {{"uuid", gpu.uuid}, {"pci", gpu.pci}, {"name", gpu.name}});
  }
  json["cpu"] = run.cpu;
  json["cores"] = run.cores;
  json["memory_bytes"] = finite("memory_bytes", run.memory_bytes);
  if (run.others_at_work > 0) json["others_at_work"] = run.others_at_work;
  if (run.others_on_gpu > 0) json["others_on_gpu"] = run.others_on_gpu;
  if (!run.kernel.empty()) json["kernel"] = run.kernel;
  json["compiler"] = run.compiler;
  json["flags"] = run.flags;
  json["host"] = to_json(run.host);
  if (!run.gpu.empty()) json["device"] = to_json(run.device);
  return dump(json);
}

std::variant<Run, Record> from_json_line(std::string line) {
  // Room for most lines: nothing is allocated for their values, and the
  // parser's stack is large.
  alignas(std::max_align_t) char room[1 << 16];
  rapidjson::MemoryPoolAllocator<> pool(room, sizeof room);
  rapidjson::Document json(&pool, sizeof room / 2);
  const auto samples = take_numbers(line, "samples_us");
  // A NUL would end the text for the parser, and what
  // follows it would pass unseen.
  if (line.find('\0') != line.npos) throw ForeignLine("not JSON");
  // The parser takes four bytes of a character before it looks whether
  // the text ends within them.
  line.append(4, '\0');
  if (json.ParseInsitu(line.data()).HasParseError())
    throw ForeignLine("not JSON");
  if (!json.IsObject() || !json.HasMember("type")) {
    throw ForeignLine("neither a run nor a record");
  }
  const Fields fields(json);
  const std::string type = fields.required_text("type");
  if (type != "run" && type != "record")
    throw ForeignLine("neither a run nor a record");
  int schema = 0;
  fields.required("schema", schema);
  if (schema != record_schema) {
    throw ForeignLine("schema " + std::to_string(schema) +
                      " is not known to this version");
  }
  if (type == "run") return read_run(fields);
  return read_record(fields, samples);
}

}  // namespace parlab
