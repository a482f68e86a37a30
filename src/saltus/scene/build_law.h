// From the options of a law to the law, with every default resolved.
#pragma once
#include <string>

#include "saltus/contact/laws/laws.h"
#include "saltus/schemes/options.h"
#include "saltus/spec/choices.h"

namespace saltus {

/// theta of the velocity with which the forces of a step do their work.
double theta_of(const SchemeChoice& scheme);

/// `scheme` is that of the body that touches. path: "contacts[0].law". Throws SceneError for what
/// no scheme can do.
AnyLaw law_of(const LawChoice& law, const SchemeChoice& scheme, ContactInstant instant,
              const std::string& path);

}  // namespace saltus
