// What a run by events says of itself: hand-overs, impacts whose order decides, and a scene whose schemes cannot take over.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../support/event_run.h"
#include "run_scene.h"
#include "saltus/base/error.h"
#include "saltus/study/auto_choice.h"

using namespace saltus;
using namespace saltus::test;

namespace {

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A ball that bounces from 0.2 m.
std::string bounces(const std::string& time, const std::string& events, double e) {
  return fmt::format(
      "saltus: 1\ntime: {{{}}}\nevents: {{{}}}\nbodies:\n"
      "  - {{name: ball, kind: particles, particles: {{mass: [3 kg], positions: [[0, 0, 0.2]], "
      "gravity: [0, 0, -9.81]}}, scheme: moreau-jean}}\n"
      "contacts:\n  - {{on: ball, against: {{plane: {{}}}}, law: {{kind: newton-impact, "
      "restitution: {}}}}}\noutputs:\n  - {{probe: ball, name: z, at: 0}}\n",
      time, events, e);
}

/// Discs of 1 kg in the plane z = 0 with restitution e: x, y, v_x, v_y each.
std::string discs(const std::vector<std::array<double, 4>>& at, double e,
                  const std::string& impacts) {
  std::string text =
      fmt::format("saltus: 1\ntime: {{end: 0.4 s, step: 10 ms, mode: events}}\n{}bodies:\n",
                  impacts.empty() ? "" : "events: {impacts: " + impacts + "}\n");
  for (std::size_t i = 0; i < at.size(); ++i)
    text += fmt::format(
        "  - {{name: d{}, kind: rigid, rigid: {{shape: {{sphere: {{radius: 0.1}}}}, mass: 1, "
        "position: [{:.17g}, {:.17g}, 0], velocity: [{}, {}, 0], locked: [z, rx, ry, rz]}}}}\n",
        i, at[i][0], at[i][1], at[i][2], at[i][3]);
  return text + fmt::format("surfaces: [{{law: {{kind: newton-impact, restitution: {}}}}}]\n", e);
}

std::vector<Notice> notices_of(const std::string& text, double end) {
  Simulation sim(build(read_scene_text(text, "test.yaml")));
  run_events(sim, end);
  return sim.notices();
}

}  // namespace

TEST_CASE(
    "a hand-over is told once, with its reason, how often and since when; a higher limit ends it") {
  const std::string time = "end: 0.9 s, step: 0.05 s, mode: events";
  const auto told = notices_of(bounces(time, "limit: 1", 0.6), 0.9);
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == Notice::Kind::handed_over);
  CHECK(told[0].steps >= 1);
  CHECK(told[0].first > 0.2);
  CAPTURE(told[0].text);
  CHECK(has_part(told[0].text,
                 "handed over to time stepping because an interval contained more events"));
  CHECK(has_part(told[0].text, "raise `events.limit`"));
  CHECK(notices_of(bounces(time, "limit: 200", 0.6), 0.9).empty());
}

TEST_CASE("an automatic choice whose run was handed over claims no error") {
  // bounces come ever faster: more than two in 0.1 s from 1.7 s on, long behind the trial
  const std::string time = "end: 2.2 s, step: 0.1 s, scheme: auto, tolerance: 1e-5";
  const auto run = [&](const std::string& events) {
    return run_auto(read_scene_text(bounces(time, events, 0.8), "test.yaml"),
                    AutoOptions{.tolerance = 1e-5});
  };
  const AutoResult limited = run("limit: 2");
  REQUIRE(limited.choice.method().label == "events");
  CHECK(limited.choice.runs.back().handed_over);
  CHECK_FALSE(std::isfinite(limited.choice.estimate));
  CHECK_FALSE(limited.choice.met);
  CAPTURE(limited.choice.unmet);
  CHECK(has_part(limited.choice.unmet, "no error estimate"));
  CHECK(has_part(auto_text(limited.choice), "no error estimate"));
  CHECK(has_part(auto_json(limited.choice), "\"estimate\": null"));
  const AutoResult free = run("limit: 500");
  CHECK(free.choice.met);
  CHECK(free.choice.unmet.empty());
  CHECK(free.choice.estimate <= 1e-5);
}

TEST_CASE("event-driven integration asks nothing of schemes that it does not use") {
  // a string under its own default scheme and a particle under another: no spring joins them in time stepping
  const auto scene = [](const std::string& time, const std::string& events) {
    return "saltus: 1\ntime: {" + time + "}\nevents: {" + events +
           "}\nbodies:\n"
           "  - {name: string, kind: modal, string: {length: 0.5 m, tension: 300 N, "
           "linear_density: "
           "5e-3 kg/m, modes: 12}}\n"
           "  - {name: hammer, kind: particles, particles: {mass: [4 g], positions: [[0.1, 0, 0]], "
           "velocities: [[0, 0, 1.5]]}}\n"
           "contacts:\n"
           "  - {on: string, at: 0.1 m, against: {body: hammer, at: 0, normal: [0, 0, 1]}, law: "
           "{kind: compliant, stiffness: 2e7, exponent: 2}}\n";
  };
  ModelParts stepped =
      build(read_scene_text(scene("end: 5 ms, step: 0.1 ms, mode: events", "limit: 50"), "t.yaml"))
          .parts();
  stepped.options.mode = TimeMode::stepping;
  CHECK_THROWS_AS(Model(std::move(stepped)), SceneError);
  {
    Simulation sim(build(
        read_scene_text(scene("end: 5 ms, step: 0.1 ms, mode: events", "limit: 50"), "t.yaml")));
    run_events(sim, 5e-3);
    CHECK(sim.notices().empty());
    // the same with schemes that could take over
    Simulation same(build(read_scene_text(
        scene("end: 5 ms, step: 0.1 ms, mode: events", "limit: 50"), "t.yaml",
        std::vector<std::string>{"bodies[0].scheme=moreau-jean", "bodies[1].scheme=moreau-jean"})));
    run_events(same, 5e-3);
    for (std::size_t g = 0; g < 2; ++g)
      CHECK((sim.state().groups[g].v - same.state().groups[g].v).norm() <=
            1e-9 * same.state().groups[g].v.norm());
  }
  // where it would hand over, it stops and says why
  Simulation sim(
      build(read_scene_text(scene("end: 40 ms, step: 20 ms, mode: events", "limit: 1"), "t.yaml")));
  const EventRun run = run_in_events(sim, 40e-3, [](const Simulation&, const StepReport&) {});
  CHECK_FALSE(run.good);
  CAPTURE(run.failure);
  CHECK(has_part(run.failure, "cannot integrate a law of this scene"));
  CHECK(sim.notices().empty());
}

