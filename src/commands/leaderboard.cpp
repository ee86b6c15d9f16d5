// Ranks the results of several people.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "commands/documents.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "grade/points.hpp"
#include "page/measured.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

namespace fs = std::filesystem;

// Two machines of one name differ by about this much; every ratio includes it.
constexpr Uncertain between_machines{1, 0.01 * 0.01, 30};

struct Contestant {
  std::string who, kernel, size;
  double work = 0;  // orders sizes: the larger counts
  Uncertain time;
  std::optional<double> of_roof;
  std::string verified;
  fs::path source;  // empty: not handed in
};

// machine, workload, dtype
using Board = std::tuple<std::string, std::string, std::string>;
using Boards = std::map<Board, std::vector<Contestant>>;
// By machine, people without a kernel that passed and has a time.
using Untimed = std::map<std::string, std::vector<std::string>>;

// The file of that name, with any ending if the name has none.
fs::path source_in(const fs::path& folder, const std::string& name) {
  std::error_code none;
  for (const auto& place : {folder, folder / "sources"}) {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(place, none)) {
      const auto& path = entry.path();
      const bool is_source =
          path.extension() == ".cu" || path.extension() == ".cpp";
      if (is_source && (path.filename() == name || path.stem() == name))
        found.insert(path);
    }
    if (!found.empty()) return *found.begin();
  }
  return {};
}

// ---- a person's records

// The variants that the person wrote, which this build lacks; if there are
// none, this build's own.
Entries own_of(const Measured& measured) {
  const auto right = where(peers(all(measured)), [](const Entry& entry) {
    return !of_library(entry.side) && entry.side != Side::serial;
  });
  const auto theirs = where(right, [](const Entry& entry) {
    return variant_of(entry.record) == nullptr;
  });
  return theirs.empty() ? right : theirs;
}

void add_records(Boards& boards, Untimed& untimed, const fs::path& folder) {
  const auto measured = load_machine(folder);
  const auto own = own_of(measured);
  if (own.empty() && measured.records.empty()) {
    throw UsageError("page --leaderboard: '" + folder.string() +
                     "' has no records");
  }
  if (own.empty()) untimed[measured.machine].push_back(measured.folder);
  std::map<std::pair<std::string, Dtype>, Entries> kinds;
  for (const auto* entry : own)
    kinds[{entry->record.workload, entry->record.dtype}].push_back(entry);
  for (const auto& [kind, entries] : kinds) {
    for (const auto& size : sizes(entries)) {
      const auto* fastest = best(of_size(entries, size));
      const auto& record = fastest->record;
      const auto verified =
          sizes(where(entries, [&](const Entry& entry) {
            return entry.record.full_name() == record.full_name();
          })).size();
      const bool of_parlab = variant_of(record) != nullptr;
      boards[{measured.machine, kind.first,
              std::string(to_string(kind.second))}]
          .push_back({.who = measured.folder,
                      .kernel = record.name() +
                                (of_parlab ? ", as parlab has it" : ""),
                      .size = size_text(kind.first, size),
                      .work = record.flops + record.bytes,
                      .time = fastest->summary.estimate,
                      .of_roof = of_roof(*fastest),
                      .verified = "right at " + counted(verified, "size"),
                      .source = source_in(folder,
                                          fs::path(record.source).filename())});
    }
  }
}

// ---- a graded class

// RFC 4180: fields may have commas, quotes and ends of lines in quotes.
std::vector<std::vector<std::string>> fields_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const bool doubled = quoted && i + 1 < text.size() && text[i + 1] == '"';
      if (doubled) {
        line.back() += c;
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      line.emplace_back();
    } else if (c == '\n' && !quoted) {
      lines.push_back(std::exchange(line, {""}));
    } else if (c != '\r' || quoted) {
      line.back() += c;
    }
  }
  if (line.size() > 1) lines.push_back(line);
  return lines;
}

void add_class(Boards& boards, Untimed& untimed, const fs::path& folder) {
  const auto file = folder / "grades.csv";
  const auto lines = fields_of(read_text(file, "page --leaderboard:"));
  std::string machine;
  bool any_time = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < std::min(lines[0].size(), lines[i].size()); ++c)
      row[lines[0][c]] = lines[i][c];
    if (row["machine"].empty() || row["workload"].empty()) {
      throw UsageError("page --leaderboard: '" + file.string() +
                       "' does not say its machine and workload: grade again");
    }
    const auto time = number_in<double>(row["time_s"]);
    machine = row["machine"];
    if (row["verdict"] != "passed" || !time) continue;
    any_time = true;
    Uncertain estimate{.value = *time};
    const auto low = number_in<double>(row["time_s_low"]),
               high = number_in<double>(row["time_s_high"]);
    if (low && high && *low > 0) {
      const double half = std::log(*high / *low) / 2 / 1.96;
      estimate = {*time, half * half, 1e6};
    }
    double work = 1;
    Size size;
    for (const auto& extent : split(row["size"], 'x')) {
      size.push_back(number_in<std::int64_t>(extent).value_or(1));
      work *= static_cast<double>(size.back());
    }
    boards[{row["machine"], row["workload"], row["dtype"]}].push_back(
        {.who = row["student"],
         .kernel = "handed in",
         .size = size_text(row["workload"], size),
         .work = work,
         .time = estimate,
         .of_roof = number_in<double>(row["roof"]),
         .verified = "right at every size of the class, hidden ones too",
         .source = source_in(folder / "sources", row["student"])});
  }
  if (!any_time && !machine.empty())
    untimed[machine].push_back(folder.filename().string());
}

