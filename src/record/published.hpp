// The tables that the source reports printed: results/published/NAME.csv.
// Numbers from a report are stored only there.
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

  // The text as printed; empty where the report gives nothing. Both functions
  // throw UsageError, which names the file, the line and the column. number()
  // also throws where there is no number.
  const std::string& text(const std::string& column) const;
  double number(const std::string& column) const;
  const std::map<std::string, std::string>& cells() const { return cells_; }

 private:
  std::string where_;
  std::map<std::string, std::string> cells_;
};

// The folder results/published of the current folder, else of the tree that the
// program was built in, so that it is found from everywhere. Throws UsageError
// when neither exists.
std::filesystem::path published_folder();

// The rows of one table in the report's order, for example
// published("cslab-dmv-serial"). Never empty, and read again only where the
// file has changed: claims ask for them thousands of times. Throws UsageError.
const std::vector<PublishedRow>& published(const std::string& table);

}  // namespace parlab
