// Where there are too many events, or too many contacts that are closed, the schemes step, and event-driven integration takes over again: no
// energy appears or is lost in between, and the number of events stays bounded.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "../support/event_run.h"
#include "../support/rigid_scene.h"
#include "run_scene.h"
#include "saltus/bodies/moving.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// `across`^2 x `up` balls of 20 mm above a floor between four walls.
Model pile(int across, int up, double e, double mu, double h) {
  RigidScene scene;
  const double r = 0.01, pitch = 0.0225, half = 0.5 * pitch * across + 0.002;
  int i = 0;
  for (int z = 0; z < up; ++z)
    for (int y = 0; y < across; ++y)
      for (int x = 0; x < across; ++x, ++i) {
        RigidThing ball{Sphere{r}};
        ball.mass = 0.0105;
        // Not above each other, so that the pile settles as a pile does.
        ball.x = Vector3((x - 0.5 * (across - 1)) * pitch + 1e-3 * std::sin(1.0 + 2.3 * i),
                         (y - 0.5 * (across - 1)) * pitch + 1e-3 * std::sin(2.0 + 3.1 * i),
                         0.012 + 0.024 * z);
        scene.add(ball);
      }
  scene.fix(Plane{});
  for (const Vector3& n : {Vector3(Vector3::UnitX()), Vector3(-Vector3::UnitX()),
                           Vector3(Vector3::UnitY()), Vector3(-Vector3::UnitY())}) {
    Pose wall;
    wall.R.col(2) = n;
    wall.R.col(0) = Vector3::UnitZ();
    wall.R.col(1) = n.cross(Vector3::UnitZ());
    wall.x = -half * n;
    scene.fix(Plane{}, wall);
  }
  scene.limits = {1e-8, 500};
  scene.on_failure = OnFailure::accept;
  return scene.model(rig_mid(), h, newton_law(e, mu));
}

/// A run with the change of the account `scheme` watched: in intervals with a change of mode, and in the others.
struct Watched {
  EventRun run;
  double at_change = 0.0, elsewhere = 0.0, stepped = 0.0;  ///< largest of an interval [J]
  long intervals_stepped = 0;
};
Watched watched(Simulation& sim, double end) {
  Watched w;
  double before = account(sim, "scheme");
  bool stepping = false;
  w.run = run_events(sim, end, [&](const Simulation& s, const StepReport&) {
    const double now = account(s, "scheme"), change = std::abs(now - before);
    before = now;
    bool changes = false;
    for (const Event& e : s.events())
      if (e.kind == Event::Kind::hand_over || e.kind == Event::Kind::take_back)
        changes = true, stepping = e.kind == Event::Kind::hand_over;
    double& worst = changes ? w.at_change : stepping ? w.stepped : w.elsewhere;
    worst = std::max(worst, change);
    w.intervals_stepped += stepping;
  });
  return w;
}

}  // namespace

TEST_CASE(
    "a pile of balls settles: by events at first, then by steps, with its energy accounted for") {
  EventOptions events;
  events.tolerance = 1e-8;
  events.closed = 8;
  const double h = 2e-3, end = 0.3;
  Simulation sim(in_event_mode(pile(2, 3, 0.3, 0.3, h), h, end, events));
  const double E0 = sim.state().energy_start;
  const Watched w = watched(sim, end);
  MESSAGE(fmt::format(
      "{} J: {} events, at most {} in an interval, {} hand-overs, {} intervals of {} stepped; "
      "scheme {:.1e} J at changes, {:.1e} J else, {:.1e} J stepped; unexplained {:.1e} J, rise "
      "{:.1e} J, gap {:.1e} m, stepped {:.1e} m, {} evaluations, {} steps",
      E0, w.run.log.size(), w.run.most_located, w.run.count(Event::Kind::hand_over),
      w.intervals_stepped, w.run.intervals, w.at_change, w.elsewhere, w.stepped, w.run.unexplained,
      w.run.rise, w.run.gap, w.run.gap_stepped, w.run.evaluations, w.run.steps));
  CHECK(w.run.count(Event::Kind::hand_over) >= 1);
  CHECK(w.run.most_located <= events.limit + 50);
  CHECK(w.at_change <= 1e-6 * E0);
  CHECK(w.elsewhere <= 1e-6 * E0);
  CHECK(w.run.unexplained <= 1e-12 * E0);
  CHECK(w.run.gap >= -1e-9);
}

