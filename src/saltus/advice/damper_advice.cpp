#include "saltus/advice/damper_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/rigid.h"
#include "saltus/fem/fem.h"
#include "saltus/math/dense.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/schemes/moreau_jean.h"

namespace saltus {
namespace {

constexpr double kLimit = 2.0;         // of h c/m: above it the midpoint rule reverses velocities
constexpr double kTurned = 0.02;       // relative to the previous velocity
constexpr int kMostCoordinates = 300;  // largest size of a matrix whose eigenvalues are computed

std::unique_ptr<Dynamics> damped_body(bool rigid, double c) {
  if (rigid) {
    RigidSystem system;
    system.bodies = {{1.0, Matrix3::Identity()}};
    system.drag = c;
    return std::make_unique<Rigid>(system);
  }
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.drag = c;
  return std::make_unique<Particles>(system);
}

/// Steps of one body without contacts.
class LoneStepper {
 public:
  LoneStepper(const Scheme& scheme, const Dynamics& body, double h, GroupState start)
      : scheme_(scheme), body_(body), h_(h), state_(std::move(start)) {
    prepared_ = scheme.prepare(body, h);
    scheme.start(body, prepared_.get(), 0.0, h, state_);
    end_ = state_;
    trial_.q.resize(body.positions());
    trial_.v.resize(body.velocities());
    trial_.v_free.resize(body.velocities());
    trial_.r = Vector::Zero(body.velocities());
    trial_.h = h;
    trial_.prepared = prepared_.get();
    trial_.ledger = false;
    v_.resize(body.velocities());
  }
  /// The physical velocity after another step.
  const Vector& advance() {
    constexpr int kPasses = 30;
    trial_.start = &state_;
    const auto stages = static_cast<int>(scheme_.stages().size());
    for (trial_.stage = 0; trial_.stage < stages; ++trial_.stage) {
      trial_.pass = 0;
      scheme_.begin(body_, trial_);
      if (scheme_.free_motion(body_) && stages == 1) continue;
      double outstanding = 1.0;
      while (outstanding > 1e-12 && trial_.pass < kPasses) {
        ++trial_.pass;
        scheme_.linearise(body_, trial_);
        outstanding = scheme_.correct(body_, trial_);
        if (scheme_.one_pass(body_)) break;
      }
    }
    scheme_.finish(body_, trial_, end_);
    std::swap(state_, end_);
    trial_.t0 += h_;
    scheme_.velocity(body_, prepared_.get(), trial_.t0, h_, state_, v_);
    return v_;
  }
  const GroupState& state() const { return state_; }

