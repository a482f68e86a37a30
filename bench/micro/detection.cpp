// Narrow phase: time a pair of shapes that lie near each other, one thread. Broad phase and whole detection: time a sphere
// of a pile.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "saltus/detection/broad_phase.h"
#include "saltus/detection/detector.h"

namespace {

using namespace saltus;

struct Draw {
  std::mt19937 random{7};
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  Vector3 vector(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }
  Matrix3 rotation() { return exp_rotation(vector(3.0)).toRotationMatrix(); }
};

const char* const kNames[] = {"sphere", "ellipsoid", "capsule", "cylinder", "box", "hull20"};
constexpr int kKinds = 6, kPlane = 6, kField = 7;

Shape make(int kind) {
  Draw draw;
  switch (kind) {
    case 0:
      return Sphere{0.5};
    case 1:
      return Ellipsoid{{0.4, 0.5, 0.6}};
    case 2:
      return Capsule{0.3, 0.4};
    case 3:
      return Cylinder{0.5, 0.5};
    case 4:
      return Box{{0.4, 0.5, 0.6}};
    case 5: {
      std::vector<Vector3> x;
      while (x.size() < 20) x.push_back(0.6 * draw.vector(1.0).normalized());
      return convex_hull(x);
    }
    case kPlane:
      return Plane{};
    default: {
      HeightField f;
      f.columns = f.rows = 40;
      f.spacing_x = f.spacing_y = 0.4;
      f.origin_x = f.origin_y = -7.8;
      for (int k = 0; k < 1600; ++k) f.height.push_back(draw.between(-0.05, 0.05));
      return height_field(f);
    }
  }
}

/// Pairs of random poses, about half of which have contacts.
void narrow_phase(benchmark::State& state, int i, int j) {
  const Shape a = make(i), b = make(j);
  Draw draw;
  std::vector<Pose> at;
  for (int k = 0; k < 256; ++k) {
    const Vector3 x = j < kKinds ? Vector3(draw.between(0.7, 1.2) * draw.vector(1.0).normalized())
                                 : Vector3(0.0, 0.0, draw.between(0.3, 0.8));
    at.push_back({x, draw.rotation()});
  }
  std::vector<ContactPoint> points;
  std::size_t k = 0, found = 0;
  for (auto _ : state) {
    points.clear();
    collide(a, at[k++ % at.size()], b, Pose{}, 0.01, points);
    found += points.size();
    benchmark::DoNotOptimize(points.data());
  }
  state.counters["points"] =
      static_cast<double>(found) /
      static_cast<double>(std::max<benchmark::IterationCount>(state.iterations(), 1));
}

/// Pairs pressed into each other at random places: as deep as they fall, or by 1e-4 m as in a heap.
void overlap(benchmark::State& state, int i, int j, bool deep) {
  const Shape a = make(i), b = make(j);
  Draw draw;
  std::vector<Pose> at;
  std::vector<ContactPoint> points;
  while (at.size() < 256) {
    Pose pose{draw.between(0.2, 0.9) * draw.vector(1.0).normalized(), draw.rotation()};
    points.clear();
    collide(a, pose, b, Pose{}, 0.0, points);
    if (points.empty()) continue;
    const auto deepest = std::min_element(
        points.begin(), points.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
    if (!deep) pose.x += (-deepest->gap - 1e-4) * deepest->normal;
    at.push_back(pose);
  }
  std::size_t k = 0;
  for (auto _ : state) {
    points.clear();
    collide(a, at[k++ % at.size()], b, Pose{}, 0.0, points);
    benchmark::DoNotOptimize(points.data());
  }
}

/// Two hulls of `points` on balls of radius 0.1 m, pressed 7.6 mm into each other.
void hulls(benchmark::State& state) {
  Draw draw;
  const auto ball = [&] {
    std::vector<Vector3> x;
    while (x.size() < static_cast<std::size_t>(state.range(0)))
      x.push_back(0.1 * draw.vector(1.0).normalized());
    return convex_hull(x);
  };
  const Shape a = ball(), b = ball();
  std::vector<Pose> at;
  std::vector<ContactPoint> points;
  for (int k = 0; k < 256; ++k) {
    Pose pose{0.3 * draw.vector(1.0).normalized(), draw.rotation()};
    points.clear();
    collide(a, pose, b, Pose{}, 1.0, points);
    const auto deepest = std::min_element(
        points.begin(), points.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
    pose.x += (-deepest->gap - 7.6e-3) * deepest->normal;
    at.push_back(pose);
  }
  std::size_t k = 0;
  for (auto _ : state) {
    points.clear();
    collide(a, at[k++ % at.size()], b, Pose{}, 1e-3, points);
    benchmark::DoNotOptimize(points.data());
  }
}

/// Equal boxes resting face on face, half over each other, as in a wall.
void box_on_box(benchmark::State& state) {
  const Shape brick = Box{{0.1, 0.05, 0.05}};
  const Pose above{{0.1, 0.0, 0.1 - 1e-6}, Matrix3::Identity()};
  std::vector<ContactPoint> points;
  for (auto _ : state) {
    points.clear();
    collide(brick, above, brick, Pose{}, 1e-3, points);
    benchmark::DoNotOptimize(points.data());
  }
}

/// Spheres of diameters 0.96 to 1 near the points of a cubic lattice, in random order.
std::vector<Pose> pile(int count, std::vector<double>& radius) {
  Draw draw;
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  std::vector<Pose> at;
  for (int i = 0; i < count; ++i)
    at.push_back({Vector3(i % side, i / side % side, i / (side * side)) + draw.vector(0.05),
                  Matrix3::Identity()});
  std::shuffle(at.begin(), at.end(), draw.random);
  for (int i = 0; i < count; ++i) radius.push_back(0.5 * draw.between(0.96, 1.0));
  return at;
}

void per_sphere(benchmark::State& state) {
  state.counters["per sphere"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void broad_phase(benchmark::State& state) {
  std::vector<double> radius;
  const std::vector<Pose> at = pile(static_cast<int>(state.range(0)), radius);
  std::vector<Bounds> boxes;
  for (std::size_t i = 0; i < at.size(); ++i)
    boxes.push_back(bounds(Sphere{radius[i] + 0.005}, at[i]));
  BroadPhase broad(std::vector<char>(boxes.size(), 0), boxes);
  std::vector<BroadPhase::Pair> pairs;
  for (auto _ : state) {
    pairs.clear();
    broad.find(boxes, pairs);
  }
  per_sphere(state);
}

void whole_detection(benchmark::State& state) {
  std::vector<double> radius;
  const std::vector<Pose> at = pile(static_cast<int>(state.range(0)), radius);
  std::vector<Collider> colliders;
  for (std::size_t i = 0; i < at.size(); ++i)
    colliders.push_back({Sphere{radius[i]}, {}, static_cast<int>(i), 0});
  Detector detector(std::move(colliders), 0.01, {});
  std::vector<DetectedContact> contacts;
  for (auto _ : state) detector.detect(at, contacts);
  per_sphere(state);
}

const int kRegistered = [] {
  for (int i = 0; i < kKinds; ++i) {
    for (int j = i; j < kKinds; ++j)
      benchmark::RegisterBenchmark(
          (std::string("BM_narrow_phase/") + kNames[i] + "/" + kNames[j]).c_str(),
          [i, j](benchmark::State& state) { narrow_phase(state, i, j); });
    for (int j = i; j < kKinds; ++j)
      for (const bool deep : {false, true})
        benchmark::RegisterBenchmark(
            (std::string(deep ? "BM_deep/" : "BM_pressed/") + kNames[i] + "/" + kNames[j]).c_str(),
            [i, j, deep](benchmark::State& state) { overlap(state, i, j, deep); });
    benchmark::RegisterBenchmark((std::string("BM_narrow_phase/") + kNames[i] + "/plane").c_str(),
                                 [i](benchmark::State& state) { narrow_phase(state, i, kPlane); });
    benchmark::RegisterBenchmark(
        (std::string("BM_narrow_phase/") + kNames[i] + "/height_field").c_str(),
        [i](benchmark::State& state) { narrow_phase(state, i, kField); });
  }
  benchmark::RegisterBenchmark("BM_narrow_phase/brick_on_brick", box_on_box);
  benchmark::RegisterBenchmark("BM_hulls", hulls)->Arg(50)->Arg(200)->Arg(600);
  const auto over_sizes = [](const char* name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, run)
        ->Arg(1000)
        ->Arg(10000)
        ->Arg(100000)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  };
  over_sizes("BM_broad_phase", broad_phase);
  over_sizes("BM_detect_spheres", whole_detection);
  return 0;
}();

}  // namespace
