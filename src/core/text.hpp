// Small helpers for text and numbers that users type and read.
#pragma once

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parlab {

std::vector<std::string> split(std::string_view text, char separator);
// text_of: returns the text of a part.
template <typename Parts, typename TextOf = std::identity>
std::string join(Parts&& parts, std::string_view separator,
                 TextOf text_of = {}) {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!std::exchange(first, false)) text += separator;
    text += std::invoke(text_of, part);
  }
  return text;
}
inline std::string join(const std::vector<std::string>& parts,
                        std::string_view separator) {
  return join(parts, separator, std::identity());
}
// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names);
// The text_of for values of enums, sizes and tunables.
inline constexpr auto as_text = [](const auto& value) {
  return to_string(value);
};

// The number that the whole text is.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// 4143.2 with 3 digits: "4143"; 0.01234: "0.0123", or "0.012"
// with at most 3 decimals.
std::string significant(double value, int digits, int most_decimals = 300);
// "0.05%", "1.2%", "95%": at most 2 decimals
std::string percent(double fraction);
std::string bytes_with_unit(double bytes);  // "3.6 TiB"
// "45 s", "3 min 20 s", "2 h 5 min", "10.4 days"
std::string time_span(double seconds);

// The words of a command, split as in a shell: at blanks that are neither
// quoted nor after a backslash.
std::vector<std::string> shell_words(std::string_view command);
// The word quoted so that shell_words() and a shell read it back.
std::string shell_quoted(const std::string& word);

// An option or variable as the user wrote it: "--block 2000",
// "GPU_BLOCK_SIZE=2000", "size 0".
std::string as_written(std::string_view name, std::string_view value);

// Smallest number of insertions, deletions and replacements (Levenshtein
// distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// "; did you mean 'coalesced'?" if a candidate is similar enough, else "".
std::string did_you_mean(std::string_view typed,
                         const std::vector<std::string>& candidates);

// Number of UTF-8 characters.
std::size_t length_of(std::string_view text);

// Lines of at most width characters, broken at spaces; longer words are cut.
// Never empty.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace parlab
