// What events must not depend on: the length of intervals, where a run was interrupted, the tolerance, the frame and the
// units. And the ball whose impacts are known in closed form.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <numbers>

#include "../support/event_run.h"
#include "../support/rigid_scene.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using Kind = Event::Kind;

const double kG = 9.81;

/// How a scene is written down: lengths and masses in units of their own, a frame that is turned.
struct Written {
  double length = 1.0, mass = 1.0;  ///< numbers that stand for 1 m, 1 kg
  Quaternion turn = Quaternion::Identity();
};

EventOptions options(double tolerance, const Written& as = {}) {
  EventOptions events;
  events.tolerance = tolerance;
  events.zeno *= as.length;
  return events;
}

std::shared_ptr<const Dynamics> point_mass(const Vector3& gravity, double mass = 1.0) {
  ParticleSystem system;
  system.mass = Vector::Constant(1, mass);
  system.gravity = gravity;
  return std::make_shared<Particles>(system);
}

/// A ball let go 1 m above the ground: a pair of points, or a sphere and a plane.
Simulation ball(bool shapes, double e, double h, double tolerance, const Written& as = {}) {
  const Vector3 up = as.turn * Vector3::UnitZ(), gravity = -kG * as.length * up;
  if (!shapes) {
    ModelParts parts = one_group({point_mass(gravity, as.mass), as.length * up, Vector3::Zero()},
                                 MoreauJeanOptions{}, h);
    parts.options.end = 4.3;
    add_pair(parts, {0, {}}, world(), up, newton_law(e));
    return Simulation(in_lane(parts, options(tolerance, as)));
  }
  RigidScene scene;
  scene.mode = TimeMode::events;
  scene.end = 4.3;
  scene.events = options(tolerance, as);
  scene.gravity = gravity;
  scene.margin *= as.length;
  RigidThing thing{Sphere{0.1 * as.length}, as.mass};
  thing.x = 1.1 * as.length * up;
  scene.add(thing);
  Pose plane;
  plane.R = as.turn.toRotationMatrix();
  scene.fix(Plane{}, plane);
  return Simulation(scene.model(rig_mid(), h, newton_law(e)));
}

/// A sphere thrown at the ground, spinning: it bounces, slides and rolls.
Simulation stone(double h, double tolerance, const Written& as = {}) {
  RigidScene scene;
  scene.mode = TimeMode::events;
  scene.end = 2.5;
  scene.events = options(tolerance, as);
  scene.gravity = -kG * as.length * (as.turn * Vector3::UnitZ());
  scene.margin = 0.02 * as.length;
  RigidThing thing{Sphere{0.1 * as.length}, as.mass};
  thing.x = as.length * (as.turn * Vector3(0.1, -0.2, 0.4));
  thing.v = as.length * (as.turn * Vector3(2.0, 0.5, 0.3));
  thing.Q = as.turn;
  thing.Omega = Vector3(9.0, -14.0, 3.0);
  scene.add(thing);
  Pose plane;
  plane.R = as.turn.toRotationMatrix();
  scene.fix(Plane{}, plane);
  return Simulation(scene.model(rig_mid(), h, newton_law(0.5, 0.1)));
}

/// A mass on a spring that a load shakes and dry friction holds: it sticks and slips.
Simulation stick_slip(double h, double tolerance, const Written& as = {}) {
  LinearSystem system = oscillator(as.mass, 100.0 * as.mass);
  system.loads.push_back({{{0, 3.0 * as.mass * as.length}}, Signal::harmonic(1.0, 7.0)});
  ModelParts parts = one_group(
      {std::make_shared<Linear>(system), Vector::Constant(1, 0.05 * as.length), Vector::Zero(1)},
      MoreauJeanOptions{}, h);
  parts.options.end = 6.0;
  add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), relay_law(1.5 * as.mass * as.length));
  return Simulation(in_lane(parts, options(tolerance, as)));
}

/// A forced oscillator against a stop, far from its orbit.
Simulation stopped(double h, double tolerance, const Written& as = {}) {
  LinearSystem system = oscillator(as.mass, as.mass, 0.1 * as.mass);
  system.loads.push_back({{{0, as.mass * as.length}}, Signal::harmonic(1.0, 1.9)});
  ModelParts parts = one_group({std::make_shared<Linear>(system), Vector::Zero(1), Vector::Zero(1)},
                               MoreauJeanOptions{}, h);
  parts.options.end = 20.0;
  add_pair(parts, {0, {}}, world(Vector3(0.0, 0.0, 0.2 * as.length)), -Vector3::UnitZ(),
           newton_law(0.7));
  return Simulation(in_lane(parts, options(tolerance, as)));
}

