// What a step takes from the heap, Eigen (which calls malloc) included.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "../support/bar_impact.h"
#include "../support/count_malloc.h"
#include "cases.h"
#include "rigid_on_string.h"
#include "saltus/bodies/modal.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// A plucked string over a row of frets; with `load` it is drawn down on them for good.
ModelParts string_on_frets(std::shared_ptr<const Scheme> scheme, const AnyLaw& law, int frets,
                           bool load) {
  const int modes = 70;
  Vector mass(modes), omega(modes), sigma(modes);
  for (int j = 0; j < modes; ++j) {
    mass[j] = 0.004;
    omega[j] = 2.0 * std::numbers::pi * 80.0 * (j + 1);
    sigma[j] = 0.6 + 1e-3 * j * j;
  }
  Body body;
  body.name = "string";
  Vector down;
  if (load) {
    down = Vector::Zero(modes);
    down[0] = -0.003 * mass[0] * omega[0] * omega[0];
  }
  body.dynamics =
      std::make_shared<Modal>(mass, omega, sigma, sine_shapes(1.0, modes), ModalPlacement{}, down);
  body.state.q = Vector::Zero(modes);
  body.state.q[0] = 0.004;
  body.state.q[1] = 0.002;
  body.state.v = Vector::Zero(modes);
  ModelParts made = parts(body, std::move(scheme), 2e-5);
  for (int i = 1; i <= frets; ++i) {
    const double x = 0.9 * i / (frets + 1);
    add_plane(made, 0, {0, 0, Vector3(x, 0.0, 0.0)}, Vector3(x, 0.0, -0.0002), Vector3::UnitZ(),
              law);
  }
  return made;
}

/// The same over a lighter string, on which it lies between the frets.
ModelParts string_on_string(std::shared_ptr<const Scheme> scheme,
                            std::shared_ptr<const Scheme> lower, const AnyLaw& law) {
  ModelParts made = string_on_frets(std::move(scheme), law, 5, true);
  const int modes = 30;
  Vector omega(modes);
  for (int j = 0; j < modes; ++j) omega[j] = 2.0 * std::numbers::pi * 110.0 * (j + 1);
  Body body;
  body.name = "lighter string";
  body.dynamics = std::make_shared<Modal>(
      Vector::Constant(modes, 0.001), omega, Vector::Constant(modes, 0.5), sine_shapes(1.0, modes),
      ModalPlacement{Vector3(0.0, 0.0, -1e-4), Vector3::UnitX(), Vector3::UnitZ()});
  body.state.q = body.state.v = Vector::Zero(modes);
  add_group(made, body, std::move(lower));
  for (int i = 1; i <= 12; ++i)
    add_pair(made, {0, {0, 0, Vector3(0.07 * i, 0.0, 0.0)}},
             {1, {0, 0, Vector3(0.07 * i, 0.0, 0.0)}}, Vector3::UnitZ(), law);
  return made;
}

/// Bodies whose kinds promise to work in place.
bool in_place(const Body& body) { return body.name.rfind("rigid", 0) != 0; }

/// The two contact problems of a step may differ in size.
bool changes_size(const Pair& pair) { return pair.decoupled(); }

}  // namespace

TEST_CASE("the count sees std::vector and Eigen" * doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  long before = allocations;
  { const std::vector<double> some(static_cast<std::size_t>(before % 7 + 100)); }
  CHECK(allocations > before);
  before = allocations;
  { const Vector some = Vector::Zero(static_cast<Eigen::Index>(before % 7 + 100)); }
  CHECK(allocations > before);
}

TEST_CASE("a warm step of a string on its frets takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  struct Case {
    std::string name;
    std::shared_ptr<const Scheme> scheme;
    AnyLaw law;
    int frets;
    bool load;
  };
  for (const Case& c :
       {Case{"modal-exact, position", modal_exact(), signorini(), 24, false},
        Case{"modal-exact, velocity", modal_exact(), newton_impact(0.5), 24, false},
        Case{"modal-exact, few frets", modal_exact(), signorini(), 5, false},
        Case{"modal-exact, load", modal_exact(), signorini(), 24, true},
        Case{"moreau-jean, velocity", moreau_jean(0.5), newton_impact(0.0), 24, true},
        Case{"moreau-jean theta 1, position", moreau_jean(1.0), signorini(), 24, true}}) {
    CAPTURE(c.name);
    Simulation sim{Model(string_on_frets(c.scheme, c.law, c.frets, c.load))};
    int impacts = 0;
    for (int k = 0; k < 1500; ++k) sim.advance();
    const long before = allocations;
    for (int k = 0; k < 1000; ++k) impacts += sim.advance().contacts;
    const long taken = allocations - before;
    CHECK(taken == 0);
    CHECK(impacts > 10);
  }
}

