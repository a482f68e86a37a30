// With u the displacements of all nodes, f free and p prescribed degrees of freedom:
//
//     M_ff v' = [ loads + M g - f_int(u) - C v ]_f - M_fp u_p''                    (1)
//     reactions = M_pf v' + M_pp u_p'' - [ loads + M g - f_int(u) - C v ]_p        (2)
#include "saltus/bodies/fem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/bodies/fem_internal.h"

namespace saltus {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void Fem::Data::scatter(View part, Vector& all) const {
  for (int i = 0; i < free(); ++i) all[free_dofs[index(i)]] = part[i];
}

void Fem::Data::gather(const Vector& all, Out part) const {
  for (int i = 0; i < free(); ++i) part[i] = all[free_dofs[index(i)]];
}

double Fem::Data::dot(const Vector& all, View w) const {
  double sum = 0.0;
  for (int i = 0; i < free(); ++i) sum += all[free_dofs[index(i)]] * w[i];
  return sum;
}

void Fem::Data::held(double t, Vector& all, double (Signal::*of)(double) const) const {
  for (const Prescribed& p : system.prescribed) all[p.dof] = (p.signal.*of)(t);
}

void Fem::Data::put(double t, View q) const {
  scatter(q, u);
  held(t, u, &Signal::value);
  if (turns()) turn.place(u);
}

void Fem::Data::put(double t, View q, View rates) const {
  put(t, q);
  scatter(rates, v);
  held(t, v, &Signal::rate);
}

void Fem::Data::mass_product(double scale, const Vector& in, Vector& out) const {
  if (lumped()) {
    for (int i = 0; i < dofs(); ++i) out[i] += scale * nodal[i / 3] * in[i];
    return;
  }
  for (int a = 0; a < nodes; ++a) {
    Vector3 sum = Vector3::Zero();
    for (int k = mass.offset()[index(a)]; k < mass.offset()[index(a) + 1]; ++k)
      sum += mass.value()[index(k)] * in.segment<3>(3 * mass.column()[index(k)]);
    out.segment<3>(3 * a) += scale * sum;
  }
}

// Of body_corotational - R Q^T K0 d, the gradient of d . K0 d / 2.
void Fem::Data::elastic_force(Vector& out) const {
  const Crew::Shift shift(crew, index(nodes));
  if (turns()) {
    turn.product.setZero();
    stiffness.multiply_add(crew, 1.0, turn.d.data(), turn.product.data());
    turn.strip_transposed(turn.product);
    turn.add_out(-1.0, turn.product, out);
  } else if (!stiffness.empty()) {
    stiffness.multiply_add(crew, -1.0, u.data(), out.data());
  } else {
    for (const fem::Block& b : blocks) fem::add_elastic(b, crew, -1.0, u.data(), out.data());
  }
}

// Of body_corotational K = R K0 R^T, and C_K = r_K K, or r_K R Q^T K0 Q R^T of the strain rate.
void Fem::Data::stiffness_product(double scale, double k, double c, const Vector& in,
                                  Vector& out) const {
  const Crew::Shift shift(crew, index(nodes));
  const double r = rayleigh().stiffness;
  if (turns()) {
    const bool stripped = system.viscosity == Viscosity::strain_rate;
    for (const bool part : {false, true}) {
      const double factor = part ? (stripped ? c * r : 0.0) : k + (stripped ? 0.0 : c * r);
      if (factor == 0.0) continue;
      turn.into(in, turn.turned);
      if (part) turn.strip(turn.turned);
      turn.product.setZero();
      stiffness.multiply_add(crew, factor, turn.turned.data(), turn.product.data());
      if (part) turn.strip_transposed(turn.product);
      turn.add_out(scale, turn.product, out);
    }
  } else if (!stiffness.empty()) {
    if (k + c * r != 0.0) stiffness.multiply_add(crew, scale * (k + c * r), in.data(), out.data());
  } else {
    for (const fem::Block& b : blocks)
      fem::add_product(b, crew, scale * (k + c * b.tangent_rate), scale * c, u.data(), in.data(),
                       out.data());
  }
}

void Fem::Data::gravity_force(Vector& out) const {
  if (gravity < 0) return;
  for (int a = 0; a < nodes; ++a) out.segment<3>(3 * a) += nodal[a] * system.gravity;
}

void Fem::Data::damping_force(const Vector& rate, Vector& out) const {
  if (!damped()) return;
  if (rayleigh().mass > 0.0) mass_product(-rayleigh().mass, rate, out);
  if (rayleigh().stiffness > 0.0) stiffness_product(-1.0, 0.0, 1.0, rate, out);
}

void Fem::Data::load_force(double t, Vector& out) const {
  for (const Load& l : system.loads) {
    const double value = l.signal.value(t);
    for (const auto& [dof, weight] : l.pattern) out[dof] += weight * value;
  }
}

void Fem::Data::inertia_of_motion(double t, Vector& out) const {
  if (!moving || lumped()) return;
  x.setZero();
  held(t, x, &Signal::second);
  mass_product(-1.0, x, out);
}

void Fem::Data::all_forces(double t, Vector& out) const {
  out.setZero();
  elastic_force(out);
  gravity_force(out);
  damping_force(v, out);
  load_force(t, out);
}

double Fem::Data::strain_energy() const {
  const Crew::Shift shift(crew, index(nodes));
  double sum = 0.0;
  for (const fem::Block& b : blocks) sum += fem::stored_energy(b, crew, strained().data());
  return sum;
}

double Fem::Data::gravity_energy() const {
  double sum = 0.0;
  if (gravity >= 0)
    for (int i : free_dofs) sum -= nodal[i / 3] * system.gravity[i % 3] * u[i];
  return sum;
}

Fem::Fem(FemSystem system) : data_(std::make_unique<Data>(std::move(system))) {}
Fem::~Fem() = default;

const Mesh& Fem::mesh() const { return data_->system.mesh; }
int Fem::positions() const { return data_->free(); }
int Fem::prescribed() const { return static_cast<int>(data_->system.prescribed.size()); }
std::span<const Source> Fem::sources() const { return data_->sources; }

Rayleigh Fem::rayleigh() const {
  Rayleigh r = data_->rayleigh();
  if (data_->system.viscosity == Viscosity::strain_rate && !data_->affine) r.stiffness = 0.0;
  return r;
}

unsigned Fem::traits() const {
  unsigned traits = Trait::tangents | Trait::second_order | Trait::constant_mass |
                    Trait::symmetric | Trait::potential | Trait::fixed_points;
  if (data_->affine) traits = traits | Trait::affine;
  return traits;
}

int Fem::free_index(int dof) const {
  expects(dof >= 0 && dof < data_->dofs(), "a degree of freedom 3 node + axis of the mesh");
  return std::max(data_->index_of[index(dof)], -1);
}

void Fem::full(double t, View q, Out all) const {
  data_->put(t, q);
  all = data_->u;
}

void Fem::force(double t, View q, View v, Out f) const {
  const Data& d = *data_;
  d.put(t, q, v);
  d.all_forces(t, d.f);
  d.inertia_of_motion(t, d.f);
  d.gather(d.f, f);
}

void Fem::potential_force(double, View q, Out f) const {
  const Data& d = *data_;
  d.put(0.0, q);
  d.f.setZero();
  d.elastic_force(d.f);
  d.gravity_force(d.f);
  d.gather(d.f, f);
}

void Fem::multiply(Combination s, View q, View, View x, Out y) const {
  const Data& d = *data_;
  const double m = s.m + s.c * d.rayleigh().mass;
  const bool stiff = s.k != 0.0 || (s.c != 0.0 && d.rayleigh().stiffness > 0.0);
  if (!stiff && d.lumped()) {
    y.array() = m * d.mass_free.array() * x.array();
    return;
  }
  d.x.setZero();
  d.scatter(x, d.x);
  d.y.setZero();
  d.mass_product(m, d.x, d.y);
  if (stiff) {
    if (!d.affine) d.put(0.0, q);
    d.stiffness_product(1.0, s.k, s.c, d.x, d.y);
  }
  d.gather(d.y, y);
}

void Fem::factorise(Combination s, View q, View, Factor& A) const {
  Data& d = *data_;
  if (!d.affine) d.put(0.0, q);
  d.factorise(s, A);
}

// (2)
void Fem::reactions(double t, View q, View v, View a, Out forces) const {
  const Data& d = *data_;
  d.put(t, q, v);
  d.all_forces(t, d.f);
  d.x.setZero();
  d.scatter(a, d.x);
  d.held(t, d.x, &Signal::second);
  d.y.setZero();
  d.mass_product(1.0, d.x, d.y);
  for (int i = 0; i < prescribed(); ++i) {
    const int dof = d.system.prescribed[index(i)].dof;
    forces[i] = d.y[dof] - d.f[dof];
  }
}

void Fem::point_reactions(double, View, std::span<const PointRef> at, View f, Out forces) const {
  const Data& d = *data_;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Data::Shape s = d.shape(at[i]);
    for (int j = 0; j < prescribed(); ++j) {
      const int dof = d.system.prescribed[index(j)].dof;
      for (int a = 0; a < s.count; ++a)
        if (dof / 3 == s.node[index(a)])
          forces[j] -= s.N[index(a)] * f[3 * static_cast<Eigen::Index>(i) + dof % 3];
    }
  }
}

