// Newton's method in body velocities w = A^-1 H^T p, for W = H A^-1 H^T with known A:
//
//     pi(u) = Proj_K(P - rho (u + s n)),   u = H w + b,   s = mu |u_T|                          (1)
//     A w = H^T pi(u)                                                                           (2)
//
// For fixed P and s, (2) is the condition for the minimum of a strictly convex function of w,
// because A is positive definite and Proj_K is the gradient of a convex function: Newton's method
// with a line search finds it from any start. The matrix of a step is
//
//     A + H^T G H,   G = rho dProj_K,                                                           (3)
//
// symmetric and as sparse as that of the bodies, however redundant the contacts are. It is solved
// by conjugate gradients, preconditioned with its blocks of nodes or bodies, and only as accurately
// as a step needs. Then P <- pi, s <- mu |u_T|, the method of multipliers, until P converges.
//
// Sources: M. R. Hestenes, J. Optim. Theory Appl. 4 (1969) 303-320; V. Acary, F. Cadoux, C.
// Lemarechal, J. Malick, Z. Angew. Math. Mech. 91 (2011) 155-175, for s.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/cone.h"
#include "saltus/contact/residual.h"
#include "saltus/contact/velocity_delassus.h"
#include "saltus/solvers/contact_map.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

using Slope = std::array<double, 9>;  ///< G of a contact, with row stride 3

bool zero(const Slope& G) {
  return std::ranges::all_of(G, [](double x) { return x == 0.0; });
}

/// y += H_c^T G H_c d for all contacts
void add_contacts(const VelocityRows& H, const std::vector<Slope>& G, const Vector& d, Vector& y) {
  for (int c = 0; c < H.contacts(); ++c) {
    const Slope& g = G[at(c)];
    if (zero(g)) continue;
    const int size = H.size(c), n = H.width(c), *const of = H.columns(c);
    const double* const h = H.block(c);
    double u[3] = {}, p[3] = {};
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < n; ++k) u[i] += h[i * n + k] * d[of[k]];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) p[i] += g[at(3 * i + j)] * u[j];
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < n; ++k) y[of[k]] += h[i * n + k] * p[i];
  }
}

/// The inverses of the diagonal blocks of (3).
class BlockInverse {
 public:
  void begin(const VelocityRows& H) {
    H_ = &H;
    inverse_ = H.inverse;
    sum_.resize(H.A.value.size());
    touched_.assign(at(H.A.count()), 0);
    for (const int j : H.column) touched_[at(H.block_of[at(j)])] = 1;
  }

  void factorise(const std::vector<Slope>& G) {
    const VelocityRows& H = *H_;
    each_touched(
        [&](int b) { std::copy_n(H.A.of(b), H.A.size(b) * H.A.size(b), &sum_[H.A.start[at(b)]]); });
    for (int c = 0; c < H.contacts(); ++c)
      if (!zero(G[at(c)])) add(c, G[at(c)]);
    each_touched([&](int b) {
      invert_block(H.A.size(b), &sum_[H.A.start[at(b)]], &inverse_[H.A.start[at(b)]]);
    });
  }

  void solve(const Vector& r, Vector& z) const {
    const DiagonalBlocks& A = H_->A;
    for (int b = 0; b < A.count(); ++b) {
      const int size = A.size(b);
      const double *const C = &inverse_[A.start[at(b)]], *const x = r.data() + A.first[at(b)];
      double* const y = z.data() + A.first[at(b)];
      if (size == 3)
        for (int i = 0; i < 3; ++i)
          y[i] = C[3 * i] * x[0] + C[3 * i + 1] * x[1] + C[3 * i + 2] * x[2];
      else
        Eigen::Map<Vector>(y, size).noalias() =
            Eigen::Map<const Matrix>(C, size, size) * Eigen::Map<const Vector>(x, size);
    }
  }

 private:
  template <class Use>
  void each_touched(const Use& use) const {
    for (int b = 0; b < H_->A.count(); ++b)
      if (touched_[at(b)] != 0) use(b);
  }
  /// Adds H_c^T G H_c within each block
  void add(int c, const Slope& G) {
    const VelocityRows& H = *H_;
    const int n = H.width(c), size = H.size(c), *const of = H.columns(c);
    const double* const h = H.block(c);
    for (int k = 0; k < n; ++k) {
      const int b = H.block_of[at(of[k])], from = H.A.first[at(b)];
      double Gh[3] = {};
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) Gh[i] += G[at(3 * i + j)] * h[j * n + k];
      double* const row = &sum_[H.A.start[at(b)] + at((of[k] - from) * H.A.size(b))];
      for (int l = 0; l < n; ++l) {
        if (H.block_of[at(of[l])] != b) continue;
        for (int i = 0; i < size; ++i) row[of[l] - from] += Gh[i] * h[i * n + l];
      }
    }
  }

  const VelocityRows* H_ = nullptr;
  std::vector<char> touched_;
  std::vector<double> sum_, inverse_;
};