// ---- the page

// The size that most people have; among several the largest.
std::string size_of(const std::vector<Contestant>& all) {
  std::map<std::string, std::pair<std::size_t, double>> known;
  for (const auto& one : all) {
    auto& [people, work] = known[one.size];
    ++people;
    work = std::max(work, one.work);
  }
  return std::ranges::max_element(known, {},
                                  [](const auto& size) { return size.second; })
      ->first;
}

class Page {
 public:
  Section board(const std::string& workload, const std::string& dtype,
                const std::vector<Contestant>& all) {
    const auto size = size_of(all);
    std::vector<Contestant> some;
    std::set<std::string> others;
    for (const auto& one : all) {
      if (one.size == size)
        some.push_back(one);
      else
        others.insert(one.who);
    }
    std::ranges::stable_sort(
        some, {}, [](const Contestant& one) { return one.time.value; });
    std::vector<Uncertain> times;
    for (const auto& one : some) {
      times.push_back(one.time);
      others.erase(one.who);
    }
    const auto ranks = grade::ranks(times, between_machines);
    auto table =
        table_of({"rank", "who", "kernel", "time", "of the limit", "verified"});
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto& one = some[i];
      const bool shared = std::ranges::count(ranks, ranks[i]) > 1;
      table.add({Cell(std::to_string(ranks[i]), shared ? "shared" : ""),
                 one.who, source_link(one), with_interval(time_of(one.time)),
                 one.of_roof ? Text(share(*one.of_roof)) : Text(),
                 one.verified});
    }
    Section section{.title = workload + ", " + dtype + ", " + size,
                    .blocks = {table}};
    if (!others.empty()) {
      std::vector<Text> names(others.begin(), others.end());
      section.add(remark("Not measured at this size: " + joined(names) + "."));
    }
    return section;
  }

  std::optional<Section> sources() {
    if (sources_.empty()) return std::nullopt;
    return Section{.id = "sources",
                   .title = "Sources",
                   .label = "sources",
                   .blocks = {sources_.begin(), sources_.end()}};
  }

 private:
  Text source_link(const Contestant& one) {
    if (one.source.empty()) return one.kernel;
    const auto id = "source-" + std::to_string(sources_.size() + 1);
    const auto known = ids_.emplace(one.source, id);
    if (known.second) {
      sources_.push_back(
          Section{.id = id,
                  .title = one.who + ": " + one.source.filename().string(),
                  .blocks = {Paragraph{
                      .text = read_text(one.source, "page --leaderboard:"),
                      .verbatim = true}},
                  .folded = true});
    }
    return Link{one.kernel, "#" + known.first->second};
  }

  std::vector<Block> sources_;
  std::map<fs::path, std::string> ids_;
};

}  // namespace

Document leaderboard(const std::vector<fs::path>& folders,
                     std::vector<std::string>& warnings) {
  Boards boards;
  Untimed untimed;
  for (const auto& folder : folders) {
    if (is_there(folder / "grades.csv")) {
      add_class(boards, untimed, folder);
    } else {
      add_records(boards, untimed, folder);
    }
  }
  Document page{
      .title = "Leaderboard",
      .blocks = {
          Paragraph{"The fastest kernel of each person, for each kind of "
                    "machine. Every kernel was verified before it was timed."},
          remark("Times are medians with their 95 % intervals. "
                 "Kernels that cannot be told from the fastest of a "
                 "rank share it; two machines of one name are "
                 "assumed to differ by 1 %. Libraries, serial code "
                 "and reduced arithmetic are not ranked.")}};
  Page ranked;
  std::map<std::string, Section> machines;
  for (const auto& [board, all] : boards) {
    const auto& [machine, workload, dtype] = board;
    machines[machine].add(ranked.board(workload, dtype, all));
  }
  for (const auto& [machine, people] : untimed) {
    machines[machine].add(
        remark("Without a time and a rank: " + join(people, ", ") + "."));
    for (const auto& who : people)
      warnings.push_back(who + ": no kernel passed and has a time: no rank");
  }
  for (auto& [machine, section] : machines) {
    section.id = machine;
    section.title = section.label = machine;
    page.add(std::move(section));
  }
  page.add(ranked.sources());
  return page;
}

}  // namespace parlab::page
