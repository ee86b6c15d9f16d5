#include "reference/declared_workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/random.hpp"
#include "core/roundoff.hpp"
#include "core/text.hpp"
#include "reference/timed_inputs.hpp"

namespace parlab::reference {
namespace {

// Copies an array into its other layout, in squares that fit a cache. Gaps are
// zeros.
template <typename T>
void lay_out(const T* first, std::int64_t count, T* other,
             std::int64_t with_gaps, const LayoutMap& map) {
  if (count < with_gaps)
    fill_parallel(other, with_gaps, [](auto) { return T{}; });
  constexpr std::int64_t edge = 32;
  const auto cols = map.pitch, rows = count / cols;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t r0 = 0; r0 < rows; r0 += edge) {
    for (std::int64_t c0 = 0; c0 < cols; c0 += edge) {
      for (auto c = c0; c < std::min(c0 + edge, cols); ++c) {
        for (auto r = r0; r < std::min(r0 + edge, rows); ++r)
          other[map.place_of(r * cols + c)] = first[r * cols + c];
      }
    }
  }
}

// Integers are whole in every kind, but as large as they may be where the
// numbers of other types are real.
struct Numbers {
  InputKind kind;
  std::int64_t whole;  // the largest
  std::int64_t terms;  // of a sum

  // thin: of wide inputs only few are not zero.
  template <typename T>
  void fill(const Array& array, std::uint64_t stream, bool thin) const {
    const auto drawn = [=, kind = kind, limit = WholeRange(whole),
                        some = FewTerms(terms)](std::int64_t i) {
      if constexpr (std::is_integral_v<T>) {
        return random_integer<T>(stream, i, limit);
      } else {
        if (kind == InputKind::integers)
          return random_integer<T>(stream, i, limit);
        if (kind == InputKind::uniform) return random_uniform<T>(stream, i);
        const bool zero = thin && !some.has(stream + 16, i);
        return zero ? T{} : random_wide<T>(stream, i);
      }
    };
    fill_parallel(static_cast<T*>(array.data), array.spec.count, drawn);
  }
};

// Where nothing says how the problem is built.
void write_ones(const Arrays& inputs) {
  for (const auto& input : inputs) {
    if (input.spec.is_structure) continue;
    dispatch_all(input.spec.dtype, [&]<typename T>(T) {
      fill_parallel(static_cast<T*>(input.data), input.spec.count,
                    [](auto) { return T(1); });
    });
  }
}

// The ends of an input, as bytes that no workload writes there.
struct Ends {
  static constexpr std::size_t length = 16;
  static constexpr std::uint64_t unwritten[] = {0x5bb5a3c96e17d24f,
                                                0xd8469be1722fc035};
  unsigned char* begin;
  unsigned char* last;

  explicit Ends(const Array& input)
      : begin(static_cast<unsigned char*>(input.data)),
        last(begin + input.spec.bytes() - length) {
    std::memcpy(begin, unwritten, length);
    std::memcpy(last, unwritten, length);
  }
  bool are_written() const {
    return std::memcmp(begin, unwritten, length) != 0 &&
           std::memcmp(last, unwritten, length) != 0;
  }
};

}  // namespace

double exact_in(Dtype dtype) {
  return is_integer(dtype) ? 0x1p31 - 2 : 1 / unit_roundoff(dtype);
}

bool all_bounded(const std::vector<ExpectedOutput>& outputs) {
  bool all = true;
  for (const auto& output : outputs) {
#pragma omp parallel for schedule(static) reduction(&& : all)
    for (std::int64_t i = 0; i < output.spec.count; ++i)
      all = all && std::isfinite(output.elements[i].bound);
  }
  return all;
}

std::vector<std::string_view> DeclaredWorkload::dimensions() const {
  auto names = declared_.extents;
  for (const auto& parameter : declared_.parameters)
    names.push_back(parameter.name);
  return names;
}

