// Gauss-Seidel sweeps in the velocities of the bodies: the work that body-gauss-seidel repeats.
#pragma once
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/contact/colouring.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Impulses x of the contacts and velocities v = A^-1 H^T x of the bodies, which move together: W
/// is never formed, of it only the symmetric W_cc are kept. What a solve needs in memory, for
/// contacts of three rows and bodies of three
/// velocities: 88 bytes a contact and 57 bytes a body.
///
/// Colours are solved one after the other, their contacts by the thread pool: in a shift of it, on
/// the threads of the task arena of the caller. A contact reads and writes its own bodies only and
/// sums run over fixed blocks: no bit depends on threads.
class BodySweeps final : public SolverWork {
 public:
  static constexpr int kRows = 6;  ///< largest contact

  /// Whether W is held by bodies and its contacts are the laws.
  static bool fits(const ContactProblem& problem);

  /// Starts at x = p, finite. Everything below speaks of `problem`, which must live on, as `stop`:
  /// where that is requested what is below ends at once, with numbers that mean nothing.
  void assign(const ContactProblem& problem, View p, Stop* stop = nullptr);

  /// One sweep from y = x + beta (x - x_old), every contact solved exactly in turn; after it x_old
  /// is the x before it. Returns sum W_ii (y - x)_i (x - x_old)_i [J]: above 0 the extrapolation
  /// leads away (restart).
  double sweep(double beta);

  /// v = A^-1 H^T x afresh, without the round-off of the sweeps.
  void velocities();

  /// The natural map of x, as residual() has it.
  double natural_map();

  /// x = p, x_old = p: forgets where the sweeps came from.
  void restart(View p);
  void copy(Out p) const;

  /// Whose shifts the loops above are shared in.
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
  int rows_ = 0;               ///< of every contact, 0: they differ
  int stride_ = 0;             ///< numbers of W_cc
  std::vector<double> W_;      ///< lower triangles of W_cc, row by row [1/kg]
  std::vector<double> x_;      ///< [N s]
  std::vector<float> step_;    ///< (x - x_old)/scale_: a direction needs no more digits
  std::vector<double> v_;      ///< [m/s]
  std::vector<double> v_old_;  ///< of x_old
  std::vector<double> sums_;   ///< one a block of contacts
  double scale_ = 1.0;         ///< a power of 2 [N s]
  double mean_rho_ = 1.0;      ///< of contacts that nothing moves [kg]
  double rho_b2_ = 0.0;        ///< |rho b|^2 [N^2 s^2]
};

}  // namespace saltus
