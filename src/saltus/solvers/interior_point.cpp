// Interior point method for contact with friction. In the scaling of cone_problem.h every friction
// cone is K = {|x_T| <= x_N} = K*:
//     y = W~ x + b~ + s n,   x in K,   y in K,   x o y = m e,   m -> 0,   s = |y_T|             (1)
// x: impulses, y: velocities u^, n: the normal, e: the unit element of the product o. s is smoothed
// to sqrt(|y_T|^2 + (kappa m)^2) and linearised with the rest:
//     (I - C) dy = W~ dx + r,   C = n t^T,   t = y_T/s,   r = W~ x + b~ + s n - y
//     F^-1 dx + F dy = q                                                       (nesterov_todd.h)
// =>  (W~ + (I - C) F^-2) dx = (I - C) F^-1 q - r,   dy = F^-1 q - F^-2 dx                      (2)
// The solve ends with Newton's method on the contact statuses found by the interior point
// (cone_newton.h), which is also tried first if the given impulses are close to a solution.
//
// Joints and sticking contacts can constrain a body redundantly, with a geometry that is
// inconsistent by v = 1e-9 to 1e-6: contacts slip with v on the surface of their cones. Interior
// iterates are m/v inside the cone, so that F = x - P(x - y) stays near v until m < v^2, which no
// interior point method reaches. Statuses are therefore determined with a rho of 1/sqrt(m), for
// which v is significant, as soon as m is small, however large F is. With W~ + alpha I, v can move
// x by v/alpha: by x itself, which is of order 1, if alpha is close to F.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/cone_work.h"
#include "saltus/solvers/nesterov_todd.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

using Kind = ConeProblem::Kind;
using PointCone = ConeProblem::Cone;

constexpr double kSmooth[] = {
    /// kappa; 1e-4 to 1e-2 are equivalent, from 0.02 on steps become short
    1e-3, 1e-2, 1e-4, 5e-2};
constexpr double kRegular = 1e-11;   ///< for rows without a cone: equalities may be redundant
constexpr double kBoundary = 0.995;  ///< fraction of the distance to the boundary, at most
constexpr double kShort = 0.3;       ///< if a step is shorter, a step towards the centre is tried
constexpr double kStuck = 0.1;       ///< after a shorter step, the next one leaves C out
constexpr double kIdentify = 1e-3;   ///< residual below which the statuses are tried
constexpr double kProximal = 1e-10, kProximalJoints = 1e-6;  ///< alpha of Newton's method
constexpr double kProximalLeast = 1e-8, kProximalLargest = 0.1;
constexpr int kMostInterior = 100, kPatience = 20, kMostNewton = 12, kNewtonPatience = 2;
// If contacts are redundant: residual below which the statuses of the given impulses are kept;
// residual above which Newton's method has lost them; residual below which alpha is reduced when
// Newton's method stalls.
constexpr double kFollow = 1e-2, kLost = 1e-2, kInteriorStands = 1e-7;
constexpr int kMostKept = 10;
/// in units of the tolerance: residual of a near start, residual to aim at
constexpr double kNear = 2.0, kFilled = 0.9;
// Also if contacts are redundant: m below which statuses are tried, and the factor by which it must
// fall between two trials; rho, and alpha relative to F: the closer x is, the less it has to move.
constexpr double kSettled = 1e-9, kFall = 0.25, kSharp = 1e5;
constexpr double kShare = 3.0, kShareRoot = 3e-5;  ///< alpha = F max(kShare, kShareRoot/sqrt(m))
constexpr int kMostWandering = 30,
              kLongPatience = 7;  ///< Newton steps where joints and contacts are redundant

struct InteriorPointWork final : SolverWork {
  ConeWork cones;
  std::vector<ConeRows> rows;         ///< one per cone
  std::vector<NesterovTodd> scaling;  ///< one per cone
  Vector x, y, r, s;                  ///< s in the normal rows
  Vector lambda, q, dx, dy, other_dx, other_dy;
  Vector trial, best, followed;  ///< impulses [N s]

