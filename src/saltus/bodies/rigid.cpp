#include "saltus/bodies/rigid.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/body_loads.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/linear_algebra/blocks_internal.h"
#include "saltus/math/dense.h"
#include "saltus/math/free_rotation.h"

namespace saltus {
namespace {

using Block = Eigen::Matrix<double, 6, 6>;

/// Calls use(i) for all bodies, in parallel.
template <class Use>
void for_bodies(int bodies, const Use& use) {
  in_blocks(index(bodies), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) use(i);
  });
}

using At = RigidAt;

bool isotropic(const Matrix3& J) { return J == J(0, 0) * Matrix3::Identity(); }

/// The inverse of A on the free rows and columns, 0 elsewhere.
Matrix3 inverse_of_free(const Matrix3& A, const bool* locked) {
  Matrix3 kept = A;
  for (int i = 0; i < 3; ++i)
    if (locked[i]) {
      kept.row(i).setZero();
      kept.col(i).setZero();
      kept(i, i) = 1.0;
    }
  Matrix3 inverse = kept.inverse();
  for (int i = 0; i < 3; ++i)
    if (locked[i]) inverse(i, i) = 0.0;
  return inverse;
}

int turns(const RigidBody& body) {  ///< number of free axes
  return static_cast<int>(std::count(body.locked.begin() + 3, body.locked.end(), false));
}

/// True if the rotation without moments is known: all axes are free or locked, or no gyroscopic
/// moment acts about the free ones, to the round-off of a rotated inertia.
bool coasts(const RigidBody& body) {
  const double round_off = 1e-14 * body.inertia.cwiseAbs().maxCoeff();
  for (int free = 0; free < 3; ++free)
    for (int held = 0; held < 3; ++held)
      if (!body.locked[index(3 + free)] && body.locked[index(3 + held)] &&
          std::abs(body.inertia(free, held)) > round_off && turns(body) > 1)
        return false;
  return true;
}

void check_body(const RigidBody& body, std::size_t i) {
  const auto says = [&](bool condition, const std::string& text) {
    if (!condition) [[unlikely]]
      expects(false, "body " + std::to_string(i) + ": " + text);
  };
  says(body.mass > 0.0 && std::isfinite(body.mass), "the mass must be positive and finite");
  const Matrix3& J = body.inertia;
  says(J.allFinite(), "the inertia must be finite");
  const double size = J.cwiseAbs().maxCoeff();
  says((J - J.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * size, "the inertia must be symmetric");
  const Vector3 principal = symmetric_values(J);
  says(principal[0] > 0.0, "the inertia must be positive definite");
  says(
      principal[2] <= (principal[0] + principal[1]) * (1.0 + 1e-12),
      "no distribution of mass has these principal moments (the largest must not exceed the sum of "
      "the other two)");
}

}  // namespace

struct Rigid::Bodies {
  RigidSystem system;
  RigidData data;
  std::vector<char> spherical;         ///< J = c I: the gyroscopic moment is exactly 0
  std::vector<FreeRotation> rotation;  ///< with Trait::separable
  std::vector<Source> sources;
  int gravity = -1, damping = -1, load = -1, gyroscopic = -1;
  unsigned traits = 0;

  explicit Bodies(RigidSystem given);
  int bodies() const { return static_cast<int>(system.bodies.size()); }

  void add_weight(Out f) const;
  void add_drag(View v, Out f) const;
  void add_loads(double time, View q, Out f) const;
  void add_gyroscopic(View v, Out f) const;
  template <class Visit>
  void load_tangents(double t, int body, const Matrix3& R, Visit&& visit) const;
  Block combine(Combination s, double t, View q, View v, int body) const;
};

