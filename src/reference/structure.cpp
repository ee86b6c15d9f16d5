#include "reference/structure.hpp"

#include <cmath>
#include <iterator>

namespace parlab::reference {
namespace {

// Set while a loop is learnt from: one at a time, on one thread.
Seen* stored_on_the_way = nullptr;

using Inputs = std::vector<const void*>;

Inputs both(const Inputs& a, const Inputs& b) {
  Inputs all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

bool meet(const Inputs& a, const Inputs& b) {
  return both(a, b).size() < a.size() + b.size();
}

// The part that a sum and a product of these share.
Symbol made_of(const Symbol& a, const Symbol& b) {
  Symbol made;
  made.inputs = both(a.inputs, b.inputs);
  made.once = a.once && b.once && !meet(a.inputs, b.inputs);
  made.own = both(a.own, b.own);
  made.behind = both(a.behind, b.behind);
  made.apart = a.apart && b.apart && !meet(a.own, b.own);
  made.squares = a.squares || b.squares;
  made.alone = a.alone && b.alone;
  return made;
}

bool read_the_same_input(const Symbol& a, const Symbol& b) {
  Inputs of_both;
  std::ranges::set_intersection(a.own, b.own, std::back_inserter(of_both));
  return meet(of_both, a.inputs);
}

bool share_behind(const Symbol& a, const Symbol& b) {
  return meet(a.own, b.behind) || meet(a.behind, b.own);
}

}  // namespace

Symbol Symbol::read(double, const void* input) {
  Symbol read(1);
  read.inputs = read.own = {input};
  read.degree = 1;
  return read;
}

Symbol operator+(const Symbol& a, const Symbol& b) {
  Symbol sum = made_of(a, b);
  sum.apart = sum.apart && !share_behind(a, b);
  sum.alone = sum.alone && !read_the_same_input(a, b);
  sum.reads =
      (a.reads || a.count.terms == 0) && (b.reads || b.count.terms == 0);
  sum.degree = std::max(a.degree, b.degree);
  sum.count = a.count + b.count;
  return sum;
}

Symbol operator*(const Symbol& a, const Symbol& b) {
  Symbol product = made_of(a, b);
  product.squares = product.squares || share_behind(a, b);
  product.reads = a.reads || b.reads;
  product.degree = a.degree + b.degree;
  product.count = a.count * b.count;
  return product;
}

Symbol Symbol::computed(const Symbol& a, const Symbol& b, bool is_real) {
  Symbol made = stored(a) + stored(b);
  made.once = made.apart = false;
  made.count = is_real ? Counted(1) : max(a.count, b.count);
  made.count.terms = 1;
  if (stored_on_the_way != nullptr && is_real)
    stored_on_the_way->is_real = true;
  return made;
}

Symbol stored(const Symbol& a) {
  if (stored_on_the_way == nullptr) return a;
  stored_on_the_way->add(a);
  stored_on_the_way->stores = true;
  Symbol again = a;
  again.count.terms = a.count.terms > 0;
  again.own = {&stored_on_the_way->names.emplace_back()};
  again.behind = a.own;
  again.apart = a.apart && a.reads && a.behind.empty();
  again.reads = false;
  again.alone = true;
  return again;
}

void Seen::add(const Symbol& symbol) {
  once = once && symbol.once;
  apart = apart && symbol.apart && !symbol.squares && symbol.reads;
  alone = alone && symbol.alone;
  degree = std::max(degree, symbol.degree);
  add(symbol.count);
}

void Seen::add(const Counted& count) {
  terms = std::max(terms, count.terms);
  most = std::max(most, count.most);
  finest = std::max(finest, -std::log2(count.grain));
}

ByExtents::ByExtents(Size low, const Size& high, std::vector<double> values)
    : low_(std::move(low)), coefficients_(std::move(values)) {
  for (std::size_t i = 0; i < low_.size(); ++i) {
    const auto bit = std::size_t{1} << i;
    const auto between = static_cast<double>(high[i] - low_[i]);
    for (std::size_t at = 0; at < coefficients_.size(); ++at) {
      if ((at & bit) == 0) continue;
      auto& here = coefficients_[at];
      here = between == 0 ? 0 : (here - coefficients_[at - bit]) / between;
    }
  }
}

double ByExtents::operator()(const Size& size) const {
  double sum = 0;
  for (std::size_t at = 0; at < coefficients_.size(); ++at) {
    double product = coefficients_[at];
    for (std::size_t i = 0; i < low_.size(); ++i) {
      if ((at >> i & 1) == 0) continue;
      // Sums of smaller problems are no longer.
      product *= static_cast<double>(std::max(size[i], low_[i]) - low_[i]);
    }
    sum += product;
  }
  return sum;
}

void Structure::count_is(const Counted& count) {
  terms_of_outputs = count.terms;
  most = count.most;
  finest = -std::log2(count.grain);
}

double Structure::largest_sum(const Size& size) const {
  return std::max(most(size), 1.0) * std::exp2(std::max(finest(size), 0.0));
}

std::int64_t Structure::largest_whole(const Size& size, double exact,
                                      std::int64_t most_wanted) const {
  const double largest =
      std::pow(exact / largest_sum(size), 1.0 / std::max(degree, 1));
  // A root that is whole may come out a little smaller.
  return static_cast<std::int64_t>(
      std::clamp(std::floor(largest * (1 + 0x1p-50)), 1.0,
                 static_cast<double>(most_wanted)));
}

Structure learn_structure(const Size& low, const Size& between,
                          const Size& high,
                          const std::function<Seen(const Size&)>& run) {
  std::vector<double> of_outputs, of_stored, most, finest, rows;
  Seen last;
  for (std::size_t corner = 0; corner < std::size_t{1} << low.size();
       ++corner) {
    Size size = low;
    for (std::size_t i = 0; i < size.size(); ++i) {
      if ((corner >> i & 1) != 0) size[i] = high[i];
    }
    Seen stored;
    stored_on_the_way = &stored;
    rows.push_back(count_rows([&] { last = run(size); }));
    stored_on_the_way = nullptr;
    last.stores = stored.stores;
    last.is_real = stored.is_real;
    last.apart = last.apart && stored.apart;
    last.alone = last.alone && stored.alone;
    of_outputs.push_back(last.terms);
    of_stored.push_back(stored.terms);
    most.push_back(std::max(last.most, stored.most));
    finest.push_back(std::max(last.finest, stored.finest));
  }
  ByExtents by_rows(low, high, std::move(rows));
  if (count_rows([&] { run(between); }) < 0.95 * by_rows(between)) by_rows = -1;
  return {.once = last.once && !last.stores,
          .stores = last.stores,
          .is_real = last.is_real,
          .apart = last.apart,
          .alone = last.alone,
          .degree = last.degree,
          .terms_of_outputs = {low, high, std::move(of_outputs)},
          .terms_of_stored = {low, high, std::move(of_stored)},
          .most = {low, high, std::move(most)},
          .finest = {low, high, std::move(finest)},
          .rows = std::move(by_rows)};
}

}  // namespace parlab::reference
