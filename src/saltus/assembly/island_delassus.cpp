#include "saltus/assembly/island_delassus.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// Above it, W of rigid bodies is stored by bodies, ...
constexpr std::size_t kDenseRows = 120;
/// Average number of entries of a row of H: points of two elements.
constexpr std::size_t kFewColumns = 40;
/// Up to this number W of a group that is solved iteratively is a matrix.
constexpr std::size_t kIteratedRows = 6;
/// Velocities of a diagonal A above which columns of zeros cost more than blocks.
constexpr int kLongColumn = 300;
/// ... and W of other bodies in blocks if these are at most a quarter of the matrix.
constexpr std::size_t kSparse = 4;

bool finite(std::span<const double> x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

}  // namespace

bool IslandDelassus::assemble(const IslandStep& step, ContactList& list, IslandJoints& joints,
                              std::span<const int> contacts, std::span<const int> rows,
                              std::span<const Law> laws, bool as_matrix, Vector& rate) {
  if (!as_matrix && rows.size() > kDenseRows &&
      hold_by_bodies(step, list, joints, contacts, laws)) {
    if (list.lean())
      list.block_rows().make_tangent_rates(step.trials, contacts, *by_bodies_.bodies(), rate);
    return diagonal().allFinite();
  }
  if (list.lean()) {
    list.block_rows().make_tangent_rates(step.trials, contacts, rate);
    list.block_rows().make_rows_of(contacts);
  }
  if (joints.empty() && hold_by_velocities(step, list, contacts, rows, laws))
    return diagonal_.allFinite();
  if (joints.empty() && rows.size() > kDenseRows &&
      hold_by_blocks(step, list, contacts, rows, laws))
    return diagonal_.allFinite() && finite(blocked_.W.value);
  const auto m = static_cast<Eigen::Index>(rows.size());
  W_ = &dense_;
  Matrix& W = dense_.W;
  W.setZero(m, m);
  dense_.is_symmetric = true;
  if (!joints.empty()) joints.open(m);
  for (std::size_t k = 0; k < list.members().size(); ++k) {
    ContactList::Member& member = list.members()[k];
    const int n = step.model.groups()[at(member.group)].dynamics->velocities();
    if (n == 0) continue;
    const Factor& A = step.trials[at(member.group)].A;
    if (!joints.empty() || !member.H.response_add(A, rows, W)) {
      member.H.response_add(A, n, rows, X_, W);
      if (!joints.empty()) joints.gather(k, X_);
    }
    dense_.is_symmetric = dense_.is_symmetric && symmetric(A);
  }
  if (!joints.empty()) joints.close(W);
  if (dense_.is_symmetric)
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j < i; ++j) W(i, j) = W(j, i) = 0.5 * (W(i, j) + W(j, i));
  diagonal_ = W.diagonal();
  return W.allFinite();
}

// If a group is solved iteratively, every row of W costs a solve. Bodies of few velocities can have
// far more contact rows than velocities, like masonry of soft stones: Newton's method in the rows
// then has a large singular matrix. If A is diagonal, W is nearly diagonal.
bool IslandDelassus::hold_by_velocities(const IslandStep& step, const ContactList& list,
                                        std::span<const int> contacts, std::span<const int> rows,
                                        std::span<const Law> laws) {
  if (rows.size() <= kIteratedRows) return false;
  const auto& members = list.members();
  bool small = true, diagonal = true;
  double coarsest = 0.0;
  int most = 0;
  std::size_t entries = 0, used = 0;
  for (const ContactList::Member& member : members) {
    const Dynamics& body = *step.model.groups()[at(member.group)].dynamics;
    if (body.velocities() == 0 || member.at.empty()) continue;
    const Factor& A = step.trials[at(member.group)].A;
    if (!symmetric(A)) return false;
    coarsest = std::max(coarsest, tolerance(A));
    small = small && body.velocities() <= kLargestBlock * body.bodies();
    diagonal = diagonal && std::holds_alternative<Diagonal>(A.form);
    most = std::max(most, body.velocities());
    entries += member.H.entries();
    used += member.H.rows_used();
  }
  // A solver with a tolerance gives a W that is accurate only to that tolerance; as a matrix it is
  // at least the same for all uses.
  if (coarsest > step.model.options().contact.tolerance) return false;
  const bool iterate = coarsest > 0.0;
  diagonal = diagonal && (most > kLongColumn || rows.size() > kDenseRows);
  // rows with entries in most of the velocities, like those of modes, are coupled to all others: W
  // is a matrix
  if (diagonal && entries > kFewColumns * used) return false;
  if (!iterate && !diagonal && (!small || rows.size() <= kDenseRows)) return false;
  const auto moves = [&](const IslandContact::Side& side) {
    return side.member >= 0 && step.trials[at(members[at(side.member)].group)].v.size() > 0;
  };
  bool couples = iterate || diagonal;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const IslandContact& contact = list[at(contacts[c])];
    if (laws[c].size > 3 || laws[c].kind == LawKind::rolling || contact.joint_law >= 0)
      return false;
    couples = couples || (moves(contact.side[0]) && moves(contact.side[1]));
  }
  if (!couples || !make_velocities(step, list, contacts, rows, laws)) return false;
  if (diagonal) {
    by_velocities_.refill().index();
    shared_.make(by_velocities_.by_velocities(), blocked_.W);
    blocked_.is_symmetric = true;
    blocked_.index();
    keep_diagonal();
    W_ = &blocked_;
  } else {
    const VelocityRows& H = by_velocities_.by_velocities();
    if (!iterate &&
        std::ranges::any_of(H.parts, [](const VelocityRows::Part& x) { return !x.whole; }))
      return false;
    by_velocities_.index();
    // an indefinite A needs its LU factor instead
    if (!finite(H.inverse)) return false;
    diagonal_ = by_velocities_.diagonal();
    W_ = &by_velocities_;
  }
  return true;
}

