#include "record/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <set>
#include <stdexcept>
#include <system_error>

#include "core/name.hpp"
#include "core/parallel.hpp"
#include "record/ceilings_file.hpp"
#include "record/json.hpp"
#include "record/packed.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_warnings = 20;  // per file

// Adds to loaded. Gives one warning per skipped line, up to a limit.
class FileReader {
 public:
  FileReader(const fs::path& path, Loaded& loaded)
      : path_(path), loaded_(loaded) {}

  void read() {
    const auto in = open_lines(path_);
    const std::size_t first = loaded_.records.size();
    LineReader lines(*in);
    auto batch = next_batch(lines);
    expect_lines_like(batch);
    while (!batch.empty()) {
      // Parsing takes most of the time and lines are independent, so all cores
      // parse while the next batch is read.
      auto following = std::async([&] { return next_batch(lines); });
      on_all_cores(batch.size(), [&](std::size_t i) { parse(batch[i]); });
      for (auto& entry : batch)
        add(entry);
      batch = following.get();
    }
    keep_records_with_run(first);
    if (!damage_.empty()) {
      loaded_.warnings.push_back(damage_ + "; it is only read up to line " +
                                 std::to_string(number_));
    }
    if (suppressed_ > 0) {
      loaded_.warnings.push_back(path_.string() + ": " +
                                 std::to_string(suppressed_) +
                                 " more lines skipped");
    }
  }

 private:
  // A line and its parsed content.
  struct Entry {
    std::size_t number = 0;
    Line line;
    std::variant<Run, Record> content;
    std::string wrong;  // why the line cannot be used
  };

  // The next lines that are not blank, about four megabytes of them; empty at
  // the end of the file.
  std::vector<Entry> next_batch(LineReader& lines) {
    constexpr std::size_t enough = std::size_t{4} << 20;
    std::vector<Entry> batch;
    std::size_t bytes = 0;
    for (Line line; bytes < enough && next(lines, line);) {
      ++number_;
      if (line.text.find_first_not_of(" \t\r") == std::string::npos) continue;
      bytes += line.text.size();
      batch.push_back({number_, std::move(line), {}, {}});
    }
    return batch;
  }

  bool next(LineReader& lines, Line& line) {
    try {
      if (!damage_.empty() || !lines.next(line)) return false;
      if (number_ > 0 || !is_utf_16(line.text)) return true;
      damage_ = path_.string() + ": records are in UTF-8, this file is in " +
                "UTF-16: convert it, iconv -f UTF-16 -t UTF-8 FILE";
      return false;
    } catch (const std::runtime_error& error) {
      damage_ = error.what();
      return false;
    }
  }

  // Reserves space for the records of the whole file; a growing vector would
  // need twice the memory.
  void expect_lines_like(const std::vector<Entry>& batch) {
    double bytes = 0;
    for (const auto& entry : batch)
      bytes += static_cast<double>(entry.line.text.size() + 1);
    std::error_code unknown;
    const auto size = static_cast<double>(fs::file_size(path_, unknown));
    if (unknown || bytes == 0) return;
    const auto lines = static_cast<std::size_t>(
        static_cast<double>(batch.size()) * size / bytes);
    if (lines > batch.size())
      loaded_.records.reserve(loaded_.records.size() + lines + lines / 16);
  }

  static void parse(Entry& entry) {
    const Line& line = entry.line;
    try {
      if (line.too_long) throw ForeignLine("longer than 64 MiB");
      entry.content = from_json_line(entry.line.text);
    } catch (const ForeignLine& reason) {
      const bool torn = !line.ended && !line.too_long;
      entry.wrong = torn ? "torn line (the writer was stopped)" : reason.what();
    }
  }

  void add(Entry& entry) {
    if (!entry.wrong.empty()) return warn(entry.number, entry.wrong);
    if (auto* run = std::get_if<Run>(&entry.content)) {
      loaded_.files[run->id] = plain_path(path_);
      loaded_.runs[run->id] = std::move(*run);
    } else {
      loaded_.records.push_back(std::get<Record>(std::move(entry.content)));
      numbers_.push_back(entry.number);
    }
  }

