// Performance profiles of several solvers after Dolan and More.
//
//     r_ps = t_ps / min_s t_ps,     rho_s(tau) = |{p : r_ps <= tau}| / problems
//
// E. D. Dolan, J. J. More, Mathematical Programming 91 (2002) 201-213.
#pragma once
#include <string>
#include <vector>

namespace saltus {

class PerformanceProfile {
 public:
  explicit PerformanceProfile(std::vector<std::string> solvers) : solvers_(std::move(solvers)) {}

  /// Adds a problem: the time [s] of each solver, infinity if it did not solve the problem. Throws
  /// UsageError if the number of times is wrong or a time is not > 0.
  void add(const std::vector<double>& times);

  /// rho_s(tau): the fraction of problems that solver s solved within tau times the best time. A
  /// problem that no solver solved counts too.
  double fraction(std::size_t solver, double tau) const;
  /// The factors tau at which a curve steps, in increasing order, starting with 1.
  std::vector<double> factors() const;

  std::string csv() const;  ///< one row per factor: tau, rho of each solver
  std::string svg() const;  ///< a complete SVG file

 private:
  std::vector<std::string> solvers_;
  std::vector<std::vector<double>> ratios_;  ///< by problem, by solver
};

}  // namespace saltus
