#include "saltus/assembly/block_rows.h"

#include <algorithm>

#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

/// Points of some contacts on one member, and data computed for them. Written before it is read.
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

BlockRows::Velocities BlockRows::start_velocities(std::span<const Trial> trials) {
  for (std::size_t m = 0; m < contacts_.members().size(); ++m)
    start_[m] = &trials[at(contacts_.members()[m].group)].start->v;
  return start_;
}

// Computes J of the points of contacts which(begin) .. which(end - 1) and calls use(k, contact, J
// of both sides); J is null for a side that does not move.
template <class Which, class Use>
void BlockRows::with_rows(std::size_t begin, std::size_t end, const Which& which,
                          const Use& use) const {
  std::vector<Points>& points = workspace(contacts_.members().size());
  for (std::size_t k = begin; k < end; ++k)
    for (const IslandContact::Side& side : contacts_[which(k)].side)
      if (contacts_.moves(side))
        points[at(side.member)].at.push_back(
            contacts_.members()[at(side.member)].at[at(side.point)]);
  for (std::size_t m = 0; m < contacts_.members().size(); ++m)
    if (!points[m].at.empty())
      contacts_.dynamics(contacts_.members()[m])
          .point_rows(contacts_.members()[m].arms(), contacts_.members()[m].axes, points[m].at,
                      points[m].J);
  for (std::size_t k = begin; k < end; ++k) {
    const IslandContact& c = contacts_[which(k)];
    std::array<const double*, 2> J{};
    for (std::size_t s = 0; s < 2; ++s)
      if (contacts_.moves(c.side[s])) {
        Points& of = points[at(c.side[s].member)];
        J[s] = &of.J.value[18 * of.next++];
      }
    use(k, c, J);
  }
}

// Row a of a contact times the velocities v[s] of the bodies of its sides; null for a side that
// does not move.
double BlockRows::rate_of(const IslandContact& c, int a, const std::array<const double*, 2>& J,
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

// The same with H, in which the contact is the k-th.
double BlockRows::rate_of(const IslandContact& c, int a, const BodyRows& H, std::size_t k,
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

// d . w at the start of the step, with w the velocity of points that only follow a prescribed
// motion, plus IslandContacts::end_rate().
double BlockRows::start_rate(std::size_t i, int a) const {
  const IslandContact& c = contacts_[i];
  double u = contacts_.follows() ? c.direction[at(a)].dot(contacts_.end_rate(i, false)) : 0.0;
  for (std::size_t s = 0; s < 2; ++s) {
    if (c.side[s].member < 0) continue;
    const Member& m = contacts_.members()[at(c.side[s].member)];
    if (m.drift0.size() > 0)
      u += (s == 0 ? 1.0 : -1.0) * c.direction[at(a)].dot(m.drift0.segment<3>(3 * c.side[s].point));
  }
  return u;
}

bool BlockRows::make_normal_rates(std::span<const Trial> trials, Vector& rate) {
  const double t0 = trials.front().t0, t1 = t0 + trials.front().h;
  bool drifts = false;
  for (Member& m : contacts_.members()) {
    if (m.drift0.size() == 0) continue;
    contacts_.dynamics(m).point_drift(t0, m.q, m.at, m.drift0);
    contacts_.dynamics(m).point_drift(t1, m.q, m.at, m.drift1);
    drifts = drifts || !m.drift1.isZero(0.0);
  }
  const Velocities v_of = start_velocities(trials);
  rate.setZero();
  add_normal_rates(v_of, rate);
  in_blocks(contacts_.count(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rate[contacts_[i].first_row] += start_rate(i, 0);
  });
  return drifts;
}

void BlockRows::add_normal_rates(Velocities v_of, Vector& u) const {
  in_blocks(contacts_.count(), [&](std::size_t, std::size_t begin, std::size_t end) {
    with_rows(
        begin, end, [](std::size_t i) { return i; },
        [&](std::size_t, const IslandContact& c, const std::array<const double*, 2>& J) {
          u[c.first_row] += rate_of(c, 0, J, body_velocities(c, v_of));
        });
  });
}

// Velocities of the bodies of its sides, from v_of each member; null for a side without velocities.
std::array<const double*, 2> BlockRows::body_velocities(const IslandContact& c,
                                                        Velocities v_of) const {
  std::array<const double*, 2> v{};
  for (std::size_t s = 0; s < 2; ++s)
    if (const IslandContact::Side& side = c.side[s]; side.member >= 0) {
      const Vector& of = *v_of[at(side.member)];
      if (of.size() > 0)
        v[s] = of.data() + 6 * contacts_.members()[at(side.member)].at[at(side.point)].body;
    }
  return v;
}

void BlockRows::make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                                   const BodyRows& H, Vector& rate) {
  const Velocities v_of = start_velocities(trials);
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = contacts_[at(admitted[k])];
      const std::array<const double*, 2> v = body_velocities(c, v_of);
      for (int a = 1; a < H.size(static_cast<int>(k)); ++a)
        rate[c.first_row + a] = start_rate(at(admitted[k]), a) + rate_of(c, a, H, k, v);
    }
  });
}