void Fem::prescribed_columns(Combination s, View q, View, Eigen::Ref<Matrix> columns) const {
  Data& d = *data_;
  columns.setZero();
  d.put(0.0, q);
  std::vector<int> held(index(d.dofs()), -1);
  for (int j = 0; j < prescribed(); ++j) held[index(d.system.prescribed[index(j)].dof)] = j;
  const auto add = [&](int row, int column, double value) {
    const int j = held[index(column)];
    if (j < 0) return;
    if (const int i = d.index_of[index(row)]; i >= 0)
      columns(i, j) += value;
    else if (held[index(row)] >= 0)
      columns(d.free() + held[index(row)], j) += value;
  };
  const double m = s.m + s.c * d.rayleigh().mass;
  for (int a = 0; a < d.nodes; ++a)
    for (int axis = 0; axis < 3; ++axis) {
      if (d.lumped()) {
        add(3 * a + axis, 3 * a + axis, m * d.nodal[a]);
        continue;
      }
      for (int k = d.mass.offset()[index(a)]; k < d.mass.offset()[index(a) + 1]; ++k)
        add(3 * a + axis, 3 * d.mass.column()[index(k)] + axis, m * d.mass.value()[index(k)]);
    }
  for (const fem::Block& b : d.blocks)
    for (int e = 0; e < b.elements; ++e) {
      const int* node = b.node.data() + index(e) * index(b.n);
      const int rows = 3 * b.n;
      const auto is_held = [&](int i) { return held[index(3 * node[i / 3] + i % 3)] >= 0; };
      bool any = false;
      for (int j = 0; j < rows; ++j) any = any || is_held(j);
      if (!any) continue;
      fem::element_matrix(b, e, s.k + s.c * b.tangent_rate, s.c, d.u.data(), d.element.data());
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < rows; ++i)
          add(3 * node[i / 3] + i % 3, 3 * node[j / 3] + j % 3, d.element[index(j * rows + i)]);
    }
}