/// y = Proj_K(x) and, if G is not null, its derivative with row stride 3.
void project(const Cone& K, const double* x, double* y, double* G) {
  if (G) std::fill_n(G, 9, 0.0);
  if (K.kind != LawKind::coulomb) {
    y[0] = K.project(x[0]);
    if (G && y[0] == x[0]) G[0] = 1.0;
    return;
  }
  K.project_disc(x, y);
  if (!G) return;
  const int n = K.size();
  const double mu = K.radius[0], slip = Cone::length(x + 1, n - 1);
  if (mu * slip <= -x[0]) return;
  if (slip <= mu * x[0]) {
    for (int i = 0; i < n; ++i) G[4 * i] = 1.0;
    return;
  }
  // Derivative of the projection onto the surface along m = (1, mu e), e = x_T/|x_T|:
  // m m^T/(1 + mu^2) + (mu y_N/|x_T|) (1 - e e^T)
  double m[3] = {1.0, 0.0, 0.0};
  for (int t = 1; t < n; ++t) m[t] = mu * x[t] / slip;
  const double across = mu * y[0] / slip;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      G[3 * i + j] = m[i] * m[j] / (1.0 + mu * mu);
      if (i > 0 && j > 0)
        G[3 * i + j] += across * ((i == j ? 1.0 : 0.0) - x[i] / slip * (x[j] / slip));
    }
}

/// A cone of the problem: the rows of a contact with friction, or one row of another law.
struct Set {
  Cone K;
  int contact = 0, row = 0, place = 0;  ///< place: position of the row in its contact
  double natural = 0.0;                 ///< 1/W of its rows, the step of the natural map
  double raise = 0.0;                   ///< s
};

struct VelocityNewtonWork final : SolverWork {
  BlockInverse C;
  std::vector<Set> sets;
  std::vector<Slope> G;
  Vector P, pi, best, u, Hd, ahead;                    // one per row
  Vector w, Aw, r, d, Ad, z, q, left, along, A_along;  // one per velocity
};

/// One solve.
class VelocityNewtonSolve {
 public:
  VelocityNewtonSolve(const ContactProblem& problem, const VelocityDelassus& W, Limits limits,
                      VelocityNewtonWork& work, Out p)
      : problem_(problem), W_(W), H_(W.by_velocities()), limits_(limits), x_(work), p_(p) {}

  SolveReport run();

 private:
  static constexpr double kFirst = 3.0, kLargest = 1e7;  ///< rho W [1]
  static constexpr double kGrowth = 4.0;  ///< factor of rho if multipliers gain little
  static constexpr double kLittle = 0.3;
  static constexpr double kNear = 0.2;     ///< (2) is solved to this fraction of a step of P first
  static constexpr double kInexact = 0.1;  ///< relative accuracy of (3)
  static constexpr double kSlope = 0.3;    ///< fraction of the slope along a step that may remain
  static constexpr int kIterations = 1000, kSteps = 2000;  ///< conjugate gradients, Newton steps
  static constexpr int kPatience = 15;                     ///< number of steps of P ...
  static constexpr double kGain = 0.7;                     ///< ... that gain less than this
  static constexpr int kHalvings = 30;
  static constexpr double kMet = 0.9;      ///< fraction of the tolerance at which P ends
  static constexpr double kFinest = 1e-5;  ///< lower limit of demand_

  void begin();
  void restart();
  bool solved();
  bool step_multipliers();
  bool step_newton();
  void project_all(const Vector& u, bool slopes);
  double natural() const;
  void solve_linear(double target);
  double raised(const Set& set) const { return set.K.raised(0.0, &x_.u[set.row]); }
  bool stopped() const { return limits_.stopped(); }

  const ContactProblem& problem_;
  const VelocityDelassus& W_;
  const VelocityRows& H_;
  Limits limits_;
  VelocityNewtonWork& x_;
  Out p_;
  SolveReport report_;
  double rho_W_ = kFirst,
         gap_ = HUGE_VAL;  ///< gap_: largest |pi - P|/rho in the last step of P [m/s]
  /// least_: smallest natural(), with P = best
  double b2_ = 0.0, least_ = HUGE_VAL, mark_ = HUGE_VAL;
  double demand_ = 0.1;         ///< fraction of the tolerance to which (2) is solved at the end
  int steps_ = 0, gained_ = 0;  ///< steps of P; the last one that gained
};