void BlockRows::make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                                   Vector& rate) {
  const Velocities v_of = start_velocities(trials);
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    with_rows(
        begin, end, [&](std::size_t k) { return at(admitted[k]); },
        [&](std::size_t k, const IslandContact& c, const std::array<const double*, 2>& J) {
          for (int a = 1; a <= c.tangents; ++a)
            rate[c.first_row + a] =
                start_rate(at(admitted[k]), a) + rate_of(c, a, J, body_velocities(c, v_of));
        });
  });
}

// H of the members, only for contacts of the problem.
void BlockRows::make_rows_of(std::span<const int> admitted) {
  for (Member& m : contacts_.members()) m.H.clear(contacts_.rows());
  with_rows(
      0, admitted.size(), [&](std::size_t k) { return at(admitted[k]); },
      [&](std::size_t, const IslandContact& c, const std::array<const double*, 2>& J) {
        PointRows block;
        block.width = 6;
        block.offset = {0, 1};
        for (int a = 0; a <= c.tangents; ++a)
          for (std::size_t s = 0; s < 2; ++s) {
            if (!J[s]) continue;
            Member& m = contacts_.members()[at(c.side[s].member)];
            block.column = {6 * m.at[at(c.side[s].point)].body};
            block.value.assign(J[s], J[s] + 18);
            m.H.add(c.first_row + a, s == 0 ? 1.0 : -1.0, c.direction[at(a)], block, 0);
          }
      });
}

void BlockRows::fill(std::span<const int> admitted, std::span<const int> sizes, BodyRows& H) const {
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

void BlockRows::add_rates(std::span<const int> admitted, const BodyRows& H, Velocities v_of,
                          Vector& u) const {
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = contacts_[at(admitted[k])];
      const std::array<const double*, 2> v = body_velocities(c, v_of);
      for (int a = 0; a < H.size(static_cast<int>(k)); ++a)
        u[c.first_row + a] += rate_of(c, a, H, k, v);
    }
  });
}

void BlockRows::add_impulses(std::span<const int> admitted, const BodyDelassus& W, const Vector& p,
                             int member, Out r) const {
  const BodyRows& H = *W.bodies();
  const int first = first_body_[at(member)];
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

void BlockRows::gaps(double t, Velocities q_of, Vector& gap) const {
  in_blocks(contacts_.count(), [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<Points>& points = workspace(contacts_.members().size());
    for (std::size_t i = begin; i < end; ++i)
      for (const IslandContact::Side& side : contacts_[i].side)
        if (side.member >= 0)
          points[at(side.member)].at.push_back(
              contacts_.members()[at(side.member)].at[at(side.point)]);
    for (std::size_t m = 0; m < contacts_.members().size(); ++m) {
      if (points[m].at.empty()) continue;
      points[m].x.resize(3 * std::ssize(points[m].at));
      contacts_.dynamics(contacts_.members()[m]).points(t, *q_of[m], points[m].at, points[m].x);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const IslandContact& c = contacts_[i];
      Vector3 x[2];
      for (std::size_t s = 0; s < 2; ++s)
        if (c.side[s].member < 0) {
          x[s] = contacts_.place(c.side[s]);
        } else {
          Points& of = points[at(c.side[s].member)];
          x[s] = of.x.segment<3>(3 * static_cast<Eigen::Index>(of.next++));
        }
      gap[static_cast<Eigen::Index>(i)] = c.direction[0].dot(x[0] - x[1]) + c.offset;
    }
  });
}

/// Calls use(body, its column, value) for the entries of the row of a law on a joint coordinate.
template <class Use>
void BlockRows::for_coordinate(const IslandContact& c, const Use& use) const {
  for (std::size_t m = 0; m < contacts_.members().size(); ++m)
    contacts_.members()[m].H.each(c.first_row, [&](int column, double value) {
      use(first_body_[m] + column / 6, column % 6, value);
    });
}

bool BlockRows::by_bodies(std::span<const Trial> trials, std::span<const int> admitted,
                          std::span<const int> sizes, bool lean, BodyRows& H) {
  H.width = 6;
  if (!invert_masses(trials, H)) return false;
  const std::size_t values = find_bodies(admitted, sizes, H);
  H.value.resize(values);
  if (lean)
    fill(admitted, sizes, H);
  else
    fill_from_members(admitted, sizes, H);
  return true;
}

// A_b^-1 of every body. Returns false if A has another form or is not symmetric.
bool BlockRows::invert_masses(std::span<const Trial> trials, BodyRows& H) {
  first_body_.resize(contacts_.members().size());
  std::size_t bodies = 0;
  for (std::size_t m = 0; m < contacts_.members().size(); ++m) {
    first_body_[m] = static_cast<int>(bodies);
    const Trial& trial = trials[at(contacts_.members()[m].group)];
    if (trial.v.size() == 0) continue;
    const auto* blocks = std::get_if<Blocks6>(&trial.A.form);
    if (!blocks || !symmetric(trial.A)) return false;
    H.inverse.resize(36 * (bodies + blocks->inverse.size()));
    double* const inverse = H.inverse.data() + 36 * bodies;
    in_blocks(blocks->inverse.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const auto& block = blocks->inverse[b];
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j)
            inverse[36 * b + at(6 * i + j)] = 0.5 * (block(i, j) + block(j, i));
      }
    });
    bodies += blocks->inverse.size();
  }
  H.inverse.resize(36 * bodies);
  return true;
}

