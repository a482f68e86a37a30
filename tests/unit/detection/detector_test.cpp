#include "saltus/detection/detector.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "saltus/base/error.h"
#include "tests/unit/detection/detection_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

constexpr double kMargin = 0.05;

/// Mixed shapes of several sizes, two colliders in some frames, planes, a mesh and fixed shapes among them.
struct RandomScene {
  std::vector<Collider> colliders;
  std::vector<Pose> frames;
  std::vector<std::array<int, 2>> excluded;

  explicit RandomScene(unsigned seed, int moving = 60) {
    Sampler sample(seed);
    colliders.push_back({Plane{}, {{0, 0, -2}, Matrix3::Identity()}, -1, 0});
    for (int i = 0; i < moving; ++i) {
      frames.push_back(sample.pose(2.0));
      colliders.push_back({random_convex(i % kConvexKinds, sample), {}, i, 0});
      if (i % 5 == 0) colliders.push_back({Sphere{0.1}, {{1.0, 0, 0}, Matrix3::Identity()}, i, 1});
    }
    for (int i = 0; i < 6; ++i)
      colliders.push_back({random_convex(i, sample), sample.pose(2.0), -1 - i % 2, 0});
    colliders.push_back({triangle_mesh({{-3, -3, -1}, {3, -3, -1}, {3, 3, -1.5}, {-3, 3, -1}},
                                       {{0, 1, 2}, {0, 2, 3}}),
                         {},
                         -1,
                         0});
    colliders.push_back({Plane{},
                         {{2, 0, 0}, Eigen::AngleAxisd(-1.5, Vector3::UnitY()).toRotationMatrix()},
                         -7,
                         0});
    excluded = {{0, 1}, {5, 2}, {7, -1}};
  }
  void move(Sampler& sample, double by) {
    for (Pose& F : frames)
      F = F * Pose{sample.vector(by), exp_rotation(sample.vector(by)).toRotationMatrix()};
  }
  Pose pose(int i) const {
    const Collider& c = colliders[static_cast<std::size_t>(i)];
    return c.frame < 0 ? c.local : frames[static_cast<std::size_t>(c.frame)] * c.local;
  }
  bool wanted(int i, int j) const {
    const int f = colliders[static_cast<std::size_t>(i)].frame,
              g = colliders[static_cast<std::size_t>(j)].frame;
    if (f == g || (f < 0 && g < 0)) return false;
    return std::none_of(excluded.begin(), excluded.end(), [&](const auto& p) {
      return (p[0] == f && p[1] == g) || (p[0] == g && p[1] == f);
    });
  }
  std::vector<DetectedContact> all_pairs() const {
    std::vector<DetectedContact> found;
    const int count = static_cast<int>(colliders.size());
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j) {
        if (!wanted(i, j)) continue;
        for (const ContactPoint& p :
             contacts_of(colliders[static_cast<std::size_t>(i)].shape, pose(i),
                         colliders[static_cast<std::size_t>(j)].shape, pose(j), kMargin))
          found.push_back({i, j, p, contact_key(i, j, p.feature)});
      }
    return found;
  }
};

bool same_bits(const std::vector<DetectedContact>& p, const std::vector<DetectedContact>& q) {
  if (p.size() != q.size()) return false;
  for (std::size_t k = 0; k < p.size(); ++k)
    if (p[k].key != q[k].key || p[k].a != q[k].a || p[k].b != q[k].b ||
        p[k].point.x != q[k].point.x || p[k].point.normal != q[k].point.normal ||
        p[k].point.gap != q[k].point.gap)
      return false;
  return true;
}

TEST_CASE("the detector finds what all pairs give, in order of the keys") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    RandomScene scene(seed, 10 + 30 * static_cast<int>(seed));
    Detector detector(scene.colliders, kMargin, scene.excluded);
    std::vector<DetectedContact> found;
    detector.detect(scene.frames, found);
    CHECK(found.size() > 20);
    CHECK(same_bits(found, scene.all_pairs()));
    for (std::size_t k = 1; k < found.size(); ++k) CHECK(found[k - 1].key < found[k].key);
    CHECK(found.front().key >= std::uint64_t{1} << 44);
  }
}

TEST_CASE("results do not depend on the steps before, nor on the number of threads") {
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  RandomScene scene(11, 300);
  Detector old(scene.colliders, kMargin, scene.excluded);
  std::vector<DetectedContact> found, fresh_found;
  Sampler sample(12);
  for (int step = 0; step < 10; ++step) {
    scene.move(sample, 0.02);
    old.detect(scene.frames, found);
    for (const int threads : {1, 2, 4}) {
      tbb::task_arena arena(threads);
      arena.execute([&] {
        Detector fresh(scene.colliders, kMargin, scene.excluded);
        fresh.detect(scene.frames, fresh_found);
      });
      CHECK(same_bits(found, fresh_found));
    }
  }
}

