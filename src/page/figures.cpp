#include "page/figures.hpp"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <sstream>

#include "core/file.hpp"
#include "page/table.hpp"

namespace parlab::page {
namespace {

namespace fs = std::filesystem;

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string lower(std::string_view text) {
  std::string small;
  for (const char c : text)
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

// Rewrites one tag, "<use xlink:href='#gpPt4' ...>", attribute by attribute.
class Tag {
 public:
  Tag(std::string_view tag, const std::string& prefix)
      : tag_(tag), prefix_(prefix) {}

  // False: this tag may do more than paint.
  bool rewrite(std::string& out) {
    const bool closing = tag_.starts_with("</");
    std::size_t at = closing ? 2 : 1;
    while (at < tag_.size() && !is_space(tag_[at]) && tag_[at] != '>' &&
           tag_[at] != '/') {
      ++at;
    }
    const auto name =
        lower(tag_.substr(closing ? 2 : 1, at - (closing ? 2 : 1)));
    for (const auto* active :
         {"script", "foreignobject", "iframe", "image", "a", "style"}) {
      if (name == active) return false;
    }
    out += tag_.substr(0, at);
    while (at < tag_.size()) {
      const auto quote = tag_.find_first_of("\"'", at);
      if (quote == tag_.npos) break;
      const auto end = tag_.find(tag_[quote], quote + 1);
      if (end == tag_.npos) return false;
      if (!attribute(tag_.substr(at, quote - at),
                     tag_.substr(quote, end + 1 - quote), out)) {
        return false;
      }
      at = end + 1;
    }
    out += tag_.substr(at);
    return true;
  }

 private:
  // before: " id=", with the space before it; quoted: the
  // value within its quotes.
  bool attribute(std::string_view before,
                 std::string_view quoted,
                 std::string& out) const {
    std::string name;
    for (const char c : lower(before)) {
      if (!is_space(c) && c != '=') name += c;
    }
    if (name.starts_with("on")) return false;
    std::string value(quoted.substr(1, quoted.size() - 2));
    if (name == "id") value = prefix_ + value;
    if (name.ends_with("href")) {
      if (!value.starts_with('#')) return false;
      value = "#" + prefix_ + value.substr(1);
    }
    for (auto at = value.find("url("); at != value.npos;
         at = value.find("url(", at + 1)) {
      const auto hash = value.find_first_not_of(" '\"", at + 4);
      if (hash == value.npos || value[hash] != '#') return false;
      value.insert(hash + 1, prefix_);
    }
    out += before;
    out += quoted.front() + value + quoted.front();
    return true;
  }

  std::string_view tag_;
  const std::string& prefix_;
};

// "7" of "cslab-dmv-7-all-gflops.svg"; -1 when it is no
// figure of the experiment.
int number_of(const std::string& file, const std::string& experiment) {
  const auto start = experiment + "-";
  if (!file.starts_with(start) || !file.ends_with(".svg")) return -1;
  const auto rest = file.substr(start.size());
  const auto digits =
      std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > 6) return -1;
  return std::stoi(rest.substr(0, digits));
}

// Where each character begins: columns are counted in characters, not in bytes.
std::vector<std::size_t> characters(const std::string& line) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80)
      begins.push_back(i);
  }
  begins.push_back(line.size());
  return begins;
}

bool is_rule(const std::string& line) {
  return line.find("--") == 0 && line.find_first_not_of("- ") == line.npos;
}

// Cuts a line where the columns begin; the last one takes the rest.
std::vector<std::string> cut(const std::string& line,
                             const std::vector<std::size_t>& starts) {
  const auto begins = characters(line);
  const auto byte_of = [&](std::size_t character) {
    return begins[std::min(character, begins.size() - 1)];
  };
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto from = byte_of(starts[i]);
    const auto to =
        i + 1 < starts.size() ? byte_of(starts[i + 1]) : line.size();
    cells.push_back(boost::trim_copy(line.substr(from, to - from)));
  }
  return cells;
}

}  // namespace

std::vector<Figure> figures_of(const fs::path& folder,
                               const std::string& experiment) {
  std::vector<std::pair<int, Figure>> numbered;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const auto file = entry.path().filename().string();
    const int number = number_of(file, experiment);
    if (number >= 0)
      numbered.push_back(
          {number, {entry.path().stem().string(), entry.path()}});
  }
  std::sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.name) < std::tie(b.first, b.second.name);
  });
  std::vector<Figure> figures;
  for (auto& [number, figure] : numbered)
    figures.push_back(std::move(figure));
  return figures;
}