Size DeclaredWorkload::complete(const std::vector<std::int64_t>& typed) const {
  const auto& extents = declared_.extents;
  if (typed.size() == extents.size()) return typed;
  if (typed.size() == 1) return Size(extents.size(), typed[0]);
  const auto names = join(extents, " ");
  if (extents.size() == 1)
    throw UsageError(std::string(name()) + " takes one size (" + names + ")");
  throw UsageError(
      std::string(name()) + " takes one size (n" +
      (extents.size() == 2 ? " x n" : " in each direction") + ") or " +
      (extents.size() == 2 ? "two" : std::to_string(extents.size())) + " (" +
      names + ")");
}

Work DeclaredWorkload::work(const Size& size, Dtype dtype) const {
  if (declared_.work) return declared_.work(size, dtype);
  Work work{.flops = declared_.flops(size)};
  for (const auto& array : arrays(size, dtype)) {
    if (!array.layout_of.empty()) continue;
    const auto bytes = static_cast<double>(array.bytes());
    work.bytes += bytes;
    if (array.role == Role::output) work.written += bytes;
  }
  return work;
}

std::int64_t DeclaredWorkload::extent(std::string_view name,
                                      const Size& size) const {
  const auto names = dimensions();
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) {
    throw std::logic_error(std::string(declared_.name) +
                           ": an array has the dimension '" +
                           std::string(name) +
                           "', which is neither an extent "
                           "nor a parameter");
  }
  return size.at(at - names.begin());
}

std::int64_t DeclaredWorkload::columns(const ArraySpec& array,
                                       const Size& size) const {
  return array.shape.empty() ? 1 : extent(array.shape.back(), size);
}

std::vector<ArraySpec> DeclaredWorkload::arrays(const Size& size,
                                                Dtype dtype) const {
  std::vector<ArraySpec> all;
  for (const auto& array : declared_.arrays) {
    ArraySpec spec{.name = std::string(array.name),
                   .dtype = array.type ? array.type(dtype) : dtype,
                   .count = 1,
                   .role = array.role,
                   .layout_of = std::string(array.layout_of),
                   .shape = {array.shape.begin(), array.shape.end()},
                   .halo = array.halo ? array.halo(size) : 0,
                   .map = array.map ? array.map(size) : LayoutMap{},
                   .is_structure = array.structure != nullptr};
    for (const auto& name : array.shape)
      spec.count *= extent(name, size);
    if (array.count) spec.count = array.count(size);
    all.push_back(std::move(spec));
  }
  return all;
}

std::vector<ArraySpec> DeclaredWorkload::outputs_of(const Size& size,
                                                    Dtype dtype) const {
  auto outputs = arrays(size, dtype);
  std::erase_if(outputs, [](const ArraySpec& array) {
    return array.role != Role::output;
  });
  return outputs;
}

std::vector<ExpectedOutput> DeclaredWorkload::kept_outputs(const Size& size,
                                                           Dtype dtype) const {
  std::vector<ExpectedOutput> all;
  for (auto& spec : outputs_of(size, dtype)) {
    const auto count = spec.count, cols = columns(spec, size);
    Untouched<Expected> elements(count);
    fill_parallel(elements.data(), count, [](auto) { return kept; });
    all.push_back({std::move(spec), cols, std::move(elements)});
  }
  return all;
}

void DeclaredWorkload::require_declared(std::string_view array) const {
  std::string declared;
  for (const auto& each : declared_.arrays) {
    if (each.name == array) return;
    declared += (declared.empty() ? "" : ", ") + std::string(each.name);
  }
  throw std::logic_error(
      std::string(name()) + ": its arguments need the array '" +
      std::string(array) + "', but declared are " + declared);
}