  // Without its run the machine of a record is unknown. A run precedes its
  // records, but files are merged by hand. So the run may be anywhere in the
  // file, or in one read before.
  void keep_records_with_run(std::size_t first) {
    auto& records = loaded_.records;
    std::size_t kept = first;
    for (std::size_t i = first; i < records.size(); ++i) {
      const auto run = loaded_.runs.find(records[i].run);
      if (run == loaded_.runs.end()) {
        warn(numbers_[i - first],
             "record of the run " + records[i].run + ", which is missing");
        continue;
      }
      set_run(records[i], run->second);
      if (kept != i) records[kept] = std::move(records[i]);
      ++kept;
    }
    records.resize(kept);
  }

  void warn(std::size_t number, const std::string& why) {
    if (++warned_ > most_warnings) {
      ++suppressed_;
      return;
    }
    loaded_.warnings.push_back(path_.string() + ":" + std::to_string(number) +
                               ": " + why + ", skipped");
  }

  const fs::path& path_;
  Loaded& loaded_;
  std::size_t number_ = 0;  // number of the last line that was read
  // line numbers of this file's records
  std::vector<std::size_t> numbers_;
  std::size_t warned_ = 0, suppressed_ = 0;
  std::string damage_;  // damage of a packed file
};

// Whether it is a file of records in a folder.
bool is_record_file(const fs::path& path, std::vector<std::string>& warnings) {
  const auto name = plain_path(path);
  if (name.extension() != ".jsonl") return false;
  std::error_code ignored;
  const bool regular = fs::is_regular_file(path, ignored),
             named = is_name(name.filename().string());
  if (regular && named) return true;
  warnings.push_back(path.string() + ": " +
                     (regular ? name_rule : "no regular file") + ", skipped");
  return false;
}

UsageError cannot_write(const fs::path& path, const std::string& why) {
  return UsageError("cannot write records to '" + path.string() + "': " + why +
                    "; choose another file or folder for the results");
}

// A machine's folder under results/ takes no records of another machine.
void require_own_folder(const fs::path& path, const std::string& machine) {
  const auto folder =
      ceilings_file(fs::absolute(path).lexically_normal(), machine)
          .parent_path();
  std::error_code none;
  if (!fs::equivalent(folder.parent_path(), base_folder() / "results", none))
    return;
  const auto other = machine_of_folder(folder);
  if (!other.empty() && other != machine) {
    throw cannot_write(path, "its folder has records of " + other +
                                 ", and these are of " + machine);
  }
}

Descriptor open_locked(const fs::path& path) {
  require_regular(path, "records:");
  if (plain_path(path) != path) {
    throw cannot_write(path, "it is packed; new records are appended to " +
                                 plain_path(path).string());
  }
  try {
    make_folder(path.parent_path());
  } catch (const fs::filesystem_error& error) {
    throw cannot_write(path, error.code().message());
  }
  Descriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file < 0) throw cannot_write(path, std::strerror(errno));
  // Some file systems have no locks; go on without.
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw cannot_write(path,
                       "another process is writing it; wait for it to end");
  }
  // The file was packed and removed between the two calls.
  struct stat there {};
  if (::fstat(file, &there) == 0 && there.st_nlink == 0)
    return open_locked(path);
  return file;
}

}  // namespace

void Loaded::add(Loaded more) {
  runs.merge(more.runs);
  files.merge(more.files);
  if (records.empty()) records.swap(more.records);
  std::ranges::move(more.records, std::back_inserter(records));
  std::ranges::move(more.warnings, std::back_inserter(warnings));
}

Loaded load_records(const fs::path& path) {
  Loaded loaded;
  const auto parts = parts_of(path);
  if (parts.empty() && !is_there(path)) {
    throw UsageError("no records at '" + path.string() +
                     "': no such file or folder");
  }
  const auto read = [&](const std::vector<fs::path>& files) {
    for (const auto& file : files) {
      require_regular(file, "records:");
      FileReader(file, loaded).read();
    }
  };
  if (!fs::is_directory(path)) {
    read(parts);
    return loaded;
  }
  try {
    for (const auto& file : record_files(path, Depth::below, loaded.warnings))
      read(parts_of(file));
    oldest_first(loaded.records, loaded.runs);
  } catch (const fs::filesystem_error& failure) {
    throw UsageError("cannot read the folder '" + path.string() +
                     "': " + failure.code().message());
  }
  return loaded;
}

void oldest_first(std::vector<Record>& records,
                  const std::map<std::string, Run>& runs) {
  const auto date = [&](const Record& record) -> const std::string& {
    static const std::string unknown;
    const auto run = runs.find(record.run);
    return run == runs.end() ? unknown : run->second.date;
  };
  std::ranges::stable_sort(records, {}, date);
}

