// Small bodies with every term of a force, and a driver of single steps, for tests of schemes by themselves.
#pragma once
#include <array>
#include <cmath>
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus::test {

/// M q'' = constant - K q - cubic q^3 - (D + rM M + rK K) v - drag v^3 + (F0 cos(angular_frequency t), 0, ...), with the powers
/// of components.
struct SystemData {
  Matrix mass, stiffness, damping;
  Vector constant;
  double cubic = 0.0, drag = 0.0, amplitude = 0.0, angular_frequency = 0.0;
  Rayleigh rayleigh;
};

class System final : public Dynamics {
 public:
  explicit System(SystemData data) : d_(std::move(data)) {
    const Eigen::Index n = d_.mass.rows();
    if (d_.damping.size() == 0) d_.damping = Matrix::Zero(n, n);
    if (d_.constant.size() == 0) d_.constant = Vector::Zero(n);
  }
  int positions() const override { return static_cast<int>(d_.mass.rows()); }
  int velocities() const override { return positions(); }
  unsigned traits() const override {
    const unsigned bits = Trait::tangents | Trait::symmetric | Trait::second_order |
                          Trait::constant_mass | Trait::potential;
    return d_.cubic == 0.0 && d_.drag == 0.0 ? bits | Trait::affine : bits;
  }
  void force(double t, View q, View v, Out f) const override {
    f = -(d_.stiffness * q) - damping() * v + load(t);
    f.array() -= d_.cubic * q.array().cube() + d_.drag * v.array().cube();
  }
  void potential_force(double, View q, Out f) const override {
    f = -(d_.stiffness * q);
    f.array() -= d_.cubic * q.array().cube();
  }
  void multiply(Combination s, double, View q, View v, View x, Out y) const override {
    y = combine(s, q, v) * x;
  }
  void factorise(Combination s, double, View q, View v, Factor& A) const override {
    auto dense = std::make_unique<DenseOperator>();
    dense->factorise(combine(s, q, v));
    A.form = std::move(dense);
  }
  Rayleigh rayleigh() const override { return d_.rayleigh; }
  void points(double, View q, std::span<const PointRef> at, Out x) const override {
    for (std::size_t i = 0; i < at.size(); ++i)
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) = Vector3(0.0, 0.0, q[at[i].feature]);
  }
  void point_rows(View, View, std::span<const PointRef> at, PointRows& J) const override {
    J.width = 1;
    J.offset.assign(1, 0);
    J.column.clear();
    J.value.clear();
    for (const PointRef& point : at) {
      J.column.push_back(point.feature);
      for (double x : {0.0, 0.0, 1.0}) J.value.push_back(x);
      J.offset.push_back(J.offset.back() + 1);
    }
  }
  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double, View q, View v) const override {
    return {0.5 * v.dot(d_.mass * v),
            0.5 * q.dot(d_.stiffness * q) + 0.25 * d_.cubic * q.array().pow(4).sum()};
  }
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override {
    by_source[0] = -w.dot(d_.stiffness * q) - d_.cubic * (q.array().cube() * w.array()).sum();
    by_source[1] = -w.dot(damping() * v) - d_.drag * (v.array().cube() * w.array()).sum();
    by_source[2] = w.dot(load(t));
  }

 private:
  Matrix damping() const {
    return d_.damping + d_.rayleigh.mass * d_.mass + d_.rayleigh.stiffness * d_.stiffness;
  }
  Vector load(double t) const {
    Vector f = d_.constant;
    f[0] += d_.amplitude * std::cos(d_.angular_frequency * t);
    return f;
  }
  Matrix combine(Combination s, View q, View v) const {
    Matrix A = s.m * d_.mass + s.c * damping() + s.k * d_.stiffness;
    A.diagonal().array() +=
        3.0 * s.k * d_.cubic * q.array().square() + 3.0 * s.c * d_.drag * v.array().square();
    return A;
  }
  SystemData d_;
  std::array<Source, 3> sources_{{{"elastic", true}, {"damping", false}, {"load", false}}};
};

/// A scheme that moves one body, step by step.
class Run {
 public:
  Run(const Dynamics& body, std::shared_ptr<const Scheme> scheme, Vector q, Vector v, double h,
      double t = 0.0)
      : body_(body), scheme_(std::move(scheme)), t_(t) {
    state.q = std::move(q);
    state.v = std::move(v);
    prepared_ = scheme_->prepare(body, h);
    scheme_->start(body, prepared_.get(), t, h, state);
    end_ = state;
    trial.h = h;
    trial.prepared = prepared_.get();
    trial.q.resize(body.positions());
    trial.v.resize(body.velocities());
    trial.v_free.resize(body.velocities());
    trial.r = Vector::Zero(body.velocities());
    work_.resize(body.sources().size());
    energy = scheme_->energy(body, prepared_.get(), t, h, state);
  }

  /// One step with the impulse r [N s]; without it the motion of begin() where that is all.
  void step(const Vector* r = nullptr) {
    trial.t0 = t_;
    trial.start = &state;
    trial.pass = 0;
    trial.r.setZero();
    scheme_->begin(body_, trial);
    passes = 0;
    if (r || !scheme_->one_pass(body_)) {
      double outstanding = 0.0;
      do {
        trial.pass = ++passes;
        scheme_->linearise(body_, trial);
        if (r) trial.r = *r;
        outstanding = scheme_->correct(body_, trial);
      } while (!scheme_->one_pass(body_) && outstanding > scheme_->pass_limits().tolerance &&
               passes < scheme_->pass_limits().passes);
      converged = scheme_->one_pass(body_) || outstanding <= scheme_->pass_limits().tolerance;
    }
    scheme_->finish(body_, trial, end_);
    StepWork work{work_};
    scheme_->work(body_, trial, end_, work);
    Vector w(body_.velocities());
    scheme_->work_velocity(trial, end_, w);
    scheme_work = work.scheme;
    unexplained = work.energy.total() - energy.total() - work.scheme - trial.r.dot(w);
    for (double of_source : work_) unexplained -= of_source;
    energy = work.energy;
    std::swap(state, end_);
    t_ += trial.h;
  }
  void steps(int n) {
    for (int k = 0; k < n; ++k) step();
  }
  /// Physical.
  Vector velocity() const {
    Vector v(body_.velocities());
    scheme_->velocity(body_, prepared_.get(), t_, trial.h, state, v);
    return v;
  }
  double t() const { return t_; }
  const std::vector<double>& by_source() const { return work_; }

  GroupState state;
  Trial trial;
  Energy energy;                                ///< of `state`, in the measure of the scheme [J]
  double unexplained = 0.0, scheme_work = 0.0;  ///< of the last step [J]
  int passes = 0;
  bool converged = true;

 private:
  const Dynamics& body_;
  std::shared_ptr<const Scheme> scheme_;
  std::unique_ptr<Prepared> prepared_;
  GroupState end_;
  std::vector<double> work_;
  double t_;
};

}  // namespace saltus::test
