// Functions of time for loads and prescribed motion: constant, harmonic, table.
#pragma once
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace saltus {

/// A scalar function of time with its first two derivatives, in the unit of the quantity it drives.
class Signal {
 public:
  Signal() = default;  ///< 0
  static Signal constant(double value);
  static Signal line(double value, double rate);  ///< value + rate t
  /// mean + amplitude cos(omega t + phase), omega [rad/s], phase [rad].
  static Signal harmonic(double amplitude, double omega, double phase = 0.0, double mean = 0.0);
  /// Interpolates the points (t, value), t increasing: linearly (piecewise constant rate, second
  /// derivative 0) or, with smooth, by the natural cubic spline. Outside, it keeps the end values
  /// and the derivatives are 0; at a corner the derivatives are those of the piece that begins
  /// there, at the last point those of the piece that ends there. Throws UsageError for fewer than
  /// two points, t that does not increase or values that are not finite.
  static Signal table(std::vector<double> t, std::vector<double> value, bool smooth = false);

  double value(double t) const;
  double rate(double t) const;                ///< [1/s]
  double second(double t) const;              ///< [1/s^2]
  double mean(double from, double to) const;  ///< over [from, to]; the value if they are equal
  /// The largest |rate| in [from, to] [1/s].
  double fastest(double from, double to) const;
  bool is_constant() const;
  /// Appends the times at which the rate jumps: corners of a table, and its ends if the rate is not
  /// 0 there.
  void jumps(std::vector<double>& t) const;
  /// Appends the points of a table, between which it is smooth. between: for a cubic spline,
  /// appends the middles of its pieces instead, for callers that form differences of its rates,
  /// which are not smooth across a point.
  void points(std::vector<double>& t, bool between = false) const;

 private:
  struct Piece;
  struct Line {
    double value, rate;
  };
  struct Harmonic {
    double amplitude, omega, phase, mean;
  };
  struct Table {
    std::vector<double> t, value;
    std::vector<double> second;  ///< second derivatives at the points, empty: straight pieces
  };
  std::variant<Line, Harmonic, std::shared_ptr<const Table>> form_{};  ///< constant 0
};

/// F(t) = pattern signal(t) on the degrees of freedom of a body [N].
struct Load {
  std::vector<std::pair<int, double>> pattern;  ///< (degree of freedom, weight)
  Signal signal;
};

/// q_dof(t) = signal(t).
struct Prescribed {
  int dof = 0;
  Signal signal;
};

}  // namespace saltus
