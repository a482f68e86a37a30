// Benchmarks of mechanics with independent values (tests/golden/benchmarks) in event-driven integration: B01 to B07, B12, B21, B23, to
// the tolerances that only a run that locates its events can meet.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <Eigen/LU>

#include <array>
#include <map>
#include <numbers>

#include "../support/dense.h"
#include "../support/event_run.h"
#include "../support/golden.h"
#include "../support/rigid_scene.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using Kind = Event::Kind;

const double kPi = std::numbers::pi, kG = 9.81;

/// A quantity as event-driven integration gives it.
struct Measured {
  double value, tolerance;
  std::string text = {};  ///< of a quantity that is no number
};
using Quantities = std::map<std::string, Measured>;

/// Every row of the benchmark is measured within its tolerance.
void check_rows(const std::string& id, const Quantities& measured, const std::string& how = {}) {
  std::size_t rows = 0;
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ',')) {
    if (row[0] != id) continue;
    CAPTURE(id);
    CAPTURE(how);
    const auto at = measured.find(row[3]);
    REQUIRE_MESSAGE(at != measured.end(), "not measured: " << row[3]);
    ++rows;
    CAPTURE(row[3]);
    if (!at->second.text.empty()) {
      CHECK(at->second.text == row[4]);
      continue;
    }
    const double off = std::abs(at->second.value - number(row[4]));
    CHECK(off <= at->second.tolerance);
    MESSAGE(fmt::format("{} {}{} = {:.16g} {}, off by {:.1e} (allowed {:.1e}: {})", id, row[3],
                        how.empty() ? "" : ", " + how, at->second.value, row[5], off,
                        at->second.tolerance, row[8]));
  }
  CHECK(rows == measured.size());
}

/// Relative, of a value of the table.
double share(double tolerance, const std::string& id, const std::string& what) {
  return tolerance * std::abs(benchmark(id, what));
}

/// Point masses, without springs.
std::shared_ptr<const Dynamics> points(int n, const Vector3& gravity = Vector3::Zero()) {
  ParticleSystem system;
  system.mass = Vector::Ones(n);
  system.gravity = gravity;
  return std::make_shared<Particles>(system);
}

ModelParts falling_ball(double restitution, double h) {
  ModelParts parts =
      one_group({points(1, Vector3(0.0, 0.0, -kG)), Vector3::UnitZ(), Vector3::Zero()},
                MoreauJeanOptions{}, h);
  add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), newton_law(restitution));
  return parts;
}

}  // namespace

TEST_CASE("B01: events: every impact of a ball, and the end of infinitely many") {
  const double first = benchmark("B01", "first impact time"),
               rest = benchmark("B01", "accumulation time");
  Simulation sim(in_lane(falling_ball(0.5, 1.5), 1e-9));
  const EventRun run = run_events(sim, 1.5);
  const std::vector<Event> hits = run.of(Kind::impact);
  REQUIRE(hits.size() >= 10);
  Quantities seen;
  seen["first impact time"] = {hits[0].t, 1e-10};
  seen["accumulation time"] = {run.one(Kind::rest).t, 1e-8 * rest};
  seen["kinetic energy lost in impact 1 per mass"] = {-hits[0].energy, 1e-10};
  seen["sum of contact impulses per mass to rest"] = {
      run.impulse - kG * (1.5 - run.one(Kind::rest).t), 1e-9};
  for (const int n : {2, 5, 10}) {
    const double t = hits[static_cast<std::size_t>(n) - 1].t;
    const std::string time = fmt::format("impact time no. {}", n),
                      apex = fmt::format("apex height after impact {}", n);
    seen[time] = {t, share(1e-9, "B01", time)};
    Simulation up(in_lane(falling_ball(0.5, t + std::pow(0.5, n) * first), 1e-9));
    run_events(up, 0.0);
    seen[apex] = {up.state().groups[0].q[2], share(1e-9, "B01", apex)};
    CHECK(std::abs(velocity_of(up)[2]) <= 1e-10);
  }
  check_rows("B01", seen);
}

