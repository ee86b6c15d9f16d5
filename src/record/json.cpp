#include "record/json.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "core/json.hpp"
#include "core/name.hpp"
#include "core/variant.hpp"
#include "record/fields.hpp"

namespace parlab {
namespace {

constexpr int digits_of_samples = 8;

// Each line begins with these fields.
struct Head {
  std::string type = {};
  int schema = 0;
};

template <typename V, Is<Head> T>
void fields(V& visit, T& head) {
  visit("type", head.type);
  visit("schema", head.schema);
}

template <typename T>
concept StoredText = std::same_as<T, std::string>;

// ---- writing ----------------------------------------------------------------

template <typename T>
bool is_set(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || NamedEnum<T>) {
    return value != T{};
  } else if constexpr (requires { value.empty(); }) {
    return !value.empty();
  } else if constexpr (std::is_constructible_v<bool, const T&>) {
    return static_cast<bool>(value);
  } else {
    return true;
  }
}

class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& out) : out_(out) {}

  template <typename T>
  void operator()(const char* name, const T& value, Stored stored = {}) {
    const bool if_set = stored == Stored::when_set || stored == Stored::of_file;
    if (stored == Stored::never || (if_set && !is_set(value))) return;
    out_.key(name);
    write(value);
  }

 private:
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || StoredText<T>) {
      out_.value(value);
    } else if constexpr (NamedEnum<T>) {
      out_.value(to_string(value));
    } else if constexpr (requires { value.value(); }) {
      write(*value);
    } else if constexpr (requires { value.second; }) {
      out_.begin_list().value(value.first).value(value.second).end_list();
    } else if constexpr (requires { typename T::mapped_type; }) {
      out_.begin_object();
      for (const auto& [key, member] : value) {
        out_.key(key);
        write(member);
      }
      out_.end_object();
    } else if constexpr (requires { value.begin(); }) {
      out_.begin_list();
      for (const auto& element : value)
        write(element);
      out_.end_list();
    } else if constexpr (requires { value.in_microseconds; }) {
      out_.begin_list();
      for (const double seconds : value.in_microseconds)
        out_.value(1e6 * seconds, digits_of_samples);
      out_.end_list();
    } else if constexpr (requires { value.extents; }) {
      out_.begin_object();
      for (std::size_t i = 0; i < value.extents.size(); ++i)
        out_.key(value.names[i]).value(value.extents[i]);
      out_.end_object();
    } else {
      out_.begin_object();
      fields(*this, value);
      out_.end_object();
    }
  }
  void write(const Argument& argument) {
    std::visit([&](const auto& value) { write(value); }, argument);
  }
  // A text without a cause is stored as a plain string.
  void write(const Detail& detail) {
    const bool alone = detail.cause == Cause::other &&
                       detail.arguments.size() == 1 && detail.further.empty();
    if (alone) return write(detail.arguments[0]);
    write<Detail>(detail);
  }

  JsonWriter& out_;
};

template <typename T>
std::string line_of(const char* type, const T& content) {
  JsonWriter out;
  out.begin_object();
  FieldWriter writer(out);
  const Head head{.type = type, .schema = record_schema};
  fields(writer, head);
  fields(writer, content);
  return out.end_object().text();
}

// ---- reading ----------------------------------------------------------------

[[noreturn]] void wrong_type(const std::string& name) {
  throw ForeignLine("field '" + name + "' has a wrong type or value");
}

class FieldReader {
 public:
  explicit FieldReader(const Json& in) : in_(in) {}

  template <typename T>
  void read(T& value) const {
    if constexpr (std::is_arithmetic_v<T>) {
      value = in_.Get<T>();
    } else if constexpr (StoredText<T>) {
      value = printable(in_.Get<T>());
    } else if constexpr (NamedEnum<T>) {
      const auto known = value_named<T>(in_.Get<std::string>());
      if (!known) throw WrongKind("no such name");
      value = *known;
    } else if constexpr (requires { value.value(); }) {
      read(value.emplace());
    } else if constexpr (requires { value.second; }) {
      std::array<typename T::first_type, 2> both;
      read(both);
      value = {both[0], both[1]};
    } else if constexpr (requires { typename T::mapped_type; }) {
      std::map<std::string, typename T::mapped_type>& map = value;
      map.clear();
      for (const auto& [key, member] : in_.GetObject())
        FieldReader(member).read(map[key.template Get<std::string>()]);
    } else if constexpr (requires { value.in_microseconds; }) {
      read(value.in_microseconds);
      for (auto& time : value.in_microseconds) {
        if (time < 0) throw WrongKind("a negative time");
        time /= 1e6;
      }
    } else if constexpr (requires { value.extents; }) {
      value.names.clear();
      value.extents.clear();
      for (const auto& [name, extent] : in_.GetObject()) {
        value.names.push_back(name.template Get<std::string>());
        FieldReader(extent).read(value.extents.emplace_back());
      }
    } else {
      fields(*this, value);
    }
  }
  template <typename T>
  void read(std::vector<T>& values) const {
    values.clear();
    values.reserve(in_.GetArray().Size());
    for (const auto& element : in_.GetArray())
      FieldReader(element).read(values.emplace_back());
  }
  template <typename T, std::size_t n>
  void read(std::array<T, n>& values) const {
    if (in_.GetArray().Size() != n) throw WrongKind("too few or too many");
    for (std::size_t i = 0; i < n; ++i)
      FieldReader(in_.GetArray()[i]).read(values[i]);
  }
  void read(Argument& argument) const {
    if (in_.IsString()) return read(argument.emplace<std::string>());
    if (in_.IsObject()) return read(argument.emplace<Quantity>());
    read(argument.emplace<std::int64_t>());
  }
  void read(Detail& detail) const {
    if (in_.IsString()) {  // records made before there were causes
      detail = detail_of_text(printable(in_.Get<std::string>()));
      return;
    }
    fields(*this, detail);
    // A newer version may have more causes. The name of an unknown one stands
    // for its words.
    const auto cause = printable(in_["cause"].Get<std::string>());
    if (!value_named<Cause>(cause))
      detail.arguments.insert(detail.arguments.begin(), cause);
  }
  void read(Cause& cause) const {
    cause = value_named<Cause>(in_.Get<std::string>()).value_or(Cause::other);
  }