TEST_CASE("simultaneous impacts whose order decides are told with the option that needs none") {
  const double s = 0.1 * std::sqrt(3.0);
  // one disc between two that rest and touch it at the same time
  const std::vector<std::array<double, 4>> wedge{
      {-0.5, 0.0, 1.5, 0.0}, {0.0, -0.1, 0.0, 0.0}, {0.0, 0.1, 0.0, 0.0}};
  const auto told = notices_of(discs(wedge, 0.9, "sequential"), 0.4);
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == Notice::Kind::coincident);
  CHECK(told[0].steps == 1);
  CHECK(told[0].first == doctest::Approx((0.5 - s) / 1.5).epsilon(0.05));
  CAPTURE(told[0].text);
  CHECK(has_part(told[0].text, "'d0'"));
  CHECK(has_part(told[0].text, "events.impacts: simultaneous"));
  CHECK(notices_of(discs(wedge, 0.9, "simultaneous"), 0.4).empty());
  // a cradle struck from both sides, and discs that strike others far away at the same instant
  CHECK(notices_of(discs({{-0.8, 0.0, 1.0, 0.0},
                          {-0.2, 0.0, 0.0, 0.0},
                          {0.0, 0.0, 0.0, 0.0},
                          {0.2, 0.0, 0.0, 0.0},
                          {0.8, 0.0, -1.0, 0.0}},
                         1.0, "sequential"),
                   0.4)
            .empty());
  CHECK(notices_of(discs({{-0.5, 0.0, 2.0, 0.0},
                          {0.0, 0.0, 0.0, 0.0},
                          {-0.5, 3.0, 2.0, 0.0},
                          {0.0, 3.0, 0.0, 0.0}},
                         0.5, "sequential"),
                   0.4)
            .empty());
}

TEST_CASE("impacts whose order decides are told of bodies of several groups too") {
  using Schemes = std::array<const char*, 3>;
  for (const Schemes& schemes : {Schemes{"", "", ""}, Schemes{"", "", "rig-neg"},
                                 Schemes{"rig-pos", "", ""}, Schemes{"rig-pos", "rig-neg", ""}}) {
    CAPTURE(schemes[0]);
    CAPTURE(schemes[1]);
    CAPTURE(schemes[2]);
    const auto struck = [&](const std::string& impacts, double x) {
      // the disc meets both others at once for x = 0
      std::string text =
          discs({{-0.45, x, 1.3, 0.0}, {0.0, -0.1, 0.0, 0.0}, {0.0, 0.1, 0.0, 0.0}}, 0.8, impacts);
      for (std::size_t i = 0; i < 3; ++i)
        if (*schemes[i])
          text.insert(text.find("rigid: {shape", text.find(fmt::format("name: d{},", i))),
                      fmt::format("scheme: {}, ", schemes[i]));
      return text;
    };
    const auto told = notices_of(struck("sequential", 0.0), 0.4);
    REQUIRE(told.size() == 1);
    CHECK(told[0].kind == Notice::Kind::coincident);
    CAPTURE(told[0].text);
    CHECK(has_part(told[0].text, "'d0' on 'd1' and 'd0' on 'd2' closed equally fast"));
    CHECK(notices_of(struck("simultaneous", 0.0), 0.4).empty());
    CHECK(notices_of(struck("sequential", 0.03), 0.4).empty());
  }
}

TEST_CASE("a hand-over is told of a ball that bounces on a body of its own group or another") {
  for (const char* scheme : {"", "scheme: rig-neg, "}) {
    CAPTURE(scheme);
    const auto scene = [&](int limit) {
      return fmt::format(R"(saltus: 1
time: {{end: 0.8 s, step: 0.04 s, mode: events}}
gravity: [0, 0, -9.81]
events: {{limit: {}}}
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: slab, kind: rigid, {}rigid: {{shape: {{box: {{size: [1, 1, 0.1]}}}}, mass: 40, position: [0, 0, 0.05]}}}}
  - {{name: ball, kind: rigid, rigid: {{shape: {{sphere: {{radius: 0.05}}}}, mass: 0.5, position: [0, 0, 0.4]}}}}
surfaces: [{{law: {{kind: newton-impact, restitution: 0.5}}}}]
)",
                         limit, scheme);
    };
    REQUIRE(build(read_scene_text(scene(2), "t.yaml")).groups().size() == (*scheme ? 2 : 1));
    const auto told = notices_of(scene(2), 0.8);
    REQUIRE(told.size() == 1);
    CHECK(told[0].kind == Notice::Kind::handed_over);
    CAPTURE(told[0].text);
    CHECK(has_part(told[0].text, "raise `events.limit`"));
    CHECK(notices_of(scene(3000), 0.8).empty());
  }
}