Rigid::Bodies::Bodies(RigidSystem given) : system(std::move(given)) {
  expects(!system.bodies.empty(), "at least one body is required");
  bool spins = false, coupled = false;
  const std::size_t n = system.bodies.size();
  spherical.reserve(n);
  data.mass.reserve(n);
  data.inertia.reserve(n);
  data.mass_inverse.reserve(n);
  data.inertia_inverse.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    RigidBody& body = system.bodies[i];
    check_body(body, i);
    body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    spherical.push_back(isotropic(body.inertia) ? 1 : 0);
    spins = spins || !isotropic(body.inertia);
    data.mass.push_back(body.mass);
    data.inertia.push_back(body.inertia);
    Vector3 inverse;
    for (int a = 0; a < 3; ++a) inverse[a] = body.locked[index(a)] ? 0.0 : 1.0 / body.mass;
    data.mass_inverse.push_back(inverse);
    data.inertia_inverse.push_back(inverse_of_free(body.inertia, &body.locked[3]));
  }
  const auto not_negative = [](double number) { return number >= 0.0 && std::isfinite(number); };
  expects(system.gravity.allFinite(), "gravity must be finite");
  expects(not_negative(system.drag) && not_negative(system.spin_drag),
          "drag and spin_drag must be finite and not negative");
  check_body_loads(system.loads, bodies());
  for (const RigidLoad& l : system.loads)
    coupled = coupled || (l.torque ? !l.in_body : l.in_body || !l.at.isZero(0.0));
  gravity = add_account(sources, !system.gravity.isZero(0.0), "gravity", true);
  damping = add_account(sources, system.drag > 0.0 || system.spin_drag > 0.0, "damping", false);
  load = add_account(sources, !system.loads.empty(), "load", false);
  gyroscopic = add_account(sources, spins, "gyroscopic", true);
  data.steady_load = damping < 0 && load < 0;
  traits = Trait::tangents | Trait::rotations | Trait::second_order | Trait::constant_mass |
           Trait::potential;
  traits = traits | Trait::rigid;
  if (!spins && !coupled) traits = traits | Trait::symmetric;
  if (damping < 0 && std::ranges::all_of(system.bodies, coasts)) {
    traits = traits | Trait::separable;
    rotation.reserve(n);
    for (const RigidBody& body : system.bodies)
      // with a locked axis Omega is constant
      rotation.emplace_back(turns(body) < 3 ? Matrix3(Matrix3::Identity()) : body.inertia);
  }
}

void Rigid::Bodies::add_weight(Out f) const {
  for (int i = 0; i < bodies(); ++i) f.segment<3>(6 * i) += data.mass[index(i)] * system.gravity;
}

void Rigid::Bodies::add_drag(View v, Out f) const {
  for (int i = 0; i < bodies(); ++i) {
    f.segment<3>(6 * i) -= system.drag * v.segment<3>(6 * i);
    f.segment<3>(6 * i + 3) -= system.spin_drag * v.segment<3>(6 * i + 3);
  }
}

void Rigid::Bodies::add_loads(double time, View q, Out f) const {
  for (const RigidLoad& l : system.loads) {
    const At at(l.body);
    const Vector3 F = l.signal.value(time) * l.direction;
    auto force = f.segment<3>(at.v), torque = f.segment<3>(at.v + 3);
    if (l.torque && l.in_body) {
      torque += F;
      continue;
    }
    const Matrix3 R = at.R(q);
    const Vector3 inside = l.in_body ? F : Vector3(R.transpose() * F);  // body frame
    if (l.torque) {
      torque += inside;
    } else {
      force += l.in_body ? Vector3(R * F) : F;
      torque += l.at.cross(inside);
    }
  }
}

void Rigid::Bodies::add_gyroscopic(View v, Out f) const {
  for (int i = 0; i < bodies(); ++i) {
    if (spherical[index(i)] != 0) continue;
    const Vector3 Omega = At(i).spin(v);
    f.segment<3>(6 * i + 3) -= Omega.cross(data.inertia[index(i)] * Omega);
  }
}

// Tangents of the loads, K = -dF/dq with R -> R exp(w), for a force or torque F = s f0:
//     force in the body                K_x = R F^
//     force in space at X              K_T = -X^ (R^T F)^
//     torque in space                  K_T = -(R^T F)^
// visit(K_x, K_T): rows of the force and of the torque, columns of w.
template <class Visit>
void Rigid::Bodies::load_tangents(double t, int body, const Matrix3& R, Visit&& visit) const {
  for (const RigidLoad& l : system.loads) {
    if (l.body != body || (l.torque && l.in_body)) continue;
    const Vector3 F = l.signal.value(t) * l.direction;
    const Matrix3 zero = Matrix3::Zero();
    if (l.in_body) {
      visit(Matrix3(R * skew(F)), zero);
    } else {
      const Matrix3 turned = skew(R.transpose() * F);
      visit(zero, l.torque ? Matrix3(-turned) : Matrix3(-skew(l.at) * turned));
    }
  }
}