  // Members that are not in the list come from a newer version.
  template <typename T>
  void operator()(const char* name, T&& member, Stored stored = {}) const {
    const Json key(rapidjson::StringRef(name));
    auto found = in_.MemberEnd();
    do {
      if (found == in_.MemberBegin()) {
        if (stored != Stored::required) return;
        throw ForeignLine("field '" + std::string(name) + "' is missing");
      }
    } while ((--found)->name != key);
    try {
      FieldReader(found->value).read(member);
    } catch (const WrongKind&) {
      wrong_type(name);
    }
  }

 private:
  const Json& in_;
};

// ---- checking ---------------------------------------------------------------

// Names become file names, columns of a database and labels of charts, so other
// text is not allowed.
void check_name(const char* field, const std::string& name) {
  if (is_name(name)) return;
  throw ForeignLine(std::string("field '") + field + "' has the name '" +
                    printable(name.substr(0, 80)) + "': " + name_rule);
}
void check_names(const char* field, const auto& map) {
  for (const auto& [name, value] : map)
    check_name(field, name);
}

// Readers of records ask for the tunables of the variants in this build.
void check_tunables(const Record& record) {
  // Cached, because all variants are registered before main() and a file has
  // many records.
  static const auto variants = [] {
    std::map<std::string, const Variant*> by_name;
    for (const auto* variant : Registry::instance().variants())
      by_name[variant->full_name()] = variant;
    return by_name;
  }();
  check_names("tunables", record.tunables);
  const auto found = variants.find(record.full_name());
  if (found == variants.end() || !record.timed()) return;
  for (const auto& tunable : found->second->tunables) {
    if (record.tunables.count(tunable.name) == 0) {
      throw ForeignLine("record of " + record.full_name() +
                        " without its tunable '" + tunable.name + "'");
    }
  }
}

void check(Record& record) {
  check_name("run", record.run);
  check_name("workload", record.workload);
  check_name("backend", record.backend);
  check_name("variant", record.variant);
  if (record.size.empty()) throw ForeignLine("field 'size' is missing");
  for (const auto& name : record.dimensions)
    check_name("size", name);
  const auto require = [](const char* field, const auto& values, auto right) {
    if (!std::ranges::all_of(values, right)) wrong_type(field);
  };
  // An extent is never 0, but a parameter may be.
  require("size", record.size, [](auto extent) { return extent >= 0; });
  require("batches", record.batches, [](int batch) { return batch > 0; });
  const auto sum = std::accumulate(record.batches.begin(), record.batches.end(),
                                   std::size_t{0});
  // Records made before batches were stored have none.
  if (!record.batches.empty() && sum != record.seconds.size())
    wrong_type("batches");
  check_names("errors", record.errors);
  check_names("counters", record.counters);
  check_tunables(record);
  if (record.energy) {
    require("runs_j", record.energy->runs_j,
            [](double joules) { return joules > 0; });
  }
}

void check(Run& run) {
  check_name("id", run.id);
  check_name("machine", run.machine);
  for (const auto* ceilings : {&run.host, &run.device}) {
    if (ceilings->between_runs.share < 0) wrong_type("between_runs");
    if (ceilings->between_runs.seconds < 0) wrong_type("between_runs_s");
  }
  for (std::size_t i = 0; i < run.gpus.size(); ++i) {
    run.gpus[i].device = static_cast<int>(i);
    run.gpus[i].driver = run.driver;
    run.gpus[i].cuda = run.cuda;
  }
}

template <typename T>
T content_of(const Json& line) {
  T content;
  FieldReader(line).read(content);
  check(content);
  return content;
}

}  // namespace

std::string to_json_line(const Record& record) {
  if (record.dimensions.size() != record.size.size()) {
    throw std::invalid_argument(
        "a record of " + record.full_name() + " names " +
        std::to_string(record.dimensions.size()) + " dimensions but has " +
        std::to_string(record.size.size()) + " extents");
  }
  return line_of("record", record);
}

std::string to_json_line(const Run& run) {
  return line_of("run", run);
}

std::variant<Run, Record> from_json_line(std::string_view text) {
  try {
    const auto line = parse_json(text);
    Head head;
    FieldReader(line).read(head);
    if (head.type != "run" && head.type != "record")
      throw ForeignLine("neither a run nor a record");
    if (head.schema != record_schema) {
      throw ForeignLine("schema " + std::to_string(head.schema) +
                        " is not known to this version");
    }
    if (head.type == "run") return content_of<Run>(line);
    return content_of<Record>(line);
  } catch (const WrongKind&) {
    throw ForeignLine("neither a run nor a record");
  } catch (const NotJson& error) {
    throw ForeignLine(error.what());
  }
}

}  // namespace parlab
