#include "saltus/sim/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/options_write.h"
#include "saltus/sim/inspect_step.h"

namespace saltus {
namespace {

std::size_t size(int i) { return static_cast<std::size_t>(i); }

}  // namespace

struct Inspection::LinearisedStep {
  Model model;
  State state;
  double h;
  ContactInstant instant;
  std::vector<InspectedStep> steps;
  std::vector<int> row;  ///< first row of each pair, then the number of rows

  LinearisedStep(Model m, State s, std::optional<double> step, std::optional<ContactInstant> at);

  const Group& group(int g) const {
    expects(g >= 0 && size(g) < model.groups().size(), "no such group");
    return model.groups()[size(g)];
  }
  const InspectedStep& step(int g) const {
    expects(g >= 0 && size(g) < steps.size(), "no such group");
    return steps[size(g)];
  }
  const ContactPair& pair(int i) const {
    expects(i >= 0 && size(i) < model.pairs().size(), "no such pair");
    return model.pairs()[size(i)];
  }
  const ContactLaw& law(const ContactPair& pair) const { return model.law(pair.law); }
  double fraction() const {
    return instant == ContactInstant::start ? 0.0 : instant == ContactInstant::middle ? 0.5 : 1.0;
  }
  Vector placed(int g, double at) const {
    Vector q(steps[size(g)].trial.q.size());
    group(g).scheme->place(*group(g).dynamics, steps[size(g)].trial, at, q);
    return q;
  }
  Vector gaps(double fraction) const;
  Matrix rows(int g) const;
  /// H v + prescribed motion at t, with one vector v per group
  template <class Velocity>
  Vector output(double t, Velocity&& v) const;
  Vector start_output() const {
    return output(state.t, [&](std::size_t g) -> const Vector& { return state.groups[g].v; });
  }
  Vector free_output() const {
    return output(state.t + h,
                  [&](std::size_t g) -> const Vector& { return steps[g].trial.v_free; });
  }
  /// Y, the gaps at the end of the step if the end rates were 0 [m].
  Vector reach() const;
  bool loaded(const ContactPair& pair) const {
    return std::ranges::any_of(state.contacts, [&](const ContactMemory& one) {
      return one.key == pair.key && one.impulse[0] > 0.0;
    });
  }
};

// As IslandProblem::measure_reach, at the first iterate.
Vector Inspection::LinearisedStep::reach() const {
  const double phi = fraction();
  Vector Y = gaps(phi);
  const Vector y0 = gaps(0.0), u0 = start_output();
  Vector change = Vector::Zero(u0.size());
  for (std::size_t g = 0; g < steps.size(); ++g)
    change += (phi == 1.0 ? steps[g].trial.gain : 0.5 * phi) *
              (rows(static_cast<int>(g)) * (steps[g].trial.v - state.groups[g].v));
  for (std::size_t i = 0; i < model.pairs().size(); ++i) {
    double gain = std::numeric_limits<double>::infinity();
    for (const ContactSide* side : {&model.pairs()[i].a, &model.pairs()[i].b})
      if (side->group >= 0 && steps[size(side->group)].trial.v.size() > 0)
        gain = std::min(gain, steps[size(side->group)].trial.gain);
    const auto k = static_cast<Eigen::Index>(i);
    const int r = row[i];
    Y[k] = std::min(y0[k] + (1.0 - gain) * h * u0[r],
                    Y[k] + h * ((1.0 - phi - gain) * u0[r] - change[r]));
  }
  return Y;
}

Inspection::LinearisedStep::LinearisedStep(Model m, State s, std::optional<double> step,
                                           std::optional<ContactInstant> at)
    : model(std::move(m)),
      state(std::move(s)),
      h(step.value_or(model.options().h)),
      instant(at.value_or(model.options().instant)) {
  expects(h > 0.0 && std::isfinite(h), "the step must be positive and finite");
  const std::size_t n = model.groups().size();
  expects(state.groups.size() == n, "the state belongs to another model");
  if (h != state.h) {  // as Simulation does when the step changes
    for (std::size_t g = 0; g < n; ++g) {
      const Group& of = model.groups()[g];
      expects(!of.scheme->fixed_step(), "a group of this model has a scheme of fixed step");
      const Dynamics& body = *of.dynamics;
      const auto before = of.scheme->prepare(body, state.h), after = of.scheme->prepare(body, h);
      Vector v(body.velocities());
      of.scheme->velocity(body, before.get(), state.t, state.h, state.groups[g], v);
      state.groups[g].v = v;
      of.scheme->start(body, after.get(), state.t, h, state.groups[g]);
    }
    state.h = h;
  }
  // Trials point to states, so the elements must not move.
  steps.reserve(n);
  for (std::size_t g = 0; g < n; ++g)
    steps.emplace_back(model.groups()[g], state.groups[g], state.t, h, false);
  row.push_back(0);
  for (const ContactPair& pair : model.pairs()) row.push_back(row.back() + pair.rows());
}

Vector Inspection::LinearisedStep::gaps(double fraction) const {
  std::vector<Vector> q;
  for (std::size_t g = 0; g < steps.size(); ++g) q.push_back(placed(static_cast<int>(g), fraction));
  Vector gap(static_cast<Eigen::Index>(model.pairs().size()));
  for (std::size_t i = 0; i < model.pairs().size(); ++i) {
    const ContactPair& pair = model.pairs()[i];
    const auto place = [&](const ContactSide& side) {
      Vector x = side.ref.local;
      if (side.group >= 0)
        group(side.group)
            .dynamics->points(state.t + fraction * h, q[size(side.group)], {&side.ref, 1}, x);
      return x;
    };
    gap[static_cast<Eigen::Index>(i)] =
        pair.normal.dot(place(pair.a) - place(pair.b)) - pair.distance;
  }
  return gap;
}

Matrix Inspection::LinearisedStep::rows(int g) const {
  const Dynamics& body = *group(g).dynamics;
  Matrix H = Matrix::Zero(row.back(), body.velocities());
  const Vector q = placed(g, fraction());
  const Vector axes =
      has(body.traits(), Trait::rotations) ? placed(g, group(g).scheme->axes_at()) : q;
  PointRows J;
  for (std::size_t i = 0; i < model.pairs().size(); ++i) {
    const ContactPair& pair = model.pairs()[i];
    for (const auto& [side, sign] : {std::pair(&pair.a, 1.0), std::pair(&pair.b, -1.0)}) {
      if (side->group != g) continue;
      body.point_rows(q, axes, {&side->ref, 1}, J);
      for (int k = 0; k < J.offset[1]; ++k)
        for (int j = 0; j < J.width; ++j)
          for (int r = 0; r < pair.rows(); ++r)
            for (int axis = 0; axis < 3; ++axis)
              H(row[i] + r, J.column[size(k)] + j) +=
                  sign * pair.direction(r)[axis] * J.value[size((3 * k + axis) * J.width + j)];
    }
  }
  return H;
}

template <class Velocity>
Vector Inspection::LinearisedStep::output(double t, Velocity&& v) const {
  Vector u = Vector::Zero(row.back());
  Vector drift(3);
  for (std::size_t g = 0; g < steps.size(); ++g) {
    u += rows(static_cast<int>(g)) * v(g);
    const Vector q = placed(static_cast<int>(g), fraction());
    for (std::size_t i = 0; i < model.pairs().size(); ++i) {
      const ContactPair& pair = model.pairs()[i];
      for (const auto& [side, sign] : {std::pair(&pair.a, 1.0), std::pair(&pair.b, -1.0)}) {
        if (side->group != static_cast<int>(g)) continue;
        model.groups()[g].dynamics->point_drift(t, q, {&side->ref, 1}, drift);
        for (int r = 0; r < pair.rows(); ++r) u[row[i] + r] += sign * pair.direction(r).dot(drift);
      }
    }
  }
  for (std::size_t i = 0; i < model.pairs().size(); ++i)
    if (const ContactPair& pair = model.pairs()[i]; pair.runs >= 0) {
      const RunningSurface& b = model.running()[size(pair.runs)];
      for (int r = 1; r < pair.rows(); ++r)
        u[row[i] + r] -= b.value.value(t) * pair.direction(r).dot(b.along);
    }
  return u;
}

Inspection::Inspection(const Simulation& sim, std::optional<double> h,
                       std::optional<ContactInstant> instant)
    : Inspection(sim.model(), sim.state(), h, instant) {}
Inspection::Inspection(Model model, State state, std::optional<double> h,
                       std::optional<ContactInstant> instant)
    : step_(std::make_unique<LinearisedStep>(std::move(model), std::move(state), h, instant)) {}
Inspection::Inspection(Inspection&&) noexcept = default;
Inspection::~Inspection() = default;

const Model& Inspection::model() const { return step_->model; }
double Inspection::h() const { return step_->h; }

Matrix Inspection::matrix(int group) const { return step_->step(group).matrix(); }
Matrix Inspection::inverse(int group) const { return step_->step(group).inverse(); }

Matrix Inspection::prescribed_columns(int group) const {
  const InspectedStep& step = step_->step(group);
  expects(step.combination(), "the operator of this scheme is not a combination of M, C and K");
  Matrix columns(step.body.velocities() + step.body.prescribed(), step.body.prescribed());
  step.body.prescribed_columns(step.factorised->s, step.factorised->t, step.factorised->q,
                               step.factorised->v, columns);
  return columns;
}

GroupState Inspection::first_iterate(int group) const {
  step_->group(group);
  GroupState at = step_->state.groups[size(group)];
  at.q = position(group, at.v);
  return at;
}

const Vector& Inspection::free_velocity(int group) const { return step_->step(group).trial.v_free; }

Vector Inspection::residual(int group) const {
  const InspectedStep& step = step_->step(group);
  return step.matrix() * (step.v_it - step.trial.v_free);
}

double Inspection::residual() const {
  double largest = 0.0;
  for (std::size_t g = 0; g < step_->steps.size(); ++g) {
    const Vector all = residual(static_cast<int>(g));
    const Eigen::Index bodies = step_->steps[g].body.bodies(), n = all.size() / bodies;
    for (Eigen::Index i = 0; i < bodies; ++i)
      largest = worse(largest, all.segment(i * n, n).norm());
  }
  return largest;
}

int Inspection::rows() const { return step_->row.back(); }
int Inspection::row(int pair) const {
  step_->pair(pair);
  return step_->row[size(pair)];
}
Matrix Inspection::contact_rows(int group) const {
  step_->step(group);
  return step_->rows(group);
}
Vector Inspection::gaps() const { return step_->gaps(step_->fraction()); }
Vector Inspection::start_output() const { return step_->start_output(); }
Vector Inspection::free_output() const { return step_->free_output(); }

Matrix Inspection::delassus() const {
  Matrix W = Matrix::Zero(rows(), rows());
  for (std::size_t g = 0; g < step_->steps.size(); ++g) {
    const Matrix H = step_->rows(static_cast<int>(g));
    Matrix X = H.transpose();
    solve(step_->steps[g].trial.A, X);
    W += H * X;
  }
  return W;
}

Vector Inspection::right_hand_side() const {
  const Vector u0 = step_->start_output(), y0 = step_->gaps(0.0), y1 = step_->gaps(1.0),
               Y = step_->reach();
  Vector b = step_->free_output();
  for (std::size_t i = 0; i < step_->model.pairs().size(); ++i) {
    const ContactPair& pair = step_->model.pairs()[i];
    const ContactLaw& law = step_->law(pair);
    const int n = step_->row[i];
    const auto k = static_cast<Eigen::Index>(i);
    expects(law.set_valued(), "b of a compliant contact depends on its impulse");
    b[n] = law.row({.h = step_->h,
                    .y0 = y0[k],
                    .u0 = u0[n],
                    .y = y1[k],
                    .u_free = b[n],
                    .before = y0[k] - step_->h * u0[n],
                    .reach = Y[k],
                    .load = step_->loaded(pair) && law.load_lasts(u0[n], b[n])})
               .b;
    for (int r = 1; r < pair.rows(); ++r) b[n + r] += law.facts().friction.tangential * u0[n + r];
  }
  return b;
}

std::vector<int> Inspection::known() const {
  std::vector<int> all;
  for (std::size_t i = 0; i < step_->model.pairs().size(); ++i) all.push_back(static_cast<int>(i));
  return all;
}

std::vector<int> Inspection::active() const {
  const Vector gap = gaps(), u0 = start_output();
  std::vector<int> in;
  for (int i : known()) {
    const ContactLaw& law = step_->law(step_->pair(i));
    if (!law.activated() || law.facts().activation->admits(gap[i], u0[step_->row[size(i)]],
                                                           step_->h, step_->loaded(step_->pair(i))))
      in.push_back(i);
  }
  return in;
}

bool Inspection::active(int pair) const {
  step_->pair(pair);
  const std::vector<int> in = active();
  return std::find(in.begin(), in.end(), pair) != in.end();
}

GroupState Inspection::update(int group, View r) const {
  const Group& of = step_->group(group);
  const GroupState& start = step_->state.groups[size(group)];
  expects(r.size() == start.v.size(), "r needs one component per velocity of the group");
  InspectedStep step(of, start, step_->state.t, step_->h, true);
  step.trial.r = r;
  of.scheme->correct(step.body, step.trial);
  GroupState end = start;
  of.scheme->finish(step.body, step.trial, end);
  return end;
}

Vector Inspection::position(int group, View v1) const {
  const Group& of = step_->group(group);
  const GroupState& start = step_->state.groups[size(group)];
  expects(v1.size() == start.v.size(), "v1 needs one component per velocity of the group");
  InspectedStep step(of, start, step_->state.t, step_->h, true);
  step.trial.r = step.matrix() * (v1 - step.trial.v_free);
  of.scheme->correct(step.body, step.trial);
  return step.trial.q;
}

Vector Inspection::velocity(int group, View r) const {
  const InspectedStep& step = step_->step(group);
  expects(has(step.body.traits(), Trait::affine),
          "a step that changes only velocities is for affine groups: masses, springs and dashpots "
          "that do not change");
  expects(r.size() == step.trial.v.size(), "r needs one component per velocity of the group");
  Vector dv = r;
  solve(step.trial.A, dv);
  return step.trial.v_free + dv;
}

std::string Inspection::text() const {
  std::string text = fmt::format("step from t = {:g} s, h = {:g} s\n", step_->state.t, step_->h);
  for (std::size_t g = 0; g < step_->steps.size(); ++g) {
    const Group& of = step_->model.groups()[g];
    const int n = of.dynamics->velocities();
    text += fmt::format("group {} '{}': {} on {}, {} velocities, gain {:g}, residual {:g} N s\n", g,
                        of.name, of.scheme->name(), of.kind, n, step_->steps[g].trial.gain,
                        residual(static_cast<int>(g)).norm());
  }
  const Vector gap = gaps(), u0 = start_output(), b = free_output();
  for (int i : known()) {
    const int n = step_->row[size(i)];
    text += fmt::format("pair {}: gap {:g} m, rate {:g} m/s, free rate {:g} m/s, {}\n", i, gap[i],
                        u0[n], b[n], active(i) ? "active" : "not active");
  }
  return text;
}

State advance_velocity(const Model& model, const State& state, std::span<const Vector> r,
                       std::optional<double> h) {
  expects(r.empty() || r.size() == model.groups().size(), "give one impulse per group, or none");
  const Inspection step(model, state, h);
  State end = state;
  end.energy = {};
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    const Group& group = model.groups()[g];
    expects(state.groups[g].memory.empty() && group.scheme->velocity_at() == 1.0,
            "a step that changes only velocities is for schemes that store only q and v");
    const Vector none = Vector::Zero(group.dynamics->velocities());
    end.groups[g].v = step.velocity(static_cast<int>(g), r.empty() ? none : r[g]);
    const Energy E = group.dynamics->energy(state.t + step.h(), end.groups[g].q, end.groups[g].v);
    end.energy.kinetic += E.kinetic;
    end.energy.potential += E.potential;
  }
  end.t = state.t + step.h();
  end.h = step.h();
  if (model.options().ledger) end.ledger.back() += end.energy.total() - state.energy.total();
  return end;
}

