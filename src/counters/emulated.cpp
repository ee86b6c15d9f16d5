#include "counters/emulated.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "core/file.hpp"
#include "core/text.hpp"
#include "counters/registers.hpp"
#include "counters/source_text.hpp"
#include "counters/warp_picture.hpp"
#include "places/executor.hpp"
#include "record/record.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

// A request is reported if it moves more than this many times the necessary
// amount.
constexpr double too_much = 1.5;
// Up to this many sectors may come from lanes that work on two rows, and are
// not reported.
constexpr double few_sectors = 2.5;
// Number of lanes, out of 32, that take part if nothing is wrong.
constexpr double enough_lanes = 24;
// Repeated reads are reported if each sector is moved at least this many times.
constexpr double many_times = 8;

// Lines that cost less than this share of the costliest are not reported.
constexpr double matters = 0.05;

constexpr double warp = 32;

double per_request(std::int64_t count, const CountedLine& line) {
  return static_cast<double>(count) /
         static_cast<double>(std::max<std::int64_t>(line.requests, 1));
}

Text number(double value) {
  const double whole = std::round(value);
  if (std::abs(value - whole) < 0.05) return static_cast<std::int64_t>(whole);
  return significant(value, 3);
}

Text distance(std::int64_t bytes) {
  const auto apart = std::abs(bytes);
  if (apart < 1024) return std::to_string(apart) + " bytes";
  return Quantity{static_cast<double>(apart), Unit::byte};
}

std::string verb(const CountedLine& line) {
  // ncu does not know the array
  if (line.array.empty())
    return is_atomic(line.access) ? "atomic"
           : reads(line.access)   ? "load"
                                  : "store";
  return (is_atomic(line.access) ? "atomic on "
          : reads(line.access)   ? "load of "
                                 : "store to ") +
         line.array;
}

Text beginning(const CountedLine& line) {
  return "line " + std::to_string(line.line) + ": a warp's " + verb(line);
}

Text sector_diagnosis(const CountedLine& line) {
  const double moved = per_request(line.moved, line),
               fewest = per_request(line.fewest, line);
  Text text = beginning(line) + " touches " + number(moved) +
              " sectors where " + number(fewest) + " would do";
  if (line.stride == 0) return text;
  const bool neighbours = std::abs(line.stride) == line.bytes;
  if (neighbours) {
    return text +
           "; neighbouring threads have neighbouring words, but the "
           "first one does not begin a sector of 32 bytes";
  }
  text += "; neighbouring threads are " + distance(line.stride) + " apart";
  constexpr std::int64_t widest = 16;
  if (line.stride > line.bytes && line.stride <= widest)
    text += ": a wider load takes at once what one thread reads in pieces";
  return text;
}

Text bank_diagnosis(const CountedLine& line) {
  Text text = beginning(line) + " takes " +
              number(per_request(line.moved, line)) + " wavefronts where " +
              number(per_request(line.fewest, line)) + " would do";
  if (line.stride == 0) return text;
  return text + "; neighbouring threads are " + distance(line.stride) +
         " apart, and meet at the same banks";
}

Text diagnosis(const CountedLine& line) {
  const double moved = per_request(line.moved, line),
               fewest = per_request(line.fewest, line),
               lanes = per_request(line.lanes, line),
               together = per_request(line.at_one_word, line);
  if (is_atomic(line.access) && together >= 2) {
    return beginning(line) + " has " + number(together) + " of " +
           number(lanes) +
           " lanes at one word: they are served one after the other";
  }
  if (lanes < enough_lanes) {
    return beginning(line) + " is executed with " + number(lanes) + " of " +
           number(warp) + " lanes: the others wait for them";
  }
  if (is_atomic(line.access)) return {};
  if (moved > too_much * fewest && is_shared(line.access))
    return bank_diagnosis(line);
  if (moved > std::max(fewest + 0.5, few_sectors) && !is_shared(line.access))
    return sector_diagnosis(line);
  const double again =
      static_cast<double>(line.moved) /
      static_cast<double>(std::max<std::int64_t>(line.different, 1));
  if (line.access == Access::global_load && line.different > 0 &&
      again >= many_times) {
    return beginning(line) + " brings each sector " + number(again) +
           " times: shared memory or registers can keep it";
  }
  return {};
}

