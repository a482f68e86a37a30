// Coefficients of the exact modal scheme for one damped mode of unit mass,
//     q'' + 2 sigma q' + omega^2 q = F + r ,  omega >= 0 [rad/s], sigma >= 0 [1/s], step h > 0 [s].
// Source: the exact modal recursion q+ = A q - e q- of S. Bilbao for strings, in the form of the
// Moreau-Jean-Bilbao integrator of Siconos. For a mode of mass mu, divide K and C by mu first, and
// multiply energies by mu. All regimes are covered (under-, over-, critically damped, omega = 0),
// and no result is NaN for omega, sigma <= 1e150.
#pragma once
#include <optional>

namespace saltus {

/// Coefficients of a step, per mode:
///     v1 = e v0 - (n/h) q0 + (beta/mu)(h F + r) ,   q1 = q0 + h v1 ,   v0 = (q0 - q_-)/h .
struct ModalCoefficients {
  double e;       ///< exp(-2 sigma h) [-]
  double n;       ///< (1 - z1)(1 - z2) = 1 + e - A, z_i = exp(-lambda_i h) [-]
  double beta;    ///< n/(omega h)^2 = 1/W [-]; 0 if the mode cannot be excited at the nodes
  double a_beta;  ///< a beta = (1 + e)/2 [-]: kinetic weight of the discrete energy, times beta
};

/// All coefficients of the exact scheme by their published names, for reports and comparison.
struct ModalReport {
  double A;                     ///< z1 + z2 of the recursion q+ = A q - e q- [-]
  double e;                     ///< z1 z2 [-]
  double n;                     ///< 1 + e - A [-]
  double beta;                  ///< 1/W [-]
  double W;                     ///< iteration coefficient [-]; +inf where beta = 0
  std::optional<double> gamma;  ///< weight of K q^i [-]; none at omega = 0, where it is undefined
  double sigma_star;            ///< discrete damping sigma* [1/s]
  double h_sigma_star;          ///< h sigma* = W (1 - e)/2 [-]
  double a;                     ///< W (1 + e)/2 [-]; +inf where beta = 0
  double free_v;                ///< v_free = free_v v0 + free_q q0: e [-]
  double free_q;                ///< -n/h [1/s]
};

/// The exact flow of the mode over tau without force:
///     q(tau) = c q + b v ,   v(tau) = vq q + vv v ,   v the physical velocity q'.
struct FreeFlow {
  double c;          ///< [-]
  double b;          ///< [s]
  double vq;         ///< -omega^2 b [1/s]
  double vv;         ///< c - 2 sigma b [-]
  double c_minus_1;  ///< c - 1 without cancellation [-]
};

/// Physical velocity from the state of the scheme: q' = from_q q + from_v v, v = (q - q_-)/h.
struct VelocityMap {
  double from_q;  ///< [1/s]
  double from_v;  ///< [-]
  double operator()(double q, double v) const { return from_q * q + from_v * v; }
};

/// Weights of the discrete energy of unit mass and of its exact balance,
///     scale E = half_a v^2 + half_k q (q - h v) ,
///     scale (E+ - E) = - damping (v+ + v)^2 + scale r (v+ + v)/2 .
/// scale = 1, except where 1/beta would overflow: there the identity is multiplied by beta
/// (scale = beta, possibly 0), so that all weights stay finite. Such a mode receives no impulse,
/// and its energy cannot be observed at the nodes: leave it out of sums of energies.
struct ModalEnergyWeights {
  double half_a;   ///< a/2 = (1 + e)/(4 beta) [-]
  double half_k;   ///< omega^2/2 [1/s^2]
  double damping;  ///< h sigma*/2 = (1 - e)/(4 beta) [-]
  double scale;    ///< 1 or beta [-]
};

/// Relative errors, u = 2^-53: e 2e-15; n, beta 8 u (1 + d |cot(d/2)|) if sigma < omega, with
/// d = sqrt(omega^2 - sigma^2) h; otherwise 16 u.
/// Throws UsageError for negative or non-finite arguments and for h = 0.
ModalCoefficients modal_coefficients(double omega, double sigma, double h);
ModalReport modal_report(double omega, double sigma, double h);
ModalEnergyWeights modal_energy_weights(double omega, double sigma, double h);

/// tau >= 0 [s]. Absolute errors: c, vv a few u (1 + omega tau); b relative to the envelope.
FreeFlow free_flow(double omega, double sigma, double tau);

/// State of the scheme after its exact first step from physical data.
struct ModalStart {
  double q1;  ///< q(h) [m]
  double v1;  ///< (q(h) - q(0))/h [m/s]
};
/// The exact start from physical q0 [m], v0 = q'(0) [m/s] at t = 0. With a constant force F the
/// caller adds the particular solution: pass q0 - F/(mu omega^2) and add it to q1.
ModalStart modal_start(double omega, double sigma, double h, double q0, double v0);

/// The map (q, v) -> q', valid in free flight. None if |sin d| <= 1e-8 (d = pi m, m >= 1): two
/// nodes half a period apart carry no information about the velocity between them.
std::optional<VelocityMap> physical_velocity(double omega, double sigma, double h);
/// The physical velocity from two nodes q = q_i, q_previous = q_{i-1} [m].
std::optional<double> physical_velocity(double omega, double sigma, double h, double q,
                                        double q_previous);

/// The published Taylor polynomials in h, for comparison only (useful for |lambda| h < 2 pi): 1/W
/// and h sigma* through h^7; the errors are O(h^8) and O(h^9).
double taylor_beta(double omega, double sigma, double h);
double taylor_h_sigma_star(double omega, double sigma, double h);

}  // namespace saltus
