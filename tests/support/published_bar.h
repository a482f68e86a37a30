// The elastic bar of the Siconos tutorial.
#pragma once
#include "saltus/base/base.h"

namespace saltus::test {

/// Consistent mass and stiffness of 100 nodes, every entry as the example sets it (the element is L/100 long).
struct PublishedBar {
  static constexpr int nodes = 100;
  Matrix M = Matrix::Zero(nodes, nodes), K = Matrix::Zero(nodes, nodes);
  PublishedBar() {
    const double S = 3.14e-4, E = 210e9, rho = 7800.0, l = 1.0 / nodes;
    for (int i = 0; i < nodes; ++i) {
      const bool end = i == 0 || i == nodes - 1;
      M(i, i) = rho * S * l * (end ? 1.0 / 3.0 : 2.0 / 3.0);
      K(i, i) = E * S / l * (end ? 1.0 : 2.0);
      if (i + 1 == nodes) continue;
      M(i, i + 1) = M(i + 1, i) = rho * S * l / 6.0;
      K(i, i + 1) = K(i + 1, i) = -E * S / l;
    }
  }
};

}  // namespace saltus::test
