// Builds a law from its options, with every default resolved.
#pragma once
#include <string>

#include "saltus/contact/laws/laws.h"
#include "saltus/schemes/options.h"
#include "saltus/spec/choices.h"

namespace saltus {

/// theta of the velocity with which the work of forces over a step is computed.
double theta_of(const SchemeChoice& scheme);

/// `scheme` is that of the body in contact. path: "contacts[0].law". Throws SceneError for options
/// that the scheme does not support.
AnyLaw law_of(const LawChoice& law, const SchemeChoice& scheme, ContactInstant instant,
              const std::string& path);

}  // namespace saltus
