// Which schemes can move which bodies: traits against needs and refusals.
#pragma once
#include <functional>
#include <string>

#include "saltus/dynamics/scheme.h"

namespace saltus {

/// Whether a scheme can move a group with these traits.
bool fits(const Scheme& scheme, unsigned traits);

/// Names of the schemes (with their default options) that can and that `suits` accepts, "a, b, c".
std::string schemes_for(
    unsigned traits,
    const std::function<bool(const Scheme&)>& suits = [](const Scheme&) { return true; });

/// True where no damping ratio makes the scheme grow, however large the step.
bool any_step(const Scheme& scheme);

}  // namespace saltus
