#include "saltus/bodies/string.h"

#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/math/sine_transform.h"

namespace saltus {
namespace {

using std::numbers::pi;

// f0 = c0/(2 L),  c0 = sqrt(T/mu_l)
double fundamental(const StringData& s) {
  return std::sqrt(s.tension / s.linear_density) / (2.0 * s.length);
}

}  // namespace

Vector string_frequencies(const StringData& s) {
  const double f0 = fundamental(s), B = s.inharmonicity;
  Vector nu(s.modes);
  for (int j = 1; j <= s.modes; ++j) {
    const double j2 = static_cast<double>(j) * j;
    nu[j - 1] = j * f0 * (s.first_order ? 1.0 + 0.5 * B * j2 : std::sqrt(1.0 + B * j2));
  }
  return nu;
}

Vector string_damping(const StringData& s, const StringLosses& loss) {
  const double f0 = fundamental(s), B = s.inharmonicity;
  const Vector nu = string_frequencies(s);
  Vector sigma(s.modes);
  for (int j = 1; j <= s.modes; ++j) {
    const double f = loss.ideal_frequency ? j * f0 : nu[j - 1];
    const double air = (loss.air_viscosity +
                        loss.diameter * std::sqrt(pi * loss.air_viscosity * loss.air_density * f)) /
                       (s.linear_density * f);
    const double inner = loss.loss_angle * B * (f / f0) * (f / f0);
    sigma[j - 1] = pi * f * (loss.thermoelastic + air + inner);
  }
  return sigma;
}

Vector plucked(double length, int modes, double at, double height) {
  expects(length > 0.0 && modes >= 1 && at > 0.0 && at < length,
          "a string must be plucked between its ends");
  const int n = modes + 1;
  const int m = std::clamp(static_cast<int>(std::lround(at / length * n)), 1, modes);
  const double x_m = m * (length / n);
  Vector u(modes), q(modes);
  for (int i = 1; i <= modes; ++i) {
    const double x = i * (length / n);
    u[i - 1] = i < m ? height * x / x_m : height * (x - length) / (x_m - length);
  }
  SineTransform::Workspace workspace;
  SineTransform(modes).apply(u.data(), q.data(), workspace);
  return q * (std::sqrt(2.0 / length) * length / n);
}

}  // namespace saltus
