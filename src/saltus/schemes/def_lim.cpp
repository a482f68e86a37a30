// Solfec's linearly implicit leap-frog for deformable bodies: forces and tangents at the half step
// predicted by v0, one solve.
//
//     q_h = q0 (+) (h/2) v0
//     A (v1 - v0) = h F(t0 + h/2, q_h, v0) + r,     A = M + (h/2) C + (h^2/4) K at (q_h, v0),
//         gain = 1/2
//     q1 = q_h (+) (h/2) v1
//
// On affine groups this is the implicit midpoint rule: stable at any step, energy conserved. On
// other groups it is linearised once: order 2, with no bound on energy errors. iterate: true solves
// the midpoint rule itself,
//
//     M (v1 - v0) = h F(t0 + h/2, q_m, v_m) + r,    v_m = (v0 + v1)/2,  q_m = q0 (+) (h/2) v_m,
//         q1 = q0 (+) h v_m
//
// Source: M. Zhang, R. D. Skeel 1997, as Solfec uses it; theory in docs/theory/def-lim.md.
#include "saltus/schemes/def_lim.h"

#include <algorithm>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class DefLim final : public ImplicitScheme {
 public:
  explicit DefLim(const DefLimOptions& o)
      : ImplicitScheme({o.newton_tolerance, o.newton_iterations}, !o.iterate) {}
  std::string_view name() const override { return DefLimOptions::name; }
  double gain() const override { return 0.5; }
  void place(const Dynamics& body, const Trial& x, double fraction, Out q) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override { return {1.0, 0.5 * h, 0.25 * h * h}; }
};

// Contact detection in the middle of the step uses q_h.
void DefLim::place(const Dynamics& body, const Trial& x, double fraction, Out q) const {
  if (linear_ && fraction == 0.5)
    q = x.work[q_at];
  else
    Scheme::place(body, x, fraction, q);
}

void DefLim::place_end(const Dynamics& body, Trial& x) const {
  if (linear_) {  // q_h (+) (h/2) v1
    x.work[increment] = 0.5 * x.h * x.v;
    body.retract(x.work[q_at], x.work[increment], x.q);
  } else {
    x.work[increment] = 0.5 * x.h * (x.start->v + x.v);
    body.retract(x.start->q, x.work[increment], x.q);
  }
}

// iterate: M (v - v0) - h F(q_m, v_m).
// Otherwise evaluated once, at v = v0: place_between() gives q_h, and M (v - v0) is 0.
void DefLim::residual(const Dynamics& body, Trial& x, Vector& res) const {
  place_between(body, x, x.v, 0.5);
  x.t_at = x.t0 + 0.5 * x.h;
  body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
  res = -x.h * x.work[force];
  if (!linear_) {
    x.work[change] = x.v - x.start->v;
    body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[change],
                  x.work[product]);
    res += x.work[product];
  }
}

// E1 - E0 = h F_s . v_m (sources without potential) + r . v_m,  exact for affine groups.
void DefLim::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  book_between(body, x, end, 0.5, out);
}

}  // namespace

std::unique_ptr<Scheme> make_def_lim(const DefLimOptions& options) {
  return std::make_unique<DefLim>(options);
}

}  // namespace saltus
