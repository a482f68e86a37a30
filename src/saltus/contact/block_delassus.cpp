#include "saltus/contact/block_delassus.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
int BlockMatrix::find(int c, int d) const {
  const auto begin = column.begin() + offset[at(c)], end = column.begin() + offset[at(c) + 1];
  const auto found = std::lower_bound(begin, end, d);
  return found != end && *found == d ? static_cast<int>(found - column.begin()) : -1;
}

void blocks_of(const ContactProblem& problem, BlockMatrix& out) {
  const Delassus& W = problem.W;
  if (const BlockMatrix* held = W.blocks()) {
    out = *held;
    return;
  }
  const Matrix* const dense = W.dense();
  const auto entry = [&](int i, int j) { return dense ? (*dense)(i, j) : W.entry(i, j); };
  out.first.assign(1, 0);
  for (const Law& law : problem.laws) out.first.push_back(law.first + law.size);
  expects(out.first.back() == W.rows(), "laws must cover the rows of the problem");
  out.offset.assign(1, 0);
  out.column.clear();
  out.start.clear();
  out.value.clear();
  for (const Law& c : problem.laws) {
    for (const Law& d : problem.laws) {
      bool filled = &c == &d;
      for (int j = 0; j < d.size && !filled; ++j)
        for (int i = 0; i < c.size && !filled; ++i)
          filled = entry(c.first + i, d.first + j) != 0.0 || entry(d.first + j, c.first + i) != 0.0;
      if (!filled) continue;
      out.column.push_back(static_cast<int>(&d - problem.laws.data()));
      out.start.push_back(out.value.size());
      for (int i = 0; i < c.size; ++i)
        for (int j = 0; j < d.size; ++j) out.value.push_back(entry(c.first + i, d.first + j));
    }
    out.offset.push_back(static_cast<int>(out.column.size()));
  }
}

void symmetrise(BlockMatrix& W) {
  for (int c = 0; c < W.contacts(); ++c)
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1] && W.column[at(k)] <= c; ++k) {
      const int d = W.column[at(k)];
      double* const block = &W.value[W.start[at(k)]];
      double* const mirror = &W.value[W.start[at(W.find(d, c))]];
      for (int i = 0; i < W.size(c); ++i)
        for (int j = 0; j < (d < c ? W.size(d) : i); ++j) {
          double &x = block[i * W.size(d) + j], &y = mirror[j * W.size(c) + i];
          x = y = 0.5 * (x + y);
        }
    }
}

void BlockDelassus::index() {
  contact_.resize(at(W.rows()));
  for (int c = 0; c < W.contacts(); ++c)
    for (int i = W.first[at(c)]; i < W.first[at(c) + 1]; ++i) contact_[at(i)] = c;
}

double BlockDelassus::entry(int i, int j) const {
  const int c = contact_[at(i)], d = contact_[at(j)], k = W.find(c, d);
  if (k < 0) return 0.0;
  return W.block(k)[(i - W.first[at(c)]) * W.size(d) + (j - W.first[at(d)])];
}

void BlockDelassus::column(int j, double p, Out u) const {
  const int d = contact_[at(j)], b = j - W.first[at(d)];
  for (int k = W.offset[at(d)]; k < W.offset[at(d) + 1]; ++k) {  // the pattern is symmetric
    const int c = W.column[at(k)], size = W.size(c);
    if (is_symmetric) {
      const double* row = W.block(k) + b * size;
      for (int i = 0; i < size; ++i) u[W.first[at(c)] + i] += p * row[i];
    } else {
      const double* block = W.block(W.find(c, d));
      for (int i = 0; i < size; ++i) u[W.first[at(c)] + i] += p * block[i * W.size(d) + b];
    }
  }
}

void BlockDelassus::apply(View p, Out u) const {
  for (int c = 0; c < W.contacts(); ++c) {
    const int size = W.size(c), first = W.first[at(c)];
    for (int i = 0; i < size; ++i) {
      double sum = 0.0;
      for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
        const int d = W.column[at(k)], width = W.size(d);
        const double* row = W.block(k) + i * width;
        const double* p_d = p.data() + W.first[at(d)];
        for (int j = 0; j < width; ++j) sum += row[j] * p_d[j];
      }
      u[first + i] = sum;
    }
  }
}

}  // namespace saltus
