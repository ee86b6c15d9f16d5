// Enums whose values have names, one line for each value:
//
//   PARLAB_ENUM(Cache, "cache state", (hot, "hot"), (cold, "cold"))
//
// defines the enum and the table that core/enum_names.hpp reads for to_string()
// and from_string(). nvcc reads this header, so it includes nothing.
#pragma once

namespace parlab {

// what: noun for such a value in messages. names: by the value's number.
struct EnumTable {
  template <int n>
  constexpr EnumTable(const char* of, const char* const (&all)[n])
      : what(of), names(all), count(n) {}

  const char* what;
  const char* const* names;
  int count;
};

}  // namespace parlab

#define PARLAB_ENUM(Enum, what, ...)                             \
  enum class Enum { PARLAB_EACH(PARLAB_VALUE_OF, __VA_ARGS__) }; \
  inline constexpr const char* names_of_##Enum[] = {             \
      PARLAB_EACH(PARLAB_NAME_OF, __VA_ARGS__)};                 \
  constexpr parlab::EnumTable table_of(Enum) {                   \
    return parlab::EnumTable(what, names_of_##Enum);             \
  }
#define PARLAB_VALUE_OF(value, name) value,
#define PARLAB_NAME_OF(value, name) name,

// Applies a macro to each pair, at most 40. A macro that meets its own name
// stops there; it continues when its text is scanned again.
#define PARLAB_EACH(each, ...) PARLAB_SCAN(PARLAB_PAIRS(each, __VA_ARGS__))
#define PARLAB_PAIRS(each, pair, ...) \
  each pair __VA_OPT__(PARLAB_AGAIN PARLAB_NOTHING(each, __VA_ARGS__))
#define PARLAB_AGAIN() PARLAB_PAIRS
#define PARLAB_NOTHING ()
#define PARLAB_SCAN(...) \
  PARLAB_SCAN_B(PARLAB_SCAN_B(PARLAB_SCAN_B(__VA_ARGS__)))
#define PARLAB_SCAN_B(...) \
  PARLAB_SCAN_C(PARLAB_SCAN_C(PARLAB_SCAN_C(__VA_ARGS__)))
#define PARLAB_SCAN_C(...) \
  PARLAB_SCAN_D(PARLAB_SCAN_D(PARLAB_SCAN_D(__VA_ARGS__)))
#define PARLAB_SCAN_D(...) __VA_ARGS__