Block Rigid::Bodies::combine(Combination s, double t, View q, View v, int body) const {
  const At at(body);
  const Matrix3& J = data.inertia[index(body)];
  Block A = Block::Zero();
  A.topLeftCorner<3, 3>().diagonal().setConstant(s.m * data.mass[index(body)] + s.c * system.drag);
  auto turning = A.bottomRightCorner<3, 3>();
  turning = s.m * J;
  if (s.c != 0.0) {
    turning.diagonal().array() += s.c * system.spin_drag;
    if (spherical[index(body)] == 0) {
      const Vector3 Omega = at.spin(v);
      turning += s.c * (skew(Omega) * J - skew(J * Omega));
    }
  }
  if (s.k != 0.0 && !system.loads.empty())
    load_tangents(t, body, at.R(q), [&](const Matrix3& force, const Matrix3& torque) {
      A.topRightCorner<3, 3>() += s.k * force;
      turning += s.k * torque;
    });
  return A;
}

Rigid::Rigid(RigidSystem system) : bodies_(std::make_unique<Bodies>(std::move(system))) {}
Rigid::~Rigid() = default;

const RigidSystem& Rigid::system() const { return bodies_->system; }
int Rigid::bodies() const { return bodies_->bodies(); }
unsigned Rigid::traits() const { return bodies_->traits; }
const RigidData* Rigid::rigid() const { return &bodies_->data; }
std::span<const Source> Rigid::sources() const { return bodies_->sources; }

// x + w_x,  Q exp(w_R)
void Rigid::retract(View q, View w, Out out) const {
  for_bodies(bodies(), [&](int i) {
    const At at(i);
    const Quaternion Q = (at.Q(q) * exp_rotation(at.spin(w))).normalized();
    out.segment<3>(at.q) = q.segment<3>(at.q) + w.segment<3>(at.v);
    out.segment<4>(at.q + 3) << Q.w(), Q.x(), Q.y(), Q.z();
  });
}

void Rigid::increment_rate(View w, View v, Out rate) const {
  for (int i = 0; i < bodies(); ++i) {
    const At at(i);
    rate.segment<3>(at.v) = v.segment<3>(at.v);
    rate.segment<3>(at.v + 3) = dexp_inverse(at.spin(w), at.spin(v));
  }
}

void Rigid::coast(double h, Out q, Out v) const {
  for (int i = 0; i < bodies(); ++i) {
    const At at(i);
    Quaternion Q = at.Q(q);
    Vector3 Omega = at.spin(v);
    bodies_->rotation[index(i)].advance(h, Q, Omega);
    q.segment<3>(at.q) += h * v.segment<3>(at.v);
    q.segment<4>(at.q + 3) << Q.w(), Q.x(), Q.y(), Q.z();
    v.segment<3>(at.v + 3) = Omega;
  }
}

void Rigid::load(double t, View q, View v, Out f) const {
  const Bodies& d = *bodies_;
  f.setZero();
  if (d.gravity >= 0) d.add_weight(f);
  if (d.damping >= 0) d.add_drag(v, f);
  if (d.load >= 0) d.add_loads(t, q, f);
}

void Rigid::force(double t, View q, View v, Out f) const {
  load(t, q, v, f);
  if (bodies_->gyroscopic >= 0) bodies_->add_gyroscopic(v, f);
}

void Rigid::potential_force(double, View, Out f) const {
  f.setZero();
  if (bodies_->gravity >= 0) bodies_->add_weight(f);
}

void Rigid::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  for (int i = 0; i < bodies(); ++i)
    y.segment<6>(6 * i) = bodies_->combine(s, t, q, v, i) * x.segment<6>(6 * i);
}

// Blocks [a I, B; 0, D], inverted on the free components:  [1/a, -(1/a) B D^-1; 0, D^-1]
void Rigid::factorise(Combination s, double t, View q, View v, Factor& A) const {
  if (!std::holds_alternative<Blocks6>(A.form)) A.form = Blocks6{};
  auto& inverse = std::get<Blocks6>(A.form).inverse;
  inverse.resize(index(bodies()));
  for (int i = 0; i < bodies(); ++i) {
    const std::array<bool, 6>& locked = bodies_->system.bodies[index(i)].locked;
    const Block block = bodies_->combine(s, t, q, v, i);
    Block& B = inverse[index(i)];
    B.setZero();
    const Matrix3 turning = block.bottomRightCorner<3, 3>();
    const Matrix3 D = inverse_of_free(turning, &locked[3]);
    for (int a = 0; a < 3; ++a) B(a, a) = locked[index(a)] ? 0.0 : 1.0 / block(a, a);
    B.bottomRightCorner<3, 3>() = D;
    if (s.k != 0.0 && bodies_->load >= 0)
      B.topRightCorner<3, 3>() = -B.topLeftCorner<3, 3>() * (block.topRightCorner<3, 3>() * D);
  }
}

