// A body that turns more than once in a step is told; one that a step follows is not.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

int turns_told(const std::string& time, const std::string& bodies) {
  const Model model =
      build(read_scene_text("saltus: 1\ntime: {end: 1 s, " + time + "}\nbodies:\n" + bodies, "s"));
  return static_cast<int>(std::ranges::count_if(model.warnings(), [](const std::string& text) {
    return text.find("times per step") != std::string::npos;
  }));
}

std::string wheel(const std::string& name, const std::string& spin, const std::string& scheme) {
  return "  - {name: " + name + ", kind: rigid, rigid: {mass: 1, inertia: [1, 2, 3], spin: [0, " +
         spin + ", 0]}, scheme: " + scheme + "}\n";
}

}  // namespace

TEST_CASE("a spin of more than a turn in a step is told, of each body") {
  CHECK(turns_told("step: 1 ms", wheel("a", "3e8", "moreau-jean")) == 1);
  CHECK(turns_told("step: 0.2 s", wheel("a", "40", "rig-neg")) == 1);
  CHECK(turns_told("step: 0.2 s", wheel("a", "40", "rig-neg") + wheel("b", "50", "moreau-jean") +
                                      wheel("c", "1", "moreau-jean")) == 2);
  CHECK(turns_told("step: 1 s", wheel("a", "200", "rig-mid")) == 1);
}

TEST_CASE("a spin that steps follow is not told") {
  CHECK(turns_told("step: 1 ms", wheel("a", "3000", "moreau-jean")) == 0);
  CHECK(turns_told("step: 0.5 s", wheel("a", "50", "rig-mid")) == 0);
  CHECK(turns_told("step: 0.5 s", wheel("a", "50", "splitting")) == 0);
  CHECK(turns_told("step: 1 s, mode: events", wheel("a", "300", "moreau-jean")) == 0);
}
