#include "saltus/bodies/lagrangian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/work_pool.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/math/dense.h"

namespace saltus {

void LagrangianModel::tangents(double, View, View, Matrix&, Matrix&) const {
  expects(false, "this model gives no tangents; ask for Tangents::differences");
}
void LagrangianModel::potential_tangent(View, Matrix&) const {
  expects(false, "this model gives no tangent of its potential; ask for Tangents::differences");
}
std::string LagrangianModel::point_name(int i) const { return "point_" + std::to_string(i); }
Vector3 LagrangianModel::point(int, View) const {
  expects(false, "this model has no points");
  return Vector3::Zero();
}
void LagrangianModel::point_jacobian(int, View, Matrix&) const {
  expects(false, "this model has no points");
}

// All coordinates are (f, p): free, prescribed.
//
//     M_ff a = F_f - M_fp u'',     F = -dV/dq + Q - c + loads - (rM M + rK V'') v     at q = (q_f, u), v = (v_f, u')
//
// What is evaluated for one (q, v) is kept until other arguments come: results depend on arguments
// alone.
struct Lagrangian::Data {
  std::shared_ptr<const LagrangianModel> model;
  LagrangianOptions options;
  int n = 0;
  bool constant_mass = false;
  bool moving = false;                // a prescribed coordinate moves
  bool rows_move = false;             // and rows of points depend on it
  std::vector<int> free_dofs, index;  // coordinate of each component of q; its inverse
  std::vector<Source> sources;
  int inertial = -1, damping = -1, applied = -1, load = -1, prescribed = -1;

  WorkPool<Work> works;

  Data(std::shared_ptr<const LagrangianModel> made, LagrangianOptions given);

  int free() const { return static_cast<int>(free_dofs.size()); }
  bool all_free() const { return options.prescribed.empty(); }
  const Rayleigh& rayleigh() const { return options.rayleigh; }
  bool has_rayleigh() const { return rayleigh().mass != 0.0 || rayleigh().stiffness != 0.0; }

  void scatter(View part, Vector& all) const {
    for (int i = 0; i < free(); ++i) all[free_dofs[static_cast<std::size_t>(i)]] = part[i];
  }
  void gather(const Vector& all, Out part) const {
    for (int i = 0; i < free(); ++i) part[i] = all[free_dofs[static_cast<std::size_t>(i)]];
  }
  double dot(View all, View w) const {
    double sum = 0.0;
    for (int i = 0; i < free(); ++i) sum += all[free_dofs[static_cast<std::size_t>(i)]] * w[i];
    return sum;
  }
  void part(const Matrix& all, Matrix& of_free) const {
    of_free.resize(free(), free());
    for (int i = 0; i < free(); ++i)
      for (int j = 0; j < free(); ++j)
        of_free(i, j) =
            all(free_dofs[static_cast<std::size_t>(i)], free_dofs[static_cast<std::size_t>(j)]);
  }
  void check();

  /// The point that is none of the model's, or null. UsageError where there is no such point.
  const CoordinatePoint* coordinate_point(const PointRef& at) const {
    const int i = at.feature - model->points();
    if (at.feature < 0 || i >= static_cast<int>(options.more_points.size())) [[unlikely]]
      expects(false, "point " + std::to_string(at.feature) + " of a model with " +
                         std::to_string(model->points()));
    return i < 0 ? nullptr : &options.more_points[static_cast<std::size_t>(i)];
  }
  Vector3 point(const PointRef& at, const Vector& q) const {
    if (const CoordinatePoint* own = coordinate_point(at))
      return own->at([&](int dof) { return q[dof]; });
    return model->point(at.feature, q);
  }
  void point_jacobian(const PointRef& at, const Vector& q, Matrix& J) const {
    const CoordinatePoint* own = coordinate_point(at);
    if (!own) return model->point_jacobian(at.feature, q, J);
    J.setZero();
    for (const CoordinatePoint::Term& term : own->terms) J.col(term.dof) += term.direction;
  }
};

/// Of one call: all coordinates, and what belongs to them.
struct Lagrangian::Work {
  const Data& d;
  Vector q, v, f, g, x, y, up, down;
  Matrix J;
  // Kept for the q, v they belong to. `_f`: of the free coordinates, empty where all are.
  Matrix M, M_f, M_shifted, V2, K, C, K_f, C_f, A;
  double tangents_t = 0.0;
  Vector mass_at, potential_at, tangents_q, tangents_v;

