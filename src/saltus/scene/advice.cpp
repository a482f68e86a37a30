#include "saltus/scene/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace saltus {
namespace {

std::string counted(int count, const char* what) {
  return fmt::format("{} {}mode{}", count, what, count == 1 ? "" : "s");
}

/// Spectral radius of a step of the theta scheme on one mode, (q, v) -> (q1, v1):
///     A v1 = A v - h omega^2 q - (h^2 theta omega^2 + 2 sigma h) v,   A = 1 + 2 sigma h theta + h^2 theta^2 omega^2
///     q1 = q + h (theta v1 + (1 - theta) v)
double growth(double omega, double sigma, double theta, double h) {
  const double A = 1.0 + 2.0 * sigma * h * theta + h * h * theta * theta * omega * omega;
  const double vq = -h * omega * omega / A;
  const double vv = 1.0 - (h * h * theta * omega * omega + 2.0 * sigma * h) / A;
  const double qq = 1.0 + h * theta * vq, qv = h * (theta * vv + 1.0 - theta);
  const double trace = qq + vv, determinant = qq * vv - qv * vq;
  const double discriminant = 0.25 * trace * trace - determinant;
  if (discriminant <= 0.0) return std::sqrt(std::max(determinant, 0.0));
  return 0.5 * std::abs(trace) + std::sqrt(discriminant);
}

}  // namespace

std::optional<std::string> contact_advice(const ModalData& modes, double h,
                                          const std::string& body) {
  int driven = 0, deaf = 0, worst = 0;
  double most = 0.0;
  for (int j = 0; j < modes.omega.size(); ++j) {
    const double z = 0.5 * modes.omega[j] * h, s = modes.sigma[j] * h;
    if (z == 0.0 || s >= 1e-3) continue;  // what loses a thousandth in a step forgets the drive
    const double factor = std::abs(std::tan(z)) / z;
    if (factor > 20.0) ++driven;
    if (z > 1.0 && factor < 1e-6) ++deaf;
    if (factor > most) {
      most = factor;
      worst = j + 1;
    }
  }
  if (driven > 0)
    return fmt::format(
        "contact drives {} of '{}' {} times too strongly (mode {} lies at {:.4f} of the Nyquist "
        "frequency); use another "
        "rate, fewer modes or damping that grows with frequency",
        counted(driven, "weakly damped "), body,
        most > 1e6 ? std::string("more than a million") : fmt::format("{:.0f}", most), worst,
        modes.omega[worst - 1] * h / std::numbers::pi);
  if (deaf > 0)
    return fmt::format(
        "contact cannot move {} of '{}', whose period divides the step; use another rate",
        counted(deaf, "weakly damped "), body);
  return std::nullopt;
}

std::optional<std::string> stability_advice(const ModalData& modes, double theta, double h,
                                            const std::string& body) {
  int growing = 0;
  for (int j = 0; j < modes.omega.size(); ++j)
    if (growth(modes.omega[j], modes.sigma[j], theta, h) > 1.0 + 1e-9) ++growing;
  if (growing == 0) return std::nullopt;
  return fmt::format(
      "moreau-jean with theta = {} makes {} of '{}' grow at h = {:.3g} s; use theta >= 0.5", theta,
      counted(growing, ""), body, h);
}

std::optional<std::string> pluck_advice(double at, double length, int modes,
                                        const std::string& body) {
  const double spacing = length / (modes + 1);
  const double moved =
      std::clamp(std::round(at / spacing), 1.0, static_cast<double>(modes)) * spacing;
  if (std::abs(moved - at) <= 0.01 * length) return std::nullopt;
  return fmt::format(
      "the pluck of '{}' at {:.4g} m acts at {:.4g} m, the nearest point of {} modes", body, at,
      moved, modes);
}

}  // namespace saltus
