// Explicit Euler, one force evaluation per step:
//
//     v1 = v0 + M^-1 ( h F(t0, q0, v0) + r )
//     q1 = q0 (+) h v1   symplectic, gain 1: energy bounded below the stability limit
//     q1 = q0 (+) h v0   standard, gain 0: undamped motion grows
//
// A = M(q0), order 1. compat: sofa omits Rayleigh damping from F; compat: seed is the standard
// form, as printed. Source: E. Hairer, C. Lubich, G. Wanner 2006, I.1.2; theory in
// docs/theory/euler-explicit.md.
#include "saltus/schemes/euler_explicit.h"

#include <cmath>

#include "saltus/schemes/explicit.h"

namespace saltus {
namespace {

class EulerExplicit final : public ExplicitScheme {
 public:
  explicit EulerExplicit(const EulerExplicitOptions& o)
      : symplectic_(o.symplectic && o.compat != Compat::seed), sofa_(o.compat == Compat::sofa) {}
  std::string_view name() const override { return EulerExplicitOptions::name; }
  double gain() const override { return symplectic_ ? 1.0 : 0.0; }
  double stability_limit(double xi) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { d = own };
  int own_vectors(const Dynamics&) const override { return 1; }
  void flight(const Dynamics& body, Trial& x) const override;

 private:
  bool symplectic_, sofa_;
};

void EulerExplicit::flight(const Dynamics& body, Trial& x) const {
  const Vector &q0 = x.start->q, &v0 = x.start->v;
  x.gain = gain();
  use_mass(body, x, x.t0, q0, v0);
  if (sofa_)
    undamped_force(body, x, x.t0, q0, v0, x.v);
  else
    body.force(x.t0, q0, v0, x.v);
  solve_vector(x.A, x.v);
  x.v = v0 + x.h * x.v;
  x.work[d] = x.h * (symplectic_ ? x.v : v0);
  body.retract(q0, x.work[d], x.q);
}

// Symplectic: roots of  l^2 - (2 - 2 xi z - z^2) l + 1 - 2 xi z  in the unit circle,
// z^2 + 4 xi z <= 4. Standard: |1 + z m| <= 1 for the roots m of  m^2 + 2 xi m + 1.
double EulerExplicit::stability_limit(double xi) const {
  if (symplectic_) return 2.0 * (std::sqrt(1.0 + xi * xi) - xi);
  return xi <= 1.0 ? 2.0 * xi : 2.0 / (xi + std::sqrt(xi * xi - 1.0));
}

void EulerExplicit::work(const Dynamics& body, Trial& x, const GroupState& end,
                         StepWork& out) const {
  x.work[d] = x.h * (symplectic_ ? end.v : x.start->v);
  book(body, x, end, x.t0, x.start->q, x.start->v, x.work[d], out);
}

}  // namespace

std::unique_ptr<Scheme> make_euler_explicit(const EulerExplicitOptions& options) {
  return std::make_unique<EulerExplicit>(options);
}

}  // namespace saltus
