#include "saltus/solvers/equality_elimination.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/solvers/block_system.h"

namespace saltus {
namespace {

constexpr double kPivot = 1e-12;

}  // namespace

bool EqualityElimination::reduce(const ContactProblem& problem) {
  if (std::ranges::none_of(problem.laws,
                           [](const Law& law) { return law.kind == LawKind::equality; }))
    return false;
  read(problem);
  find_groups();
  redundant_ = 0;
  for (int g = 0; g < count_; ++g) {
    factorise(groups_[at(g)]);
    couple(groups_[at(g)]);
  }
  make_pattern();
  for (int g = 0; g < count_; ++g) subtract(groups_[at(g)]);
  finish();
  return true;
}

void EqualityElimination::read(const ContactProblem& problem) {
  blocks_of(problem, full_);
  full_b_ = problem.b;
  u_.resize(problem.b.size());
  symmetric_ = problem.W.symmetric();
  const bool named = std::ssize(problem.ids) == problem.b.size();
  expects(full_.rows() == problem.b.size() && full_.contacts() == std::ssize(problem.laws),
          "W, b and the laws differ in size");
  index_.assign(problem.laws.size(), -1);
  laws_.clear();
  ids_.clear();
  int rows = 0;
  for (const Law& law : problem.laws) {
    if (law.kind == LawKind::equality) continue;
    index_[at(static_cast<int>(&law - problem.laws.data()))] = static_cast<int>(laws_.size());
    laws_.push_back(law);
    laws_.back().first = rows;
    for (int i = law.first; i < law.first + law.size && named; ++i)
      ids_.push_back(problem.ids[at(i)]);
    rows += law.size;
  }
  b_.resize(rows);
  restrict(problem.b, b_);
}

void EqualityElimination::restrict(View p, Out reduced) const {
  Eigen::Index next = 0;
  for (int c = 0; c < full_.contacts(); ++c)
    for (int i = full_.first[at(c)]; index_[at(c)] >= 0 && i < full_.first[at(c) + 1]; ++i)
      reduced[next++] = p[i];
}

/// Finds groups of coupled equalities, ordered by their first contact, and contacts coupled to
/// them.
void EqualityElimination::find_groups() {
  count_ = 0;
  group_of_.assign(index_.size(), -1);
  mark_.assign(index_.size(), -1);
  for (int c = 0; c < full_.contacts(); ++c) {
    if (index_[at(c)] >= 0 || group_of_[at(c)] >= 0) continue;
    if (std::ssize(groups_) == count_) groups_.emplace_back();
    Group& group = groups_[at(count_)];
    group.row.clear();
    group.contact.clear();
    list_.clear();
    stack_.assign(1, c);
    group_of_[at(c)] = count_;
    while (!stack_.empty()) {
      const int e = stack_.back();
      stack_.pop_back();
      for (int i = full_.first[at(e)]; i < full_.first[at(e) + 1]; ++i) group.row.push_back(i);
      for (int k = full_.offset[at(e)]; k < full_.offset[at(e) + 1]; ++k) {
        const int d = full_.column[at(k)];
        if (index_[at(d)] >= 0) {
          if (mark_[at(d)] == count_) continue;
          mark_[at(d)] = count_;
          group.contact.push_back(d);
        } else if (group_of_[at(d)] < 0) {
          group_of_[at(d)] = count_;
          stack_.push_back(d);
        }
      }
    }
    std::ranges::sort(group.row);
    std::ranges::sort(group.contact);
    group.column.assign(1, 0);
    for (const int d : group.contact) group.column.push_back(group.column.back() + full_.size(d));
    group.width = group.column.back();
    ++count_;
  }
}

/// P S W_EE S P^T = L D U, S = scale, with diagonal pivots, the largest first.
void EqualityElimination::factorise(Group& group) {
  const int k = static_cast<int>(group.row.size());
  group.LDU.assign(at(k) * at(k), 0.0);
  group.scale.resize(at(k));
  group.t.resize(at(k));
  const auto A = [&](int i, int j) -> double& { return group.LDU[at(i) * at(k) + at(j)]; };
  mark_.assign(index_.size(), -1);  // first row of each contact in the group
  const auto contact_of = [&](int row) {
    return static_cast<int>(std::ranges::upper_bound(full_.first, row) - full_.first.begin()) - 1;
  };
  for (int i = 0; i < k; ++i) {
    const int c = contact_of(group.row[at(i)]);
    if (mark_[at(c)] < 0) mark_[at(c)] = i;
  }
  for (int i = 0; i < k; ++i) {
    const int c = contact_of(group.row[at(i)]), a = group.row[at(i)] - full_.first[at(c)];
    for (int m = full_.offset[at(c)]; m < full_.offset[at(c) + 1]; ++m) {
      const int d = full_.column[at(m)], width = full_.size(d);
      if (index_[at(d)] >= 0) continue;
      for (int j = 0; j < width; ++j) A(i, mark_[at(d)] + j) = full_.block(m)[a * width + j];
    }
    group.scale[at(i)] = A(i, i) > 0.0 ? 1.0 / std::sqrt(A(i, i)) : 0.0;
  }
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) A(i, j) *= group.scale[at(i)] * group.scale[at(j)];

