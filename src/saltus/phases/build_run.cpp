#include "saltus/phases/build_run.h"

#include "saltus/phases/state_file.h"
#include "saltus/scene/build.h"

namespace saltus {

Model build_run(const Scene& scene) {
  if (!scene.spec.start) return build(scene);
  const StartSpec& start = *scene.spec.start;
  const Model model = build_placed(scene);
  try {
    const WholeState state =
        read_state(scene.resolve(start.file).string(), {start.frame, start.time}, "start.");
    return started(model, state, 0.0, {"start.file", start.file});
  } catch (const SceneError& error) {
    rethrow_placed(error, scene);
  }
}

}  // namespace saltus
