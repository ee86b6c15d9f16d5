// How a page looks: on a screen, on a phone, on paper.
#pragma once

namespace parlab::page {

extern const char* const style;

}  // namespace parlab::page
