#include "record/table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <future>
#include <map>
#include <ostream>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/parallel.hpp"
#include "core/text.hpp"
#include "record/fields.hpp"
#include "record/speedup.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

// The facts that a row's cells are made from.
struct RowFacts {
  const Record& record;
  const Run& run;
  Summary summary = {};
  std::optional<Summary> energy = {};  // summary in joules
  std::optional<Ratio> speedup = {}, speedup_transfers = {};
  std::optional<ThreadGain> threads = {};
};

// Calls take(name, text, is_text) for each stored field that is a single value.
// Every record has the same columns; fields that are not stored are empty.
template <typename F>
class StoredCells {
 public:
  explicit StoredCells(F& take) : take_(take) {}

  template <typename T>
  void operator()(std::string_view name, const T& value, Stored when = {}) {
    if (when == Stored::of_file) return;
    const bool there = there_ && when != Stored::never;
    const auto text = [&](auto&& words) {
      // the GPU's name already uses that column
      take_(name == "gpu" ? "gpu_uuid" : name, there ? std::string(words) : "",
            true);
    };
    if constexpr (std::is_arithmetic_v<T>) {
      const bool known =
          std::is_same_v<T, bool> || when == Stored::always || value != T{};
      const auto number = [&] {
        if constexpr (std::is_integral_v<T>) return std::to_string(value);
        return csv_number(value);
      };
      take_(name, there && known ? number() : "", false);
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
        (*this)(std::string(name) + "_" + "xyz"[axis], value[axis], when);
    } else if constexpr (std::is_same_v<T, LaunchShape>) {
      there_ = there;
      fields(*this, value);
      there_ = true;
    }
  }

 private:
  F& take_;
  bool there_ = true;
};

template <typename Map>
std::string entry(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  if (found == map.end()) return "";
  if constexpr (std::is_integral_v<typename Map::mapped_type>)
    return std::to_string(found->second);
  return csv_number(found->second);
}

std::string of_threads(const Record& record) {
  return record.point() + " " + record.full_name();
}

// The columns that every table has. take is called as above.
template <typename F>
void fixed_cells(const RowFacts& row, F take) {
  const auto& [record, run, summary, energy, over_serial, with_copies,
               threads] = row;
  const auto number = [&](std::string_view name, std::optional<double> value) {
    take(name, csv_number(value), false);
  };
  const auto text = [&](const char* name, const std::string& content) {
    take(name, content, true);
  };
  StoredCells<F> stored(take);
  fields(stored, record);

  text("size", size_text(record.workload, record.size));
  number("on_gpu", record.for_gpu());
  const bool timed = record.timed(),
             bounded = timed && std::isfinite(summary.interval.high);
  const auto if_known = [](bool known, double value) {
    return known ? std::optional(value) : std::nullopt;
  };
  number("median_s", if_known(timed, summary.median));
  number("low_s", if_known(bounded, summary.interval.low));
  number("high_s", if_known(bounded, summary.interval.high));
  // Variance and degrees of freedom of the median's logarithm over all runs;
  // ratios of medians are computed from them.
  number("log_variance", if_known(timed, summary.estimate.variance));
  number("freedom", if_known(timed, std::min(summary.estimate.freedom, 1e6)));
  number("too_wide", if_known(timed, too_wide(summary)));
  number("min_s", if_known(timed, summary.min));
  number("samples", if_known(timed, static_cast<double>(summary.count)));
  number("apart_s", if_known(!record.apart.empty(), median(record.apart)));
  number("intensity", if_known(record.flops > 0 && record.bytes > 0,
                               record.flops / record.bytes));
  number("gflops", if_known(timed, record.flops / summary.median / 1e9));
  number("gbytes_per_s", if_known(timed, record.bytes / summary.median / 1e9));
  number("roof_percent", if_known(timed && record.roof_s > 0,
                                  100 * record.roof_s / summary.median));
  for (const auto kind : {InputKind::uniform, InputKind::wide}) {
    for (const auto unit : every_value<ErrorUnit>()) {
      const auto name = error_name(kind, unit);
      take("error_" + name, entry(record.errors, name), false);
    }
  }
  const auto ratio = [&](const std::string& name,
                         const std::optional<Ratio>& known) {
    // An interval that reaches to infinity says nothing.
    const bool ends = known && std::isfinite(known->interval.high);
    const Ratio value = known.value_or(Ratio{});
    number(name, if_known(known.has_value(), value.value));
    number(name + "_low", if_known(ends, value.interval.low));
    number(name + "_high", if_known(ends, value.interval.high));
  };
  ratio("speedup", over_serial);
  ratio("speedup_transfers", with_copies);
  ratio("thread_efficiency",
        threads ? std::optional(threads->efficiency) : std::nullopt);
  text("thread_limit", threads ? words(threads->limit) : "");

  const auto joules = energy.value_or(Summary{});
  const auto measured = record.energy.value_or(Energy{});
  const bool known = energy.has_value();
  number("energy_j", if_known(known, joules.median));
  number("energy_low_j", if_known(known, joules.interval.low));
  number("energy_high_j", if_known(known, joules.interval.high));
  number("gflops_per_j", if_known(known, record.flops / joules.median / 1e9));
  number("power_w", if_known(known, joules.median / measured.seconds));
  number("idle_w", if_known(known, measured.idle_w));
  text("energy_source", measured.source);
  text("energy_absent", words(measured.absent));

  text("machine", record.machine);
  text("host_id", record.host_id);
  const auto gpu = std::ranges::find(run.gpus, record.gpu, &GpuFacts::uuid);
  text("gpu", gpu == run.gpus.end() ? run.gpu : gpu->name);
  text("cpu", run.cpu);
  text("date", run.date);
  text("commit", run.commit);
}

