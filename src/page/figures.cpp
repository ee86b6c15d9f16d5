#include "page/figures.hpp"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <fstream>

#include "render/markup.hpp"

namespace parlab::page {
namespace {

namespace fs = std::filesystem;

// "7" for "cslab-dmv-7-all-gflops.svg"; -1 if it is no figure of the
// experiment.
int number_of(const std::string& file, const std::string& experiment) {
  const auto start = experiment + "-";
  if (!file.starts_with(start) || !file.ends_with(".svg")) return -1;
  const auto rest = file.substr(start.size());
  const auto digits =
      std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > 6) return -1;
  return std::stoi(rest.substr(0, digits));
}

// The caption of a figure, from the first lines of its script.
std::string caption_of(const std::string& experiment,
                       const std::string& figure) {
  std::ifstream in(scripts_of(experiment) / (figure + ".gp"));
  std::string text;
  for (std::string line; std::getline(in, line) && line.starts_with("# ");) {
    if (line.starts_with("# In the gallery")) continue;
    text += (text.empty() ? "" : " ") + line.substr(2);
  }
  const auto number = text.starts_with("Figure ") ? text.find(": ") : text.npos;
  if (number != text.npos) text.erase(0, number + 2);
  if (!text.empty())
    text[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// The finding in the figure's title: "dmv: ... at 16K"; empty if it has none.
std::string finding_of(const fs::path& file) {
  const std::string start = "<title>";
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && !line.starts_with("<g");) {
    if (!line.starts_with(start)) continue;
    auto text = line.substr(start.size(), line.find("</") - start.size());
    for (const auto& [entity, letter] :
         {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&amp;", "&"}})
      boost::replace_all(text, entity, letter);
    return text;
  }
  return "";
}

std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

Picture picture_of(const fs::path& file, const std::string& experiment) {
  const auto name = file.stem().string();
  const auto finding = sentence(finding_of(file));
  const auto how =
      sentence(caption_of(experiment, name.substr(experiment.size() + 1)));
  const auto both = finding + (finding.empty() || how.empty() ? "" : " ") + how;
  return {.id = figure_anchor(name),
          .path = file.string(),
          .title = finding.empty() ? both.empty() ? name : both : finding,
          .caption = both.empty() ? name : both};
}

}  // namespace

fs::path scripts_of(const std::string& experiment) {
  const auto own = fs::path("scripts") / experiment;
  std::error_code none;
  return fs::exists(own / "steps.sh", none) ? own : "scripts/workload";
}

std::vector<Picture> figures_of(const fs::path& folder,
                                const std::string& experiment) {
  std::vector<std::pair<int, Picture>> numbered;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const auto file = entry.path().filename().string();
    const int number = number_of(file, experiment);
    if (number >= 0)
      numbered.push_back({number, picture_of(entry.path(), experiment)});
  }
  std::ranges::sort(numbered, {}, [](const auto& one) {
    return std::tie(one.first, one.second.path);
  });
  std::vector<Picture> figures;
  for (auto& [number, figure] : numbered)
    figures.push_back(std::move(figure));
  return figures;
}

void find_curves(const std::vector<Picture>& figures, Curves& curves) {
  const std::string group = "<g id=\"", title = "\" ><title>";
  for (const auto& figure : figures) {
    std::ifstream in(figure.path);
    for (std::string line; std::getline(in, line);) {
      const auto id = line.find(group), end = line.find(title);
      if (id == line.npos || end == line.npos) continue;
      const auto from = end + title.size();
      const auto name = line.substr(from, line.find('<', from) - from);
      const auto start = id + group.size();
      // The first figure wins.
      curves.emplace(name, figure.id + "-" + line.substr(start, end - start));
    }
  }
}

std::string figure_anchor(const std::string& name) {
  return "fig-" + anchor(name);
}

}  // namespace parlab::page
