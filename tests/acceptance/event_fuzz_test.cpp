// Event-driven integration on many small scenes that nobody chose: balls and boxes on planes with any speed, friction and restitution.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../support/event_run.h"
#include "../support/rigid_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Equal numbers on every machine: a 64-bit mix of a counter (splitmix).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  double between(double low, double high) {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    return low + (high - low) * static_cast<double>(z >> 11) * 0x1p-53;
  }
  int below(int n) { return static_cast<int>(between(0.0, n)); }
  Vector3 vector(double most) {
    const double x = between(-most, most), y = between(-most, most), z = between(-most, most);
    return {x, y, z};
  }

 private:
  std::uint64_t state_;
};

struct Fuzz {
  RigidScene scene;
  AnyLaw law = SignoriniPosition{};
  ImpactOrder order = ImpactOrder::simultaneous;
  bool planar = false, walls = false;
  bool wide = false;  ///< contacts are known from afar, so that all that carry impulses are shown
};

/// 2 to 5 balls and boxes above a floor, some between two walls, in space or in the plane y = 0.
Fuzz fuzz(std::uint64_t seed) {
  Numbers any(seed);
  Fuzz f;
  f.planar = any.below(2) == 0;
  f.walls = any.below(3) == 0;
  f.wide = any.below(2) == 0;
  if (f.wide) f.scene.margin = 2.0;
  const double e[] = {0.0, 0.3, 0.5, 0.8, 0.9, 1.0}, mu[] = {0.0, 0.1, 0.3, 0.7, 1.5};
  f.law = newton_law(e[any.below(6)], mu[any.below(5)]);
  f.order = std::array{ImpactOrder::simultaneous, ImpactOrder::sequential,
                       ImpactOrder::energetic}[static_cast<std::size_t>(any.below(3))];
  const int bodies = 2 + any.below(4);
  for (int i = 0; i < bodies; ++i) {
    RigidThing thing;
    thing.mass = any.between(0.3, 2.0);
    const bool ball = any.below(2) == 0;
    const double size = any.between(0.05, 0.1);
    if (ball)
      thing.shape = Sphere{size};
    else
      thing.shape = Box{Vector3(size, any.between(0.05, 0.1), any.between(0.05, 0.1))};
    // In a row with room to turn, each at its own height.
    thing.x = Vector3(0.36 * i, 0.0, any.between(0.18, 0.35));
    thing.v = any.vector(1.5);
    thing.Omega = any.vector(4.0);
    Vector3 axis = any.vector(1.0);
    const double turn = any.between(-1.0, 1.0);
    if (f.planar) {
      axis = Vector3::UnitY();
      thing.v.y() = thing.Omega.x() = thing.Omega.z() = 0.0;
      thing.locked = {false, true, false, true, false, true};
    }
    thing.Q = Quaternion(Eigen::AngleAxisd(turn, axis.normalized()));
    f.scene.add(thing);
  }
  if (f.planar) f.scene.plane = Vector3::UnitY();
  f.scene.fix(Plane{});
  if (f.walls)
    for (const double side : {-1.0, 1.0}) {
      Pose wall;
      wall.R.col(2) = -side * Vector3::UnitX();
      wall.R.col(1) = Vector3::UnitY();
      wall.R.col(0) = wall.R.col(1).cross(wall.R.col(2));
      wall.x = Vector3(side > 0.0 ? 0.36 * (bodies - 1) + 0.2 : -0.2, 0.0, 0.0);
      f.scene.fix(Plane{}, wall);
    }
  return f;
}

