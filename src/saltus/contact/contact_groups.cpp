#include "saltus/contact/contact_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/body_blocks.h"

namespace saltus {
namespace {

/// rho W_NN. A single contact is more compliant than the same contact among its neighbours. 5
/// instead of 1 saves half of the Newton steps on capsules and spheres; 50 doubles them on towers.
constexpr double kStep = 5.0;

}  // namespace

void ContactGroups::assign(const ContactProblem& problem) {
  source_ = problem.W.blocks();
  if (!source_) {
    if (const BodyRows* H = problem.W.bodies())
      blocks_of_bodies(*H, held_, touch_);
    else
      blocks_of(problem, held_);
    source_ = &held_;
  }
  expects(source_->contacts() == std::ssize(problem.laws) && source_->rows() == problem.b.size(),
          "the blocks of W must be those of the laws");
  split(problem);
  order_by_groups();
  fill(problem);
  scale(problem);
}

/// Pieces are the contacts with friction, and the single rows of all other laws.
void ContactGroups::split(const ContactProblem& problem) {
  pieces_.clear();
  law_.clear();
  piece_begin_.assign(1, 0);
  for (const Law& law : problem.laws) {
    const int c = static_cast<int>(&law - problem.laws.data());
    GroupedContact piece{.size = law.size, .row = law.first, .cone = Cone(law)};
    if (law.coupled()) {
      expects(
          law.kind == LawKind::coulomb ? law.size <= 3 : law.size >= 3 && law.size <= kContactRows,
          "a coulomb contact has 1 to 3 rows, a rolling contact 3 to 6");
      piece.forces = law.forces();
      if (piece.moments()) piece.length = length(c, law);
      piece.cone = Cone(law, piece.length);
      pieces_.push_back(piece);
      law_.push_back(c);
    } else {
      piece.size = 1;
      for (int i = 0; i < law.size; ++i) {
        piece.row = law.first + i;
        pieces_.push_back(piece);
        law_.push_back(c);
      }
    }
    piece_begin_.push_back(static_cast<int>(pieces_.size()));
  }
}

double ContactGroups::length(int c, const Law& law) const {
  const double* const W_cc = source_->block(source_->find(c, c));
  const int force = law.forces();
  double sum = 0.0, sum_R = 0.0;
  for (int i = 0; i < law.size; ++i)
    (i < force ? sum : sum_R) += std::max(W_cc[i * law.size + i], 0.0);
  if (sum > 0.0 && sum_R > 0.0) return std::sqrt(sum / force * (law.size - force) / sum_R);
  return law.rolling > 0.0 ? law.rolling : law.spinning > 0.0 ? law.spinning : 1.0;
}

/// Contacts by groups, groups by their first contact, both in the given order.
void ContactGroups::order_by_groups() {
  const int n = static_cast<int>(pieces_.size());
  root_.resize(at(n));
  std::iota(root_.begin(), root_.end(), 0);
  const auto find = [&](int i) {
    while (root_[at(i)] != i) i = root_[at(i)] = root_[at(root_[at(i)])];
    return i;
  };
  for (int i = 0; i < n; ++i) {
    const int c = law_[at(i)];
    for (int k = source_->offset[at(c)]; k < source_->offset[at(c) + 1]; ++k) {
      const int d = source_->column[at(k)];
      if (d < c) continue;
      for (int j = piece_begin_[at(d)]; j < piece_begin_[at(d) + 1]; ++j) {
        const int one = find(i), two = find(j);
        if (one != two)
          root_[at(std::max(one, two))] = std::min(one, two);  // the root is the first contact
      }
    }
  }
  // counting sort by group
  count_.assign(at(n), 0);
  begin.assign(1, 0);
  for (int i = 0; i < n; ++i) ++count_[at(root_[at(i)] = find(i))];
  for (int i = 0; i < n; ++i)
    if (root_[at(i)] == i) {
      const int first = begin.back();
      begin.push_back(first + count_[at(i)]);
      count_[at(i)] = first;
    }
  place_.resize(at(n));
  contacts.resize(at(n));
  for (int i = 0; i < n; ++i) place_[at(i)] = count_[at(root_[at(i)])]++;
  for (int i = 0; i < n; ++i) contacts[at(place_[at(i)])] = pieces_[at(i)];
  W.first.assign(1, 0);
  for (GroupedContact& c : contacts) {
    c.first = W.first.back();
    W.first.push_back(c.first + c.size);
  }
}

void ContactGroups::fill(const ContactProblem& problem) {
  const int n = static_cast<int>(contacts.size());
  // root_ becomes the piece at each place
  for (int i = 0; i < n; ++i) root_[at(place_[at(i)])] = i;
  W.offset.assign(1, 0);
  W.column.clear();
  W.start.clear();
  W.value.clear();
  b.resize(at(rows()));
  for (int place = 0; place < n; ++place) {
    const int i = root_[at(place)], c = law_[at(i)];
    const GroupedContact& piece = pieces_[at(i)];
    const int row = piece.row - problem.laws[at(c)].first;
    for (int r = 0; r < piece.size; ++r)
      b[at(contacts[at(place)].first + r)] = piece.scale(r) * problem.b[piece.row + r];
    for (int k = source_->offset[at(c)]; k < source_->offset[at(c) + 1]; ++k) {
      const int d = source_->column[at(k)], width = source_->size(d);
      const double* const block = source_->block(k);
      for (int j = piece_begin_[at(d)]; j < piece_begin_[at(d) + 1]; ++j) {
        const GroupedContact& other = pieces_[at(j)];
        const int column = other.row - problem.laws[at(d)].first;
        W.column.push_back(place_[at(j)]);  // increasing: places preserve the order within a group
        W.start.push_back(W.value.size());
        for (int r = 0; r < piece.size; ++r) {
          const double* const from = block + (row + r) * width + column;
          W.value.insert(W.value.end(), from, from + other.size);
          if (!piece.moments() && !other.moments()) continue;
          double* const to = W.value.data() + W.value.size() - other.size;
          for (int e = 0; e < other.size; ++e) to[e] *= piece.scale(r) * other.scale(e);
        }
      }
    }
    W.offset.push_back(static_cast<int>(W.column.size()));
  }
}

/// Rows that nothing can move get the rho of the mean row.
void ContactGroups::scale(const ContactProblem& problem) {
  rho.assign(at(rows()), 0.0);
  natural_rho.assign(at(rows()), 0.0);
  const std::size_t laws = problem.laws.size();
  count_.assign(laws, 0);
  double trace = 0.0;
  for (GroupedContact& c : contacts) {
    const int i = static_cast<int>(&c - contacts.data());
    const double* const block = W.block(W.find(i, i));
    const auto diagonal = [&](int r) { return block[r * c.size + r]; };
    const auto set = [&](int first, int count) {
      double sum = 0.0;
      for (int r = first; r < first + count; ++r) sum += diagonal(r);
      for (int r = first; r < first + count; ++r)
        rho[at(c.first + r)] = sum > 0.0 ? kStep * count / sum : 0.0;
    };
    set(0, 1);
    for (int k = 0, first = 1; k < c.cone.kParts; first += c.cone.rows[k++])
      set(first, c.cone.rows[k]);
    c.fixed = !(diagonal(0) > 0.0);
    double trace_c = 0.0;
    for (int r = 0; r < c.size; ++r) trace_c += diagonal(r);
    if (trace_c > 0.0) trace += trace_c;
    for (int r = 0; r < c.size; ++r)
      natural_rho[at(c.first + r)] = trace_c > 0.0 ? c.size / trace_c : 0.0;
  }
  const double mean = trace > 0.0 ? rows() / trace : 1.0;
  for (std::vector<double>* const all : {&rho, &natural_rho})
    for (double& r : *all)
      if (r == 0.0) r = mean;
}

}  // namespace saltus