/// A mass on a table that shakes: thrown off, landing, at rest on it for a while.
Simulation shaken(double h, double tolerance, const Written& as = {}) {
  const double w = 15.0;
  ModelParts parts = one_group({point_mass(Vector3(0.0, 0.0, -kG * as.length), as.mass),
                                Vector3::Zero(), Vector3(0.0, 0.0, 0.1 * w * as.length)},
                               MoreauJeanOptions{}, h);
  ParticleSystem table;
  table.mass = Vector::Constant(1, as.mass);
  table.prescribed.push_back({2, Signal::harmonic(0.1 * as.length, w, -0.5 * std::numbers::pi)});
  parts.groups.push_back({"table", "particles", std::make_shared<Particles>(table),
                          make_scheme(SchemeChoice(MoreauJeanOptions{}))});
  GroupState still;
  still.q = still.v = Vector::Zero(2);
  parts.initial.push_back(still);
  parts.options.end = 2.0;
  add_pair(parts, {0, {}}, {1, {}}, Vector3::UnitZ(), newton_law(0.3));
  return Simulation(in_lane(parts, options(tolerance, as)));
}

/// Four spheres of different size that meet in free space, rough and a little inelastic.
Simulation spheres(double h, double tolerance, const Written& as = {}) {
  RigidScene scene;
  scene.mode = TimeMode::events;
  scene.end = 3.0;
  scene.events = options(tolerance, as);
  scene.gravity.setZero();
  scene.margin = 0.02 * as.length;
  struct Thrown {
    double r, m;
    Vector3 x, v, Omega;
  };
  for (const Thrown& s : {Thrown{0.10, 1.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 5.0}},
                          Thrown{0.12, 2.0, {-1.0, 0.05, 0.02}, {1.5, 0.0, 0.0}, {3.0, 0.0, 0.0}},
                          Thrown{0.08, 0.5, {0.9, 0.03, -0.04}, {-0.7, 0.0, 0.0}, {0.0, 8.0, 0.0}},
                          Thrown{0.15, 3.0, {0.4, -1.25, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 1.0}}}) {
    RigidThing thing{Sphere{s.r * as.length}, s.m * as.mass};
    thing.x = as.length * (as.turn * s.x);
    thing.v = as.length * (as.turn * s.v);
    thing.Q = as.turn;
    thing.Omega = s.Omega;
    scene.add(thing);
  }
  return Simulation(scene.model(rig_mid(), h, newton_law(0.9, 0.2)));
}

struct Case {
  const char* name;
  double end;
  bool turns;  ///< its frame may be turned
  std::function<Simulation(double h, double tolerance, const Written& as)> make;
};
const std::array kCases{
    Case{"ball on a point", 4.3, true,
         [](double h, double tol, const Written& as) { return ball(false, 0.8, h, tol, as); }},
    Case{"sphere on a plane", 4.3, true,
         [](double h, double tol, const Written& as) { return ball(true, 0.8, h, tol, as); }},
    Case{"spinning sphere", 2.5, true, stone},
    Case{"stick and slip", 6.0, false, stick_slip},
    Case{"oscillator and stop", 20.0, false, stopped},
    Case{"shaken table", 2.0, false, shaken},
    Case{"four spheres", 3.0, true, spheres},
};

/// The same events at the same times; the largest distance of two times [s].
double same_events(const std::vector<Event>& a, const std::vector<Event>& b, double until) {
  const auto before = [&](std::vector<Event> events) {
    std::erase_if(events, [&](const Event& e) { return e.t > until; });
    return events;
  };
  const std::vector<Event> x = before(a), y = before(b);
  REQUIRE(!x.empty());
  REQUIRE_MESSAGE(x.size() == y.size(), "events:" << told(x) << "\nagainst" << told(y));
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE_MESSAGE((x[i].kind == y[i].kind && x[i].key == y[i].key),
                    "events:" << told(x) << "\nagainst" << told(y));
    worst = std::max(worst, std::abs(x[i].t - y[i].t));
  }
  return worst;
}

}  // namespace

