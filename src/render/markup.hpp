// HTML as text. Text and attributes are escaped, and tags are closed in order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parlab {

// & < > " ' become entities. Control characters, for which HTML has none,
// become the replacement character.
std::string escape(std::string_view text);

// Makes text that can be used in an id or after '#': a-z, 0-9 and hyphens.
// Different texts may give the same.
std::string anchor(std::string_view text);

class Html {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  Html& open(std::string name, const Attributes& attributes = {});
  // closes the tag opened last; throws std::logic_error when none is open
  Html& close();
  Html& text(std::string_view text);
  // Text whose long names may be broken after / and _: not within an <svg>.
  Html& words(std::string_view text);
  Html& element(std::string name, std::string_view text,
                const Attributes& attributes = {});
  Html& single(std::string_view name,
               const Attributes& attributes = {});  // <meta ...>, <rect .../>
  Html& raw(std::string_view trusted);              // already HTML or SVG
  Html& line_break();  // in the source, for its readers

  const std::string& str() const { return text_; }

 private:
  void tag(std::string_view name, const Attributes& attributes,
           std::string_view end);

  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace parlab
