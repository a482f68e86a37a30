// From the entries of a scene about time, contacts and solver to the options of its model.
#pragma once
#include "saltus/model/model.h"
#include "saltus/scene/rigid_assembly.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// Step, end and mode of a run, and what does not depend on its bodies. A warning where the end is
/// no whole number of steps.
void set_run_options(const SceneSpec& spec, ModelParts& parts);
/// Passes end as the strictest scheme that makes any asks for. Groups are known.
void set_pass_limits(ModelParts& parts);
/// Tolerances of the contact solver, and what a step does that it cannot solve. Bodies, surfaces
/// and laws are known.
void set_solver_options(const SceneSpec& spec, const RigidAssembly& rigid, ModelParts& parts);

}  // namespace saltus
