// Same model and same state, same future, bit for bit: a state that is copied and carried on is the run that was never
// interrupted.
#include <doctest/doctest.h>

#include "cases.h"
#include "rigid_on_string.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// 100 steps at once against 50, a copy of the state, and 50 in a new simulation of the same model.
void check_restart(const Model& model) {
  Simulation whole(model);
  State half;
  int impacts_before = 0, impacts_after = 0;
  for (int k = 0; k < 100; ++k) {
    if (k == 50) half = whole.state();
    (k < 50 ? impacts_before : impacts_after) += whole.advance().contacts;
  }
  CHECK(impacts_before > 0);
  CHECK(impacts_after > 0);
  Simulation resumed(model, half);
  CHECK(identical(resumed.state(), half));
  for (int k = 0; k < 50; ++k) resumed.advance();
  CHECK(identical(resumed.state(), whole.state()));

  Simulation again(model);
  for (int k = 0; k < 100; ++k) again.advance();
  CHECK(identical(again.state(), whole.state()));
}

}  // namespace

TEST_CASE("a run resumed from a copy of its state in mid-contact ends in the same bits") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    Pair falling = pair;
    if (pair.body.name == "rail pendulum") {  // held against the plane by a force of its own
      falling.body.tip.feature = 0;
      falling.body.normal = Vector3::UnitZ();
    } else if (pair.body.name.rfind("rigid", 0) == 0) {
      falling.body.normal = Vector3::UnitZ();
    }
    check_restart(Model(above_plane(falling, newton_impact(0.0), 2e-3)));
  }
}

TEST_CASE("two groups in one contact resume in the same bits, at velocity and at position level") {
  check_restart(Model(rigid_on_string({moreau_jean(0.5), moreau_jean(0.5), newton_impact(0.3)})));
  check_restart(Model(rigid_on_string({moreau_jean(1.0), modal_exact(), signorini()})));
}

TEST_CASE("a state of another model is refused") {
  const Model one(parts(modal_bar(), modal_exact(), 1e-3));
  const Model other(parts(rigid(), moreau_jean(0.5), 1e-3));
  CHECK_THROWS_AS(Simulation(other, initial_state(one)), UsageError);
}
