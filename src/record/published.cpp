#include "record/published.hpp"

#include <sstream>

#include "core/file.hpp"
#include "core/text.hpp"
#include "core/types.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

const fs::path place = fs::path("results") / "published";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<PublishedRow> read(const fs::path& path) {
  std::istringstream in(read_text(path, "the published numbers in"));
  std::string line;
  std::getline(in, line);
  const auto titles = split(line, ',');  // no cell holds a comma or a quote
  std::vector<PublishedRow> rows;
  for (int number = 2; std::getline(in, line); ++number) {
    const auto where = path.string() + ":" + std::to_string(number);
    const auto cells = split(line, ',');
    if (cells.size() != titles.size()) {
      throw UsageError(where + ": " + std::to_string(cells.size()) +
                       " cells, but " + std::to_string(titles.size()) +
                       " columns");
    }
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < titles.size(); ++i)
      row[titles[i]] = cells[i];
    rows.emplace_back(where, std::move(row));
  }
  if (rows.empty()) throw UsageError(path.string() + ": no rows");
  return rows;
}

}  // namespace

PublishedRow::PublishedRow(std::string where,
                           std::map<std::string, std::string> cells)
    : where_(std::move(where)), cells_(std::move(cells)) {}

const std::string& PublishedRow::text(const std::string& column) const {
  const auto found = cells_.find(column);
  if (found == cells_.end())
    throw UsageError(where_ + ": there is no column '" + column + "'");
  return found->second;
}

double PublishedRow::number(const std::string& column) const {
  const auto& printed = text(column);
  if (const auto value = number_in<double>(printed)) return *value;
  throw UsageError(where_ + ": '" + printed + "' in the column '" + column +
                   "' is not a number");
}

fs::path published_folder() {
  if (is_folder(place)) return place;
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  for (auto folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (is_folder(folder / place)) return folder / place;
  }
  throw UsageError("no folder " + place.string() + ", neither here nor above " +
                   program.string() + ": run parlab in its own tree");
}

const std::vector<PublishedRow>& published(const std::string& table) {
  struct Table {
    fs::file_time_type written;
    std::vector<PublishedRow> rows;
  };
  static std::map<fs::path, Table> known;
  const auto path = published_folder() / (table + ".csv");
  std::error_code ignored;  // reading says what is wrong
  const auto written = fs::last_write_time(path, ignored);
  auto& [when, rows] = known[fs::absolute(path)];
  if (rows.empty() || when != written) {
    rows = read(path);
    when = written;
  }
  return rows;
}

}  // namespace parlab
