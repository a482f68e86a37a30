#include "saltus/contact/certificate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/contact/cone.h"
#include "saltus/contact/residual.h"
#include "saltus/contact/velocity_delassus.h"

namespace saltus {
namespace {

/// Velocity that a contact must correct in a step [m/s].
double asked(const Law& law, View b) {
  const Cone K(law);
  const double* const b_c = b.data() + law.first;
  if (law.coupled())
    return std::max(K.closing(b_c), b.segment(law.first + 1, law.tangents()).norm());
  double most = 0.0;
  for (int i = 0; i < law.size; ++i) most = std::max(most, K.closing(b_c + i));
  return most;
}

/// Never shrinks, so that nothing is allocated once a problem size has occurred.
Eigen::Map<Vector> velocity_space(Eigen::Index n) {
  thread_local std::vector<double> data;  // written before it is read
  if (data.size() < static_cast<std::size_t>(n)) data.resize(static_cast<std::size_t>(n));
  return {data.data(), n};
}

class Certified final : public ContactSolver {
 public:
  explicit Certified(std::shared_ptr<const ContactSolver> inner) : inner_(std::move(inner)) {}
  std::string_view name() const override { return inner_->name(); }
  bool handles(LawKind kind) const override { return inner_->handles(kind); }
  bool needs_symmetric() const override { return inner_->needs_symmetric(); }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    return solve_certified(*inner_, problem, limits, memory, p);
  }

 private:
  std::shared_ptr<const ContactSolver> inner_;
};

}  // namespace

Certificate certify(const ContactProblem& problem, View p) {
  Eigen::Map<Vector> u = velocity_space(problem.b.size());
  problem.W.apply(p, u);
  u += problem.b;
  return certify(problem, p, u.data());
}

Certificate certify(const ContactProblem& problem, View p, const double* u) {
  Certificate found;
  found.contacts = problem.laws.size();
  for (const Law& law : problem.laws) found.speed = std::max(found.speed, asked(law, problem.b));
  if (!(found.speed > 0.0)) return found;
  for (const Law& law : problem.laws) {
    const Cone K(law);
    if (!K.has_normal()) continue;
    for (int i = law.first; i < law.first + law.size; i += K.size()) {
      const double closing = K.closing(&u[i]), growth = problem.W.scale(i) * p[i];
      if (!(closing <= found.closing)) found.closing = closing;  // NaN counts
      if (!(growth <= found.growth)) found.growth = growth;
    }
  }
  found.closing /= found.speed;
  found.growth /= found.speed;
  return found;
}

bool keeps_apart(const ContactProblem& problem, Limits limits, View p) {
  return std::isinf(limits.closing) || certify(problem, p).closing <= limits.closing;
}

SolveReport solve_certified(const ContactSolver& solver, const ContactProblem& problem,
                            Limits limits, SolverMemory& memory, Out p) {
  constexpr int kCloser = 3;
  constexpr double kFinest = 1e-15;  // tolerance [1]
  limits.closing = std::min(
      1.0, Certificate{.contacts = problem.laws.size()}.allowed(limits.tolerance) / limits.share);
  const auto holds = [&](const Certificate& found) {
    return found.closing <= limits.closing && found.growth <= Certificate::kGrowth;
  };
  const auto stopped = [&](SolveReport& report) {
    report.stopped = limits.stopped();
    report.converged = report.converged && !report.stopped;
    return report.stopped;
  };
  SolveReport report = solver.solve(problem, limits, memory, p);
  if (stopped(report)) return report;
  Certificate now =
      report.judged ? Certificate{report.speed, report.closing, report.growth, problem.laws.size()}
                    : certify(problem, p);
  Limits closer = limits;
  for (int k = 0; k < kCloser && report.converged && !holds(now); ++k) {
    closer.tolerance = std::max(kFinest, 0.3 * std::min(closer.tolerance, report.residual) *
                                             std::max(1e-3, limits.closing / now.closing));
    closer.iterations = limits.iterations - report.iterations;
    if (closer.iterations <= 0 || now.growth > Certificate::kGrowth) break;
    SolveReport again = solver.solve(problem, closer, memory, p);
    again.iterations += report.iterations;
    again.converged = again.residual <= limits.tolerance;
    report = again;
    if (stopped(report)) return report;
    const double before = now.closing;
    now = certify(problem, p);
    const bool led_nowhere = report.residual > closer.tolerance && !(now.closing < 0.9 * before);
    if (closer.tolerance == kFinest || led_nowhere) break;
  }
  report.speed = now.speed;
  report.closing = now.closing;
  report.certified = holds(now);
  report.converged = report.converged && report.certified;
  return report;
}

