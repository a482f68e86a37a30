// The elastica in space, by quadratic bricks and tetrahedra.
#include <doctest/doctest.h>

#include "support/elastica.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("solid cantilevers come to rest on the elastica within 0.3 %, closer on finer meshes") {
  for (const ElementKind kind : {ElementKind::hex20, ElementKind::tet10}) {
    CAPTURE(info(kind).name);
    double before = 1.0;
    for (const int n : {5, 10, 20}) {
      const double off = distance({kind, n, 0.0});
      CAPTURE(n);
      CHECK(off < before / 4.0);
      before = off;
    }
    CHECK(before < 0.003);
  }
}
