// The alternating direction method of multipliers for contact with friction, scaled by cone_problem.h:
//     x <- K^-1 (rho z + eps x - b~ - s n - y),   K = W~ + (rho + eps) I
//     z <- Proj(x + y/rho),   y <- y + rho (x - z),   s = |y_T|
// -y are the velocities u^; z is always inside the cones. rho follows the ratio of the residuals x - z and rho dz; each
// change costs a factorisation of K. The tail is linear: where it is slow, Newton's method on the statuses of z
// (cone_newton.h) is tried.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/cone_work.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

using Kind = ConeProblem::Kind;
using Cone = ConeProblem::Cone;

constexpr double kPenalty = 0.01;   ///< rho at the start; mean diagonal of W~: 1
constexpr double kProximal = 1e-8;  ///< eps
constexpr double kBalanced =
    3.0;                      ///< rho stays while the residuals differ by no more than its square
constexpr int kObserve = 20;  ///< iterations between two looks at rho
constexpr double kIdentify = 1e-3;  ///< residual from which on the statuses are tried
constexpr int kMostNewton = 12, kPatience = 2000;

struct Work final : SolverWork {
  ConeWork cones;
  std::vector<ConeRows> rows;  ///< of each cone
  Vector x, y, z, old_z, right;
  Vector trial, best;  ///< impulses [N s]

  void begin(const ContactProblem& contact) {
    cones.begin(contact);
    rows.resize(cones.problem.cones.size());
    for (Vector* v : {&x, &y, &z, &old_z, &right, &trial, &best}) v->setZero(cones.problem.rows());
  }
};

class Solve {
 public:
  Solve(const ContactProblem& contact, Limits limits, Work& work, Out p)
      : contact_(contact), limits_(limits), w_(work), p_(p) {
    w_.begin(contact);
    w_.best = p;
    report_.residual = residual(contact, p);
    w_.z = p.cwiseQuotient(w_.cones.problem.impulse);
    w_.cones.problem.project(w_.z);
    w_.x = w_.z;
    w_.cones.apply(w_.z, w_.y);  // y = -u^ of the warm start
    w_.y = -w_.y - w_.cones.problem.b;
    for (const Cone& cone : w_.cones.problem.cones)
      if (cone.kind == Kind::second_order) w_.y[cone.first] -= slip(cone, w_.y);
  }

  SolveReport run() {
    double tried = std::numeric_limits<double>::infinity();  // residual of the last identification
    double fewest = report_.residual;
    int again = 0;
    bool known = false;  // K
    for (int since = 0, idle = 0; !done() && idle < kPatience; ++idle) {
      if (!known) {
        if (!factorise()) break;
        known = true;
        since = 0;
      }
      iterate();
      ++since;
      const double now = offer(w_.z);
      if (now < 0.9 * fewest) fewest = now, idle = 0;
      if (done() || since % kObserve != 0) continue;
      if (now < kIdentify && (now < 0.1 * tried || report_.iterations >= again)) {
        tried = now;
        again = 2 * report_.iterations;
        identify();
        known = false;
      }
      if (balance()) known = false;
    }
    p_ = w_.best;
    report_.converged = report_.residual <= limits_.tolerance;
    return report_;
  }

 private:
  bool done() const {
    return report_.residual <= limits_.tolerance || report_.iterations >= limits_.iterations ||
           limits_.stopped();
  }
  static double slip(const Cone& cone, const Vector& y) {
    const int i = cone.first;
    return cone.size == 3 ? std::hypot(y[i + 1], y[i + 2]) : std::abs(y[i + 1]);
  }

  /// Remembers the impulses of x if they are the best; their residual.
  double offer(const Vector& x) {
    w_.trial = x.cwiseProduct(w_.cones.problem.impulse);
    const double now = residual(contact_, w_.trial);
    if (now < report_.residual && w_.cones.problem.meaningful(x, now)) {
      report_.residual = now;
      w_.best = w_.trial;
    }
    return now;
  }

  bool factorise() {
    for (std::size_t c = 0; c < w_.rows.size(); ++c) {
      w_.rows[c] = {};
      for (int i = 0; i < w_.cones.problem.cones[c].size; ++i)
        w_.rows[c].set(i, 1.0, rho_ + kProximal);
    }
    return w_.cones.factorise(w_.rows);
  }

  void iterate() {
    const ConeProblem& problem = w_.cones.problem;
    ++report_.iterations;
    w_.right = rho_ * w_.z + kProximal * w_.x - problem.b - w_.y;
    for (const Cone& cone : problem.cones)
      if (cone.kind == Kind::second_order) w_.right[cone.first] -= slip(cone, w_.y);
    w_.cones.solve(w_.right, 0);
    w_.x.swap(w_.right);
    w_.old_z.swap(w_.z);
    w_.z = w_.x + w_.y / rho_;
    problem.project(w_.z);
    w_.y += rho_ * (w_.x - w_.z);
  }

  /// rho <- rho sqrt(ratio), ratio = (|x - z|/|z|)/(|rho dz|/|y|), where that is far from 1. True if it changed.
  bool balance() {
    w_.right = w_.x - w_.z;
    const double primal = w_.right.norm() * w_.y.norm();
    w_.right = w_.z - w_.old_z;
    const double dual = rho_ * w_.right.norm() * w_.z.norm();
    if (!(primal > 0.0) || !(dual > 0.0)) return false;
    const double factor = std::sqrt(primal / dual);
    if (factor <= kBalanced && factor >= 1.0 / kBalanced) return false;
    const double old = rho_;
    rho_ = std::clamp(rho_ * std::clamp(factor, 0.1, 10.0), 1e-6, 1e6);
    return rho_ != old;
  }

  /// Newton's method from z, which stays where it is.
  void identify() {
    Vector& x = w_.right;
    x = w_.z;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostNewton && !done(); ++k) {
      ++report_.iterations;
      if (!w_.cones.newton(x)) return;
      w_.cones.problem.project(x);
      const double now = offer(x);
      if (k > 2 && !(now < 0.5 * last)) return;
      last = now;
    }
  }

  const ContactProblem& contact_;
  const Limits limits_;
  Work& w_;
  Out p_;
  SolveReport report_;
  double rho_ = kPenalty;
};

class Admm final : public ContactSolver {
 public:
  std::string_view name() const override { return "admm"; }
  bool handles(LawKind kind) const override { return kind != LawKind::rolling; }
  bool needs_symmetric() const override { return true; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.symmetric(), "admm needs a symmetric W");
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    for (const Law& law : problem.laws)
      expects(handles(law.kind), "admm handles equality, unilateral, box and coulomb laws");
    if (at_rest(problem)) {
      p.setZero();
      return {true, 0, residual(problem, p)};
    }
    return Solve(problem, limits, memory.work.get<Work>(), p).run();
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_admm() { return std::make_unique<Admm>(); }

}  // namespace saltus
