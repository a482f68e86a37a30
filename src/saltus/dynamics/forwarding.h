// Base class for a body that forwards to another body everything that a derived class does not
// override.
#pragma once
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// Every operation forwards to inner(), which may return a different object in each call.
class ForwardingDynamics : public Dynamics {
 public:
  int bodies() const override { return inner().bodies(); }
  int positions() const override { return inner().positions(); }
  int velocities() const override { return inner().velocities(); }
  unsigned traits() const override { return inner().traits(); }

  void retract(View q, View w, Out out) const override { inner().retract(q, w, out); }
  void increment_rate(View w, View v, Out rate) const override {
    inner().increment_rate(w, v, rate);
  }
  void force(double t, View q, View v, Out f) const override { inner().force(t, q, v, f); }
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override {
    inner().multiply(s, t, q, v, x, y);
  }
  void factorise(Combination s, double t, View q, View v, Factor& A) const override {
    inner().factorise(s, t, q, v, A);
  }
  void factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                       Factor& A) const override {
    inner().factorise_exact(s, weight, x, t, q, v, A);
  }
  void potential_force(double t, View q, Out f) const override { inner().potential_force(t, q, f); }
  void load(double t, View q, View v, Out f) const override { inner().load(t, q, v, f); }
  void coast(double h, Out q, Out v) const override { inner().coast(h, q, v); }
  const RigidData* rigid() const override { return inner().rigid(); }
  Rayleigh rayleigh() const override { return inner().rayleigh(); }

  int prescribed() const override { return inner().prescribed(); }
  void reactions(double t, View q, View v, View a, Out forces) const override {
    inner().reactions(t, q, v, a, forces);
  }
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override {
    inner().point_reactions(t, q, at, f, forces);
  }
  void prescribed_columns(Combination s, double t, View q, View v,
                          Eigen::Ref<Matrix> columns) const override {
    inner().prescribed_columns(s, t, q, v, columns);
  }

  void points(double t, View q, std::span<const PointRef> at, Out x) const override {
    inner().points(t, q, at, x);
  }
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override {
    inner().point_rows(q, axes, at, J);
  }
  void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override {
    inner().spin_rows(q, axes, at, J);
  }
  void frames(double t, View q, std::span<Pose> out) const override { inner().frames(t, q, out); }
  void spin_drift(double t, View q, std::span<const PointRef> at, Out d) const override {
    inner().spin_drift(t, q, at, d);
  }
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override {
    inner().point_drift(t, q, at, d);
  }
  void breaks(Breaks& out) const override { inner().breaks(out); }
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override {
    return inner().table(at, direction);
  }

  std::span<const Source> sources() const override { return inner().sources(); }
  Energy energy(double t, View q, View v) const override { return inner().energy(t, q, v); }
  Energy energy_of_body(int body, double t, View q, View v) const override {
    return inner().energy_of_body(body, t, q, v);
  }
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override {
    inner().power(t, held, q, v, w, by_source);
  }
  const ModalData* modal() const override { return inner().modal(); }

  double fastest_spin_drift(double from, double to) const override {
    return inner().fastest_spin_drift(from, to);
  }
  double fastest_drift(double from, double to, double reach) const override {
    return inner().fastest_drift(from, to, reach);
  }
  double offset() const override { return inner().offset(); }

 protected:
  virtual const Dynamics& inner() const = 0;
};

}  // namespace saltus
