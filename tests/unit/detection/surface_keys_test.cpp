// What detection of boundary surfaces depends on: the present configuration, not the order of the search nor what was before.
#include <doctest/doctest.h>

#include <random>

#include "saltus/detection/facet_surface.h"
#include "saltus/detection/surface_detector.h"
#include "tests/unit/detection/surface_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

std::vector<SurfaceContact> found(SurfaceDetector& detector) {
  std::vector<SurfaceContact> contacts;
  detector.detect({}, contacts);
  for (std::size_t i = 1; i < contacts.size(); ++i) CHECK(contacts[i - 1].key < contacts[i].key);
  return contacts;
}

void append(DeformingShape& all, const DeformingShape& one) {
  const auto first = static_cast<int>(all.vertices.size());
  all.vertices.insert(all.vertices.end(), one.vertices.begin(), one.vertices.end());
  for (auto facet : one.facets) {
    for (int& v : facet) v += first;
    all.facets.push_back(facet);
  }
}

TEST_CASE("edges whose numbers fall together in the key are told apart by their facets") {
  // 1025 bars, of twelve edges each, over one of 256: edge e of the first and of the last bar and edge f of the other have
  // e 3072 + f and (e + 12 1024) 3072 + f, which differ by 9 2^22
  DeformingShape many, few;
  append(many, block({-1, -0.1, 0}, {1, 0.1, 0.2}, 1));
  for (int i = 1; i < 1024; ++i) append(many, block({5.0 * i, 50, 0}, {5.0 * i + 1, 50.1, 0.2}, 1));
  append(many, block({-1.5, 0.9, 0}, {0.5, 1.1, 0.2}, 1));
  append(few, block({-0.1, -1, 0.199}, {0.1, 2, 0.399}, 1));
  for (int i = 1; i < 256; ++i) append(few, block({5.0 * i, -50, 0}, {5.0 * i + 1, -49.9, 0.2}, 1));
  std::vector<std::vector<std::uint64_t>> keys;
  for (const bool swapped : {false, true}) {  // the search comes to the other bar first
    DeformingShape bars = many;
    if (swapped)
      for (std::size_t i = 0; i < 8; ++i)
        std::swap(bars.vertices[i], bars.vertices[bars.vertices.size() - 8 + i]);
    SurfaceDetector detector({bars, few}, {}, 1e-3, 1, kAllMeet);
    const auto contacts = found(detector);
    REQUIRE(contacts.size() == 8);
    int together = 0;
    for (std::size_t i = 1; i < 8; ++i)
      if (contacts[i].key == contacts[i - 1].key + 1 &&
          contacts[i].a.facet - contacts[i - 1].a.facet >= 12 * 1024) {
        ++together;
        CHECK(contacts[i].b.facet == contacts[i - 1].b.facet);
      }
    CHECK(together == 4);
    keys.emplace_back();
    for (const SurfaceContact& c : contacts) keys.back().push_back(c.key);
  }
  CHECK(keys[0] == keys[1]);
}

TEST_CASE("a facet that has lost its area leaves nothing of its past") {
  const DeformingShape start = sheet(2, 2.0);
  DeformingShape above;  // points above and below each facet
  std::mt19937 random(3);
  std::uniform_real_distribution<double> within(0.1, 1.9);
  for (int i = 0; i < 200; ++i)
    above.vertices.emplace_back(within(random), within(random), i % 2 == 0 ? 0.01 : -0.01);
  // vertex 4, in the middle, on vertex 3: two facets are lines and have no normal
  std::vector<Vector3> folded = start.vertices;
  folded[4] = folded[3];
  const std::vector<Collider> below{{Plane{}, {{0, 0, -0.02}, Matrix3::Identity()}, -1, 0}};
  SurfaceDetector fresh({start, above}, below, 0.05, 1, kAllMeet);
  fresh.vertices(0) = folded;
  const auto expected = found(fresh);
  CHECK(expected.size() > 50);
  for (const SurfaceContact& c : expected) {
    CHECK(std::isfinite(c.gap));
    CHECK(c.normal.norm() == doctest::Approx(1.0));
  }
  for (const Vector3& before : {Vector3(1, 1, 0.9), Vector3(-1, 1, -0.5), Vector3(0, 1, 2)}) {
    SurfaceDetector other({start, above}, below, 0.05, 1, kAllMeet);
    other.vertices(0)[4] = before;
    found(other);
    other.vertices(0) = folded;
    const auto contacts = found(other);
    REQUIRE(contacts.size() == expected.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      CHECK(contacts[i].key == expected[i].key);
      CHECK(contacts[i].gap == expected[i].gap);
      CHECK(contacts[i].normal == expected[i].normal);
    }
  }
}

