// A Lagrangian system defined by its kinetic and potential energy: all other terms are derived
// exactly, with dual numbers.
//
//     M_ij = d2T/dv_i dv_j,    c_i = d/dt(dT/dv_i) - dT/dq_i,    -dV/dq_i,
//         K = d(dV/dq + c - Q)/dq,  C = d(c - Q)/dv
//
// Write a class of this form (every member after potential() may be omitted):
//
//     struct Bead {                                   // on a wire z = x^2 / 2
//       static constexpr int size = 1;
//       double m = 1.0, g = 9.81;
//       auto kinetic(const auto& q, const auto& v) const {
//         return 0.5 * m * (1.0 + q[0] * q[0]) * v[0] * v[0];
//       }
//       auto potential(const auto& q) const { return 0.5 * m * g * q[0] * q[0]; }
//       void applied(double t, const auto& q, const auto& v, auto& f) const { f[0] = -0.1 * v[0]; }
//       static constexpr bool constant_mass = false;  // true: T does not depend on q
//       static constexpr bool symmetric = false;      // true: K and C are symmetric
//       static constexpr int points = 1;
//       void point(int, const auto& q, auto& x) const {
//         x[0] = q[0], x[1] = 0.0, x[2] = 0.5 * q[0] * q[0];
//       }
//       std::string point_name(int) const { return "bead"; }
//     };
//     Lagrangian body(auto_model(Bead{}));
//
// q, v, f are std::array of `size` numbers, x of three; the numbers are double or Dual
// (math/dual.h).
#pragma once
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "saltus/bodies/lagrangian.h"
#include "saltus/math/dual.h"

namespace saltus {

/// For systems with few coordinates: M costs size^2/2 evaluations of T with numbers of four
/// components, the tangents 2 size^2 with numbers of eight. Allocates nothing on the heap.
template <class Model>
class AutoModel final : public LagrangianModel {
 public:
  static constexpr int n = Model::size;
  static_assert(n > 0);
  template <class S>
  using Numbers = std::array<S, static_cast<std::size_t>(n)>;

  explicit AutoModel(Model model) : model_(std::move(model)) {}
  const Model& model() const { return model_; }

  int size() const override { return n; }
  bool constant_mass() const override {
    if constexpr (requires { Model::constant_mass; }) return Model::constant_mass;
    return false;
  }
  bool symmetric() const override {
    if constexpr (requires { Model::symmetric; }) return Model::symmetric;
    return false;
  }

  // T(q, e_i eps1 + e_j eps2) = ... + M_ij eps1 eps2
  void mass(View q, Matrix& M) const override {
    using S = Dual<Dual<double>>;
    const auto at = numbers<S>(q);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        Numbers<S> v{};
        v[index(i)].rate.value = 1.0;
        v[index(j)].value.rate = 1.0;
        M(i, j) = M(j, i) = S(model_.kinetic(at, v)).rate.rate;
      }
  }

  double potential(View q) const override { return model_.potential(numbers<double>(q)); }

  void potential_force(View q, Out f) const override {
    using S = Dual<double>;
    for (int i = 0; i < n; ++i) {
      auto at = numbers<S>(q);
      at[index(i)].rate = 1.0;
      f[i] = -S(model_.potential(at)).rate;
    }
  }

  void potential_tangent(View q, Matrix& K) const override {
    using S = Dual<Dual<double>>;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        auto at = numbers<S>(q);
        at[index(i)].rate.value = 1.0;
        at[index(j)].value.rate = 1.0;
        K(i, j) = K(j, i) = S(model_.potential(at)).rate.rate;
      }
  }

  void applied(double t, View q, View v, Out f) const override {
    f.setZero();
    if constexpr (kApplied) {
      Numbers<double> force{};
      model_.applied(t, numbers<double>(q), numbers<double>(v), force);
      for (int i = 0; i < n; ++i) f[i] = force[index(i)];
    }
  }

  void inertial(View q, View v, Out f) const override {
    f.setZero();
    if (constant_mass()) return;
    const auto c = inertia(numbers<double>(q), numbers<double>(v));
    for (int i = 0; i < n; ++i) f[i] = c[index(i)];
  }

  bool has_tangents() const override { return true; }

  void tangents(double t, View q, View v, Matrix& K, Matrix& C) const override {
    using S = Dual<double>;
    potential_tangent(q, K);
    C.setZero();
    for (int j = 0; j < n; ++j)
      for (const bool along_v : {false, true}) {
        auto at = numbers<S>(q), moving = numbers<S>(v);
        (along_v ? moving : at)[index(j)].rate = 1.0;
        Matrix& tangent = along_v ? C : K;
        if (!constant_mass()) {
          const auto c = inertia(at, moving);
          for (int i = 0; i < n; ++i) tangent(i, j) += c[index(i)].rate;
        }
        if constexpr (kApplied) {
          Numbers<S> force{};
          model_.applied(t, at, moving, force);
          for (int i = 0; i < n; ++i) tangent(i, j) -= force[index(i)].rate;
        }
      }
  }

  int points() const override {
    if constexpr (requires { Model::points; }) return Model::points;
    return 0;
  }
  std::string point_name(int i) const override {
    if constexpr (requires(const Model& m) { m.point_name(i); }) return model_.point_name(i);
    return LagrangianModel::point_name(i);
  }
  Vector3 point(int i, View q) const override {
    if constexpr (requires { Model::points; }) {
      std::array<double, 3> x{};
      model_.point(i, numbers<double>(q), x);
      return {x[0], x[1], x[2]};
    }
    return LagrangianModel::point(i, q);
  }
  void point_jacobian(int i, View q, Matrix& J) const override {
    if constexpr (requires { Model::points; }) {
      for (int j = 0; j < n; ++j) {
        auto at = numbers<Dual<double>>(q);
        at[index(j)].rate = 1.0;
        std::array<Dual<double>, 3> x{};
        model_.point(i, at, x);
        for (int axis = 0; axis < 3; ++axis) J(axis, j) = x[index(axis)].rate;
      }
    } else {
      LagrangianModel::point_jacobian(i, q, J);
    }
  }

 private:
  static constexpr bool kApplied =
      requires(const Model& m, const Numbers<double>& q, Numbers<double>& f) {
    m.applied(0.0, q, q, f);
  };
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  template <class S>
  static Numbers<S> numbers(View q) {
    Numbers<S> x{};
    for (int i = 0; i < n; ++i) x[index(i)] = S(q[i]);
    return x;
  }

  // c_i = d/ds (dT/dv_i)(q + s v, v) - dT/dq_i
  template <class S>
  Numbers<S> inertia(const Numbers<S>& q, const Numbers<S>& v) const {
    using One = Dual<S>;
    using Two = Dual<One>;
    Numbers<S> c{};
    for (int i = 0; i < n; ++i) {
      Numbers<Two> at{}, moving{};
      Numbers<One> at_i{}, moving_i{};
      for (int k = 0; k < n; ++k) {
        const S unit(k == i ? 1.0 : 0.0);
        at[index(k)] = Two(One(q[index(k)]), One(v[index(k)]));
        moving[index(k)] = Two(One(v[index(k)], unit));
        at_i[index(k)] = One(q[index(k)], unit);
        moving_i[index(k)] = One(v[index(k)]);
      }
      c[index(i)] =
          Two(model_.kinetic(at, moving)).rate.rate - One(model_.kinetic(at_i, moving_i)).rate;
    }
    return c;
  }

  Model model_;
};

template <class Model>
std::shared_ptr<const LagrangianModel> auto_model(Model model) {
  return std::make_shared<AutoModel<Model>>(std::move(model));
}

}  // namespace saltus