void set_run(Record& record, const Run& run) {
  record.machine = run.machine;
  record.host_id = run.host_id;
  record.gpus_of_host = gpus_of_host(run);
  record.shares_cpus = run.virtual_machine || run.others_at_work > 0;
  record.between_runs = (record.on_gpu() ? run.device : run.host).between_runs;
}

std::vector<fs::path> record_files(const fs::path& folder, Depth depth,
                                   std::vector<std::string>& warnings) {
  std::set<fs::path> files;
  std::error_code why;
  fs::recursive_directory_iterator entry(folder);
  for (; entry != end(entry); ++entry) {
    if (depth == Depth::folder) entry.disable_recursion_pending();
    if (entry.recursion_pending() && entry->is_directory(why) &&
        ::access(entry->path().c_str(), R_OK | X_OK) != 0) {
      warnings.push_back(entry->path().string() + ": " + std::strerror(errno) +
                         ", skipped");
      entry.disable_recursion_pending();
    }
    if (is_record_file(entry->path(), warnings))
      files.insert(plain_path(entry->path()));
  }
  return {files.begin(), files.end()};
}

// Opening a pipe would block.
Finished::Finished(const fs::path& path)
    : file_((require_regular(path, "records:"),
             ::open(path.c_str(), O_RDONLY | O_CLOEXEC))) {
  if (file_ < 0) {
    throw UsageError("cannot read " + path.string() + ": " +
                     std::strerror(errno));
  }
  // Some file systems have no locks; go on without.
  locked_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

Store::Store(const fs::path& path, const Run& run)
    : path_(path),
      run_(run),
      file_((require_own_folder(path, run.machine), open_locked(path))) {
  Loaded loaded = load_records(path_);
  warnings_ = std::move(loaded.warnings);
  runs_ = loaded.runs;
  run_written_ = runs_.count(run_.id) != 0;
  done_ = settled(std::move(loaded), run_, false);
  end_torn_line();
}

Store::~Store() {
  struct stat status {};
  std::error_code ignored;
  if (::fstat(file_, &status) == 0 && status.st_size == 0 &&
      fs::exists(packed_path(path_), ignored))
    fs::remove(path_, ignored);  // nothing new besides the packed records
}

void Store::end_torn_line() {
  struct stat status {};
  char last = '\n';
  if (::fstat(file_, &status) != 0 || status.st_size == 0) return;
  if (::pread(file_, &last, 1, status.st_size - 1) == 1 && last != '\n')
    append_lines("\n");
}

void Store::describe(const Run& run) {
  if (run_written_) throw std::logic_error("the run is written already");
  if (run.id != run_.id || run.machine != run_.machine)
    throw std::logic_error("a run keeps its id and its machine");
  run_ = run;
}

void Store::append(const Record& record) {
  if (record.run != run_.id)
    throw std::logic_error("the record belongs to another run");
  std::string text = to_json_line(record) + "\n";
  if (!run_written_) text.insert(0, to_json_line(run_) + "\n");
  append_lines(text);
  run_written_ = true;
}

void Store::append_lines(const std::string& text) {
  struct stat before {};
  if (::fstat(file_, &before) != 0)
    throw std::system_error(errno, std::generic_category());
  // If the file was deleted or moved away, new lines would be lost with it.
  struct stat there {};
  if (::stat(path_.c_str(), &there) != 0 || there.st_ino != before.st_ino ||
      there.st_dev != before.st_dev) {
    throw std::runtime_error(
        "cannot store a record: '" + path_.string() +
        "' was deleted or replaced while it was written; what was measured "
        "before is gone with it");
  }
  std::size_t written = 0;
  int error = 0;
  // One call writes everything, unless the disk is full; then the next call
  // reports it.
  while (written < text.size() && error == 0) {
    const ssize_t count =
        ::write(file_, text.data() + written, text.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && ::fdatasync(file_) != 0) error = errno;
  if (error == 0) return;
  std::string advice =
      "make room or choose another file, then run the same command again";
  // Removes a half-written line, but only if it is the last one. On file
  // systems without locks others may have appended since.
  const auto ours = static_cast<off_t>(written);
  if (::fstat(file_, &there) != 0 || there.st_size != before.st_size + ours ||
      ::ftruncate(file_, before.st_size) != 0) {
    advice += "; its last line is torn";
  }
  throw std::system_error(
      error, std::generic_category(),
      "cannot store a record in '" + path_.string() + "' (" + advice + ")");
}

}  // namespace parlab
