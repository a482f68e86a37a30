// The parts of a model for statics.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// Every group is moved by the scheme of equilibria (statics/equilibrium.h). Throws SceneError for
/// groups without a stiffness matrix, and for rigid bodies that nothing but contacts could hold.
void use_static_schemes(ModelParts& parts);
/// Laws of contacts become those of statics (statics/static_contact.h), and the options of the run
/// those of equilibria. Throws SceneError for laws that prescribe a rate.
void use_static_laws(ModelParts& parts);

}  // namespace saltus