TEST_CASE("a warm step of two strings that touch takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  struct Case {
    std::shared_ptr<const Scheme> upper, lower;
    AnyLaw law;
  };
  for (const Case& c : {Case{modal_exact(), modal_exact(), signorini()},
                        Case{modal_exact(), moreau_jean(1.0), signorini()},
                        Case{modal_exact(), modal_exact(), newton_impact(0.5)},
                        Case{moreau_jean(0.5), moreau_jean(0.8), newton_impact(0.0)}}) {
    CAPTURE(std::string(c.upper->name()));
    CAPTURE(std::string(c.lower->name()));
    CAPTURE(c.law->description());
    Simulation sim{Model(string_on_string(c.upper, c.lower, c.law))};
    int impacts = 0;
    for (int k = 0; k < 20000; ++k) sim.advance();  // the largest problem makes room
    const long before = allocations;
    for (int k = 0; k < 1000; ++k) impacts += sim.advance().contacts;
    const long taken = allocations - before;
    CHECK(taken == 0);
    CHECK(impacts > 10);
  }
}

TEST_CASE("a warm step of any scheme on any kind in free flight takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  int tried = 0;
  for (const Pair& pair : legal_pairs()) {
    if (!in_place(pair.body)) continue;
    CAPTURE(pair.name());
    Simulation sim{Model(parts(pair.body, pair.scheme.scheme, 1e-3))};
    for (int k = 0; k < 20; ++k) sim.advance();
    const long before = allocations;
    for (int k = 0; k < 50; ++k) sim.advance();
    const long taken = allocations - before;
    CHECK(taken == 0);
    ++tried;
  }
  CHECK(tried >= 200);
}

TEST_CASE("a warm step of any scheme on a body that bounces takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  int tried = 0;
  for (const Pair& pair : legal_pairs()) {
    if (!in_place(pair.body)) continue;
    CAPTURE(pair.name());
    Simulation sim{Model(above_plane(pair, newton_impact(0.5), 1e-3, 0.005))};
    int impacts = 0, last = 0;
    long taken = 0;
    for (int k = 0; k < 300; ++k) {
      const long before = allocations;
      const int contacts = sim.advance().contacts;
      // a contact problem of another size may take room for it
      if (k >= 150 && contacts == last && !changes_size(pair)) taken += allocations - before;
      impacts += contacts;
      last = contacts;
    }
    CHECK(taken == 0);
    CHECK(impacts >= 1);
    ++tried;
  }
  CHECK(tried >= 200);
}

TEST_CASE("steps with assembled rows take the same from the heap in every step" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  Simulation sim{Model(rigid_on_string({moreau_jean(1.0), modal_exact(), signorini()}))};
  long counts[2] = {0, 0};
  for (int k = 0; k < 50; ++k) sim.advance();
  for (long& count : counts) {
    const long before = allocations;
    for (int k = 0; k < 20; ++k) sim.advance();
    count = allocations - before;
  }
  CHECK(counts[0] > 0);  // W and its right-hand sides are made afresh in every pass
  CHECK(std::abs(counts[0] - counts[1]) <= counts[0] / 10);
}

TEST_CASE("steps of a body with massless nodes take nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  for (const SchemeChoice& scheme :
       {SchemeChoice(MoreauJeanOptions{}), SchemeChoice(CentralDifferenceOptions{})}) {
    const test::FallingBar bar = test::falling_bar(test::BarKind::massless, 20, 10.0, 0.2);
    Simulation sim = test::let_fall(bar, -10.0, scheme, 1e-3, 0.2);
    for (int k = 0; k < 1500; ++k) sim.advance();  // it hits the wall, leaves it and comes back
    const long before = allocations;
    for (int k = 0; k < 3000; ++k) sim.advance();
    CHECK(allocations == before);
  }
}
