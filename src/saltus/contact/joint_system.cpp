#include "saltus/contact/joint_system.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/joint_work_internal.h"
#include "saltus/contact/rows.h"

namespace saltus {
namespace {

/// to[i][j] = or += sign direction_i . column j of B (3 x width), for the rows of one kind
template <int kWidth>
void put_rows(std::span<const JointRow> rows, bool spin, double sign, const double* B, int width,
              double* to, int stride, bool add) {
  using Row = Eigen::Matrix<double, kWidth, 1>;
  const Eigen::Map<const Row> x(B, width), y(B + width, width), z(B + 2 * width, width);
  for (const JointRow& row : rows) {
    if (row.spin == spin) {
      const Vector3 n = sign * row.direction;
      Eigen::Map<Row> to_i(to, width);
      if (add)
        to_i += n[0] * x + n[1] * y + n[2] * z;
      else
        to_i = n[0] * x + n[1] * y + n[2] * z;
    }
    to += stride;
  }
}

}  // namespace

int JointSystem::rows() const { return structure_->rows; }
std::array<int, 2> JointSystem::rows_of(int joint) const {
  return structure_->rows_of_joint[at(joint)];
}
int JointSystem::member_of_row(int i) const {
  const Structure& d = *structure_;
  for (const Structure::Part& part : d.parts) {
    if (part.node != d.node_of_row[at(i)]) continue;
    for (const Structure::Side& s : d.held[at(part.joint)].side)
      if (s.member >= 0 && d.members[at(s.member)].of.body->velocities() > 0) return s.member;
  }
  return 0;  // no moving body: rejected by the model
}
const std::string& JointSystem::name_of_row(int i) const {
  return structure_->name[at(structure_->node_of_row[at(i)])];
}

// -- geometry

void JointSystem::Structure::place(Member& m, double t, View q) {
  if (m.own.empty()) return;
  if (m.frames)
    m.of.body->frames(t, q, m.pose);
  else
    m.of.body->points(t, q, m.own, m.x);
}

void JointSystem::Structure::frame(const Side& s, JointFrame& of) const {
  if (s.member < 0) {
    of.x = s.ref.local;
    of.R = s.axes;
    return;
  }
  const Member& m = members[at(s.member)];
  if (!m.frames) {
    of.x = m.x.segment<3>(three(s.point));
    of.R = s.axes;
    return;
  }
  const Pose& body = m.pose[at(s.ref.body)];
  of.x = body.x + body.R * s.ref.local;
  of.R.noalias() = body.R * s.axes;
}

double JointSystem::Structure::value(const Held& joint, int coordinate) const {
  Frames f;
  frame(joint.side[0], f.a);
  frame(joint.side[1], f.b);
  return joint_coordinate(joint.kind, coordinate, f.a, f.b).gap;
}

void JointSystem::Structure::place(double t, const Configuration& q, std::vector<Frames>& to) {
  for (std::size_t m = 0; m < members.size(); ++m) place(members[m], t, q(static_cast<int>(m)));
  for (std::size_t i = 0; i < held.size(); ++i) {
    frame(held[i].side[0], to[i].a);
    frame(held[i].side[1], to[i].b);
  }
}

/// sum w c, without value(t)
double JointSystem::Structure::sum(const Coupled& c, const std::vector<Frames>& frames) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < c.joint.size(); ++k) {
    const JointCoupling::Term& term = c.given.terms[k];
    const Frames& f = frames[at(c.joint[k])];
    sum += term.weight * joint_coordinate(held[at(c.joint[k])].kind, term.coordinate, f.a, f.b).gap;
  }
  return sum;
}

void JointSystem::gaps(double t, const Configuration& q, Out g) {
  Structure& d = *structure_;
  d.place(t, q, d.now);
  JointRows rows;
  for (std::size_t i = 0; i < d.held.size(); ++i) {
    const Structure::Held& joint = d.held[i];
    if (joint.node < 0) continue;
    Structure::rows_of(joint, d.now[i], rows);
    const int first = d.rows_of_joint[at(joint.given)][0];
    for (int k = 0; k < rows.size; ++k) g[first + k] = rows.row[at(k)].gap;
  }
  int row = d.rows - static_cast<int>(d.coupled.size());
  for (const Structure::Coupled& c : d.coupled) {
    double gap = d.sum(c, d.now) - (c.given.value ? c.given.value(t)[0] : 0.0);
    if (c.turn > 0.0) gap -= c.turn * std::round(gap / c.turn);
    g[row++] = c.turn < 0.0 ? 0.0 : gap;
  }
}

