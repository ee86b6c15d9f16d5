#include "record/lines.hpp"

#include <algorithm>
#include <cstring>

#include "core/name.hpp"

namespace parlab {

bool is_utf_16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

bool LineReader::next(Line& line) {
  line = {};
  bool any = false;
  while (!line.ended && (begin_ < end_ || refill())) {
    any = true;
    const char* from = block_.data() + begin_;
    const auto* newline =
        static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const std::size_t count =
        newline == nullptr ? end_ - begin_ : newline - from;
    const std::size_t room = longest - line.text.size();
    line.text.append(from, std::min(count, room));
    line.too_long |= count > room;
    line.ended = newline != nullptr;
    begin_ += count + (line.ended ? 1 : 0);
  }
  // Some editors put it at the start of a file. The file may have been appended
  // to another one, so look for it in every line.
  if (line.text.starts_with(byte_order_mark))
    line.text.erase(0, byte_order_mark.size());
  return any;
}

bool LineReader::refill() {
  in_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
  begin_ = 0;
  end_ = static_cast<std::size_t>(in_.gcount());
  return end_ > 0;
}

}  // namespace parlab
