// How a page looks: on a screen, on a phone, on paper.
#pragma once

namespace parlab {

extern const char* const page_style;

}  // namespace parlab
