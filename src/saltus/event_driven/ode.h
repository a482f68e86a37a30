// Integrators of smooth motion with dense output, for the time between two events.
//
//     w' = rate(w, v),     v' = a(t, w, v),     q = q0 (+) w,     w(t0) = 0
//
// n components of w and of v. Increments w instead of positions q, so that rotations stay in their
// group and methods keep their order; in a vector space rate(w, v) = v. Where w = 0, rate(0, v) = v
// and w'' = v', of any coordinates.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// The equations of motion from the start of a step on. Methods have access to nothing else: no
/// bodies, no contacts.
class SmoothMotion {
 public:
  virtual ~SmoothMotion() = default;
  virtual int size() const = 0;  ///< n
  /// dw = rate(w, v), dv = a(t, w, v): one evaluation of the forces.
  virtual void rates(double t, View w, View v, Out dw, Out dv) = 0;
  /// Prepares correct() about (t, w, v):  A = M + g C + g^2 K,  g [s].
  virtual void linearise(double t, View w, View v, double g) = 0;
  /// x <- A^-1 M x, within what joints and closed contacts leave free: Newton's step of  v = v_bar
  /// + g a,  w = w_bar + g w'.
  virtual void correct(Out x) = 0;
};

/// One step of a method, from its start to its dense output.
struct OdeStep {
  double t0 = 0.0, h = 0.0;  ///< [s]
  Vector v0, dv0;            ///< velocity at t0 and its rate: set by the caller
  Vector w1, v1, dw1, dv1;   ///< end of the step, and the rates there
  /// Estimates of the local error, n of w and then n of v. Some methods have two.
  Vector error, error_low;
  /// Dense output in Bernstein form on [0, 1]: n rows, a column a coefficient, as many for w as for
  /// v. First and last columns are the ends of the step, to the last bit.
  Matrix w, v;
  std::vector<Vector> work;  ///< stages; private to the method
};

/// w(theta), v(theta) of the dense output, by de Casteljau's algorithm.
void dense_output(const OdeStep& step, double theta, Out w, Out v);

class OdeMethod {
 public:
  virtual ~OdeMethod() = default;
  virtual std::string_view name() const = 0;
  virtual int order() const = 0;        ///< p: the error of a run falls as h^p
  virtual int error_order() const = 0;  ///< q: error() falls as h^q
  virtual bool implicit() const { return false; }
  virtual int evaluations() const = 0;  ///< of the forces in a step, dense output included;
                                        ///< implicit methods: about so many
  /// A trial step from (t0, v0, dv0) over h: fills w1, v1, dw1, dv1 and the errors. False: it is
  /// not finite, or Newton's method did not converge. Takes nothing from the heap when sizes are as
  /// before.
  virtual bool step(SmoothMotion& motion, OdeStep& step) const = 0;
  /// Root mean square over the components of the local error divided by `scale` (n of w, n of v, >
  /// 0), as the method weighs its estimates; 1 is the most that is accepted.
  virtual double error(const OdeStep& step, View scale) const = 0;
  /// Makes OdeStep::w and v of the last step().
  virtual void interpolate(SmoothMotion& motion, OdeStep& step) const = 0;
};

/// J. R. Dormand, P. J. Prince 1980, of order 5 with an estimate of order 4; dense output of order
/// 4 (L. F. Shampine 1986).
std::unique_ptr<OdeMethod> make_dormand_prince_5();
/// J. R. Dormand, P. J. Prince: of order 8 with 12 stages, estimates of order 5 and 3, dense output
/// of order 7 (E. Hairer, S. P. Norsett, G. Wanner 1993, II.5, II.6, II.10).
std::unique_ptr<OdeMethod> make_dormand_prince_8();
/// C. A. Kennedy, M. H. Carpenter 2003: ESDIRK of order 4 with an estimate of order 3, six stages,
/// L-stable and stiffly accurate; dense output by Hermite's interpolation, whose error falls as h^5
/// for w and h^4 for v. Newton's method stops at changes of 1e-13 of max(|v|, |h a|); where
/// round-off stops it before, 1e-9 of that or 1e-12 [m/s] is taken.
std::unique_ptr<OdeMethod> make_esdirk();

}  // namespace saltus
