// Builds a RedistributedMass: checks, numbering, K_ic and K_cc, the local problem.
#include <fmt/format.h>

#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/redistributed_mass_internal.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus {
namespace {

using Eigen::Index;

void sort_unique(std::vector<int>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Nodes that share an element with each node, itself included.
std::vector<std::vector<int>> neighbours(const Mesh& mesh) {
  std::vector<std::vector<int>> around(static_cast<std::size_t>(mesh.nodes.cols()));
  for (int e = 0; e < mesh.elements(); ++e)
    for (int a : mesh.element(e))
      for (int b : mesh.element(e)) around[index(a)].push_back(b);
  for (std::vector<int>& list : around) sort_unique(list);
  return around;
}

/// The nonzeros of the columns `wanted` of K; rows are components of Fem's q. One product serves
/// several unit vectors whose nodes have no common neighbour.
std::vector<std::vector<Entry>> stiffness_columns(const Fem& fem, const std::vector<int>& wanted,
                                                  const std::vector<int>& node_of) {
  const std::vector<std::vector<int>> around = neighbours(fem.mesh());
  std::vector<std::vector<int>> of_node(around.size());
  for (int j = 0; j < fem.positions(); ++j) of_node[index(node_of[index(j)])].push_back(j);
  const auto near = [&](std::size_t c) -> const std::vector<int>& {
    return around[index(node_of[index(wanted[c])])];
  };
  std::vector<std::vector<Entry>> columns(wanted.size());
  const Vector still = Vector::Zero(fem.positions());
  Vector units(fem.positions()), f(fem.positions());
  std::vector<char> done(wanted.size(), 0), taken(around.size());
  for (std::size_t left = wanted.size(); left > 0;) {
    std::ranges::fill(taken, '\0');
    units.setZero();
    std::vector<std::size_t> chosen;
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      if (done[c] || std::ranges::any_of(near(c), [&](int b) { return taken[index(b)] != 0; }))
        continue;
      for (int b : near(c)) taken[index(b)] = 1;
      units[wanted[c]] = 1.0;
      chosen.push_back(c);
    }
    fem.multiply({0.0, 0.0, 1.0}, 0.0, still, still, units, f);
    for (std::size_t c : chosen) {
      for (int b : near(c))
        for (int j : of_node[index(b)])
          if (f[j] != 0.0) columns[c].push_back({j, static_cast<int>(c), f[j]});
      done[c] = 1;
      --left;
    }
  }
  return columns;
}

}  // namespace

void RedistributedMass::Partition::check(const FemSystem& system) const {
  expects(!stops.empty(), "mass redistribution: at least one stop is required");
  expects(system.mass == MassForm::lumped, "mass redistribution: the mesh must have lumped mass");
  const auto nodes = static_cast<int>(system.mesh.nodes.cols());
  std::vector<char> massless(index(nodes), 0), moves(index(nodes), 0);
  for (const NodeStop& s : stops) {
    expects(s.node >= 0 && s.node < nodes,
            fmt::format("mass redistribution: a stop names node {} (allowed: 0 to {})", s.node,
                        nodes - 1));
    expects(s.place.allFinite() && std::abs(s.normal.norm() - 1.0) <= 1e-9 &&
                s.normal.tail(3 - system.mesh.dimension).isZero(0.0),
            fmt::format("mass redistribution: the stop of node {} needs a unit normal within the "
                        "dimensions of the mesh and a finite place",
                        s.node));
    massless[index(s.node)] = 1;
  }
  for (const Load& l : system.loads)
    for (const auto& [dof, weight] : l.pattern)
      expects(
          weight == 0.0 || dof < 0 || dof >= 3 * nodes || massless[index(dof / 3)] == 0,
          fmt::format("mass redistribution: a load acts on node {}, which has no mass", dof / 3));
  for (const Prescribed& p : system.prescribed)
    if (p.dof >= 0 && p.dof < 3 * nodes && !p.signal.is_constant()) moves[index(p.dof / 3)] = 1;
  for (int e = 0; e < system.mesh.elements(); ++e) {
    int without = -1, moving = -1;
    for (int a : system.mesh.element(e)) {
      if (massless[index(a)]) without = a;
      if (moves[index(a)]) moving = a;
    }
    expects(without < 0 || moving < 0, fmt::format("mass redistribution: node {} shares element {} "
                                                   "with node {}, which has prescribed motion",
                                                   without, e, moving));
  }
}

RedistributedMass::Partition::Partition(FemSystem system, std::vector<NodeStop> given)
    : stops(std::move(given)) {
  saltus::check(system.mesh);
  check(system);
  system.massless.clear();
  for (const NodeStop& s : stops) system.massless.push_back(s.node);
  sort_unique(system.massless);
  fem = std::make_unique<Fem>(system);
  expects(has(fem->traits(), Trait::affine),
          "mass redistribution: laws must be linear and the form total Lagrangian");
  number(system);
  couple();
}

