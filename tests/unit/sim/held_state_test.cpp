// Vectors of the state that stay where they are, and steps that an exception of the user's ends.
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace saltus {
namespace {

/// Two groups that touch, with a scheme each.
Model two_groups(const std::string& scheme, const std::string& more = "") {
  return build(read_scene_text(R"(
saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
)" + more + R"(
bodies:
  - {name: ground, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: low, kind: rigid, scheme: )" +
                                   scheme + R"(,
     rigid: {shape: {sphere: {radius: 0.1}}, density: 1000, position: [0, 0, 0.1]}}
  - {name: high, kind: rigid, scheme: {kind: moreau-jean, theta: 0.75},
     rigid: {shape: {sphere: {radius: 0.1}}, density: 500, position: [0.01, 0, 0.3], spin: [1, 2, 3]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
)",
                               "two balls"));
}

bool same(const State& a, const State& b) {
  for (std::size_t g = 0; g < a.groups.size(); ++g)
    if (a.groups[g].q != b.groups[g].q || a.groups[g].v != b.groups[g].v) return false;
  return a.t == b.t && a.step == b.step && a.ledger == b.ledger;
}

struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A scheme of the engine that stops in a call.
class Stopping final : public Scheme {
 public:
  enum class In { nowhere, prepare, begin, linearise, finish, work, every_begin, fail };
  Stopping(std::shared_ptr<const Scheme> scheme, std::shared_ptr<In> where)
      : scheme_(std::move(scheme)), where_(std::move(where)) {}
  std::string_view name() const override { return scheme_->name(); }
  unsigned needs() const override { return scheme_->needs(); }
  unsigned refuses() const override { return scheme_->refuses(); }
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override {
    at(In::prepare);
    return scheme_->prepare(body, h);
  }
  void begin(const Dynamics& body, Trial& trial) const override {
    scheme_->begin(body, trial);
    at(In::begin);
    if (*where_ == In::fail) trial.failure = "told to";
  }
  void linearise(const Dynamics& body, Trial& trial) const override {
    at(In::linearise);
    scheme_->linearise(body, trial);
  }
  double correct(const Dynamics& body, Trial& trial) const override {
    return scheme_->correct(body, trial);
  }
  bool one_pass(const Dynamics& body) const override { return scheme_->one_pass(body); }
  void finish(const Dynamics& body, Trial& trial, GroupState& end) const override {
    scheme_->finish(body, trial, end);
    at(In::finish);
  }
  double gain() const override { return scheme_->gain(); }
  double axes_at() const override { return scheme_->axes_at(); }
  void place(const Dynamics& body, const Trial& trial, double fraction, Out q) const override {
    scheme_->place(body, trial, fraction, q);
  }
  void work(const Dynamics& body, Trial& trial, const GroupState& end,
            StepWork& work) const override {
    at(In::work);
    scheme_->work(body, trial, end, work);
  }
  PassLimits pass_limits() const override { return scheme_->pass_limits(); }

 private:
  void at(In call) const {
    if (*where_ == In::every_begin && call == In::begin) throw Thrown("stopped");
    if (*where_ != call) return;
    *where_ = In::nowhere;  // once
    throw Thrown("stopped");
  }
  std::shared_ptr<const Scheme> scheme_;
  std::shared_ptr<In> where_;
};

/// The model with such a scheme in the place of its first.
Model stopping(const Model& from, std::shared_ptr<Stopping::In> where) {
  ModelParts parts;
  parts.groups.assign(from.groups().begin(), from.groups().end());
  parts.groups[0].scheme = std::make_shared<Stopping>(parts.groups[0].scheme, std::move(where));
  parts.initial.assign(from.initial().begin(), from.initial().end());
  parts.laws.assign(from.laws().begin(), from.laws().end());
  parts.surfaces = from.surfaces();
  parts.solver = std::shared_ptr<const ContactSolver>(std::shared_ptr<void>(), &from.solver());
  parts.options = from.options();
  return Model(std::move(parts));
}

}  // namespace

TEST_CASE("a step of no length is refused and leaves the state as it was") {
  for (const char* control : {"", "tolerance: 1e-4"})
    for (const double h : {0.0, -1e-3, std::numeric_limits<double>::quiet_NaN()}) {
      CAPTURE(control);
      CAPTURE(h);
      Simulation sim(build(read_scene_text(std::string(R"(
saltus: 1
time: {end: 1 s, step: 1 ms, )") + control + R"(}
gravity: [0, 0, -9.81]
bodies:
  - {name: ball, kind: rigid, rigid: {mass: 2, inertia: [1, 1, 1], spin: [0, 0, 3]}}
)",
                                           "a ball")));
      for (int steps : {0, 3}) {
        for (int k = 0; k < steps; ++k) sim.advance(1e-3);
        const State before = sim.state();
        CHECK_THROWS(sim.advance(h));
        CHECK(sim.state().groups.size() == 1);
        CHECK(same(sim.state(), before));
      }
      CHECK(sim.advance(1e-3).converged);
    }
}

TEST_CASE("vectors that are held stay in their place, show every step and change no bit of it") {
  for (const char* scheme : {"moreau-jean", "rig-mid", "rig-neg", "rig-pos", "euler-explicit",
                             "euler-implicit", "newmark", "generalized-alpha"}) {
    CAPTURE(scheme);
    const Model model = two_groups(scheme);
    Simulation held(model), plain(model);
    for (Simulation* sim : {&held, &plain}) sim->advance();
    std::vector<std::array<const double*, 2>> at;
    for (int g = 0; g < 2; ++g) {
      const GroupState& state = held.hold(g);
      at.push_back({state.q.data(), state.v.data()});
    }
    for (const double h : {1e-3, 1e-3, 5e-4, 5e-4, 1e-3, 2e-3, 1e-3}) {
      for (Simulation* sim : {&held, &plain}) REQUIRE(sim->advance(h).converged);
      for (std::size_t g = 0; g < 2; ++g) {
        CHECK(held.state().groups[g].q.data() == at[g][0]);
        CHECK(held.state().groups[g].v.data() == at[g][1]);
      }
      CHECK(same(held.state(), plain.state()));
    }
    const Simulation moved(std::move(held));
    CHECK(moved.state().groups[1].q.data() == at[1][0]);
  }
}

TEST_CASE("a failed step leaves vectors that are held in their place") {
  for (const char* policy : {"stop", "halve"}) {
    CAPTURE(policy);
    const auto where = std::make_shared<Stopping::In>();
    const Model source = two_groups("rig-mid", std::string("on_failure: ") + policy);
    Simulation sim(stopping(source, where));
    REQUIRE(sim.advance().converged);
    const double* const q = sim.hold(1).q.data();
    const State before = sim.state();
    *where = Stopping::In::fail;
    for (const double h : {1e-3, 5e-4}) CHECK_FALSE(sim.advance(h).converged);
    CHECK(same(sim.state(), before));
    CHECK(sim.state().groups[1].q.data() == q);
    *where = Stopping::In::nowhere;
    CHECK(sim.advance().converged);
    CHECK(sim.state().groups[1].q.data() == q);
  }
}

TEST_CASE(
    "an exception out of a step leaves the state as it was, and the steps behind it their bits") {
  using In = Stopping::In;
  for (const char* policy : {"stop", "halve"})
    for (const In call : {In::prepare, In::begin, In::linearise, In::finish, In::work})
      for (const double h : {1e-3, 5e-4}) {
        if (call == In::prepare && h == 1e-3) continue;  // asked for with another step only
        CAPTURE(policy);
        CAPTURE(static_cast<int>(call));
        CAPTURE(h);
        const auto where = std::make_shared<In>(In::nowhere);
        const Model source = two_groups("rig-mid", std::string("on_failure: ") + policy);
        const Model model = stopping(source, where);
        Simulation sim(model), plain(model);
        for (Simulation* one : {&sim, &plain}) REQUIRE(one->advance().converged);
        const double* const q = sim.hold(0).q.data();
        const State before = sim.state();
        *where = call;
        CHECK_THROWS_AS(sim.advance(h), Thrown);
        CHECK(same(sim.state(), before));
        CHECK(sim.state().groups[0].q.data() == q);
        CHECK(sim.contacts().empty());
        Simulation again(model, sim.state());
        for (int k = 0; k < 3; ++k)
          for (Simulation* one : {&sim, &again}) REQUIRE(one->advance(h).converged);
        CHECK(same(sim.state(), again.state()));
      }
}

TEST_CASE("a simulation that cannot put its state back says so") {
  using In = Stopping::In;
  const auto where = std::make_shared<In>(In::nowhere);
  const Model source = two_groups("rig-mid"), model = stopping(source, where);
  Simulation sim(model);
  sim.advance();
  *where = In::every_begin;
  CHECK_THROWS_AS(sim.advance(5e-4), Thrown);  // and again while the old step is prepared
  *where = In::nowhere;
  CHECK_THROWS_AS(sim.advance(), UsageError);
}

}  // namespace saltus
