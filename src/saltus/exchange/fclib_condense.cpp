#include "saltus/exchange/fclib_condense.h"

#include <algorithm>

namespace saltus {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Sorts entries by columns, and by rows within each column.
std::vector<int> sort_by_column(std::vector<Entry>& entries, int columns) {
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.column, e.row); });
  std::vector<int> offset(at(columns) + 1, 0);
  for (const Entry& e : entries) ++offset[at(e.column) + 1];
  for (int j = 0; j < columns; ++j) offset[at(j) + 1] += offset[at(j)];
  return offset;
}

}  // namespace

bool condense(const SparseMatrix& M, std::span<const Entry> H, View f, View w,
              CondensedProblem& out) {
  // number of columns of M^-1 H computed at a time, which limits memory
  constexpr int kTogether = 64;
  const int n = M.size(), rows = static_cast<int>(w.size());
  std::vector<Entry> by_column(H.begin(), H.end());
  const std::vector<int> offset = sort_by_column(by_column, rows);
  const auto H_T = [&](int i, const auto& x) {  // (H^T x)_i
    double sum = 0.0;
    for (int k = offset[at(i)]; k < offset[at(i) + 1]; ++k)
      sum += by_column[at(k)].value * x[by_column[at(k)].row];
    return sum;
  };
  SparseOperator factor;
  factor.factorise(M);

  Matrix X = f;
  factor.solve(X);
  if (!X.allFinite()) return false;
  out.b = w;
  for (int i = 0; i < rows; ++i) out.b[i] += H_T(i, X.col(0));
  if (!out.b.allFinite()) return false;

  out.W.clear();
  for (int first = 0; first < rows; first += kTogether) {
    const int count = std::min(kTogether, rows - first);
    X.setZero(n, count);
    for (int k = offset[at(first)]; k < offset[at(first + count)]; ++k)
      X(by_column[at(k)].row, by_column[at(k)].column - first) += by_column[at(k)].value;
    factor.solve(X);
    if (!X.allFinite()) return false;
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < rows; ++i)
        if (const double value = H_T(i, X.col(j)); value != 0.0)
          out.W.push_back({i, first + j, value});
  }
  if (!M.symmetric()) return true;
  // (W + W^T)/2: the remaining asymmetry is round-off. The two sums have the same terms.
  const std::size_t entries = out.W.size();
  for (std::size_t k = 0; k < entries; ++k) {
    Entry& e = out.W[k];
    e.value *= 0.5;
    out.W.push_back({e.column, e.row, e.value});
  }
  return true;
}

}  // namespace saltus