TEST_CASE(
    "the rattling slider-crank by events: energy accounted for, joints closed, a bounded number of "
    "events") {
  const Scene scene =
      read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "slider_crank_clearance.yaml");
  for (const double h : {5e-6, 1e-4}) {
    EventOptions events;
    events.tolerance = 1e-9;
    Simulation sim(in_event_mode(build(scene), h, 24e-3, events));
    const double E0 = sim.state().energy_start;
    const Watched w = watched(sim, 24e-3);
    MESSAGE(
        fmt::format("h {}: {} J: {} events, {} impacts, at most {} in an interval, {} hand-overs, "
                    "{} intervals of {} stepped; scheme {:.1e} J at changes, {:.1e} J else, "
                    "unexplained {:.1e} J, gap {:.1e}, joints {:.1e}, {} evaluations, {} steps",
                    h, E0, w.run.log.size(), w.run.impacts(), w.run.most_located,
                    w.run.count(Event::Kind::hand_over), w.intervals_stepped, w.run.intervals,
                    w.at_change, w.elsewhere, w.run.unexplained, w.run.gap, w.run.joint_gap,
                    w.run.evaluations, w.run.steps));
    const auto hits = w.run.of(Event::Kind::impact);
    REQUIRE(!hits.empty());
    const double turn = 523.5987755982989;
    MESSAGE(fmt::format("first hit at {:.9f} deg with {:.9f} m/s",
                        turn * hits[0].t * 180 / std::numbers::pi, hits[0].speed));
    CHECK(turn * hits[0].t * 180.0 / std::numbers::pi == doctest::Approx(6.819).epsilon(1e-4));
    CHECK(-hits[0].speed == doctest::Approx(4.386).epsilon(1e-4));
    CHECK(w.at_change + w.elsewhere <= 1e-6 * E0);
    CHECK(w.run.unexplained <= 1e-12 * E0);
    CHECK(w.run.joint_gap <= 1e-12);
    CHECK(w.run.gap >= -1e-9);
    CHECK(w.run.residual <= 1e-12);
    // most impacts end a step on its dense output, and its forces are not sampled twice
    if (h == 5e-6) CHECK(w.run.evaluations <= 18'000);
  }
}

TEST_CASE("the impacts of the rattling slider-crank come when those of a finer tolerance come") {
  const Scene scene =
      read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "slider_crank_clearance.yaml");
  const auto impacts = [&](double tolerance) {
    EventOptions events;
    events.tolerance = tolerance;
    Simulation sim(in_event_mode(build(scene), 5e-6, 3e-3, events));
    return watched(sim, 3e-3).run.of(Event::Kind::impact);
  };
  const auto exact = impacts(1e-12);
  REQUIRE(exact.size() > 10);
  // what the step before has done wrong, times what the impacts since make of it
  for (const auto& [tolerance, most] : {std::pair{1e-6, 1e-10}, {1e-9, 1e-11}}) {
    const auto hits = impacts(tolerance);
    REQUIRE(hits.size() == exact.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < hits.size(); ++k)
      worst = std::max(worst, std::abs(hits[k].t - exact[k].t));
    MESSAGE(
        fmt::format("{} impacts at {:.0e}: {:.1e} s off at most", hits.size(), tolerance, worst));
    CHECK(worst <= most);
  }
}

TEST_CASE("a state inside a step that an event cuts goes on as if nobody had looked, bit for bit") {
  const Scene scene =
      read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "slider_crank_clearance.yaml");
  EventOptions events;
  events.tolerance = 1e-6;
  const Model model = in_event_mode(build(scene), 5e-6, 1.5e-3, events);
  Simulation whole(model);
  int cut = 0;
  while (whole.state().t < 1.5e-3 - 2.5e-6) {
    const EventState& event_state = whole.state().event_state;
    const bool inside = event_state.h > 0.0 && event_state.length != event_state.h;
    Simulation again(model, whole.state());
    whole.advance();
    if (!inside) continue;
    ++cut;
    again.advance();
    for (std::size_t g = 0; g < whole.state().groups.size(); ++g) {
      CHECK(again.state().groups[g].q == whole.state().groups[g].q);
      CHECK(again.state().groups[g].v == whole.state().groups[g].v);
    }
    CHECK(again.state().ledger == whole.state().ledger);
    for (int joint = 0; joint < static_cast<int>(model.joints().size()); ++joint)
      CHECK(again.joint_load(joint) == whole.joint_load(joint));
  }
  CHECK(cut > 20);
}

