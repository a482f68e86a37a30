// Warnings of `check` and `run` about valid input with surprising effects, found before the first
// step.
#pragma once
#include <optional>
#include <string>

#include "saltus/dynamics/dynamics.h"
#include "saltus/dynamics/scheme.h"

namespace saltus {

/// With modal-exact, the effect of an impulse on a mode is multiplied by tan(omega h/2)/(omega h/2)
/// (docs/theory/modal-exact.md, section 1): near odd multiples of the Nyquist frequency contact
/// excites weakly damped modes at resonance, at even multiples it has no effect on them.
std::optional<std::string> contact_advice(const ModalData& modes, double h,
                                          const std::string& body);

/// The theta scheme with theta < 1/2 makes undamped modes grow at any step, |g|^2 = (1 + (1 -
/// theta)^2 z^2)/(1 + theta^2 z^2) with z = omega h, and damped ones beyond a limit. Reports their
/// number.
std::optional<std::string> stability_advice(const ModalData& modes, double theta, double h,
                                            const std::string& body);

/// Reports modes that grow because h omega exceeds Scheme::stability_limit(xi) of `scheme`: their
/// number, the longest step without growth, and schemes without a limit. traits: of the body, to
/// select those schemes.
std::optional<std::string> step_advice(const ModalData& modes, unsigned traits,
                                       const Scheme& scheme, double h, const std::string& body);

/// Angular frequency and damping ratio of the fastest motion of a group about a state.
struct FastestMode {
  double omega = 0.0;  ///< [rad/s], 0: there is no oscillation
  double xi = 0.0;     ///< x.C x/(2 omega x.M x) of its shape x
};
/// Largest omega of (K - omega^2 M) x = 0 at (q, v), estimated from below: by Lanczos steps on M^-1
/// K if K is symmetric, otherwise by power iteration. Accurate to a few per cent.
FastestMode fastest_mode(const Dynamics& body, const GroupState& state);

/// Longest steps of a scheme about a state.
struct StepLimit {
  /// no motion grows up to this step, by a bound over the elements [s]; 0: no bound is known
  double safe = 0.0;
  double about = 0.0;  ///< limit for the fastest motion that was found [s]
};
/// Nothing if every step is stable, or if the body has no tangents.
std::optional<StepLimit> step_limit(const Dynamics& body, const Scheme& scheme,
                                    const GroupState& start);

/// Why no step of h can be made: it is not below 0.99 of the limit for the fastest motion that was
/// found. For bodies with a symmetric K and a bound.
std::optional<std::string> step_fault(const Dynamics& dynamics, const Scheme& scheme,
                                      const GroupState& start, double h, const std::string& body);

/// As above for other kinds of bodies: uses the fastest motion about the initial state.
std::optional<std::string> step_advice(const Dynamics& dynamics, const Scheme& scheme,
                                       const GroupState& start, double h, const std::string& body);

/// In Newmark's scheme a constant force contributes beta/gamma of h^2 to the position instead of
/// 1/2: with beta other than gamma/2 a body at rest on an obstacle sinks or rises.
std::optional<std::string> rest_advice(double gamma, double beta, const std::string& body);

/// Contacts, joints and rows do not resolve a body that rotates more than once per step; schemes
/// that are exact for free bodies (`exact`) may take some rotations per step. spin [rad/s].
std::optional<std::string> spin_advice(double spin, double h, bool exact, const std::string& body);

/// A pluck acts at the nearest of the N points i L/(N+1) of a string with N modes; reports if that
/// point is far.
std::optional<std::string> pluck_advice(double at, double length, int modes,
                                        const std::string& body);

}  // namespace saltus
