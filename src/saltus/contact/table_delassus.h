// W of an island whose rows never change: a table for all candidate rows, from which each step
// selects some.
#pragma once
#include <vector>

#include "saltus/contact/delassus.h"

namespace saltus {

/// Rows `rows` (increasing) of the constant table D = S A^-1 S^T. Both must outlive this object.
class TableDelassus final : public Delassus {
 public:
  TableDelassus(const Matrix& D, std::span<const int> rows, bool symmetric)
      : D_(D),
        rows_(rows),
        symmetric_(symmetric),
        all_(static_cast<Eigen::Index>(rows.size()) == D.rows()) {}
  int rows() const override { return static_cast<int>(rows_.size()); }
  bool symmetric() const override { return symmetric_; }
  bool constant() const override { return true; }
  double entry(int i, int j) const override { return D_(at(i), at(j)); }
  void column(int j, double p, Out u) const override {
    const auto D = D_.col(at(j));
    if (all_)
      u += p * D;
    else
      for (int i = 0; i < rows(); ++i) u[i] += p * D[at(i)];
  }
  void apply(View p, Out u) const override {
    u.setZero();
    for (int j = 0; j < rows(); ++j)
      if (p[j] != 0.0) column(j, p[j], u);
  }

 private:
  int at(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  const Matrix& D_;
  std::span<const int> rows_;
  bool symmetric_, all_;
};

}  // namespace saltus
