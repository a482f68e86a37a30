// What every contact law does with one mass. One row a form; each law of the list has at least one. The tests of laws walk
// this table.
#pragma once
#include <string>
#include <vector>

#include "saltus/contact/laws/laws.h"

namespace saltus::test {

/// A mass of 1 kg with u0 = -1 m/s, 0.01 m before the place where the law begins, free of other forces.
struct LawRow {
  std::string label;
  LawChoice law;
  double end;               ///< its velocity 1 s later [m/s]
  double tolerance = 1e-9;  ///< of that, in steps of 1 ms
};

inline std::vector<LawRow> contact_laws() {
  using At = Compliant::At;
  Compliant linear{1e4, 1.0, 0.0, {}}, hertz{1e6, 1.5, 0.0, {}}, middle{1e4, 1.0, 0.0, At::middle},
      damped{1e4, 1.0, 20.0, At::middle};
  NewtonImpact newton{.restitution = 0.7, .velocity_weakening = {}, .activation = {}};
  return {
      {"signorini-position", SignoriniPosition{}, 0.0},
      {"newton-impact", newton, 0.7},
      {"fremond", Fremond{0.6, 0.0, {}}, 0.6},
      {"schatzman-paoli", SchatzmanPaoli{0.7}, 0.7},
      {"poisson-impact", PoissonImpact{0.8, {}}, 0.8},
      {"stewart-trinkle", StewartTrinkle{}, 0.0},
      {"compliant", linear, 1.0},
      {"compliant hertz", hertz, 1.0},
      {"compliant middle", middle, 1.0, 1e-2},  // the force of a half-open step
      {"compliant damped", damped, 0.744079, 1e-2},
      {"relay", Relay{0.4, 0.0, Slip::end, {}}, -0.6},
      {"relay mean", Relay{2.0, 0.0, Slip::mean, {}}, 0.0},
      {"relay belt", Relay{0.4, -1.25, Slip::end, {}}, -1.25},
      {"equality", Equality{0.25}, 0.25},
      {"hertz", Hertz{2e6, 0.3, 0.05, {}, {}, {}}, 1.0},
      {"hunt-crossley", HuntCrossley{1e6, 1.5, 3e5, {}}, 0.8328697922656, 1e-2},
      {"felt", Felt{1e7, 2.5, 1e4}, 0.81267305, 1e-2},
  };
}

}  // namespace saltus::test
