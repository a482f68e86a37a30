// Event-driven integration where contacts share a load in more than one way: they slide, tip and lift off when no forces are left that the
// laws allow, and none of the forces shown breaks a law.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "../support/event_run.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;
using namespace saltus::test;
using std::numbers::pi;
using Kind = Event::Kind;

namespace {

Simulation scene_of(const std::string& text, double end, double h) {
  return Simulation(build(read_scene_text(
      fmt::format("saltus: 1\ntime: {{end: {} s, step: {} s, mode: events}}\n", end, h) + text,
      "share.yaml")));
}

/// A rod of 1 kg that lies on its two ends, pushed along the floor; g = 10, mu = 0.5: it holds 5 N.
std::string rod(const std::string& load) {
  return "bodies:\n"
         "  - {name: rod, kind: lagrangian, planar_rod: {mass: 1, length: 1, gravity: 10}, loads: "
         "[{dof: 0, " +
         load +
         "}]}\n"
         "contacts:\n"
         "  - {on: rod, at: [rear, front], against: {plane: {}}, law: {kind: newton-impact, "
         "friction: 0.5}}\n";
}

/// A cube of 0.2 m and 1 kg on the floor, pushed in its middle; g = 10.
std::string cube(double mu, const std::string& load) {
  return fmt::format(
      "gravity: [0, 0, -10]\n"
      "bodies:\n"
      "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n"
      "  - {{name: cube, kind: rigid, rigid: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, density: "
      "125, position: [0, 0, 0.1]}}, loads: [{{force: [1, 0, 0], point: [0, 0, 0], {}}}]}}\n"
      "surfaces:\n"
      "  - {{law: {{kind: newton-impact, restitution: 0, friction: {}}}}}\n",
      load, mu);
}

/// First event of one kind behind the start.
Event first_of(const EventRun& run, Kind kind) {
  for (const Event& e : run.log)
    if (e.kind == kind && e.t > 0.0) return e;
  FAIL("no event " << name_of(kind) << told(run.log));
  return {};
}

/// Most by which a force shown breaks its law, of the weight of 10 N, over intervals h.
double broken(const Simulation& sim, double mu, double h) {
  double most = 0.0;
  for (const ContactView& c : sim.contacts()) {
    const double N = c.impulse[0] / h, T = std::hypot(c.impulse[1], c.impulse[2]) / h;
    most = std::max({most, -N / 10.0, (T - mu * N) / 10.0});
  }
  return most;
}

}  // namespace

TEST_CASE("events: a rod on two ends slides when its load reaches what both can hold") {
  for (const double h : {1e-3, 1e-2, 1e-1}) {
    CAPTURE(h);
    // F = 20 t: at 0.25 s, and x = 20 (t - 1/4)^3/6 from there on
    Simulation sim = scene_of(rod("table: [[0, 0], [1, 20]]"), 0.5, h);
    double most = 0.0;
    const EventRun run = run_events(sim, 0.5, [&](const Simulation& s, const StepReport&) {
      most = std::max(most, broken(s, 0.5, h));
    });
    CAPTURE(told(run.log));
    MESSAGE(fmt::format("h {}: slides at 0.25 s + {:.1e}, x {:.1e} off, laws {:.1e}", h,
                        first_of(run, Kind::slides).t - 0.25,
                        sim.state().groups[0].q[0] - 20.0 / 6.0 / 64.0, most));
    CHECK(first_of(run, Kind::slides).t == doctest::Approx(0.25).epsilon(1e-12));
    CHECK(sim.state().groups[0].q[0] == doctest::Approx(20.0 / 6.0 / 64.0).epsilon(1e-9));
    CHECK(most <= 1e-9);
  }
}

TEST_CASE("events: a rod on two ends that is shaken slides and sticks twice in a period") {
  // 8 sin(2 pi t) passes 5 at asin(5/8)/(2 pi); by its symmetry the rod comes to rest twice in a period
  Simulation sim =
      scene_of(rod("harmonic: {amplitude: 8, frequency: 1 Hz, phase: -90 deg}"), 3.0, 1e-2);
  const EventRun run = run_events(sim, 3.0);
  CAPTURE(told(run.log));
  const double begins = std::asin(5.0 / 8.0) / (2.0 * pi);
  std::vector<Event> slides = run.of(Kind::slides);
  REQUIRE(slides.size() == 12);  // two ends, six half periods
  for (std::size_t k = 0; k < slides.size(); ++k)
    CHECK(slides[k].t == doctest::Approx(begins + 0.5 * double(k / 2)).epsilon(1e-11));
  CHECK(run.count(Kind::hand_over) == 0);
}