// A column that only some tables have.
struct OwnColumn {
  std::string title, key;
  std::string (*cell)(const RowFacts& row, const std::string& key);
};

std::string extent(const RowFacts& row, const std::string& dimension) {
  const auto& names = row.record.dimensions;
  const auto found = std::ranges::find(names, dimension);
  const auto i = static_cast<std::size_t>(found - names.begin());
  return i < row.record.size.size() ? std::to_string(row.record.size[i]) : "";
}
std::string tunable(const RowFacts& row, const std::string& name) {
  return entry(row.record.tunables, name);
}
std::string counter(const RowFacts& row, const std::string& name) {
  return entry(row.record.counters, name);
}
std::string link(const RowFacts& row, const std::string& name) {
  return entry(row.run.device.links, name);
}

// "link_all_reduce_over_2"
std::string column_of_link(std::string link) {
  for (auto& c : link)
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return "link_" + link;
}

}  // namespace

struct RecordTable::Content {
  std::map<std::string, Run> runs;
  std::vector<Record> records;
  // serial records by point
  std::unordered_map<std::string, std::vector<Record>> serial_of;
  // records of one thread by point and variant
  std::unordered_map<std::string, std::vector<Record>> one_thread_of;
  // times of serial records
  std::unordered_map<const Record*, Uncertain> time_of;
  // The columns of the problem come first, those of counters last.
  std::vector<OwnColumn> problem, counted;
  std::size_t before_problem = 0;  // columns
};

RecordTable::RecordTable(Loaded loaded,
                         const std::function<bool(const Record&)>& keep)
    : content_(std::make_unique<Content>()) {
  auto& records = content_->records;
  // records that were just measured have no host yet
  for (auto& record : loaded.records) {
    const auto run = loaded.runs.find(record.run);
    if (run != loaded.runs.end()) set_run(record, run->second);
  }
  records = latest(std::move(loaded.records));
  content_->runs = std::move(loaded.runs);
  for (const auto& record : records) {
    if (record.backend == "serial")
      content_->serial_of[record.point()].push_back(record);
    if (threads_of(record) == 1)
      content_->one_thread_of[of_threads(record)].push_back(record);
  }
  for (const auto& [point, serial] : content_->serial_of) {
    for (const auto& record : serial) {
      if (record.timed())
        content_->time_of.emplace(&record, record.summary().estimate);
    }
  }
  if (keep)
    std::erase_if(records, [&](const Record& record) { return !keep(record); });
  find_columns();
}

RecordTable::~RecordTable() = default;

