// The implicit midpoint rule for rigid bodies, in terms of the momentum of the body. R is the
// rotation from body to space, W the angular velocity, T and r_W are torque and angular impulse in
// the axes of mid-step, J is the inertia, Om = (W0 + W1)/2, w = h Om:
//
//     J (W1 - W0) + h Om x J Om = S(w) (h T + r_W),   S(w) g = s g - w (w.g)/(4 (s + 1)),
//         s = sqrt(1 + |w|^2/4)   (1)
//     R1 = R0 cay(w),   quaternion Q1 = Q0 (1, w/2)/s                                           (2)
//     M (v1 - v0) = h f + r_v,   x1 = x0 + h (v0 + v1)/2                                        (3)
//     f and T at t0 + h/2, x_m = (x0 + x1)/2, (1 - w_c) v0 + w_c v1 and R_m, the mean of R0 and R1
//         projected onto the rotations; w_c = 1/2, and for drags with h c/m > 2 more, see
//         dashpot_weight.h
//     quaternion Q_m = Q0 (s + 1, w/2)/sqrt(2 s (s + 1))                                        (4)
//
// With S, torque and impulse in the axes of mid-step change R J W by exactly h R_m T + R_m r_W, and
// their work is (h T + r_W) . Om. Without forces W . J W and R J W are constant.
//
//     A = blockdiag((m + w_c h c) I, J + w_c h c_W I) with the drags c, c_W, gain = 1/2: passes
//     with v_free = v1(r) - A^-1 r.   symmetrise: false:
//     A = S^-1 [M + w_c h C + (h^2/4) K - (h/2) d(S g)/dw] at mid-step, not symmetric
//
// Source: J. C. Simo, K. K. Wong 1991; M. A. Austin et al. 1993; theory in docs/theory/rig-mid.md.
#include "saltus/schemes/rig_mid.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/dynamics/dashpot_weight.h"
#include "saltus/math/dense.h"
#include "saltus/schemes/rig_mid_kernel.h"
#include "saltus/schemes/rigid_step.h"

namespace saltus {
namespace {

constexpr int kMidpointSteps = 50;
constexpr std::string_view kNotSolved =
    "rig-mid did not converge: bodies rotate too far in a step or their loads are too stiff for "
    "it; use a smaller time step";

using Block = Eigen::Matrix<double, 6, 6>;

double stretch(const Vector3& w) { return std::sqrt(1.0 + 0.25 * w.squaredNorm()); }

Matrix3 stretched(const Vector3& w) {  // S
  const double s = stretch(w);
  return s * Matrix3::Identity() - 0.25 / (s + 1.0) * w * w.transpose();
}

Matrix3 slope(const Vector3& w, const Vector3& g) {  // d(S g)/dw
  const double s = stretch(w), u = 0.25 / (s + 1.0), along = w.dot(g);
  return (0.25 / s) * g * w.transpose() - u * (along * Matrix3::Identity() + w * g.transpose()) +
         (u * u * along / s) * w * w.transpose();
}

struct Bodies : Prepared {
  /// A body whose drags have w_c > 1/2 in steps of this length.
  struct Dragged {
    std::size_t body;
    double way, turn;        ///< w_c - 1/2 of velocity and spin
    double drag, spin_drag;  ///< c [N s/m], c_W [N m s]
  };

