#include "saltus/linear_algebra/block_lu.h"

#include <algorithm>

#include "saltus/linear_algebra/dense_front.h"
#include "saltus/math/kernels.h"

namespace saltus {
namespace {

/// Grows v to at least `size` elements; never shrinks it.
template <class T>
void grow_to(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) v.resize(size);
}

}  // namespace

void BlockLu::begin(const int* size) {
  const int n = pattern_->nodes();
  size_.assign(size, size + n);
  grow_to(row_, at(n) + 1);
  grow_to(local_, at(n));
  row_[0] = 0;
  for (int i = 0; i < n; ++i) row_[at(i) + 1] = row_[at(i)] + size[i];
  const auto rows = [&](std::span<const int> nodes) {
    int sum = 0;
    for (const int i : nodes) sum += size[i];
    return sum;
  };
  fronts_.clear();
  std::size_t factor = 0, exchange = 0, stack = 0, deepest = 0;
  int widest = 0, border = 0;
  updates_.clear();
  for (int s = 0; s < pattern_->fronts(); ++s) {
    const int p = rows(pattern_->pivots(s)), q = rows(pattern_->border(s));
    fronts_.push_back({factor, factor + at(p) * at(p + q), exchange, p, q});
    factor += at(p) * at(p + 2 * q);
    exchange += at(p);
    for (int c = 0; c < pattern_->children(s); ++c) {
      stack = updates_.back().begin;
      updates_.pop_back();
    }
    updates_.push_back({stack, s});
    stack += at(q) * at(q);
    deepest = std::max(deepest, stack);
    widest = std::max(widest, p + q);
    border = std::max(border, q);
  }
  updates_.clear();
  grow_to(factor_, factor);
  grow_to(exchange_, exchange);
  grow_to(stack_, deepest);
  grow_to(F22_, at(border) * at(border));
  grow_to(index_, at(border));
  grow_to(x_, at(widest));
  grow_to(product_, at(widest));
}

void BlockLu::assemble(int s, const Front& front, const int* size, const double* value,
                       const std::size_t* start) {
  const int p = front.p, q = front.q, m = p + q;
  int next = 0;
  for (const int i : pattern_->pivots(s)) local_[at(i)] = next, next += size[i];
  for (const int i : pattern_->border(s)) local_[at(i)] = next, next += size[i];
  double* const upper = factor_.data() + front.upper;
  double* const lower = factor_.data() + front.lower;
  std::fill(upper, upper + at(p) * at(p + 2 * q), 0.0);
  std::fill(F22_.begin(), F22_.begin() + static_cast<std::ptrdiff_t>(at(q) * at(q)), 0.0);
  const auto put = [&](int i, int j, const double* block) {
    const int row = local_[at(i)], column = local_[at(j)], rows = size[i], width = size[j];
    for (int a = 0; a < rows; ++a) {
      double* const to = row < p ? upper + static_cast<std::ptrdiff_t>(row + a) * m + column
                                 : lower + static_cast<std::ptrdiff_t>(row - p + a) * p + column;
      for (int b = 0; b < width; ++b) to[b] = block[a * width + b];
    }
  };
  for (const int i : pattern_->pivots(s)) {
    if (size[i] == 0) continue;
    for (const auto& [to, out, in] : pattern_->couplings(i)) {
      if (size[to] == 0) continue;
      put(i, to, value + start[out]);
      if (to != i) put(to, i, value + start[in]);
    }
  }
}

/// Adds F22 of a child front.
void BlockLu::extend(const Update& child, const Front& front) {
  const int p = front.p, q = front.q, m = p + q;
  int rows = 0;
  for (const int i : pattern_->border(child.front))
    for (int a = 0; a < size_[at(i)]; ++a) index_[at(rows++)] = local_[at(i)] + a;
  int inside = 0;  // rows of the child that are pivots of this front come first
  while (inside < rows && index_[at(inside)] < p) ++inside;
  const double* from = stack_.data() + child.begin;
  for (int a = 0; a < rows; ++a, from += rows) {
    const int row = index_[at(a)];
    if (row < p) {
      double* const to = factor_.data() + front.upper + at(row) * at(m);
      for (int b = 0; b < rows; ++b) to[index_[at(b)]] += from[b];
    } else {
      double* const left = factor_.data() + front.lower + at(row - p) * at(p);
      double* const right = F22_.data() + at(row - p) * at(q);
      for (int b = 0; b < inside; ++b) left[index_[at(b)]] += from[b];
      for (int b = inside; b < rows; ++b) right[index_[at(b)] - p] += from[b];
    }
  }
}

bool BlockLu::factorise(const BlockPattern& pattern, const int* size, const double* value,
                        const std::size_t* start, Stop* stop) {
  pattern_ = &pattern;
  begin(size);
  for (int s = 0; s < pattern.fronts(); ++s) {
    const Front& front = fronts_[at(s)];
    assemble(s, front, size, value, start);
    std::size_t end = updates_.empty() ? 0 : updates_.back().begin + [&] {
      const int q = fronts_[at(updates_.back().front)].q;
      return at(q) * at(q);
    }();
    for (int c = 0; c < pattern.children(s); ++c) {
      extend(updates_.back(), front);
      end = updates_.back().begin;
      updates_.pop_back();
    }
    if (!eliminate(front.p, front.q, factor_.data() + front.upper, factor_.data() + front.lower,
                   F22_.data(), exchange_.data() + front.exchange, stop))
      return false;
    std::copy_n(F22_.data(), at(front.q) * at(front.q), stack_.data() + end);
    updates_.push_back({end, s});
  }
  return true;
}