namespace {

/// The oscillator of B02 at its impact, which it leaves `share` times as fast as the orbit does.
Simulation forced_oscillator(double share, double h) {
  const double zeta = 0.05, w = 1.9, sigma = 0.2, e = 0.7,
               t0 = benchmark("B02", "impact phase t0 mod 2pi/w"),
               U = benchmark("B02", "pre-impact velocity U");
  LinearSystem system = oscillator(1.0, 1.0, 2.0 * zeta);
  system.loads.push_back({{{0, 1.0}}, Signal::harmonic(1.0, w, w * t0)});
  ModelParts parts = one_group({std::make_shared<Linear>(system), Vector::Constant(1, sigma),
                                Vector::Constant(1, -share * e * U)},
                               MoreauJeanOptions{}, h);
  add_pair(parts, {0, {}}, world(Vector3(0.0, 0.0, sigma)), -Vector3::UnitZ(), newton_law(e));
  return Simulation(in_lane(parts, 1e-12));
}

}  // namespace

TEST_CASE("B02: events: a forced oscillator returns to its orbit as its Floquet multipliers say") {
  const double w = 1.9, T = 2.0 * kPi / w, t0 = benchmark("B02", "impact phase t0 mod 2pi/w"),
               U = benchmark("B02", "pre-impact velocity U");
  Simulation sim = forced_oscillator(1.02, T);
  const EventRun run = run_events(sim, 200.0 * T);
  const std::vector<Event> hits = run.of(Kind::impact);
  CHECK(std::abs(static_cast<int>(hits.size()) - 200) <= 1);
  REQUIRE(hits.size() >= 3);
  Quantities seen;
  seen["impact phase t0 mod 2pi/w"] = {t0 + std::remainder(hits.back().t, T), 1e-6};
  seen["pre-impact velocity U"] = {-hits.back().speed, 1e-6 * U};
  seen["contact impulse per period per mass"] = {
      hits.back().impulse[0], share(1e-6, "B02", "contact impulse per period per mass")};

  // (phase, speed) at the impacts: deviations d from the orbit obey d_k+1 = A d_k, and A has the multipliers of the orbit
  Simulation near = forced_oscillator(1.0 + 1e-5, T);
  const std::vector<Event> back = run_events(near, 4.5 * T).of(Kind::impact);
  REQUIRE(back.size() >= 3);
  Eigen::Matrix<double, 2, 3> d;
  for (int k = 0; k < 3; ++k) {
    const Event& hit = back[static_cast<std::size_t>(k)];
    d.col(k) << hit.t - (k + 1) * T, -hit.speed / U - 1.0;
  }
  const Eigen::Matrix2d A = d.rightCols<2>() * d.leftCols<2>().inverse();
  seen["largest Floquet multiplier modulus"] = {spectral_radius(A), 1e-3};
  seen["product of Floquet multipliers"] = {A.determinant(), 1e-3};
  check_rows("B02", seen, fmt::format("{} evaluations a period", run.evaluations / 200));
}

TEST_CASE("B03: events: a mass is thrown off a vibrating table and lands on it") {
  const double A = 0.1, w = 15.0;
  const auto shaken = [&](double h) {
    ModelParts parts =
        one_group({points(1, Vector3(0.0, 0.0, -kG)), Vector3::Zero(), Vector3(0.0, 0.0, A * w)},
                  MoreauJeanOptions{}, h);
    ParticleSystem table;
    table.mass = Vector::Ones(1);
    table.prescribed.push_back({2, Signal::harmonic(A, w, -0.5 * kPi)});
    parts.groups.push_back({"table", "particles", std::make_shared<Particles>(table),
                            make_scheme(SchemeChoice(MoreauJeanOptions{}))});
    GroupState still;
    still.q = still.v = Vector::Zero(2);
    parts.initial.push_back(still);
    add_pair(parts, {0, {}}, {1, {}}, Vector3::UnitZ(), newton_law(0.0));
    return Simulation(in_lane(parts, 1e-12));
  };
  Simulation sim = shaken(0.4);
  const EventRun run = run_events(sim, 0.4);
  CAPTURE(told(run.log));
  const Event off = run.one(Kind::opens), hit = run.one(Kind::impact, 0.1);
  // impulse of an interval from the start on, over its length h: g - A w^3 h/2 + c h^3 + O(h^5), extrapolated to 0
  const auto force = [&](double h) { return shaken(h).advance().impulse / h; };
  const double h = 2e-3, half = 2.0 * force(0.5 * h) - force(h),
               quarter = 2.0 * force(0.25 * h) - force(0.5 * h),
               at_start = (8.0 * quarter - half) / 7.0;
  check_rows("B03", {{"lift-off time", {off.t, 1e-9}},
                     {"first re-impact time", {hit.t, 1e-8}},
                     {"relative approach velocity at re-impact", {hit.speed, 1e-7}},
                     {"contact force per mass at t=0", {at_start, 1e-9}}});
}