  Bodies(const Dynamics& body, double h) : columns(*body.rigid()) {
    for (const Source& source : body.sources()) accounts = accounts || !source.potential;
    find_dragged(body, h);
  }
  void find_dragged(const Dynamics& body, double h);
  rig_mid::Columns columns;
  bool accounts = false;  ///< some source has no potential
  std::vector<Dragged> dragged;
};

void Bodies::find_dragged(const Dynamics& body, double h) {
  const RigidData& data = *body.rigid();
  Vector q = Vector::Zero(body.positions()), zero = Vector::Zero(body.velocities()), c = zero;
  for (int i = 0; i < body.bodies(); ++i) q[7 * i + 3] = 1.0;
  body.multiply({0.0, 1.0, 0.0}, 0.0, q, zero, Vector::Ones(zero.size()), c);
  if (c.isZero(0.0)) return;
  for (int i = 0; i < body.bodies(); ++i) {
    const auto b = static_cast<std::size_t>(i);
    const double drag = c.segment<3>(6 * i).maxCoeff(), spin = c.segment<3>(6 * i + 3).maxCoeff();
    const double way = dashpot_weight(h * drag * data.mass_inverse[b].maxCoeff()) - 0.5,
                 free = symmetric_pairs(Matrix(data.inertia_inverse[b])).values[2],
                 turn = dashpot_weight(h * spin * free) - 0.5;
    if (way > 0.0 || turn > 0.0) dragged.push_back({b, way, turn, drag, spin});
  }
}

class RigMid final : public Scheme {
 public:
  explicit RigMid(const RigMidOptions& o) : symmetrise_(o.symmetrise) {}
  std::string_view name() const override { return RigMidOptions::name; }
  unsigned needs() const override { return static_cast<unsigned>(Trait::rigid); }
  bool one_pass(const Dynamics&) const override { return false; }
  bool free_motion(const Dynamics&) const override { return true; }
  double gain() const override { return 0.5; }
  bool damps(double) const override { return true; }
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override {
    return std::make_unique<Bodies>(body, h);
  }

  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  double correct(const Dynamics& body, Trial& x) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void place(const Dynamics& body, const Trial& x, double fraction, Out q) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 private:
  /// (4), (v0 + v1)/2, (f, T) at mid-step, A^-1 r, scratch, and the velocity of the load if some
  /// body is dragged
  enum Scratch {
    q_mid,
    v_mid,
    load,
    response,
    change,
    product,
    spare,
    scale,
    history,
    v_load,
    count
  };

  void move(const Dynamics& body, Trial& x) const;
  void iterate(const Dynamics& body, Trial& x) const;
  void tangent(const Dynamics& body, Trial& x, Factor& A, bool whole) const;
  static const Vector& velocity_of_load(Trial& x, const Vector& v1);
  static void add_drag(const Trial& x, Factor& A);
  static rig_mid::Step step(Trial& x);
  static const Bodies& prepared(const Trial& x) { return *static_cast<const Bodies*>(x.prepared); }