TEST_CASE("events: a ball that keeps 0.8 of its speed: ten impacts, and the end of all of them") {
  const double e = 0.8, first = std::sqrt(2.0 / kG), rest = first * (1.0 + e) / (1.0 - e);
  for (const bool shapes : {false, true}) {
    CAPTURE(shapes);
    Simulation sim = ball(shapes, e, 4.3, 1e-9);
    const EventRun run = run_events(sim, 4.3);
    const std::vector<Event> hits = run.of(Kind::impact);
    REQUIRE(hits.size() >= 10);
    double t = first, v = kG * first, worst = 0.0, impulse = 0.0, energy = 0.0;
    for (std::size_t n = 0; n < 10; ++n) {
      worst = std::max(worst, std::abs(hits[n].t - t));
      CHECK(std::abs(hits[n].speed + v) <= 1e-11);
      CHECK(std::abs(hits[n].impulse[0] - (1.0 + e) * v) <= 1e-11);
      CHECK(std::abs(hits[n].energy + 0.5 * (1.0 - e * e) * v * v) <= 1e-11);
      v *= e;
      t += 2.0 * v / kG;
    }
    const Event end = run.one(Kind::rest);
    for (const Event& hit : hits) impulse += hit.impulse[0], energy += hit.energy;
    impulse += end.impulse[0];
    MESSAGE(fmt::format(
        "{}: impacts {:.1e} s off, rest {:.1e} s, impulse {:.1e} N s; {} impacts, {} evaluations",
        shapes ? "sphere and plane" : "points", worst, std::abs(end.t - rest),
        std::abs(impulse - kG * rest), hits.size(), run.evaluations));
    CHECK(worst <= 1e-12);
    CHECK(std::abs(end.t - rest) <= 1e-10);
    CHECK(std::abs(impulse - kG * rest) <= 1e-9);     // m g T: all that gravity gave
    CHECK(std::abs(energy + kG) <= 1e-8);             // bounces below 1e-9 m are left
    CHECK(std::abs(run.impulse - kG * 4.3) <= 1e-9);  // and its weight from then on
    CHECK(std::abs(account(sim, "impact") + kG) <= 1e-10);
    CHECK(open_in_ledger(sim) <= 1e-10);
    CHECK(run.unexplained <= 1e-10);
    CHECK(velocity_of(sim).norm() <= 1e-15);
    CHECK(std::abs(sim.state().groups[0].q[2] - (shapes ? 0.1 : 0.0)) <= 1e-14);
  }
}

TEST_CASE("events: their times do not depend on the length of the intervals") {
  for (const Case& c : kCases) {
    CAPTURE(std::string(c.name));
    Simulation whole = c.make(c.end, 1e-9, {});
    const EventRun reference = run_events(whole, c.end);
    double worst = 0.0;
    for (const double h : {1e-3, 0.0123, 0.21, 1.0}) {
      CAPTURE(h);
      Simulation sim = c.make(h, 1e-9, {});
      worst = std::max(worst, same_events(reference.log, run_events(sim, c.end).log, c.end));
    }
    CHECK(worst <= 1e-11);
    MESSAGE(fmt::format("{}: {} events, {:.1e} s apart", c.name, reference.log.size(), worst));
  }
}

TEST_CASE("events: a run goes on from a copy of its state with the same bits") {
  for (const Case& c : kCases) {
    CAPTURE(std::string(c.name));
    const double h = c.end / 13.7;
    Simulation sim = c.make(h, 1e-9, {});
    std::vector<State> states{sim.state()};
    std::vector<std::vector<Event>> events(1);
    for (int k = 0; k < 13; ++k) {
      REQUIRE(sim.advance().converged);
      states.push_back(sim.state());
      events.emplace_back(sim.events().begin(), sim.events().end());
    }
    for (std::size_t from = 0; from + 1 < states.size(); ++from) {
      CAPTURE(from);
      Simulation again(sim.model(), states[from]);
      for (std::size_t k = from + 1; k < states.size(); ++k) {
        CAPTURE(k);
        REQUIRE(again.advance().converged);
        const State &a = again.state(), &b = states[k];
        REQUIRE(a.t == b.t);
        for (std::size_t g = 0; g < b.groups.size(); ++g) {
          REQUIRE(a.groups[g].q == b.groups[g].q);
          REQUIRE(a.groups[g].v == b.groups[g].v);
        }
        REQUIRE(a.ledger == b.ledger);
        REQUIRE(a.energy.total() == b.energy.total());
        REQUIRE(a.contacts.size() == b.contacts.size());
        for (std::size_t i = 0; i < b.contacts.size(); ++i) {
          REQUIRE(a.contacts[i].key == b.contacts[i].key);
          REQUIRE(a.contacts[i].impulse == b.contacts[i].impulse);
        }
        const auto seen = again.events();
        REQUIRE(seen.size() == events[k].size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
          REQUIRE(seen[i].t == events[k][i].t);
          REQUIRE(seen[i].kind == events[k][i].kind);
          REQUIRE(seen[i].impulse == events[k][i].impulse);
        }
      }
    }
  }
}

