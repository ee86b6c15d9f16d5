// Puts pictures drawn by another program into a page.
#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cctype>

#include "render/markup.hpp"
#include "render/svg.hpp"

namespace parlab {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string lower(std::string_view text) {
  return boost::to_lower_copy(std::string(text), std::locale::classic());
}

// Rewrites one tag, "<use xlink:href='#gpPt4' ...>", attribute by attribute.
class Tag {
 public:
  Tag(std::string_view tag, const std::string& prefix)
      : tag_(tag), prefix_(prefix) {}

  // False if the tag might do more than paint.
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
  // before: " id=", including the space before it. quoted: the value with its
  // quotes.
  bool attribute(std::string_view before, std::string_view quoted,
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

}  // namespace

std::string inline_svg(std::string_view svg, const std::string& prefix,
                       const std::string& title) {
  const auto begin = svg.find("<svg");
  if (begin == svg.npos) return "";
  std::string out;
  out.reserve(svg.size() * 11 / 10);
  bool drawn = false;
  for (std::size_t at = begin; at < svg.size();) {
    const auto open = std::min(svg.find('<', at), svg.size());
    out += svg.substr(at, open - at);
    if (open == svg.size()) break;
    // Declarations and comments are not allowed within a page.
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
    // The title of the whole picture is dropped; later ones describe a curve or
    // a point.
    if (!drawn && (tag == "<desc>" || tag == "<title>")) {
      const auto close = svg.find("</", end);
      if (close == svg.npos || svg.find('>', close) == svg.npos) return "";
      end = svg.find('>', close);
    } else {
      drawn |= open > begin;
      if (!Tag(tag, prefix).rewrite(out)) return "";
    }
    at = end + 1;
  }
  return out.insert(4, " role=\"img\" aria-label=\"" + escape(title) + "\"");
}

}  // namespace parlab
