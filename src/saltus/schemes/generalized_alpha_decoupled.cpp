// Decoupled nonsmooth generalised-alpha: the smooth prediction q~, v~ (alpha_prediction.h), then
// two contact problems,
//
//     positions    q1 = q~ (+) U,     M(q~) U = h r_q,    on the gaps at q1
//         (gain 1; Trial::v is U/h)
//     velocities   v1 = v~ + dv,    M(q1) dv = r,       on the rows that are active or closed at q1
//         (gain 0)
//
// No penetration remains at the end of a step. Order 2 on smooth motion without a limit on the
// step. The work of U, V(q1) - V(q~), is booked as projection; the damping of high frequencies has
// no formula for a single step and is booked as `unexplained`.
// Source: O. Bruls, V. Acary, A. Cardona 2014, A. Cosimo et al. 2020; theory in
// docs/theory/generalized-alpha-decoupled.md.
#include "saltus/schemes/generalized_alpha_decoupled.h"

#include <array>

#include "saltus/schemes/alpha_prediction.h"
#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class GeneralizedAlphaDecoupled final : public AlphaScheme {
 public:
  explicit GeneralizedAlphaDecoupled(const GeneralizedAlphaDecoupledOptions& o)
      : AlphaScheme(o.rho_infinity, o.newton_tolerance, o.newton_iterations) {}
  std::string_view name() const override { return GeneralizedAlphaDecoupledOptions::name; }
  double gain() const override { return 1.0; }
  std::span<const Stage> stages() const override {
    static constexpr std::array<Stage, 2> kStages{
        {{Level::position, Rows::normals, false}, {Level::velocity, Rows::all, true}}};
    return kStages;
  }
  /// Gaps that are nonlinear in q need several passes of the position stage.
  bool one_pass(const Dynamics& body) const override {
    return has(body.traits(), Trait::fixed_points) && steady(body);
  }
  double correct(const Dynamics& body, Trial& x) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void place(const Dynamics& body, const Trial& x, double fraction, Out q) const override;
  void work_velocity(const Trial& x, const GroupState& end, Out w) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  void flight(const Dynamics& body, Trial& x) const override;
};

void GeneralizedAlphaDecoupled::flight(const Dynamics& body, Trial& x) const {
  if (x.stage == 0) {
    predict(body, x);
    if (has(body.traits(), Trait::rotations)) {
      x.work[change] = 0.25 * x.h * (x.start->v + x.work[smooth_v]);
      x.work[middle_q].resize(body.positions());
      body.retract(x.start->q, x.work[change], x.work[middle_q]);
    }
    x.gain = 1.0;
    x.q = x.work[smooth_q];
    x.v.setZero();
  } else {  // q comes from the position stage
    x.gain = 0.0;
    x.v = x.work[smooth_v];
  }
  use_mass(body, x, x.t0 + x.h, x.q, x.work[smooth_v]);
}

double GeneralizedAlphaDecoupled::correct(const Dynamics& body, Trial& x) const {
  x.work[change] = x.v;
  ExplicitScheme::correct(body, x);
  if (x.stage > 0 || one_pass(body)) return 0.0;
  x.work[change] = x.v - x.work[change];
  return outstanding_change(body, x, x.work[change], x.work[smooth_v], x.work[product],
                            x.work[scale]);
}

// If no contact is possible, the step ends before its second stage.
void GeneralizedAlphaDecoupled::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  if (x.stage == 0) x.v = x.work[smooth_v];
  AlphaScheme::finish(body, x, end);
}

void GeneralizedAlphaDecoupled::place(const Dynamics& body, const Trial& x, double fraction,
                                      Out q) const {
  if (fraction != 0.5) return Scheme::place(body, x, fraction, q);
  if (has(body.traits(), Trait::rotations))
    q = x.work[middle_q];
  else
    q = x.start->q + 0.25 * x.h * (x.start->v + x.work[smooth_v]);
}

// For dv only: T(v1) - T(v~) = r . (v~ + v1)/2
void GeneralizedAlphaDecoupled::work_velocity(const Trial& x, const GroupState& end, Out w) const {
  w = 0.5 * (x.work[smooth_v] + end.v);
}

void GeneralizedAlphaDecoupled::work(const Dynamics& body, Trial& x, const GroupState& end,
                                     StepWork& out) const {
  const Vector &q = x.work[smooth_q], &v = x.work[smooth_v];
  x.work[change] = 0.5 * (x.start->v + v);
  book_smooth(body, x, q, v, x.work[change], out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
  out.projection =
      out.energy.potential - body.energy(held_at(body, x, x.t0 + x.h), q, end.v).potential;
}

}  // namespace

std::unique_ptr<Scheme> make_generalized_alpha_decoupled(
    const GeneralizedAlphaDecoupledOptions& options) {
  return std::make_unique<GeneralizedAlphaDecoupled>(options);
}

}  // namespace saltus