  explicit Work(const Data& data);

  const Matrix& mass() const { return d.all_free() ? M : M_f; }
  const Matrix& stiffness() const { return d.all_free() ? K : K_f; }
  const Matrix& damping_matrix() const { return d.all_free() ? C : C_f; }
  void place(double t, View q_free) {
    d.scatter(q_free, q);
    for (const Prescribed& p : d.options.prescribed) q[p.dof] = p.signal.value(t);
  }
  void place(double t, View q_free, View v_free) {
    place(t, q_free);
    d.scatter(v_free, v);
    for (const Prescribed& p : d.options.prescribed) v[p.dof] = p.signal.rate(t);
  }

  // M(q), dV2/dq2, K and C (Rayleigh included) at the present (q, v)
  void need_mass();
  /// A += weight d(M x)/dq on the free coordinates.
  void add_mass_tangent(double weight, View part);
  void need_potential_tangent();
  void need_tangents(double t);
  void smooth_force(double t, Vector& out);  // -dV/dq + Q - c
  void rayleigh_force(const Vector& velocity, Vector& out);
  void all_forces(double t, Vector& out);
  void difference_tangents(double t);
  /// Whether rows of points depend on a coordinate that moves. UsageError where M_ff does.
  bool check_prescribed();
};

namespace {

void symmetrise(Matrix& A) {
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) A(i, j) = A(j, i) = 0.5 * (A(i, j) + A(j, i));
}

}  // namespace

Lagrangian::Data::Data(std::shared_ptr<const LagrangianModel> made, LagrangianOptions given)
    : model(std::move(made)),
      options(std::move(given)),
      works([this] { return std::make_unique<Work>(*this); }) {
  expects(model != nullptr, "a Lagrangian needs a model");
  n = model->size();
  expects(n > 0, "a model has at least one coordinate");
  constant_mass = model->constant_mass();
  check();
  for (int i = 0; i < n; ++i)
    if (index[static_cast<std::size_t>(i)] >= 0) free_dofs.push_back(i);
  for (int i = 0; i < free(); ++i)
    index[static_cast<std::size_t>(free_dofs[static_cast<std::size_t>(i)])] = i;

  sources.push_back({"potential", true});
  const auto account = [&](bool there, const char* name, bool potential, int& at) {
    if (!there) return;
    at = static_cast<int>(sources.size());
    sources.push_back({name, potential});
  };
  account(!constant_mass, "inertial", true, inertial);
  account(has_rayleigh(), "damping", false, damping);
  account(true, "applied", false, applied);
  account(!options.loads.empty(), "load", false, load);
  account(!options.prescribed.empty(), "prescribed", false, prescribed);

  const auto w = works.borrow();
  const Vector start = Vector::Zero(free());
  w->place(0.0, start);
  if (constant_mass) {
    w->need_mass();
    const Matrix& M = w->M;
    expects(M.allFinite() && (M - M.transpose()).lpNorm<Eigen::Infinity>() <=
                                 1e-12 * M.lpNorm<Eigen::Infinity>(),
            "the mass matrix is finite and symmetric");
    Matrix L = M;
    expects(cholesky_lower(L), "the mass matrix is positive definite");
  }
  if (rayleigh().stiffness != 0.0) w->need_potential_tangent();  // throws where it is not given
  if (moving) rows_move = w->check_prescribed();
}

Lagrangian::Work::Work(const Data& data) : d(data) {
  for (Vector* vector : {&q, &v, &f, &g, &x, &y, &up, &down}) vector->setZero(d.n);
  for (Matrix* matrix : {&M, &V2, &K, &C}) matrix->setZero(d.n, d.n);
  J.setZero(3, d.n);
}

