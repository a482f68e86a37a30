// Solfec's explicit leap-frog for deformable bodies, with forces at the half step predicted by v0:
//
//     q_h = q0 (+) (h/2) v0
//     A (v1 - v0) = h F(t0 + h/2, q_h, v0) + r,     gain = 1/2
//     q1 = q_h (+) (h/2) v1
//
// A = M(q_h): damping is evaluated at v0, order 2 without damping and 1 with it.
// viscosity_implicit: A = M + (h/2) C at (q_h, v0), which evaluates damping at the mean of v0 and
// v1: order 2.
// Source: T. Koziara 2008 (section 5.1); theory in docs/theory/def-exp.md.
#include "saltus/schemes/def_exp.h"

#include <cmath>

#include "saltus/schemes/explicit.h"

namespace saltus {
namespace {

class DefExp final : public ExplicitScheme {
 public:
  explicit DefExp(const DefExpOptions& o) : central_(o.viscosity_implicit) {}
  std::string_view name() const override { return DefExpOptions::name; }
  unsigned needs() const override { return central_ ? static_cast<unsigned>(Trait::tangents) : 0; }
  double gain() const override { return 0.5; }
  double stability_limit(double xi) const override;
  void place(const Dynamics& body, const Trial& x, double fraction, Out q) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { q_h = q_at, d = own, v_force };
  int own_vectors(const Dynamics&) const override { return 2; }
  void flight(const Dynamics& body, Trial& x) const override;
  bool steady(const Dynamics& body) const override {
    return central_ ? has(body.traits(), Trait::affine) : constant_mass(body);
  }

 private:
  bool central_;  ///< damping at the mean velocity
};

void DefExp::flight(const Dynamics& body, Trial& x) const {
  const double h = x.h;
  const Vector& v0 = x.start->v;
  x.gain = 0.5;
  x.work[d] = 0.5 * h * v0;
  body.retract(x.start->q, x.work[d], x.work[q_h]);
  body.force(x.t0 + 0.5 * h, x.work[q_h], v0, x.v);
  if (central_)
    use(body, x, {1.0, 0.5 * h, 0.0}, x.t0 + 0.5 * h, x.work[q_h], v0);
  else
    use_mass(body, x, x.t0 + 0.5 * h, x.work[q_h], v0);
  solve_vector(x.A, x.v);
  x.v = v0 + h * x.v;
  x.work[d] = 0.5 * h * x.v;
  body.retract(x.work[q_h], x.work[d], x.q);
}

// Contact detection in the middle of the step uses q_h.
void DefExp::place(const Dynamics& body, const Trial& x, double fraction, Out q) const {
  if (fraction == 0.5)
    q = x.work[q_h];
  else
    Scheme::place(body, x, fraction, q);
}

// q_h evolves like the positions of central differences (central_) or of symplectic Euler.
double DefExp::stability_limit(double xi) const {
  return central_ ? 2.0 : 2.0 * (std::sqrt(1.0 + xi * xi) - xi);
}

void DefExp::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  x.work[d] = 0.5 * x.h * (x.start->v + end.v);
  x.work[v_force] = x.start->v;
  if (central_) x.work[v_force] = 0.5 * (x.start->v + end.v);
  book(body, x, end, x.t0 + 0.5 * x.h, x.work[q_h], x.work[v_force], x.work[d], out);
}

}  // namespace

std::unique_ptr<Scheme> make_def_exp(const DefExpOptions& options) {
  return std::make_unique<DefExp>(options);
}

}  // namespace saltus
