// Questions of tests about texts and messages; a failing check prints them.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "render/words.hpp"

namespace parlab {
inline std::ostream& operator<<(std::ostream& out, const Detail& detail) {
  return out << words(detail);
}
}  // namespace parlab

namespace parlab::testing {

inline boost::test_tools::assertion_result contains(const std::string& text,
                                                    const std::string& part) {
  boost::test_tools::assertion_result found(text.find(part) !=
                                            std::string::npos);
  if (!found) found.message() << "'" << part << "' is not in '" << text << "'";
  return found;
}

inline boost::test_tools::assertion_result contains(const Detail& detail,
                                                    const std::string& part) {
  return contains(words(detail), part);
}

// The message of the Error that `action` throws; "" if it throws nothing.
template <typename Error, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    if constexpr (std::is_base_of_v<ExplainedError, Error>) {
      return words(error.detail);
    } else {
      return error.what();
    }
  }
  return "";
}

// Whether it, or one of its further details, has this cause.
inline bool has(const Detail& detail, Cause cause) {
  return detail.cause == cause ||
         std::any_of(detail.further.begin(), detail.further.end(),
                     [&](const Detail& more) { return has(more, cause); });
}

}  // namespace parlab::testing
