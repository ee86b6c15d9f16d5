#include "render/markup.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <stdexcept>

namespace parlab {
namespace {

constexpr std::pair<char, const char*> entities[] = {{'&', "&amp;"},
                                                     {'<', "&lt;"},
                                                     {'>', "&gt;"},
                                                     {'"', "&quot;"},
                                                     {'\'', "&#39;"}};

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control =
        (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    const auto* entity =
        std::ranges::find(entities, c, &std::pair<char, const char*>::first);
    safe += entity != std::end(entities) ? entity->second
            : control                    ? "\xef\xbf\xbd"
                                         : std::string(1, c);
  }
  return safe;
}

std::string anchor(std::string_view text) {
  std::string id;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && std::isalnum(byte);
    id += plain ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return id;
}

void Html::tag(std::string_view name, const Attributes& attributes,
               std::string_view end) {
  text_ += '<';
  text_ += name;
  for (const auto& [key, value] : attributes) {
    text_ += ' ';
    text_ += key;
    text_ += "=\"" + escape(value) + '"';
  }
  text_ += end;
}

Html& Html::open(std::string name, const Attributes& attributes) {
  tag(name, attributes, ">");
  open_.push_back(std::move(name));
  return *this;
}

Html& Html::close() {
  if (open_.empty()) throw std::logic_error("no tag is open");
  text_ += "</" + open_.back() + ">";
  open_.pop_back();
  return *this;
}

Html& Html::text(std::string_view text) {
  return raw(escape(text));
}

Html& Html::words(std::string_view text) {
  // A unit such as GB/s stays whole.
  static const std::regex within_name("([[:alnum:]][/_])(?=[[:alnum:]]{2})");
  return raw(std::regex_replace(escape(text), within_name, "$1<wbr>"));
}

Html& Html::element(std::string name, std::string_view content,
                    const Attributes& attributes) {
  return open(std::move(name), attributes).text(content).close();
}

Html& Html::single(std::string_view name, const Attributes& attributes) {
  tag(name, attributes, "/>");
  return *this;
}

Html& Html::raw(std::string_view trusted) {
  text_ += trusted;
  return *this;
}

Html& Html::line_break() {
  return raw("\n");
}

}  // namespace parlab
