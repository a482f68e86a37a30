#include "saltus/linear_algebra/sparse_product.h"

#include <algorithm>
#include <array>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr int kRows = 256;          // rows processed at a time, so that they stay in the L1 cache
constexpr double kFullBlock = 1.5;  // largest storage by diagonals, relative to the entries

using Part = Eigen::Map<Vector>;
using ConstPart = Eigen::Map<const Vector>;

// Calls use(first, sum) for consecutive blocks of rows.
template <class Use>
void blocks(std::span<const ProductTerm> terms, Eigen::Index n, Use use) {
  std::array<double, kRows> room;
  for (int first = 0; first < n; first += kRows) {
    const int count = static_cast<int>(std::min<Eigen::Index>(kRows, n - first));
    Part sum(room.data(), count);
    sum.setZero();
    for (const ProductTerm& term : terms)
      if (term.scale != 0.0) term.A->add_rows(first, count, term.scale, term.x, room.data());
    use(first, sum);
  }
}

}  // namespace

SparseProduct::SparseProduct(const SparseMatrix& A) : n_(A.size()) {
  const auto offset = A.offset(), column = A.column();
  const auto n = static_cast<std::size_t>(n_);
  std::vector<char> used(n == 0 ? 0 : 2 * n - 1, 0);
  for (int i = 0; i < n_; ++i)
    for (int k = offset[index(i)]; k < offset[index(i) + 1]; ++k)
      if (column[index(k)] == i || A.value()[index(k)] != 0.0)
        used[index(column[index(k)] - i + n_ - 1)] = 1;
  for (std::size_t d = 0; d < used.size(); ++d)
    if (used[d]) shift_.push_back(static_cast<int>(d) - n_ + 1);
  if (shift_.empty()) shift_ = {0};
  by_diagonals_ = static_cast<double>(shift_.size() * n) <=
                  kFullBlock * static_cast<double>(std::max(column.size(), n));
  if (!by_diagonals_) {
    offset_.assign(offset.begin(), offset.end());
    column_.assign(column.begin(), column.end());
    value_.assign(A.value().begin(), A.value().end());
    return;
  }
  value_.assign(shift_.size() * n, 0.0);
  for (int i = 0; i < n_; ++i)
    for (int k = offset[index(i)]; k < offset[index(i) + 1]; ++k) {
      const auto d = std::ranges::lower_bound(shift_, column[index(k)] - i);
      if (d != shift_.end() && *d == column[index(k)] - i)
        value_[static_cast<std::size_t>(d - shift_.begin()) * n + index(i)] = A.value()[index(k)];
    }
}

void SparseProduct::add_diagonals(int first, int count, double scale, const double* x,
                                  double* y) const {
  struct Rows {
    int from, to;
    int size() const { return std::max(0, to - from); }
  };
  const auto inside = [&](std::size_t d) {  // rows in which diagonal d has entries
    return Rows{std::max(first, -shift_[d]), std::min(first + count, n_ - shift_[d])};
  };
  const auto into = [&](Rows r) { return Part(y + (r.from - first), r.size()); };
  const auto term = [&](std::size_t d, Rows r) {
    return ConstPart(value_.data() + d * index(n_) + r.from, r.size())
        .cwiseProduct(ConstPart(x + (r.from + shift_[d]), r.size()));
  };
  const auto add_one = [&](std::size_t d, Rows r) {
    if (r.size() > 0) into(r) += scale * term(d, r);
  };
  std::size_t d = 0;
  for (; d + 3 <= shift_.size(); d += 3) {  // three at a time, on the rows that all three have
    const Rows all{inside(d).from, inside(d + 2).to};
    if (all.size() > 0) into(all) += scale * (term(d, all) + term(d + 1, all) + term(d + 2, all));
    const int from = all.size() > 0 ? all.from : first + count, to = std::max(from, all.to);
    for (std::size_t k = d; k < d + 3; ++k) {
      add_one(k, {inside(k).from, std::min(inside(k).to, from)});
      add_one(k, {std::max(inside(k).from, to), inside(k).to});
    }
  }
  for (; d < shift_.size(); ++d) add_one(d, inside(d));
}

void SparseProduct::add_rows(int first, int count, double scale, const double* x, double* y) const {
  if (zero()) return;
  if (by_diagonals_) return add_diagonals(first, count, scale, x, y);
  const int* column = column_.data();
  const double* value = value_.data();
  for (int i = 0, k = offset_[index(first)]; i < count; ++i) {
    double row = 0.0;
    for (const int end = offset_[index(first + i) + 1]; k < end; ++k)
      row += value[k] * x[column[k]];
    y[i] += scale * row;
  }
}

double SparseProduct::inner(View x, View y) const {
  const ProductTerm term{this, 1.0, y.data()};
  double sum = 0.0;
  if (!zero())
    blocks({&term, 1}, x.size(), [&](int first, const Part& Ay) {
      sum += ConstPart(x.data() + first, Ay.size()).dot(Ay);
    });
  return sum;
}

void set_sum(std::span<const ProductTerm> terms, Out y) {
  blocks(terms, y.size(), [&](int first, const Part& sum) { y.segment(first, sum.size()) = sum; });
}

void add_sum(std::span<const ProductTerm> terms, Out y) {
  blocks(terms, y.size(), [&](int first, const Part& sum) { y.segment(first, sum.size()) += sum; });
}

void subtract_sum(std::span<const ProductTerm> terms, Out y) {
  blocks(terms, y.size(), [&](int first, const Part& sum) { y.segment(first, sum.size()) -= sum; });
}

}  // namespace saltus
