// ElasticBeam as a body: checks, numbering, masses, points, work terms. Its energy and the loops
// over elements are in beam_elements.cpp.
#include "saltus/bodies/beam.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/beam_internal.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/bodies/row_table.h"

namespace saltus {
namespace {

using namespace beam;

}  // namespace

ElasticBeam::Elements::Elements(BeamSystem given) : system(std::move(given)) {
  check_system();
  frame << system.axis, system.across, system.axis.cross(system.across);
  nodes = system.elements + 1;
  l = system.length / system.elements;
  number_dofs();
  find_masses();
  find_sources();
  find_pattern();
}

void ElasticBeam::Elements::check_system() const {
  const auto positive = [](double number) { return number > 0.0 && std::isfinite(number); };
  const auto not_negative = [](double number) { return number >= 0.0 && std::isfinite(number); };
  expects(positive(system.section.axial) && positive(system.section.bending) &&
              positive(system.section.line_mass),
          "beam: EA, EI and rho A must be positive and finite");
  expects(positive(system.length), "beam: the length must be positive and finite");
  expects(system.elements >= 1, "beam: at least one element is required");
  expects(system.origin.allFinite() && std::abs(system.axis.norm() - 1.0) <= 1e-9,
          "beam: the origin must be finite and the axis a unit vector");
  expects(std::abs(system.across.norm() - 1.0) <= 1e-9 &&
              std::abs(system.across.dot(system.axis)) <= 1e-9,
          "beam: `across` must be a unit vector perpendicular to the axis");
  expects(system.gravity.allFinite(), "beam: gravity must be finite");
  expects(not_negative(system.rayleigh.mass) && not_negative(system.rayleigh.stiffness),
          "beam: Rayleigh factors must be finite and not negative");
}

void ElasticBeam::Elements::number_dofs() {
  const auto there = [&](int dof) {
    if (dof < 0 || dof >= dofs()) [[unlikely]]
      expects(false, fmt::format("beam: degree of freedom {} does not exist; allowed: 0 to {}", dof,
                                 dofs() - 1));
  };
  for (const Load& on : system.loads)
    for (const auto& [dof, factor] : on.pattern) {
      there(dof);
      expects(std::isfinite(factor), "beam: weights of loads must be finite");
    }
  index_of.assign(index(dofs()), 0);
  for (const int dof : system.held) {
    there(dof);
    if (index_of[index(dof)] < 0) [[unlikely]]
      expects(false, fmt::format("beam: degree of freedom {} is held twice", dof));
    index_of[index(dof)] = -1;
  }
  for (int dof = 0; dof < dofs(); ++dof)
    if (index_of[index(dof)] == 0) {
      index_of[index(dof)] = free();
      free_dofs.push_back(dof);
    }
  expects(free() > 0, "beam: at least one degree of freedom must be free");
}

void ElasticBeam::Elements::find_masses() {
  for (Vector* all : {&reference, &weight}) all->setZero(dofs());
  for (int a = 0; a < nodes; ++a) {
    reference[6 * a] = a * l;
    reference[6 * a + 3] = 1.0;
  }
  // int N_i N_j dx: the consistent mass matrix of a uniform beam (Archer 1963)
  const double c = system.section.line_mass * l / 420.0;
  mass = {{{156.0 * c, 22.0 * l * c, 54.0 * c, -13.0 * l * c},
           {22.0 * l * c, 4.0 * l * l * c, 13.0 * l * c, -3.0 * l * l * c},
           {54.0 * c, 13.0 * l * c, 156.0 * c, -22.0 * l * c},
           {-13.0 * l * c, -3.0 * l * l * c, -22.0 * l * c, 4.0 * l * l * c}}};
  const auto add_weight = [&](const Vector3& acceleration, Vector& force) {
    Vector fall = Vector::Zero(dofs());
    for (int a = 0; a < nodes; ++a) fall.segment<3>(6 * a) = frame.transpose() * acceleration;
    add_mass(1.0, fall, force);
  };
  add_weight(system.gravity, weight);
  for (const UniformField::Term& term : system.field.terms) {
    Vector force = Vector::Zero(dofs());
    add_weight(term.direction, force);
    Load weight_in_time{.pattern = {}, .signal = term.signal};
    for (int i = 0; i < dofs(); ++i)
      if (force[i] != 0.0) weight_in_time.pattern.emplace_back(i, force[i]);
    system.loads.push_back(std::move(weight_in_time));
  }
}

void ElasticBeam::Elements::find_sources() {
  sources.push_back({"elastic", true});
  const auto account = [&](bool present, const char* name, bool potential, int& at) {
    if (!present) return;
    at = static_cast<int>(sources.size());
    sources.push_back({name, potential});
  };
  account(!system.gravity.isZero(0.0), "gravity", true, gravity);
  account(system.rayleigh.mass > 0.0 || system.rayleigh.stiffness > 0.0, "damping", false, damping);
  account(!system.loads.empty(), "load", false, load);
}

void ElasticBeam::Elements::find_pattern() {
  std::vector<Entry> entries;
  for (int e = 0; e < system.elements; ++e)
    for (int j = 0; j < kDofs; ++j)
      for (int i = 0; i < kDofs; ++i)
        if (const int row = index_of[index(6 * e + i)], column = index_of[index(6 * e + j)];
            row >= 0 && column >= 0)
          entries.push_back({row, column, 0.0});
  pattern = SparseMatrix(free(), entries);
  for (int e = 0; e < system.elements; ++e)
    for (int j = 0; j < kDofs; ++j)
      for (int i = 0; i < kDofs; ++i) {
        const int row = index_of[index(6 * e + i)], column = index_of[index(6 * e + j)];
        int at = -1;
        if (row >= 0 && column >= 0)
          for (int k = pattern.offset()[index(row)]; k < pattern.offset()[index(row) + 1]; ++k)
            if (pattern.column()[index(k)] == column) at = k;
        place.push_back(at);
      }
}

void ElasticBeam::Elements::add_loads(double t, Vector& out) const {
  for (const Load& on : system.loads) {
    const double value = on.signal.value(t);
    for (const auto& [dof, factor] : on.pattern) out[dof] += factor * value;
  }
}

BeamSection round_section(double young, double density, double diameter) {
  const double area = 0.25 * std::numbers::pi * diameter * diameter;
  return {young * area, young * area * diameter * diameter / 16.0, density * area};
}

std::vector<int> pinned_node(int node) { return {6 * node, 6 * node + 1, 6 * node + 2}; }
std::vector<int> clamped_node(int node) {
  std::vector<int> held = pinned_node(node);
  held.insert(held.end(), {6 * node + 4, 6 * node + 5});
  return held;
}

ElasticBeam::ElasticBeam(BeamSystem system)
    : elements_(std::make_unique<Elements>(std::move(system))) {}
ElasticBeam::~ElasticBeam() = default;

const BeamSystem& ElasticBeam::system() const { return elements_->system; }
int ElasticBeam::nodes() const { return elements_->nodes; }
int ElasticBeam::positions() const { return elements_->free(); }
Rayleigh ElasticBeam::rayleigh() const { return elements_->system.rayleigh; }
std::span<const Source> ElasticBeam::sources() const { return elements_->sources; }

unsigned ElasticBeam::traits() const {
  const unsigned traits = Trait::tangents | Trait::second_order | Trait::constant_mass |
                          Trait::symmetric | Trait::potential | Trait::fixed_points;
  return elements_->damping < 0 ? traits | Trait::separable : traits;
}

int ElasticBeam::free_index(int dof) const {
  expects(dof >= 0 && dof < elements_->dofs(),
          "beam: no such degree of freedom; they are numbered 6 node + axis");
  return elements_->index_of[index(dof)];
}

void ElasticBeam::force(double t, View q, View v, Out f) const {
  const Elements& d = *elements_;
  const auto at = d.evaluations.borrow();
  d.scatter(q, at->u);
  at->y = d.weight;
  d.add_elastic(at->u, -1.0, at->y);
  d.add_loads(t, at->y);
  if (d.damping >= 0) {
    d.scatter(v, at->x);
    d.add_mass(-d.system.rayleigh.mass, at->x, at->y);
    if (d.system.rayleigh.stiffness > 0.0)
      d.add_stiffness(at->u, -d.system.rayleigh.stiffness, at->x, at->y);
  }
  d.gather(at->y, f);
}

void ElasticBeam::potential_force(double, View q, Out f) const {
  const Elements& d = *elements_;
  const auto at = d.evaluations.borrow();
  d.scatter(q, at->u);
  at->y = d.weight;
  d.add_elastic(at->u, -1.0, at->y);
  d.gather(at->y, f);
}

void ElasticBeam::multiply(Combination s, double, View q, View, View x, Out y) const {
  const Elements& d = *elements_;
  const auto at = d.evaluations.borrow();
  const double m = s.m + s.c * d.system.rayleigh.mass, k = s.k + s.c * d.system.rayleigh.stiffness;
  d.scatter(x, at->x);
  at->y.setZero();
  d.add_mass(m, at->x, at->y);
  if (k != 0.0) {
    d.scatter(q, at->u);
    d.add_stiffness(at->u, k, at->x, at->y);
  }
  d.gather(at->y, y);
}

void ElasticBeam::factorise(Combination s, double, View q, View, Factor& A) const {
  const Elements& d = *elements_;
  const auto at = d.evaluations.borrow();
  const double m = s.m + s.c * d.system.rayleigh.mass, k = s.k + s.c * d.system.rayleigh.stiffness;
  if (k != 0.0) d.scatter(q, at->u);
  const std::span<double> value = at->matrix.value();
  std::ranges::fill(value, 0.0);
  Block K = Block::Zero();
  for (int e = 0; e < d.system.elements; ++e) {
    if (k != 0.0) d.element_matrix(at->u, e, k, K);
    const int* place = d.place.data() + index(e) * kDofs * kDofs;
    for (int j = 0; j < kDofs; ++j)
      for (int i = 0; i < kDofs; ++i)
        if (const int entry = place[j * kDofs + i]; entry >= 0)
          value[index(entry)] +=
              K(i, j) + (i % 3 == j % 3 ? m * d.mass[index(i / 3)][index(j / 3)] : 0.0);
  }
  auto* held = std::get_if<std::unique_ptr<Operator>>(&A.form);
  auto* sparse = held ? dynamic_cast<SparseOperator*>(held->get()) : nullptr;
  if (!sparse) {
    auto made = std::make_unique<SparseOperator>();
    sparse = made.get();
    A.form = std::move(made);
  }
  sparse->factorise(at->matrix);
}

PointRef ElasticBeam::point(double x) const {
  expects(x >= 0.0 && x <= elements_->system.length,
          "beam: a position along the beam must be between 0 and its length");
  const double at = std::min(x / elements_->l, static_cast<double>(elements_->system.elements));
  const int e = std::min(static_cast<int>(at), elements_->system.elements - 1);
  return {0, e, Vector3(at - e, 0.0, 0.0)};
}

void ElasticBeam::points(double, View q, std::span<const PointRef> at, Out x) const {
  const Elements& d = *elements_;
  const auto evaluation = d.evaluations.borrow();
  d.scatter(q, evaluation->u);
  evaluation->x = d.reference + evaluation->u;
  for (std::size_t i = 0; i < at.size(); ++i)
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        d.system.origin +
        d.frame * sum(Elements::local(evaluation->x, at[i].feature), values(at[i].local.x(), d.l));
}

// N_k times the column of the frame, for each free axis of e_k
void ElasticBeam::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const Elements& d = *elements_;
  J.width = 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  for (const PointRef& point : at) {
    if (point.feature < 0 || point.feature >= d.system.elements) [[unlikely]]
      expects(false, fmt::format("beam: element {} does not exist; there are {}", point.feature,
                                 d.system.elements));
    const Hermite N = values(point.local.x(), d.l);
    for (int k = 0; k < 4; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        const int column = d.index_of[index(6 * point.feature + 3 * k + axis)];
        if (column < 0 || N[index(k)] == 0.0) continue;
        J.column.push_back(column);
        for (int row = 0; row < 3; ++row) J.value.push_back(N[index(k)] * d.frame(row, axis));
      }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

std::unique_ptr<PointTable> ElasticBeam::table(std::span<const PointRef> at,
                                               std::span<const Vector3> direction) const {
  const Vector reference = Vector::Zero(positions());
  const auto n = static_cast<Eigen::Index>(at.size());
  Vector places(3 * n), rest(n);
  PointRows J;
  point_rows(reference, reference, at, J);
  points(0.0, reference, at, places);
  for (Eigen::Index i = 0; i < n; ++i)
    rest[i] = direction[static_cast<std::size_t>(i)].dot(places.segment<3>(3 * i));
  return row_table(positions(), J, direction, std::move(rest));
}

ElasticBeam::Strain ElasticBeam::strain(View q, const PointRef& at) const {
  const Elements& d = *elements_;
  const auto evaluation = d.evaluations.borrow();
  expects(at.feature >= 0 && at.feature < d.system.elements, "beam: no such element");
  d.scatter(q, evaluation->u);
  const Point p(Elements::local(evaluation->u, at.feature), at.local.x(), d.l);
  return {p.stretch, d.frame * p.a.cross(p.b) / p.A};
}

void ElasticBeam::breaks(Breaks& out) const { breaks_of_loads(elements_->system.loads, out); }

Energy ElasticBeam::energy(double, View q, View v) const {
  const Elements& d = *elements_;
  const auto at = d.evaluations.borrow();
  d.scatter(v, at->x);
  at->y.setZero();
  d.add_mass(1.0, at->x, at->y);
  Energy E;
  E.kinetic = 0.5 * d.dot(at->y, v);
  d.scatter(q, at->u);
  E.potential = d.stored(at->u) - d.dot(d.weight, q);
  return E;
}

void ElasticBeam::power(double t, std::optional<double>, View q, View v, View w,
                        std::span<double> by_source) const {
  const Elements& d = *elements_;
  const auto at = d.evaluations.borrow();
  const auto of = [&](auto&& fill) {
    at->y.setZero();
    fill();
    return d.dot(at->y, w);
  };
  d.scatter(q, at->u);
  by_source[0] = of([&] { d.add_elastic(at->u, -1.0, at->y); });
  if (d.gravity >= 0) by_source[index(d.gravity)] = d.dot(d.weight, w);
  if (d.damping >= 0) {
    d.scatter(v, at->x);
    by_source[index(d.damping)] = of([&] {
      d.add_mass(-d.system.rayleigh.mass, at->x, at->y);
      d.add_stiffness(at->u, -d.system.rayleigh.stiffness, at->x, at->y);
    });
  }
  if (d.load >= 0) by_source[index(d.load)] = of([&] { d.add_loads(t, at->y); });
}

}  // namespace saltus
