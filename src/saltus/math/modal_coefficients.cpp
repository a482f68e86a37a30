#include "saltus/math/modal_coefficients.h"

#include <cmath>
#include <complex>
#include <limits>

#include "saltus/base/error.h"

namespace saltus {
namespace {

void check(double omega, double sigma, double h) {
  expects(std::isfinite(omega) && omega >= 0, "omega must be finite and >= 0");
  expects(std::isfinite(sigma) && sigma >= 0, "sigma must be finite and >= 0");
  expects(std::isfinite(h) && h >= 0, "the step must be finite and >= 0");
}

/// phi(y) = (1 - exp(-y))/y, y >= 0, phi(0) = 1.
double phi(double y) { return y > 0 ? -std::expm1(-y) / y : 1.0; }
/// sinc(y) = sin(y)/y, sinc(0) = 1.
double sinc(double y) { return y != 0 ? std::sin(y) / y : 1.0; }

/// exp(-2 sigma h), corrected for the rounding error of the product: the relative error is that of
/// exp.
double exp_minus_2s(double sigma, double h) {
  const double p = 2 * sigma * h;
  const double e = std::exp(-p);
  return e > 0 ? e - e * std::fma(2 * sigma, h, -p) : 0.0;
}

/// The dimensionless roots a_{1,2} = lambda_{1,2} h = s +- sqrt(s^2 - (omega h)^2).
struct Roots {
  bool oscillating;  ///< sigma <= omega, omega > 0: a = s +- i d. Otherwise a1 >= a2 real.
  double s;          ///< sigma h
  double d;          ///< sqrt((omega - sigma)(omega + sigma)) h, or 0
  double a1, a2;     ///< real roots, a2 = omega^2 h/lambda1 (0 at omega = 0)
  double two_rho;    ///< a1 - a2 = 2 sqrt((sigma - omega)(sigma + omega)) h
};

Roots roots(double omega, double sigma, double h) {
  Roots r{};
  r.s = sigma * h;
  r.oscillating = sigma <= omega && omega > 0;
  if (r.oscillating) {
    r.d = std::sqrt((omega - sigma) * (omega + sigma)) * h;
  } else if (sigma > 0) {
    const double rr = std::sqrt((sigma - omega) * (sigma + omega));
    const double lambda1 = sigma + rr;
    r.a1 = lambda1 * h;
    r.a2 = omega * (omega / lambda1) * h;
    r.two_rho = 2 * rr * h;
  }
  return r;
}

/// S(a) = ((a/2) coth(a/2) - 1)/a^2 = sum_{k>=1} B_{2k} a^{2k-2}/(2k)! as a polynomial in a^2;
/// truncation 1e-17 relative for |a|^2 <= 1/4 (radius of convergence (2 pi)^2).
template <class Number>
Number coth_series(Number a2) {
  constexpr double b[] = {1.0 / 12,           -1.0 / 720,     1.0 / 30240,
                          -1.0 / 1209600,     1.0 / 47900160, -691.0 / 1307674368000.0,
                          1.0 / 74724249600.0};
  Number sum = b[6];
  for (int k = 5; k >= 0; --k) sum = sum * a2 + b[k];
  return sum;
}
double coth_remainder(double a) {
  if (a * a <= 0.25) return coth_series(a * a);
  return (0.5 * a * (1 + std::exp(-a)) / -std::expm1(-a) - 1) / (a * a);
}

/// gamma = 1 - (W (1 + e) - 2)/x, x = (omega h)^2 = a1 a2. With t_i = (a_i/2) coth(a_i/2),
///     a = W (1 + e)/2 = x/4 + t1 t2 ,   t_i = 1 + a_i^2 S(a_i) , hence
///     gamma = 1/2 - 2 [ (a1/a2) S(a1) + (a2/a1) S(a2) + x S(a1) S(a2) ] ,
/// which does not cancel for small x. Where x > 1/4, sigma <= omega: gamma = 1 + 2/x - (1 + e)/n.
double gamma_of(double omega, double sigma, double h, const Roots& r, double n, double e) {
  const double x = (omega * h) * (omega * h);
  if (!r.oscillating) {
    const double S1 = coth_remainder(r.a1), S2 = coth_remainder(r.a2);
    const double ratio = (sigma + 0.5 * r.two_rho / h) / omega;  // sqrt(a1/a2) = lambda1/omega
    return 0.5 - 2 * (ratio * ratio * S1 + S2 / (ratio * ratio) + x * S1 * S2);
  }
  if (x > 0.25) return 1 + (2 / x - (1 + e) / n);
  // a1 = conj(a2) = omega h w, w = c + i sqrt(1 - c^2), c = sigma/omega: a1/a2 = w^2.
  const double c = sigma / omega;
  const double w_im = std::sqrt((omega - sigma) * (omega + sigma)) / omega;
  const std::complex<double> w2(c * c - w_im * w_im, 2 * c * w_im);
  const std::complex<double> S = coth_series(x * w2);
  return 0.5 - 2 * (2 * (w2 * S).real() + x * std::norm(S));
}

}  // namespace

// sigma <= omega:  n    = expm1(-s)^2 + 4 exp(-s) sin^2(d/2)
//                  beta = (sigma/omega)^2 phi(s)^2 + (1 - (sigma/omega)^2) exp(-s) sinc^2(d/2)
// sigma >  omega:  n    = expm1(-a1) expm1(-a2) ,  beta = phi(a1) phi(a2)
// omega = 0     :  n    = 0 ,  beta = phi(2 s)                 (a1 = 2 s, a2 = 0)
// All terms are positive.
ModalCoefficients modal_coefficients(double omega, double sigma, double h) {
  check(omega, sigma, h);
  expects(h > 0, "the step must be > 0");
  const Roots r = roots(omega, sigma, h);
  ModalCoefficients m{};
  m.e = exp_minus_2s(sigma, h);
  m.a_beta = 0.5 * (1 + m.e);
  if (r.oscillating) {
    const double c = sigma / omega;
    const double half_sine = std::sin(0.5 * r.d), loss = std::expm1(-r.s), decay = std::exp(-r.s);
    const double phi_s = phi(r.s), sinc_half = sinc(0.5 * r.d);
    m.n = loss * loss + 4 * decay * half_sine * half_sine;
    m.beta = c * c * phi_s * phi_s + (1 - c) * (1 + c) * decay * sinc_half * sinc_half;
  } else {
    m.n = std::expm1(-r.a1) * std::expm1(-r.a2);
    m.beta = phi(r.a1) * phi(r.a2);
  }
  return m;
}

ModalReport modal_report(double omega, double sigma, double h) {
  const ModalCoefficients m = modal_coefficients(omega, sigma, h);
  const Roots r = roots(omega, sigma, h);
  ModalReport p{};
  p.A = r.oscillating ? 2 * std::exp(-r.s) * std::cos(r.d) : std::exp(-r.a1) + std::exp(-r.a2);
  p.e = m.e;
  p.n = m.n;
  p.beta = m.beta;
  p.W = 1 / m.beta;
  p.a = p.W * m.a_beta;
  p.h_sigma_star = sigma > 0 ? -0.5 * p.W * std::expm1(-2 * r.s) : 0.0;
  p.sigma_star = p.h_sigma_star / h;
  if (omega > 0) p.gamma = gamma_of(omega, sigma, h, r, p.n, p.e);
  p.free_v = m.e;
  p.free_q = -m.n / h;
  return p;
}

// E = (a/2) v^2 + (omega^2/2) q q_- ; with beta a = (1 + e)/2, beta omega^2 = n/h^2 and
// beta h sigma* = (1 - e)/2 every weight times beta is finite.
ModalEnergyWeights modal_energy_weights(double omega, double sigma, double h) {
  const ModalCoefficients m = modal_coefficients(omega, sigma, h);
  const double half_loss = -0.25 * std::expm1(-2 * sigma * h);  // (1 - e)/4
  if (m.beta < std::numeric_limits<double>::min())
    return {0.5 * m.a_beta, 0.5 * (m.n / h) / h, half_loss, m.beta};
  return {0.5 * m.a_beta / m.beta, 0.5 * omega * omega, half_loss / m.beta, 1.0};
}

// sigma <= omega:  c = exp(-s)(cos d + s sinc d) ,  b = tau exp(-s) sinc d ,
//                  c - 1 = -2 exp(-s) sin^2(d/2) - s (phi(s) - exp(-s) sinc d)
// sigma >  omega:  z_i = exp(-a_i) ,  b = tau z2 phi(a1 - a2) ,  c = z2 (1 + a2 phi(a1 - a2)) ,
//                  c - 1 = -a2 (phi(a2) - z2 phi(a1 - a2)) ,
//                  c - 2 sigma b = (a1 z1 - a2 z2)/(a1 - a2) = z2 (1 - a1 phi(a1 - a2))
FreeFlow free_flow(double omega, double sigma, double tau) {
  check(omega, sigma, tau);
  const Roots r = roots(omega, sigma, tau);
  FreeFlow f{};
  if (r.oscillating) {
    const double decay = std::exp(-r.s), sinc_d = sinc(r.d), half_sine = std::sin(0.5 * r.d);
    f.b = tau * decay * sinc_d;
    f.c = decay * (std::cos(r.d) + r.s * sinc_d);
    f.vv = decay * (std::cos(r.d) - r.s * sinc_d);
    f.c_minus_1 = -2 * decay * half_sine * half_sine - r.s * (phi(r.s) - decay * sinc_d);
  } else {
    const double z1 = std::exp(-r.a1), z2 = std::exp(-r.a2), p = phi(r.two_rho);
    f.b = tau * z2 * p;
    f.c = z2 * (1 + r.a2 * p);
    f.vv = r.two_rho < 1 ? z2 * (1 - r.a1 * p) : (r.a1 * z1 - r.a2 * z2) / r.two_rho;
    f.c_minus_1 = -r.a2 * (phi(r.a2) - z2 * p);
  }
  f.vq = -omega * (omega * f.b);
  return f;
}

ModalStart modal_start(double omega, double sigma, double h, double q0, double v0) {
  expects(h > 0, "the step must be > 0");
  const FreeFlow f = free_flow(omega, sigma, h);
  return {f.c * q0 + f.b * v0, (f.c_minus_1 / h) * q0 + (f.b / h) * v0};
}

// From q_- = q - h v and the flow over h:  q' = [ (c - 2 sigma b)(q) - e q_- ]/b , that is
// sigma <= omega:  q' = { exp(-s) v - [ 2 sin^2(d/2)/h - sigma (phi(s) - sinc d) ] q } / sinc d
// sigma >  omega:  q' = { z1 v - lambda2 [ phi(b) - exp(-b) phi(a2) ] q } / phi(b) ,  b = a1 - a2
// No exponential of a positive number and no small denominator other than sinc d.
std::optional<VelocityMap> physical_velocity(double omega, double sigma, double h) {
  check(omega, sigma, h);
  expects(h > 0, "the step must be > 0");
  const Roots r = roots(omega, sigma, h);
  if (r.oscillating) {
    const double sinc_d = sinc(r.d), half_sine = std::sin(0.5 * r.d);
    if (std::abs(sinc_d * r.d) <= 1e-8 && r.d > 1) return std::nullopt;
    const double pull = 2 * half_sine * half_sine / h - sigma * (phi(r.s) - sinc_d);
    return VelocityMap{-pull / sinc_d, std::exp(-r.s) / sinc_d};
  }
  const double p = phi(r.two_rho);
  const double pull = (r.a2 / h) * (p - std::exp(-r.two_rho) * phi(r.a2));
  return VelocityMap{-pull / p, std::exp(-r.a1) / p};
}

std::optional<double> physical_velocity(double omega, double sigma, double h, double q,
                                        double q_previous) {
  const auto map = physical_velocity(omega, sigma, h);
  if (!map) return std::nullopt;
  return (*map)(q, (q - q_previous) / h);
}

// 1/W = 1 - h s + h^2(-w^2/12 + 2 s^2/3) + ... with s = sigma, w = omega, through h^7.
double taylor_beta(double omega, double sigma, double h) {
  const double s = sigma * h, x = (omega * h) * (omega * h), s2 = s * s;
  const double even =
      1 + (-x / 12 + 2 * s2 / 3) + (x * x / 360 - x * s2 / 20 + 2 * s2 * s2 / 15) +
      (-x * x * x / 20160 + x * x * s2 / 630 - x * s2 * s2 / 126 + 4 * s2 * s2 * s2 / 315);
  const double odd =
      -1 + (x / 12 - s2 / 3) + (-x * x / 360 + x * s2 / 45 - 2 * s2 * s2 / 45) +
      (x * x * x / 20160 - x * x * s2 / 1512 + x * s2 * s2 / 420 - s2 * s2 * s2 / 315);
  return even + s * odd;
}

// h sigma* = h s + h^3 s w^2/12 + h^5(w^4 s/240 - w^2 s^3/180)
//          + h^7(w^6 s/6048 - w^4 s^3/1512 + w^2 s^5/1890), s = sigma, w = omega.
double taylor_h_sigma_star(double omega, double sigma, double h) {
  const double s = sigma * h, x = (omega * h) * (omega * h), s2 = s * s;
  return s * (1 + x / 12 + (x * x / 240 - x * s2 / 180) +
              (x * x * x / 6048 - x * x * s2 / 1512 + x * s2 * s2 / 1890));
}

}  // namespace saltus
