#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/event_driven/constraint_rows.h"
#include "saltus/event_driven/event_response.h"
#include "saltus/event_driven/impact.h"
#include "saltus/sensitivity/sensitivity_internal.h"

namespace saltus::sensitivity {
namespace {

/// For impacts, whose differences are divided by a small number.
constexpr Limits kTight{1e-13, 100'000};

}  // namespace

std::unique_ptr<OdeMethod> make_method(OdeKind kind) {
  switch (kind) {
    case OdeKind::dormand_prince_5:
      return make_dormand_prince_5();
    case OdeKind::esdirk:
      return make_esdirk();
    default:
      return make_dormand_prince_8();
  }
}

Runner::Runner(const Model& model) : model_(model), motion_(model_), angles_(model_) {
  const int n = motion_.size();
  w_ = v_ = dw_ = dv_ = Vector::Zero(n);
}

void Runner::place(double t, const Groups& groups, std::span<const ContactMode> modes, double e) {
  motion_.enter_smooth_interval(t);
  motion_.start(groups);
  motion_.set_modes(modes);
  motion_.set_time(e);
  motion_.contacts().settle(t, groups);
  const auto first = motion_.contacts().first();
  for (std::size_t g = 0; g < groups.size(); ++g)
    v_.segment(first[g], groups[g].v.size()) = groups[g].v;
  motion_.go(t, w_, v_);
  if (motion_.contacts().any()) motion_.contacts().find_rows(t, motion_.kinematics().groups());
}

void Runner::rates(double t, const Groups& groups, std::span<const ContactMode> modes, double e,
                   Direction& f) {
  place(t, groups, modes, e);
  f.w.resize(v_.size());
  f.v.resize(v_.size());
  motion_.rates(t, w_, v_, f.w, f.v);
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (motion_.index(k) < 0) find(modes[k].key);
  if (motion_.contacts().any()) motion_.contacts().find_rows(t, motion_.kinematics().groups());
}

void Runner::step(double t0, double dt, const Groups& groups, std::span<const ContactMode> modes,
                  double e, const OdeMethod& method, Groups& end) {
  place(t0, groups, modes, e);
  // As in the run: round-off would turn slips that are just beginning.
  if (std::ranges::any_of(
          modes, [](const ContactMode& mode) { return mode.kind == ContactMode::Kind::slides; })) {
    dv_ = motion_.free_acceleration();
    motion_.mark_slips(std::max(1e-9, 10.0 * model_.options().events.tolerance),
                       v_.cwiseAbs() + 1e3 * e * dv_.cwiseAbs());
  }
  motion_.rates(t0, w_, v_, dw_, dv_);
  step_.t0 = t0;
  step_.h = dt;
  step_.v0 = v_;
  step_.dv0 = dv_;
  if (!method.step(motion_, step_))
    throw Refusal{fmt::format("repeating the step from t = {:.10g} s fails", t0)};
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (motion_.index(k) < 0) find(modes[k].key);
  end = groups;
  motion_.kinematics().move(step_.w1, end);
  const auto first = motion_.contacts().first();
  for (std::size_t g = 0; g < end.size(); ++g)
    end[g].v = step_.v1.segment(first[g], end[g].v.size());
  angles_.follow(motion_.contacts().joints(), t0, groups, t0 + dt, end);
}

Runner::Begin Runner::begin(double t, Groups groups, std::span<const ContactMode> modes,
                            double scale) {
  place(t, groups, modes, 1.0);
  EventResponse response(model_, motion_);
  InstantReport report;
  std::vector<Event> events;
  Begin begin;
  response.projection().project(t, groups, modes, true);
  begin.known = response.resolve({.t = t, .scale = scale, .before = modes}, groups, begin.modes,
                                 events, report);
  for (const Event& event : events)
    if (event.kind == Event::Kind::impact) begin.closing.push_back(event.key);
  return begin;
}

const OdeStep& Runner::interpolated(const OdeMethod& method) {
  method.interpolate(motion_, step_);
  return step_;
}

std::size_t Runner::find(std::uint64_t key) {
  const int i = motion_.contacts().index_of(key);
  if (i < 0)
    throw Refusal{fmt::format(
        "contact {} passes from one feature of its surfaces to another at t = {:.10g} s", key,
        motion_.kinematics().time())};
  return static_cast<std::size_t>(i);
}

void Runner::strike(double t, const Groups& groups, std::span<const std::uint64_t> keys,
                    Groups& end, std::vector<int>& status) {
  place(t, groups, {}, 1.0);
  EventContacts& contacts = motion_.contacts();
  std::vector<ImpactContact> list;
  std::vector<std::size_t> at;
  int m = 0;
  for (const std::uint64_t key : keys) {
    const std::size_t i = find(key);
    const LawFacts& law = contacts.law(i).facts();
    ImpactContact c;
    c.form = law.impact.value_or(ImpactForm::newton);
    c.first = m;
    c.tangents = c.form == ImpactForm::held ? 0 : contacts.contact(i).tangents;
    c.restitution = law.restitution;
    c.tangential = law.friction.tangential;
    c.friction = law.friction.coefficient;
    m += 1 + c.tangents;
    list.push_back(c);
    at.push_back(i);
  }
  Matrix H = Matrix::Zero(m, motion_.size());
  Vector u(m), row(motion_.size()), P = Vector::Zero(m);
  std::vector<int> ids(static_cast<std::size_t>(m));
  for (std::size_t k = 0; k < list.size(); ++k) {
    ImpactContact& c = list[k];
    const LawFacts& law = contacts.law(at[k]).facts();
    for (int a = 0; a <= c.tangents; ++a) {
      row.setZero();
      contacts.add_row(at[k], a, 1.0, row);
      H.row(c.first + a) = row;
      u[c.first + a] = contacts.rate(at[k], a);
      ids[static_cast<std::size_t>(c.first + a)] = c.first + a;
    }
    if (c.form == ImpactForm::held) u[c.first] -= law.velocity;
    if (c.tangents > 0 && law.velocity_weakening.weakens())
      c.friction *= law.velocity_weakening.share(u.segment(c.first + 1, c.tangents).norm());
  }
  Matrix X = H.transpose();
  motion_.kinematics().solve_mass(X);
  if (motion_.joints().rows() > 0) {
    Matrix G;
    Vector rate, rhs, lambda;
    motion_.joints().dense(G, rate);
    Matrix XG = G.transpose();
    motion_.kinematics().solve_mass(XG);
    const Matrix S = G * XG;
    for (Eigen::Index j = 0; j < X.cols(); ++j) {
      rhs = G * X.col(j);
      solve_rows(S, rhs, lambda);
      X.col(j) -= XG * lambda;
    }
  }
  Matrix W = H * X;
  W = 0.5 * (W + W.transpose()).eval();
  const ImpactReport report =
      solve_impact({W, u, list, ids}, model_.options().events.impacts, model_.solver(), kTight, P);
  if (!report.converged && !(report.residual < 1e-11))
    throw Refusal{
        fmt::format("the impact at t = {:.10g} s is not solved to {:g}", t, kTight.tolerance)};
  end = groups;
  const Vector dv = X * P;
  const auto first = contacts.first();
  for (std::size_t g = 0; g < end.size(); ++g) end[g].v += dv.segment(first[g], end[g].v.size());
  // 0: no impulse, 1: no friction or sticks, 2: slides
  double most = 0.0;
  for (const ImpactContact& c : list) most = std::max(most, std::abs(P[c.first]));
  status.assign(list.size(), 0);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const ImpactContact& c = list[k];
    const double N = P[c.first];
    if (!(std::abs(N) > 1e-9 * most)) continue;
    const bool slides = c.friction > 0.0 && c.tangents > 0 &&
                        P.segment(c.first + 1, c.tangents).norm() >= (1.0 - 1e-9) * c.friction * N;
    status[k] = slides ? 2 : 1;
  }
}

Difference::Difference(const Model& model, const Vector& scale, double size)
    : model_(model), scale_(scale), size_(size) {
  Eigen::Index sum = 0;
  for (const Group& group : model.groups()) {
    first_.push_back(sum);
    sum += group.dynamics->velocities();
  }
  first_.push_back(sum);
}

void Difference::move(const Groups& groups, const Direction& s, double x, Groups& out) const {
  out = groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Eigen::Index n = groups[g].v.size();
    if (n == 0) continue;
    model_.groups()[g].dynamics->retract(groups[g].q, x * s.w.segment(first_[g], n), out[g].q);
    out[g].v += x * s.v.segment(first_[g], n);
  }
}