TEST_CASE("B04: events: a particle and a box slide up a slope, stop and stay") {
  const double slope = 20.0 * kPi / 180.0, h = 0.05;
  const Vector3 up(std::cos(slope), 0.0, std::sin(slope)), normal(-up.z(), 0.0, up.x());
  const auto check = [&](Simulation sim, const std::string& how) {
    const Vector3 start = sim.state().groups[0].q.head<3>();
    const EventRun run = run_events(sim, 0.3);
    CHECK(run.of(Kind::sticks).empty());
    CHECK(run.of(Kind::opens).empty());
    const EventRun later = run_events(sim, 2.0);
    CAPTURE(told(later.log));
    const std::vector<Event> sticks = later.of(Kind::sticks);
    REQUIRE(!sticks.empty());
    CHECK(sticks.back().t - sticks.front().t <= 1e-12);  // all corners of a box at once
    double P_N = 0.0, P_up = 0.0, moved = 0.0;
    for (int k = 0; k < 20; ++k) {
      const Vector q0 = sim.state().groups[0].q;
      REQUIRE(sim.advance().converged);
      moved = std::max(moved, (sim.state().groups[0].q - q0).norm() / h);
    }
    for (const ContactView& c : sim.contacts()) {
      P_N += c.force.dot(normal);
      P_up += c.force.dot(up);
    }
    CHECK(account(sim, "friction") ==
          doctest::Approx(-(4.5 - kG * 0.565013610587311 * std::sin(slope))).epsilon(1e-9));
    CHECK(open_in_ledger(sim) <= 1e-9);
    const Vector v = velocity_of(sim);
    check_rows("B04",
               {{"stop time (apex)", {sticks.front().t, 1e-9}},
                {"distance up-slope", {(sim.state().groups[0].q.head<3>() - start).dot(up), 1e-9}},
                {"creep velocity afterwards", {std::max(moved, v.norm()), 1e-12}},
                {"friction force/normal force at rest", {P_up / P_N, 1e-8}}},
               how);
  };
  ModelParts parts = one_group({points(1, Vector3(0.0, 0.0, -kG)), Vector3::Zero(), 3.0 * up},
                               MoreauJeanOptions{}, h);
  add_pair(parts, {0, {}}, world(), normal, newton_law(0.0, 0.5), {up, Vector3::UnitY()});
  check(Simulation(in_lane(parts, 1e-9)), "particle");

  RigidScene scene;
  scene.mode = TimeMode::events;
  RigidThing block{Box{Vector3(0.15, 0.15, 0.05)}};
  Pose plane;
  plane.R << up.x(), 0.0, normal.x(), 0.0, 1.0, 0.0, up.z(), 0.0, normal.z();
  block.x = 0.05 * normal;
  block.Q = Quaternion(plane.R);
  block.v = 3.0 * up;
  scene.add(block);
  scene.fix(Plane{}, plane);
  check(Simulation(scene.model(rig_mid(), h, newton_law(0.0, 0.5))), "box");
}

namespace {

/// A sphere of radius `r` that touches the plane z = 0, in event-driven integration.
Simulation ball_on_plane(double r, double gap, const Vector3& v, const Vector3& gravity,
                         const AnyLaw& law, double h) {
  RigidScene scene;
  scene.mode = TimeMode::events;
  scene.gravity = gravity;
  RigidThing ball{Sphere{r}};
  ball.x = Vector3(0.0, 0.0, r + gap);
  ball.v = v;
  scene.add(ball);
  scene.fix(Plane{});
  return Simulation(scene.model(rig_mid(), h, law));
}

/// Angular velocity in space [rad/s].
Vector3 spin_in_space(const Simulation& sim, int body = 0) {
  return turn_of(sim, body) * spin_of(sim, body);
}

}  // namespace

