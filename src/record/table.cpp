#include "record/table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/parallel.hpp"
#include "core/text.hpp"
#include "record/device.hpp"
#include "record/fields.hpp"
#include "record/speedup.hpp"
#include "render/csv.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

std::string count(std::int64_t value) {
  return std::to_string(value);
}

// One row's worth of what several columns need.
struct Row {
  const Record& record;
  const Run& run;
  Summary summary;
  std::optional<Summary> energy;  // joules
  std::optional<Ratio> speedup, speedup_transfers;

  bool timed() const { return record.timed(); }
  bool bounded() const {
    return timed() && std::isfinite(summary.interval.high);
  }
};

// Of the stored fields those that are one value: what is not stored is empty.
// take(name, text, is_text) is called for each, the same ones for any record.
template <typename F>
class StoredCells {
 public:
  explicit StoredCells(F take) : take_(take) {}

  template <typename T>
  void operator()(const std::string& name, const T& value, Stored when = {}) {
    const bool there = there_ && when != Stored::never;
    const auto text = [&](auto&& words) {
      take_(name, there ? std::string(words) : "", true);
    };
    if constexpr (std::is_arithmetic_v<T>) {
      const bool known =
          std::is_same_v<T, bool> || when == Stored::always || value != T{};
      take_(name,
            !there || !known ? ""
            : std::is_floating_point_v<T>
                ? csv_number(value)
                : count(static_cast<std::int64_t>(value)),
            false);
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      take_(name, csv_number(value), false);
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else if constexpr (NamedEnum<T> || std::is_same_v<T, TunableValues>) {
      text(to_string(value));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      text(join(value, " "));
    } else if constexpr (std::is_same_v<T, Detail>) {
      text(words(value));
    } else if constexpr (std::is_same_v<T, std::array<std::int64_t, 3>>) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        (*this)(name + "_" + "xyz"[axis], value[axis], when);
    } else if constexpr (std::is_same_v<T, LaunchShape>) {
      there_ = there;
      fields(*this, value);
      there_ = true;
    }
  }

 private:
  F take_;
  bool there_ = true;
};

// Visits a record in this way.
template <typename F>
void each_stored(const Record& record, F take) {
  StoredCells<F> cells(take);
  fields(cells, record);
}

struct Column {
  std::string name;
  std::function<std::string(const Row&)> cell;  // none: a stored field
  bool is_text = false;
};

class Columns {
 public:
  // kind: said before the name when another column has it already.
  void add(std::string name,
           std::function<std::string(const Row&)> cell,
           const std::string& kind = {}) {
    if (has(name)) name = kind + "_" + name;
    columns_.push_back({std::move(name), std::move(cell)});
  }
  void add_text(std::string name, std::function<std::string(const Row&)> cell) {
    columns_.push_back({std::move(name), std::move(cell), true});
  }
  void add_stored(const std::string& name, bool is_text) {
    // the GPU's name has that column
    columns_.push_back({name == "gpu" ? "gpu_uuid" : name, {}, is_text});
  }
  std::size_t size() const { return columns_.size(); }
  const std::vector<Column>& all() const { return columns_; }
  // Puts all columns from the given one on before those from `to` on.
  void move_up(std::size_t from, std::size_t to) {
    std::rotate(columns_.begin() + to, columns_.begin() + from, columns_.end());
  }

 private:
  bool has(const std::string& name) const {
    return std::any_of(
        columns_.begin(), columns_.end(),
        [&](const Column& column) { return column.name == name; });
  }
  std::vector<Column> columns_;
};

std::string extent(const Record& record, const std::string& dimension) {
  for (std::size_t i = 0;
       i < record.dimensions.size() && i < record.size.size(); ++i) {
    if (record.dimensions[i] == dimension) return count(record.size[i]);
  }
  return "";
}

template <typename Map>
std::string entry(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  if (found == map.end()) return "";
  if constexpr (std::is_floating_point_v<typename Map::mapped_type>) {
    return csv_number(found->second);
  } else {
    return count(found->second);
  }
}

void add_ratio(Columns& columns,
               const std::string& name,
               std::optional<Ratio> Row::*ratio) {
  columns.add(name, [=](const Row& row) {
    return row.*ratio ? csv_number((row.*ratio)->value) : "";
  });
  // An interval that reaches to infinity says nothing: both ends are left out.
  const auto end = [=](double Interval::*which) {
    return [=](const Row& row) -> std::string {
      if (!(row.*ratio) || !std::isfinite((row.*ratio)->interval.high))
        return "";
      return csv_number((row.*ratio)->interval.*which);
    };
  };
  columns.add(name + "_low", end(&Interval::low));
  columns.add(name + "_high", end(&Interval::high));
}

