#include "record/table.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/parallel.hpp"
#include "record/device.hpp"
#include "record/speedup.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

// Independent of the locale; 9 significant digits. Not
// known, or not finite: empty.
std::string number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, *value,
                                 std::chars_format::general, 9)
                       .ptr;
  return std::string(text, end);
}

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
  bool launched() const { return record.launch.launches > 0; }
};

struct Column {
  std::string name;
  std::function<std::string(const Row&)> cell;
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
    return number(found->second);
  } else {
    return count(found->second);
  }
}

void add_ratio(Columns& columns,
               const std::string& name,
               std::optional<Ratio> Row::*ratio) {
  columns.add(name, [=](const Row& row) {
    return row.*ratio ? number((row.*ratio)->value) : "";
  });
  // An interval that reaches to infinity says nothing: both ends are left out.
  const auto end = [=](double Interval::*which) {
    return [=](const Row& row) -> std::string {
      if (!(row.*ratio) || !std::isfinite((row.*ratio)->interval.high))
        return "";
      return number((row.*ratio)->interval.*which);
    };
  };
  columns.add(name + "_low", end(&Interval::low));
  columns.add(name + "_high", end(&Interval::high));
}

void add_results(Columns& columns) {
  columns.add_text("verdict", [](auto& row) {
    return std::string(to_string(row.record.verdict));
  });
  columns.add("emulated", [](auto& row) { return count(row.record.emulated); });
  columns.add("on_gpu", [](auto& row) { return count(on_gpu(row.record)); });
  const auto timed = [&columns](const char* name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.timed() ? number(value(row)) : std::string();
    });
  };
  const auto bounded = [&columns](const char* name, double Interval::*end) {
    columns.add(name, [=](const Row& row) {
      return row.bounded() ? number(row.summary.interval.*end) : std::string();
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
  timed("converged",
        [](const Row& row) { return row.record.converged ? 1.0 : 0.0; });
  columns.add("apart_s", [](auto& row) {
    return row.record.apart.empty() ? "" : number(median(row.record.apart));
  });
  columns.add("moving_s",
              [](auto& row) { return number(row.record.moving_s); });
  columns.add("to_device_s",
              [](auto& row) { return number(row.record.to_device_s); });
  columns.add("to_host_s",
              [](auto& row) { return number(row.record.to_host_s); });
  columns.add("to_device_pinned_s",
              [](auto& row) { return number(row.record.to_device_pinned_s); });
  columns.add("to_host_pinned_s",
              [](auto& row) { return number(row.record.to_host_pinned_s); });
  columns.add("from_host",
              [](auto& row) { return count(row.record.from_host); });
  const auto known = [](double value) {
    return value > 0 ? number(value) : std::string();
  };
  columns.add("flops", [=](auto& row) { return known(row.record.flops); });
  columns.add("bytes", [=](auto& row) { return known(row.record.bytes); });
  columns.add("intensity", [=](auto& row) {
    const Record& record = row.record;
    return record.bytes > 0 ? known(record.flops / record.bytes)
                            : std::string();
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
  columns.add_text("flags", [](auto& row) {
    std::string text;
    for (const auto& flag : row.record.flags)
      text += (text.empty() ? "" : " ") + flag;
    return text;
  });
}

void add_energy(Columns& columns) {
  const auto known = [&columns](const char* name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.energy ? number(value(row)) : std::string();
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

void add_launch(Columns& columns) {
  const auto launched = [&columns](const std::string& name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.launched() ? value(row.record.launch) : std::string();
    });
  };
  for (int axis = 0; axis < 3; ++axis) {
    launched(std::string("grid_") + "xyz"[axis],
             [=](auto& l) { return count(l.grid[axis]); });
  }
  for (int axis = 0; axis < 3; ++axis) {
    launched(std::string("block_") + "xyz"[axis],
             [=](auto& l) { return count(l.block[axis]); });
  }
  launched("shared_bytes",
           [](auto& launch) { return count(launch.shared_bytes); });
  launched("launches", [](auto& launch) { return count(launch.launches); });
  // The emulation has no registers and no occupancy.
  const auto compiled = [&columns](const char* name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.launched() && row.record.launch.registers > 0
                 ? value(row.record.launch)
                 : std::string();
    });
  };
  compiled("registers", [](auto& launch) { return count(launch.registers); });
  compiled("spill_bytes",
           [](auto& launch) { return count(launch.spill_bytes); });
  const auto resident = [&columns](const char* name, auto value) {
    columns.add(name, [=](const Row& row) {
      return row.launched() && row.record.launch.active_warps > 0
                 ? value(row.record.launch)
                 : std::string();
    });
  };
  resident("occupancy", [](auto& launch) { return number(launch.occupancy); });
  resident("active_warps",
           [](auto& launch) { return count(launch.active_warps); });
  resident("limited_by", [](auto& launch) { return launch.limited_by; });
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
  columns.add_text("gpu_uuid", [](auto& row) { return row.record.gpu; });
  columns.add_text("cpu", [](auto& row) { return row.run.cpu; });
  columns.add_text("date", [](auto& row) { return row.run.date; });
  columns.add_text("commit", [](auto& row) { return row.run.commit; });
  columns.add_text("source_hash",
                   [](auto& row) { return row.record.source_hash; });
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
  columns.add_text("workload", [](auto& row) { return row.record.workload; });
  columns.add_text("backend", [](auto& row) { return row.record.backend; });
  columns.add_text("variant", [](auto& row) { return row.record.variant; });
  const std::size_t problem = columns.size();
  columns.add_text("dtype", [](auto& row) {
    return std::string(to_string(row.record.dtype));
  });
  columns.add_text("unit", [](auto& row) { return row.record.unit; });
  columns.add_text("arithmetic", [](auto& row) {
    return std::string(to_string(row.record.arithmetic));
  });
  columns.add_text("cache", [](auto& row) {
    return std::string(to_string(row.record.cache));
  });
  columns.add_text("tunables",
                   [](auto& row) { return to_string(row.record.tunables); });
  add_results(columns);
  add_energy(columns);
  add_launch(columns);
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
  for (const auto& column : content_->columns.all())
    cells.push_back(column.cell(row));
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
