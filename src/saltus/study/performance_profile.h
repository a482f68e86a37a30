// Which of several solvers is fastest, and how often: performance profiles of Dolan and More.
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

  /// One problem: the time [s] of each solver, infinity where it was not solved. Throws UsageError
  /// for another number of times, or one that is not > 0.
  void add(const std::vector<double>& times);

  /// rho_s(tau): the fraction of problems that solver s has solved within tau times the best time.
  /// A problem that no solver has solved counts among the problems.
  double fraction(std::size_t solver, double tau) const;
  /// The factors at which a curve steps, increasing, 1 first.
  std::vector<double> factors() const;

  std::string csv() const;  ///< a row a factor: tau, rho of each solver
  std::string svg() const;  ///< a whole SVG file

 private:
  std::vector<std::string> solvers_;
  std::vector<std::vector<double>> ratios_;  ///< by problem, by solver
};

}  // namespace saltus