bool IslandDelassus::make_velocities(const IslandStep& step, const ContactList& list,
                                     std::span<const int> contacts, std::span<const int> rows,
                                     std::span<const Law> laws) {
  const auto& members = list.members();
  VelocityRows& H = by_velocities_.refill();
  H.clear();
  part_first_.assign(members.size(), -1);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Trial& trial = step.trials[at(members[m].group)];
    if (trial.v.size() == 0 || members[m].at.empty()) continue;
    VelocityRows::Part part{&trial.A, H.velocities(), static_cast<int>(trial.v.size()), false};
    if (!blocks(trial.A, H.A, H.moves, part.whole)) return false;
    part_first_[m] = part.first;
    H.parts.push_back(part);
  }
  place_.assign(at(H.velocities()), -1);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const auto& side = list[at(contacts[c])].side;
    const Law& law = laws[c];
    const auto each = [&](const auto& use) {  // use(row of the contact, velocity, value)
      for (std::size_t s = 0; s < 2; ++s) {
        if (side[s].member < 0 || (s == 1 && side[0].member == side[1].member)) continue;
        const int first = part_first_[at(side[s].member)];
        if (first < 0) continue;
        for (int i = 0; i < law.size; ++i)
          members[at(side[s].member)].H.each(rows[at(law.first + i)], [&](int j, double value) {
            if (H.moves[at(first + j)] != 0) use(i, first + j, value);
          });
      }
    };
    const std::size_t begin = H.column.size();
    each([&](int, int j, double) {
      if (place_[at(j)] >= 0) return;
      place_[at(j)] = static_cast<int>(H.column.size() - begin);
      H.column.push_back(j);
    });
    const std::size_t n = H.column.size() - begin;
    H.start.push_back(H.value.size());
    H.value.resize(H.value.size() + at(law.size) * n, 0.0);
    each([&](int i, int j, double value) {
      H.value[H.start.back() + at(i) * n + at(place_[at(j)])] += value;
    });
    for (std::size_t k = begin; k < H.column.size(); ++k) place_[at(H.column[k])] = -1;
    H.first.push_back(law.first + law.size);
    H.offset.push_back(static_cast<int>(H.column.size()));
  }
  return true;
}

/// Sets diagonal_ from the blocks.
void IslandDelassus::keep_diagonal() {
  const BlockMatrix& W = blocked_.W;
  diagonal_.resize(W.rows());
  for (int c = 0; c < W.contacts(); ++c) {
    const double* const block = W.block(W.find(c, c));
    for (int i = 0; i < W.size(c); ++i) diagonal_[W.first[at(c)] + i] = block[i * (W.size(c) + 1)];
  }
}

