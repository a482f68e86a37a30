// A heap of spheres that do not turn, as a problem by bodies: for the tests and benchmarks of large problems.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "saltus/contact/body_delassus.h"
#include "saltus/contact/problem_data.h"

namespace saltus::testing {

/// Spheres of radius 9.7 to 10 mm and 2500 kg/m^3 in a pyramid on the ground z = 0. Without rotation: width 3.
struct SphereHeap {
  static constexpr double kRadius = 0.01,
                          kMargin = 2e-4;  // [m]; contacts are gaps below the margin
  static constexpr double kGravity = 9.81;

  std::vector<Vector3> x, v;
  std::vector<double> radius, inverse_mass;

  /// Square layers of base, base - 1, ... 1 spheres a side in the lattice of the largest sphere: nothing touches yet, and
  /// the first steps let the heap settle.
  static SphereHeap pyramid(int base, unsigned seed) {
    SphereHeap heap;
    std::mt19937 random(seed);
    for (int layer = 0; layer < base; ++layer)
      for (int i = layer; i < base; ++i)
        for (int j = layer; j < base; ++j) {
          const double r = kRadius * (0.97 + 0.03 * static_cast<double>(random()) / 4294967296.0);
          heap.add(kRadius *
                       Vector3(2.0 * i - layer, 2.0 * j - layer, 1.0 + std::numbers::sqrt2 * layer),
                   r);
        }
    return heap;
  }

  int size() const { return static_cast<int>(x.size()); }

  void add(const Vector3& centre, double r) {
    x.push_back(centre);
    v.push_back(Vector3::Zero());
    radius.push_back(r);
    inverse_mass.push_back(1.0 / (2500.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r));
  }

  /// One step's problem: u = H v, b = H (v + h g) with gap/h added to the normal rows of open contacts.
  struct Problem {
    std::unique_ptr<BodyDelassus> W;
    Vector b;
    std::vector<Law> laws;
    std::vector<std::uint64_t> pairs;  ///< which bodies, increasing: the name of a contact
    ProblemView view() const& { return {*W, b, laws, {}}; }
    int contacts() const { return static_cast<int>(laws.size()); }
  };

  Problem problem(double h, double mu) const {
    Problem out;
    out.pairs = close_pairs();
    const std::size_t count = out.pairs.size();
    BodyRows H;
    H.first.reserve(count + 1);
    H.offset.reserve(count + 1);
    H.value.reserve(9 * count);
    std::size_t touched = 0;
    for (const std::uint64_t pair : out.pairs) touched += (pair & 0xffffffffu) == kGround ? 1 : 2;
    H.body.reserve(touched);
    H.start.reserve(touched);
    H.inverse.assign(9 * x.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) H.inverse[9 * i + 4 * k] = inverse_mass[i];
    out.b.resize(static_cast<Eigen::Index>(3 * count));
    out.laws.reserve(count);
    for (const std::uint64_t pair : out.pairs) {
      const auto i = static_cast<std::size_t>(pair >> 32), j = pair & 0xffffffffu;
      const bool ground = j == kGround;
      Vector3 n(0.0, 0.0, 1.0), relative = v[i] - h * kGravity * n;
      double gap = x[i][2] - radius[i];
      if (!ground) {
        const Vector3 d = x[i] - x[j];
        n = d / d.norm();
        gap = d.norm() - radius[i] - radius[j];
        relative = v[i] - v[j];
      }
      const Vector3 t = Vector3::Unit(std::abs(n[0]) < 0.6 ? 0 : 1).cross(n).normalized();
      const Vector3 s = n.cross(t);
      const std::size_t start = H.value.size();
      for (const Vector3* direction : std::array<const Vector3*, 3>{&n, &t, &s}) {
        for (int k = 0; k < 3; ++k) H.value.push_back((*direction)[k]);
        out.b[H.first.back() + static_cast<int>((H.value.size() - start) / 3) - 1] =
            direction->dot(relative);
      }
      out.b[H.first.back()] += std::max(gap, 0.0) / h;
      H.touch(static_cast<int>(i), start);
      if (!ground) H.touch(static_cast<int>(j), start);
      out.laws.push_back(
          {.kind = LawKind::coulomb, .first = H.first.back(), .size = 3, .friction = mu});
      H.close(3);
    }
    out.W = std::make_unique<BodyDelassus>(std::move(H));
    return out;
  }

  /// v <- v + h g + A^-1 H^T p,  x <- x + h v
  void advance(const Problem& problem, View p, double h) {
    for (Vector3& v_i : v) v_i[2] -= h * kGravity;
    const BodyRows& H = *problem.W->bodies();
    for (int c = 0; c < H.contacts(); ++c) {
      const auto at = static_cast<std::size_t>(c);
      for (int k = H.offset[at]; k < H.offset[at + 1]; ++k) {
        const auto i = static_cast<std::size_t>(H.body[static_cast<std::size_t>(k)]);
        const double* rows = H.value.data() + H.start[static_cast<std::size_t>(k)];
        const double m = H.opposite(c, k) ? -inverse_mass[i] : inverse_mass[i];
        for (int row = 0; row < 3; ++row)
          for (int a = 0; a < 3; ++a) v[i][a] += m * rows[3 * row + a] * p[H.first[at] + row];
      }
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
  }

  /// First guess: the impulses `p` of `before` by pair, 0 for new contacts.
  static Vector guess(const Problem& before, View p, const Problem& now) {
    Vector start = Vector::Zero(now.b.size());
    std::size_t k = 0;
    for (std::size_t c = 0; c < now.pairs.size(); ++c) {
      while (k < before.pairs.size() && before.pairs[k] < now.pairs[c]) ++k;
      if (k < before.pairs.size() && before.pairs[k] == now.pairs[c])
        start.segment<3>(static_cast<Eigen::Index>(3 * c)) =
            p.segment<3>(static_cast<Eigen::Index>(3 * k));
    }
    return start;
  }

 private:
  static constexpr std::uint64_t kGround = 0xffffffffu;

  /// Pairs (i, j < i) and (i, ground) with a gap below the margin, sorted, by cells as wide as the largest sphere.
  std::vector<std::uint64_t> close_pairs() const {
    const double width = 2.0 * kRadius + kMargin;
    std::vector<std::array<std::int64_t, 3>> cell(x.size());
    const auto key = [](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<std::uint64_t>(((i + 1048576) << 42) + ((j + 1048576) << 21) + k +
                                        1048576);
    };
    std::vector<std::pair<std::uint64_t, std::size_t>> sorted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a)
        cell[i][a] =
            static_cast<std::int64_t>(std::floor(x[i][static_cast<Eigen::Index>(a)] / width));
      sorted[i] = {key(cell[i][0], cell[i][1], cell[i][2]), i};
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint64_t> pairs;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i][2] - radius[i] < kMargin) pairs.push_back((i << 32) | kGround);
      for (std::int64_t a = -1; a <= 1; ++a)
        for (std::int64_t b = -1; b <= 1; ++b) {
          const std::uint64_t low = key(cell[i][0] + a, cell[i][1] + b, cell[i][2] - 1);
          auto k = std::lower_bound(sorted.begin(), sorted.end(), std::pair{low, std::size_t{0}});
          for (; k != sorted.end() && k->first <= low + 2; ++k) {
            const std::size_t j = k->second;
            if (j < i && (x[i] - x[j]).norm() - radius[i] - radius[j] < kMargin)
              pairs.push_back((i << 32) | j);
          }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }
};

}  // namespace saltus::testing
