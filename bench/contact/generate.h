// Contact problems made by rule, each with a solution by construction, the same for every compiler and library up to the
// last bits of sin, cos and pow.
//
//     for (const GeneratedCase& c : generated_set()) { const Generated g = generate(c); ... g.problem.view() ... }
//
// Why each has a solution, whatever b is. Let K be the product of the cones |p_T| <= mu p_N (and |p_R| <= mu_R p_N) and
// let some velocity v* of the bodies open every contact: H v* in the interior of the dual K*, that is
// u*_N > mu |u*_T| + mu_R |u*_R|. Then:
//   1. p in K, H^T p = 0 only for p = 0: 0 = v* . H^T p = u* . p > 0 otherwise. With W = H A^-1 H^T, A positive, hence
//      p . W p >= c |p|^2 on K for a c > 0.
//   2. For a given s >= 0, one a contact, minimise 1/2 p . W p + p . (b + s n) over K. By 1 a minimum is attained, with
//      |p| <= 2 |b|/c for every s. The minimiser need not be unique, u(s) = W p + b is, and is continuous and bounded.
//   3. s -> mu |u_T(s)| + mu_R |u_R(s)| maps a box into itself, so by Brouwer some s is mapped to itself. There the
//      condition of optimality, K* contains u + s n, orthogonal to p in K, is the contact law.
// After V. Acary, F. Cadoux, C. Lemarechal, J. Malick, Z. Angew. Math. Mech. 91 (2011) 155-175. Every family states its
// v*, and `opening` holds H v*, for a test to check. W positive definite is the case where H v* can be anything.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "bench/contact/heaps.h"

namespace saltus_bench {

enum class Family { columns, wall, arches, chains, plates, cards, heap, rolling, cones };
constexpr std::array<std::string_view, 9> kFamilies = {
    "columns", "wall", "arches", "chains", "plates", "cards", "heap", "rolling", "cones"};

struct GeneratedCase {
  Family family = Family::columns;
  int contacts = 10;  ///< about; Generated has the exact number
  std::uint64_t seed = 0;