  void begin(const ContactProblem& contact) {
    cones.begin(contact);
    const ConeProblem& problem = cones.problem;
    rows.resize(problem.cones.size());
    scaling.resize(problem.cones.size());
    for (Vector* v :
         {&x, &y, &r, &s, &lambda, &q, &dx, &dy, &other_dx, &other_dy, &trial, &best, &followed})
      v->setZero(problem.rows());
  }
};

/// State of one solve.
class InteriorPointSolve {
 public:
  /// start: the residual of p
  InteriorPointSolve(const ContactProblem& contact, Limits limits, InteriorPointWork& work,
                     double start, bool redundant, Out p)
      : contact_(contact),
        limits_(limits),
        w_(work),
        p_(p),
        redundant_(redundant || contact.W.jointed() != nullptr) {
    w_.begin(contact);
    w_.best = p;
    report_.residual = start;
    for (const PointCone& cone : w_.cones.problem.cones) barriers_ += cone.barrier() ? 1 : 0;
  }

  SolveReport run() {
    if (!done() && report_.residual < (redundant_ ? kFollow : kIdentify)) follow();
    // The interior point starts independently: impulses that nearly solve the problem would draw it
    // to where Newton's method has just failed.
    const double followed = report_.residual;
    if (!done()) {
      w_.followed = w_.best;
      report_.residual = std::numeric_limits<double>::infinity();
    }
    // With redundant contacts, paths of (1) may not converge: another kappa gives another path.
    for (const double smooth : kSmooth) {
      smooth_ = smooth;
      interior();
      if (!redundant_) break;
      wander();
      if (done()) break;
    }
    if (followed < report_.residual) {
      report_.residual = followed;
      w_.best = w_.followed;
    }
    p_ = w_.best;
    report_.iterations = w_.cones.factorisations();
    report_.converged = report_.residual <= limits_.tolerance;
    return report_;
  }

 private:
  /// Starts from the given impulses. If they nearly meet the tolerance, only as much of the change
  /// is made as the tolerance requires: impulses that removed the velocities left by the previous
  /// step within its tolerance would be wrong in the next step, and bodies at rest would need a
  /// factorisation in every second step.
  void follow() {
    const double start = report_.residual;
    w_.other_dx = w_.best.cwiseQuotient(w_.cones.problem.impulse);
    if (redundant_)
      keep();
    else
      newton(kProximal, kMostNewton, kNewtonPatience);
    if (!(start <= kNear * limits_.tolerance) || !done()) return;
    const double part = kFilled * limits_.tolerance / start;
    w_.trial = part * p_ + (1.0 - part) * w_.best;
    const double now = residual(contact_, w_.trial);
    if (!(now <= limits_.tolerance)) return;
    report_.residual = now;
    w_.best = w_.trial;
  }

  /// Keeps the statuses of the given impulses, then applies Newton's method. For redundantly
  /// constrained bodies the load changes from step to step by far more than contacts slip: v of the
  /// given impulses would change the status of every contact and move the impulses far from those
  /// that balance the load.
  void keep() {
    Vector& x = w_.other_dx;
    double alpha = kProximalJoints;
    if (!w_.cones.hold(x, alpha)) return;
    double last = offer(x);
    for (int k = 0; k < kMostKept && !done(); ++k) {
      if (!w_.cones.newton(x, alpha)) return;
      const double now = offer(x);
      if (now > kLost) return;
      if (now < kInteriorStands && now > 0.5 * last) alpha *= 0.1;
      last = now;
    }
  }