double JointSystem::coordinate(double t, const Configuration& q, int joint, int coordinate) {
  Structure& d = *structure_;
  expects(d.held_of[at(joint)] >= 0, "the joint must belong to one of these groups");
  const Structure::Held& held = d.held[at(d.held_of[at(joint)])];
  for (const Structure::Side& s : held.side)
    if (s.member >= 0) d.place(d.members[at(s.member)], t, q(s.member));
  return d.value(held, coordinate);
}

double JointSystem::coordinate(int joint, int coordinate) const {
  const Structure& d = *structure_;
  expects(d.held_of[at(joint)] >= 0, "the joint must belong to one of these groups");
  const std::size_t i = at(d.held_of[at(joint)]);
  return joint_coordinate(d.held[i].kind, coordinate, d.at_rows[i].a, d.at_rows[i].b).gap;
}

void JointSystem::coordinates(double t, const Configuration& q,
                              std::span<const std::array<int, 2>> of, Out values) {
  Structure& d = *structure_;
  for (std::size_t m = 0; m < d.members.size(); ++m)
    d.place(d.members[m], t, q(static_cast<int>(m)));
  for (std::size_t k = 0; k < of.size(); ++k) {
    expects(d.held_of[at(of[k][0])] >= 0, "the joint must belong to one of these groups");
    values[static_cast<Eigen::Index>(k)] = d.value(d.held[at(d.held_of[at(of[k][0])])], of[k][1]);
  }
}

/// Angular velocities of the bodies of a member, J_s v + d_s.
void JointSystem::Structure::measure_spins(Member& m, double t, View q, View v) {
  if (m.spin_at.empty()) return;
  m.spin.resize(three(static_cast<int>(m.spin_at.size())));
  m.of.body->spin_drift(t, q, m.spin_at, m.spin);
  m.of.body->spin_rows(q, q, m.spin_at, m.spin_J);
  const PointRows& J = m.spin_J;
  for (std::size_t i = 0; i < m.spin_at.size(); ++i)
    for (int e = J.offset[i]; e < J.offset[i + 1]; ++e)
      for (int axis = 0; axis < 3; ++axis)
        for (int j = 0; j < J.width; ++j)
          m.spin[three(static_cast<int>(i)) + axis] +=
              J.value[at((3 * e + axis) * J.width + j)] * v[J.column[at(e)] + j];
}

void JointSystem::angle_rates(double t, const Configuration& q, const Configuration& v,
                              std::span<const std::array<int, 2>> of, Out rates) {
  Structure& d = *structure_;
  for (std::size_t m = 0; m < d.members.size(); ++m) {
    const int i = static_cast<int>(m);
    d.place(d.members[m], t, q(i));
    d.measure_spins(d.members[m], t, q(i), v(i));
  }
  for (std::size_t k = 0; k < of.size(); ++k) {
    expects(d.held_of[at(of[k][0])] >= 0, "the joint is one of these groups");
    const Structure::Held& held = d.held[at(d.held_of[at(of[k][0])])];
    Structure::Frames f;
    d.frame(held.side[0], f.a);
    d.frame(held.side[1], f.b);
    const JointRow row = joint_coordinate(held.kind, of[k][1], f.a, f.b);
    expects(row.spin, "the coordinate is an angle");
    double rate = 0.0;
    for (std::size_t s = 0; s < 2; ++s) {
      const Structure::Side& side = held.side[s];
      if (side.member < 0 || side.spin < 0) continue;
      const double part = row.direction.dot(
          d.members[at(side.member)].spin.segment<3>(Structure::three(side.spin)));
      rate += s == 0 ? -part : part;
    }
    rates[static_cast<Eigen::Index>(k)] = rate;
  }
}

// -- rows

/// Sets the material point of side s to the one that is at x in the present position of the body.
void JointSystem::Structure::aim(const Side& s, const Vector3& x) {
  if (s.member < 0) return;
  Member& m = members[at(s.member)];
  if (!m.frames) return;  // it does not rotate: all its points move alike
  const Pose& body = m.pose[at(s.ref.body)];
  m.point_at[at(s.point)].local = body.R.transpose() * (x - body.x);
}

