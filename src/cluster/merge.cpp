#include "cluster/merge.hpp"

#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "core/file.hpp"
#include "core/variant.hpp"
#include "record/json.hpp"
#include "record/packed.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

std::string at(const fs::path& path, std::size_t number) {
  return path.string() + ":" + std::to_string(number) + ": ";
}

class Merger {
 public:
  explicit Merger(const fs::path& into) : into_(into) {
    require_regular(into, "merge:");
    for (const auto& part : parts_of(into)) {
      each_line(part,
                [&](const Line& line, std::size_t) { take(line.text, into_); });
    }
  }

  // Collects the whole lines of a file that are not in the target yet. False if
  // it holds a line that is not torn and cannot be read.
  bool read(const fs::path& path) {
    bool whole = true;
    each_line(path, [&](const Line& line, std::size_t number) {
      if (line.text.find_first_not_of(" \t\r") == line.text.npos) return;
      const auto size = merged_.records;
      try {
        if (take(line.text, path)) lines_ += line.text + "\n";
      } catch (const ForeignLine& reason) {
        merged_.records = size;
        whole &= !line.ended;
        warn(at(path, number) +
             (line.ended ? reason.what()
                         : "torn line (the writer was stopped)") +
             ", left out");
      }
    });
    return whole;
  }

  Merged write() {
    if (lines_.empty()) return std::move(merged_);
    if (!run_)
      throw UsageError("merge: no file says which machine its records are of");
    Store(into_, *run_).append_lines(lines_);
    return std::move(merged_);
  }

 private:
  // False if the target has the line already.
  bool take(const std::string& text, const fs::path& path) {
    if (known_.count(text) > 0) return false;
    const bool new_one = path != into_;
    const auto entry = parsed(text, new_one);
    if (!entry) return false;
    known_.insert(text);
    if (const auto* run = std::get_if<Run>(&*entry)) {
      require_same_machine(*run, path);
    } else {
      const auto& workload = std::get<Record>(*entry).workload;
      if (Registry::instance().workload(workload) == nullptr &&
          unknown_.insert(workload).second) {
        warn(path.string() + ": workload '" + workload +
             "' is unknown to this program; kept");
      }
      if (new_one) ++merged_.records;
    }
    return true;
  }

  // Foreign lines of the target file stay as they are.
  static std::optional<std::variant<Run, Record>> parsed(
      const std::string& text, bool strict) {
    try {
      return from_json_line(text);
    } catch (const ForeignLine&) {
      if (strict) throw;
      return std::nullopt;
    }
  }

  void require_same_machine(const Run& run, const fs::path& path) {
    if (run_ && run_->machine != run.machine) {
      throw UsageError("merge: " + from_.string() + " is of " + run_->machine +
                       ", " + path.string() + " of " + run.machine +
                       "; merge each machine by itself");
    }
    if (run_) return;
    run_ = run;
    from_ = path;
  }

  void warn(std::string warning) {
    merged_.warnings.push_back(std::move(warning));
  }

  fs::path into_, from_;
  std::optional<Run> run_;  // the first one
  std::string lines_;       // lines to append
  std::unordered_set<std::string> known_;
  std::set<std::string> unknown_;  // workloads that this build lacks
  Merged merged_;
};

}  // namespace

Merged merge_records(const fs::path& into, const std::vector<fs::path>& files) {
  Merger merger(into);
  std::map<fs::path, Finished> finished;
  std::vector<std::string> staying;
  bool complete = true;
  std::vector<fs::path> parts;
  for (const auto& file : files) {
    const auto of_file = parts_of(file);
    parts.insert(parts.end(), of_file.begin(), of_file.end());
    if (of_file.empty()) parts.push_back(file);
  }
  for (const auto& file : parts) {
    for (const auto& part : parts_of(into)) {
      if (fs::exists(file) && fs::equivalent(part, file))
        throw UsageError("merge: " + file.string() + " cannot go into itself");
    }
    const auto& lock = finished.try_emplace(file, file).first->second;
    if (!lock) {
      staying.push_back(file.string() + ": is being written; merge it later");
      finished.erase(file);
    } else if (!merger.read(file)) {
      staying.push_back(file.string() +
                        ": stays, because lines of it were left out");
      finished.erase(file);
      complete = false;
    }
  }
  auto merged = merger.write();
  merged.complete = complete;
  for (const auto& [file, lock] : finished)
    fs::remove(file);
  merged.warnings.insert(merged.warnings.end(), staying.begin(), staying.end());
  return merged;
}

}  // namespace parlab