void DeclaredWorkload::require_bounds(
    const std::vector<ExpectedOutput>& outputs, const Size& size) const {
  if (all_bounded(outputs)) return;
  for (const auto& output : outputs) {
    for (std::int64_t i = 0; i < output.spec.count; ++i) {
      if (std::isfinite(output.elements[i].bound)) continue;
      throw std::logic_error(
          std::string(name()) + " " + size_text(*this, size) + ": " +
          element_name(output, i) +
          " has no bound: on these inputs its loop divides by what may be 0, "
          "takes a root or logarithm of what may not be positive, or leaves "
          "the range of the type; see Functions in "
          "docs/how-to/adding-a-workload.md");
    }
  }
}

void DeclaredWorkload::require_proof(const std::vector<ExpectedOutput>& outputs,
                                     const Size& size) const {
  // One result may be near 0 by chance; so many are not.
  constexpr std::int64_t enough = 8;
  for (const auto& output : outputs) {
    std::int64_t hidden = 0;
    bool all = true;
    for (std::int64_t i = 0; i < output.spec.count && all; ++i) {
      const auto& [value, bound] = output.elements[i];
      if (value == 0 || std::isnan(value)) continue;
      all = std::abs(value) <= bound;
      ++hidden;
    }
    if (!all || hidden < enough) continue;
    throw std::logic_error(
        std::string(name()) + " " + size_text(*this, size) +
        ": zeros in place of " + output.spec.name +
        " would lie within its bound, so nothing could be proved. Say "
        "stored(value) of numbers that are finished and used again, or write "
        "an oracle; see docs/how-to/adding-a-workload.md");
  }
}

// Writes the arrays of structure, and says whether there are some.
bool DeclaredWorkload::write_structure(const Arrays& inputs,
                                       const Size& size) const {
  bool some = false;
  for (const auto& array : declared_.arrays) {
    if (!array.structure) continue;
    some = true;
    const auto& spec = inputs.spec(array.name);
    const bool fits = dispatch_all(spec.dtype, [&]<typename T>(T) {
      auto* const data = inputs.get<T>(array.name);
      bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all)
      for (std::int64_t i = 0; i < spec.count; ++i) {
        const auto element = array.structure(size, i);
        data[i] = static_cast<T>(element);
        all = all && static_cast<std::int64_t>(data[i]) == element;
      }
      return all;
    });
    if (!fits)
      throw UsageError(std::string(name()) + " " + size_text(*this, size) +
                       ": the elements of " + spec.name +
                       " are too large for its type, " +
                       std::string(to_string(spec.dtype)));
  }
  return some;
}

// All variants agree about inputs that nobody has written.
bool DeclaredWorkload::fills_all(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind) const {
  std::vector<std::pair<std::string_view, Ends>> all;
  for (const auto& input : inputs) {
    if (input.spec.role == Role::input && input.data != nullptr &&
        input.spec.layout_of.empty() && !input.spec.is_structure &&
        input.spec.bytes() >= Ends::length)
      all.emplace_back(input.spec.name, Ends(input));
  }
  if (!declared_.fill(inputs, size, dtype, kind)) return false;
  for (const auto& [array, ends] : all) {
    if (!ends.are_written()) {
      throw std::logic_error(
          std::string(name()) + ": fill() says that it has " +
          "written all inputs, but " + std::string(array) + " is not written");
    }
  }
  return true;
}

void DeclaredWorkload::fill_own(const Arrays& inputs, const Size& size,
                                Dtype dtype, InputKind kind) const {
  const bool is_built = write_structure(inputs, size);
  if (declared_.fill && fills_all(inputs, size, dtype, kind)) return;
  if (is_built) write_ones(inputs);  // it is learnt from these
  const std::int64_t most =
      kind == InputKind::integers ? largest_of_integers : 0x7fffffff;
  const Structure& learnt = structure(inputs, size, dtype);
  const Numbers numbers{kind, learnt.largest_whole(size, exact_in(dtype), most),
                        static_cast<std::int64_t>(learnt.terms(size))};
  std::uint64_t stream = 1;
  for (const auto& input : inputs) {
    if (!input.spec.layout_of.empty() || input.spec.is_structure) continue;
    dispatch_all(input.spec.dtype, [&]<typename T>(T) {
      numbers.fill<T>(input, stream, stream == 1);
    });
    ++stream;
  }
}