  int s = 0;
  for (; s < k; ++s) {
    int best = s;
    for (int i = s + 1; i < k; ++i)
      if (A(i, i) > A(best, best)) best = i;
    if (!(A(best, best) > kPivot)) break;
    if (best != s) {
      for (int j = 0; j < k; ++j) std::swap(A(s, j), A(best, j));
      for (int i = 0; i < k; ++i) std::swap(A(i, s), A(i, best));
      std::swap(group.row[at(s)], group.row[at(best)]);
      std::swap(group.scale[at(s)], group.scale[at(best)]);
    }
    const double pivot = A(s, s);
    for (int i = s + 1; i < k; ++i) {
      const double l = A(i, s) / pivot;
      if (l != 0.0)
        for (int j = s + 1; j < k; ++j) A(i, j) -= l * A(s, j);
      A(i, s) = l;
    }
    for (int j = s + 1; j < k; ++j) A(s, j) /= pivot;
  }
  group.rank = s;
  redundant_ += k - s;
}

/// Y = L^-1 (S W_EC),  Z = U^-T (S W_CE^T), on the rows up to the rank
void EqualityElimination::couple(Group& group) {
  const int k = static_cast<int>(group.row.size()), rank = group.rank, width = group.width;
  group.Y.assign(at(rank) * at(width), 0.0);
  group.Z.assign(symmetric_ ? 0 : group.Y.size(), 0.0);
  for (int i = 0; i < rank; ++i) {
    const int row = group.row[at(i)];
    const int c =
        static_cast<int>(std::ranges::upper_bound(full_.first, row) - full_.first.begin()) - 1;
    const int a = row - full_.first[at(c)];
    double* const y = group.Y.data() + at(i) * at(width);
    for (int m = 0; m < std::ssize(group.contact); ++m) {
      const int d = group.contact[at(m)], size = full_.size(d), begin = group.column[at(m)];
      const int block = full_.find(c, d);
      if (block < 0) continue;
      for (int j = 0; j < size; ++j)
        y[begin + j] = group.scale[at(i)] * full_.block(block)[a * size + j];
      if (symmetric_) continue;
      const double* back = full_.block(full_.find(d, c));
      double* const z = group.Z.data() + at(i) * at(width);
      for (int j = 0; j < size; ++j)
        z[begin + j] = group.scale[at(i)] * back[j * full_.size(c) + a];
    }
  }
  const auto eliminate = [&](std::vector<double>& X, auto factor) {
    for (int i = 0; i < rank; ++i)
      for (int l = 0; l < i; ++l) {
        const double f = factor(i, l);
        if (f == 0.0) continue;
        double* const x = X.data() + at(i) * at(width);
        const double* const from = X.data() + at(l) * at(width);
        for (int j = 0; j < width; ++j) x[j] -= f * from[j];
      }
  };
  eliminate(group.Y, [&](int i, int l) { return group.LDU[at(i) * at(k) + at(l)]; });
  if (!symmetric_)
    eliminate(group.Z, [&](int i, int l) { return group.LDU[at(l) * at(k) + at(i)]; });
}

/// Creates W' with the values of W and blocks for contacts coupled in W or to the same group.
void EqualityElimination::make_pattern() {
  BlockMatrix& W = W_.W;
  W.first.assign(1, 0);
  W.offset.assign(1, 0);
  W.column.clear();
  W.start.clear();
  W.value.clear();
  for (const Law& law : laws_) W.first.push_back(law.first + law.size);
  mark_.assign(index_.size(), -1);
  stack_.clear();  // groups of each kept contact: pairs (contact, group), by contact
  for (int c = 0; c < full_.contacts(); ++c) {
    if (index_[at(c)] < 0) continue;
    list_.clear();
    const auto add = [&](int d) {
      if (mark_[at(d)] == c) return;
      mark_[at(d)] = c;
      list_.push_back(d);
    };
    add(c);
    for (int k = full_.offset[at(c)]; k < full_.offset[at(c) + 1]; ++k) {
      const int d = full_.column[at(k)];
      if (index_[at(d)] >= 0)
        add(d);
      else
        for (const int e : groups_[at(group_of_[at(d)])].contact) add(e);
    }
    std::ranges::sort(list_);
    for (const int d : list_) {
      const int k = full_.find(c, d), entries = full_.size(c) * full_.size(d);
      W.column.push_back(index_[at(d)]);
      W.start.push_back(W.value.size());
      if (k >= 0)
        W.value.insert(W.value.end(), full_.block(k), full_.block(k) + entries);
      else
        W.value.insert(W.value.end(), at(entries), 0.0);
    }
    W.offset.push_back(static_cast<int>(W.column.size()));
  }
  W_.is_symmetric = symmetric_;
  W_.index();
}

