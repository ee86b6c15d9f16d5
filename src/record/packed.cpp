#include "record/packed.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <streambuf>
#include <unordered_set>

#include "core/file.hpp"
#include "core/name.hpp"
#include "core/text.hpp"
#include "core/types.hpp"
#include "record/json.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view packed_suffix = ".zst";
// Packing is rare and the result is kept, so a high level pays: half a minute
// for 60 MB.
constexpr int packing_level = 19;

// Returns zstd's result; throws if it is an error.
std::size_t checked_by_zstd(const fs::path& file, std::size_t result) {
  if (!ZSTD_isError(result)) return result;
  throw std::runtime_error(file.string() +
                           " is damaged: " + ZSTD_getErrorName(result));
}

class Unpacking : public std::streambuf {
 public:
  explicit Unpacking(const fs::path& path)
      : path_(path), file_(path, std::ios::binary) {}
  bool is_open() const { return file_.is_open(); }

 protected:
  int_type underflow() override {
    for (;;) {
      if (!holds_more_ && in_.pos == in_.size && !refill()) {
        if (wanted_ == 0) return traits_type::eof();
        throw std::runtime_error(path_.string() +
                                 " is damaged: its end is missing");
      }
      ZSTD_outBuffer out{lines_.data(), lines_.size(), 0};
      wanted_ = checked_by_zstd(
          path_, ZSTD_decompressStream(stream_.get(), &out, &in_));
      holds_more_ = wanted_ != 0 && out.pos == out.size;
      if (out.pos == 0) continue;
      setg(lines_.data(), lines_.data(), lines_.data() + out.pos);
      return traits_type::to_int_type(lines_.front());
    }
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    file_.read(packed_.data(), static_cast<std::streamsize>(packed_.size()));
    in_ = {packed_.data(), static_cast<std::size_t>(file_.gcount()), 0};
    return in_.size > 0;
  }

  fs::path path_;
  std::ifstream file_;
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  std::string packed_ = std::string(ZSTD_DStreamInSize(), '\0');
  std::string lines_ = std::string(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t wanted_ = 0;   // bytes until the frame ends; 0 between two frames
  bool holds_more_ = false;  // more than there was room for
};

struct UnpackingStream : private Unpacking, public std::istream {
  explicit UnpackingStream(const fs::path& path)
      : Unpacking(path), std::istream(is_open() ? this : nullptr) {
    // Otherwise a damaged file would just seem to end.
    if (is_open()) exceptions(std::ios::badbit);
  }
};

std::string packed(const std::string& lines) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, packing_level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string text(ZSTD_compressBound(lines.size()), '\0');
  text.resize(checked_by_zstd(
      "packing", ZSTD_compress2(context.get(), text.data(), text.size(),
                                lines.data(), lines.size())));
  return text;
}

// The texts of an array's elements, which begin at `from` and end before the
// closing bracket.
std::vector<std::string_view> elements(std::string_view line,
                                       std::size_t from) {
  std::vector<std::string_view> all;
  for (char last = ','; last == ',';) {
    const auto end = line.find_first_of(",]", from);
    if (end == line.npos) return {};
    all.push_back(line.substr(from, end - from));
    last = line[end];
    from = end + 1;
  }
  return all;
}

// Orders a record's samples by the groups that are judged and sorts each group,
// so that they take two thirds of the bytes when packed. The digits of the
// numbers are kept. Returns the line unchanged if it is not a record or if its
// statistics would change.
std::string in_groups(const std::string& line) {
  constexpr std::string_view samples = "\"samples_us\":[",
                             batches = ",\"batches\":[";
  try {
    const auto content = from_json_line(line);
    const auto* record = std::get_if<Record>(&content);
    if (record == nullptr || record->grouped || !record->apart.empty())
      return line;
    const auto groups = judged_groups(record->samples());
    const auto begin = line.find(samples) + samples.size();
    auto texts = elements(line, begin);
    if (groups.empty() || texts.size() != record->seconds.size()) return line;
    auto first = texts.begin();
    for (const auto size : groups) {
      const auto last = first + static_cast<std::ptrdiff_t>(size);
      std::sort(first, last, [](std::string_view a, std::string_view b) {
        return std::stod(std::string(a)) < std::stod(std::string(b));
      });
      first = last;
    }
    auto after = line.find(']', begin) + 1;
    std::string text =
        line.substr(0, begin) + join(texts, ",") + "]" + std::string(batches) +
        join(groups, ",", [](auto n) { return std::to_string(n); }) +
        "],\"grouped\":true";
    if (line.compare(after, batches.size(), batches) == 0)
      after = line.find(']', after) + 1;
    text += line.substr(after);
    const auto again = std::get<Record>(from_json_line(text)).summary();
    return again == record->summary() ? text : line;
  } catch (const ForeignLine&) {
    return line;
  }
}

