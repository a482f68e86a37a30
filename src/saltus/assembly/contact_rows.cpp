// Rows of contacts between rigid bodies by blocks of contacts, for those of the problem alone (ContactList::lean()).
//
// The row of a contact c along d has on its side s, +1 or -1, the six numbers  s d^T J  with J of the point of the side. Sums
// run over the columns of one group after those of the other, as GroupRows has them: both give the same bits.
#include "saltus/assembly/contact_list.h"
#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

/// The points of some contacts on one member, and what is asked of them. Written before it is read.
struct Points {
  std::vector<PointRef> at;
  PointRows J;
  Vector x;
  std::size_t next = 0;
};

std::vector<Points>& workspace(std::size_t members) {
  thread_local std::vector<Points> data;
  if (data.size() < members) data.resize(members);
  for (std::size_t m = 0; m < members; ++m) {
    data[m].at.clear();
    data[m].next = 0;
  }
  return data;
}

/// s d^T J
void row_of(double sign, const Vector3& d, const double* J, double* row) {
  for (int j = 0; j < 6; ++j) row[j] = sign * (d[0] * J[j] + d[1] * J[6 + j] + d[2] * J[12 + j]);
}

double add_product(double sum, const double* row, const double* v) {
  for (int j = 0; j < 6; ++j) sum += row[j] * v[j];
  return sum;
}

}  // namespace

// J of the points of contacts which(begin) .. which(end - 1): use(k, contact, J of both sides; null: it does not move).
template <class Which, class Use>
void ContactList::with_rows(std::size_t begin, std::size_t end, const Which& which,
                            const Use& use) const {
  std::vector<Points>& points = workspace(members_.size());
  const auto side_moves = [&](const IslandContact::Side& side) {
    return side.member >= 0 && dynamics(members_[at(side.member)]).velocities() > 0;
  };
  for (std::size_t k = begin; k < end; ++k)
    for (const IslandContact::Side& side : contacts_[which(k)].side)
      if (side_moves(side))
        points[at(side.member)].at.push_back(members_[at(side.member)].at[at(side.point)]);
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (!points[m].at.empty())
      dynamics(members_[m]).point_rows(members_[m].q, members_[m].axes, points[m].at, points[m].J);
  for (std::size_t k = begin; k < end; ++k) {
    const IslandContact& c = contacts_[which(k)];
    std::array<const double*, 2> J{};
    for (std::size_t s = 0; s < 2; ++s)
      if (side_moves(c.side[s])) {
        Points& of = points[at(c.side[s].member)];
        J[s] = &of.J.value[18 * of.next++];
      }
    use(k, c, J);
  }
}

// Row a of a contact times the velocities v[s] of the bodies of its sides; null: it does not move.
double ContactList::rate_of(const IslandContact& c, int a, const std::array<const double*, 2>& J,
                            const std::array<const double*, 2>& v) const {
  double sum[2] = {0.0, 0.0}, row[6];
  const bool one = c.side[0].member == c.side[1].member;
  for (std::size_t s = 0; s < 2; ++s) {
    if (!J[s]) continue;
    row_of(s == 0 ? 1.0 : -1.0, c.direction[at(a)], J[s], row);
    double& of = sum[one ? 0 : s];
    of = add_product(of, row, v[s]);
  }
  return sum[0] + sum[1];
}

// The same by H, in which it is the k-th.
double ContactList::rate_of(const IslandContact& c, int a, const BodyRows& H, std::size_t k,
                            const std::array<const double*, 2>& v) const {
  double sum[2] = {0.0, 0.0};
  const bool one = c.side[0].member == c.side[1].member;
  int side = H.offset[k];
  for (std::size_t s = 0; s < 2; ++s) {
    if (!v[s]) continue;
    double& of = sum[one ? 0 : s];
    of = add_product(of, &H.value[H.start[at(side++)] + at(6 * a)], v[s]);
  }
  return sum[0] + sum[1];
}

// n . d, d the velocity of points that only follow a prescribed motion.
double ContactList::prescribed_rate(const IslandContact& c, int a, bool at_end) const {
  double u = 0.0;
  for (std::size_t s = 0; s < 2; ++s) {
    if (c.side[s].member < 0) continue;
    const Member& m = members_[at(c.side[s].member)];
    const Vector& drift = at_end ? m.drift1 : m.drift0;
    if (drift.size() > 0)
      u += (s == 0 ? 1.0 : -1.0) * c.direction[at(a)].dot(drift.segment<3>(3 * c.side[s].point));
  }
  return u;
}

void ContactList::make_normal_rates(std::span<const Trial> trials, Vector& rate) {
  t0_ = trials.front().t0;
  t1_ = t0_ + trials.front().h;
  drifts_ = false;
  for (Member& m : members_) {
    if (m.drift0.size() == 0) continue;
    dynamics(m).point_drift(t0_, m.q, m.at, m.drift0);
    dynamics(m).point_drift(t1_, m.q, m.at, m.drift1);
    drifts_ = drifts_ || !m.drift1.isZero(0.0);
  }
  for (std::size_t m = 0; m < members_.size(); ++m)
    at_[m] = &trials[at(members_[m].group)].start->v;
  rate.setZero();
  add_normal_rates(rate);
  in_blocks(contacts_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      rate[contacts_[i].first_row] += prescribed_rate(contacts_[i], 0, false);
  });
}

void ContactList::add_normal_rates(Vector& u) const {
  in_blocks(contacts_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    with_rows(
        begin, end, [](std::size_t i) { return i; },
        [&](std::size_t, const IslandContact& c, const std::array<const double*, 2>& J) {
          u[c.first_row] += rate_of(c, 0, J, body_velocities(c));
        });
  });
}