/// Calls use(s, body) for the sides of contact c that have velocities.
template <class Use>
void BlockRows::for_sides(const IslandContact& c, const Use& use) const {
  for (std::size_t s = 0; s < 2 && c.joint_law < 0; ++s)
    if (const IslandContact::Side& side = c.side[s]; contacts_.moves(side))
      use(s, first_body_[at(side.member)] +
                 contacts_.members()[at(side.member)].at[at(side.point)].body);
}

// Sets the bodies of every contact of H and where their values begin. Returns the number of values.
std::size_t BlockRows::find_bodies(std::span<const int> admitted, std::span<const int> sizes,
                                   BodyRows& H) const {
  H.first.assign(1, 0);
  H.offset.assign(1, 0);
  H.body.clear();
  H.start.clear();
  std::size_t filled = 0;
  for (std::size_t k = 0; k < admitted.size(); ++k) {
    const IslandContact& c = contacts_[at(admitted[k])];
    for_sides(c, [&](std::size_t, int body) {
      H.touch(body, filled);
      filled += 6 * at(sizes[k]);
    });
    if (c.joint_law >= 0)
      for_coordinate(c, [&](int body, int, double) {
        const auto begin = H.body.begin() + H.offset.back();
        if (std::find(begin, H.body.end(), body) != H.body.end()) return;
        H.touch(body, filled);
        filled += 6;
      });
    H.close(sizes[k]);
  }
  return filled;
}

// Sets the values of H from J of all points of the members.
void BlockRows::fill_from_members(std::span<const int> admitted, std::span<const int> sizes,
                                  BodyRows& H) const {
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = contacts_[at(admitted[k])];
      if (H.offset[k] == H.offset[k + 1]) continue;
      double* value = &H.value[H.start[at(H.offset[k])]];
      if (c.joint_law >= 0) {
        const auto first = H.body.begin() + H.offset[k];
        std::fill_n(value, 6 * (H.offset[k + 1] - H.offset[k]), 0.0);
        for_coordinate(c, [&](int body, int column, double x) {
          value[6 * (std::find(first, H.body.end(), body) - first) + column] += x;
        });
        continue;
      }
      for_sides(c, [&](std::size_t s, int) {
        const Member& m = contacts_.members()[at(c.side[s].member)];
        const int entry = m.J.offset[at(c.side[s].point)];
        const double sign = s == 0 ? 1.0 : -1.0;
        for (int a = 0; a < sizes[k]; ++a) {
          const bool spins = a > c.tangents;
          const Vector3& d = spins ? contacts_.axis_of_row(c, a) : c.direction[at(a)];
          const double* block =
              spins ? &m.Js.value[18 * at(m.Js.offset[at(contacts_.turning(c).spin[s])])]
                    : &m.J.value[18 * at(entry)];
          for (int j = 0; j < 6; ++j)
            *value++ = sign * (d[0] * block[j] + d[1] * block[6 + j] + d[2] * block[12 + j]);
        }
      });
    }
  });
}

}  // namespace saltus