void add_results(Columns& columns) {
  columns.add("on_gpu", [](auto& row) { return count(on_gpu(row.record)); });
  const auto timed = [&columns](const char* name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.timed() ? csv_number(value(row)) : std::string();
    });
  };
  const auto bounded = [&columns](const char* name, double Interval::*end) {
    columns.add(name, [=](const Row& row) {
      return row.bounded() ? csv_number(row.summary.interval.*end)
                           : std::string();
    });
  };
  timed("median_s", [](const Row& row) { return row.summary.median; });
  bounded("low_s", &Interval::low);
  bounded("high_s", &Interval::high);
  // Of the logarithm of the median, over all runs: what ratios of
  // medians are made from.
  timed("log_variance",
        [](const Row& row) { return row.summary.estimate.variance; });
  timed("freedom", [](const Row& row) {
    return std::min(row.summary.estimate.freedom, 1e6);
  });
  timed("min_s", [](const Row& row) { return row.summary.min; });
  timed("samples",
        [](const Row& row) { return static_cast<double>(row.summary.count); });
  columns.add("apart_s", [](auto& row) {
    return row.record.apart.empty() ? "" : csv_number(median(row.record.apart));
  });
  columns.add("intensity", [=](auto& row) -> std::string {
    const double flops = row.record.flops, bytes = row.record.bytes;
    return flops > 0 && bytes > 0 ? csv_number(flops / bytes) : "";
  });
  timed("gflops", [](const Row& row) {
    return row.record.flops / row.summary.median / 1e9;
  });
  timed("gbytes_per_s", [](const Row& row) {
    return row.record.bytes / row.summary.median / 1e9;
  });
  timed("roof_percent", [](const Row& row) -> std::optional<double> {
    if (!(row.record.roof_s > 0)) return std::nullopt;
    return 100 * row.record.roof_s / row.summary.median;
  });
  for (const auto kind : {InputKind::uniform, InputKind::wide}) {
    for (const bool of_bound : {true, false}) {
      const auto name = error_name(kind, of_bound);
      columns.add("error_" + name,
                  [=](auto& row) { return entry(row.record.errors, name); });
    }
  }
  add_ratio(columns, "speedup", &Row::speedup);
  add_ratio(columns, "speedup_transfers", &Row::speedup_transfers);
}

void add_energy(Columns& columns) {
  const auto known = [&columns](const char* name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.energy ? csv_number(value(row)) : std::string();
    });
  };
  known("energy_j", [](const Row& row) { return row.energy->median; });
  known("energy_low_j",
        [](const Row& row) { return row.energy->interval.low; });
  known("energy_high_j",
        [](const Row& row) { return row.energy->interval.high; });
  known("gflops_per_j", [](const Row& row) {
    return row.record.flops / row.energy->median / 1e9;
  });
  known("power_w", [](const Row& row) {
    return row.energy->median / row.record.energy->seconds;
  });
  known("idle_w", [](const Row& row) { return row.record.energy->idle_w; });
  columns.add_text("energy_source", [](auto& row) {
    return row.record.energy ? row.record.energy->source : std::string();
  });
  columns.add_text("energy_absent", [](auto& row) {
    return row.record.energy ? words(row.record.energy->absent) : "";
  });
}

void add_provenance(Columns& columns) {
  columns.add_text("machine", [](auto& row) { return row.record.machine; });
  columns.add_text("host_id", [](auto& row) { return row.record.host_id; });
  columns.add_text("gpu", [](auto& row) {
    for (const auto& gpu : row.run.gpus) {
      if (gpu.uuid == row.record.gpu) return gpu.name;
    }
    return row.run.gpu;
  });
  columns.add_text("cpu", [](auto& row) { return row.run.cpu; });
  columns.add_text("date", [](auto& row) { return row.run.date; });
  columns.add_text("commit", [](auto& row) { return row.run.commit; });
}

// "link_all_reduce_over_2"
std::string column_of_link(std::string link) {
  for (auto& c : link)
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return "link_" + link;
}