  /// Follows (1) from the middle of the cones and tries the statuses it finds.
  void interior() {
    for (const PointCone& cone : w_.cones.problem.cones) {
      if (!cone.barrier()) continue;
      w_.x.segment(cone.first, cone.size).setZero();
      w_.y.segment(cone.first, cone.size).setZero();
      w_.x[cone.first] = w_.y[cone.first] = 1.0;
    }
    double tried = std::numeric_limits<double>::infinity();  // residual or m of the last trial
    double fewest = std::numeric_limits<double>::infinity();
    bool lagged = false;
    for (int k = 0, idle = 0; k < kMostInterior && idle < kPatience && !done(); ++k, ++idle) {
      measure();
      const double now = offer(w_.x);
      if (now < 0.9 * fewest) fewest = now, idle = 0;
      if (done()) break;
      const bool settled = redundant_ ? mean_ < kSettled && mean_ < kFall * tried
                                      : now < kIdentify && now < 0.1 * tried;
      if (settled) {
        tried = redundant_ ? mean_ : now;
        identify(now);
        if (done()) break;
      }
      const double t = advance(lagged);
      if (!(t > 0.0)) break;
      lagged = !lagged && t < kStuck;
    }
    if (report_.residual > limits_.tolerance) identify(report_.residual);
  }

  /// Newton's method from the best iterate while it improves: a large alpha limits the drift.
  void wander() {
    double before = 0.0;
    do {
      before = report_.residual;
      for (double alpha = kProximalLeast; alpha <= kProximalLargest && !done(); alpha *= 10.0) {
        w_.other_dx = w_.best.cwiseQuotient(w_.cones.problem.impulse);
        newton(alpha, kMostWandering, kLongPatience);
      }
    } while (report_.residual < before && !done());
  }

  bool done() const {
    return report_.residual <= limits_.tolerance ||
           w_.cones.factorisations() >= limits_.iterations || limits_.stopped();
  }

  /// Projects x onto the cones, stores its impulses if they are the best; returns their residual.
  double offer(const Vector& x) {
    w_.trial = x;
    w_.cones.problem.project(w_.trial);
    w_.trial = w_.trial.cwiseProduct(w_.cones.problem.impulse);
    const double now = residual(contact_, w_.trial);
    if (now < report_.residual && w_.cones.problem.meaningful(x, now)) {
      report_.residual = now;
      w_.best = w_.trial;
    }
    return now;
  }

  /// Computes m = x . y/cones,  s  and  r
  void measure() {
    const ConeProblem& problem = w_.cones.problem;
    double gap = 0.0;
    for (const PointCone& cone : problem.cones)
      if (cone.barrier())
        gap += NesterovTodd::dot(cone.size, w_.x.data() + cone.first, w_.y.data() + cone.first);
    mean_ = barriers_ > 0 ? gap / barriers_ : 0.0;
    w_.cones.apply(w_.x, w_.r);
    w_.r += problem.b;
    for (const PointCone& cone : problem.cones) {
      const double* const y = w_.y.data() + cone.first;
      double* const r = w_.r.data() + cone.first;
      if (cone.kind == Kind::zero) r[0] = 0.0;
      if (!cone.barrier()) continue;
      if (cone.kind == Kind::second_order)
        r[0] += w_.s[cone.first] = std::hypot(NesterovTodd::norm_T(cone.size, y), smooth_ * mean_);
      for (int i = 0; i < cone.size; ++i) r[i] -= y[i];
    }
  }