// The velocities at_ of the bodies of its sides.
std::array<const double*, 2> ContactList::body_velocities(const IslandContact& c) const {
  std::array<const double*, 2> v{};
  for (std::size_t s = 0; s < 2; ++s)
    if (const IslandContact::Side& side = c.side[s]; side.member >= 0) {
      const Vector& of = *at_[at(side.member)];
      if (of.size() > 0) v[s] = of.data() + 6 * members_[at(side.member)].at[at(side.point)].body;
    }
  return v;
}

void ContactList::make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                                     const BodyRows& H, Vector& rate) {
  for (std::size_t m = 0; m < members_.size(); ++m)
    at_[m] = &trials[at(members_[m].group)].start->v;
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = contacts_[at(admitted[k])];
      const std::array<const double*, 2> v = body_velocities(c);
      for (int a = 1; a < H.size(static_cast<int>(k)); ++a)
        rate[c.first_row + a] = prescribed_rate(c, a, false) + rate_of(c, a, H, k, v);
    }
  });
}

void ContactList::make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                                     Vector& rate) {
  for (std::size_t m = 0; m < members_.size(); ++m)
    at_[m] = &trials[at(members_[m].group)].start->v;
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    with_rows(
        begin, end, [&](std::size_t k) { return at(admitted[k]); },
        [&](std::size_t, const IslandContact& c, const std::array<const double*, 2>& J) {
          for (int a = 1; a <= c.tangents; ++a)
            rate[c.first_row + a] =
                prescribed_rate(c, a, false) + rate_of(c, a, J, body_velocities(c));
        });
  });
}

// H of the members, on the contacts of the problem alone.
void ContactList::make_rows_of(std::span<const int> admitted) {
  for (Member& m : members_) m.H.clear(rows_);
  with_rows(
      0, admitted.size(), [&](std::size_t k) { return at(admitted[k]); },
      [&](std::size_t, const IslandContact& c, const std::array<const double*, 2>& J) {
        PointRows block;
        block.width = 6;
        block.offset = {0, 1};
        for (int a = 0; a <= c.tangents; ++a)
          for (std::size_t s = 0; s < 2; ++s) {
            if (!J[s]) continue;
            Member& m = members_[at(c.side[s].member)];
            block.column = {6 * m.at[at(c.side[s].point)].body};
            block.value.assign(J[s], J[s] + 18);
            m.H.add(c.first_row + a, s == 0 ? 1.0 : -1.0, c.direction[at(a)], block, 0);
          }
      });
}

void ContactList::fill_rows(std::span<const int> admitted, std::span<const int> sizes,
                            BodyRows& H) const {
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    with_rows(
        begin, end, [&](std::size_t k) { return at(admitted[k]); },
        [&](std::size_t k, const IslandContact& c, const std::array<const double*, 2>& J) {
          if (H.offset[k] == H.offset[k + 1]) return;
          double* value = &H.value[H.start[at(H.offset[k])]];
          for (std::size_t s = 0; s < 2; ++s)
            for (int a = 0; J[s] && a < sizes[k]; ++a, value += 6)
              row_of(s == 0 ? 1.0 : -1.0, c.direction[at(a)], J[s], value);
        });
  });
}

void ContactList::add_rates(std::span<const int> admitted, const BodyRows& H, Vector& u) const {
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = contacts_[at(admitted[k])];
      const std::array<const double*, 2> v = body_velocities(c);
      for (int a = 0; a < H.size(static_cast<int>(k)); ++a)
        u[c.first_row + a] += rate_of(c, a, H, k, v);
    }
  });
}

void ContactList::add_impulses(std::span<const int> admitted, const BodyDelassus& W,
                               const Vector& p, int member, Out r) const {
  const BodyRows& H = *W.bodies();
  const int first = first_body(member);
  in_blocks(static_cast<std::size_t>(r.size() / 6),
            [&](std::size_t, std::size_t begin, std::size_t end) {
              for (std::size_t b = begin; b < end; ++b) {
                const int body = first + static_cast<int>(b);
                double* const r_b = r.data() + 6 * b;
                for (const int k : W.contacts_of(body))
                  for (int side = H.offset[at(k)]; side < H.offset[at(k) + 1]; ++side) {
                    if (H.body[at(side)] != body) continue;
                    const double* row = &H.value[H.start[at(side)]];
                    const double* const p_k = p.data() + contacts_[at(admitted[at(k)])].first_row;
                    for (int a = 0; a < H.size(k); ++a, row += 6)
                      if (p_k[a] != 0.0)
                        for (int j = 0; j < 6; ++j) r_b[j] += row[j] * p_k[a];
                  }
              }
            });
}

// Gaps of the contacts between shapes with the members at at_.
void ContactList::measure_lean_gaps(double t, Vector& gap) const {
  in_blocks(contacts_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<Points>& points = workspace(members_.size());
    for (std::size_t i = begin; i < end; ++i)
      for (const IslandContact::Side& side : contacts_[i].side)
        if (side.member >= 0)
          points[at(side.member)].at.push_back(members_[at(side.member)].at[at(side.point)]);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (points[m].at.empty()) continue;
      points[m].x.resize(3 * std::ssize(points[m].at));
      dynamics(members_[m]).points(t, *at_[m], points[m].at, points[m].x);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const IslandContact& c = contacts_[i];
      Vector3 x[2];
      for (std::size_t s = 0; s < 2; ++s)
        if (c.side[s].member < 0) {
          x[s] = places_[at(c.side[s].point)];
        } else {
          Points& of = points[at(c.side[s].member)];
          x[s] = of.x.segment<3>(3 * static_cast<Eigen::Index>(of.next++));
        }
      gap[static_cast<Eigen::Index>(i)] = c.direction[0].dot(x[0] - x[1]) + c.offset;
    }
  });
}

}  // namespace saltus