TEST_CASE("events: a cube on four corners tips when the load reaches its weight") {
  // F = 20 t in the middle of a cube: the moment F a/2 about the front edge against m g a/2. The corners at the back come to
  // the ends of their cones long before, and the others take over.
  for (const double h : {1e-3, 1e-2}) {
    CAPTURE(h);
    Simulation sim = scene_of(cube(2.0, "table: [[0, 0], [1, 20]]"), 0.6, h);
    double most = 0.0;
    const EventRun run = run_events(sim, 0.6, [&](const Simulation& s, const StepReport&) {
      most = std::max(most, broken(s, 2.0, h));
    });
    CAPTURE(told(run.log));
    const Event opens = first_of(run, Kind::opens);
    MESSAGE(fmt::format("h {}: tips at 0.5 s + {:.1e}, laws {:.1e}", h, opens.t - 0.5, most));
    CHECK(opens.t == doctest::Approx(0.5).epsilon(1e-11));
    CHECK(run.count(Kind::opens) == 2);
    CHECK(run.count(Kind::hand_over) == 0);
    CHECK(most <= 1e-9);
  }
}

TEST_CASE("events: a cube on four corners slides when the load reaches its friction") {
  Simulation sim = scene_of(cube(0.5, "table: [[0, 0], [1, 20]]"), 0.5, 1e-2);
  double most = 0.0;
  const EventRun run = run_events(sim, 0.5, [&](const Simulation& s, const StepReport&) {
    most = std::max(most, broken(s, 0.5, 1e-2));
  });
  CAPTURE(told(run.log));
  CHECK(first_of(run, Kind::slides).t == doctest::Approx(0.25).epsilon(1e-11));
  CHECK(sim.state().groups.back().q[0] == doctest::Approx(20.0 / 6.0 / 64.0).epsilon(1e-7));
  CHECK(run.count(Kind::hand_over) == 0);
  CHECK(most <= 1e-9);
}

TEST_CASE("events: a smooth box slides over the edge of a table, tips there and loses no energy") {
  // 8 kg at v, its middle 0.5 m before the edge: it tips when its middle is there, and nothing takes energy.
  for (const double v : {1.0, 2.0}) {
    CAPTURE(v);
    const double tips = 0.5 / v, end = tips + 0.35, h = 1e-3;
    Simulation sim = scene_of(
        fmt::format(
            "gravity: [0, 0, -10]\n"
            "bodies:\n"
            "  - {{name: table, kind: rigid, rigid: {{shape: {{box: {{size: [2, 2, 2]}}}}, "
            "position: [-1, 0, -1], fixed: true}}}}\n"
            "  - {{name: box, kind: rigid, rigid: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, "
            "density: 1000, position: [-0.5, 0, 0.1], velocity: [{}, 0, 0]}}}}\n"
            "surfaces:\n"
            "  - {{law: {{kind: newton-impact, restitution: 0}}}}\n",
            v),
        end, h);
    const double start = sim.state().energy.total();
    double pull = 0.0, drift = 0.0;
    const EventRun run = run_events(sim, end, [&](const Simulation& s, const StepReport&) {
      for (const ContactView& c : s.contacts()) pull = std::max(pull, -c.impulse[0] / h / 80.0);
      drift = std::max(drift, std::abs(s.state().energy.total() - start));
    });
    CAPTURE(told(run.log));
    const auto opens = std::ranges::find_if(
        run.log, [&](const Event& e) { return e.kind == Kind::opens && e.t > tips - 0.01; });
    REQUIRE(opens != run.log.end());
    MESSAGE(fmt::format("v {}: tips at {} s + {:.1e}, energy {:.1e} of {} J, pull {:.1e}", v, tips,
                        opens->t - tips, drift, start, pull));
    CHECK(opens->t == doctest::Approx(tips).epsilon(1e-8));
    CHECK(drift <= 1e-6 * start);
    CHECK(pull <=
          1e-6);  // of the weight: rates of these rows are differences over as little as 1e-9 s
  }
}

TEST_CASE("events: a run with shared loads goes on from a copy of its state with the same bits") {
  Simulation sim = scene_of(cube(2.0, "table: [[0, 0], [1, 20]]"), 0.6, 0.03);
  std::vector<State> states{sim.state()};
  while (sim.state().t < 0.6 - 1e-9) {
    REQUIRE(sim.advance().converged);
    states.push_back(sim.state());
  }
  for (std::size_t from = 0; from + 1 < states.size(); ++from) {
    CAPTURE(from);
    Simulation again(sim.model(), states[from]);
    for (std::size_t k = from + 1; k < states.size(); ++k) {
      REQUIRE(again.advance().converged);
      for (std::size_t g = 0; g < states[k].groups.size(); ++g) {
        REQUIRE(again.state().groups[g].q == states[k].groups[g].q);
        REQUIRE(again.state().groups[g].v == states[k].groups[g].v);
      }
      REQUIRE(again.state().ledger == states[k].ledger);
      REQUIRE(again.state().contacts.size() == states[k].contacts.size());
      for (std::size_t i = 0; i < states[k].contacts.size(); ++i)
        REQUIRE(again.state().contacts[i].impulse == states[k].contacts[i].impulse);
    }
  }
}