Reached advance_until(Simulation& sim, double end,
                      const std::function<bool(const Simulation&)>& stop) {
  const double h = sim.model().options().h;
  const auto left = [&] { return end - sim.state().t; };
  constexpr double kOnGrid = 1e-9;  // relative to the step
  expects(left() >= -kOnGrid * h && std::isfinite(end),
          "the end of a run must not be before the present time");
  for (const Group& group : sim.model().groups())
    expects(!group.scheme->fixed_step() ||
                std::abs(left() / h - std::round(left() / h)) <= kOnGrid * (1.0 + left() / h),
            "a scheme of fixed step cannot shorten its last step; give a time on its grid");
  Reached reached;
  while (left() > kOnGrid * h) {
    reached.report = left() < (1.0 - kOnGrid) * h ? sim.advance(left()) : sim.advance();
    if (!reached.report.finite ||
        (!reached.report.converged && sim.model().options().on_failure != OnFailure::accept))
      return reached;
    ++reached.steps;
    if (stop && left() > kOnGrid * h && stop(sim)) {
      reached.stopped = true;
      return reached;
    }
  }
  return reached;
}

Vector work_of_forces(const Group& group, const GroupState& before, const GroupState& after,
                      double t0, double h) {
  const Dynamics& body = *group.dynamics;
  const double g = group.scheme->gain();
  Vector F0(body.velocities()), F1(body.velocities());
  body.force(t0, before.q, before.v, F0);
  body.force(t0 + h, after.q, after.v, F1);
  const Vector F = (1.0 - g) * F0 + g * F1, w = (1.0 - g) * before.v + g * after.v;
  const Eigen::Index bodies = body.bodies(), n = F.size() / bodies;
  Vector work(bodies);
  for (Eigen::Index i = 0; i < bodies; ++i)
    work[i] = h * F.segment(i * n, n).dot(w.segment(i * n, n));
  return work;
}

std::string display(const SchemeChoice& scheme) {
  return std::visit(
      [](const auto& options) {
        using T = std::remove_cvref_t<decltype(options)>;
        std::string text = fmt::format("{}: {}\n", T::name, T::help);
        for_each_field<T>([&](const auto& field) {
          const auto& member = options.*field.member;
          text += fmt::format("  {} = {}: {}\n", field.key,
                              is_set(member) ? to_json(member, 0) : "not given", field.help);
        });
        return text;
      },
      scheme);
}

}  // namespace saltus