TEST_CASE(
    "a ball that hardly loses speed on a shaken table: the events of an interval stay bounded") {
  // Table z = A sin(w t), e = 0.99.
  for (const int limit : {200, 5}) {
    EventOptions events;
    events.tolerance = 1e-9;
    events.limit = limit;
    ModelParts parts;
    RigidSystem balls;
    const double m = 0.1, r = 0.02;
    RigidBody ball;
    ball.mass = m;
    ball.inertia = 0.4 * m * r * r * Matrix3::Identity();
    balls.bodies.push_back(ball);
    balls.gravity = Vector3(0.0, 0.0, -9.81);
    parts.groups.push_back({"ball", "rigid", std::make_shared<Rigid>(balls), rig_mid(), {}});
    GroupState state;
    state.q = Vector{{0.0, 0.0, r + 0.01, 1.0, 0.0, 0.0, 0.0}};
    state.v = Vector::Zero(6);
    parts.initial.push_back(state);
    PrescribedMotion shaken;
    shaken.position = {Signal::constant(0.0), Signal::constant(0.0),
                       Signal::harmonic(1e-3, 60.0 * std::numbers::pi)};
    parts.groups.push_back({"table",
                            "moving",
                            std::make_shared<saltus::Moving>(std::vector{shaken}),
                            make_scheme(MoreauJeanOptions{}),
                            {}});
    parts.initial.emplace_back();
    parts.surfaces.frames = {{0, 0, "ball"}, {1, 0, "table"}};
    parts.surfaces.colliders = {{Sphere{r}, {}, 0, 0}, {Plane{}, {}, 1, 0}};
    parts.laws.push_back(newton_law(0.99));
    parts.surfaces.law = {0};
    parts.surfaces.margin = 1e-3;
    parts.solver = find_solver("auto")->make();
    parts.options.h = 0.05;
    Simulation sim(in_event_mode(Model(std::move(parts)), 0.05, 5.0, events));
    const Watched w = watched(sim, 5.0);
    MESSAGE(fmt::format(
        "limit {}: {} impacts, at most {} in an interval, {} hand-overs, {} intervals of {} "
        "stepped, scheme {:.1e} {:.1e} J, unexplained {:.1e}, gap {:.1e}, {} evaluations",
        limit, w.run.impacts(), w.run.most_located, w.run.count(Event::Kind::hand_over),
        w.intervals_stepped, w.run.intervals, w.at_change, w.elsewhere, w.run.unexplained,
        w.run.gap, w.run.evaluations));
    CHECK(w.run.most_located <= limit + 1);
    CHECK(w.elsewhere <= 1e-9);
    CHECK(w.run.gap >= -1e-9);
  }
}

namespace {

/// 20 steps of a scene.
struct Slide {
  std::vector<GroupState> groups;  ///< at the end
  int most = 0;                    ///< evaluations of a step
  bool handed = false;             ///< to the schemes, and told so
};
Slide slide(const std::string& text) {
  Simulation sim(build(read_scene_text(text, "limit.yaml")));
  Slide found;
  for (int n = 0; n < 20; ++n) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    found.most = std::max(found.most, report.evaluations);
  }
  found.handed = std::ranges::any_of(
      sim.notices(), [](const Notice& one) { return one.kind == Notice::Kind::handed_over; });
  found.groups = sim.state().groups;
  return found;
}

}  // namespace

TEST_CASE("a box at the limit of friction, and just above, is handed over instead of crept along") {
  struct Pull {
    double above;  ///< of the limit, relative
    bool handed;
  };
  for (const auto& [above, handed] : {Pull{0.0, true}, Pull{3e-7, true}, Pull{0.02, false}}) {
    CAPTURE(above);
    const double mu = 0.45, g = 9.0;
    const Slide found = slide(fmt::format(R"(
saltus: 1
time: {{end: 0.1 s, step: 5 ms, mode: events}}
gravity: [0, {:.17g}, -{}]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: box, kind: rigid, rigid: {{shape: {{box: {{size: [0.3, 0.2, 0.06]}}}}, mass: 5, position: [0, 0, 0.03]}}}}
surfaces: [{{law: {{kind: newton-impact, friction: {}}}}}]
)",
                                          mu * g * (1.0 + above), g, mu));
    CHECK(found.most < 30'000);
    CHECK(found.handed == handed);
    CHECK(std::abs(found.groups.back().v[1] - 0.1 * mu * g * above) <= 1e-6 * 0.1 * mu * g);
  }
}

TEST_CASE("a box at the limit of friction on a slab of its own group or another is handed over") {
  struct Pull {
    double above;  ///< of the limit, relative
    bool handed;
  };
  for (const char* scheme : {"", "scheme: rig-neg, "})
    for (const auto& [above, handed] : {Pull{0.0, true}, Pull{4e-7, true}, Pull{0.03, false}}) {
      CAPTURE(scheme);
      CAPTURE(above);
      const double mu = 0.35, g = 8.0;
      const Slide found = slide(fmt::format(R"(
saltus: 1
time: {{end: 0.1 s, step: 5 ms, mode: events}}
gravity: [0, {:.17g}, -{}]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{point: [0, 0, -0.1]}}}}, fixed: true}}}}
  - {{name: slab, kind: rigid, {}rigid: {{shape: {{box: {{size: [1, 1, 0.1]}}}}, mass: 60, position: [0, 0, -0.05], locked: [x, y, rx, ry, rz]}}}}
  - {{name: box, kind: rigid, rigid: {{shape: {{box: {{size: [0.3, 0.2, 0.06]}}}}, mass: 4, position: [0, 0, 0.03]}}}}
surfaces: [{{law: {{kind: newton-impact, friction: {}}}}}]
)",
                                            mu * g * (1.0 + above), g, scheme, mu));
      const auto& groups = found.groups;
      REQUIRE(groups.size() == (*scheme ? 2 : 1));
      CHECK(found.most < 200'000);
      CHECK(found.handed == handed);
      const double v = groups.back().v[groups.size() == 2 ? 1 : 7];
      CHECK(std::abs(v - 0.1 * mu * g * above) <= 1e-5 * 0.1 * mu * g);
    }
}