void JointSystem::make_rows(double t, const Configuration& q) {
  Structure& d = *structure_;
  d.place(t, q, d.at_rows);
  for (std::size_t i = 0; i < d.held.size(); ++i) {
    const Structure::Side& a = d.held[i].side[0];
    if (under_b(d.held[i].kind)) d.aim(a, d.at_rows[i].b.x);
    for (const Structure::Side& s : d.held[i].side)
      if (s.member >= 0 && !(under_b(d.held[i].kind) && &s == &a))
        d.members[at(s.member)].point_at[at(s.point)].local = s.ref.local;
  }
  d.make_rows(t, t, q, q);
}

void JointSystem::make_rows(const Motion& motion) {
  Structure& d = *structure_;
  d.place(motion.t0, motion.q0, d.at_rows);
  d.place(motion.t1, motion.q1, d.now);
  const double t = 0.5 * (motion.t0 + motion.t1);
  for (std::size_t m = 0; m < d.members.size(); ++m)
    if (d.members[m].frames) d.place(d.members[m], t, motion.q(static_cast<int>(m)));
  const auto mean = [](JointFrame& x, const JointFrame& x1) {
    x.x = 0.5 * (x.x + x1.x);
    x.R = 0.5 * (x.R + x1.R);
  };
  for (std::size_t i = 0; i < d.held.size(); ++i) {
    Structure::Frames& f = d.at_rows[i];
    mean(f.a, d.now[i].a);
    mean(f.b, d.now[i].b);
    d.aim(d.held[i].side[0], under_b(d.held[i].kind) ? f.b.x : f.a.x);
    d.aim(d.held[i].side[1], f.b.x);
  }
  d.make_rows(motion.t0, motion.t1, motion.q, motion.axes);
}

/// Requires frames and point_at to be set.
void JointSystem::Structure::make_rows(double t0, double t1, const Configuration& q,
                                       const Configuration& axes) {
  bool changed = !arranged;
  for (std::size_t k = 0; k < members.size(); ++k) {
    Member& m = members[k];
    const Dynamics& body = *m.of.body;
    if (m.own.empty()) continue;
    const Vector& q_m = q(static_cast<int>(k));
    const Vector& axes_m = axes(static_cast<int>(k));
    body.point_rows(q_m, axes_m, m.point_at, m.J.rows);
    if (!m.spin_at.empty()) body.spin_rows(q_m, axes_m, m.spin_at, m.Js.rows);
    if (m.J.changed()) changed = true;
    if (!m.spin_at.empty() && m.Js.changed()) changed = true;
    m.drifts = false;
    for (int i = 0; i < 2; ++i) {
      body.point_drift(i == 0 ? t0 : t1, q_m, m.point_at, m.drift[i]);
      m.drifts = m.drifts || !m.drift[i].isZero(0.0);
      if (m.spin_at.empty()) continue;
      body.spin_drift(i == 0 ? t0 : t1, q_m, m.spin_at, m.spin_drift[i]);
      m.drifts = m.drifts || !m.spin_drift[i].isZero(0.0);
    }
  }
  if (changed) arrange();
  fill(t0, t1);
}

double JointSystem::Structure::drift(const Side& s, const JointRow& row, int instant) const {
  if (s.member < 0 || !members[at(s.member)].drifts) return 0.0;
  const Member& m = members[at(s.member)];
  return row.spin ? row.direction.dot(m.spin_drift[instant].segment<3>(three(s.spin)))
                  : row.direction.dot(m.drift[instant].segment<3>(three(s.point)));
}

/// Rows across a link: t . (x_b - x_a) changes, which its force follows.
void JointSystem::Structure::rows_of(const Held& joint, const Frames& f, JointRows& rows) {
  joint_rows(joint.kind, joint.length, f.a, f.b, rows);
  if (!joint.across) return;
  const Vector3 n = rows.row[0].direction;
  int least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3 t = n.cross(Vector3::Unit(least)).normalized();
  rows.row[1] = {false, t, 0.0};
  rows.row[2] = {false, n.cross(t), 0.0};
  rows.size = 3;
}

