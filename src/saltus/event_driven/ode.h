// Integrators of smooth motion with dense output, for the time between two events.
//
//     w' = rate(w, v),     v' = a(t, w, v),     q = q0 (+) w,     w(t0) = 0
//
// w and v have n components each. Increments w are used instead of positions q so that rotations
// stay in their group and methods keep their order; in a vector space rate(w, v) = v. Where w = 0,
// rate(0, v) = v and w'' = v' for any coordinates.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// The equations of motion from the start of a step on. This is the only interface that methods
/// use: they have no access to bodies and contacts.
class SmoothMotion {
 public:
  virtual ~SmoothMotion() = default;
  virtual int size() const = 0;  ///< n
  /// dw = rate(w, v), dv = a(t, w, v): one evaluation of the forces.
  virtual void rates(double t, View w, View v, Out dw, Out dv) = 0;
  /// Prepares correct() at (t, w, v):  A = M + g C + g^2 K,  g [s].
  virtual void linearise(double t, View w, View v, double g) = 0;
  /// x <- A^-1 M x, restricted by joints and closed contacts: Newton's step of
  ///     v = v_bar + g a,  w = w_bar + g w'.
  virtual void correct(Out x) = 0;
};

/// One step of a method, from its start to its dense output.
struct OdeStep {
  double t0 = 0.0, h = 0.0;  ///< [s]
  Vector v0, dv0;            ///< velocity at t0 and its rate: set by the caller
  Vector w1, v1, dw1, dv1;   ///< end of the step, and the rates there
  /// Estimates of the local error, n for w and then n for v. Some methods have two.
  Vector error, error_low;
  /// Dense output in Bernstein form on [0, 1]: n rows and one column per coefficient, with the same
  /// number for w and v. First and last columns equal the ends of the step bit for bit.
  Matrix w, v;
  std::vector<Vector> work;  ///< stages; private to the method
};

/// w(theta), v(theta) of the dense output, by de Casteljau's algorithm.
void dense_output(const OdeStep& step, double theta, Out w, Out v);

class OdeMethod {
 public:
  virtual ~OdeMethod() = default;
  virtual std::string_view name() const = 0;
  virtual int order() const = 0;        ///< p: the error of a run decreases as h^p
  virtual int error_order() const = 0;  ///< q: error() decreases as h^q
  virtual bool implicit() const { return false; }
  /// Number of force evaluations in a step, including dense output; approximate for implicit
  /// methods.
  virtual int evaluations() const = 0;
  /// A trial step from (t0, v0, dv0) over h: computes w1, v1, dw1, dv1 and the errors. False: the
  /// result is not finite, or Newton's method did not converge. Does not allocate if the sizes are
  /// unchanged.
  virtual bool step(SmoothMotion& motion, OdeStep& step) const = 0;
  /// Root mean square over the components of the local error divided by `scale` (n for w, n for v,
  /// > 0), with the estimates weighted as the method requires; values up to 1 are accepted.
  virtual double error(const OdeStep& step, View scale) const = 0;
  /// Computes OdeStep::w and v of the last step().
  virtual void interpolate(SmoothMotion& motion, OdeStep& step) const = 0;
};

/// J. R. Dormand, P. J. Prince 1980, of order 5 with an estimate of order 4; dense output of order
/// 4 (L. F. Shampine 1986).
std::unique_ptr<OdeMethod> make_dormand_prince_5();
/// J. R. Dormand, P. J. Prince: order 8 with 12 stages, estimates of order 5 and 3, dense output of
/// order 7 (E. Hairer, S. P. Norsett, G. Wanner 1993, II.5, II.6, II.10).
std::unique_ptr<OdeMethod> make_dormand_prince_8();
/// C. A. Kennedy, M. H. Carpenter 2003: ESDIRK of order 4 with an estimate of order 3, six stages,
/// L-stable and stiffly accurate; dense output by Hermite interpolation, whose error decreases as
/// h^5 for w and h^4 for v. Newton's method stops at changes of 1e-13 of max(|v|, |h a|); if
/// round-off stops convergence earlier, 1e-9 of that or 1e-12 [m/s] is accepted.
std::unique_ptr<OdeMethod> make_esdirk();

}  // namespace saltus