void Lagrangian::Data::check() {
  const auto there = [&](int dof) { return dof >= 0 && dof < n; };
  const Rayleigh& r = rayleigh();
  expects(
      std::isfinite(r.mass) && std::isfinite(r.stiffness) && r.mass >= 0.0 && r.stiffness >= 0.0,
      "Rayleigh factors are finite and not negative");
  for (const Load& l : options.loads)
    for (const auto& [dof, weight] : l.pattern) {
      expects(there(dof),
              "a load acts on coordinate " + std::to_string(dof) + " of " + std::to_string(n));
      expects(std::isfinite(weight), "weights of loads are finite");
    }
  index.assign(static_cast<std::size_t>(n), 0);
  for (const Prescribed& p : options.prescribed) {
    expects(there(p.dof), "coordinate " + std::to_string(p.dof) + " is prescribed, there are " +
                              std::to_string(n));
    expects(index[static_cast<std::size_t>(p.dof)] == 0,
            "coordinate " + std::to_string(p.dof) + " is prescribed twice");
    index[static_cast<std::size_t>(p.dof)] = -1;
    moving = moving || !p.signal.is_constant();
  }
  expects(static_cast<int>(options.prescribed.size()) < n, "at least one coordinate is free");
  expects(options.tangents == Tangents::differences || model->has_tangents(),
          "this model gives no tangents; ask for Tangents::differences");
  expect_points(options.more_points, n);
}

// M_ff and the rows of the points, asked for at a few configurations with each moving coordinate
// here and there
bool Lagrangian::Work::check_prescribed() {
  bool rows_move = false;
  Matrix here, there;
  const auto differ = [](const Matrix& a, const Matrix& b) {
    return (a - b).lpNorm<Eigen::Infinity>() >
           1e-11 * (a.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>());
  };
  const Vector base = q;
  for (const Prescribed& p : d.options.prescribed) {
    if (p.signal.is_constant()) continue;
    for (int probe = 1; probe <= 3; ++probe) {
      for (int i = 0; i < d.n; ++i) q[i] = base[i] + std::sin(1.7 * probe + 2.3 * i);
      const double u = q[p.dof];
      if (!d.constant_mass) {
        need_mass();
        here = M_f;
        q[p.dof] = u + 0.31;
        need_mass();
        expects(!differ(here, M_f),
                "the mass matrix of the free coordinates depends on coordinate " +
                    std::to_string(p.dof) + ", which is prescribed to move; this is not supported");
      }
      for (int point = 0; point < d.model->points(); ++point) {
        q[p.dof] = u;
        d.model->point_jacobian(point, q, J);
        here = J;
        q[p.dof] = u + 0.31;
        d.model->point_jacobian(point, q, J);
        for (int i : d.free_dofs) rows_move = rows_move || differ(here.col(i), J.col(i));
      }
    }
  }
  return rows_move;
}

void Lagrangian::Work::need_mass() {
  if (mass_at.size() > 0 && (d.constant_mass || same_bits(mass_at, q))) return;
  d.model->mass(q, M);
  if (!d.all_free()) d.part(M, M_f);
  mass_at = q;
}

void Lagrangian::Work::need_potential_tangent() {
  if (potential_at.size() > 0 && same_bits(potential_at, q)) return;
  potential_at = q;
  if (d.options.tangents == Tangents::given) return d.model->potential_tangent(q, V2);
  const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  for (int j = 0; j < d.n; ++j) {
    const double at = q[j], step = relative * std::max(1.0, std::abs(at));
    q[j] = at + step;
    d.model->potential_force(q, up);
    q[j] = at - step;
    d.model->potential_force(q, down);
    q[j] = at;
    V2.col(j) = (down - up) / (2.0 * step);
  }
  symmetrise(V2);
}

void Lagrangian::Work::smooth_force(double t, Vector& out) {
  d.model->potential_force(q, out);
  d.model->applied(t, q, v, g);
  out += g;
  if (d.constant_mass) return;
  d.model->inertial(q, v, g);
  out -= g;
}

// K and C by columns, the prescribed ones left out
void Lagrangian::Work::difference_tangents(double t) {
  const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  for (Vector* moved : {&q, &v}) {
    Matrix& tangent = moved == &q ? K : C;
    for (int j : d.free_dofs) {
      const double at = (*moved)[j], step = relative * std::max(1.0, std::abs(at));
      (*moved)[j] = at + step;
      smooth_force(t, up);
      (*moved)[j] = at - step;
      smooth_force(t, down);
      (*moved)[j] = at;
      tangent.col(j) = (down - up) / (2.0 * step);
    }
  }
}

