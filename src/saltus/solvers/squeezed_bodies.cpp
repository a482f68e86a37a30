#include "saltus/solvers/squeezed_bodies.h"

#include <algorithm>

#include "saltus/base/index_internal.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/cone.h"
#include "saltus/contact/residual.h"

namespace saltus {
namespace {

/// The body of contact c with the largest inverse mass.
int lightest(const BodyRows& H, int c) {
  int found = -1;
  double most = 0.0;
  for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
    const int b = H.body[at(k)];
    const double per_mass = H.inverse[at(H.width * H.width) * at(b)];
    if (per_mass > most) most = per_mass, found = b;
  }
  return found;
}

}  // namespace

bool SqueezedBodies::part(const ContactProblem& problem, const Limits& limits,
                          const ContactSolver& by, const ContactSolver& sweeps,
                          SolverMemory& memory, Out p, SolveReport& report) {
  next_ = p;
  u_.resize(problem.b.size());
  squeezed_.assign(at(problem.W.bodies()->bodies()), 0);
  const double most = limits.closing * certify(problem, p).speed;
  Limits few = limits;
  few.iterations = kSweeps;
  for (int round = 0; round < kRounds && !limits.stopped(); ++round) {
    problem.W.apply(next_, u_);
    u_ += problem.b;
    if (!find(problem, most, u_)) return false;
    take(problem, u_, next_);
    solve(limits, most, by, report);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      next_[rows_[i]] = x_[static_cast<Eigen::Index>(i)];
    const SolveReport now = sweeps.solve(problem, few, memory, next_);
    report.iterations += now.iterations;
    if (!now.converged) continue;
    p = next_;
    report.residual = now.residual;
    report.judged = false;
    report.converged = true;
    return true;
  }
  return false;
}

// Finds the contacts of bodies with contacts that close by more than `most` [m/s], including the
// bodies of previous rounds. Returns false if there are too many.
bool SqueezedBodies::find(const ContactProblem& problem, double most, const Vector& u) {
  const BodyRows& H = *problem.W.bodies();
  for (std::size_t c = 0; c < problem.laws.size(); ++c) {
    const Law& law = problem.laws[c];
    const Cone K(law);
    if (!K.has_normal() || !(K.closing(&u[law.first]) > most)) continue;
    const int body = lightest(H, static_cast<int>(c));
    if (body < 0) return false;
    squeezed_[at(body)] = 1;
  }
  contacts_.clear();
  for (int c = 0; c < H.contacts() && contacts_.size() <= kMost; ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      if (squeezed_[at(H.body[at(k)])] != 0) {
        contacts_.push_back(c);
        break;
      }
  return contacts_.size() <= kMost;
}

// Extracts their problem,  u = W x + b  with  b = u - W p  for their current impulses p.
void SqueezedBodies::take(const ContactProblem& problem, const Vector& u, View p) {
  const BodyRows& H = *problem.W.bodies();
  const std::size_t w = at(H.width);
  BodyRows S;
  S.width = H.width;
  number_.assign(at(H.bodies()), -1);
  laws_.clear();
  rows_.clear();
  ids_.clear();
  for (const int c : contacts_) {
    Law law = problem.laws[at(c)];
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
      const std::size_t b = at(H.body[at(k)]);
      if (number_[b] < 0) {
        number_[b] = S.bodies();
        const auto A = H.inverse.begin() + static_cast<std::ptrdiff_t>(w * w * b);
        S.inverse.insert(S.inverse.end(), A, A + static_cast<std::ptrdiff_t>(w * w));
      }
      if (H.opposite(c, k)) {
        S.touch(number_[b], S.start.back());
        continue;
      }
      S.touch(number_[b]);
      const auto block = H.value.begin() + H.start[at(k)];
      S.value.insert(S.value.end(), block, block + static_cast<std::ptrdiff_t>(w * at(law.size)));
    }
    for (int i = 0; i < law.size; ++i) {
      ids_.push_back(static_cast<int>(rows_.size()));
      rows_.push_back(law.first + i);
    }
    law.first = S.rows();
    S.close(law.size);
    laws_.push_back(law);
  }
  W_.emplace(std::move(S));
  const auto n = static_cast<Eigen::Index>(rows_.size());
  x_.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) x_[i] = p[rows_[at(static_cast<int>(i))]];
  b_.resize(n);
  W_->apply(x_, b_);
  for (Eigen::Index i = 0; i < n; ++i) b_[i] = u[rows_[at(static_cast<int>(i))]] - b_[i];
}

void SqueezedBodies::solve(const Limits& limits, double most, const ContactSolver& by,
                           SolveReport& report) {
  const ContactProblem problem{*W_, b_, laws_, ids_};
  const double speed = certify(problem, x_).speed;
  const Limits own{.tolerance = kTolerance,
                   .iterations = kSteps,
                   .closing = 0.5 * most / speed,
                   .stop = limits.stop};
  memory_ = {};
  report.iterations += by.solve(problem, own, memory_, x_).iterations;
}

}  // namespace saltus
