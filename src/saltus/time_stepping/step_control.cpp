#include "saltus/time_stepping/step_control.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "saltus/math/dense.h"

namespace saltus {
namespace {

// A step twice as long is tried if a scheme of order 2 would then reach this fraction of the
// allowed error. Schemes of lower order need a smaller factor; schemes of higher order could use a
// larger one, but growth is tried too rarely for this to matter.
constexpr double kGrow = 0.8 / 4.0;
constexpr int kMostGrowth = 2, kMostCut = 2;  // levels at once
constexpr std::uint64_t kMostPatience = 64;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

// -- ladder

StepLadder::StepLadder(const EventState& learnt, double H)
    : H_(H), wait_(learnt.stepping), patience_(learnt.patience) {
  const auto level = [&](double length) {
    if (!(length > 0.0)) return 0;
    return static_cast<int>(
        std::clamp(std::ceil(std::log2(H / length) - 1e-9), 0.0, static_cast<double>(kFinest)));
  };
  wish_ = level(learnt.next);
  proven_ = level(learnt.h);
  choose();
}

void StepLadder::keep(EventState& learnt) const {
  learnt.next = std::ldexp(H_, -wish_);
  learnt.h = std::ldexp(H_, -proven_);
  learnt.stepping = wait_;
  learnt.patience = patience_;
}

double StepLadder::length() const { return std::ldexp(1.0, -level_); }

double StepLadder::at(double part) const {
  return std::ldexp(static_cast<double>(at_), -kFinest) + part * length();
}

// A step of level k begins at a multiple of 2^(kFinest - k).
void StepLadder::choose() {
  level_ = wish_;
  while (level_ < kFinest && at_ % (kWhole >> level_) != 0) ++level_;
}

void StepLadder::accept(double ratio, bool impact) {
  const bool as_wished = level_ <= wish_;
  at_ += kWhole >> level_;
  stubborn_ = 0;
  rejected_ = 0.0;
  if (as_wished && !impact) {
    if (wish_ < proven_) patience_ /= 2;  // the longer step was right
    proven_ = wish_;
  }
  if (wait_ > 0)
    --wait_;
  else if (!impact && level_ <= wish_ + kMostGrowth) {
    int growth = 0;
    for (double r = ratio; growth < kMostGrowth && r <= kGrow; r /= kGrow) ++growth;
    wish_ = std::max(0, std::min(wish_, level_ - growth));
  }
  if (!done()) choose();
}

int StepLadder::reject(double ratio, bool impact) {
  stubborn_ = !impact && rejected_ > 0.0 && ratio > 0.6 * rejected_ ? stubborn_ + 1 : 0;
  rejected_ = impact ? 0.0 : ratio;
  int cut = 1;
  if (!impact) {
    cut = std::isfinite(ratio) ? static_cast<int>(std::ceil(0.5 * std::log2(ratio / 0.8))) : 1;
    cut = std::clamp(cut, 1, kMostCut);
    if (level_ <= wish_ && wish_ < proven_) {  // the longer step was wrong
      patience_ = std::clamp<std::uint64_t>(2 * patience_, 2, kMostPatience);
      wait_ = patience_;
    }
  }
  cut = std::min(cut, kFinest - level_);
  level_ += cut;
  // impacts are located with levels finer than the wished one
  if (!impact) wish_ = std::max(wish_, level_);
  return cut;
}

void StepLadder::fail() { reject(std::numeric_limits<double>::infinity(), false); }

bool StepLadder::shorten() {
  if (finest()) return false;
  ++level_;
  return true;
}

// -- estimate

void new_touches(std::span<const Touch> before, std::span<const Touch> now,
                 std::vector<Touch>& out) {
  out.clear();
  auto old = before.begin();
  for (const Touch& one : now) {
    while (old != before.end() && old->key < one.key) ++old;
    if (old == before.end() || old->key != one.key) out.push_back(one);
  }
}

StepEstimator::StepEstimator(const Model& model, double tolerance)
    : model_(model), tolerance_(tolerance) {
  for (const Group& group : model.groups()) {
    bodies_.emplace_back(
        group.dynamics->velocities() > 0 ? static_cast<std::size_t>(group.dynamics->bodies()) : 0);
    a_.emplace_back(Vector::Zero(group.dynamics->velocities()));
  }
}

double StepEstimator::Body::scale(double H) const { return std::max({v0, v1, H * a}); }

void StepEstimator::begin(double s, double H) {
  s_ = s;
  H_ = H;
  closings_.clear();
  missed_.clear();
  for (Vector& a : a_) a.setZero();
}

// v_free of the last pass, or the end velocity if no contact was active.
void StepEstimator::accelerate(int group, const Trial& x, double h) {
  const auto g = static_cast<std::size_t>(group);
  if (bodies_[g].empty()) return;
  difference_ = ((x.pass > 0 ? x.v_free : x.v) - x.start->v) / h;
  const auto n = difference_.size() / static_cast<Eigen::Index>(bodies_[g].size());
  for (Eigen::Index b = 0; b < difference_.size(); b += n)
    if (difference_.segment(b, n).squaredNorm() > a_[g].segment(b, n).squaredNorm())
      a_[g].segment(b, n) = difference_.segment(b, n);
}

// difference_ = w with to = from (+) w, for rotating bodies to first order in w; round-off is set
// to 0.
void StepEstimator::increment(std::size_t g, const Vector& from, const Vector& to) {
  const Dynamics& body = *model_.groups()[g].dynamics;
  const auto count = static_cast<Eigen::Index>(bodies_[g].size());
  const Eigen::Index m = from.size() / count, n = body.velocities() / count;
  moved_ = to - from;
  for (Eigen::Index b = 0; b < count; ++b) {
    const double off = 16.0 * kEpsilon * to.segment(b * m, m).lpNorm<Eigen::Infinity>();
    for (Eigen::Index i = b * m; i < (b + 1) * m; ++i)
      if (std::abs(moved_[i]) <= off) moved_[i] = 0.0;
  }
  if (!has(body.traits(), Trait::rotations)) {
    difference_ = moved_;
    return;
  }
  // The columns of d(q (+) w)/dw by small rotations of all bodies at once, then w by least squares.
  constexpr double small = 1e-6;
  std::vector<Vector> column(static_cast<std::size_t>(n));
  Vector w(body.velocities());
  for (Eigen::Index j = 0; j < n; ++j) {
    Vector& c = column[static_cast<std::size_t>(j)];
    c.resize(from.size());
    w.setZero();
    for (Eigen::Index b = 0; b < count; ++b) w[b * n + j] = small;
    body.retract(from, w, c);
    c = (c - from) / small;
  }
  Matrix J(m, n);
  difference_.resize(body.velocities());
  for (Eigen::Index b = 0; b < count; ++b) {
    for (Eigen::Index j = 0; j < n; ++j)
      J.col(j) = column[static_cast<std::size_t>(j)].segment(b * m, m);
    difference_.segment(b * n, n) =
        solve_definite(J.transpose() * J, J.transpose() * moved_.segment(b * m, m));
  }
}

void StepEstimator::measure(std::size_t g, double t, const StepEnd& start, const StepEnd& coarse,
                            const StepEnd& half, const StepEnd& fine) {
  const Dynamics& body = *model_.groups()[g].dynamics;
  const auto count = static_cast<Eigen::Index>(bodies_[g].size());
  const Eigen::Index n = body.velocities() / count;
  const Vector &q = fine.q[g], &v = fine.v[g];
  product_.resize(v.size());
  const auto norms = [&](const Vector& y, double Body::*into) {
    body.multiply({1.0, 0.0, 0.0}, t, q, v, y, product_);
    for (Eigen::Index b = 0; b < count; ++b)
      bodies_[g][static_cast<std::size_t>(b)].*into =
          std::sqrt(std::max(0.0, y.segment(b * n, n).dot(product_.segment(b * n, n))));
  };
  norms(start.v[g], &Body::v0);
  norms(v, &Body::v1);
  norms(a_[g], &Body::a);
  norms(half.v[g] - start.v[g], &Body::to_half);
  norms(v - half.v[g], &Body::from_half);
  difference_ = v - coarse.v[g];
  for (Eigen::Index b = 0; b < count; ++b) {
    const double off = 16.0 * kEpsilon * v.segment(b * n, n).lpNorm<Eigen::Infinity>();
    for (Eigen::Index i = b * n; i < (b + 1) * n; ++i)
      if (std::abs(difference_[i]) <= off) difference_[i] = 0.0;
  }
  norms(difference_, &Body::dv);
  if (q.size() == v.size() || has(body.traits(), Trait::rotations)) {
    increment(g, coarse.q[g], q);
    norms(difference_, &Body::dq);
  }
}

// s J/(H V) of the body on a side. For a contact that was missed, J is the speed at which it
// closes; if the effective mass is unknown, the speed of the body.
double StepEstimator::reach(const ContactView::Side& side, bool missed, double speed) const {
  const auto g = static_cast<std::size_t>(side.group);
  const auto i = std::min(static_cast<std::size_t>(std::max(side.body, 0)), bodies_[g].size() - 1);
  const Body& body = bodies_[g][i];
  const RigidData* const rigid = model_.groups()[g].dynamics->rigid();
  const double J = !missed ? body.to_half + body.from_half
                   : rigid ? std::sqrt(rigid->mass[i]) * speed
                           : body.v0 + body.v1;
  const double V = body.scale(H_);
  return V > 0.0 ? s_ * J / (H_ * V) : 0.0;
}

// An impulse acts on both sides: the body with the smaller velocity change measures its size.
bool StepEstimator::matters(const Closing& one, bool missed) const {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactView::Side* side : {&one.a, &one.b})
    if (side->group >= 0 && !bodies_[static_cast<std::size_t>(side->group)].empty())
      least = std::min(least, reach(*side, missed, one.speed));
  return std::isfinite(least) && least > tolerance_;
}

StepEstimator::Verdict StepEstimator::judge(double t, const StepEnd& start, const StepEnd& coarse,
                                            const StepEnd& half, const StepEnd& fine,
                                            double slack) {
  new_touches(start.touches, coarse.touches, coarse_closed_);
  new_touches(start.touches, half.touches, first_closed_);
  new_touches(half.touches, fine.touches, second_closed_);
  const auto islands = static_cast<std::size_t>(model_.island_count());
  struct Of {
    bool impact = false, agree = true;
    int count = 0, missed = 0;
    double v = 0.0, q = 0.0;
  };
  std::vector<Of> of(islands);
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    if (bodies_[g].empty()) continue;
    measure(g, t, start, coarse, half, fine);
    Of& at = of[static_cast<std::size_t>(model_.islands()[g])];
    for (const Body& body : bodies_[g]) {
      const double V = body.scale(H_);
      if (body.dv != 0.0) at.v = worse(at.v, body.dv / V);
      if (body.dq != 0.0) at.q = worse(at.q, body.dq / (H_ * V));
    }
  }
  for (const auto* list : {&coarse_closed_, &first_closed_, &second_closed_})
    for (const Touch& one : *list) of[static_cast<std::size_t>(one.island)].impact = true;
  // Contacts that carry an impulse in only one of the solutions also make the step an impact; the
  // velocities do not show this.
  fine_.clear();
  std::ranges::set_union(half.touches, fine.touches, std::back_inserter(fine_), {}, &Touch::key,
                         &Touch::key);
  const auto alone = [&](const std::vector<Touch>& there, const std::vector<Touch>& here) {
    new_touches(there, here, only_);
    for (const Touch& one : only_) {
      Of& at = of[static_cast<std::size_t>(one.island)];
      at.impact = true;
      at.agree = false;
    }
  };
  alone(fine_, coarse.touches);
  alone(coarse.touches, fine_);
  for (const Closing& one : closings_)
    if (matters(one, false)) ++of[static_cast<std::size_t>(one.island)].count;
  for (const Closing& one : missed_) {
    if (!matters(one, true)) continue;
    Of& at = of[static_cast<std::size_t>(one.island)];
    at.impact = true;
    ++at.missed;
  }

  Verdict verdict;
  const double share = s_ / H_;
  for (const Of& at : of) {
    const double both = worse(at.v, at.q);
    if (!std::isfinite(both)) verdict.finite = false;
    double ratio;
    if (at.impact) {
      ratio = (at.agree ? both : at.q) / tolerance_;
      if (at.count > 1 || at.missed > 0) ratio = worse(ratio, 2.0);
    } else {
      ratio = both / (tolerance_ * std::max(share, slack));
    }
    verdict.error = worse(verdict.error, ratio * tolerance_);
    if (!(ratio <= verdict.ratio)) {
      verdict.ratio = ratio;
      verdict.impact = at.impact;
    }
  }
  return verdict;
}

}  // namespace saltus