void Lagrangian::Work::need_tangents(double t) {
  if (tangents_q.size() > 0 && tangents_t == t && same_bits(tangents_q, q) &&
      same_bits(tangents_v, v))
    return;
  tangents_t = t;
  tangents_q = q;
  tangents_v = v;
  if (d.options.tangents == Tangents::given)
    d.model->tangents(t, q, v, K, C);
  else
    difference_tangents(t);
  if (d.rayleigh().mass != 0.0) {
    need_mass();
    C += d.rayleigh().mass * M;
  }
  if (d.rayleigh().stiffness != 0.0) {
    need_potential_tangent();
    C += d.rayleigh().stiffness * V2;
  }
  if (!d.all_free()) {
    d.part(K, K_f);
    d.part(C, C_f);
  }
  if (d.options.tangents == Tangents::differences && d.model->symmetric()) {
    symmetrise(d.all_free() ? K : K_f);
    symmetrise(d.all_free() ? C : C_f);
  }
}

// out = (rM M + rK V'') velocity
void Lagrangian::Work::rayleigh_force(const Vector& velocity, Vector& out) {
  out.setZero();
  if (d.rayleigh().mass != 0.0) {
    need_mass();
    out.noalias() += d.rayleigh().mass * (M * velocity);
  }
  if (d.rayleigh().stiffness != 0.0) {
    need_potential_tangent();
    out.noalias() += d.rayleigh().stiffness * (V2 * velocity);
  }
}

void Lagrangian::Work::all_forces(double t, Vector& out) {
  smooth_force(t, out);
  if (d.has_rayleigh()) {
    rayleigh_force(v, y);
    out -= y;
  }
  for (const Load& l : d.options.loads) {
    const double value = l.signal.value(t);
    for (const auto& [dof, weight] : l.pattern) out[dof] += weight * value;
  }
}

Lagrangian::Lagrangian(std::shared_ptr<const LagrangianModel> model, LagrangianOptions options)
    : data_(std::make_unique<Data>(std::move(model), std::move(options))) {}
Lagrangian::~Lagrangian() = default;

int Lagrangian::positions() const { return data_->free(); }
const LagrangianModel& Lagrangian::model() const { return *data_->model; }
Rayleigh Lagrangian::rayleigh() const { return data_->rayleigh(); }
int Lagrangian::prescribed() const { return static_cast<int>(data_->options.prescribed.size()); }
std::span<const Source> Lagrangian::sources() const { return data_->sources; }

unsigned Lagrangian::traits() const {
  unsigned traits = Trait::tangents | Trait::second_order | Trait::potential;
  if (data_->constant_mass) traits = traits | Trait::constant_mass;
  if (data_->moving) traits = traits | Trait::driven;
  if (data_->model->symmetric()) traits = traits | Trait::symmetric;
  return traits;
}

int Lagrangian::free_index(int dof) const {
  expects(dof >= 0 && dof < data_->n, "a coordinate of the model");
  return data_->index[static_cast<std::size_t>(dof)];
}

void Lagrangian::full(double t, View q, Out all) const {
  const auto w = data_->works.borrow();
  w->place(t, q);
  all = w->q;
}

void Lagrangian::force(double t, View q, View v, Out f) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q, v);
  w->all_forces(t, w->f);
  if (d.moving) {
    w->need_mass();
    for (const Prescribed& p : d.options.prescribed) w->f -= p.signal.second(t) * w->M.col(p.dof);
  }
  d.gather(w->f, f);
}

void Lagrangian::potential_force(double t, View q, Out f) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q);
  d.model->potential_force(w->q, w->f);
  d.gather(w->f, f);
}

void Lagrangian::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q, v);
  y.setZero();
  if (s.m != 0.0) {
    w->need_mass();
    y.noalias() += s.m * (w->mass() * x);
  }
  if (s.c == 0.0 && s.k == 0.0) return;
  w->need_tangents(t);
  if (s.c != 0.0) y.noalias() += s.c * (w->damping_matrix() * x);
  if (s.k != 0.0) y.noalias() += s.k * (w->stiffness() * x);
}

