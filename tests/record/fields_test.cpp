// Every field of record/fields.hpp survives all conversions. A new field is
// checked here without further code.
#include "record/fields.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <sstream>

#include "core/text.hpp"
#include "record/json.hpp"
#include "record/table.hpp"
#include "text.hpp"

namespace parlab {
namespace {

using testing::contains;

// Gives each field a distinct value, different from its default.
class Filler {
 public:
  template <typename T>
  void operator()(const char*, T&& member, Stored = {}) {
    fill(member);
  }

 private:
  template <typename T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(++count_);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = "text_" + std::to_string(++count_);
    } else if constexpr (NamedEnum<T>) {
      value = every_value<T>()[1];
    } else if constexpr (requires { value.in_microseconds; }) {
      fill(value.in_microseconds);
    } else if constexpr (requires { value.extents; }) {
      fill(value.names);
      fill(value.extents);
    } else if constexpr (requires { value.value(); }) {
      fill(value.emplace());
    } else if constexpr (requires { typename T::mapped_type; }) {
      std::map<std::string, typename T::mapped_type>& map = value;
      fill(map["name_" + std::to_string(++count_)]);
    } else {
      fields(*this, value);
    }
  }
  template <typename T>
  void fill(std::vector<T>& values) {
    values.resize(2);
    for (auto& value : values)
      fill(value);
  }
  template <typename T, std::size_t n>
  void fill(std::array<T, n>& values) {
    for (auto& value : values)
      fill(value);
  }
  template <typename T>
  void fill(std::pair<T, T>& both) {
    fill(both.first);
    fill(both.second);
  }
  void fill(Detail& detail) {
    fill(detail.arguments.emplace_back().emplace<std::string>());
    fill(detail.arguments.emplace_back().emplace<std::int64_t>());
    fill(detail.arguments.emplace_back().emplace<Quantity>());
    detail.cause = detail.further.emplace_back().cause = Cause::ended;
  }

  int count_ = 0;
};

template <typename T>
T filled() {
  T object;
  Filler fill;
  fields(fill, object);
  return object;
}

// The names of the outermost fields.
struct Names {
  std::vector<std::string> all = {};
  template <typename T>
  void operator()(const char* name, const T&, Stored = {}) {
    all.emplace_back(name);
  }
};

template <typename T>
void check_json(const T& before) {
  const auto line = to_json_line(before);
  Names names;
  fields(names, before);
  for (const auto& name : names.all)
    BOOST_TEST(contains(line, "\"" + name + "\":"));
  BOOST_TEST(std::set(names.all.begin(), names.all.end()).size() ==
             names.all.size());
  // A field that was not read is not written again.
  BOOST_TEST(to_json_line(std::get<T>(from_json_line(line))) == line);
}

// The names of the fields that have a single value.
struct ColumnNames {
  std::vector<std::string> all = {};
  template <typename T>
  void operator()(const std::string& name, const T& value, Stored when = {}) {
    if (when == Stored::of_file) return;
    if constexpr (std::is_same_v<T, LaunchShape>) {
      fields(*this, value);
    } else if constexpr (std::is_arithmetic_v<T> || NamedEnum<T> ||
                         std::is_same_v<T, std::string> ||
                         std::is_same_v<T, std::optional<double>> ||
                         std::is_same_v<T, Detail>) {
      all.push_back(name == "gpu" ? "gpu_uuid" : name);
    }
  }
};

Record a_record() {
  auto record = filled<Record>();
  record.batches = {1, 1};  // of its samples
  return record;
}

BOOST_AUTO_TEST_SUITE(record_fields)

BOOST_AUTO_TEST_CASE(every_field_of_a_record_survives) {
  check_json(a_record());
}

BOOST_AUTO_TEST_CASE(every_field_of_a_run_survives) {
  check_json(filled<Run>());
}

BOOST_AUTO_TEST_CASE(every_field_of_one_value_is_a_column) {
  const auto record = a_record();
  auto run = filled<Run>();
  run.id = record.run;
  std::ostringstream csv;
  write_csv(csv, {{{run.id, run}}, {}, {record}, {}});
  const auto lines = split(csv.str(), '\n');
  const auto titles = split(lines.at(0), ','), cells = split(lines.at(1), ',');
  BOOST_TEST_REQUIRE(titles.size() == cells.size());
  ColumnNames names;
  fields(names, record);
  for (const auto& name : names.all) {
    const auto at = std::find(titles.begin(), titles.end(), name);
    BOOST_TEST_REQUIRE((at != titles.end()), name);
    BOOST_TEST(cells[at - titles.begin()] != "", name);
  }
}

// Members may be in any order, and there may be others between them.
BOOST_AUTO_TEST_CASE(fields_are_read_in_any_order) {
  const auto line = to_json_line(a_record());
  const std::string last = R"("source_hash":)";
  const auto at = line.find(last);
  const auto member = line.substr(at, line.size() - 1 - at);
  const auto turned = "{" + member + R"(,"new":[{}],)" +
                      line.substr(1, at - 2) + R"(,"newer":{"a":null}})";
  BOOST_TEST(to_json_line(std::get<Record>(from_json_line(turned))) == line);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace parlab
