// Structures of rigid bodies: columns, walls, arches, chains, plates on supports, houses of cards. Sizes are random.
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/contact/rigid_scene.h"

namespace saltus_bench {

/// Largest mu of these structures; the openings below are made for it.
constexpr double kMostFriction = 1.0;

/// Places bodies by (x, depth, height), which are (x, y, z) in space and (x, z, y) in the plane.
struct Builder {
  RigidScene scene;
  double density = 2000.0;  ///< [kg/m^3]

  explicit Builder(bool plane, bool rolling = false) {
    scene.plane = plane;
    scene.rolling = rolling;
  }

  Vector3 at(double x, double depth, double height) const {
    return scene.plane ? Vector3(x, height, 0.0) : Vector3(x, depth, height);
  }
  int face() const { return scene.plane ? 2 : 4; }  ///< contacts of two faces

  /// A box of half lengths `half` = (x, depth, height), turned in the plane of x and height: its x axis along (c, s).
  int box(const Vector3& centre, const Vector3& half, double c = 1.0, double s = 0.0) {
    const Vector3 extent = scene.plane ? Vector3(half[0], half[2], half[1]) : half;
    RigidBody body{.centre = centre, .mass = 8.0 * density * extent.prod()};
    const Eigen::Matrix3d I =
        (body.mass / 3.0 * (extent.squaredNorm() - extent.array().square())).matrix().asDiagonal();
    Eigen::Matrix3d R;
    R.col(0) = at(c, 0.0, s);
    R.col(scene.plane ? 1 : 2) = at(-s, 0.0, c);
    R.col(scene.plane ? 2 : 1) = scene.plane ? Vector3::UnitZ() : Vector3::UnitY();
    body.inertia = R * I * R.transpose();
    return scene.add(body);
  }
  int ball(const Vector3& centre, double radius, double mass) {
    RigidBody body{.centre = centre, .mass = mass};
    body.inertia *= (scene.plane ? 0.5 : 0.4) * mass * radius * radius;
    return scene.add(body);
  }
  Vector3& opening(int body) { return scene.bodies[static_cast<std::size_t>(body)].opening; }