 private:
  const Scheme& scheme_;
  const Dynamics& body_;
  double h_;
  GroupState state_, end_;
  std::unique_ptr<Prepared> prepared_;
  Trial trial_;
  Vector v_;
};

/// The damping of one direction of motion.
struct Damper {
  double rate = 0.0;  ///< c/m, c/J [1/s]
  int body = 0;       ///< index in the group
  const char* what = "the damping";
};

/// Adds the fastest damping of each kind for rigid bodies.
void add_rigid(const Dynamics& body, std::vector<Damper>& dampers) {
  const RigidData& data = *body.rigid();
  const Vector zero = Vector::Zero(body.velocities());
  Vector q = Vector::Zero(body.positions()), x = zero, y = zero;
  for (int i = 0; i < body.bodies(); ++i) q[7 * i + 3] = 1.0;
  Damper way{0.0, 0, "the drag"}, turn{0.0, 0, "the spin drag"};
  x.setOnes();
  body.multiply({0.0, 1.0, 0.0}, 0.0, q, zero, x, y);
  for (int i = 0; i < body.bodies(); ++i) {
    const auto b = static_cast<std::size_t>(i);
    const double drag = y.segment<3>(6 * i).cwiseProduct(data.mass_inverse[b]).maxCoeff();
    if (drag > way.rate) way = {drag, i, way.what};
    const Vector3 spin = y.segment<3>(6 * i + 3);
    const double fastest =
        spin.maxCoeff() * symmetric_pairs(Matrix(data.inertia_inverse[b])).values[2];
    if (fastest > turn.rate) turn = {fastest, i, turn.what};
  }
  for (const Damper& one : {way, turn})
    if (one.rate > 0.0) dampers.push_back(one);
}

/// Computes y = C x for damping that is not Rayleigh damping, and products with M and K.
class DampingMatrices {
 public:
  DampingMatrices(const Dynamics& body, const GroupState& start) : n_(body.velocities()) {
    Vector x = Vector::Zero(n_), y(n_);
    for (Matrix* A : {&M_, &C_, &K_}) A->resize(n_, n_);
    for (int i = 0; i < n_; ++i) {
      x[i] = 1.0;
      body.multiply({1.0, 0.0, 0.0}, 0.0, start.q, start.v, x, y);
      M_.col(i) = y;
      body.multiply({0.0, 1.0, 0.0}, 0.0, start.q, start.v, x, y);
      C_.col(i) = y;
      body.multiply({0.0, 0.0, 1.0}, 0.0, start.q, start.v, x, y);
      K_.col(i) = y;
      x[i] = 0.0;
    }
    const Rayleigh r = body.rayleigh();
    C_ -= r.mass * M_ + r.stiffness * K_;
  }
  /// Coefficients of C = a M + b K, by least squares; nothing if C is not of that form.
  std::optional<std::array<double, 2>> proportional() const {
    const double mm = M_.squaredNorm(), kk = K_.squaredNorm(), mk = M_.cwiseProduct(K_).sum(),
                 cm = C_.cwiseProduct(M_).sum(), ck = C_.cwiseProduct(K_).sum();
    double a = cm / mm, b = 0.0;
    if (const double D = mm * kk - mk * mk; D > 1e-9 * mm * kk) {
      a = (cm * kk - ck * mk) / D;
      b = (ck * mm - cm * mk) / D;
    }
    if ((C_ - a * M_ - b * K_).norm() <= 1e-6 * C_.norm()) return std::array{a, b};
    return std::nullopt;
  }
  /// Largest c/m of a motion whose frequency the step resolves, h omega < 2, or that is overdamped,
  /// c/m > 2 omega, unless C is proportional to K; and the coordinate with the largest amplitude in
  /// it.
  Damper fastest(double h) const {
    const SymmetricPairs m = symmetric_pairs(M_);
    const Matrix root = m.vectors * m.values.cwiseMax(0.0).cwiseSqrt().cwiseInverse().asDiagonal();
    const auto form = proportional();
    const bool by_stiffness = form && (*form)[1] != 0.0;
    const Matrix& S = by_stiffness ? K_ : C_;  // eigenvectors common to both
    const SymmetricPairs pairs =
        symmetric_pairs(Matrix(root.transpose() * (0.5 * (S + S.transpose())) * root));
    Damper most;
    for (int j = 0; j < n_; ++j) {
      const Vector x = root * pairs.vectors.col(j);
      const double rate = x.dot(C_ * x), omega2 = x.dot(K_ * x);
      const bool overdamped = !by_stiffness && rate * rate > 4.0 * omega2;
      if (!(rate > most.rate) || !(h * h * omega2 < 4.0 || overdamped)) continue;
      Eigen::Index at = 0;
      x.cwiseAbs().maxCoeff(&at);
      most.rate = rate;
      most.body = static_cast<int>(at);
    }
    return most;
  }
  bool finite() const { return M_.allFinite() && C_.allFinite() && K_.allFinite(); }
  bool damps() const { return !C_.isZero(0.0); }