TEST_CASE("B05: events: a sliding sphere begins to roll") {
  const double r = 0.108, speed = benchmark("B05", "final speed");
  Simulation sim = ball_on_plane(r, 0.0, Vector3(5.0, 0.0, 0.0), Vector3(0.0, 0.0, -kG),
                                 newton_law(0.0, 0.3), 0.1);
  const EventRun run = run_events(sim, 1.0);
  CAPTURE(told(run.log));
  const double rolls = run.one(Kind::sticks).t, omega = spin_in_space(sim).y(),
               lost = sim.state().energy_start - sim.state().energy.total();
  CHECK(std::abs(speed_of(sim, 0).x() - r * omega) <= 1e-11);
  CHECK(std::abs(account(sim, "friction") + lost) <= 1e-10);
  CHECK(std::abs(place_of(sim, 0).z() - r) <= 1e-12);
  // Rolling from rest: slip begins where it needs more friction than mu. tan = mu (1 + 1/k), found by halving.
  double low = 0.5, high = 2.0;
  while (high - low > 1e-6) {
    const double tan = 0.5 * (low + high), cos = 1.0 / std::hypot(1.0, tan);
    Simulation down = ball_on_plane(r, 0.0, Vector3::Zero(), kG * cos * Vector3(tan, 0.0, -1.0),
                                    newton_law(0.0, 0.3), 0.2);
    REQUIRE(down.advance().converged);
    const double slip = speed_of(down, 0).x() - r * spin_in_space(down).y();
    (std::abs(slip) <= 1e-9 ? low : high) = tan;
  }
  check_rows("B05", {{"time at which pure rolling starts", {rolls, 1e-9}},
                     {"final speed", {speed_of(sim, 0).x(), 1e-10 * speed}},
                     {"distance slid",
                      {place_of(sim, 0).x() - speed_of(sim, 0).x() * (1.0 - rolls), 1e-9}},
                     {"energy lost per mass", {lost, share(1e-9, "B05", "energy lost per mass")}},
                     {"angular momentum about contact line per mass (invariant)",
                      {r * speed_of(sim, 0).x() + 0.4 * r * r * omega, 1e-12 * 0.54}},
                     {"critical tan(slope) for rolling from rest", {low, 2e-6}}});
}

namespace {

/// Three balls in a line with gaps between them, the first moving at 1 m/s.
Simulation cradle(double gap, const AnyLaw& law, ImpactOrder order, double h) {
  Vector q = Vector::Zero(9), v = Vector::Zero(9);
  q[3] = gap;
  q[6] = 2.0 * gap;
  v[0] = 1.0;
  ModelParts parts = one_group({points(3), q, v}, MoreauJeanOptions{}, h);
  for (int i = 0; i < 2; ++i)
    add_pair(parts, {0, {0, i + 1, Vector3::Zero()}}, {0, {0, i, Vector3::Zero()}},
             Vector3::UnitX(), law);
  return Simulation(in_lane(parts, 1e-9, order));
}

Vector3 along_x(const Simulation& sim) {
  const Vector v = velocity_of(sim);
  return {v[0], v[3], v[6]};
}

}  // namespace

TEST_CASE("B06: events: three balls share an impact as the order of impacts and the gaps say") {
  PoissonImpact poisson;
  poisson.restitution = 1.0;
  for (const AnyLaw& law : {AnyLaw(newton_law(1.0)), AnyLaw(poisson)}) {
    CAPTURE(law->name());
    Simulation together = cradle(0.0, law, ImpactOrder::simultaneous, 0.1);
    const EventRun run = run_events(together, 0.1);
    CAPTURE(told(run.log));
    CHECK(open_in_ledger(together) <= 1e-14);
    // one after the other: because of gaps whatever the order, or by the order alone
    for (const ImpactOrder order : {ImpactOrder::simultaneous, ImpactOrder::sequential})
      for (const double gap : {0.0, 1e-6}) {
        if (gap == 0.0 && order == ImpactOrder::simultaneous) continue;
        CAPTURE(gap);
        Simulation apart = cradle(gap, law, order, 1e-3);
        const std::vector<Event> hits = run_events(apart, 0.0).of(Kind::impact);
        CAPTURE(told(hits));
        REQUIRE(hits.size() == 2);
        for (std::size_t i = 0; i < 2; ++i)
          CHECK(std::abs(hits[i].t - static_cast<double>(i + 1) * gap) <= 1e-15);
        CHECK((along_x(apart) - Vector3::UnitZ()).norm() <= 1e-10);
        if (gap > 0.0) continue;
        CHECK(std::abs(hits[0].impulse[0] - 1.0) <= 1e-12);
        CHECK(std::abs(hits[1].impulse[0] - 1.0) <= 1e-12);
      }
    Simulation apart = cradle(1e-6, law, ImpactOrder::simultaneous, 1e-3);
    run_events(apart, 0.0);
    Quantities seen;
    for (int i = 0; i < 3; ++i)
      seen[fmt::format("v after, ball {}", i + 1)] = {along_x(together)[i], 1e-10};
    for (int i = 0; i < 2; ++i) {
      double P = 0.0;
      for (const Event& hit : run.of(Kind::impact, static_cast<std::uint64_t>(i) + 1))
        P += hit.impulse[0];
      seen[fmt::format("impulse contact {}", i + 1)] = {P, 1e-10};
    }
    seen["with infinitesimal gaps (sequential binary impacts): v of last ball"] = {
        along_x(apart)[2], 1e-10};
    check_rows("B06", seen, std::string(law->name()));
  }
}

