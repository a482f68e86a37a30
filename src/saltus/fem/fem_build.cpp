// Builds a Fem: checks, numbering, masses, the pattern of the step operator; loads on faces.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"
#include "saltus/fem/mass_redistribution.h"

namespace saltus {
namespace {

/// Factor that converts the length or area of an element to its volume.
double across(const ElementBlock& block, const FemMaterial& m) {
  const int d = info(block.kind).dimension;
  return d == 1 ? m.area : d == 2 ? m.thickness : 1.0;
}

}  // namespace

Fem::Elements::Elements(FemSystem given) : system(std::move(given)) {
  check_input();
  nodes = static_cast<int>(system.mesh.nodes.cols());
  lumped = system.mass == MassForm::lumped;
  gravity_vector = system.gravity;
  loads = system.loads;
  const int d = system.mesh.dimension;
  number(d, system.prescribed,
         {"fem: ", fmt::format("3 node + axis: nodes 0 to {}, axes 0 to {}", nodes - 1, d - 1),
          [](int dof) { return fmt::format("axis {} of node {}", dof % 3, dof / 3); }});
  affine = true;
  for (std::size_t b = 0; b < system.mesh.blocks.size(); ++b) {
    const FemMaterial& m = system.materials[index(system.mesh.blocks[b].material)];
    blocks.emplace_back(system.mesh, static_cast<int>(b), m, rayleigh().stiffness, system.viscosity,
                        system.tangent);
    affine = affine && blocks.back().law.linear();
    largest = std::max(largest, blocks.back().n);
  }
  affine = affine && !turns();
  make_mass();
  for (const UniformField::Term& term : system.field.terms) {
    Load weight_in_time{.pattern = {}, .signal = term.signal};
    for (int i = 0; i < 3 * nodes; ++i)
      if (i % 3 < d && term.direction[i % 3] != 0.0)
        weight_in_time.pattern.emplace_back(i, nodal[i / 3] * term.direction[i % 3]);
    system.loads.push_back(std::move(weight_in_time));
  }
  loads = system.loads;
  if (turns()) unturned.set(system.mesh, nodal);
  make_pattern();
  name_accounts(true, damped());
}

void Fem::Elements::check_input() {
  check(system.mesh);
  const auto positive = [](double number) { return number > 0.0 && std::isfinite(number); };
  const auto not_negative = [](double number) { return number >= 0.0 && std::isfinite(number); };
  const auto materials = static_cast<int>(system.materials.size());
  for (std::size_t b = 0; b < system.mesh.blocks.size(); ++b) {
    const int m = system.mesh.blocks[b].material;
    expects(m >= 0 && m < materials,
            fmt::format("fem: block {} has material {} (allowed: {})", b, m,
                        materials == 0 ? "none" : fmt::format("0 to {}", materials - 1)));
  }
  for (const FemMaterial& m : system.materials) {
    check(m.material);
    expects(positive(m.thickness) && positive(m.area),
            "fem: thickness and area must be positive and finite");
  }
  expects(not_negative(rayleigh().mass) && not_negative(rayleigh().stiffness),
          "fem: Rayleigh factors must be finite and not negative");
  const int d = system.mesh.dimension;
  expects(system.gravity.allFinite() && system.gravity.tail(3 - d).isZero(0.0),
          "fem: gravity must be finite and zero outside the dimensions of the mesh");
  const FemSolver& solver = system.solver;
  expects(solver.tolerance >= 0.0 && solver.tolerance < 1.0 && solver.iterations > 0,
          "fem: the solver needs a tolerance in [0, 1) and at least 1 iteration");
  if (!turns()) return;
  expects(d > 1, "fem: body_corotational needs a body that can rotate (2 or 3 dimensions)");
  expects(
      system.prescribed.empty(),
      "fem: body_corotational does not support prescribed motion; use total_lagrangian with the "
      "law corotated");
  for (const ElementBlock& block : system.mesh.blocks)
    expects(system.materials[index(block.material)].material.law == MaterialLaw::linear,
            "fem: body_corotational supports only the linear law");
}

// Row sums; for quadratic elements HRZ: the diagonal of the consistent matrix, scaled to the mass
// of the element.
void Fem::Elements::make_mass() {
  nodal.setZero(nodes);
  std::vector<Entry> entries;
  Matrix m;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const fem::Block& block = blocks[b];
    const ElementBlock& given = system.mesh.blocks[b];
    const double factor = across(given, system.materials[index(given.material)]);
    for (int e = 0; e < block.elements; ++e) {
      fem::element_mass(system.mesh, block, e, factor, m);
      const auto node = given.element(e);
      const double scale = m.sum() / m.trace();
      const bool hrz = lumped && info(block.kind).quadratic();
      for (int i = 0; i < block.n; ++i) {
        nodal[node[index(i)]] += hrz ? m(i, i) * scale : m.row(i).sum();
        if (!lumped)
          for (int j = 0; j < block.n; ++j)
            entries.push_back({node[index(i)], node[index(j)], 0.5 * (m(i, j) + m(j, i))});
      }
    }
  }
  expects(system.massless.empty() || lumped, "fem: massless nodes require lumped mass");
  moments_kept = redistribute_mass(system.mesh, system.massless, nodal);
  if (!lumped) mass = SparseMatrix(nodes, entries);
  set_mass();
}