void Lagrangian::Work::add_mass_tangent(double weight, View part) {
  M_shifted.resize(M.rows(), M.cols());
  x.setZero(q.size());  // what is prescribed takes no part: its acceleration is a load
  d.scatter(part, x);
  for (int j = 0; j < d.free(); ++j) {
    double& coordinate = q[d.free_dofs[static_cast<std::size_t>(j)]];
    const double here = coordinate;
    const double step =
        std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(here));
    for (const double side : {1.0, -1.0}) {
      coordinate = here + side * step;
      d.model->mass(q, M_shifted);
      for (int i = 0; i < d.free(); ++i)
        A(i, j) += side * weight / (2.0 * step) *
                   M_shifted.row(d.free_dofs[static_cast<std::size_t>(i)]).dot(x);
    }
    coordinate = here;
  }
}

void Lagrangian::factorise(Combination s, double t, View q, View v, Factor& A) const {
  factorise_exact(s, 0.0, v, t, q, v, A);
}

void Lagrangian::factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                                 Factor& A) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q, v);
  w->need_mass();
  w->A = s.m * w->mass();
  if (s.c != 0.0 || s.k != 0.0) {
    w->need_tangents(t);
    w->A += s.c * w->damping_matrix() + s.k * w->stiffness();
  }
  if (weight != 0.0 && !d.constant_mass) w->add_mass_tangent(weight, x);
  if (d.free() == 1 || (d.constant_mass && s.c == 0.0 && s.k == 0.0 && w->A.isDiagonal(0.0))) {
    if (!std::holds_alternative<Diagonal>(A.form)) A.form = Diagonal{};
    std::get<Diagonal>(A.form).inverse = w->A.diagonal().cwiseInverse();
    return;
  }
  auto* held = std::get_if<std::unique_ptr<Operator>>(&A.form);
  auto* dense = held ? dynamic_cast<DenseOperator*>(held->get()) : nullptr;
  if (!dense) {
    auto made = std::make_unique<DenseOperator>();
    dense = made.get();
    A.form = std::move(made);
  }
  dense->factorise(w->A);
}

// R = M a + ... - F on the prescribed rows
void Lagrangian::reactions(double t, View q, View v, View a, Out forces) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q, v);
  w->all_forces(t, w->f);
  w->need_mass();
  d.scatter(a, w->x);
  for (const Prescribed& p : d.options.prescribed) w->x[p.dof] = p.signal.second(t);
  for (int i = 0; i < prescribed(); ++i) {
    const int dof = d.options.prescribed[static_cast<std::size_t>(i)].dof;
    forces[i] = w->M.row(dof).dot(w->x) - w->f[dof];
  }
}

void Lagrangian::point_reactions(double t, View q, std::span<const PointRef> at, View f,
                                 Out forces) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q);
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.point_jacobian(at[i], w->q, w->J);
    for (int j = 0; j < prescribed(); ++j)
      forces[j] -= w->J.col(d.options.prescribed[static_cast<std::size_t>(j)].dof)
                       .dot(f.segment<3>(3 * static_cast<Eigen::Index>(i)));
  }
}

void Lagrangian::prescribed_columns(Combination s, double t, View q, View v,
                                    Eigen::Ref<Matrix> columns) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q, v);
  w->need_mass();
  w->need_tangents(t);
  const auto entry = [&](int i, int j) {
    return s.m * w->M(i, j) + s.c * w->C(i, j) + s.k * w->K(i, j);
  };
  for (int j = 0; j < prescribed(); ++j) {
    const int dof = d.options.prescribed[static_cast<std::size_t>(j)].dof;
    for (int i = 0; i < positions(); ++i)
      columns(i, j) = entry(d.free_dofs[static_cast<std::size_t>(i)], dof);
    for (int i = 0; i < prescribed(); ++i)
      columns(positions() + i, j) =
          entry(d.options.prescribed[static_cast<std::size_t>(i)].dof, dof);
  }
}

void Lagrangian::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q);
  for (std::size_t i = 0; i < at.size(); ++i) {
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = d.point(at[i], w->q);
  }
}

