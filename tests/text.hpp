// What tests ask of texts and messages; a check that fails prints them.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>

namespace parlab::testing {

inline boost::test_tools::assertion_result contains(const std::string& text,
                                                    const std::string& part) {
  boost::test_tools::assertion_result found(text.find(part) !=
                                            std::string::npos);
  if (!found) found.message() << "'" << part << "' is not in '" << text << "'";
  return found;
}

// The message of the Error that `action` throws; "" when it throws nothing.
template <typename Error, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace parlab::testing