  /// Assembles and factorises the matrix of (2); C = 0 if `lagged`.
  bool factorise(bool lagged) {
    const ConeProblem& problem = w_.cones.problem;
    for (std::size_t c = 0; c < problem.cones.size(); ++c) {
      const PointCone& cone = problem.cones[c];
      ConeRows& rows = w_.rows[c];
      rows = {};
      if (cone.kind == Kind::all) rows.set(0, 1.0, kRegular);
      if (cone.kind == Kind::zero) rows.set(0, 0.0, 1.0);
      if (!cone.barrier()) continue;
      NesterovTodd& F = w_.scaling[c];
      const double* const y = w_.y.data() + cone.first;
      F.make(cone.size, w_.x.data() + cone.first, y);
      for (int i = 0; i < cone.size; ++i) {
        rows.A[4 * i] = 1.0;
        for (int j = 0; j < cone.size; ++j) {
          double value = F.inverse_square(i, j);
          if (i == 0 && !lagged)
            for (int l = 1; l < cone.size; ++l)
              value -= y[l] / w_.s[cone.first] * F.inverse_square(l, j);
          rows.B[3 * i + j] = value;
        }
      }
      F.scale(y, w_.lambda.data() + cone.first);
    }
    return w_.cones.factorise(w_.rows);
  }

  /// Computes dx, dy of (2) for q
  void direction(bool lagged, Vector& dx, Vector& dy) {
    const ConeProblem& problem = w_.cones.problem;
    dx = -w_.r;
    for (std::size_t c = 0; c < problem.cones.size(); ++c) {
      const PointCone& cone = problem.cones[c];
      if (!cone.barrier()) continue;
      const double* const y = w_.y.data() + cone.first;
      double* const z = dy.data() + cone.first;  // F^-1 q
      w_.scaling[c].scale_back(w_.q.data() + cone.first, z);
      double* const right = dx.data() + cone.first;
      for (int i = 0; i < cone.size; ++i) right[i] += z[i];
      for (int i = 1; i < cone.size && !lagged; ++i) right[0] -= y[i] / w_.s[cone.first] * z[i];
    }
    w_.cones.solve(dx, 1);
    for (std::size_t c = 0; c < problem.cones.size(); ++c) {
      const PointCone& cone = problem.cones[c];
      if (!cone.barrier()) continue;
      for (int i = 0; i < cone.size; ++i)
        for (int j = 0; j < cone.size; ++j)
          dy[cone.first + i] -= w_.scaling[c].inverse_square(i, j) * dx[cone.first + j];
    }
  }

  /// Length of the largest step that stays in the cones.
  double room(const Vector& dx, const Vector& dy, double most) const {
    double t = most;
    for (const PointCone& cone : w_.cones.problem.cones) {
      if (!cone.barrier()) continue;
      const int i = cone.first;
      t = NesterovTodd::step(cone.size, w_.x.data() + i, dx.data() + i, t);
      t = NesterovTodd::step(cone.size, w_.y.data() + i, dy.data() + i, t);
    }
    return t;
  }

  /// Sets q of  lambda o q = centre m e - lambda o lambda - (F^-1 dx) o (F dy);  dx may be null
  void aim(double centre, const Vector* dx, const Vector* dy) {
    for (std::size_t c = 0; c < w_.cones.problem.cones.size(); ++c) {
      const PointCone& cone = w_.cones.problem.cones[c];
      if (!cone.barrier()) continue;
      const double* const lambda = w_.lambda.data() + cone.first;
      double right[3], square[3], a[3], b[3], second[3] = {};
      NesterovTodd::product(cone.size, lambda, lambda, square);
      if (dx) {
        w_.scaling[c].scale_back(dx->data() + cone.first, a);
        w_.scaling[c].scale(dy->data() + cone.first, b);
        NesterovTodd::product(cone.size, a, b, second);
      }
      for (int i = 0; i < cone.size; ++i)
        right[i] = (i == 0 ? centre * mean_ : 0.0) - square[i] - second[i];
      NesterovTodd::divide(cone.size, lambda, right, w_.q.data() + cone.first);
    }
  }