void require_same(const fs::path& path, const std::string& lines) {
  UnpackingStream in(path);
  if (std::string(std::istreambuf_iterator(in), {}) != lines)
    throw std::runtime_error(path.string() +
                             ": reading it back gives something else");
}

// A renamed file survives a loss of power only if its folder was flushed.
void flush_folder_of(const fs::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (file >= 0) ::fsync(file);
}

// A record whose newline is missing is whole.
bool is_torn(const Line& line) {
  if (line.ended) return false;
  try {
    from_json_line(line.text);
    return false;
  } catch (const ForeignLine&) {
    return true;
  }
}

// The lines of a file to be packed, each with its newline.
void each_whole_line(const fs::path& path, std::vector<std::string>& warnings,
                     const std::function<void(const std::string&)>& f) {
  each_line(path, [&](const Line& line, std::size_t number) {
    const auto at = path.string() + ":" + std::to_string(number) + ": ";
    if (line.too_long)
      throw std::runtime_error(at + "longer than 64 MiB: not packed");
    if (line.text.find_first_not_of(" \t\r") == line.text.npos) return;
    if (!is_torn(line)) return f(line.text + "\n");
    warnings.push_back(at + "torn line (the writer was stopped), left out");
  });
}

}  // namespace

bool is_utf_16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

bool LineReader::next(Line& line) {
  line = {};
  bool any = false;
  while (!line.ended && (begin_ < end_ || refill())) {
    any = true;
    const char* from = block_.data() + begin_;
    const auto* newline =
        static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const std::size_t count =
        newline == nullptr ? end_ - begin_ : newline - from;
    const std::size_t room = longest - line.text.size();
    line.text.append(from, std::min(count, room));
    line.too_long |= count > room;
    line.ended = newline != nullptr;
    begin_ += count + (line.ended ? 1 : 0);
  }
  // Some editors put it at the start of a file. The file may have been appended
  // to another one, so look for it in every line.
  if (line.text.starts_with(byte_order_mark))
    line.text.erase(0, byte_order_mark.size());
  return any;
}

bool LineReader::refill() {
  in_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
  begin_ = 0;
  end_ = static_cast<std::size_t>(in_.gcount());
  return end_ > 0;
}

fs::path packed_path(const fs::path& plain) {
  return plain.string() + std::string(packed_suffix);
}

fs::path plain_path(const fs::path& file) {
  return file.extension() == packed_suffix ? file.parent_path() / file.stem()
                                           : file;
}

std::vector<fs::path> parts_of(const fs::path& file) {
  std::vector<fs::path> parts;
  std::error_code ignored;
  if (!fs::is_directory(file, ignored) &&
      fs::is_regular_file(packed_path(file), ignored))
    parts.push_back(packed_path(file));
  if (is_there(file)) parts.push_back(file);
  return parts;
}

std::unique_ptr<std::istream> open_lines(const fs::path& file) {
  std::unique_ptr<std::istream> in;
  errno = 0;
  if (file.extension() == packed_suffix) {
    in = std::make_unique<UnpackingStream>(file);
  } else {
    in = std::make_unique<std::ifstream>(file, std::ios::binary);
  }
  if (*in) return in;
  throw UsageError("cannot read " + file.string() + ": " +
                   std::strerror(errno));
}

void each_line(const fs::path& file,
               const std::function<void(const Line&, std::size_t)>& f) {
  const auto in = open_lines(file);
  LineReader lines(*in);
  Line line;
  for (std::size_t number = 1; lines.next(line); ++number)
    f(line, number);
}

Packed pack_records(const fs::path& plain) {
  if (plain.extension() != ".jsonl") {
    throw UsageError("pack: " + plain.string() +
                     " is not a file of records (NAME.jsonl)");
  }
  const auto parts = parts_of(plain);
  if (parts.empty()) throw UsageError("pack: no records at " + plain.string());
  const auto path = packed_path(plain);
  Packed result;
  if (parts.back() == plain) {
    const Finished finished(plain);
    if (!finished)
      throw UsageError("pack: " + plain.string() + " is being written");
    // If packing was stopped before it removed the plain file, the same lines
    // are in both files.
    std::string before, added;
    std::unordered_set<std::string> known;
    for (const auto& part : parts) {
      each_whole_line(part, result.warnings, [&](const std::string& line) {
        if (part == path) {
          before += line;
          known.insert(line);
        } else if (const auto text = in_groups(line); known.count(text) == 0) {
          added += text;
        }
      });
    }
    if (!added.empty() || parts.front() == plain) {
      const std::string lines = before + added;
      write_beside(path, [&](const fs::path& part) {
        write_file(part, packed(lines));
        require_same(part, lines);
      });
      flush_folder_of(path);
    }
    fs::remove(plain);
  }
  result.bytes = fs::file_size(path);
  return result;
}

}  // namespace parlab