TEST_CASE("B06: events: energy and momentum outlive an elastic impact in every order of impacts") {
  for (const ImpactOrder order :
       {ImpactOrder::simultaneous, ImpactOrder::sequential, ImpactOrder::energetic}) {
    CAPTURE(static_cast<int>(order));
    Simulation sim = cradle(0.0, newton_law(1.0), order, 0.1);
    run_events(sim, 0.5);
    const Vector3 v = along_x(sim);
    CAPTURE(v.transpose());
    CHECK(std::abs(v.sum() - 1.0) <= 1e-14);
    CHECK(std::abs(v.squaredNorm() - 1.0) <= 1e-11);
    CHECK(v[0] <= v[1] + 1e-14);
    CHECK(v[1] <= v[2] + 1e-14);
  }
}

TEST_CASE("B06h: events: three beads pass an impact on by the force of Hertz") {
  Simulation sim = cradle(0.0, spring_law(1.0, 1.5), ImpactOrder::simultaneous, 1.0);
  const EventRun run = run_events(sim, 12.0);
  CAPTURE(told(run.log));
  const Vector3 v = along_x(sim);
  CHECK(std::abs(v.sum() - 1.0) <= 1e-13);
  CHECK(std::abs(v.squaredNorm() - 1.0) <= 1e-7);
  Quantities seen;
  for (int i = 0; i < 3; ++i) seen[fmt::format("final v bead {}", i + 1)] = {v[i], 2e-6};
  check_rows("B06h", seen, fmt::format("{} evaluations", run.evaluations));
}

TEST_CASE("B07: events: a sphere strikes a plane obliquely and leaves it rolling") {
  const double mu = 0.1, r = 0.1, gap = 0.3;
  Simulation sim =
      ball_on_plane(r, gap, Vector3(1.0, 0.0, -2.0), Vector3::Zero(), newton_law(0.5, mu), 0.5);
  const Event hit = run_events(sim, 0.0).one(Kind::impact);
  CHECK(std::abs(hit.t - 0.15) <= 1e-12);
  CHECK(std::abs(hit.speed + 2.0) <= 1e-12);
  const double tangential = std::hypot(hit.impulse[1], hit.impulse[2]),
               slip = speed_of(sim, 0).x() - r * spin_in_space(sim).y();
  const bool sticks = std::abs(slip) <= 1e-12 && tangential < mu * hit.impulse[0];
  CHECK(std::abs(hit.energy - (sim.state().energy.kinetic - sim.state().energy_start)) <= 1e-12);
  check_rows("B07", {{"mode", {0.0, 0.0, sticks ? "stick" : "slip"}},
                     {"normal impulse", {hit.impulse[0], 1e-10}},
                     {"tangential impulse", {-tangential, 1e-9}},
                     {"vx after", {speed_of(sim, 0).x(), 1e-9}},
                     {"omega_y after", {spin_in_space(sim).y(), 1e-9}},
                     {"kinetic energy after", {sim.state().energy.kinetic, 1e-9}}});
}

