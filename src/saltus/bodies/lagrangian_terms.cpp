// The terms of the equations of a Lagrangian at one (t, q, v): masses, tangents, forces; and the
// checks of its setup.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/bodies/lagrangian_internal.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

void symmetrise(Matrix& A) {
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) A(i, j) = A(j, i) = 0.5 * (A(i, j) + A(j, i));
}

}  // namespace

Lagrangian::Definition::Definition(std::shared_ptr<const LagrangianModel> made,
                                   LagrangianOptions given)
    : model(std::move(made)),
      options(std::move(given)),
      evaluations([this] { return std::make_unique<Evaluation>(*this); }) {
  expects(model != nullptr, "a Lagrangian needs a model");
  n = model->size();
  expects(n > 0, "a model must have at least one coordinate");
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

  const auto w = evaluations.borrow();
  const Vector start = Vector::Zero(free());
  w->place(0.0, start);
  if (constant_mass) {
    w->need_mass();
    const Matrix& M = w->M;
    expects(M.allFinite() && (M - M.transpose()).lpNorm<Eigen::Infinity>() <=
                                 1e-12 * M.lpNorm<Eigen::Infinity>(),
            "the mass matrix must be finite and symmetric");
    Matrix L = M;
    expects(cholesky_lower(L), "the mass matrix must be positive definite");
  }
  if (rayleigh().stiffness != 0.0) w->need_potential_tangent();  // throws if it is not implemented
  if (moving) rows_move = w->check_prescribed();
}

Lagrangian::Evaluation::Evaluation(const Definition& data) : d(data) {
  for (Vector* vector : {&q, &v, &f, &g, &x, &y, &up, &down}) vector->setZero(d.n);
  for (Matrix* matrix : {&M, &V2, &K, &C}) matrix->setZero(d.n, d.n);
  J.setZero(3, d.n);
}

void Lagrangian::Definition::check() {
  const auto there = [&](int dof) { return dof >= 0 && dof < n; };
  const Rayleigh& r = rayleigh();
  expects(
      std::isfinite(r.mass) && std::isfinite(r.stiffness) && r.mass >= 0.0 && r.stiffness >= 0.0,
      "Rayleigh factors must be finite and not negative");
  for (const Load& l : options.loads)
    for (const auto& [dof, weight] : l.pattern) {
      expects(there(dof), "a load acts on coordinate " + std::to_string(dof) + ", but there are " +
                              std::to_string(n));
      expects(std::isfinite(weight), "weights of loads must be finite");
    }
  index.assign(static_cast<std::size_t>(n), 0);
  for (const Prescribed& p : options.prescribed) {
    expects(there(p.dof), "coordinate " + std::to_string(p.dof) + " is prescribed, but there are " +
                              std::to_string(n));
    expects(index[static_cast<std::size_t>(p.dof)] == 0,
            "coordinate " + std::to_string(p.dof) + " is prescribed twice");
    index[static_cast<std::size_t>(p.dof)] = -1;
    moving = moving || !p.signal.is_constant();
  }
  expects(static_cast<int>(options.prescribed.size()) < n, "at least one coordinate must be free");
  expects(options.tangents == Tangents::differences || model->has_tangents(),
          "this model provides no tangents; use Tangents::differences");
  expect_points(options.more_points, n);
}

// Compares M_ff and the rows of the points at a few configurations, each with two values of each
// moving coordinate.
bool Lagrangian::Evaluation::check_prescribed() {
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
                    std::to_string(p.dof) + ", which has prescribed motion; this is not supported");
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

void Lagrangian::Evaluation::need_mass() {
  if (mass_at.size() > 0 && (d.constant_mass || same_bits(mass_at, q))) return;
  d.model->mass(q, M);
  if (!d.all_free()) d.part(M, M_f);
  mass_at = q;
}

void Lagrangian::Evaluation::need_potential_tangent() {
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

void Lagrangian::Evaluation::smooth_force(double t, Vector& out) {
  d.model->potential_force(q, out);
  d.model->applied(t, q, v, g);
  out += g;
  if (d.constant_mass) return;
  d.model->inertial(q, v, g);
  out -= g;
}

// K and C by columns, without the prescribed ones
void Lagrangian::Evaluation::difference_tangents(double t) {
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

void Lagrangian::Evaluation::need_tangents(double t) {
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
void Lagrangian::Evaluation::rayleigh_force(const Vector& velocity, Vector& out) {
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

void Lagrangian::Evaluation::all_forces(double t, Vector& out) {
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

void Lagrangian::Evaluation::add_mass_tangent(double weight, View part) {
  M_shifted.resize(M.rows(), M.cols());
  x.setZero(q.size());  // prescribed coordinates do not contribute: their acceleration is a load
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

}  // namespace saltus