TEST_CASE("events: every tolerance finds the same events, and a smaller one finds them better") {
  for (const Case& c : kCases) {
    CAPTURE(std::string(c.name));
    Simulation best = c.make(c.end, 1e-12, {});  // less is round-off
    const std::vector<Event> reference = run_events(best, c.end).log;
    std::string text;
    for (const double tolerance : {1e-8, 1e-9, 1e-10, 1e-11}) {
      CAPTURE(tolerance);
      Simulation sim = c.make(c.end, tolerance, {});
      const EventRun run = run_events(sim, c.end);
      const double off = same_events(reference, run.log, c.end);
      CHECK(off <= 100.0 * tolerance + 1e-11);
      text += fmt::format("  {:.0e}: {:.1e} s ({})", tolerance, off, run.evaluations);
    }
    MESSAGE(fmt::format("{}: off (evaluations){}", c.name, text));
  }
}

TEST_CASE("events: their times are the same in a frame that is turned") {
  for (const Case& c : kCases) {
    if (!c.turns) continue;
    CAPTURE(std::string(c.name));
    Simulation sim = c.make(c.end, 1e-12, {});
    const std::vector<Event> reference = run_events(sim, c.end).log;
    double worst = 0.0;
    for (const Vector3& by : {Vector3(0.3, 0.0, 0.0), Vector3(0.0, 0.5 * std::numbers::pi, 0.0),
                              Vector3(0.7, -1.9, 0.4), Vector3(-2.0, 0.1, 2.2)}) {
      CAPTURE(by.transpose());
      Written as;
      as.turn = Eigen::AngleAxisd(by.norm(), by.normalized());
      Simulation turned = c.make(c.end, 1e-12, as);
      worst = std::max(worst, same_events(reference, run_events(turned, c.end).log, c.end));
    }
    CHECK(worst <= 1e-10);
    MESSAGE(fmt::format("{}: {:.1e} s apart", c.name, worst));
  }
}

TEST_CASE("events: their times are the same in millimetres, kilometres, grammes and tons") {
  for (const Case& c : kCases) {
    CAPTURE(std::string(c.name));
    Simulation sim = c.make(c.end, 1e-9, {});
    const std::vector<Event> reference = run_events(sim, c.end).log;
    double worst = 0.0;
    for (const auto& [length, mass] :
         {std::pair(1e3, 1.0), {1.0, 1e3}, {1e3, 1e-3}, {1e-3, 1e-3}}) {
      CAPTURE(length);
      CAPTURE(mass);
      Simulation scaled = c.make(c.end, 1e-9, {.length = length, .mass = mass});
      const std::vector<Event> events = run_events(scaled, c.end).log;
      worst = std::max(worst, same_events(reference, events, c.end));
      for (std::size_t i = 0; i < std::min(events.size(), reference.size()); ++i)
        CHECK((events[i].impulse / (length * mass) - reference[i].impulse).norm() <=
              1e-8 * (1.0 + reference[i].impulse.norm()));
    }
    CHECK(worst <= 1e-10);
    MESSAGE(fmt::format("{}: {:.1e} s apart", c.name, worst));
  }
}

TEST_CASE("events: impacts in free space keep momentum and angular momentum, and take energy") {
  const std::array mass{1.0, 2.0, 0.5, 3.0}, radius{0.10, 0.12, 0.08, 0.15};
  Simulation sim = spheres(0.05, 1e-9);
  const auto momenta = [&] {
    std::array<Vector3, 2> sum{Vector3::Zero(), Vector3::Zero()};
    for (int i = 0; i < 4; ++i) {
      const auto k = static_cast<std::size_t>(i);
      sum[0] += mass[k] * speed_of(sim, i);
      sum[1] += mass[k] * (place_of(sim, i).cross(speed_of(sim, i)) +
                           0.4 * radius[k] * radius[k] * (turn_of(sim, i) * spin_of(sim, i)));
    }
    return sum;
  };
  const auto start = momenta();
  double linear = 0.0, angular = 0.0, taken = 0.0;
  std::size_t impacts = 0;
  while (sim.state().t < 3.0) {
    const double before = sim.state().energy.total();
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const auto now = momenta();
    linear = std::max(linear, (now[0] - start[0]).norm());
    angular = std::max(angular, (now[1] - start[1]).norm());
    double by_impacts = 0.0;
    for (const Event& e : sim.events()) {
      CHECK(e.kind == Kind::impact);
      CHECK(e.energy < 0.0);
      by_impacts += e.energy;
      ++impacts;
    }
    CHECK(std::abs(sim.state().energy.total() - before - by_impacts) <= 1e-12);
    taken += by_impacts;
  }
  CHECK(impacts >= 3);
  CHECK(linear <= 1e-13);
  CHECK(angular <= 1e-12);
  CHECK(taken < -0.01);
  CHECK(open_in_ledger(sim) <= 1e-12);
  MESSAGE(fmt::format("{} impacts: momentum {:.1e}, angular momentum {:.1e}, energy taken {:.3f} J",
                      impacts, linear, angular, -taken));
}