/// What went wrong in one scene; empty: nothing.
std::string fault_of(std::uint64_t seed, double tolerance, bool hand_over,
                     std::map<std::string, int>& seen) {
  Fuzz f = fuzz(seed);
  EventOptions events;
  events.tolerance = tolerance;
  events.hand_over = hand_over;
  events.impacts = f.order;
  const double end = 0.5, h = 0.02;
  Simulation sim(in_event_mode(f.scene.model(rig_mid(), h, f.law), h, end, events));
  const double E0 = sim.state().energy_start, scale = std::max(std::abs(E0), 1.0);
  Vector3 momentum = Vector3::Zero(), impulses = Vector3::Zero();
  const auto sum = [&] {
    Vector3 p = Vector3::Zero();
    for (std::size_t i = 0; i < f.scene.system.bodies.size(); ++i)
      p += f.scene.system.bodies[i].mass * speed_of(sim, static_cast<int>(i));
    return p;
  };
  double mass = 0.0;
  for (const RigidBody& body : f.scene.system.bodies) mass += body.mass;
  momentum = sum();
  double unbalanced = 0.0;
  const EventRun run = run_in_events(sim, end, [&](const Simulation& s, const StepReport&) {
    if (!f.wide) return;
    // Impulses of the world on the bodies; those between bodies cancel.
    for (const ContactView& c : s.contacts())
      if ((c.a.group >= 0) != (c.b.group >= 0)) impulses += (c.a.group >= 0 ? h : -h) * c.force;
    Vector3 expected = momentum + impulses + mass * s.state().t * f.scene.gravity;
    Vector3 off = sum() - expected;
    if (f.planar) off.y() = 0.0;
    unbalanced = std::max(unbalanced, off.norm());
  });
  seen["steps"] += static_cast<int>(run.steps);
  seen["evaluations"] += static_cast<int>(run.evaluations);
  seen["handed over"] += run.count(Event::Kind::hand_over);
  for (const Event& e : run.log) ++seen[std::string(name_of(e.kind))];
  const std::string what = fmt::format(
      "seed {} ({} bodies, {}{}, e {}, mu {}, {}): ", seed, f.scene.system.bodies.size(),
      f.planar ? "plane" : "space",
      fmt::format("{}{}", f.walls ? ", walls" : "", f.wide ? ", seen from afar" : ""),
      f.law->facts().restitution, f.law->facts().friction.coefficient, name_of(f.order));
  if (!run.good && run.count(Event::Kind::hand_over) > 0 &&
      run.failure.find("the contact solver did not reach its tolerance") != std::string::npos) {
    ++seen["unsolved"];  // a run that stops and says so
    return {};
  }
  if (!run.good) return what + run.failure;
  if (run.gap < -1e-9) return what + fmt::format("penetration {:.2e} m", -run.gap);
  // Newton's e on a corner with friction may bring energy in: that of an impact is told, and of the energetic order never > 0.
  double brought = 0.0;
  for (const Event& e : run.log)
    if (e.kind == Event::Kind::impact) brought = std::max(brought, e.energy);
  if (f.order == ImpactOrder::energetic && brought > 1e-9 * scale)
    return what + fmt::format("an energetic impact brings {:.2e} J in", brought);
  // Steps of 20 ms that the schemes take may bring some in: theirs to tell.
  if (run.count(Event::Kind::hand_over) == 0 &&
      run.rise > brought * (1.0 + 1e-9) * 3.0 + 100.0 * tolerance * scale)
    return what + fmt::format("energy grows by {:.2e} J", run.rise);
  if (run.unexplained > 1e-12 * scale)
    return what + fmt::format("{:.2e} J unexplained", run.unexplained);
  if (run.count(Event::Kind::hand_over) == 0 &&
      std::abs(account(sim, "scheme")) > 1e3 * tolerance * scale)
    return what + fmt::format("{:.2e} J by the integrator", account(sim, "scheme"));
  // Of an interval in which the schemes take over contacts() shows their impulses alone.
  if (run.count(Event::Kind::hand_over) == 0 && unbalanced > 1e3 * tolerance * mass)
    return what + fmt::format("momentum off by {:.2e} N s", unbalanced);
  return {};
}

void check_scenes(std::uint64_t first, std::uint64_t last) {
  std::map<std::string, int> seen, of_kind;
  std::vector<std::string> faults;
  for (std::uint64_t seed = first; seed < last; ++seed)
    if (const std::string fault = fault_of(seed, 1e-9, true, seen); !fault.empty())
      faults.push_back(fault);
  // Seed 153: a box that closes one edge of four corners, with friction 1.5. Three corners rest, and the gaps of the fourth do not
  // lie in their plane by 8e-11 m, because what penetrates counts as closed; every solver stays at 2e-9 there, for 1e-9.
  CHECK(seen["unsolved"] <= static_cast<int>(last - first) / 200);
  for (const std::string& fault : faults) MESSAGE(fault);
  std::string text;
  for (const auto& [name, count] : seen) text += fmt::format("{} {}  ", count, name);
  MESSAGE(fmt::format("{} scenes: {}", last - first, text));
  CHECK(faults.empty());
}

}  // namespace

TEST_CASE(
    "twenty scenes at random: no failure, no penetration, no energy from nothing, momentum "
    "balanced") {
  check_scenes(0, 20);
}

TEST_SUITE("slow: events") {
  TEST_CASE("two hundred scenes at random: no failure, no penetration, no energy from nothing") {
    check_scenes(20, 220);
  }
}