  /// b on a: contacts at the ends of [x0, x1], in space at both depths +-`depth` about `y`.
  void bed(int a, int b, double x0, double x1, double y, double depth, double height) {
    for (const double x : {x0, x1}) line(a, b, x, y, depth, height, scene.up());
  }
  /// b right of a, contacts at two heights.
  void head(int a, int b, double x, double depth, double z0, double z1) {
    for (const double z : {z0, z1}) line(a, b, x, 0.0, depth, z, Vector3::UnitX());
  }
  void line(int a, int b, double x, double y, double depth, double height, const Vector3& n) {
    if (scene.plane) {
      scene.touch(a, b, at(x, 0.0, height), n);
    } else {
      for (const double d : {y - depth, y + depth}) scene.touch(a, b, at(x, d, height), n);
    }
  }
};

/// Towers of blocks, a face on a face, on the ground or on one slab. Opening: block k rises with speed k.
inline RigidScene columns(int contacts, bool plane, Random& random) {
  Builder make(plane);
  const double size = random.log_uniform(0.01, 1.0);
  const int p = make.face(), most = std::clamp(contacts / p, 1, 40);
  const int levels = random.integer(std::max(1, most / 4), most);
  const int count = std::max(1, (contacts + p * levels / 2) / (p * levels));
  int ground = kWorld;
  double floor = 0.0;
  if (count > 1 && count <= 60 && random.chance(0.5)) {
    const Vector3 half(1.5 * count * size, 2.0 * size, 0.2 * size);
    ground = make.box(make.at(1.5 * (count - 1) * size, 0.0, half[2]), half);
    make.opening(ground) = make.scene.up();
    make.bed(kWorld, ground, -1.5 * size, (3.0 * count - 1.5) * size, 0.0, half[1], 0.0);
    floor = 2.0 * half[2];
  }
  for (int column = 0; column < count; ++column) {
    int below = ground;
    double z = floor, x_below = 3.0 * column * size, half_below = 2.0 * size;
    for (int level = 0; level < levels; ++level) {
      const Vector3 half = size * Vector3(random.uniform(0.5, 1.0), random.uniform(0.5, 1.0),
                                          random.uniform(0.2, 0.8));
      const double x = x_below + 0.1 * size * random.uniform(-1.0, 1.0);
      const int block = make.box(make.at(x, 0.0, z + half[2]), half);
      make.opening(block) = (level + 2.0) * make.scene.up();
      make.bed(below, block, std::max(x - half[0], x_below - half_below),
               std::min(x + half[0], x_below + half_below), 0.0, 0.5 * size, z);
      below = block;
      x_below = x;
      half_below = half[0];
      z += 2.0 * half[2];
    }
  }
  return make.scene;
}

/// Running bond with or without head joints. Opening: row k rises with speed k, bricks of a row part slowly:
/// |u_T| <= slow * length, u_N = 1 on beds; u_T = 0 on heads.
inline RigidScene wall(int contacts, bool plane, Random& random) {
  Builder make(plane);
  const double length = random.log_uniform(0.05, 1.0), height = length * random.uniform(0.2, 0.8);
  const Vector3 half(0.5 * length, 0.25 * length, 0.5 * height);
  const bool heads = random.chance(0.6);
  const int p = make.face();
  const double each = p * (heads ? 3.0 : 2.0);  // contacts a brick
  const double bricks = std::max(1.0, contacts / each);
  const int rows =
      std::clamp(static_cast<int>(std::sqrt(bricks) * random.uniform(0.5, 1.5)), 1, 80);
  const int columns = std::max(1, static_cast<int>(bricks / rows + 1.0));
  const double slow = 0.2 / (kMostFriction * length * columns);

  std::vector<int> below;
  for (int row = 0; row < rows; ++row) {
    const int count = row % 2 == 0 ? columns : std::max(1, columns - 1);
    std::vector<int> here;
    for (int i = 0; i < count; ++i) {
      const double x = (i + (count < columns ? 0.5 : 0.0)) * length, z = row * height;
      const int brick = make.box(make.at(x, 0.0, z + half[2]), half);
      make.opening(brick) = (row + 1.0) * make.scene.up() + slow * x * Vector3::UnitX();
      if (row == 0) make.bed(kWorld, brick, x - half[0], x + half[0], 0.0, half[1], 0.0);
      for (const int b : below) {
        const double x_b = make.scene.bodies[static_cast<std::size_t>(b)].centre[0];
        const double x0 = std::max(x, x_b) - half[0], x1 = std::min(x, x_b) + half[0];
        if (x1 - x0 > 0.1 * length) make.bed(b, brick, x0, x1, 0.0, half[1], z);
      }
      if (heads && i > 0)
        make.head(here.back(), brick, x - half[0], half[1], z + 0.1 * height, z + 0.9 * height);
      here.push_back(brick);
    }
    below = here;
  }
  return make.scene;
}

/// Half-circular arches (vaults in space) of voussoirs, side by side on piers. Opening: piers rise with speed 1, arches
/// with A, and every voussoir moves from the centre of its arch, by which joints open without slip:
///     e(theta_2) - e(theta_1) = 2 sin(delta/2) t;  at the piers u_N >= A - 1, |u_T| <= 1
inline RigidScene arches(int contacts, bool plane, Random& random) {
  Builder make(plane);
  const int p = make.face();
  const int voussoirs =
      std::clamp(contacts / p - 3, 1, 4 + static_cast<int>(random.uniform(3.0, 40.0)));
  const int count = std::max(1, contacts / (p * (voussoirs + 2)));
  const double radius = random.log_uniform(0.2, 5.0), thick = radius * random.uniform(0.1, 0.35);
  const double inner = radius - 0.5 * thick, outer = radius + 0.5 * thick, depth = 0.3 * radius;
  const double pier_height = radius * random.uniform(0.2, 1.0), rise = 1.0 + 2.0 * kMostFriction;
  const double span = 2.0 * radius, delta = std::numbers::pi / voussoirs;

  std::vector<int> piers;
  for (int k = 0; k <= count; ++k) {
    const Vector3 half(0.75 * thick, depth, 0.5 * pier_height);
    const double x = k * span;
    piers.push_back(make.box(make.at(x, 0.0, half[2]), half));
    make.opening(piers.back()) = make.scene.up();
    make.bed(kWorld, piers.back(), x - half[0], x + half[0], 0.0, depth, 0.0);
  }
  for (int k = 0; k < count; ++k) {
    const double x0 = (k + 0.5) * span;
    int before = piers[static_cast<std::size_t>(k) + 1];
    for (int i = 0; i <= voussoirs; ++i) {
      const double joint = i * delta, middle = joint + 0.5 * delta;
      int next = piers[static_cast<std::size_t>(k)];
      if (i < voussoirs) {
        const double c = std::cos(middle), s = std::sin(middle);
        next = make.box(make.at(x0 + radius * c, 0.0, pier_height + radius * s),
                        {0.5 * thick, depth, radius * std::sin(0.5 * delta)}, c, s);
        make.opening(next) = make.at(c, 0.0, s + rise);
      }
      const bool last = i == voussoirs;  // on the left pier
      const Vector3 n = make.at(-std::sin(joint), 0.0, std::cos(joint));
      for (const double r : {inner, outer})
        make.line(last ? next : before, last ? before : next, x0 + r * std::cos(joint), 0.0, depth,
                  pier_height + r * std::sin(joint), last ? Vector3(-n) : n);
      before = next;
    }
  }
  return make.scene;
}

/// Towers of balls (one contact each) or blocks, leaning, of masses that differ by up to 1e6. Opening: body k moves
/// along the chain with speed k.
inline RigidScene chains(int contacts, bool plane, Random& random) {
  Builder make(plane);
  const bool blocks = random.chance(0.5);
  const int p = blocks ? make.face() : 1;
  const int most = std::clamp(contacts / p, 1, 60);
  const int links = random.integer(std::max(1, most / 2), most);
  const int count = std::max(1, contacts / (p * links));
  const double size = random.log_uniform(0.01, 1.0), ratio = random.log_uniform(10.0, 1e6);
  const int grading = random.integer(0, 3);  // heavier upwards, lighter upwards, in turn, random
  const double lean = blocks ? 0.0 : random.uniform(0.0, std::numbers::pi / 6.0);
  const Vector3 along = make.at(std::sin(lean), 0.0, std::cos(lean));
  for (int chain = 0; chain < count; ++chain) {
    int below = kWorld;
    const Vector3 foot = make.at(3.0 * size * chain, 0.0, size);
    for (int k = 0; k < links; ++k) {
      const double part = links > 1 ? static_cast<double>(k) / (links - 1) : 0.0;
      const double exponent = grading == 0   ? part
                              : grading == 1 ? 1.0 - part
                              : grading == 2 ? static_cast<double>(k % 2)
                                             : random.uniform();
      const double mass = 1e3 * size * size * size * std::pow(ratio, exponent - 0.5);
      const Vector3 centre = foot + 2.0 * size * k * along;
      const int link = make.ball(centre, size, mass);
      make.opening(link) = (k + 1.0) * along;
      if (blocks)
        make.bed(below, link, foot[0] - 0.7 * size, foot[0] + 0.7 * size, 0.0, 0.7 * size,
                 2.0 * size * k);
      else if (k == 0)
        make.scene.touch(kWorld, link, make.at(foot[0], 0.0, 0.0), make.scene.up());
      else
        make.scene.touch(below, link, centre - size * along, along);
      below = link;
    }
  }
  return make.scene;
}

/// Stiff plates (beams in the plane), each on many supports: far more contacts than freedoms. Opening: plate k rises
/// with speed k.
inline RigidScene plates(int contacts, bool plane, Random& random) {
  Builder make(plane);
  const double size = random.log_uniform(0.1, 5.0), thick = 0.05 * size;
  const int a = random.integer(2, plane ? 40 : 9);
  const int supports = std::min(contacts, plane ? a : a * a);
  const int levels = std::clamp(contacts / supports, 1, 10);
  const int towers = std::max(1, contacts / (supports * levels));
  for (int tower = 0; tower < towers; ++tower) {
    int below = kWorld;
    const double x0 = 3.0 * size * tower;
    for (int level = 0; level < levels; ++level) {
      const double z = 2.0 * thick * level;
      const int plate =
          make.box(make.at(x0, 0.0, z + thick), {size, size, thick * random.uniform(0.5, 1.0)});
      make.opening(plate) = (level + 1.0) * make.scene.up();
      for (int k = 0; k < supports; ++k) {
        const double i = plane ? k : k % a, j = plane ? 0 : k / a;
        const double x = size * (2.0 * (i + 0.3 * random.uniform(-1.0, 1.0) + 0.5) / a - 1.0);
        const double y = size * (2.0 * (j + 0.3 * random.uniform(-1.0, 1.0) + 0.5) / a - 1.0);
        make.scene.touch(below, plate, make.at(x0 + x, y, z), make.scene.up());
      }
      below = plate;
    }
  }
  return make.scene;
}

/// Storeys of leaning pairs with cards across them. Opening: each storey rises faster, and cards part slowly along x.
inline RigidScene cards(int contacts, bool plane, Random& random) {
  Builder make(plane);
  make.density = 700.0;
  const int edge = plane ? 1 : 2;  // contacts an edge
  const double target = static_cast<double>(contacts) / edge;
  const int base = std::max(1, static_cast<int>(std::lround(std::sqrt(target / 2.5))));
  const double height = random.log_uniform(0.05, 1.0);
  const double spread = 2.0 * height * std::tan(random.uniform(0.1, 0.5));
  const double thick = 0.005 * height, depth = 0.3 * height;
  const double slow = 0.2 / (kMostFriction * spread * (base + 1));
  const auto open = [&](int card, double speed) {
    const double x = make.scene.bodies[static_cast<std::size_t>(card)].centre[0];
    make.opening(card) = speed * make.scene.up() + slow * x * Vector3::UnitX();
  };
  std::vector<int> across;
  double z = 0.0;
  for (int storey = 0; storey < base; ++storey) {
    std::vector<int> left, right;
    for (int i = 0; i < base - storey; ++i) {
      const double x = (i + 0.5 * storey) * spread;
      const int floor = storey == 0 ? kWorld : across[static_cast<std::size_t>(i)];
      const double long_half = 0.5 * std::hypot(height, 0.5 * spread);
      const double c = 0.25 * spread / long_half, s = 0.5 * height / long_half;
      left.push_back(make.box(make.at(x + 0.25 * spread, 0.0, z + 0.5 * height),
                              {long_half, depth, thick}, c, s));
      right.push_back(make.box(make.at(x + 0.75 * spread, 0.0, z + 0.5 * height),
                               {long_half, depth, thick}, -c, s));
      for (const int card : {left.back(), right.back()}) open(card, 2.0 * storey + 1.0);
      make.line(floor, left.back(), x, 0.0, depth, z, make.scene.up());
      make.line(floor, right.back(), x + spread, 0.0, depth, z, make.scene.up());
      make.line(left.back(), right.back(), x + 0.5 * spread, 0.0, depth, z + height,
                Vector3::UnitX());
    }
    z += height;
    across.clear();
    for (std::size_t i = 0; i + 1 < left.size(); ++i) {
      const double x = (static_cast<double>(i) + 0.5 * storey + 0.5) * spread;
      across.push_back(
          make.box(make.at(x + 0.5 * spread, 0.0, z + thick), {0.5 * spread, depth, thick}));
      open(across.back(), 2.0 * storey + 2.0);
      make.line(right[i], across.back(), x, 0.0, depth, z, make.scene.up());
      make.line(left[i + 1], across.back(), x + spread, 0.0, depth, z, make.scene.up());
    }
    z += 2.0 * thick;
  }
  return make.scene;
}

}  // namespace saltus_bench
