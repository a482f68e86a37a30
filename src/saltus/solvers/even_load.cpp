#include "saltus/solvers/even_load.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/contact/residual.h"

namespace saltus {
namespace {

constexpr double kAlpha = 1e-8;   ///< alpha: relative error of p, ...
constexpr int kRefined = 2;       ///< ... which this many steps towards alpha = 0 remove
constexpr double kMoved = 1e-6;   ///< |change of p|/|p| below which p was determined
constexpr double kSlides = 1e-6;  ///< |p_T| > (1 - kSlides) mu p_N
constexpr double kStands = 1e-6;  ///< |dp|/|p| at which Newton's method ends
constexpr int kMostEvenNewton = 20, kMostHalvings = 8;

/// Whether p lies on the edge of one of its discs.
bool on_cone(const GroupedContact& c, const double* p) {
  for (int k = 0, i = 1; k < c.cone.kParts; i += c.cone.rows[k++])
    if (c.cone.rows[k] > 0 && p[0] > 0.0 &&
        Cone::length(p + i, c.cone.rows[k]) > (1.0 - kSlides) * c.cone.radius[k] * p[0])
      return true;
  return false;
}

}  // namespace

/// Whether contacts of the chosen group slide.
bool EvenLoad::slides() const {
  const int begin = newton_.first_contact();
  for (int c = begin; c < begin + newton_.contacts(); ++c) {
    const GroupedContact& contact = groups_.contacts[at(c)];
    if (on_cone(contact, &newton_.p[at(contact.first)])) return true;
  }
  return false;
}

void EvenLoad::centre(bool at_p) {
  for (int i = newton_.first_row(); i < newton_.end_row(); ++i)
    newton_.centre[at(i)] = at_p ? newton_.p[at(i)] : 0.0;
  newton_.velocities();
}

/// Newton's method for (1) around the centre, until p converges.
bool EvenLoad::settle(double alpha) {
  double merit = newton_.merit(alpha);
  for (int k = 0; k < kMostEvenNewton && !stop_requested(stop_); ++k) {
    if (!newton_.direction(alpha)) return false;
    ++iterations_;
    double t = 1.0, next = newton_.merit_at(alpha, t);
    for (int halvings = 0; !(next <= merit * (1.0 - 1e-4 * t)); ++halvings) {
      if (halvings == kMostHalvings) return false;
      next = newton_.merit_at(alpha, t *= 0.5);
    }
    const bool stands = t == 1.0 && newton_.length2() <= kStands * kStands * newton_.size2();
    newton_.step(t);
    merit = next;
    if (stands) return true;
  }
  return false;
}

/// Solves (1) with a small alpha, then with alpha (p - centre) for alpha p, to remove the error.
bool EvenLoad::share_group() {
  centre(false);
  if (!settle(kAlpha)) return false;
  for (int k = 0; k < kRefined; ++k) {
    centre(true);
    settle(kAlpha);
  }
  return true;
}

EvenLoad::Shared EvenLoad::share(const ContactProblem& problem, Limits limits, SolveReport& report,
                                 Out p) {
  groups_.assign(problem);
  for (const GroupedContact& c :
       groups_.contacts)  // D from the normal only: same compliance in 2D and 3D
    std::fill_n(groups_.rho.begin() + c.first, c.size, groups_.rho[at(c.first)]);
  newton_.begin(groups_, limits.stop);
  for (const GroupedContact& c : groups_.contacts)
    for (int i = 0; i < c.size; ++i) newton_.p[at(c.first + i)] = p[c.row + i] / c.scale(i);
  iterations_ = 0;
  stop_ = limits.stop;
  bool shared = true, any = false;
  for (int g = 0; g < groups_.groups() && shared; ++g) {
    newton_.choose(g);
    if (newton_.contacts() < 2 || !slides()) continue;
    any = true;
    shared = share_group();
  }
  report.iterations += iterations_;
  if (!any) return Shared::determined;
  if (!shared || limits.stopped()) return Shared::no;
  next_.resize(p.size());
  for (const GroupedContact& c : groups_.contacts)
    for (int i = 0; i < c.size; ++i) next_[c.row + i] = newton_.p[at(c.first + i)] * c.scale(i);
  if ((next_ - p).norm() <= kMoved * p.norm()) return Shared::determined;
  const double now = residual(problem, next_);
  if (!(now <= limits.tolerance)) return Shared::no;
  p = next_;
  report.residual = now;
  return Shared::evenly;
}

}  // namespace saltus
