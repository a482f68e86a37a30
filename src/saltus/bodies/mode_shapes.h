// Shapes of the modes of a one-dimensional body: string, bar, or tabulated.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Values of all mode shapes at a position x [m] along the body: u(x) = sum_j shape_j(x) q_j.
class ModeShapes {
 public:
  virtual ~ModeShapes() = default;
  virtual int modes() const = 0;
  virtual double length() const = 0;  ///< [m]
  virtual void row(double x, Out shape) const = 0;
  /// Points of the regular grid x_i = i length/(grid() + 1), i = 1 .. grid(), on which the shapes
  /// are amplitude() sin(pi i j/(grid() + 1)) with grid() == modes(); 0: no such grid.
  virtual int grid() const { return 0; }
  virtual double amplitude() const { return 1.0; }
  /// The only points at which row() is defined, increasing; empty: all of [0, length()].
  virtual std::span<const double> places() const { return {}; }
};

/// sqrt(2/L) sin(pi j x/L), j = 1 .. N: string, hinged bar. Orthonormal on [0, L].
std::unique_ptr<ModeShapes> sine_shapes(double length, int modes);
/// Longitudinal modes of a bar fixed at x = 0, free at x = L: sqrt(2/L) sin((j - 1/2) pi x/L).
std::unique_ptr<ModeShapes> quarter_sine_shapes(double length, int modes);
/// Longitudinal modes of a free bar: 1/sqrt(L), then sqrt(2/L) cos(j pi x/L), j = 1, 2, ...
std::unique_ptr<ModeShapes> cosine_shapes(double length, int modes);

enum class BeamEnds { fixed_free, free_free, fixed_fixed };
/// Bending modes of a uniform beam, orthonormal on [0, L]; the first two of a free beam are its
/// rigid modes.
std::unique_ptr<ModeShapes> beam_shapes(BeamEnds ends, double length, int modes);
/// beta_j L of these modes: roots of cos b cosh b = -1 (fixed-free) or +1 (the other two; for a
/// free beam 0, 0 come first).
std::vector<double> beam_roots(BeamEnds ends, int modes);

/// Shapes given only at points x (increasing, [m]): shape(i, j). At other points row() throws
/// SceneError.
std::unique_ptr<ModeShapes> tabulated_shapes(std::vector<double> x, Matrix shape);

}  // namespace saltus
