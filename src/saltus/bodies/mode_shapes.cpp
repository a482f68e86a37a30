#include "saltus/bodies/mode_shapes.h"

#include <cmath>
#include <numbers>

#include "saltus/base/error.h"

namespace saltus {
namespace {

using std::numbers::pi;

/// std::remainder(z, 2.0) for z >= 0, to the last bit, in a fifth of the time: the quotient is
/// rounded to even, as there, and the difference is exact.
double reduced(double z) { return z - 2.0 * std::rint(0.5 * z); }

class Sines final : public ModeShapes {
 public:
  Sines(double length, int modes, double shift) : length_(length), modes_(modes), shift_(shift) {}
  int modes() const override { return modes_; }
  double length() const override { return length_; }
  int grid() const override { return shift_ == 0.0 ? modes_ : 0; }
  double amplitude() const override { return std::sqrt(2.0 / length_); }
  void row(double x, Out shape) const override {
    const double scale = std::sqrt(2.0 / length_);
    for (int j = 1; j <= modes_; ++j) {
      // sin(pi z) with z reduced to [-1, 1]: the argument of high modes keeps its digits
      const double z = reduced((j - shift_) * (x / length_));
      shape[j - 1] = scale * std::sin(pi * z);
    }
  }

 private:
  double length_;
  int modes_;
  double shift_;
};

class Cosines final : public ModeShapes {
 public:
  Cosines(double length, int modes) : length_(length), modes_(modes) {}
  int modes() const override { return modes_; }
  double length() const override { return length_; }
  void row(double x, Out shape) const override {
    for (int j = 0; j < modes_; ++j)
      shape[j] =
          std::sqrt((j == 0 ? 1.0 : 2.0) / length_) * std::cos(pi * reduced(j * (x / length_)));
  }

 private:
  double length_;
  int modes_;
};

// Fixed end at z = 0, b = beta L, z = x/L, written with decaying exponentials only, so that high
// modes keep their digits (cosh b overflows at b = 710 and cancels at much smaller b):
//   phi = cos bz - cosh bz - s (sin bz - sinh bz),   s = (cos b + k cosh b)/(sin b + k sinh b)
// with k = +1 (fixed-free), k = -1 (fixed-fixed). With E = exp(-b):
//   phi = cos bz - s sin bz - exp(-bz)(1 + s)/2 - exp(bz)(1 - s)/2
//   (1 - s) exp(bz)/2 = exp(-b(1-z)) (sin b - cos b - k E)/(2 E sin b + k (1 - E^2))
// A free-free beam is the fixed-fixed one with the signs of the hyperbolic terms changed (its
// second derivative).
double beam_shape(BeamEnds ends, double b, double z) {
  const double k = ends == BeamEnds::fixed_free ? 1.0 : -1.0;
  const double E = std::exp(-b), denominator = 2.0 * E * std::sin(b) + k * (1.0 - E * E);
  const double s = (2.0 * E * std::cos(b) + k * (1.0 + E * E)) / denominator;
  const double growing =
      std::exp(-b * (1.0 - z)) * (std::sin(b) - std::cos(b) - k * E) / denominator;
  const double decaying = 0.5 * std::exp(-b * z) * (1.0 + s);
  const double trigonometric = std::cos(b * z) - s * std::sin(b * z);
  const double hyperbolic = decaying + growing;
  // textbook signs: positive at a free end at x = 0 and at the tip of a cantilever's first mode
  return ends == BeamEnds::free_free ? trigonometric + hyperbolic : hyperbolic - trigonometric;
}

class Beam final : public ModeShapes {
 public:
  Beam(BeamEnds ends, double length, int modes)
      : ends_(ends), length_(length), roots_(beam_roots(ends, modes)) {}
  int modes() const override { return static_cast<int>(roots_.size()); }
  double length() const override { return length_; }
  void row(double x, Out shape) const override {
    const double z = x / length_, scale = 1.0 / std::sqrt(length_);
    for (std::size_t j = 0; j < roots_.size(); ++j) {
      double phi;
      if (ends_ == BeamEnds::free_free && j < 2)
        phi = j == 0 ? 1.0 : std::sqrt(3.0) * (1.0 - 2.0 * z);
      else
        phi = beam_shape(ends_, roots_[j], z);
      shape[static_cast<Eigen::Index>(j)] = scale * phi;
    }
  }

 private:
  BeamEnds ends_;
  double length_;
  std::vector<double> roots_;
};

class Table final : public ModeShapes {
 public:
  Table(std::vector<double> x, Matrix shape) : x_(std::move(x)), shape_(std::move(shape)) {}
  int modes() const override { return static_cast<int>(shape_.cols()); }
  double length() const override { return x_.back(); }
  std::span<const double> places() const override { return x_; }
  void row(double x, Out shape) const override {
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (std::abs(x_[i] - x) <= 1e-9 * std::abs(x_.back())) {
        shape = shape_.row(static_cast<Eigen::Index>(i)).transpose();
        return;
      }
    throw SceneError("", "the table of mode shapes has no point at x = " + std::to_string(x) + " m",
                     "add it to the table or name one of its points");
  }

 private:
  std::vector<double> x_;
  Matrix shape_;
};

}  // namespace

std::unique_ptr<ModeShapes> sine_shapes(double length, int modes) {
  return std::make_unique<Sines>(length, modes, 0.0);
}
std::unique_ptr<ModeShapes> quarter_sine_shapes(double length, int modes) {
  return std::make_unique<Sines>(length, modes, 0.5);
}
std::unique_ptr<ModeShapes> cosine_shapes(double length, int modes) {
  return std::make_unique<Cosines>(length, modes);
}
std::unique_ptr<ModeShapes> beam_shapes(BeamEnds ends, double length, int modes) {
  return std::make_unique<Beam>(ends, length, modes);
}
std::unique_ptr<ModeShapes> tabulated_shapes(std::vector<double> x, Matrix shape) {
  expects(!x.empty() && static_cast<Eigen::Index>(x.size()) == shape.rows(),
          "give one row of shapes per point");
  return std::make_unique<Table>(std::move(x), std::move(shape));
}

// Roots of cos b = k/cosh b (k = -1 fixed-free, +1 otherwise). They lie close to
// b_j = (j - 1/2) pi, or (j + 1/2) pi; Newton's method on f(b) = cos b - k sech b from there
// converges quadratically for every j.
std::vector<double> beam_roots(BeamEnds ends, int modes) {
  std::vector<double> roots;
  if (ends == BeamEnds::free_free)
    for (int j = 0; j < std::min(modes, 2); ++j) roots.push_back(0.0);
  const double k = ends == BeamEnds::fixed_free ? -1.0 : 1.0;
  for (int j = 1; static_cast<int>(roots.size()) < modes; ++j) {
    double b = (ends == BeamEnds::fixed_free ? j - 0.5 : j + 0.5) * pi;
    for (int i = 0; i < 50; ++i) {
      const double sech = 2.0 * std::exp(-b) / (1.0 + std::exp(-2.0 * b));
      const double f = std::cos(b) - k * sech;
      const double df = -std::sin(b) + k * sech * std::tanh(b);
      const double db = f / df;
      b -= db;
      if (std::abs(db) <= 1e-15 * b) break;
    }
    roots.push_back(b);
  }
  return roots;
}

}  // namespace saltus