TEST_CASE("pairs that are excluded never touch, whichever of them is named first") {
  const DeformingShape low = block({0, 0, 0}, {1, 1, 1}, 2), high = block({0, 0, 1}, {1, 1, 2}, 2);
  const std::vector<Collider> floor{{Plane{}, {}, -1, 0},
                                    {Box{{2, 2, 0.5}}, {{0, 0, -0.5}, Matrix3::Identity()}, -2, 0}};
  const auto met = [&](std::vector<std::array<int, 2>> excluded) {
    SurfaceDetector detector({low, high}, floor, 1e-3, 1, kAllMeet, std::move(excluded));
    std::array<int, 3> count{};  // plane, box, the other boundary surface
    for (const SurfaceContact& c : found(detector))
      ++count[static_cast<std::size_t>(c.b.boundary >= 0 ? 2 : c.b.collider)];
    return count;
  };
  const auto all = met({});
  CHECK(std::ranges::all_of(all, [](int n) { return n > 0; }));
  CHECK(met({{2, 3}}) == std::array{all[0], all[1], 0});
  CHECK(met({{3, 2}, {0, 2}}) == std::array{0, all[1], 0});
  CHECK(met({{2, 1}}) == std::array{all[0], 0, all[2]});
}

TEST_CASE("the depth of a point in a closed surface is its distance from it") {
  const DeformingShape shape = block({0, 0, 0}, {1, 2, 3}, 3);
  const FacetSurface surface(shape.vertices, shape.facets, 1.0);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> near(-0.5, 3.5);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 x(near(random), near(random), near(random));
    const double exact = std::min(x.minCoeff(), (Vector3(1, 2, 3) - x).minCoeff());
    CHECK(surface.depth_of(x) == doctest::Approx(std::max(exact, 0.0)).epsilon(1e-12));
    inside += exact > 0.0 ? 1 : 0;
  }
  CHECK(inside > 100);
  DeformingShape ring;  // counter-clockwise with the outside on the right
  ring.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  ring.facets = {{0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}};
  CHECK(FacetSurface(ring.vertices, ring.facets, 1.0).depth_of({0.3, 0.6, 0.0}) ==
        doctest::Approx(0.3));
  CHECK(FacetSurface(ring.vertices, ring.facets, 1.0).depth_of({1.3, 0.6, 0.0}) == 0.0);
  ring.facets.pop_back();
  CHECK(FacetSurface(ring.vertices, ring.facets, 1.0).depth_of({0.3, 0.6, 0.0}) == 0.0);
  const DeformingShape open = sheet(2, 2.0);
  CHECK(FacetSurface(open.vertices, open.facets, 1.0).depth_of({0.3, 0.2, -0.1}) == 0.0);
}

TEST_CASE("a block that widens where it stands on a slab touches it from above alone") {
  for (const double wider : {0.0, 1e-5, 1e-3})
    for (const double reach : {0.7, 5.0}) {
      CAPTURE(wider);
      CAPTURE(reach);
      const Collider slab{Box{{reach, reach, 0.5}}, {{0, 0, -0.5}, Matrix3::Identity()}, -1, 0};
      DeformingShape low = block({-0.5, -0.5, 0}, {0.5, 0.5, 1}, 2);
      SurfaceDetector detector({low}, std::vector{slab}, 1e-3, 1, kAllMeet);
      for (Vector3& x : detector.vertices(0)) {
        x.head<2>() *= 1.0 + wider * (1.0 - x.z());
        x.z() *= 1.0 - wider;
      }
      const auto contacts = found(detector);
      CHECK(contacts.size() == 9);
      for (const SurfaceContact& c : contacts) {
        CHECK(c.gap == 0.0);
        CHECK(c.normal == Vector3(0, 0, 1));
      }
    }
}

}  // namespace