std::string figure_anchor(const std::string& name) {
  return "fig-" + anchor(name);
}

std::string inline_svg(std::string_view svg,
                       const std::string& prefix,
                       const std::string& title) {
  const auto begin = svg.find("<svg");
  if (begin == svg.npos) return "";
  std::string out;
  out.reserve(svg.size() * 11 / 10);
  for (std::size_t at = begin; at < svg.size();) {
    const auto open = std::min(svg.find('<', at), svg.size());
    out += svg.substr(at, open - at);
    if (open == svg.size()) break;
    // Declarations and comments have no place within a page.
    if (svg.substr(open, 2) == "<!" || svg.substr(open, 2) == "<?") {
      const auto end = svg.substr(open, 4) == "<!--" ? svg.find("-->", open)
                                                     : svg.find('>', open);
      if (end == svg.npos) return "";
      at = svg.find('>', end) + 1;
      continue;
    }
    auto end = open;
    for (char quote = 0; end < svg.size() && (quote != 0 || svg[end] != '>');
         ++end) {
      const char c = svg[end];
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    if (end == svg.size()) return "";
    const auto tag = svg.substr(open, end + 1 - open);
    // The tool's own; the titles that follow say what a curve or a point is.
    if (tag == "<desc>" || svg.substr(open).starts_with("<title>Gnuplot<")) {
      const auto close = svg.find("</", end);
      if (close == svg.npos || svg.find('>', close) == svg.npos) return "";
      end = svg.find('>', close);
    } else if (!Tag(tag, prefix).rewrite(out)) {
      return "";
    }
    at = end + 1;
  }
  return out.insert(4, " role=\"img\" aria-label=\"" + escape(title) + "\"");
}

void write_figure(Html& html, const Figure& figure) {
  const auto id = figure_anchor(figure.name);
  html.open("figure", {{"id", id}});
  const auto svg =
      inline_svg(read_file(figure.path).value_or(""), id + "-", figure.name);
  if (svg.empty()) {
    html.element("p", "Not shown: " + figure.path.filename().string() +
                          " is no picture, or more than a picture. Delete it "
                          "and run make figures.");
  } else {
    html.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).raw(svg).close();
  }
  html.element("figcaption", figure.name).close().line_break();
}

std::vector<TextTable> parse_tables(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  std::vector<TextTable> tables;
  std::string above;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 < lines.size() && is_rule(lines[i + 1])) {
      TextTable table{above, {}, {}};
      std::vector<std::size_t> starts;
      const auto& rule = lines[i + 1];
      for (std::size_t c = 0; c < rule.size(); ++c) {
        if (rule[c] == '-' && (c == 0 || rule[c - 1] == ' '))
          starts.push_back(c);
      }
      table.columns = cut(lines[i], starts);
      for (i += 2; i < lines.size() && !boost::trim_copy(lines[i]).empty();
           ++i) {
        table.rows.push_back(cut(lines[i], starts));
      }
      tables.push_back(std::move(table));
      above.clear();
    } else if (boost::trim_copy(lines[i]).empty()) {
      if (!above.empty()) tables.push_back({above, {}, {}});
      above.clear();
    } else {
      above += (above.empty() ? "" : " ") + boost::trim_copy(lines[i]);
    }
  }
  if (!above.empty()) tables.push_back({above, {}, {}});
  return tables;
}

void write_tables(Html& html, const fs::path& file) {
  if (!fs::exists(file)) return;
  for (const auto& table : parse_tables(read_file(file).value_or(""))) {
    if (table.columns.empty()) {
      html.element("p", table.title, {{"class", "note"}}).line_break();
      continue;
    }
    const bool is_short = table.rows.size() <= 12;
    html.open("details",
              is_short ? Html::Attributes{{"open", ""}} : Html::Attributes{});
    html.open("summary").text(table.title.empty() ? "Table" : table.title);
    html.raw(" ")
        .element("small", std::to_string(table.rows.size()) + " rows")
        .close();
    write_numbers(html, table.columns, table.rows);
    html.close().line_break();
  }
}

}  // namespace parlab::page