Text diagnosis_of_launch(const Counted& counted) {
  // of the smallest GPUs that people compute on today
  constexpr std::int64_t multiprocessors = 40;
  if (counted.blocks >= multiprocessors || counted.blocks == 0) return {};
  return "the largest launch has " + Text(counted.blocks) +
         (counted.blocks == 1 ? " block of " : " blocks of ") +
         Text(counted.threads_per_block) +
         " threads: most multiprocessors of a GPU have nothing to do";
}

Text as_it_should(const CountedLine& line) {
  return beginning(line) + " touches " + number(per_request(line.moved, line)) +
         (is_shared(line.access) ? " wavefronts" : " sectors") +
         ": it cannot be fewer";
}

// "dynamic" for dynamic shared memory; the access tells readers the rest.
std::string short_array(const CountedLine& line) {
  return is_shared(line.access) ? line.array.substr(0, line.array.find(' '))
                                : line.array;
}

void sum(Counters& counters, const std::string& name, std::int64_t value) {
  counters[name] += static_cast<double>(value);
}

// The lines whose cost is worth reporting.
std::span<const CountedLine> costly(const Counted& counted) {
  const auto little =
      std::ranges::find_if(counted.lines, [&](const CountedLine& line) {
        return static_cast<double>(line.moved) <
               matters * static_cast<double>(counted.lines.front().moved);
      });
  return {counted.lines.begin(), little};
}

// "cuda-naive-line-31-load-of-a.svg"
std::string file_name(const Record& record, const CountedLine& line) {
  auto name = record.workload + "-" + record.variant + "-line-" +
              std::to_string(line.line) + "-" +
              std::string(to_string(line.access)) + "-of-" + line.array;
  std::ranges::replace(name, ' ', '-');
  return name + ".svg";
}

void draw_warps(const Record& record, const Counted& counted,
                const std::filesystem::path& folder) {
  make_folder(folder);
  for (const auto& line : costly(counted)) {
    const auto said = diagnosis(line);
    write_file(
        folder / file_name(record, line),
        picture_of_warp(line, words(said.empty() ? as_it_should(line) : said)));
  }
}

// The largest launch, and how much of it fits on a multiprocessor of compute
// capability 9.0, by CUDA C++ Programming Guide, technical specifications.
// Registers may leave room for fewer blocks, but only nvcc knows their number.
Table launch_table(const Counted& counted) {
  constexpr std::int64_t most_threads = 2048, most_blocks = 32,
                         shared_bytes = 228 * 1024, of_system = 1024;
  const auto threads = std::max<std::int64_t>(counted.threads_per_block, 1),
             warps_of_block = (threads + static_cast<std::int64_t>(warp) - 1) /
                              static_cast<std::int64_t>(warp);
  const auto at_once = std::min(
      {most_threads / (warps_of_block * static_cast<int>(warp)), most_blocks,
       shared_bytes / (counted.shared_bytes + of_system)});
  return {
      .key = "launch",
      .columns = {{"launches", "launches", true},
                  {"blocks", "blocks", true},
                  {"threads_per_block", "threads of each", true},
                  {"warps", "warps", true},
                  {"shared_bytes", "dynamic shared memory", true},
                  {"warps_at_once", "warps at once on a multiprocessor", true}},
      .rows = {row_of({counted.launches, counted.blocks, threads,
                       counted.blocks * warps_of_block, counted.shared_bytes,
                       at_once * warps_of_block})}};
}

}  // namespace

bool is_largest(const Record& record,
                const std::vector<std::vector<Record>>& points) {
  return std::ranges::none_of(points, [&](const std::vector<Record>& point) {
    return std::ranges::any_of(point, [&](const Record& other) {
      return other.full_name() == record.full_name() &&
             other.dtype == record.dtype && other.tunables == record.tunables &&
             other.bytes > record.bytes;
    });
  });
}

Counted counted_by_emulation(const Record& record, const GpuShape& gpu) {
  const auto* const workload = Registry::instance().workload(record.workload);
  const auto* const variant = variant_of(record);
  if (workload == nullptr || variant == nullptr) {
    throw PointError(Verdict::not_supported, Cause::not_emulated,
                     record.full_name());
  }
  return count_once(*make_executor(variant->target), *workload,
                    {variant, record.size, record.dtype, record.tunables}, gpu);
}

