// What a scheme does to the pitch of a body that sounds, as a sentence for `check` and `run`.
#pragma once
#include <optional>
#include <string>

#include "saltus/dynamics/scheme.h"

namespace saltus {

/// Frequencies of modes under a scheme without contact: those that its own steps of h [s] make
/// [rad/s], of modes as they are given in `modes`; 0 where it makes no oscillation.
Vector frequencies_of(const ModalData& modes, const Scheme& scheme, double h);

/// Where one of the twenty lowest modes that can be heard, and ring (damping ratio below 1/20),
/// sounds more than 3 cents flat or sharp at this step.
std::optional<std::string> detune_advice(const ModalData& modes, const Scheme& scheme, double h,
                                         const std::string& body);

}  // namespace saltus
