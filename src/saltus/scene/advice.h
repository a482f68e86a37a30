// What is legal in a scene and will surprise: sentences for `check` and `run`, found before the first step.
#pragma once
#include <optional>
#include <string>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// Under modal-exact an impulse moves a mode as if multiplied by tan(omega h/2)/(omega h/2)
/// (docs/theory/modal-exact.md, section 1): next to odd multiples of the Nyquist frequency contact drives weakly damped
/// modes at resonance, at even multiples it does not move them at all.
std::optional<std::string> contact_advice(const ModalData& modes, double h,
                                          const std::string& body);

/// The theta scheme with theta < 1/2 makes undamped modes grow at any step, |g|^2 = (1 + (1 - theta)^2 z^2)/(1 + theta^2
/// z^2) with z = omega h, and damped ones beyond a limit. Says how many.
std::optional<std::string> stability_advice(const ModalData& modes, double theta, double h,
                                            const std::string& body);

/// A pluck acts at the nearest of the N points i L/(N+1) of a string of N modes; says so when that is far.
std::optional<std::string> pluck_advice(double at, double length, int modes,
                                        const std::string& body);

}  // namespace saltus
