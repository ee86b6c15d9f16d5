// The version, commit and flags of this program's build.
#pragma once

#include <string_view>

namespace parlab {

std::string_view build_version();  // as in the file VERSION: "1.0"
// "dba5c3b1f0", with "+changes" when the tree was not clean
std::string_view build_commit();
std::string_view build_flags();  // the compilers and their flags

}  // namespace parlab