Counters counters_of(const Counted& counted) {
  Counters counters;
  for (const auto& line : counted.lines) {
    const bool shared = is_shared(line.access);
    if (shared)
      sum(counters, "shared_bank_conflicts", line.moved - line.fewest);
    if (is_atomic(line.access) && !shared)
      sum(counters, "global_atomic_requests", line.requests);
    if (is_atomic(line.access) || line.access == Access::barrier) continue;
    const auto kind = std::string(shared ? "shared_" : "global_") +
                      (reads(line.access) ? "load_" : "store_");
    sum(counters, kind + "requests", line.requests);
    sum(counters, kind + (shared ? "wavefronts" : "sectors"), line.moved);
  }
  add_quotients(counters);
  std::erase_if(counters, [](const auto& one) {
    return one.second == 0 && one.first != "shared_bank_conflicts";
  });
  return counters;
}

std::vector<Text> diagnoses(const Counted& counted) {
  std::vector<Text> all;
  for (const auto& line : costly(counted)) {
    if (auto said = diagnosis(line); !said.empty())
      all.push_back(std::move(said));
  }
  if (auto said = diagnosis_of_launch(counted); !said.empty())
    all.push_back(std::move(said));
  return all;
}

Section section_of(const Record& record, const Counted& counted) {
  Table table{.key = "line",
              .columns = {{.key = "variant"},
                          {.key = "file"},
                          {"line", "line", true},
                          {"access", "access"},
                          {.key = "array"},
                          {.title = "of"},
                          {"bytes", "bytes", true},
                          {"requests", "requests", true},
                          {"lanes_per_request", "lanes", true},
                          {"moved_per_request", "moved", true},
                          {"fewest_per_request", "fewest", true},
                          {.key = "stride_bytes"},
                          {.key = "moved"},
                          {"source", "source", false, 40, false, true}}};
  SourceText sources;
  const auto name = record.full_name();
  const auto file =
      counted.lines.empty() ? "" : base_name(counted.lines.front().file);
  for (const auto& line : counted.lines) {
    const auto other = base_name(line.file);
    table.rows.push_back(row_of(
        {name, line.file, std::int64_t{line.line}, to_string(line.access),
         line.array, short_array(line), line.bytes, line.requests,
         number(per_request(line.lanes, line)),
         number(per_request(line.moved, line)),
         number(per_request(line.fewest, line)), line.stride, line.moved,
         (other == file ? "" : other + ": ") +
             sources.line(line.file, line.line)}));
    if (line.moved > line.fewest) table.rows.back().tone = Tone::bad;
  }
  Section section{.title = name + " " +
                           size_text(record.workload, record.size) + " " +
                           std::string(to_string(record.dtype)) +
                           ": what its warps ask of memory, by line of " + file,
                  .blocks = {table}};
  for (const auto& said : diagnoses(counted))
    section.blocks.push_back(Paragraph{.text = said});
  if (counted.launches > 0) section.blocks.push_back(launch_table(counted));
  return section;
}

namespace {

void add_registers(const Record& record, const Counted& counted, Section& to,
                   Observer& observer) {
  try {
    to.blocks.push_back(
        table_of(resources_of(record.source), counted.threads_per_block));
  } catch (const ExplainedError& error) {
    observer.note(error.detail);
  }
}

}  // namespace

Document count_emulated(std::vector<std::vector<Record>>& points,
                        const HowToCount& how, Observer& observer) {
  Document document;
  for (auto& point : points) {
    for (auto& record : point) {
      if (!record.emulated || record.verdict != Verdict::passed ||
          !is_largest(record, points))
        continue;
      observer.working_on("counting " + record.identity(), 0);
      try {
        const auto counted = counted_by_emulation(record);
        record.counters = counters_of(counted);
        auto section = section_of(record, counted);
        if (how.like) {
          for (auto& block : least_time(counted, *how.like))
            section.blocks.push_back(std::move(block));
        }
        if (how.registers) add_registers(record, counted, section, observer);
        document.blocks.push_back(std::move(section));
        if (!how.pictures.empty()) draw_warps(record, counted, how.pictures);
      } catch (const PointError& error) {
        observer.note({.cause = Cause::no_counters_of,
                       .arguments = {record.identity()},
                       .further = {error.detail}});
      }
    }
  }
  return document;
}

}  // namespace parlab