Vector Difference::local(const Groups& base, const Groups& groups) const {
  const Eigen::Index n = first_.back();
  Vector x(2 * n);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Eigen::Index k = groups[g].v.size(), at = first_[g];
    x.segment(n + at, k) = groups[g].v;
    if (!has(model_.groups()[g].dynamics->traits(), Trait::rigid)) {
      if (k > 0) x.segment(at, k) = groups[g].q - base[g].q;
      continue;
    }
    for (std::ptrdiff_t b = 0; 6 * b < k; ++b) {
      const RigidAt body(b);
      x.segment<3>(at + body.v) = body.x(groups[g].q) - body.x(base[g].q);
      x.segment<3>(at + body.v + 3) =
          log_rotation(body.Q(base[g].q).conjugate() * body.Q(groups[g].q));
    }
  }
  return x;
}

// f' = (8 (f(x) - f(-x)) - (f(2 x) - f(-2 x)))/(12 x) + O(x^4), where x is the largest step that
// changes no component by more than its part of the scale.
Vector Difference::along(Runner& runner, const Groups& groups, double t, const Direction& s,
                         const Function& f, double longest) const {
  const Eigen::Index n = s.w.size();
  double most = 0.0;
  for (Eigen::Index i = 0; i < n; ++i)
    most = std::max({most, std::abs(s.w[i]) / scale_[i], std::abs(s.v[i]) / scale_[n + i]});
  // For a direction with only an instant: limited by the time in which velocities of their scale
  // cover the scale of positions.
  if (s.t != 0.0 && n > 0) {
    const double time = (scale_.head(n).array() / scale_.tail(n).array()).minCoeff();
    most = std::max(most, std::abs(s.t) / time);
  }
  if (most == 0.0) return Vector::Zero(f(runner, groups, t).size());
  const double x = std::min(size_ / most, longest);
  constexpr std::array kPlace{1.0, -1.0, 2.0, -2.0}, kWeight{8.0, -8.0, -1.0, 1.0};
  Vector sum;
  Groups moved;
  for (std::size_t k = 0; k < kPlace.size(); ++k) {
    move(groups, s, kPlace[k] * x, moved);
    const Vector value = f(runner, moved, t + kPlace[k] * x * s.t);
    if (k == 0)
      sum = kWeight[k] * value;
    else
      sum += kWeight[k] * value;
  }
  return sum / (12.0 * x);
}

}  // namespace saltus::sensitivity