TEST_CASE(
    "keys tell a contact of any two shapes, and those of up to 2^20 - 1 shapes stay as they are") {
  constexpr KeyLayout few = KeyLayout::of((1u << 20) - 1), many = KeyLayout::of(1u << 20);
  CHECK(few.key(5, 7, 9) == ((std::uint64_t{6} << 44) | (std::uint64_t{7} << 24) | 9));
  CHECK(few.shape == 20);
  CHECK(many.shape == 24);
  const int last = static_cast<int>(KeyLayout::kMostShapes) - 1;
  for (const auto& [a, b] : {std::array{0, 1}, {0, last}, {last - 1, last}, {1 << 20, 1 << 21}})
    for (const std::uint32_t feature : {0u, 1u, 0xffffu}) {
      const std::uint64_t key = many.key(a, b, feature);
      CHECK(many.a(key) == a);
      CHECK(many.b(key) == b);
      CHECK((key & 0xffff) == feature);
      CHECK(key >= std::uint64_t{1} << 40);  // above those that the model names
    }
  CHECK(many.key(3, 1 << 22, 0xffff) < many.key(4, 5, 0));
}

TEST_CASE("features of many shapes fit into their bits, in order and each once") {
  std::vector<ContactPoint> points(6);
  const std::uint32_t features[] = {70000, 3, 0xffffff, 0xfffff0, 65535, 70000};
  for (std::size_t i = 0; i < points.size(); ++i) points[i].feature = features[i];
  fold_features(16, 1, points);
  CHECK(points[0].feature == 70000);  // of another pair
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].feature < (1u << 16));
    if (i > 1) CHECK(points[i].feature > points[i - 1].feature);
  }
}

TEST_CASE("refine() gives what detect() gives while no pair comes newly near") {
  RandomScene scene(21);
  Detector detector(scene.colliders, kMargin, scene.excluded);
  std::vector<DetectedContact> found, refined;
  detector.detect(scene.frames, found);
  detector.refine(scene.frames, refined);
  CHECK(same_bits(found, refined));
  Sampler sample(22);
  scene.move(sample, 1e-5);
  detector.refine(scene.frames, refined);
  detector.detect(scene.frames, found);
  CHECK(same_bits(found, refined));
}

TEST_CASE("a pile of spheres of sizes 1 to 20 misses no pair") {
  Sampler sample(31);
  std::vector<Collider> colliders;
  std::vector<Pose> frames;
  for (int i = 0; i < 1500; ++i) {
    const double u = sample.between(0.0, 1.0);
    colliders.push_back({Sphere{0.05 * std::pow(20.0, u * u * u)}, {}, i, 0});
    frames.push_back({sample.vector(3.0), Matrix3::Identity()});
  }
  Detector detector(colliders, 0.01, {});
  std::vector<DetectedContact> found;
  detector.detect(frames, found);
  std::size_t expected = 0;
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (std::size_t j = i + 1; j < frames.size(); ++j)
      if ((frames[i].x - frames[j].x).norm() <= std::get<Sphere>(colliders[i].shape).radius +
                                                    std::get<Sphere>(colliders[j].shape).radius +
                                                    0.01)
        ++expected;
  CHECK(expected > 1000);
  CHECK(found.size() == expected);
}

TEST_CASE("colliders all in one place, and none at all, are found too") {
  std::vector<Collider> colliders;
  for (int i = 0; i < 40; ++i) colliders.push_back({Sphere{1.0}, {}, i, 0});
  const std::vector<Pose> frames(40);
  std::vector<DetectedContact> found;
  Detector(colliders, 0.0, {}).detect(frames, found);
  CHECK(found.size() == 40 * 39 / 2);
  Detector(std::vector<Collider>{}, 0.0, {}).detect({}, found);
  CHECK(found.empty());
}

TEST_CASE("a margin below 0 is refused") { CHECK_THROWS_AS(Detector({}, -1.0, {}), UsageError); }

}  // namespace

TEST_CASE("where nothing touches the clearance is the least of all gaps, of the pairs that meet") {
  int apart = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 6);
    for (Pose& F : scene.frames) F.x = 20.0 * F.x + Vector3(-300.0, 0.0, 300.0);
    if (seed % 2 == 0) scene.frames.back().x = {0.0, 0.0, 0.5};  // the mesh is next to it
    Detector near(scene.colliders, 1e-3, scene.excluded), all(scene.colliders, 1e4, scene.excluded);
    std::vector<DetectedContact> contacts;
    near.detect(scene.frames, contacts);
    if (!contacts.empty()) continue;
    ++apart;
    all.detect(scene.frames, contacts);
    const auto mesh = [&](int i) {
      return std::holds_alternative<std::shared_ptr<const TriangleMesh>>(
          scene.colliders[static_cast<std::size_t>(i)].shape);
    };
    for (const int skipped : {-1, 0, 3}) {
      double least = std::numeric_limits<double>::infinity(), of_mesh = least;
      for (const DetectedContact& c : contacts)
        if (c.a != skipped) {
          double& of = mesh(c.a) || mesh(c.b) ? of_mesh : least;
          of = std::min(of, c.point.gap);
        }
      const Clearance found = near.clearance([&](int a, int) { return a != skipped; });
      CHECK(found.known == doctest::Approx(least).epsilon(1e-9));
      CHECK((found.possible <= of_mesh || found.possible > least));
      if (of_mesh < least) CHECK(std::isinf(found.least()));
    }
    CHECK(std::isinf(near.clearance([](int, int) { return false; }).known));
  }
  CHECK(apart >= 20);
}
