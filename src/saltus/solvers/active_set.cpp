#include "saltus/solvers/active_set.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

std::size_t packed_size(std::size_t rows) { return rows * (rows + 1) / 2; }

}  // namespace

ActiveSet::ActiveSet(const ContactProblem& problem, SolverMemory& memory, Stop* stop)
    : problem_(problem),
      memory_(memory),
      stop_(stop),
      factor_(memory.factor),
      n_(static_cast<int>(problem.b.size())) {
  // Reserve for the largest active set, so that no later solve of this size allocates. Unwritten
  // pages of the factor cost nothing. More rows may be stored than the problem has now.
  const std::size_t n = std::max(static_cast<std::size_t>(n_), memory.active.size());
  memory.active.reserve(n);
  memory.factor.reserve(packed_size(n));
  if (memory.scratch.size() < 6 * n) memory.scratch.resize(6 * n);
  if (memory.scratch_rows.size() < 5 * n) memory.scratch_rows.resize(5 * n);
  p_ = memory.scratch.data();
  root_ = p_ + n;
  column_ = root_ + n;
  u_ = column_ + n;
  rotations_ = u_ + n;
  row_ = memory.scratch_rows.data();
  place_ = row_ + n;
  free_ = place_ + n;
  spare_ = free_ + n;
  work_ = spare_ + n;
  for (const Law& law : problem.laws)
    std::fill_n(free_ + law.first, law.size, law.kind == LawKind::equality ? 1 : 0);
}

void ActiveSet::begin(View p) {
  const bool known = problem_.W.constant() && !memory_.active.empty() &&
                     memory_.factor.size() == packed_size(memory_.active.size());
  if (!known) return restart(p);
  adopt();
  insert_free_rows();
}

void ActiveSet::restart(View p) {
  memory_.active.clear();
  memory_.changes = 0;
  factor_.clear();
  std::fill_n(place_, n_, -1);
  insert_free_rows();
  for (int i = 0; i < n_ && !stop_requested(stop_); ++i)
    if (p[i] > 0.0 && !free(i)) insert(i);
}

/// Row with this id, or -1. Contiguous ids, the common case, need no search.
int ActiveSet::find(int id) const {
  const auto ids = problem_.ids;
  if (n_ == 0 || id < ids.front() || id > ids.back()) return -1;
  if (ids.back() - ids.front() == n_ - 1) return id - ids.front();
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  return *at == id ? static_cast<int>(at - ids.begin()) : -1;
}

/// Rows that no longer exist are removed from the factor one by one.
void ActiveSet::adopt() {
  std::fill_n(place_, n_, -1);
  for (int place = size() - 1; place >= 0; --place) {
    const int i = find(memory_.active[static_cast<std::size_t>(place)]);
    const bool gone = i < 0 || active(i);
    row_[place] = gone ? -1 : i;
    if (gone) {
      erase(place);
    } else {
      place_[i] = place;
    }
  }
  for (int place = 0; place < size(); ++place) {
    place_[row_[place]] = place;
    root_[place] = std::sqrt(problem_.W.entry(row_[place], row_[place]));
  }
  if (memory_.changes > 4 * static_cast<std::uint64_t>(size()) + 200) refactor();
}

/// An equality row that depends on unilateral rows replaces the one most similar to it; one that
/// depends only on equality rows is redundant and stays out.
void ActiveSet::insert_free_rows() {
  for (int i = 0; i < n_ && !stop_requested(stop_); ++i) {
    if (!free(i) || active(i)) continue;
    while (!insert(i)) {
      const auto c = dependence(i);
      int most = -1;
      double largest = 0.0;
      for (int place = 0; place < size(); ++place) {
        const double share = std::abs(c[static_cast<std::size_t>(place)]) * root_[place];
        if (free(row_[place]) || !(share > largest)) continue;
        most = place;
        largest = share;
      }
      if (most < 0) break;
      erase(most);
    }
  }
}

void ActiveSet::refactor() {
  const int count = size();
  std::copy_n(row_, count, spare_);
  memory_.active.clear();
  memory_.changes = 0;
  factor_.clear();
  std::fill_n(place_, n_, -1);
  for (int k = 0; k < count && !stop_requested(stop_); ++k) insert(spare_[k]);
  memory_.changes = 0;
}

bool ActiveSet::insert(int row) {
  const int k = size();
  for (int j = 0; j < k; ++j) column_[j] = problem_.W.entry(row_[j], row);
  const double diagonal = problem_.W.entry(row, row);
  if (!factor_.append(column_, diagonal)) return false;
  memory_.active.push_back(problem_.ids[static_cast<std::size_t>(row)]);
  ++memory_.changes;
  row_[k] = row;
  place_[row] = k;
  root_[k] = std::sqrt(diagonal);
  return true;
}

// If row j leaves, the Schur complement of the row grows from 0 to c_j^2 S_jj <= c_j^2 W_jj.
std::span<const double> ActiveSet::dependence(int row) {
  factor_.backward(column_);
  const double limit = PackedCholesky::kDependent * std::max(problem_.W.entry(row, row), 0.0);
  for (int j = 0; j < size(); ++j) {
    const double share = column_[j] * root_[j];
    if (!(share * share > limit)) column_[j] = 0.0;
  }
  return {column_, static_cast<std::size_t>(size())};
}

void ActiveSet::erase(int place) {
  factor_.remove(place, rotations_);
  memory_.active.erase(memory_.active.begin() + place);
  memory_.changes = size() == 0 ? 0 : memory_.changes + 1;
  if (row_[place] >= 0) place_[row_[place]] = -1;
  for (int k = place; k < size(); ++k) {
    row_[k] = row_[k + 1];
    root_[k] = root_[k + 1];
    p_[k] = p_[k + 1];
    place_[row_[k]] = k;
  }
}

void ActiveSet::solve_impulses() {
  for (int j = 0; j < size(); ++j) p_[j] = -problem_.b[row_[j]];
  factor_.solve(p_);
}

double ActiveSet::evaluate_velocities() {
  Eigen::Map<Vector> u(u_, n_);
  u = problem_.b;
  sum_ = 0.0;
  for (int j = 0; j < size(); ++j) {
    sum_ += root_[j] * std::abs(p_[j]);
    problem_.W.column(row_[j], p_[j], u);
  }
  double worst = 0.0;
  for (int j = 0; j < size(); ++j) {
    const double allowed = kNoise * (std::abs(problem_.b[row_[j]]) + root_[j] * sum_);
    if (std::abs(u_[row_[j]]) > worst * allowed) worst = std::abs(u_[row_[j]]) / allowed;
  }
  return worst;
}

void ActiveSet::solve_velocities() {
  if (evaluate_velocities() <= 1.0) return;
  for (int j = 0; j < size(); ++j) column_[j] = -u_[row_[j]];
  factor_.solve(column_);
  for (int j = 0; j < size(); ++j) p_[j] += column_[j];
  evaluate_velocities();
}

double ActiveSet::noise(int row) const {
  const double root = std::sqrt(std::max(problem_.W.entry(row, row), 0.0));
  return kNoise * (std::abs(problem_.b[row]) + root * sum_);
}

double ActiveSet::depth(int row) const {
  return -u_[row] / std::sqrt(std::max(problem_.W.entry(row, row), 0.0));
}

void ActiveSet::write(Out p) const {
  p.setZero();
  for (int j = 0; j < size(); ++j)
    if (free(row_[j]) || p_[j] > 0.0) p[row_[j]] = p_[j];
}

}  // namespace saltus
