// Sets the options of a model from the scene entries about time, contacts and solver.
#pragma once
#include "saltus/model/model.h"
#include "saltus/scene/rigid_assembly.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// Sets step, end and mode of a run, and options that do not depend on its bodies. Warns if the end
/// is not a whole number of steps.
void set_run_options(const SceneSpec& spec, ModelParts& parts);
/// Sets the limits of the fixed-point iteration, as the strictest of the schemes requires. Requires
/// the groups.
void set_pass_limits(ModelParts& parts);
/// Sets tolerances of the contact solver, and the action if it does not converge. Requires bodies,
/// surfaces and laws.
void set_solver_options(const SceneSpec& spec, const RigidAssembly& rigid, ModelParts& parts);

}  // namespace saltus