void VelocityNewtonSolve::begin() {
  const Eigen::Index rows = problem_.b.size(), n = H_.velocities();
  for (Vector* v : {&x_.P, &x_.pi, &x_.best, &x_.u, &x_.Hd, &x_.ahead}) v->resize(rows);
  for (Vector* v :
       {&x_.w, &x_.Aw, &x_.r, &x_.d, &x_.Ad, &x_.z, &x_.q, &x_.left, &x_.along, &x_.A_along})
    v->resize(n);
  x_.G.resize(problem_.laws.size());
  x_.C.begin(H_);
  x_.sets.clear();
  const double mean = W_.diagonal().mean();
  for (std::size_t c = 0; c < problem_.laws.size(); ++c) {
    const Law& law = problem_.laws[c];
    const Cone K(law);
    for (int i = law.first; i < law.first + law.size; i += K.size()) {
      const double W = W_.diagonal().segment(i, K.size()).mean();
      // a row without mobility gets the mean
      const double natural = W > 0.0 ? 1.0 / W : mean > 0.0 ? 1.0 / mean : 1.0;
      x_.sets.push_back({K, static_cast<int>(c), i, i - law.first, natural, 0.0});
      for (int k = 0; k < K.size(); ++k) {
        const double rho_b = natural * problem_.b[i + k];
        b2_ += rho_b * rho_b;
      }
    }
  }
}

/// Starts from p, whose residual was computed last: W stores its w.
void VelocityNewtonSolve::restart() {
  x_.P = p_;
  x_.w = W_.response();
  H_.transpose(x_.P, x_.Aw);
  H_.multiply(x_.w, x_.u);
  x_.u += problem_.b;
  for (Set& set : x_.sets) set.raise = raised(set);
  gap_ = HUGE_VAL;
}

/// Computes pi(u) and, if requested, G.
void VelocityNewtonSolve::project_all(const Vector& u, bool slopes) {
  if (slopes) std::fill(x_.G.begin(), x_.G.end(), Slope{});
  for (const Set& set : x_.sets) {
    const int n = set.K.size();
    const double rho = rho_W_ * set.natural;
    double y[3], slope[9];
    for (int i = 0; i < n; ++i) y[i] = x_.P[set.row + i] - rho * u[set.row + i];
    y[0] -= rho * set.raise;
    project(set.K, y, &x_.pi[set.row], slopes ? slope : nullptr);
    if (!slopes) continue;
    Slope& G = x_.G[at(set.contact)];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        G[at(3 * (set.place + i) + set.place + j)] = rho * slope[3 * i + j];
  }
}

/// The natural map at pi and u, relative as in residual().
double VelocityNewtonSolve::natural() const {
  double F2 = 0.0;
  for (const Set& set : x_.sets)
    F2 += natural_map2(set.K, set.natural, &x_.u[set.row], &x_.pi[set.row]);
  const double scale = std::max(x_.pi.squaredNorm(), b2_);
  return scale > 0.0 ? std::sqrt(F2 / scale) : 0.0;
}

bool VelocityNewtonSolve::solved() {
  report_.residual = residual(problem_, p_);
  report_.converged = report_.residual <= limits_.tolerance && keeps_apart(problem_, limits_, p_);
  return report_.converged;
}

/// P <- pi. Returns false if nothing more can be gained.
bool VelocityNewtonSolve::step_multipliers() {
  const double now = natural();
  ++steps_;
  if (now < least_) {
    least_ = now;
    x_.best = x_.pi;
  }
  if (now < kGain * mark_) {
    mark_ = now;
    gained_ = steps_;
  }
  if (now <= kMet * limits_.tolerance) {
    p_ = x_.pi;
    if (solved()) return false;
    demand_ *= 0.1;
    restart();
    return demand_ >= kFinest;
  }
  double gap = 0.0, turn = 0.0;
  for (const Set& set : x_.sets) {
    for (int i = set.row; i < set.row + set.K.size(); ++i)
      gap = std::max(gap, std::abs(x_.pi[i] - x_.P[i]) / (rho_W_ * set.natural));
    turn = std::max(turn, std::abs(raised(set) - set.raise));
  }
  if (gap > kLittle * gap_ && gap > turn && rho_W_ < kLargest) rho_W_ *= kGrowth;
  gap_ = gap;
  x_.P = x_.pi;
  for (Set& set : x_.sets) set.raise = raised(set);
  return steps_ <= gained_ + kPatience;
}

