// Counts what the process takes from the heap.
#include <doctest/doctest.h>

#include "saltus/detection/detector.h"
#include "tests/support/count_malloc.h"
#include "tests/unit/detection/detection_samples.h"
#include "tests/unit/detection/surface_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

TEST_CASE("a detector that has seen its sizes takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  Sampler sample(41);
  std::vector<Collider> colliders{{Plane{}, {{0, 0, -1}, Matrix3::Identity()}, -1, 0}};
  std::vector<Pose> frames;
  for (int i = 0; i < 60; ++i) {
    colliders.push_back({random_convex(i % kConvexKinds, sample), {}, i, 0});
    frames.push_back(sample.pose(1.5));
  }
  Detector detector(colliders, 0.05, {});
  std::vector<DetectedContact> found;
  const auto shake = [&] {
    for (Pose& F : frames) F.x += sample.vector(1e-3);
    detector.detect(frames, found);
    detector.refine(frames, found);
  };
  for (int step = 0; step < 20; ++step) shake();
  found.reserve(2 * found.size());
  const long before = allocations;
  for (int step = 0; step < 20; ++step) shake();
  const long taken = allocations - before;
  CHECK(found.size() > 100);
  CHECK(taken == 0);
}

TEST_CASE("a detector of boundary surfaces that has seen its sizes takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  Sampler sample(11);
  std::vector<Collider> colliders{{Plane{}, {{0, 0, 0.01}, Matrix3::Identity()}, -1, 0}};
  std::vector<Pose> frames;
  for (int i = 0; i < 12; ++i) {
    colliders.push_back({random_convex(i % kConvexKinds, sample), {}, i, 0});
    frames.push_back(sample.pose(1.5));
  }
  SurfaceDetector detector({block({0, 0, 0}, {1, 1, 1}, 8), block({0.1, 0.1, 1}, {0.9, 0.9, 2}, 5)},
                           colliders, 0.01, 1, kAllMeet);
  std::vector<SurfaceContact> contacts;
  const auto shake = [&] {
    for (Pose& F : frames) F.x += sample.vector(1e-3);
    for (Vector3& x : detector.vertices(0)) x += sample.vector(1e-4);
    detector.detect(frames, contacts);
  };
  for (int step = 0; step < 20; ++step) shake();
  contacts.reserve(2 * contacts.size());
  const long before = allocations;
  for (int step = 0; step < 20; ++step) shake();
  const long taken = allocations - before;
  CHECK(contacts.size() > 50);
  CHECK(taken == 0);
}

}  // namespace