void Lagrangian::point_rows(View q, View, std::span<const PointRef> at, PointRows& J) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  expects(!d.rows_move ||
              std::ranges::all_of(at, [&](const PointRef& ref) { return d.coordinate_point(ref); }),
          "rows of these points depend on a coordinate that is prescribed to move; not supported");
  w->place(0.0, q);
  const auto columns = static_cast<std::size_t>(d.free());
  J.width = d.free();
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.resize(3 * columns * at.size());
  auto value = J.value.begin();
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.point_jacobian(at[i], w->q, w->J);
    for (int axis = 0; axis < 3; ++axis)
      for (int dof : d.free_dofs) *value++ = w->J(axis, dof);
    J.offset.push_back(static_cast<int>(i) + 1);
  }
}

void Lagrangian::breaks(Breaks& out) const {
  breaks_of_motion(data_->options.prescribed, out);
  breaks_of_loads(data_->options.loads, out);
}

void Lagrangian::point_drift(double t, View q, std::span<const PointRef> at, Out drift) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  drift.setZero();
  if (!d.moving) return;
  w->place(t, q);
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.point_jacobian(at[i], w->q, w->J);
    for (const Prescribed& p : d.options.prescribed)
      drift.segment<3>(3 * static_cast<Eigen::Index>(i)) += p.signal.rate(t) * w->J.col(p.dof);
  }
}

Energy Lagrangian::energy(double t, View q, View v) const {
  const Data& d = *data_;
  const auto w = d.works.borrow();
  w->place(t, q);
  w->need_mass();
  double kinetic = 0.0;
  for (int j = 0; j < d.free(); ++j) kinetic += 0.5 * v[j] * w->mass().col(j).dot(v);
  return {kinetic, d.model->potential(w->q)};
}

// Each source with the prescribed coordinates at rest where they are held; what their motion adds
// is "prescribed": forces on w, and where nothing holds them dV/du . u'.
void Lagrangian::power(double t, std::optional<double> held, View q, View v, View w,
                       std::span<double> by_source) const {
  const Data& d = *data_;
  const auto at = d.works.borrow();
  const auto account = [&](int s) -> double& { return by_source[static_cast<std::size_t>(s)]; };
  for (double& power : by_source) power = 0.0;

  at->place(held.value_or(t), q);
  d.model->potential_force(at->q, at->f);
  by_source[0] = d.dot(at->f, w);
  double moved = 0.0;
  at->place(t, q, v);
  if (d.moving) {
    d.model->potential_force(at->q, at->f);
    moved += d.dot(at->f, w) - by_source[0];
    if (!held)
      for (const Prescribed& p : d.options.prescribed) moved -= at->f[p.dof] * at->v[p.dof];
    at->need_mass();
    for (const Prescribed& p : d.options.prescribed)
      moved -= p.signal.second(t) * d.dot(at->M.col(p.dof), w);
  }
  d.model->applied(t, at->q, at->v, at->f);
  account(d.applied) = d.dot(at->f, w);
  for (const Load& l : d.options.loads) {
    const double value = l.signal.value(t);
    for (const auto& [dof, weight] : l.pattern)
      if (const int i = d.index[static_cast<std::size_t>(dof)]; i >= 0)
        account(d.load) += weight * value * w[i];
  }
  // inertial and Rayleigh forces: with u', then without
  for (const bool all : {true, false}) {
    if (all && !d.moving) continue;
    if (!all)
      for (const Prescribed& p : d.options.prescribed) at->v[p.dof] = 0.0;
    if (!d.constant_mass) {
      d.model->inertial(at->q, at->v, at->f);
      const double power = -d.dot(at->f, w);
      moved += all ? power : d.moving ? -power : 0.0;
      if (!all) account(d.inertial) = power;
    }
    if (d.has_rayleigh()) {
      at->rayleigh_force(at->v, at->y);
      const double power = -d.dot(at->y, w);
      moved += all ? power : d.moving ? -power : 0.0;
      if (!all) account(d.damping) = power;
    }
  }
  if (d.moving) account(d.prescribed) = moved;
}

}  // namespace saltus