Energy Fem::energy(double, View q, View v) const {
  const Data& d = *data_;
  d.put(0.0, q);
  double twice = 0.0;
  if (d.lumped()) {
    twice = (d.mass_free.array() * v.array().square()).sum();
  } else {
    d.x.setZero();
    d.scatter(v, d.x);
    d.y.setZero();
    d.mass_product(1.0, d.x, d.y);
    twice = d.dot(d.y, v);
  }
  return {0.5 * twice, d.strain_energy() + d.gravity_energy()};
}

// Each source with the prescribed degrees of freedom at rest where they are at t = 0 (damping: where they are); what their
// motion adds is "prescribed".
void Fem::power(double t, View q, View v, View w, std::span<double> by_source) const {
  const Data& d = *data_;
  double unused = 0.0, moved = 0.0;
  const auto account = [&](int s) -> double& { return s < 0 ? unused : by_source[index(s)]; };
  const auto of = [&](auto&& fill) {
    d.f.setZero();
    fill();
    return d.dot(d.f, w);
  };
  d.put(0.0, q);
  account(d.elastic) = of([&] { d.elastic_force(d.f); });
  account(d.gravity) = of([&] { d.gravity_force(d.f); });
  account(d.load) = of([&] { d.load_force(t, d.f); });
  d.put(t, q, v);
  if (d.moving) {
    moved += of([&] { d.elastic_force(d.f); }) - account(d.elastic);
    moved += of([&] { d.inertia_of_motion(t, d.f); });
    moved += of([&] { d.damping_force(d.v, d.f); });
    for (const Prescribed& p : d.system.prescribed) d.v[p.dof] = 0.0;
  }
  const double damping = of([&] { d.damping_force(d.v, d.f); });
  account(d.damping) = damping;
  if (d.moving) moved -= damping;
  account(d.prescribed) = moved;
}

}  // namespace saltus