// W in blocks of contacts with a common group, each sum with the terms and in the order of the
// matrix. The cost for bodies that are not in contact with each other is then proportional to their
// number; with the matrix, and a loop over all its rows for every body, it is proportional to its
// cube.
bool IslandDelassus::hold_by_blocks(const IslandStep& step, ContactList& list,
                                    std::span<const int> contacts, std::span<const int> rows,
                                    std::span<const Law> laws) {
  auto& members = list.members();
  const auto each_own = [&](const auto& use) {  // use(contact, member with entries in its rows)
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const auto& side = list[at(contacts[c])].side;
      const auto own = rows.subspan(at(laws[c].first), at(laws[c].size));
      for (std::size_t s = 0; s < 2; ++s) {
        const int m = side[s].member;
        if (m < 0 || (s == 1 && m == side[0].member)) continue;
        if (std::ranges::any_of(own, [&](int i) { return members[at(m)].H.has(i); })) use(c, at(m));
      }
    }
  };
  own_begin_.assign(members.size() + 2, 0);
  each_own([&](std::size_t, std::size_t m) { ++own_begin_[m + 2]; });
  for (std::size_t m = 2; m < own_begin_.size(); ++m) own_begin_[m] += own_begin_[m - 1];
  own_.resize(at(own_begin_.back()));
  each_own(
      [&](std::size_t c, std::size_t m) { own_[at(own_begin_[m + 1]++)] = static_cast<int>(c); });
  own_begin_.pop_back();
  std::size_t entries = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::size_t count = 0;
    for (int k = own_begin_[m]; k < own_begin_[m + 1]; ++k) count += at(laws[at(own_[at(k)])].size);
    entries += count * count;
  }
  if (kSparse * entries > rows.size() * rows.size()) return false;
  make_blocks(laws);
  BlockMatrix& W = blocked_.W;
  blocked_.is_symmetric = true;
  for (std::size_t k = 0; k < members.size(); ++k) {
    ContactList::Member& member = members[k];
    const int n = step.model.groups()[at(member.group)].dynamics->velocities();
    if (n == 0) continue;
    const Factor& A = step.trials[at(member.group)].A;
    blocked_.is_symmetric = blocked_.is_symmetric && symmetric(A);
    const auto own =
        std::span(own_).subspan(at(own_begin_[k]), at(own_begin_[k + 1] - own_begin_[k]));
    if (own.empty()) continue;
    own_rows_.clear();
    for (const int c : own)
      for (int i = 0; i < W.size(c); ++i) own_rows_.push_back(rows[at(W.first[at(c)] + i)]);
    const auto m = static_cast<Eigen::Index>(own_rows_.size());
    part_.resize(m, m);
    // use(value, row and column in part_, size)
    const auto each_block = [&](const auto& use) {
      Eigen::Index row = 0;
      for (const int c : own) {
        Eigen::Index column = 0;
        for (const int d : own) {
          use(&W.value[W.start[at(W.find(c, d))]], row, column, W.size(c), W.size(d));
          column += W.size(d);
        }
        row += W.size(c);
      }
    };
    each_block(
        [&](const double* value, Eigen::Index row, Eigen::Index column, int height, int width) {
          for (int i = 0; i < height; ++i)
            for (int j = 0; j < width; ++j) part_(row + i, column + j) = *value++;
        });
    if (!member.H.response_add(A, own_rows_, part_))
      member.H.response_add(A, n, own_rows_, X_, part_);
    each_block([&](double* value, Eigen::Index row, Eigen::Index column, int height, int width) {
      for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) *value++ = part_(row + i, column + j);
    });
  }
  if (blocked_.is_symmetric) symmetrise(W);
  keep_diagonal();
  leave_out_zeros();
  W_ = &blocked_;
  return true;
}

// Contacts of one group are not always coupled, for example those on different point masses.
void IslandDelassus::leave_out_zeros() {
  BlockMatrix& W = blocked_.W;
  const auto filled = [&](int k, int count) {
    const double* const block = W.block(k);
    return std::any_of(block, block + count, [](double x) { return x != 0.0; });
  };
  kept_.resize(W.column.size());
  bool all = true;
  for (int c = 0; c < W.contacts(); ++c)
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
      const int d = W.column[at(k)], count = W.size(c) * W.size(d);
      kept_[at(k)] = d == c || filled(k, count) || filled(W.find(d, c), count) ? 1 : 0;
      all = all && kept_[at(k)] != 0;
    }
  if (all) return;
  std::size_t end = 0, filled_end = 0;
  int k = 0;
  for (int c = 0; c < W.contacts(); ++c) {
    for (; k < W.offset[at(c) + 1]; ++k) {
      if (kept_[at(k)] == 0) continue;
      const int d = W.column[at(k)];
      const std::size_t from = W.start[at(k)];
      for (int i = 0; i < W.size(c) * W.size(d); ++i)
        W.value[filled_end + at(i)] = W.value[from + at(i)];
      W.column[end] = d;
      W.start[end++] = filled_end;
      filled_end += at(W.size(c) * W.size(d));
    }
    W.offset[at(c) + 1] = static_cast<int>(end);
  }
  W.column.resize(end);
  W.start.resize(end);
  W.value.resize(filled_end);
}

