// Gauss-Seidel sweeps in body velocities: the work that body-gauss-seidel repeats.
#pragma once
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/contact/colouring.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Impulses x of the contacts and velocities v = A^-1 H^T x of the bodies, updated together: W is
/// never formed; only its symmetric blocks W_cc are stored. Memory of a solve with contacts of
/// three rows and bodies of three velocities: 88 bytes per contact and 57 bytes per body.
/// Colours are solved one after the other, the contacts of each colour in parallel: during a shift
/// of the thread pool, on the threads of the caller's task arena. A contact accesses only its own
/// bodies and sums run over fixed blocks, so results do not depend on the number of threads.
class BodySweeps final : public SolverWork {
 public:
  static constexpr int kRows = 6;  ///< most rows of a contact

  /// Whether W is stored by bodies and its contacts match the laws.
  static bool fits(const ContactProblem& problem);

  /// Starts at x = p, which must be finite. The functions below use `problem` and `stop`, which
  /// must stay valid: if a stop is requested, they return immediately with meaningless numbers.
  void assign(const ContactProblem& problem, View p, Stop* stop = nullptr);

  /// One sweep from y = x + beta (x - x_old) that solves every contact exactly in turn; afterwards
  /// x_old is the previous x. Returns sum W_ii (y - x)_i (x - x_old)_i [J]: if it is positive, the
  /// extrapolation points the wrong way (restart).
  double sweep(double beta);

  /// Recomputes v = A^-1 H^T x without the round-off accumulated by the sweeps.
  void velocities();

  /// The natural map of x, as in residual().
  double natural_map();

  /// Sets x = x_old = p, which discards the direction of the sweeps.
  void restart(View p);
  void copy(Out p) const;

  /// The pool whose shifts parallelise the loops above.
  ThreadPool& thread_pool() { return thread_pool_; }

  const Colouring& colouring() const { return colouring_; }

 private:
  template <class Visit>
  double for_colours(const Visit& visit);
  template <int S, int M>
  double visit(int c, double beta);

  ThreadPool thread_pool_;
  Stop* stop_ = nullptr;
  const ContactProblem* problem_ = nullptr;
  const BodyRows* H_ = nullptr;
  Colouring colouring_;
  int rows_ = 0;               ///< rows of every contact, 0 if they differ
  int stride_ = 0;             ///< number of values per W_cc
  std::vector<double> W_;      ///< lower triangles of W_cc, row by row [1/kg]
  std::vector<double> x_;      ///< [N s]
  std::vector<float> step_;    ///< (x - x_old)/scale_: a direction needs no more digits
  std::vector<double> v_;      ///< [m/s]
  std::vector<double> v_old_;  ///< v of x_old
  std::vector<double> sums_;   ///< one per block of contacts
  double scale_ = 1.0;         ///< a power of 2 [N s]
  double mean_rho_ = 1.0;      ///< rho of contacts without mobility [kg]
  double rho_b2_ = 0.0;        ///< |rho b|^2 [N^2 s^2]
};

}  // namespace saltus
