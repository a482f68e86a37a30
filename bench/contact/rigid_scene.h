// Rigid bodies that touch, as a contact problem of one time step.
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "bench/contact/random.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/contact/problem_data.h"

namespace saltus_bench {

using saltus::Vector;
using saltus::Vector3;

constexpr int kWorld = -1;

struct RigidBody {
  Vector3 centre = Vector3::Zero();  ///< [m]
  double mass = 1.0;                 ///< [kg]
  Eigen::Matrix3d inertia =
      Eigen::Matrix3d::Identity();  ///< about the centre, axes of the world [kg m^2]
  /// Translation in which all contacts open (generate.h) [1].
  Vector3 opening = Vector3::Zero();
};

/// Body b on body a (or the world) at a point; the normal goes from a to b.
struct Touch {
  int a = kWorld, b = 0;
  Vector3 point = Vector3::Zero(), normal = Vector3::UnitZ();
  double friction = 0.0, rolling = 0.0, spinning = 0.0;  ///< mu [1], mu_R [m], sigma [m]
  double gap = 0.0;                                      ///< [m]
};

/// In space z is up; in the plane y is, and bodies move in x and y and turn about z.
struct RigidScene {
  bool plane = false, rolling = false;
  bool spinning = false;  ///< in space
  std::vector<RigidBody> bodies;
  std::vector<Touch> touches;

  Vector3 up() const { return plane ? Vector3::UnitY() : Vector3::UnitZ(); }

  int add(const RigidBody& body) {
    bodies.push_back(body);
    return static_cast<int>(bodies.size()) - 1;
  }
  void touch(int a, int b, const Vector3& point, const Vector3& normal) {
    touches.push_back({.a = a, .b = b, .point = point, .normal = normal});
  }

  /// Two directions at right angles to n; the second is z in the plane.
  static std::pair<Vector3, Vector3> tangents(const Vector3& n, bool plane) {
    if (plane) return {Vector3::UnitZ().cross(n), Vector3::UnitZ()};
    Vector3 axis = Vector3::Zero();
    Eigen::Index smallest = 0;
    n.cwiseAbs().minCoeff(&smallest);
    axis[smallest] = 1.0;
    const Vector3 t = n.cross(axis).normalized();
    return {t, n.cross(t)};
  }

  int contact_rows() const {
    return (plane ? (rolling ? 3 : 2) : (rolling ? 5 : 3)) + (spinning ? 1 : 0);
  }

  /// H and A^-1 = diag(1/m, I^-1) of all contacts.
  saltus::BodyRows rows() const {
    saltus::BodyRows H;
    H.width = plane ? 3 : 6;
    for (const RigidBody& body : bodies) {
      const Eigen::Matrix3d I = body.inertia.inverse();
      for (int i = 0; i < H.width; ++i)
        for (int j = 0; j < H.width; ++j) {
          const int linear = plane ? 2 : 3;
          double value = 0.0;
          if (i < linear && j < linear) value = i == j ? 1.0 / body.mass : 0.0;
          if (i >= linear && j >= linear)
            value = plane ? I(2, 2) : 0.5 * (I(i - 3, j - 3) + I(j - 3, i - 3));
          H.inverse.push_back(value);
        }
    }
    for (const Touch& touch : touches) {
      for (const int side : {touch.a, touch.b}) {
        if (side == kWorld) continue;
        H.touch(side);
        add_rows(touch, side, side == touch.b ? 1.0 : -1.0, H.value);
      }
      H.close(contact_rows());
    }
    return H;
  }

  std::vector<saltus::Law> laws() const {
    std::vector<saltus::Law> laws;
    laws.reserve(touches.size());
    const int size = contact_rows();
    for (const Touch& touch : touches) {
      saltus::Law law{.first = size * static_cast<int>(laws.size()), .size = size};
      law.kind = rolling || spinning ? saltus::LawKind::rolling : saltus::LawKind::coulomb;
      law.friction = touch.friction;
      law.rolling = rolling ? touch.rolling : 0.0;
      law.spinning = spinning ? touch.spinning : 0.0;
      laws.push_back(law);
    }
    return laws;
  }

  /// Body velocities in which all contacts open, as `H` orders them.
  Vector opening() const {
    const int width = plane ? 3 : 6;
    Vector v = Vector::Zero(width * static_cast<Eigen::Index>(bodies.size()));
    for (std::size_t b = 0; b < bodies.size(); ++b)
      v.segment(width * static_cast<Eigen::Index>(b), plane ? 2 : 3) =
          bodies[b].opening.head(plane ? 2 : 3);
    return v;
  }