  /// e.g. wall-200-17; odd seeds are in the plane.
  std::string name() const {
    return std::string(kFamilies[static_cast<std::size_t>(family)]) + "-" +
           std::to_string(contacts) + "-" + std::to_string(seed);
  }
};

/// How W is held: by blocks, by bodies, or by blocks as long as there are fewer than a million of them.
enum class Form { automatic, blocks, bodies };

struct Generated {
  std::string name;
  saltus::ContactProblemData problem;
  Vector opening;  ///< H v* [m/s]
  bool plane = false;
};

namespace generating {

/// Velocities at the end of the step without contact: v + h g, g as on a slope now and then.
inline Vector free_velocities(const RigidScene& scene, double step, Random& random) {
  const int width = scene.plane ? 3 : 6, linear = scene.plane ? 2 : 3;
  const double slope = random.chance(0.3) ? random.uniform(0.0, 0.7) : 0.0;
  const Vector3 pull = 9.81 * (std::sin(slope) * Vector3::UnitX() - std::cos(slope) * scene.up());
  const double disturbance = 9.81 * step * random.pick(std::array{0.0, 0.0, 0.05, 1.0, 20.0});
  const Vector3 common =
      random.chance(0.3) ? Vector3(-random.uniform() * scene.up()) : Vector3(Vector3::Zero());
  Vector v = Vector::Zero(width * static_cast<Eigen::Index>(scene.bodies.size()));
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const RigidBody& body = scene.bodies[b];
    const double gyration = std::sqrt(body.inertia.trace() / (3.0 * body.mass));
    const auto first = width * static_cast<Eigen::Index>(b);
    const Vector3 translation = common + step * pull;
    for (int i = 0; i < width; ++i)
      v[first + i] = i < linear ? translation[i] + disturbance * random.normal()
                                : disturbance * random.normal() / gyration;
  }
  return v;
}

inline void set_friction(RigidScene& scene, Random& random) {
  const int kind = random.integer(0, 4);  // 0: none, 1: of each contact, else the same for all
  const double all = random.uniform(0.05, kMostFriction);
  for (Touch& touch : scene.touches)
    touch.friction = kind == 0 ? 0.0 : kind == 1 ? random.uniform(0.0, kMostFriction) : all;
}

/// Blocks of W, without counting the same block twice for contacts that share two bodies.
inline double block_count(const saltus::BodyRows& H) {
  std::vector<double> touched(static_cast<std::size_t>(H.bodies()), 0.0);
  for (const int b : H.body) touched[static_cast<std::size_t>(b)] += 1.0;
  double count = 0.0;
  for (const double n : touched) count += n * n;
  return count;
}

inline void assemble(saltus::BodyRows rows, std::vector<saltus::Law> laws, Vector b, Form form,
                     saltus::ContactProblemData& out) {
  out.ids.resize(static_cast<std::size_t>(b.size()));
  std::iota(out.ids.begin(), out.ids.end(), 0);
  out.b = std::move(b);
  out.laws = std::move(laws);
  if (form == Form::automatic) form = block_count(rows) < 1e6 ? Form::blocks : Form::bodies;
  if (form == Form::blocks)
    out.W = std::make_shared<saltus::BlockDelassus>(blocks_of(rows));
  else
    out.W = std::make_shared<saltus::BodyDelassus>(std::move(rows));
}

inline RigidScene scene(const GeneratedCase& of, bool plane, Random& random) {
  switch (of.family) {
    case Family::columns:
      return columns(of.contacts, plane, random);
    case Family::wall:
      return wall(of.contacts, plane, random);
    case Family::arches:
      return arches(of.contacts, plane, random);
    case Family::chains:
      return chains(of.contacts, plane, random);
    case Family::plates:
      return plates(of.contacts, plane, random);
    case Family::cards:
      return cards(of.contacts, plane, random);
    case Family::heap:
      return heap(of.contacts, plane, false, random);
    default:
      return heap(of.contacts, plane, true, random);
  }
}

/// Random H between random pairs of bodies with random A, mu from 0 to 10, some contacts frictionless. Opening: a random
/// v*; the rows H_c get the smallest change by which H_c v* = u*, u* = (1, something shorter than 1/mu).
inline Generated cones(const GeneratedCase& of, bool plane, Form form, Random& random) {
  saltus::BodyRows H;
  H.width = plane ? 3 : 6;
  const int w = H.width, size = plane ? 2 : 3;
  const int bodies = std::max(1, static_cast<int>(of.contacts * random.log_uniform(0.3, 3.0)));
  const double spread = random.log_uniform(1.0, 1e4), mass = random.log_uniform(1e-3, 1e3);
  for (int b = 0; b < bodies; ++b) {
    Eigen::MatrixXd R(w, w);
    for (int i = 0; i < w * w; ++i) R.data()[i] = random.normal();
    const Eigen::MatrixXd A = R * R.transpose() / w + Eigen::MatrixXd::Identity(w, w) / spread;
    for (int i = 0; i < w; ++i)
      for (int j = 0; j < w; ++j) H.inverse.push_back(0.5 * (A(i, j) + A(j, i)) / mass);
  }
  Vector v(w * bodies);
  for (double& x : v) x = random.normal();

  std::vector<saltus::Law> laws;
  const int kind = random.integer(0, 2);
  const double all = random.log_uniform(0.01, 10.0);
  for (int c = 0; c < of.contacts; ++c) {
    saltus::Law law{.kind = saltus::LawKind::coulomb, .first = c * size, .size = size};
    law.friction = kind == 0 ? all : random.chance(0.15) ? 0.0 : random.log_uniform(1e-3, 10.0);
    laws.push_back(law);
    const int a = random.integer(0, bodies - 1);
    const int other = (a + 1 + random.integer(0, std::min(20, bodies - 1))) % bodies;
    std::vector<int> sides = {std::min(a, other), std::max(a, other)};
    if (a == other || random.chance(0.1)) sides.resize(1);
    double turn = 0.0, v2 = 0.0;
    const double length = 0.5 / std::max(law.friction, 0.1);
    Vector3 opening(1.0, length * random.uniform(-0.7, 0.7), length * random.uniform(-0.7, 0.7));
    for (const int b : sides) {
      H.touch(b);
      for (int i = 0; i < size * w; ++i) H.value.push_back(random.normal());
      v2 += v.segment(b * w, w).squaredNorm();
    }
    for (int i = 0; i < size; ++i) {
      turn = 0.0;  // (u* - H_c v*)_i/|v*|^2
      for (std::size_t k = 0; k < sides.size(); ++k)
        for (int j = 0; j < w; ++j)
          turn += H.value[H.start[H.start.size() - sides.size() + k] +
                          static_cast<std::size_t>(i * w + j)] *
                  v[sides[k] * w + j];
      turn = (opening[i] - turn) / v2;
      for (std::size_t k = 0; k < sides.size(); ++k)
        for (int j = 0; j < w; ++j)
          H.value[H.start[H.start.size() - sides.size() + k] +
                  static_cast<std::size_t>(i * w + j)] += turn * v[sides[k] * w + j];
    }
    H.close(size);
  }
  Generated out{of.name(), {}, multiply(H, v), plane};
  Vector b(size * of.contacts);
  const double speed = random.log_uniform(1e-3, 1e3);
  for (double& x : b) x = speed * random.normal();
  assemble(std::move(H), std::move(laws), std::move(b), form, out.problem);
  return out;
}

}  // namespace generating

