// What is legal in a scene and will surprise: sentences for `check` and `run`, found before the
// first step.
#pragma once
#include <optional>
#include <string>

#include "saltus/dynamics/dynamics.h"
#include "saltus/dynamics/scheme.h"

namespace saltus {

/// Under modal-exact an impulse moves a mode as if multiplied by tan(omega h/2)/(omega h/2)
/// (docs/theory/modal-exact.md, section 1): next to odd multiples of the Nyquist frequency contact
/// drives weakly damped modes at resonance, at even multiples it does not move them at all.
std::optional<std::string> contact_advice(const ModalData& modes, double h,
                                          const std::string& body);

/// The theta scheme with theta < 1/2 makes undamped modes grow at any step, |g|^2 = (1 + (1 -
/// theta)^2 z^2)/(1 + theta^2 z^2) with z = omega h, and damped ones beyond a limit. Says how many.
std::optional<std::string> stability_advice(const ModalData& modes, double theta, double h,
                                            const std::string& body);

/// The steps of `scheme` grow where h omega passes Scheme::stability_limit(xi) of a mode: how many
/// do, the longest step that none does, and schemes without a limit. traits: of the body, for the
/// names of those schemes.
std::optional<std::string> step_advice(const ModalData& modes, unsigned traits,
                                       const Scheme& scheme, double h, const std::string& body);

/// Angular frequency and damping ratio of the fastest motion of a group about a state.
struct FastestMode {
  double omega = 0.0;  ///< [rad/s], 0: nothing swings
  double xi = 0.0;     ///< x.C x/(2 omega x.M x) of its shape x
};
/// Largest omega of (K - omega^2 M) x = 0 at (q, v), from below: by Lanczos steps on M^-1 K where K
/// is symmetric, else by powers of it. Good to a few per cent.
FastestMode fastest_mode(const Dynamics& body, const GroupState& state);

/// Longest steps of a scheme about a state.
struct StepLimit {
  double safe =
      0.0;  ///< no motion grows up to here, by a bound of the elements [s]; 0: no bound is known
  double about = 0.0;  ///< of the fastest motion that was found [s]
};
/// Nothing where any step will do, or where the body has no tangents.
std::optional<StepLimit> step_limit(const Dynamics& body, const Scheme& scheme,
                                    const GroupState& start);

/// The same for any other kind of body: its fastest motion about the initial state.
std::optional<std::string> step_advice(const Dynamics& dynamics, const Scheme& scheme,
                                       const GroupState& start, double h, const std::string& body);

/// Newmark carries a constant force to the position with beta/gamma of h^2 instead of 1/2: with
/// another beta than gamma/2 a body at rest on an obstacle sinks or climbs.
std::optional<std::string> rest_advice(double gamma, double beta, const std::string& body);

/// A body that turns more than once in a step is not followed by contacts, joints and rows; schemes
/// that are exact on free bodies (`exact`) may take some turns. spin [rad/s].
std::optional<std::string> spin_advice(double spin, double h, bool exact, const std::string& body);

/// A pluck acts at the nearest of the N points i L/(N+1) of a string of N modes; says so when that
/// is far.
std::optional<std::string> pluck_advice(double at, double length, int modes,
                                        const std::string& body);

}  // namespace saltus
