// What linear elements add to the stiffness of bending, against theory.
#include "saltus/fem/locking.h"

#include <doctest/doctest.h>

namespace saltus {
namespace {

Locking locking(const BoxMesh& box, double poisson, PlaneState plane = PlaneState::strain) {
  FemMaterial of;
  of.material = {.law = MaterialLaw::linear, .young = 3e6, .poisson = poisson};
  of.plane = plane;
  const std::array materials{of};
  return locking_of(box_mesh(box), materials);
}

BoxMesh bar(ElementKind kind, int along, int across) {
  return {kind, {along, across, across}, {1.2, 0.12, 0.12}, {0.1, 0.0, -0.3}};
}

}  // namespace

TEST_CASE("bricks in bending are too stiff by parasitic shear and by the change of volume") {
  for (const double nu : {0.0, 0.25, 0.44})
    for (const int along : {12, 30})
      for (const int across : {1, 3}) {
        const double t = 0.12, a = 1.2 / along, c = t / across;
        const double shear = (a * a + nu * nu * c * c) / (2.0 * (1.0 + nu) * t * t);
        const double volume =
            nu * nu * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu) * across * across);
        const Locking found = locking(bar(ElementKind::hex8, along, across), nu);
        CHECK(found.bending == doctest::Approx(shear + volume).epsilon(1e-9));
        CHECK(found.thickness == doctest::Approx(t).epsilon(1e-12));
        CHECK(found.poisson == doctest::Approx(nu).epsilon(1e-9));
      }
}

TEST_CASE("quadratic elements bend as beams do") {
  for (const ElementKind kind : {ElementKind::hex20, ElementKind::tet10})
    CHECK(locking(bar(kind, 6, 1), 0.45).bending == 0.0);
}

TEST_CASE("tetrahedra lock more than bricks, and finer ones less") {
  const double bricks = locking(bar(ElementKind::hex8, 30, 3), 0.3).bending,
               coarse = locking(bar(ElementKind::tet4, 30, 3), 0.3).bending,
               fine = locking(bar(ElementKind::tet4, 60, 6), 0.3).bending;
  CHECK(coarse > 4.0 * bricks);
  CHECK(fine == doctest::Approx(0.25 * coarse).epsilon(0.02));
}

TEST_CASE("a compact body has no bending, and a plate has that of its thickness") {
  CHECK(locking({ElementKind::hex8, {3, 3, 3}, {0.3, 0.2, 0.25}, Vector3::Zero()}, 0.3).bending ==
        0.0);
  const Locking plate =
      locking({ElementKind::hex8, {10, 10, 2}, {1.0, 1.0, 0.05}, Vector3::Zero()}, 0.3);
  CHECK(plate.thickness == doctest::Approx(0.05));
  CHECK(plate.bending > 1.0);  // (a/t)^2 = 4
}

TEST_CASE("plane stress has no change of volume to lock, plane strain has") {
  const BoxMesh strip{ElementKind::quad4, {40, 4, 0}, {2.0, 0.2, 0.0}, Vector3::Zero()};
  CHECK(locking(strip, 0.49, PlaneState::stress).bending < 0.15);
  CHECK(locking(strip, 0.49, PlaneState::strain).bending > 0.5);
}

TEST_CASE("a curved bar locks as a straight one of its thickness") {
  FemMaterial of;
  of.material = {.law = MaterialLaw::linear, .young = 3e6, .poisson = 0.3};
  const std::array materials{of};
  ArchMesh arch;
  arch.inner = 0.95, arch.outer = 1.05, arch.width = 0.1;
  arch.around = 60, arch.across = 2, arch.layers = 2;  // a/t = 0.5
  const Locking found = locking_of(arch_mesh(arch), materials);
  CHECK(found.thickness == doctest::Approx(0.1).epsilon(0.01));
  CHECK(found.bending == doctest::Approx(0.135).epsilon(0.1));
}

}  // namespace saltus