  bool symmetrise_;
};

rig_mid::Step RigMid::step(Trial& x) {
  return {x.h,        x.start->q.data(), x.start->v.data(),    x.work[load].data(), x.r.data(),
          x.q.data(), x.v.data(),        x.work[q_mid].data(), x.work[v_mid].data()};
}

void RigMid::begin(const Dynamics& body, Trial& x) const {
  if (x.work.empty()) {
    x.work.assign(count, Vector::Zero(body.velocities()));
    x.work[q_mid].resize(body.positions());
    body.load(x.t0 + 0.5 * x.h, x.start->q, x.start->v, x.work[load]);
  } else if (!body.rigid()->steady_load) {
    body.load(x.t0 + 0.5 * x.h, x.start->q, x.start->v, x.work[load]);
  }
  x.gain = 0.5;
  if (symmetrise_ && !x.factorised) {
    x.work[spare].setZero();  // without rotation C contains the drags only
    body.factorise({1.0, 0.5 * x.h, 0.0}, x.t0, x.start->q, x.work[spare], x.A);
    add_drag(x, x.A);
  }
  x.factorised = symmetrise_;
  move(body, x);
}

// (1 - w_c) v0 + w_c v1 = v_mid + (w_c - 1/2) (v1 - v0)
const Vector& RigMid::velocity_of_load(Trial& x, const Vector& v1) {
  const auto& dragged = prepared(x).dragged;
  if (dragged.empty()) return x.work[v_mid];
  Vector& v = x.work[v_load];
  v = x.work[v_mid];
  for (const Bodies::Dragged& one : dragged) {
    const RigidAt at(static_cast<std::ptrdiff_t>(one.body));
    const Eigen::Matrix<double, 6, 1> dv = v1.segment<6>(at.v) - x.start->v.segment<6>(at.v);
    v.segment<3>(at.v) += one.way * dv.head<3>();
    v.segment<3>(at.v + 3) += one.turn * dv.tail<3>();
  }
  return v;
}

// With D = (w_c - 1/2) h c:  (B + D)^-1 = (1 + B^-1 D)^-1 B^-1,  also where B^-1 has locked rows.
void RigMid::add_drag(const Trial& x, Factor& A) {
  for (const Bodies::Dragged& one : prepared(x).dragged) {
    Block& inverse = std::get<Blocks6>(A.form).inverse[one.body];
    Eigen::Matrix<double, 6, 1> D;
    D << Vector3::Constant(one.way * x.h * one.drag),
        Vector3::Constant(one.turn * x.h * one.spin_drag);
    inverse = ((Block::Identity() + inverse * D.asDiagonal()).inverse() * inverse).eval();
  }
}

// The motion of the step under x.r. If the load at the resulting mid-step state is unchanged, only
// the rotations are solved for; otherwise the motion is iterated.
void RigMid::move(const Dynamics& body, Trial& x) const {
  if (!rig_mid::advance(prepared(x).columns, step(x))) x.failure = kNotSolved;
  if (body.rigid()->steady_load) return;
  body.load(x.t0 + 0.5 * x.h, x.work[q_mid], velocity_of_load(x, x.v), x.work[spare]);
  if ((x.work[spare].array() == x.work[load].array()).all()) return;
  x.work[load].swap(x.work[spare]);
  iterate(body, x);
}

// Newton's method on (1) and (3) together, to round-off, each body until it has converged. In the
// contribution of K, the derivative of the rotation R_m with respect to Om is taken as h/2, which
// neglects terms of relative order h |Om|.
void RigMid::iterate(const Dynamics& body, Trial& x) const {
  const RigidData& data = *body.rigid();
  const double h = x.h;
  const auto bodies = static_cast<std::ptrdiff_t>(data.mass.size());
  Vector& last = x.work[change];  // |dv|_M^2 of the previous iteration
  last.setConstant(std::numeric_limits<double>::infinity());
  for (int k = 0; k < kMidpointSteps; ++k) {
    tangent(body, x, x.M, false);
    const auto& inverse = std::get<Blocks6>(x.M.form).inverse;
    bool done = true;
    for (std::ptrdiff_t i = 0; i < bodies; ++i) {
      if (last[i] < 0.0) continue;
      const auto b = static_cast<std::size_t>(i);
      const RigidAt at(i);
      const Matrix3& J = data.inertia[b];
      const Vector3 Om = at.spin(x.work[v_mid]), dv = at.linear(x.v) - at.linear(x.start->v),
                    D = at.spin(x.v) - at.spin(x.start->v);
      Eigen::Matrix<double, 6, 1> rest;
      rest.head<3>() = data.mass[b] * dv - h * at.linear(x.work[load]) - at.linear(x.r);
      rest.tail<3>() = J * D + h * Om.cross(J * Om) -
                       stretched(h * Om) * (h * at.spin(x.work[load]) + at.spin(x.r));
      Eigen::Matrix<double, 6, 1> pushed;
      pushed << h * at.linear(x.work[load]), h * at.spin(x.work[load]);
      const Eigen::Matrix<double, 6, 1> by = inverse[b] * rest, loaded = inverse[b] * pushed;
      const auto square = [&](const Vector3& v, const Vector3& W) {
        return data.mass[b] * v.squaredNorm() + W.dot(J * W);
      };
      x.v.segment<6>(at.v) -= by;
      // The scale includes what the load alone would cause, for bodies held at rest by an impulse.
      const double moved = square(by.head<3>(), by.tail<3>()),
                   size = std::max({square(at.linear(x.start->v), at.spin(x.start->v)),
                                    square(at.linear(x.v), at.spin(x.v)),
                                    square(loaded.head<3>(), loaded.tail<3>())});
      // at round-off, or no longer approaching it (also where loads that cancel limit the accuracy)
      constexpr double kEnd = 1e-31, kNear = 1e-26,
                       kStill = 4.0 * std::numeric_limits<double>::epsilon();
      const double reach = x.start->q.segment<7>(at.q).lpNorm<Eigen::Infinity>() + body.offset();
      const bool near = moved <= kNear * size || h * by.lpNorm<Eigen::Infinity>() <= kStill * reach;
      const bool ends = moved <= kEnd * size || (near && moved >= 0.25 * last[i]);
      last[i] = ends ? -1.0 : moved;
      done = done && ends;
    }
    rig_mid::place(prepared(x).columns, step(x));
    if (done) return;
    body.load(x.t0 + 0.5 * h, x.work[q_mid], velocity_of_load(x, x.v), x.work[load]);
  }
  x.failure = kNotSolved;
}

// Inverse of Newton's matrix at mid-step, B - E for each body with B = M + (h/2) C + (h^2/4) K and
// E = (h/2) d(S g)/dw in the rotation block:  (B - E)^-1 = (I - B^-1 E)^-1 B^-1.
// whole: the inverse of A, which is (B - E)^-1 S.
void RigMid::tangent(const Dynamics& body, Trial& x, Factor& A, bool whole) const {
  const double h = x.h;
  body.factorise({1.0, 0.5 * h, 0.25 * h * h}, x.t0 + 0.5 * h, x.work[q_mid], x.work[v_mid], A);
  add_drag(x, A);
  auto& inverse = std::get<Blocks6>(A.form).inverse;
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const RigidAt at(static_cast<std::ptrdiff_t>(i));
    const Vector3 w = h * at.spin(x.work[v_mid]), g = h * at.spin(x.work[load]) + at.spin(x.r);
    Block& B = inverse[i];
    const Matrix3 E = 0.5 * h * slope(w, g);
    const Matrix3 turning = B.bottomRightCorner<3, 3>();
    const Matrix3 kept = (Matrix3::Identity() - turning * E).inverse() * turning;
    B.topRightCorner<3, 3>() += B.topRightCorner<3, 3>() * E * kept;
    B.bottomRightCorner<3, 3>() = kept;
    if (whole) B.rightCols<3>() = (B.rightCols<3>() * stretched(w)).eval();
  }
}

// v_free = v - A^-1 r
void RigMid::linearise(const Dynamics& body, Trial& x) const {
  if (x.pass <= 1) {
    RoundOff::begin(x.work[history]);
    x.work[response].setZero();
  }
  if (!symmetrise_) {
    tangent(body, x, x.A, true);
    x.work[response] = x.r;
    solve(x.A, x.work[response]);
  }
  x.v_free = x.v - x.work[response];
}

double RigMid::correct(const Dynamics& body, Trial& x) const {
  x.work[response] = x.r;
  solve(x.A, x.work[response]);
  move(body, x);
  x.work[change] = x.v - x.v_free - x.work[response];
  return rigid::outstanding(body, x, x.work[change], x.work[response], x.work[q_mid], x.work[v_mid],
                            x.work[history], x.work[product], x.work[spare], x.work[scale]);
}

void RigMid::finish(const Dynamics&, Trial& x, GroupState& end) const {
  end.q.swap(x.q);
  end.v.swap(x.v);
}

void RigMid::place(const Dynamics& body, const Trial& x, double fraction, Out q) const {
  if (fraction == 0.5)
    q = x.work[q_mid];
  else
    Scheme::place(body, x, fraction, q);
}

// (1) and (3) times (v0 + v1)/2:  E1 - E0 = h F . (v0 + v1)/2 + r . (v0 + v1)/2, exact
void RigMid::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  if (prepared(x).accounts)
    book_sources(body, x.t0 + 0.5 * x.h, x.t0, x.work[q_mid], velocity_of_load(x, end.v),
                 x.work[v_mid], x.h, out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

}  // namespace

std::unique_ptr<Scheme> make_rig_mid(const RigMidOptions& options) {
  return std::make_unique<RigMid>(options);
}

}  // namespace saltus
