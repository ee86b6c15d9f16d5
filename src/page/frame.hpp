// What every page begins and ends with.
#pragma once

#include <string>

#include "page/html.hpp"

namespace parlab::page {

void begin_page(Html& html, const std::string& title);
std::string end_page(Html& html);
void link(Html& html, const std::string& to, const std::string& text);

}  // namespace parlab::page