// Zero blocks for all pairs of contacts with a common member.
void IslandDelassus::make_blocks(std::span<const Law> laws) {
  const int members = static_cast<int>(own_begin_.size()) - 1;
  touch_begin_.assign(laws.size() + 2, 0);
  for (const int c : own_) ++touch_begin_[at(c) + 2];
  for (std::size_t c = 2; c < touch_begin_.size(); ++c) touch_begin_[c] += touch_begin_[c - 1];
  touch_.resize(own_.size());
  for (int k = 0; k < members; ++k)
    for (int i = own_begin_[at(k)]; i < own_begin_[at(k) + 1]; ++i)
      touch_[at(touch_begin_[at(own_[at(i)]) + 1]++)] = k;
  BlockMatrix& W = blocked_.W;
  W.first.assign(1, 0);
  W.offset.assign(1, 0);
  W.column.clear();
  W.start.clear();
  for (const Law& law : laws) W.first.push_back(law.first + law.size);
  std::size_t filled = 0;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const std::size_t from = W.column.size();
    W.column.push_back(static_cast<int>(c));  // the world couples nothing
    for (int t = touch_begin_[c]; t < touch_begin_[c + 1]; ++t) {
      const int k = touch_[at(t)];
      W.column.insert(W.column.end(), own_.begin() + own_begin_[at(k)],
                      own_.begin() + own_begin_[at(k) + 1]);
    }
    const auto begin = W.column.begin() + static_cast<std::ptrdiff_t>(from);
    std::sort(begin, W.column.end());
    W.column.erase(std::unique(begin, W.column.end()), W.column.end());
    for (std::size_t k = from; k < W.column.size(); ++k) {
      W.start.push_back(filled);
      filled += at(laws[c].size * W.size(W.column[k]));
    }
    W.offset.push_back(static_cast<int>(W.column.size()));
  }
  W.value.assign(filled, 0.0);
  blocked_.index();
}

bool IslandDelassus::hold_by_bodies(const IslandStep& step, ContactList& list,
                                    const IslandJoints& joints, std::span<const int> contacts,
                                    std::span<const Law> laws) {
  if (joints.taut()) return false;  // the rows of its joints yield
  sizes_.clear();
  for (const Law& entry : laws) sizes_.push_back(entry.size);
  if (joints.empty()) {
    if (!list.by_bodies(step.trials, contacts, sizes_, by_bodies_.refill())) return false;
    by_bodies_.index();
    W_ = &by_bodies_;
    by_bodies_.make_diagonal();
    return true;
  }
  if (!list.by_bodies(step.trials, contacts, sizes_, jointed_.refill().contacts)) return false;
  make_joints(list, joints.system(), jointed_.refill().joints);
  if (!jointed_.index()) return false;
  jointed_.stop_by(step.stop);
  W_ = &jointed_;
  diagonal_ = jointed_.diagonal();
  return true;
}

// Rows of the joints on the bodies of the list, without dependent rows.
void IslandDelassus::make_joints(const ContactList& list, const JointSystem& joints, BodyRows& G) {
  joints.blocks(blocks_);
  left_out_.assign(at(joints.rows()), 0);
  for (const int i : joints.dependent()) left_out_[at(i)] = 1;
  G.width = 6;
  G.first.assign(1, 0);
  G.offset.assign(1, 0);
  G.body.clear();
  G.start.clear();
  G.value.clear();
  for (std::size_t k = 0; k < blocks_.size();) {
    const int first = blocks_[k].first, count = blocks_[k].count;
    int rows = 0;
    for (int i = first; i < first + count; ++i) rows += left_out_[at(i)] == 0;
    for (; k < blocks_.size() && blocks_[k].first == first; ++k) {
      const JointSystem::Block& block = blocks_[k];
      G.touch(list.block_rows().first_body(block.member) + block.column / 6);
      for (int i = 0; i < count; ++i)
        if (left_out_[at(first + i)] == 0) {
          const double* const row = block.value + i * block.stride;
          G.value.insert(G.value.end(), row, row + 6);
        }
    }
    G.close(rows);
  }
}

void IslandDelassus::add_diagonal(View x) {
  if (W_ == &by_velocities_) {
    by_velocities_.add_diagonal(x);
    diagonal_ = by_velocities_.diagonal();
    return;
  }
  if (W_ == &blocked_) {
    BlockMatrix& W = blocked_.W;
    for (int c = 0; c < W.contacts(); ++c) {
      double* const block = &W.value[W.start[at(W.find(c, c))]];
      for (int i = 0; i < W.size(c); ++i) block[i * (W.size(c) + 1)] += x[W.first[at(c)] + i];
    }
  } else {
    dense_.W.diagonal() += x;
  }
  diagonal_ += x;
}

}  // namespace saltus