/// Solves (A + H^T G H) d = r until the remainder is at most `target`; also computes A d and H d.
void VelocityNewtonSolve::solve_linear(double target) {
  x_.d.setZero();
  x_.Ad.setZero();
  x_.left = x_.r;
  x_.C.solve(x_.left, x_.z);
  x_.along = x_.z;
  double rz = x_.left.dot(x_.z);
  for (int k = 0; k < kIterations && x_.left.norm() > target && !stopped(); ++k) {
    H_.multiply_A(x_.along, x_.A_along);
    x_.q = x_.A_along;
    add_contacts(H_, x_.G, x_.along, x_.q);
    const double pq = x_.along.dot(x_.q);
    if (!(pq > 0.0)) break;
    const double alpha = rz / pq;
    x_.d += alpha * x_.along;
    x_.Ad += alpha * x_.A_along;
    x_.left -= alpha * x_.q;
    x_.C.solve(x_.left, x_.z);
    const double next = x_.left.dot(x_.z);
    x_.along = x_.z + (next / rz) * x_.along;
    rz = next;
  }
  H_.multiply(x_.d, x_.Hd);
}

/// w += t d with d of (3) for r. Returns false if d is not a descent direction.
bool VelocityNewtonSolve::step_newton() {
  ++report_.iterations;
  project_all(x_.u, true);
  x_.C.factorise(x_.G);
  solve_linear(kInexact * x_.r.norm());
  const double d_Aw = x_.d.dot(x_.Aw), d_Ad = x_.d.dot(x_.Ad);
  const auto slope = [&](double t) {  // derivative of the function that (2) minimises
    x_.ahead = x_.u + t * x_.Hd;
    project_all(x_.ahead, false);
    return d_Aw + t * d_Ad - x_.Hd.dot(x_.pi);
  };
  double low = 0.0, high = 1.0, at_low = slope(0.0), at_high = slope(1.0), t = 1.0;
  if (!(at_low < 0.0) || !std::isfinite(at_high)) return false;
  const double enough = -kSlope * at_low;
  for (int k = 0; at_high > enough && k < kHalvings; ++k) {
    t = k % 3 == 2 ? 0.5 * (low + high) : low - (high - low) * at_low / (at_high - at_low);
    const double now = slope(t);
    if (std::abs(now) <= enough) break;
    (now > 0.0 ? high : low) = t;
    (now > 0.0 ? at_high : at_low) = now;
  }
  x_.w += t * x_.d;
  x_.Aw += t * x_.Ad;
  x_.u += t * x_.Hd;
  return true;
}

SolveReport VelocityNewtonSolve::run() {
  if (solved()) return report_;
  begin();
  restart();
  const int most = std::min(kSteps, limits_.iterations);
  while (report_.iterations < most && !stopped()) {
    project_all(x_.u, false);
    H_.transpose(x_.pi, x_.r);
    x_.Ad = x_.r;  // H^T pi
    x_.r -= x_.Aw;
    H_.transpose(x_.P, x_.q);
    const double size = x_.Ad.norm(), ahead = (x_.Ad - x_.q).norm(), left = x_.r.norm();
    constexpr double kRounding = 1e-15;
    const bool finest = left <= kRounding * size;
    // A remainder of (2) affects the residual like an error of u.
    if ((left <= kNear * ahead &&
         (left <= demand_ * limits_.tolerance * size || natural() > kMet * limits_.tolerance)) ||
        finest) {
      if (!step_multipliers()) break;
    } else if (!step_newton()) {
      break;
    }
  }
  if (report_.converged || !(least_ < HUGE_VAL)) return report_;
  const double before = report_.residual;
  x_.P = p_;
  p_ = x_.best;
  if (solved() || report_.residual < before) return report_;
  p_ = x_.P;
  report_.residual = before;
  return report_;
}

class VelocityNewton final : public ContactSolver {
 public:
  std::string_view name() const override { return "velocity-newton"; }
  bool handles(LawKind kind) const override { return kind != LawKind::rolling; }
  bool needs_symmetric() const override { return true; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const VelocityDelassus* const W = problem.W.velocities();
    expects(W != nullptr, "velocity-newton needs W by velocities");
    return VelocityNewtonSolve(problem, *W, limits, memory.work.get<VelocityNewtonWork>(), p).run();
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_velocity_newton() { return std::make_unique<VelocityNewton>(); }

}  // namespace saltus