std::unique_ptr<ContactSolver> make_certified(std::shared_ptr<const ContactSolver> solver) {
  return std::make_unique<Certified>(std::move(solver));
}

// Uses only the normal rows and the equalities: what W p = 0, p_N >= 0, b . p < 0 implies for them
// holds for any friction, since p . u = p . b for every u = W p' + b. The last shift tells an
// extreme mass ratio, for which impulses exist that double precision cannot resolve, from that.
std::vector<int> contradicting_contacts(const ContactSolver& solver, const ContactProblem& problem,
                                        Stop* stop) {
  // Largest numbers of rows; kMostSolved if each row needs an iterative solve.
  constexpr Eigen::Index kMost = 3000, kMostSolved = 200;
  constexpr double kShifts[] = {1e-3, 1e-6, 1e-12};
  if (problem.b.size() > kMost || !problem.b.allFinite()) return {};
  if (const VelocityDelassus* const held = problem.W.velocities();
      held && held->iterates() && problem.b.size() > kMostSolved)
    return {};
  std::vector<int> rows, ids, contact;
  std::vector<Law> laws;
  for (std::size_t c = 0; c < problem.laws.size(); ++c) {
    const Law& law = problem.laws[c];
    if (law.kind == LawKind::box) continue;  // bounded
    for (int k = 0; k < (law.coupled() ? 1 : law.size); ++k) {
      laws.push_back({law.kind == LawKind::equality ? law.kind : LawKind::unilateral,
                      static_cast<int>(rows.size()), 1});
      ids.push_back(static_cast<int>(rows.size()));
      rows.push_back(law.first + k);
      contact.push_back(static_cast<int>(c));
    }
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  Matrix W0(n, n);
  Vector b(n), column(problem.b.size());
  for (Eigen::Index j = 0; j < n; ++j) {
    if (stop_requested(stop)) return {};
    column.setZero();
    problem.W.column(rows[static_cast<std::size_t>(j)], 1.0, column);
    for (Eigen::Index i = 0; i < n; ++i) W0(i, j) = column[rows[static_cast<std::size_t>(i)]];
    b[j] = problem.b[rows[static_cast<std::size_t>(j)]];
  }
  DenseDelassus W;
  W.is_symmetric = problem.W.symmetric();
  const ContactProblem normal{W, b, laws, ids};
  const double V = n > 0 ? std::max(-b.minCoeff(), 0.0) : 0.0;
  if (!(V > 0.0)) return {};
  Vector D = W0.diagonal();
  const double mean = D.sum() / static_cast<double>(n);
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(D[i] > 1e-12 * mean)) D[i] = mean > 0.0 ? mean : 1.0;  // nothing can move this row
  double before = 0.0;
  std::vector<int> contacts;
  for (const double s : kShifts) {
    W.W = W0;
    W.W.diagonal() += s * D;
    Vector p = Vector::Zero(n);
    SolverMemory memory;
    const SolveReport found =
        solver.solve(normal, {.tolerance = 1e-8, .iterations = 10'000, .stop = stop}, memory, p);
    if (!(found.residual <= 1e-6)) return contacts;
    const Vector u = W0 * p + b;
    const auto closing = [&](Eigen::Index i) {
      return laws[static_cast<std::size_t>(i)].kind == LawKind::unilateral ? -u[i] : 0.0;
    };
    double worst = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) worst = std::max(worst, closing(i));
    if (s == kShifts[2]) return worst > 0.9 * before ? contacts : std::vector<int>();
    const double first = std::exchange(before, worst);
    if (s == kShifts[0]) continue;
    if (!(worst > 1e-3 * V && worst > 0.3 * first)) return {};
    for (Eigen::Index i = 0; i < n; ++i)
      if (const int c = contact[static_cast<std::size_t>(i)];
          closing(i) > 0.1 * worst && (contacts.empty() || contacts.back() != c))
        contacts.push_back(c);
  }
  return contacts;
}

}  // namespace saltus
