#include "saltus/event_driven/mode_choice.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// Accelerations below this fraction of those without contact are round-off of a solution that does
/// not move.
constexpr double kMoves = 1e-9;

class AccelerationProblem {
 public:
  explicit AccelerationProblem(ActiveContacts& active)
      : active_(active), a_(active.free_acceleration()) {
    const auto n = active.u().size();
    C_ = Matrix::Zero(n, n);
    for (ActiveContact& c : active.contacts())
      if (c.rows > 0) add(c);
  }
  bool empty() const { return of_.empty(); }
  SolveReport solve(const ContactSolver& solver, const Limits& asked);
  void set_modes();

 private:
  void add(ActiveContact& c);
  bool slides_on_normal(ActiveContact& c);
  bool slides(ActiveContact& c, Eigen::Index column);
  void set_unilateral(ActiveContact& c, const Law& law, double most, double pull) const;

  ActiveContacts& active_;
  Vector a_;                        ///< of free motion and of friction of known magnitude
  std::vector<ActiveContact*> of_;  ///< contacts whose forces are unknown
  std::vector<Law> laws_;           ///< their laws
  std::vector<int> rows_;           ///< their rows of H
  Matrix C_;                        ///< directions of the unknown forces over the rows of H
  bool symmetric_ = true;
  Vector b_, p_, after_;  ///< after: u' of the rows with the forces p
};

// Sliding friction with a given bound is a known force.
bool AccelerationProblem::slides_on_normal(ActiveContact& c) {
  const double s = active_.u()[c.first] - c.law->facts().velocity;
  if (!c.given && (!(std::abs(s) > c.still) || c.stopped)) return false;
  c.kind = ContactMode::Kind::slides;
  if (!c.given) c.direction = {s > 0.0 ? 1.0 : -1.0, 0.0};
  a_ -= active_.X().col(c.first) * (c.law->strength(std::abs(s)) * c.direction[0]);
  return true;
}

// The friction of a sliding contact is along the slip, in the column of its normal force.
bool AccelerationProblem::slides(ActiveContact& c, Eigen::Index column) {
  const Vector& u = active_.u();
  const int tangents = c.rows - 1;
  const double slip = tangents > 0 ? u.segment(c.first + 1, tangents).norm() : 0.0;
  if (tangents == 0 || (!c.given && (!(slip > c.still) || c.stopped))) return false;
  c.kind = ContactMode::Kind::slides;
  if (!c.given)
    for (int b = 0; b < 2; ++b) c.direction[at(b)] = b < tangents ? u[c.first + 1 + b] / slip : 0.0;
  for (int b = 0; b < tangents; ++b)
    C_(c.first + 1 + b, column) = -c.law->strength(slip) * c.direction[at(b)];
  symmetric_ = symmetric_ && c.law->strength(slip) == 0.0;
  return true;
}

void AccelerationProblem::add(ActiveContact& c) {
  const auto column = static_cast<Eigen::Index>(rows_.size());
  Law law = c.law->entry({.rows = 1}, 1.0);
  law.first = static_cast<int>(column);
  if (c.law->slides_on_normal()) {
    if (slides_on_normal(c)) return;
    law.bound = c.law->strength(0.0);
  } else if (c.law->unilateral()) {
    c.held = false;
    if (c.ended || active_.u()[c.first] > c.still) return;  // it opens
    if (!slides(c, column) && c.rows > 1) {
      c.kind = ContactMode::Kind::sticks;
      law.kind = LawKind::coulomb;
      law.size = c.rows;
      law.friction = c.law->strength(0.0);
    }
  }
  for (int r = 0; r < law.size; ++r) {
    C_(c.first + r, column + r) = 1.0;
    rows_.push_back(c.first + r);
  }
  laws_.push_back(law);
  of_.push_back(&c);
}

SolveReport AccelerationProblem::solve(const ContactSolver& solver, const Limits& asked) {
  const auto m = static_cast<Eigen::Index>(rows_.size());
  DenseDelassus W;
  const Matrix WC = active_.W() * C_.leftCols(m);
  const Vector all = active_.H() * a_ + active_.bias();
  b_.resize(m);
  p_ = Vector::Zero(m);
  W.W.resize(m, m);
  std::vector<int> ids;
  for (Eigen::Index i = 0; i < m; ++i) {
    W.W.row(i) = WC.row(rows_[static_cast<std::size_t>(i)]);
    b_[i] = all[rows_[static_cast<std::size_t>(i)]];
    ids.push_back(static_cast<int>(i));
  }
  W.is_symmetric = symmetric_;
  SolverMemory memory;
  const SolveReport report = solver.solve({W, b_, laws_, ids}, asked, memory, p_);
  after_.resize(m);
  W.apply(p_, after_);
  after_ += b_;
  return report;
}

void AccelerationProblem::set_modes() {
  const double most = p_.cwiseAbs().maxCoeff(), pull = b_.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < of_.size(); ++k) {
    ActiveContact& c = *of_[k];
    const Law& law = laws_[k];
    if (law.kind == LawKind::equality) continue;
    if (law.kind != LawKind::box) {
      set_unilateral(c, law, most, pull);
      continue;
    }
    const bool slides = std::abs(p_[law.first]) >= (1.0 - 1e-11) * law.bound &&
                        std::abs(after_[law.first]) > kMoves * pull;
    c.kind = slides ? ContactMode::Kind::slides : ContactMode::Kind::sticks;
    c.direction = {p_[law.first] > 0.0 ? -1.0 : 1.0, 0.0};
  }
}

// most, pull: largest force, and largest acceleration without contact
void AccelerationProblem::set_unilateral(ActiveContact& c, const Law& law, double most,
                                         double pull) const {
  // A contact that carries no load and does not open is redundant: other contacts carry the load.
  c.held = p_[law.first] > 1e-13 * most || after_[law.first] <= kMoves * pull;
  if (law.kind != LawKind::coulomb || !c.held) return;
  const auto T = p_.segment(law.first + 1, law.size - 1);
  const double strength = T.norm();
  if (strength < (1.0 - 1e-11) * law.friction * p_[law.first] ||
      after_.segment(law.first + 1, law.size - 1).norm() <= kMoves * pull)
    return;
  c.kind = ContactMode::Kind::slides;
  for (int d = 0; d < 2; ++d)
    c.direction[at(d)] = d < T.size() && strength > 0.0 ? -T[d] / strength : 0.0;
}

}  // namespace

bool choose_modes(const ContactSolver& solver, const Limits& asked, double allowed,
                  ActiveContacts& active, InstantReport& report) {
  active.make_bias();
  AccelerationProblem problem(active);
  if (problem.empty()) return true;
  const SolveReport solved = problem.solve(solver, asked);
  report.iterations += solved.iterations;
  report.residual = worse(report.residual, solved.residual);
  if (!solved.certified || (!solved.converged && !(solved.residual <= allowed))) {
    report.failure = "no acceleration was found that obeys the laws of the closed contacts";
    return false;
  }
  problem.set_modes();
  return true;
}

}  // namespace saltus