void Rigid::frames(double, View q, std::span<Pose> out) const {
  for_bodies(bodies(), [&](int i) { out[index(i)] = {At(i).x(q), At(i).R(q)}; });
}

void Rigid::points(double, View q, std::span<const PointRef> refs, Out x) const {
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const At at(refs[i].body);
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = at.x(q) + at.Q(q) * refs[i].local;
  }
}

// x' = v - (R X)^ R_axes Omega
void Rigid::point_rows(View q, View axes, std::span<const PointRef> refs, PointRows& J) const {
  J.width = 6;
  J.offset.resize(refs.size() + 1);
  J.column.resize(refs.size());
  J.value.resize(18 * refs.size());
  J.offset[0] = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const At at(refs[i].body);
    const Vector3 arm = at.Q(q) * refs[i].local;
    Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> block(&J.value[18 * i]);
    block.leftCols<3>().setIdentity();
    block.rightCols<3>().noalias() = -skew(arm) * at.R(axes);
    J.column[i] = static_cast<int>(at.v);
    J.offset[i + 1] = static_cast<int>(i) + 1;
  }
}

// omega = R_axes Omega
void Rigid::spin_rows(View, View axes, std::span<const PointRef> refs, PointRows& J) const {
  J.width = 6;
  J.offset.resize(refs.size() + 1);
  J.column.resize(refs.size());
  J.value.resize(18 * refs.size());
  J.offset[0] = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const At at(refs[i].body);
    Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> block(&J.value[18 * i]);
    block.leftCols<3>().setZero();
    block.rightCols<3>() = at.R(axes);
    J.column[i] = static_cast<int>(at.v);
    J.offset[i + 1] = static_cast<int>(i) + 1;
  }
}

void Rigid::breaks(Breaks& out) const { breaks_of_loads(bodies_->system.loads, out); }

Energy Rigid::energy_of_body(int i, double, View q, View v) const {
  const Bodies& d = *bodies_;
  const At at(i);
  const Vector3 Omega = at.spin(v);
  Energy E;
  E.kinetic = 0.5 * (d.data.mass[index(i)] * at.linear(v).squaredNorm() +
                     Omega.dot(d.data.inertia[index(i)] * Omega));
  if (d.gravity >= 0) E.potential = -d.data.mass[index(i)] * d.system.gravity.dot(at.x(q));
  return E;
}

Energy Rigid::energy(double t, View q, View v) const {
  Energy E;
  for (int i = 0; i < bodies(); ++i) {
    const Energy one = energy_of_body(i, t, q, v);
    E.kinetic += one.kinetic;
    E.potential += one.potential;
  }
  return E;
}

void Rigid::power(double t, std::optional<double>, View q, View v, View w,
                  std::span<double> by_source) const {
  const Bodies& d = *bodies_;
  std::fill(by_source.begin(), by_source.end(), 0.0);
  for (int i = 0; i < bodies(); ++i) {
    const At at(i);
    const Vector3 along = at.linear(w), turn = at.spin(w), Omega = at.spin(v);
    if (d.gravity >= 0)
      by_source[index(d.gravity)] += d.data.mass[index(i)] * d.system.gravity.dot(along);
    if (d.damping >= 0)
      by_source[index(d.damping)] -=
          d.system.drag * at.linear(v).dot(along) + d.system.spin_drag * Omega.dot(turn);
    if (d.spherical[index(i)] == 0)
      by_source[index(d.gyroscopic)] -= Omega.cross(d.data.inertia[index(i)] * Omega).dot(turn);
  }
  for (const RigidLoad& l : d.system.loads) {
    const At at(l.body);
    const Vector3 F = l.signal.value(t) * l.direction, along = at.linear(w), turn = at.spin(w);
    double& sum = by_source[index(d.load)];
    if (l.torque && l.in_body) {
      sum += F.dot(turn);
      continue;
    }
    const Quaternion Q = at.Q(q);
    const Vector3 inside = l.in_body ? F : Vector3(Q.conjugate() * F);
    if (!l.torque) sum += (l.in_body ? Vector3(Q * F) : F).dot(along);
    sum += (l.torque ? inside : Vector3(l.at.cross(inside))).dot(turn);
  }
}

}  // namespace saltus