TEST_CASE("B12: events: a mass on an elastic ground, by the force of Hertz") {
  const double m = 0.5236, E = 7e9 / (1.0 - 0.09), k = 4.0 / 3.0 * E * std::sqrt(0.05), gap = 1e-4;
  const auto drop = [&](double h) {
    ParticleSystem system;
    system.mass = Vector::Constant(1, m);
    ModelParts parts =
        one_group({std::make_shared<Particles>(system), gap * Vector3::UnitZ(), -Vector3::UnitZ()},
                  MoreauJeanOptions{}, h);
    add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), spring_law(k, 1.5));
    return Simulation(in_lane(parts, 1e-13));
  };
  Simulation sim = drop(1e-3);
  const EventRun run = run_events(sim, 0.0);
  CAPTURE(told(run.log));
  const std::vector<Event> ends = run.of(Kind::spring);
  REQUIRE(ends.size() == 2);
  CHECK(std::abs(ends[0].t - gap) <= 1e-16);
  CHECK(std::abs(velocity_of(sim)[2] - 1.0) <= 1e-11);
  // deepest midway between
  const double time = ends[1].t - ends[0].t;
  Simulation half = drop(gap + 0.5 * time);
  run_events(half, 0.0);
  const double depth = -half.state().groups[0].q[2];
  CHECK(std::abs(velocity_of(half)[2]) <= 1e-9);
  check_rows("B12",
             {{"duration constant (t = C d/v)", {time / depth, 1e-10}},
              {"max indentation", {depth, share(1e-10, "B12", "max indentation")}},
              {"contact time", {time, share(1e-10, "B12", "contact time")}},
              {"max force", {k * std::pow(depth, 1.5), share(1e-10, "B12", "max force")}}},
             fmt::format("{} evaluations", run.evaluations));
}

TEST_CASE("B21: events: dry friction stops a mass on a spring after three half cycles") {
  ModelParts parts = one_group(
      {std::make_shared<Linear>(oscillator(1.0, 100.0)), Vector::Constant(1, 0.1), Vector::Zero(1)},
      MoreauJeanOptions{}, 0.25);
  add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), relay_law(1.5));
  Simulation sim(in_lane(parts, 1e-12));
  const EventRun run = run_events(sim, 1.5);
  CAPTURE(told(run.log));
  std::set<double> turns;  // its velocity is zero
  for (const Event& e : run.log)
    if (e.t > 1e-9) turns.insert(e.t);
  const std::vector<Event> sticks = run.of(Kind::sticks);
  REQUIRE(!sticks.empty());
  CHECK(run.log.back().kind == Kind::sticks);
  CHECK(std::abs(velocity_of(sim)[0]) <= 1e-15);
  check_rows("B21",
             {{"number of half cycles before it sticks", {static_cast<double>(turns.size()), 0.0}},
              {"final position", {sim.state().groups[0].q[0], 1e-9}},
              {"time of final stop", {sticks.back().t, 1e-10}},
              {"energy dissipated", {-account(sim, "friction"), 1e-10}}},
             fmt::format("{} evaluations", run.evaluations));
}

TEST_CASE("B23: events: two smooth discs leave each other at right angles") {
  const double r = 0.1, way = 0.3;
  const Vector3 line(std::sqrt(0.75), 0.5, 0.0);
  RigidScene scene;
  scene.mode = TimeMode::events;
  scene.gravity.setZero();
  RigidThing moving{Sphere{r}}, resting{Sphere{r}};
  moving.v = Vector3::UnitX();
  moving.x = -2.0 * r * line - way * Vector3::UnitX();
  scene.add(moving);
  scene.add(resting);
  Simulation sim(scene.model(rig_mid(), 1.0, newton_law(1.0)));
  const Event hit = run_events(sim, 0.0).one(Kind::impact);
  CHECK(std::abs(hit.t - way) <= 1e-12);
  CHECK(std::abs(hit.energy) <= 1e-13);
  const Vector3 v1 = speed_of(sim, 0), v2 = speed_of(sim, 1);
  const double angle = std::acos(v1.dot(v2) / (v1.norm() * v2.norm())) * 180.0 / kPi;
  check_rows("B23", {{"v1x after", {v1.x(), 1e-10}},
                     {"v1y after", {v1.y(), 1e-10}},
                     {"v2x after", {v2.x(), 1e-10}},
                     {"v2y after", {v2.y(), 1e-10}},
                     {"impulse after", {hit.impulse[0], 1e-10}},
                     {"angle between outgoing velocities", {angle, 1e-8}}});
}
