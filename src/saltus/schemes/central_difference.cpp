// Central differences (leap-frog). The state holds the half-step velocity w = (q0 - q_-)/h, to
// which contact laws apply:
//
//     (M + (h/2) C) w+ = (M - (h/2) C) w + h f_D(t0, q0) + r,    f_D = F + C v without damping,
//         q1 = q0 (+) h w+
//     start:   w = v0 - (h/2) M^-1 F(t0, q0, v0)
//     output:  (M + (h/2) C) v1 = M w+ + (h/2) f_D(t1, q1)
//
// A = M + (h/2) C, gain 1, order 2, stable up to h omega = 2 for any damping. For a body at rest on
// its obstacle w is 0 and the output velocity is (h/2) M^-1 F. Where C is 0, only M is inverted.
// General form of the equations: two_step.h.
//
// compat: sofa: f is the force without Rayleigh damping, rK is omitted, and v0 is used as the first
// w (order 1):
//
//     (1 + h rM/2) w+ = (1 - h rM/2) w + M^-1 (h f(t0, q0, w) + r),    A = (1 + h rM/2) M
//
// Source: E. Hairer, C. Lubich, G. Wanner 2006, I.1.4; theory in docs/theory/central-difference.md.
#include "saltus/schemes/central_difference.h"

#include "saltus/base/error.h"
#include "saltus/schemes/two_step.h"

namespace saltus {
namespace {

class CentralDifference final : public TwoStepExplicit {
 public:
  std::string_view name() const override { return CentralDifferenceOptions::name; }
};

class CentralDifferenceSofa final : public TwoStepExplicit {
 public:
  std::string_view name() const override { return CentralDifferenceOptions::name; }
  std::unique_ptr<Prepared> prepare(const Dynamics&, double) const override { return nullptr; }
  void start(const Dynamics&, const Prepared*, double, double, GroupState&) const override {}
  void velocity(const Dynamics&, const Prepared*, double, double, const GroupState& state,
                Out v) const override {
    v = state.v;
  }

 protected:
  void flight(const Dynamics& body, Trial& x) const override;
  bool steady(const Dynamics& body) const override { return constant_mass(body); }
};

void CentralDifferenceSofa::flight(const Dynamics& body, Trial& x) const {
  const double h = x.h, rM = body.rayleigh().mass;
  const Vector &q0 = x.start->q, &w = x.start->v;
  x.gain = 1.0;
  if (!x.factorised) body.factorise({1.0 + 0.5 * h * rM, 0.0, 0.0}, x.t0, q0, w, x.A);
  x.factorised = constant_mass(body);
  undamped_force(body, x, x.t0, q0, w, x.v);
  solve_vector(x.A, x.v);
  x.v = ((1.0 - 0.5 * h * rM) / (1.0 + 0.5 * h * rM)) * w + h * x.v;
  x.work[d] = h * x.v;
  body.retract(q0, x.work[d], x.q);
}

}  // namespace

std::unique_ptr<Scheme> make_central_difference(const CentralDifferenceOptions& options) {
  expects(options.compat != Compat::seed,
          "central-difference: compat: seed is not available; use compat: none or sofa");
  if (options.compat == Compat::sofa) return std::make_unique<CentralDifferenceSofa>();
  return std::make_unique<CentralDifference>();
}

}  // namespace saltus
