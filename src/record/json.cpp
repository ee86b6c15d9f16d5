#include "record/json.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "core/name.hpp"
#include "core/variant.hpp"
#include "record/fields.hpp"

namespace parlab {
namespace {

constexpr int digits_of_samples = 8;

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
  // A text alone is a text.
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
  out.key("type").value(type).key("schema").value(record_schema);
  FieldWriter writer(out);
  fields(writer, content);
  return out.end_object().text();
}

// ---- reading ----------------------------------------------------------------

[[noreturn]] void wrong_type(const std::string& name) {
  throw ForeignLine("field '" + name + "' has a wrong type or value");
}

class FieldReader {
 public:
  explicit FieldReader(JsonReader& in) : in_(in) {}

  template <typename T>
  void read(T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = in_.boolean();
    } else if constexpr (std::integral<T>) {
      const auto number = in_.integer();
      value = static_cast<T>(number);
      if (value != number) throw WrongKind("too large");
    } else if constexpr (std::floating_point<T>) {
      value = in_.number();
    } else if constexpr (StoredText<T>) {
      value = printable(in_.text());
    } else if constexpr (NamedEnum<T>) {
      const auto known = value_named<T>(in_.text());
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
      in_.begin_object();
      for (std::string key; in_.next_member(key);)
        read(map[key]);
    } else if constexpr (requires { value.in_microseconds; }) {
      read(value.in_microseconds);
      for (auto& time : value.in_microseconds) {
        if (time < 0) throw WrongKind("a negative time");
        time /= 1e6;
      }
    } else if constexpr (requires { value.extents; }) {
      value.names.clear();
      value.extents.clear();
      in_.begin_object();
      for (std::string name; in_.next_member(name);) {
        value.names.push_back(name);
        read(value.extents.emplace_back());
      }
    } else {
      read_object(value);
    }
  }
  template <typename T>
  void read(std::vector<T>& values) {
    values.clear();
    in_.begin_list();
    while (in_.next_element())
      read(values.emplace_back());
    values.shrink_to_fit();
  }
  template <typename T, std::size_t n>
  void read(std::array<T, n>& values) {
    std::size_t count = 0;
    for (in_.begin_list(); in_.next_element(); ++count) {
      if (count == n) throw WrongKind("too many");
      read(values[count]);
    }
    if (count < n) throw WrongKind("too few");
  }
  void read(Argument& argument) {
    const char kind = in_.kind();
    if (kind == '"') return read(argument.emplace<std::string>());
    if (kind == '{') return read(argument.emplace<Quantity>());
    read(argument.emplace<std::int64_t>());
  }
  // Records of before causes say a text.
  void read(Detail& detail) {
    if (in_.kind() == '"') {
      detail = detail_of_text(printable(in_.text()));
      return;
    }
    read_object(detail);
    if (unknown_cause_.empty()) return;
    detail.arguments.insert(detail.arguments.begin(),
                            std::exchange(unknown_cause_, {}));
  }
  // A newer version may know others: the name stands for their words.
  void read(Cause& cause) {
    const auto name = printable(in_.text());
    const auto known = value_named<Cause>(name);
    cause = known.value_or(Cause::other);
    if (!known) unknown_cause_ = name;
  }

 private:
  // Its members are in the order of the list as a rule, so that one walk along
  // the list takes all; members that are not in the list are a newer version's.
  template <typename T>
  void read_object(T& object) {
    in_.begin_object();
    Members members{*this};
    for (members.next(); members.more;) {
      members.walk(object);
      if (members.taken > 0 || !members.more) continue;
      in_.skip();
      members.next();
    }
    members.walk(object);
  }

  // Takes the members as they come, as long as they come in the list's order.
  struct Members {
    FieldReader& reader;
    std::string key = {};
    bool more = false;                   // there is one, of this key
    int taken = 0;                       // in this walk
    std::uint64_t field = 1, found = 0;  // fields of the list, one bit each

    void next() { more = reader.in_.next_member(key); }
    template <typename T>
    void walk(T& object) {
      taken = 0;
      field = 1;
      fields(*this, object);
    }
    template <typename T>
    void operator()(std::string_view name, T&& member, Stored stored = {}) {
      const auto bit = std::exchange(field, field << 1);
      if (!more && stored == Stored::required && (found & bit) == 0)
        throw ForeignLine("field '" + std::string(name) + "' is missing");
      if (!more || key != name) return;
      try {
        reader.read(member);
      } catch (const WrongKind&) {
        wrong_type(key);
      }
      found |= bit;
      ++taken;
      next();
    }
  };

  JsonReader& in_;
  std::string unknown_cause_ = {};
};

// ---- checking ---------------------------------------------------------------

// Names go to file names, to columns of a database and to charts:
// they are no other text.
void check_name(const char* field, const std::string& name) {
  if (is_name(name)) return;
  throw ForeignLine(std::string("field '") + field + "' has the name '" +
                    printable(name.substr(0, 80)) + "': " + name_rule);
}
void check_names(const char* field, const auto& map) {
  for (const auto& [name, value] : map)
    check_name(field, name);
}

// Whoever reads records asks for the tunables of the variants that are here.
void check_tunables(const Record& record) {
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
  // An extent is never 0, a parameter may be.
  require("size", record.size, [](auto extent) { return extent >= 0; });
  require("batches", record.batches, [](int batch) { return batch > 0; });
  const auto sum = std::accumulate(record.batches.begin(), record.batches.end(),
                                   std::size_t{0});
  // Records made before batches were kept have none.
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
T content_of(JsonReader& in) {
  T content;
  FieldReader(in).read(content);
  in.expect_end();
  check(content);
  return content;
}

struct Head {
  std::string type;
  int schema = 0;
};

// Two members, the first two as a rule; what follows them is not looked at.
Head head_of(JsonReader in) {
  Head head;
  in.begin_object();
  for (std::string key;
       (head.type.empty() || head.schema == 0) && in.next_member(key);) {
    if (key == "type") {
      head.type = in.text();
    } else if (key == "schema") {
      FieldReader(in).read(head.schema);
    } else {
      in.skip();
    }
  }
  return head;
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

std::variant<Run, Record> from_json_line(std::string_view line) {
  try {
    JsonReader in(line);
    const auto head = head_of(in);
    if (head.type != "run" && head.type != "record")
      throw ForeignLine("neither a run nor a record");
    if (head.schema != record_schema) {
      throw ForeignLine("schema " + std::to_string(head.schema) +
                        " is not known to this version");
    }
    if (head.type == "run") return content_of<Run>(in);
    return content_of<Record>(in);
  } catch (const WrongKind&) {
    throw ForeignLine("neither a run nor a record");
  } catch (const NotJson& error) {
    throw ForeignLine(error.what());
  }
}

}  // namespace parlab