// Determines which components of Fem's q have mass, and g = rest + G u_c.
void RedistributedMass::Partition::number(const FemSystem& system) {
  const int d = system.mesh.dimension;
  const auto nodes = static_cast<int>(system.mesh.nodes.cols());
  std::vector<char> massless(index(nodes), 0);
  for (int a : system.massless) massless[index(a)] = 1;
  // a node with mass that shares an element with each massless node
  std::vector<int> near(index(nodes), -1);
  for (int e = 0; e < system.mesh.elements(); ++e)
    for (int a : system.mesh.element(e))
      for (int b : system.mesh.element(e))
        if (massless[index(a)] && !massless[index(b)] && near[index(a)] < 0) near[index(a)] = b;
  of_dof.assign(index(3 * nodes), -1);
  place.assign(index(fem->positions()), -1);
  for (int dof = 0; dof < 3 * nodes; ++dof) {
    const int j = fem->free_index(dof);
    if (j < 0) continue;
    std::vector<int>& list = massless[index(dof / 3)] ? held : inner;
    place[index(j)] = static_cast<int>(list.size());
    if (!massless[index(dof / 3)]) {
      of_dof[index(dof)] = place[index(j)];
    } else {
      const int b = near[index(dof / 3)];
      carrier.push_back(b < 0 ? -1 : fem->free_index(3 * b + dof % 3));
    }
    list.push_back(j);
  }
  expects(!inner.empty(),
          "mass redistribution: at least one degree of freedom with mass must be free");
  Vector reference(3 * nodes);
  fem->full(0.0, Vector::Zero(fem->positions()), reference);
  for (const NodeStop& s : stops) {
    std::vector<Entry> entries;
    for (int axis = 0; axis < d; ++axis)
      if (const int j = fem->free_index(3 * s.node + axis); j >= 0 && s.normal[axis] != 0.0)
        entries.push_back({0, j, s.normal[axis]});
    expects(
        !entries.empty(),
        fmt::format("mass redistribution: node {} is fixed along the normal of its stop", s.node));
    G.push_back(entries);
    const Vector3 x = system.mesh.nodes.col(s.node) + reference.segment<3>(3 * s.node);
    rest.conservativeResize(rest.size() + 1);
    rest[rest.size() - 1] = s.normal.dot(x - s.place);
  }
}

// Computes K_ic, K_cc and the local problem.
void RedistributedMass::Partition::couple() {
  std::vector<int> node_of(index(fem->positions()), 0);
  for (int dof = 0; dof < static_cast<int>(3 * fem->mesh().nodes.cols()); ++dof)
    if (const int j = fem->free_index(dof); j >= 0) node_of[index(j)] = dof / 3;
  split_columns(stiffness_columns(*fem, held, node_of));
  const int bad = first_bad_pivot(Kcc);
  expects(bad < 0,
          fmt::format("mass redistribution: massless node {} is not restrained by its elements",
                      bad < 0 ? 0 : node_of[index(held[index(bad)])]));
  make_compliance();
}

// Fills K_ic and K_cc from the columns c of K.
void RedistributedMass::Partition::split_columns(const std::vector<std::vector<Entry>>& columns) {
  std::vector<Entry> inside;
  std::vector<char> massless(index(fem->positions()), 0);
  for (int j : held) massless[index(j)] = 1;
  for (std::size_t c = 0; c < held.size(); ++c) {
    for (const Entry& e : columns[c]) {
      if (massless[index(e.row)]) {
        // copy one triangle to the other, so that the matrix is bitwise symmetric
        if (const int i = place[index(e.row)]; i >= static_cast<int>(c)) {
          inside.push_back({i, static_cast<int>(c), e.value});
          if (i != static_cast<int>(c)) inside.push_back({static_cast<int>(c), i, e.value});
        }
        continue;
      }
      row.push_back(place[index(e.row)]);
      value.push_back(e.value);
    }
    offset.push_back(static_cast<int>(row.size()));
  }
  rim = row;
  sort_unique(rim);
  Kcc = SparseMatrix(static_cast<int>(held.size()), inside);
}

// Computes X = K_cc^-1 G^T and W = G X for the stops.
void RedistributedMass::Partition::make_compliance() {
  SparseOperator factor;
  factor.factorise(Kcc);
  const auto m = static_cast<Index>(stops.size());
  X.setZero(Kcc.size(), m);
  for (Index j = 0; j < m; ++j)
    for (const Entry& e : G[static_cast<std::size_t>(j)]) X(place[index(e.column)], j) = e.value;
  factor.solve(X);
  W.resize(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) {
      W(i, j) = 0.0;
      for (const Entry& e : G[static_cast<std::size_t>(i)])
        W(i, j) += e.value * X(place[index(e.column)], j);
    }
  W = (0.5 * (W + W.transpose())).eval();
  const int repeated = first_bad_pivot(SparseMatrix::from(W));
  expects(repeated < 0,
          fmt::format("mass redistribution: the stop of node {} is redundant with other stops",
                      repeated < 0 ? 0 : stops[index(repeated)].node));
}

}  // namespace saltus
