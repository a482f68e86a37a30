#include <doctest/doctest.h>

#include "saltus/base/error.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/renamed_keys.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

std::string scene_text(const std::string& time, const std::string& friction) {
  return "saltus: 1\ntime: {end: 0.1 s, step: 1 ms, " + time +
         "}\nbodies:\n"
         "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
         "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 10 mm}}, density: 2500}}\n"
         "surfaces:\n  - {law: {kind: newton-impact, friction: 0.4, " +
         friction + "}}\n";
}
const std::string kWeakening = "{ratio: 0.5, speed: 1 m/s}";

Scene read(const std::string& text, std::vector<std::string> assignments = {}) {
  return read_scene_text(text, "s.yaml", assignments);
}

}  // namespace

TEST_CASE("keys under their former names give the same scene and are told with the present ones") {
  const Scene now = read(scene_text("mode: events", "velocity_weakening: " + kWeakening));
  const Scene former = read(scene_text("lane: events", "falling: " + kWeakening));
  CHECK(now.spec == former.spec);
  CHECK(now.renamed.empty());
  const std::vector<std::string> expected{
      "time.lane: this key is now called `mode`",
      "surfaces[0].law.falling: this key is now called `velocity_weakening`"};
  CHECK(former.renamed == expected);
  CHECK(build(former).warnings().size() ==
        build(now).warnings().size());  // `check` tells it, a run is quiet
}

TEST_CASE("an assignment by a former name changes the entry of the present name") {
  const std::string text = scene_text("mode: events", "velocity_weakening: " + kWeakening);
  const Scene changed =
      read(text, {"time.lane=stepping", "surfaces[0].law.falling.ratio=0.25", "title=lane"});
  CHECK(changed.spec == read(text, {"time.mode=stepping",
                                    "surfaces[0].law.velocity_weakening.ratio=0.25", "title=lane"})
                            .spec);
  CHECK(changed.spec.time.chosen_mode() == TimeMode::stepping);
  CHECK(read(text, {"time={end: 1 s, step: 1 ms, lane: events}"}).spec.time.mode ==
        TimeMode::events);
}

TEST_CASE("a former name in the path of an assignment is named with the present path") {
  const std::string text = scene_text("mode: events", "velocity_weakening: " + kWeakening);
  const std::vector<std::string> expected{"--set time.lane: this path is now `time.mode`",
                                          "--set surfaces[0].law.falling.ratio: this path is now "
                                          "`surfaces[0].law.velocity_weakening.ratio`"};
  CHECK(read(text, {"time.lane=events", "surfaces[0].law.falling.ratio=0.25"}).renamed == expected);
  CHECK(read(text, {"time.mode=events", "time.end=0.2 s"}).renamed.empty());
}

TEST_CASE("paths have present names whatever is written behind them") {
  for (const auto& [path, present] : std::initializer_list<std::pair<const char*, const char*>>{
           {"time.lane", "time.mode"},
           {"time", "time"},
           {"lane", "lane"},
           {"bodies[0].lane", "bodies[0].lane"},
           {"contacts[12].law.falling.speed", "contacts[12].law.velocity_weakening.speed"},
           {"law.falling[0]", "law.velocity_weakening[0]"},
           {"", ""},
           {".", "."},
           {"a[", "a["},
           {"time..lane", "time..lane"}})
    CHECK(present_path(path) == present);
}

TEST_CASE("a key is refused under both of its names at once and under a former name elsewhere") {
  CHECK_THROWS_WITH_AS(
      read(scene_text("mode: events, lane: events", "restitution: 0")),
      "s.yaml:2:46: time.lane: is the old name of `mode`, which is also given; leave `lane` out",
      SceneError);
  CHECK_THROWS_AS(read(scene_text("falling: " + kWeakening, "restitution: 0")), SceneError);
  CHECK_THROWS_AS(read(scene_text("mode: events", "lane: events")), SceneError);
}