 private:
  int n_;
  Matrix M_, C_, K_;
};

std::vector<Damper> dampers_of(const Dynamics& body, const GroupState& start, double h) {
  std::vector<Damper> dampers;
  const int n = body.velocities();
  if (n == 0) return dampers;
  if (body.rigid()) {
    add_rigid(body, dampers);
    return dampers;
  }
  if (const ModalData* modes = body.modal()) {  // equal for all modes
    dampers.push_back({2.0 * modes->sigma.minCoeff()});
    return dampers;
  }
  if (const double rate = body.rayleigh().mass; rate > 0.0)
    dampers.push_back({rate, 0, "the mass-proportional damping"});
  if (!has(body.traits(), Trait::tangents) || n > kMostCoordinates ||
      dynamic_cast<const Fem*>(&body) || dynamic_cast<const ElasticBeam*>(&body))
    return dampers;
  const DampingMatrices matrices(body, start);
  if (!matrices.finite() || !matrices.damps()) return dampers;
  Damper one = matrices.fastest(h);
  one.body = body.bodies() > 1 ? one.body / (n / body.bodies()) : 0;
  dampers.push_back(one);
  return dampers;
}

/// Whether some motion has a frequency.
bool swings(const Dynamics& body, const GroupState& start) {
  if (body.modal()) return true;
  const int n = body.velocities();
  Vector x = Vector::Zero(n), y(n);
  for (int i = 0; i < std::min(n, kMostCoordinates); ++i) {
    x[i] = 1.0;
    body.multiply({0.0, 0.0, 1.0}, 0.0, start.q, start.v, x, y);
    if (!y.isZero(0.0)) return true;
    x[i] = 0.0;
  }
  return false;
}

}  // namespace

std::optional<DampedStep> damped_step(const Scheme& scheme, bool rigid, double z) {
  const std::unique_ptr<Dynamics> body = damped_body(rigid, z);
  if (!fits(scheme, body->traits())) return std::nullopt;
  GroupState state;
  state.q = Vector::Zero(body->positions());
  if (rigid) state.q[3] = 1.0;
  state.v = Vector::Unit(body->velocities(), 0);
  constexpr int kSteps = 4;
  DampedStep found;
  double earlier = 1.0;
  LoneStepper stepper(scheme, *body, 1.0, state);
  for (int step = 0; step < kSteps; ++step) {
    const double v = stepper.advance()[0];
    if (!std::isfinite(v)) return DampedStep{true, true};
    found.turns = found.turns || (v * earlier < 0.0 && std::abs(v) > kTurned);
    found.grows = found.grows || std::abs(v) > 1.0001;
    earlier = v;
  }
  return found;
}

bool follows_any_spin(const Scheme& scheme) {
  RigidSystem system;
  system.bodies = {{1.0, Vector3(1.0, 2.0, 2.5).asDiagonal()}};
  const Rigid body(system);
  if (!fits(scheme, body.traits())) return false;
  GroupState state;
  state.q = Vector::Unit(7, 3);
  state.v = Vector::Zero(6);
  state.v.tail<3>() = Vector3(9.0, -7.0, 8.0);
  GroupState free = state;
  body.coast(1.0, free.q, free.v);
  LoneStepper stepper(scheme, body, 1.0, state);
  stepper.advance();
  return (stepper.state().q - free.q).norm() < 1e-6;
}

double fastest_damping(const Dynamics& body, const GroupState& start, double h) {
  double most = 0.0;
  for (const Damper& one : dampers_of(body, start, h)) most = std::max(most, one.rate);
  return std::isfinite(most) ? most : 0.0;
}

std::vector<std::string> damper_advice(const Group& group, const GroupState& start, double h) {
  std::vector<std::string> lines;
  const bool rigid = group.dynamics->rigid() != nullptr;
  for (const Damper& one : dampers_of(*group.dynamics, start, h)) {
    const double z = h * one.rate;
    if (!(z > kLimit) || !std::isfinite(z) || group.scheme->damps(one.rate)) continue;
    const auto made = damped_step(*group.scheme, rigid, z);
    if (!made || !(made->turns || made->grows)) continue;
    if (made->grows && !rigid && swings(*group.dynamics, start)) continue;  // by step_advice()
    const auto damps = [&](const Scheme& scheme) {
      const auto other = damped_step(scheme, rigid, z);
      return other && !other->turns && !other->grows;
    };
    std::string others = schemes_for(group.dynamics->traits(), damps);
    if (fits(*make_moreau_jean({}), group.dynamics->traits()))
      others += (others.empty() ? "" : ", ") + std::string("moreau-jean with dashpots: decaying");
    const auto body = static_cast<std::size_t>(one.body);
    const std::string& name = body < group.bodies.size() ? group.bodies[body] : group.name;
    lines.push_back(fmt::format(
        "{} of '{}' is too strong for the step: h c/m = {:.3g}, and above 2 {} {}; use steps below "
        "{:.3g} s{}",
        one.what, name, z, group.scheme->name(),
        made->grows ? "makes its velocity grow" : "reverses its velocity in every step",
        kLimit / one.rate, others.empty() ? "" : ", or a scheme that damps: " + others));
  }
  return lines;
}

}  // namespace saltus