/// The problem of a case: b = H (v + h g) + e H v + gap/h on the normal rows.
inline Generated generate(const GeneratedCase& of, Form form = Form::automatic) {
  Random random(of.seed * 64 + static_cast<std::uint64_t>(of.family));
  const bool plane = of.seed % 2 == 1;
  if (of.family == Family::cones) return generating::cones(of, plane, form, random);

  RigidScene scene = generating::scene(of, plane, random);
  generating::set_friction(scene, random);
  saltus::BodyRows H = scene.rows();
  const double step = random.log_uniform(1e-4, 1e-2);
  Vector b = multiply(H, generating::free_velocities(scene, step, random));
  const double restitution = random.chance(0.2) ? random.uniform(0.0, 0.8) : 0.0;
  for (int c = 0; c < H.contacts(); ++c) {
    double& b_N = b[H.first[static_cast<std::size_t>(c)]];
    if (b_N < 0.0) b_N *= 1.0 + restitution;
    b_N += scene.touches[static_cast<std::size_t>(c)].gap / step;
  }
  Generated out{of.name(), {}, multiply(H, scene.opening()), plane};
  generating::assemble(std::move(H), scene.laws(), std::move(b), form, out.problem);
  return out;
}

/// 500 cases of 10 to 20 000 contacts, at least 55 of each family; half of them in the plane.
inline std::vector<GeneratedCase> generated_set() {
  std::vector<GeneratedCase> set;
  const int families = static_cast<int>(kFamilies.size());
  for (int k = 0; k < 500; ++k) {
    const int member = k / families;  // 0 to 55
    GeneratedCase one{static_cast<Family>(k % families), 0, static_cast<std::uint64_t>(member)};
    if (member < 46)  // 10 to 500
      one.contacts = static_cast<int>(std::lround(10.0 * std::pow(50.0, member / 45.0)));
    else if (member < 54)  // 600 to 4000
      one.contacts =
          static_cast<int>(std::lround(600.0 * std::pow(20.0 / 3.0, (member - 46) / 7.0)));
    else
      one.contacts = k % 2 == 0 ? 20'000 : 6'000;
    set.push_back(one);
  }
  return set;
}

}  // namespace saltus_bench