/// W' -= Z^T D^-1 Y, only the upper triangle if symmetric;  b' -= Z^T D^-1 L^-1 b_E
void EqualityElimination::subtract(const Group& group) {
  const int k = static_cast<int>(group.row.size()), width = group.width;
  const std::vector<double>& Z = symmetric_ ? group.Y : group.Z;
  BlockMatrix& W = W_.W;
  for (std::size_t m = 0; m < group.contact.size(); ++m) {
    const int c = index_[at(group.contact[m])], size = W.size(c);
    for (std::size_t l = symmetric_ ? m : 0; l < group.contact.size(); ++l) {
      const int d = index_[at(group.contact[l])], size_d = W.size(d);
      double* const block = W.value.data() + W.start[at(W.find(c, d))];
      for (int r = 0; r < group.rank; ++r) {
        const double pivot = group.LDU[at(r) * at(k) + at(r)];
        const double* const z = Z.data() + at(r) * at(width) + group.column[m];
        const double* const y = group.Y.data() + at(r) * at(width) + group.column[l];
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < size_d; ++j) block[i * size_d + j] -= z[i] / pivot * y[j];
      }
    }
  }
  double* const t = u_.data();  // L^-1 S b_E
  for (int i = 0; i < group.rank; ++i) {
    t[i] = group.scale[at(i)] * full_b_[group.row[at(i)]];
    for (int l = 0; l < i; ++l) t[i] -= group.LDU[at(i) * at(k) + at(l)] * t[l];
  }
  for (std::size_t m = 0; m < group.contact.size(); ++m) {
    const int c = index_[at(group.contact[m])];
    for (int r = 0; r < group.rank; ++r) {
      const double factor = t[r] / group.LDU[at(r) * at(k) + at(r)];
      const double* const z = Z.data() + at(r) * at(width) + group.column[m];
      for (int i = 0; i < W.size(c); ++i) b_[W.first[at(c)] + i] -= z[i] * factor;
    }
  }
}

/// Mirrors the upper triangle of a symmetric W' and clears rows that the equalities fix: the
/// remainder of their diagonal is round-off.
void EqualityElimination::finish() {
  BlockMatrix& W = W_.W;
  list_.assign(at(W.rows()), 0);  // rows that are fixed
  bool held = false;
  for (int c = 0; c < full_.contacts(); ++c) {
    const int kept = index_[at(c)];
    if (kept < 0) continue;
    const int size = W.size(kept);
    const double *before = full_.block(full_.find(c, c)), *now = W.block(W.find(kept, kept));
    for (int i = 0; i < size; ++i)
      if (!(now[i * (size + 1)] > kPivot * before[i * (size + 1)]))
        list_[at(W.first[at(kept)] + i)] = 1, held = true;
  }
  for (int c = 0; c < W.contacts(); ++c)
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
      const int d = W.column[at(k)], size = W.size(c), width = W.size(d);
      double* const block = W.value.data() + W.start[at(k)];
      const double* const mirror = W.block(W.find(d, c));
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < width; ++j) {
          if (symmetric_ && (d < c || (d == c && j < i)))
            block[i * width + j] = mirror[j * size + i];
          if (held && (list_[at(W.first[at(c)] + i)] || list_[at(W.first[at(d)] + j)]))
            block[i * width + j] = 0.0;
        }
    }
}

/// t <- U^-1 D^-1 L^-1 t
void EqualityElimination::solve_group(const Group& group, double* t) const {
  const int k = static_cast<int>(group.row.size());
  const auto A = [&](int i, int j) { return group.LDU[at(i) * at(k) + at(j)]; };
  for (int i = 0; i < group.rank; ++i)
    for (int l = 0; l < i; ++l) t[i] -= A(i, l) * t[l];
  for (int i = group.rank - 1; i >= 0; --i) {
    t[i] /= A(i, i);
    for (int l = i + 1; l < group.rank; ++l) t[i] -= A(i, l) * t[l];
  }
}

/// p_E = -W_EE^-1 (b_E + W_EC p_C); a second pass corrects the round-off of the first.
void EqualityElimination::recover(View reduced, Out p) {
  p.setZero();
  Eigen::Index next = 0;
  for (int c = 0; c < full_.contacts(); ++c)
    for (int i = full_.first[at(c)]; index_[at(c)] >= 0 && i < full_.first[at(c) + 1]; ++i)
      p[i] = reduced[next++];
  for (int pass = 0; pass < 2; ++pass) {
    BlockSystem::multiply(full_, p, u_);
    u_ += full_b_;
    for (int g = 0; g < count_; ++g) {
      Group& group = groups_[at(g)];
      for (int i = 0; i < group.rank; ++i)
        group.t[at(i)] = -group.scale[at(i)] * u_[group.row[at(i)]];
      solve_group(group, group.t.data());
      for (int i = 0; i < group.rank; ++i)
        p[group.row[at(i)]] += group.scale[at(i)] * group.t[at(i)];
    }
  }
}

}  // namespace saltus