void BlockLu::solve(double* x) {
  const auto gather = [&](int s) {
    double* to = x_.data();
    for (const auto nodes : {pattern_->pivots(s), pattern_->border(s)})
      for (const int i : nodes)
        for (int a = row_[at(i)]; a < row_[at(i) + 1]; ++a) *to++ = x[a];
  };
  const auto scatter = [&](int s, bool border) {
    const double* from = x_.data();
    for (const int i : pattern_->pivots(s))
      for (int a = row_[at(i)]; a < row_[at(i) + 1]; ++a) x[a] = *from++;
    if (border)
      for (const int i : pattern_->border(s))
        for (int a = row_[at(i)]; a < row_[at(i) + 1]; ++a) x[a] = *from++;
  };
  double* const z = x_.data();
  for (int s = 0; s < pattern_->fronts(); ++s) {  // L y = P x
    const auto& [upper, lower, exchange, p, q] = fronts_[at(s)];
    if (p == 0) continue;
    const int m = p + q;
    gather(s);
    for (int i = 0; i < p; ++i) std::swap(z[i], z[exchange_[exchange + at(i)]]);
    for (int i = 1; i < p; ++i) {
      const double* const l = factor_.data() + upper + at(i) * at(m);
      double sum = 0.0;
      for (int j = 0; j < i; ++j) sum += l[j] * z[j];
      z[i] -= sum;
    }
    multiply_rows(factor_.data() + lower, p, q, p, z, product_.data());
    for (int i = 0; i < q; ++i) z[p + i] -= product_[at(i)];
    scatter(s, true);
  }
  for (int s = pattern_->fronts() - 1; s >= 0; --s) {  // U x = y
    const auto& [upper, lower, exchange, p, q] = fronts_[at(s)];
    if (p == 0) continue;
    const int m = p + q;
    gather(s);
    multiply_rows(factor_.data() + upper + p, m, p, q, z + p, product_.data());
    for (int i = p - 1; i >= 0; --i) {
      const double* const u = factor_.data() + upper + at(i) * at(m);
      double sum = product_[at(i)];
      for (int j = i + 1; j < p; ++j) sum += u[j] * z[j];
      z[i] = (z[i] - sum) / u[i];
    }
    scatter(s, false);
  }
}

void BlockLu::inverse(double* value, const std::size_t* start) {
  const int fronts = pattern_->fronts();
  parent_.assign(at(fronts), -1);
  place_.clear();
  waiting_.clear();
  std::size_t end = 0, widest = 0, work = 0;
  for (int s = 0; s < fronts; ++s) {
    for (int c = 0; c < pattern_->children(s); ++c) {
      parent_[at(waiting_.back())] = s;
      waiting_.pop_back();
    }
    waiting_.push_back(s);
    const std::size_t m = at(fronts_[at(s)].p + fronts_[at(s)].q);
    place_.push_back(end);
    end += m * m;
    widest = std::max(widest, m);
    work = std::max(work, invert_work(fronts_[at(s)].p, fronts_[at(s)].q));
  }
  grow_to(Z_, end);
  grow_to(X_, work);
  grow_to(Y_, widest * widest);
  const auto number = [&](int s) {
    int next = 0;
    for (const auto nodes : {pattern_->pivots(s), pattern_->border(s)})
      for (const int i : nodes) local_[at(i)] = next, next += size_[at(i)];
  };
  for (int s = fronts - 1; s >= 0; --s) {
    const Front& front = fronts_[at(s)];
    const int m = front.p + front.q;
    if (front.q > 0) {
      const Front& above = fronts_[at(parent_[at(s)])];
      const double* const from = Z_.data() + place_[at(parent_[at(s)])];
      number(parent_[at(s)]);
      int rows = 0;
      for (const int i : pattern_->border(s))
        for (int a = 0; a < size_[at(i)]; ++a) index_[at(rows++)] = local_[at(i)] + a;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
          Y_[at(i * rows + j)] = from[index_[at(i)] * (above.p + above.q) + index_[at(j)]];
    }
    double* const Z = Z_.data() + place_[at(s)];
    invert(front.p, front.q, factor_.data() + front.upper, exchange_.data() + front.exchange,
           Y_.data(), Z, X_.data());
    number(s);
    for (const int i : pattern_->pivots(s))
      for (const auto& [to, out, in] : pattern_->couplings(i)) {
        const int row = local_[at(i)], column = local_[at(to)];
        const int rows = size_[at(i)], columns = size_[at(to)];
        for (int a = 0; a < rows; ++a)
          for (int b = 0; b < columns; ++b) {
            const double z = Z[(row + a) * m + column + b];
            value[start[out] + at(a * columns + b)] = z;
            if (to != i) value[start[in] + at(b * rows + a)] = z;
          }
      }
  }
}

}  // namespace saltus