  /// One predictor-corrector step (Mehrotra); returns its length, 0 if there is no step.
  double advance(bool lagged) {
    if (!factorise(lagged) || limits_.stopped()) return 0.0;
    w_.q = -w_.lambda;
    direction(lagged, w_.dx, w_.dy);
    const double predicted = room(w_.dx, w_.dy, 1.0);
    double gap = 0.0;
    for (const PointCone& cone : w_.cones.problem.cones)
      for (int i = cone.first; cone.barrier() && i < cone.first + cone.size; ++i)
        gap += (w_.x[i] + predicted * w_.dx[i]) * (w_.y[i] + predicted * w_.dy[i]);
    const double left = barriers_ > 0 ? gap / (mean_ * barriers_) : 0.0;
    aim(std::clamp(left * left * left, 1e-6, 1.0), &w_.dx, &w_.dy);
    w_.other_dx.swap(w_.dx);
    w_.other_dy.swap(w_.dy);
    direction(lagged, w_.dx, w_.dy);
    double t = std::min(1.0, std::max(0.9, 1.0 - mean_) * kBoundary * room(w_.dx, w_.dy, 2.0));
    if (t < kShort) {
      aim(0.8, nullptr, nullptr);
      direction(lagged, w_.other_dx, w_.other_dy);
      const double central = std::min(1.0, 0.9 * room(w_.other_dx, w_.other_dy, 2.0));
      if (central > t) {
        t = central;
        w_.dx.swap(w_.other_dx);
        w_.dy.swap(w_.other_dy);
      }
    }
    if (!(t > 0.0) || !w_.dx.allFinite() || !w_.dy.allFinite()) return 0.0;
    w_.x += t * w_.dx;
    w_.y += t * w_.dy;
    return t;
  }

  /// Newton's method from the x of the interior point, whose residual is `now`.
  void identify(double now) {
    w_.other_dx = w_.x;
    if (!redundant_) {
      newton(kProximal, kMostNewton, kNewtonPatience);
      return;
    }
    const double alpha =
        mean_ > 0.0 ? now * std::max(kShare, kShareRoot / std::sqrt(mean_)) : kProximalJoints;
    newton(std::clamp(alpha, kProximal, kProximalLargest), kMostNewton, kLongPatience, kSharp);
  }

  /// Newton's method from x = other_dx: at most `most` steps; after `patience` steps it ends as
  /// soon as one does not halve the residual.
  void newton(double alpha, int most, int patience, double sharp = 1.0) {
    Vector& x = w_.other_dx;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most && !done(); ++k) {
      if (!w_.cones.newton(x, alpha, sharp)) return;
      const double now = offer(x);
      if (k > patience && !(now < 0.5 * last)) return;
      last = now;
    }
  }

  const ContactProblem& contact_;
  const Limits limits_;
  InteriorPointWork& w_;
  Out p_;
  const bool redundant_;  ///< bodies are constrained redundantly, by joints too
  SolveReport report_;
  int barriers_ = 0;     ///< number of cones with an interior
  double mean_ = 0.0;    ///< m
  double smooth_ = 0.0;  ///< kappa
};

class InteriorPoint final : public ContactSolver {
 public:
  explicit InteriorPoint(bool redundant) : redundant_(redundant) {}
  std::string_view name() const override { return "interior-point"; }
  bool handles(LawKind kind) const override {
    return kind == LawKind::equality || kind == LawKind::unilateral || kind == LawKind::coulomb;
  }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    for (const Law& law : problem.laws)
      expects(handles(law.kind), "interior-point handles equality, unilateral and coulomb laws");
    if (at_rest(problem)) {
      p.setZero();
      return {true, 0, residual(problem, p)};
    }
    const double start = residual(problem, p);
    if (start <= limits.tolerance) return {true, 0, start};
    return InteriorPointSolve(problem, limits, memory.work.get<InteriorPointWork>(), start,
                              redundant_, p)
        .run();
  }

 private:
  bool redundant_;
};

}  // namespace

std::unique_ptr<ContactSolver> make_interior_point() {
  return std::make_unique<InteriorPoint>(false);
}
std::unique_ptr<ContactSolver> make_redundant_interior() {
  return std::make_unique<InteriorPoint>(true);
}

}  // namespace saltus
