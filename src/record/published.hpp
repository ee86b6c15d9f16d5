// The tables that the source reports printed: results/published/NAME.csv.
// A number of a report stands there and nowhere else.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parlab {

class PublishedRow {
 public:
  // where: "results/published/x.csv:7", for messages.
  PublishedRow(std::string where, std::map<std::string, std::string> cells);

  // As printed; empty where the report gives nothing. Both throw
  // UsageError naming the file, the line and the column, number() also
  // where there is no number.
  const std::string& text(const std::string& column) const;
  double number(const std::string& column) const;
  const std::map<std::string, std::string>& cells() const { return cells_; }

 private:
  std::string where_;
  std::map<std::string, std::string> cells_;
};

// The folder results/published: of the current folder, or else of the
// tree that the program was built in, so that it is found from everywhere.
// Throws UsageError when there is none.
std::filesystem::path published_folder();

// The rows of one table in the report's order: published("cslab-dmv-serial").
// Never empty. Throws UsageError.
std::vector<PublishedRow> published(const std::string& table);

}  // namespace parlab