void JointSystem::Structure::fill(double t0, double t1) {
  if (sparse_blocks) std::fill(matrix.values().begin(), matrix.values().end(), 0.0);
  const bool drifts =
      std::any_of(members.begin(), members.end(), [](const Member& m) { return m.drifts; });
  drift0.setZero();
  drift1.setZero();
  JointRows made;
  double* const G = matrix.values().data();
  std::size_t k = 0;
  for (const Part& part : parts) {
    const Held& h = held[at(part.joint)];
    const Frames& f = at_rows[at(part.joint)];
    if (part.coordinate < 0) {
      rows_of(h, f, made);
    } else {
      made.size = 1;
      made.row[0] = joint_coordinate(h.kind, part.coordinate, f.a, f.b);
    }
    const std::span<const JointRow> these(made.row.data(), at(made.size));
    for (; k < part.end; ++k) {
      const Write& w = writes[k];
      const PointRows& J = w.spin ? members[at(w.member)].Js.rows : members[at(w.member)].J.rows;
      const double sign = w.side == 0 ? -part.weight : part.weight;
      const double* B = J.value.data() + 3 * at(J.width) * at(w.entry);
      double* to = G + w.to.begin;
      if (J.width == 6)
        put_rows<6>(these, w.spin, sign, B, 6, to, w.to.stride, w.add);
      else
        put_rows<Eigen::Dynamic>(these, w.spin, sign, B, J.width, to, w.to.stride, w.add);
    }
    const int first = matrix.first(part.node);
    for (int i = 0; drifts && i < made.size; ++i) {
      const JointRow& row = these[at(i)];
      drift0[first + i] += part.weight * (drift(h.side[1], row, 0) - drift(h.side[0], row, 0));
      drift1[first + i] += part.weight * (drift(h.side[1], row, 1) - drift(h.side[0], row, 1));
    }
  }
  for (const Coupled& c : coupled)
    if (c.given.value) {
      drift0[matrix.first(c.node)] -= c.given.value(t0)[1];
      drift1[matrix.first(c.node)] -= c.given.value(t1)[1];
    }
}

std::array<JointFrame, 2> JointSystem::frames(int joint) const {
  const Structure& d = *structure_;
  expects(d.held_of[at(joint)] >= 0, "the joint must belong to one of these groups");
  const Structure::Frames& x = d.at_rows[at(d.held_of[at(joint)])];
  return {x.a, x.b};
}

std::span<const char> JointSystem::turns() const { return structure_->turns; }

double JointSystem::extent() const {
  double most = structure_->longest_arm;
  for (const Structure::Frames& x : structure_->now)
    most = std::max({most, x.a.x.cwiseAbs().maxCoeff(), x.b.x.cwiseAbs().maxCoeff()});
  return most;
}

std::vector<double> JointSystem::jumps() const {
  Breaks all;
  for (const Structure::Coupled& c : structure_->coupled)
    all.jumps.insert(all.jumps.end(), c.given.breaks.jumps.begin(), c.given.breaks.jumps.end());
  for (const Structure::Member& m : structure_->members)
    if (!m.own.empty()) m.of.body->breaks(all);
  std::ranges::sort(all.jumps);
  return all.jumps;
}

std::span<const char> JointSystem::moved() const {
  Structure& d = *structure_;
  d.moved.assign(at(d.rows), 0);
  for (const Structure::Held& joint : d.held) {
    if (joint.node < 0) continue;
    const bool moves = std::ranges::any_of(joint.side, [&](const Structure::Side& side) {
      if (side.member < 0) return false;
      const Dynamics& body = *d.members[at(side.member)].of.body;
      return body.velocities() == 0 || body.prescribed() > 0;
    });
    const auto [first, count] = d.rows_of_joint[at(joint.given)];
    if (moves) std::fill_n(d.moved.begin() + first, count, 1);
  }
  int row = d.rows - static_cast<int>(d.coupled.size());
  for (const Structure::Coupled& c : d.coupled) d.moved[at(row++)] = c.given.value != nullptr;
  return d.moved;
}

const Vector& JointSystem::drift0() const { return structure_->drift0; }
const Vector& JointSystem::drift1() const { return structure_->drift1; }

std::array<double, 2> JointSystem::add_coordinate(int joint, int coordinate, double weight,
                                                  int member, int row, GroupRows& H) const {
  const Structure& d = *structure_;
  expects(d.held_of[at(joint)] >= 0, "the joint must belong to one of these groups");
  const std::size_t i = at(d.held_of[at(joint)]);
  const Structure::Held& held = d.held[i];
  const JointRow c = joint_coordinate(held.kind, coordinate, d.at_rows[i].a, d.at_rows[i].b);
  std::array<double, 2> drifts{0.0, 0.0};
  for (int k = 0; k < 2; ++k) {
    const Structure::Side& s = held.side[k];
    if (s.member != member) continue;
    const Structure::Member& m = d.members[at(member)];
    const double sign = k == 0 ? -weight : weight;
    H.add(row, sign, c.direction, c.spin ? m.Js.rows : m.J.rows, c.spin ? s.spin : s.point);
    for (int instant = 0; instant < 2; ++instant)
      drifts[at(instant)] += sign * d.drift(s, c, instant);
  }
  return drifts;
}