bool RecordTable::empty() const {
  return content_->records.empty();
}

void RecordTable::find_columns() {
  std::set<std::string, std::less<>> taken;
  const auto note = [&](std::string_view name, auto, bool is_text) {
    columns_.push_back({std::string(name), is_text});
    taken.emplace(name);
    if (name == "variant") content_->before_problem = columns_.size();
  };
  fixed_cells({Record(), Run()}, note);
  std::vector<std::string> dimensions;  // in the order of their first
                                        // appearance
  std::set<std::string> tunables, counters, links;
  for (const auto& [id, run] : content_->runs) {
    for (const auto& [name, rate] : run.device.links)
      links.insert(name);
  }
  for (const auto& record : content_->records) {
    for (const auto& name : record.dimensions) {
      if (std::ranges::find(dimensions, name) == dimensions.end())
        dimensions.push_back(name);
    }
    for (const auto& [name, value] : record.tunables)
      tunables.insert(name);
    for (const auto& [name, value] : record.counters)
      counters.insert(name);
  }
  // kind: prefix for a name that another column already has.
  const auto add = [&](std::vector<OwnColumn>& to, const auto& names, auto cell,
                       const std::string& kind) {
    for (const auto& name : names) {
      auto title = cell == link ? column_of_link(name) : name;
      if (!taken.insert(title).second) title = kind + "_" + title;
      to.push_back({title, name, cell});
    }
  };
  auto& [runs, records, serial, single, times, problem, counted, place] =
      *content_;
  add(counted, links, link, "link");
  add(counted, counters, counter, "counter");
  add(problem, dimensions, extent, "size");
  add(problem, tunables, tunable, "tunable");
  for (const auto& column : counted)
    columns_.push_back({column.title, false});
  auto at = columns_.begin() + static_cast<std::ptrdiff_t>(place);
  for (const auto& column : problem)
    at = columns_.insert(at, {column.title, false}) + 1;
}

RecordTable::Cells RecordTable::cells(const Record& record) const {
  static const Run unknown;
  const auto run = content_->runs.find(record.run);
  RowFacts row{record, run == content_->runs.end() ? unknown : run->second};
  if (record.timed()) row.summary = record.summary();
  if (record.has_energy()) row.energy = record.energy->summary();
  const auto serial = content_->serial_of.find(record.point());
  const Record* baseline = serial == content_->serial_of.end()
                               ? nullptr
                               : baseline_of(serial->second, record);
  if (baseline != nullptr) {
    const auto over_baseline = [&](Copies copies) {
      return speedup(record, row.summary.estimate, *baseline,
                     content_->time_of.at(baseline), copies);
    };
    row.speedup = over_baseline(Copies::none);
    row.speedup_transfers = over_baseline(Copies::pageable);
  }
  const auto single = content_->one_thread_of.find(of_threads(record));
  if (single != content_->one_thread_of.end())
    row.threads = gain_by_threads(record, single->second, row.run);
  Cells cells;
  cells.reserve(columns_.size());
  const auto add = [&](const std::vector<OwnColumn>& columns) {
    for (const auto& column : columns)
      cells.push_back(column.cell(row, column.key));
  };
  fixed_cells(row, [&](auto, std::string text, bool) {
    cells.push_back(std::move(text));
    if (cells.size() == content_->before_problem) add(content_->problem);
  });
  add(content_->counted);
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
    // Medians and intervals take most of the time, and rows are independent.
    on_all_cores(made.size(), [&](std::size_t i) {
      made[i] = make(cells(records[begin + i]));
    });
    return made;
  };
  auto made = made_from(0);
  for (std::size_t end = made.size(); !made.empty(); end += made.size()) {
    auto following = std::async([&] { return made_from(end); });
    for (const auto& one : made)
      take(one);
    made = following.get();
  }
}

void write_csv(std::ostream& out, Loaded loaded,
               const std::function<bool(const Record&)>& keep) {
  const RecordTable table(std::move(loaded), keep);
  std::vector<std::string> names;
  for (const auto& column : table.columns())
    names.push_back(column.name);
  out << csv_line(names);
  table.each_line(csv_line, [&](const std::string& line) { out << line; });
}

}  // namespace parlab