Columns columns_for(const std::vector<Record>& records,
                    const std::map<std::string, Run>& runs) {
  std::vector<std::string> dimensions;  // in the order they are first met
  std::set<std::string> tunables, counters;
  for (const auto& record : records) {
    for (const auto& dimension : record.dimensions) {
      if (std::find(dimensions.begin(), dimensions.end(), dimension) ==
          dimensions.end()) {
        dimensions.push_back(dimension);
      }
    }
    for (const auto& [name, value] : record.tunables)
      tunables.insert(name);
    for (const auto& [name, value] : record.counters)
      counters.insert(name);
  }
  Columns columns;
  std::size_t problem = 0;
  each_stored({}, [&](const std::string& name, auto, bool is_text) {
    columns.add_stored(name, is_text);
    if (name == "variant") problem = columns.size();
  });
  add_results(columns);
  add_energy(columns);
  add_provenance(columns);
  std::set<std::string> links;
  for (const auto& [id, run] : runs) {
    for (const auto& [link, rate] : run.device.links)
      links.insert(link);
  }
  for (const auto& link : links) {
    columns.add(column_of_link(link),
                [=](auto& row) { return entry(row.run.device.links, link); });
  }
  for (const auto& name : counters) {
    columns.add(
        name, [=](auto& row) { return entry(row.record.counters, name); },
        "counter");
  }
  // The fixed names come first so that no other column takes them; the
  // problem reads best up front.
  const std::size_t fixed = columns.size();
  for (const auto& name : dimensions) {
    columns.add(
        name, [=](auto& row) { return extent(row.record, name); }, "size");
  }
  for (const auto& name : tunables) {
    columns.add(
        name, [=](auto& row) { return entry(row.record.tunables, name); },
        "tunable");
  }
  columns.move_up(fixed, problem);
  return columns;
}

}  // namespace

struct RecordTable::Content {
  std::map<std::string, Run> runs;
  std::vector<Record> records;
  std::unordered_map<std::string, std::vector<Record>> serial_of;  // by point
  std::unordered_map<const Record*, Uncertain> time_of;  // of serial records
  Columns columns;
};

RecordTable::RecordTable(Loaded loaded,
                         const std::function<bool(const Record&)>& keep)
    : content_(std::make_unique<Content>()) {
  auto& records = content_->records;
  // those that were just measured do not say
  for (auto& record : loaded.records) {
    const auto run = loaded.runs.find(record.run);
    if (run != loaded.runs.end()) set_run(record, run->second);
  }
  records = latest(std::move(loaded.records));
  content_->runs = std::move(loaded.runs);
  for (const auto& record : records) {
    if (record.backend == "serial")
      content_->serial_of[record.point()].push_back(record);
  }
  for (const auto& [point, serial] : content_->serial_of) {
    for (const auto& record : serial) {
      if (record.timed())
        content_->time_of.emplace(&record, record.summary().estimate);
    }
  }
  if (keep)
    std::erase_if(records, [&](const Record& record) { return !keep(record); });
  content_->columns = columns_for(records, content_->runs);
  for (const auto& column : content_->columns.all()) {
    columns_.push_back({column.name, column.is_text});
  }
}

RecordTable::~RecordTable() = default;

bool RecordTable::empty() const {
  return content_->records.empty();
}

RecordTable::Cells RecordTable::cells(const Record& record) const {
  static const Run unknown;
  const auto run = content_->runs.find(record.run);
  Row row{record, run == content_->runs.end() ? unknown : run->second,
          {},     {},
          {},     {}};
  if (record.timed()) row.summary = record.summary();
  if (record.has_energy()) row.energy = record.energy->summary();
  const auto serial = content_->serial_of.find(record.point());
  const Record* baseline = serial == content_->serial_of.end()
                               ? nullptr
                               : baseline_of(serial->second, record);
  if (baseline != nullptr) {
    const auto over_baseline = [&](bool with_transfers) {
      return speedup(record, row.summary.estimate, *baseline,
                     content_->time_of.at(baseline), with_transfers);
    };
    row.speedup = over_baseline(false);
    row.speedup_transfers = over_baseline(true);
  }
  Cells cells;
  cells.reserve(columns_.size());
  auto column = content_->columns.all().begin();
  const auto add_others = [&] {
    for (; column != content_->columns.all().end() && column->cell; ++column)
      cells.push_back(column->cell(row));
  };
  each_stored(record, [&](const auto&, std::string text, bool) {
    add_others();
    cells.push_back(std::move(text));
    ++column;
  });
  add_others();
  return cells;
}

void RecordTable::each_row(const std::function<void(const Cells&)>& f) const {
  in_order<Cells>([](Cells cells) { return cells; }, f);
}

void RecordTable::each_line(
    const std::function<std::string(const Cells&)>& line,
    const std::function<void(const std::string&)>& f) const {
  in_order<std::string>(line, f);
}

template <typename T, typename Make>
void RecordTable::in_order(const Make& make,
                           const std::function<void(const T&)>& take) const {
  const auto& records = content_->records;
  constexpr std::size_t at_once = 2048;
  const auto made_from = [&](std::size_t begin) {
    std::vector<T> made(std::min(at_once, records.size() - begin));
    // Medians and intervals take most of the time, and each row's are its own.
    on_all_cores(made.size(), [&](std::size_t i) {
      made[i] = make(cells(records[begin + i]));
    });
    return made;
  };
  auto made = made_from(0);
  for (std::size_t end = made.size(); !made.empty(); end += made.size()) {
    auto following =
        std::async(std::launch::async, [&] { return made_from(end); });
    for (const auto& one : made)
      take(one);
    made = following.get();
  }
}

}  // namespace parlab