void DeclaredWorkload::fill(const Arrays& given, const Size& size, Dtype dtype,
                            InputKind kind) const {
  std::vector<Array> all(given.begin(), given.end());
  std::erase_if(
      all, [](const Array& array) { return array.spec.role == Role::output; });
  const Arrays inputs(std::move(all));
  const bool reshaped = is_timed_on(kind) && kind != InputKind::uniform;
  fill_own(inputs, size, dtype, reshaped ? InputKind::uniform : kind);
  std::uint64_t stream = 1;
  for (const auto& input : inputs) {
    if (reshaped && !input.spec.is_constant() && input.spec.layout_of.empty())
      reshape(input, kind, stream++);
  }
  for (const auto& input : inputs) {
    if (input.spec.layout_of.empty()) continue;
    dispatch_all(input.spec.dtype, [&]<typename T>(T) {
      auto* const data = static_cast<T*>(input.data);
      const std::string& first = input.spec.layout_of;
      if (input.spec.map.pitch == 0) {
        fill_parallel(data, input.spec.count, [](auto) { return T(1); });
      } else {
        lay_out(inputs.get<const T>(first), inputs.spec(first).count, data,
                input.spec.count, input.spec.map);
      }
    });
  }
}

Seen DeclaredWorkload::see(const Arrays&, const Size&, Dtype) const {
  if (!declared_.sums.terms)
    throw std::logic_error(std::string(name()) + " has no loop, and no sums");
  Seen seen;
  seen.degree = declared_.sums.degree;
  return seen;
}
Counted DeclaredWorkload::count(const Arrays&, const Size& size, Dtype) const {
  const double terms = declared_.sums.terms(size);
  return {terms, terms, 1};
}

// On problems of four and of eight elements along each extent, whose inputs
// are ones. Constants may be finer in a wider type. How long sums are depends
// on the arrays of structure, where there are some, or is declared: then it is
// counted on the problem itself.
const Structure& DeclaredWorkload::structure(const Arrays& problem,
                                             const Size& size,
                                             Dtype dtype) const {
  const bool is_built =
      declared_.sums.terms ||
      std::ranges::any_of(declared_.arrays,
                          [](const auto& array) { return !!array.structure; });
  const std::lock_guard lock(learning_);
  const std::pair key(is_built ? size : Size{}, dtype);
  if (const auto known = learnt_.find(key); known != learnt_.end())
    return known->second;

  const auto extents = declared_.extents.size();
  Size low(extents, 4), between(extents, 6), high(extents, 8);
  for (std::size_t i = 0; i < declared_.parameters.size(); ++i) {
    const auto& parameter = declared_.parameters[i];
    const auto next =
        std::min(parameter.min + parameter.multiple_of, parameter.max);
    low.push_back(is_built ? size[extents + i] : parameter.min);
    high.push_back(is_built ? size[extents + i] : next);
    between.push_back(low.back());
  }
  auto learnt = learn_structure(low, between, high, [&](const Size& small) {
    std::vector<std::vector<double>> memory;
    std::vector<Array> arrays_of_small;
    for (auto& spec : arrays(small, dtype)) {
      if (spec.role != Role::input) continue;
      auto& data = memory.emplace_back(spec.count);
      arrays_of_small.push_back({std::move(spec), data.data()});
    }
    const Arrays inputs(std::move(arrays_of_small));
    write_structure(inputs, small);
    write_ones(inputs);
    return see(inputs, small, dtype);
  });
  if (is_built) learnt.count_is(count(problem, size, dtype));
  return learnt_.emplace(key, std::move(learnt)).first->second;
}

}  // namespace parlab::reference