namespace {

// Calls add(node, int N_a dA, int N_a n dA) for the nodes of a face; n is the outward normal.
template <class Add>
void over_face(const Mesh& mesh, const MeshFace& face, double thickness, Add&& add) {
  const std::vector<int> node = mesh.face_nodes(face);
  const ElementKind kind = faces(mesh.kind(face.element))[static_cast<std::size_t>(face.face)].kind;
  std::vector<double> area(node.size(), 0.0);
  std::vector<Vector3> normal(node.size(), Vector3::Zero());
  for (const RulePoint& p : mass_rule(kind)) {
    const ShapeValues N = shape_values(kind, p.xi);
    const ShapeGradients D = shape_gradients(kind, p.xi);
    Matrix3 J = Matrix3::Zero();
    for (std::size_t a = 0; a < node.size(); ++a)
      J += mesh.nodes.col(node[a]) * D.col(static_cast<Eigen::Index>(a)).transpose();
    const bool edge = info(kind).dimension == 1;
    const Vector3 n = edge ? Vector3(J(1, 0), -J(0, 0), 0.0) : Vector3(J.col(0).cross(J.col(1)));
    for (std::size_t a = 0; a < node.size(); ++a) {
      const double w = (edge ? thickness : 1.0) * p.weight * N[static_cast<Eigen::Index>(a)];
      area[a] += w * n.norm();
      normal[a] += w * n;
    }
  }
  for (std::size_t a = 0; a < node.size(); ++a) add(node[a], area[a], normal[a]);
}

Load load_of(const std::map<int, Vector3>& nodes, const Signal& signal) {
  Load load{{}, signal};
  for (const auto& [a, f] : nodes)
    for (int axis = 0; axis < 3; ++axis)
      if (f[axis] != 0.0) load.pattern.emplace_back(3 * a + axis, f[axis]);
  return load;
}

}  // namespace

Load traction_load(const Mesh& mesh, std::span<const MeshFace> faces, const Vector3& stress,
                   const Signal& signal, double thickness) {
  std::map<int, Vector3> nodes;
  for (const MeshFace& face : faces)
    over_face(mesh, face, thickness, [&](int a, double area, const Vector3&) {
      nodes.try_emplace(a, Vector3::Zero()).first->second += area * stress;
    });
  return load_of(nodes, signal);
}

Load pressure_load(const Mesh& mesh, std::span<const MeshFace> faces, double pressure,
                   const Signal& signal, double thickness) {
  std::map<int, Vector3> nodes;
  for (const MeshFace& face : faces)
    over_face(mesh, face, thickness, [&](int a, double, const Vector3& normal) {
      nodes.try_emplace(a, Vector3::Zero()).first->second -= pressure * normal;
    });
  return load_of(nodes, signal);
}

std::vector<Prescribed> fixed_nodes(std::span<const int> nodes, std::span<const int> axes) {
  std::vector<Prescribed> held;
  for (int a : nodes)
    for (int axis : axes) held.push_back({3 * a + axis, Signal::constant(0.0)});
  return held;
}

}  // namespace saltus