/// Applies p along a row, unless it is a rotation row, to the sides with prescribed degrees of
/// freedom. These have no frames and are given by their points.
void JointSystem::Structure::push(const Held& joint, const JointRow& row, double p,
                                  const UseImpulse& use) const {
  if (row.spin || p == 0.0) return;
  for (int k = 0; k < 2; ++k) {
    const Side& s = joint.side[k];
    if (s.member < 0 || members[at(s.member)].of.body->prescribed() == 0) continue;
    use(members[at(s.member)].of.group, s.ref, (k == 0 ? -p : p) * row.direction);
  }
}

void JointSystem::point_impulses(View L, const UseImpulse& use) const {
  const Structure& d = *structure_;
  JointRows rows;
  for (const Structure::Part& part : d.parts) {
    const Structure::Held& h = d.held[at(part.joint)];
    const Structure::Frames& f = d.at_rows[at(part.joint)];
    if (part.coordinate < 0) {
      joint_rows(h.kind, h.length, f.a, f.b, rows);
    } else {
      rows.size = 1;
      rows.row[0] = joint_coordinate(h.kind, part.coordinate, f.a, f.b);
    }
    for (int i = 0; i < rows.size; ++i)
      d.push(h, rows.row[at(i)], part.weight * L[d.matrix.first(part.node) + i], use);
  }
}

void JointSystem::point_impulses(int joint, int coordinate, double p, const UseImpulse& use) const {
  const Structure& d = *structure_;
  expects(d.held_of[at(joint)] >= 0, "the joint must belong to one of these groups");
  const std::size_t i = at(d.held_of[at(joint)]);
  const Structure::Held& h = d.held[i];
  d.push(h, joint_coordinate(h.kind, coordinate, d.at_rows[i].a, d.at_rows[i].b), p, use);
}

// -- G and S

void JointSystem::multiply_add(int member, View v, Out u) const {
  structure_->matrix.multiply_add(member, v, u);
}
void JointSystem::transpose_add(int member, View L, Out r) const {
  structure_->matrix.transpose_add(member, L, r);
}
void JointSystem::dense(int member, Eigen::Ref<Matrix> G) const {
  structure_->matrix.dense(member, G);
}
void JointSystem::blocks(std::vector<Block>& out) const {
  Structure& d = *structure_;
  out.clear();
  std::size_t k = 0, begin = 0;  // index of the writes, and first block of the node
  int node = -1;
  for (const Structure::Part& part : d.parts) {
    if (part.node != node) begin = out.size();
    node = part.node;
    for (; k < part.end; ++k) {
      const Structure::Write& w = d.writes[k];
      const Structure::Member& m = d.members[at(w.member)];
      const int column = (w.spin ? m.Js : m.J).rows.column[at(w.entry)];
      if (std::none_of(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                       [&](const Block& b) { return b.member == w.member && b.column == column; }))
        out.push_back({d.matrix.first(node), d.size[at(node)], w.member, column, w.to.stride,
                       d.matrix.values().data() + w.to.begin});
    }
  }
}
bool JointSystem::factorise(const Factors& A) { return structure_->matrix.factorise(A); }
bool JointSystem::loops() const { return structure_->matrix.loops(); }
bool JointSystem::find_dependent(const Factors& A) { return structure_->matrix.find_dependent(A); }
bool JointSystem::factorise_kept(const Factors& A) { return structure_->matrix.factorise_kept(A); }
void JointSystem::yield(const Vector& compliance) { structure_->matrix.yield(compliance); }
void JointSystem::solve(Eigen::Ref<Matrix> X) const {
  if (!empty()) structure_->matrix.factor().solve(X);
}
void JointSystem::apply(View L, Out u) const { structure_->matrix.apply(L, u); }
double JointSystem::diagonal(int row) const { return structure_->matrix.diagonal()[row]; }
const Vector& JointSystem::diagonal() const { return structure_->matrix.diagonal(); }
std::span<const int> JointSystem::dependent() const {
  return structure_->matrix.factor().dependent();
}

}  // namespace saltus