 private:
  /// u of the contact from the velocity (v, w) of its body: n . (v + w x r), t . (v + w x r), t . w, n . w.
  void add_rows(const Touch& touch, int side, double sign, std::vector<double>& out) const {
    const auto [t1, t2] = tangents(touch.normal, plane);
    const Vector3 r = touch.point - bodies[static_cast<std::size_t>(side)].centre;
    for (const Vector3& d : {touch.normal, t1, t2}) {
      if (plane && &d == &t2) break;
      const Vector3 turn = r.cross(d);
      push(sign * d, sign * turn, out);
    }
    if (rolling && !plane) push(Vector3::Zero(), sign * t1, out);
    if (rolling) push(Vector3::Zero(), sign * t2, out);
    if (spinning) push(Vector3::Zero(), sign * touch.normal, out);
  }
  void push(const Vector3& linear, const Vector3& turn, std::vector<double>& out) const {
    if (plane)
      out.insert(out.end(), {linear[0], linear[1], turn[2]});
    else
      out.insert(out.end(), {linear[0], linear[1], linear[2], turn[0], turn[1], turn[2]});
  }
};

/// u = H v.
inline Vector multiply(const saltus::BodyRows& H, const Vector& v) {
  Vector u = Vector::Zero(H.rows());
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[static_cast<std::size_t>(c)];
         k < H.offset[static_cast<std::size_t>(c) + 1]; ++k)
      for (int i = 0; i < H.size(c); ++i)
        for (int j = 0; j < H.width; ++j)
          u[H.first[static_cast<std::size_t>(c)] + i] +=
              H.value[H.start[static_cast<std::size_t>(k)] +
                      static_cast<std::size_t>(i * H.width + j)] *
              v[H.body[static_cast<std::size_t>(k)] * H.width + j];
  return u;
}

/// W = H A^-1 H^T by its blocks: W_cd is there where c and d touch a common body.
inline saltus::BlockMatrix blocks_of(const saltus::BodyRows& H) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int w = H.width;
  std::vector<std::vector<std::pair<int, int>>> of_body(at(H.bodies()));  // contact, place in H
  std::vector<double> response(H.value.size());                           // H_ck A_b^-1
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
      of_body[at(H.body[at(k)])].push_back({c, k});
      const double* inverse = H.inverse.data() + at(H.body[at(k)] * w * w);
      for (int i = 0; i < H.size(c); ++i)
        for (int j = 0; j < w; ++j) {
          double sum = 0.0;
          for (int m = 0; m < w; ++m)
            sum += H.value[H.start[at(k)] + at(i * w + m)] * inverse[m * w + j];
          response[H.start[at(k)] + at(i * w + j)] = sum;
        }
    }
  saltus::BlockMatrix W;
  std::vector<int> near;
  for (int c = 0; c < H.contacts(); ++c) {
    near.assign(1, c);
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      for (const auto& [d, l] : of_body[at(H.body[at(k)])]) near.push_back(d);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    W.first.push_back(W.first.back() + H.size(c));
    for (const int d : near) {
      W.column.push_back(d);
      W.start.push_back(W.value.size());
      W.value.resize(W.value.size() + at(H.size(c) * H.size(d)));
    }
    W.offset.push_back(static_cast<int>(W.column.size()));
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      for (const auto& [d, l] : of_body[at(H.body[at(k)])]) {
        double* block = W.value.data() + W.start[at(W.find(c, d))];
        for (int i = 0; i < H.size(c); ++i)
          for (int j = 0; j < H.size(d); ++j)
            for (int m = 0; m < w; ++m)
              block[i * H.size(d) + j] += response[H.start[at(k)] + at(i * w + m)] *
                                          H.value[H.start[at(l)] + at(j * w + m)];
      }
  }
  for (int c = 0; c < W.contacts(); ++c)  // symmetric to the last bit
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
      const int d = W.column[at(k)];
      if (d < c) continue;
      double* upper = W.value.data() + W.start[at(k)];
      double* lower = W.value.data() + W.start[at(W.find(d, c))];
      for (int i = 0; i < W.size(c); ++i)
        for (int j = 0; j < W.size(d); ++j) lower[j * W.size(c) + i] = upper[i * W.size(d) + j];
    }
  return W;
}

}  // namespace saltus_bench
