// W = H A^-1 H^T of many contacts on a block of finite elements, beside CHOLMOD's solve of all its right-hand sides with
// the factor of the same A.
//
//     fem_delassus [contacts=300] [cells=15]
#include <cholmod.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/contact/cpu_time.h"
#include "saltus/contact/rows.h"
#include "saltus/fem/fem.h"

using namespace saltus;
using saltus_bench::process_cpu_seconds;

namespace {

/// cells x cells x (cells + 1) bricks on a fixed face.
FemSystem block(int cells) {
  FemSystem system;
  system.mesh =
      box_mesh({ElementKind::hex8, {cells, cells, cells + 1}, Vector3::Ones(), Vector3::Zero()});
  FemMaterial m;
  m.material.law = MaterialLaw::linear;
  m.material.young = 1e7;
  m.material.poisson = 0.3;
  m.material.density = 1000.0;
  system.materials.push_back(m);
  system.prescribed = fixed_nodes(system.mesh.node_sets.at("z0"), std::vector<int>{0, 1, 2});
  return system;
}

/// A as a matrix, lower triangle, from products with unit vectors of nodes that share no neighbour.
cholmod_sparse* matrix_of(const Fem& body, const FemSystem& system, Combination s, int cells,
                          cholmod_common* common) {
  const int n = body.velocities();
  const Vector zero = Vector::Zero(n);
  std::vector<int> node_of(static_cast<std::size_t>(n));
  const auto nodes = static_cast<int>(system.mesh.nodes.cols());
  for (int dof = 0; dof < 3 * nodes; ++dof)
    if (const int j = body.free_index(dof); j >= 0) node_of[static_cast<std::size_t>(j)] = dof / 3;
  const auto cell = [&](int node, int axis) {
    const double size = axis == 2 ? cells + 1 : cells;
    return static_cast<int>(std::lround(system.mesh.nodes(axis, node) * size));
  };
  cholmod_triplet* triplet =
      cholmod_allocate_triplet(static_cast<std::size_t>(n), static_cast<std::size_t>(n),
                               static_cast<std::size_t>(n) * 81, -1, CHOLMOD_REAL, common);
  auto *i = static_cast<int*>(triplet->i), *j = static_cast<int*>(triplet->j);
  auto* x = static_cast<double*>(triplet->x);
  Vector unit(n), product(n);
  for (int colour = 0; colour < 27; ++colour)
    for (int axis = 0; axis < 3; ++axis) {
      const int c[3] = {colour % 3, colour / 3 % 3, colour / 9};
      const auto chosen = [&](int node) {
        return cell(node, 0) % 3 == c[0] && cell(node, 1) % 3 == c[1] && cell(node, 2) % 3 == c[2];
      };
      unit.setZero();
      std::vector<int> column_of(static_cast<std::size_t>(nodes), -1);
      for (int node = 0; node < nodes; ++node)
        if (const int k = body.free_index(3 * node + axis); k >= 0 && chosen(node)) unit[k] = 1.0;
      body.multiply(s, 0.0, zero, zero, unit, product);
      for (int row = 0; row < n; ++row) {
        if (product[row] == 0.0) continue;
        // the one chosen node within a cell of this one
        int at[3];
        const int node = node_of[static_cast<std::size_t>(row)];
        for (int d = 0; d < 3; ++d) {
          at[d] = cell(node, d) - 1;
          while (at[d] % 3 != c[d]) ++at[d];
        }
        const int other = at[0] + (cells + 1) * (at[1] + (cells + 1) * at[2]);
        const int column = body.free_index(3 * other + axis);
        if (column < 0 || row < column) continue;
        const auto k = triplet->nnz++;
        static_cast<int*>(i)[k] = row;
        static_cast<int*>(j)[k] = column;
        x[k] = product[row];
      }
    }
  cholmod_sparse* A = cholmod_triplet_to_sparse(triplet, 0, common);
  cholmod_free_triplet(&triplet, common);
  return A;
}

template <class Call>
double median(int times, Call&& call) {
  std::vector<double> all;
  for (int k = 0; k < times; ++k) {
    const double begin = process_cpu_seconds();
    call();
    all.push_back(process_cpu_seconds() - begin);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  int contacts = 300, cells = 15;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.rfind("contacts=", 0) == 0) contacts = std::atoi(word.c_str() + 9);
    if (word.rfind("cells=", 0) == 0) cells = std::atoi(word.c_str() + 6);
  }
  const FemSystem system = block(cells);
  const Fem body(system);
  const int n = body.velocities(), m = 3 * contacts;
  const double h = 1e-3;
  const Combination s{1.0, 0.0, 0.25 * h * h};
  const Vector zero = Vector::Zero(n);

  // points on faces of the boundary, not fixed; normal and two tangents each
  const std::vector<MeshFace> faces = boundary(system.mesh);
  std::vector<PointRef> at;
  for (std::size_t k = 0; static_cast<int>(at.size()) < contacts; k += 7) {
    const MeshFace& face = faces[k % faces.size()];
    const std::vector<int> node = system.mesh.face_nodes(face);
    bool fixed = false;
    for (int a : node) fixed = fixed || body.free_index(3 * a) < 0;
    if (!fixed) at.push_back(body.node_point(node[k / faces.size() % node.size()]));
  }
  std::sort(at.begin(), at.end(),
            [](const PointRef& a, const PointRef& b) { return a.feature < b.feature; });
  PointRows J;
  body.point_rows(zero, zero, at, J);
  GroupRows H;
  H.clear(m);
  std::vector<int> rows(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    H.add(i, 1.0, Vector3::Unit(i % 3), J, i / 3);
    rows[static_cast<std::size_t>(i)] = i;
  }

  Factor A;
  const double factor = median(3, [&] { body.factorise(s, 0.0, zero, zero, A); });
  Matrix X, W(m, m);
  const auto assemble = [&] {
    W.setZero();
    if (!H.response_add(A, rows, W)) H.response_add(A, n, rows, X, W);
  };
  assemble();
  const double ours = median(5, assemble);
  const double solves = median(3, [&] {
    X.setZero(n, m);
    for (int i = 0; i < m; ++i) H.each(i, [&](int column, double value) { X(column, i) += value; });
    solve(A, X);
  });

  cholmod_common common;
  cholmod_start(&common);
  cholmod_sparse* K = matrix_of(body, system, s, cells, &common);
  fmt::print("{} degrees of freedom, {} entries in a triangle of A, {} rows\n", n,
             cholmod_nnz(K, &common), m);
  fmt::print("saltus: factor {:.3f} s, W {:.3f} s; all solves {:.3f} s\n", factor, ours, solves);
  cholmod_dense* B = cholmod_zeros(static_cast<std::size_t>(n), static_cast<std::size_t>(m),
                                   CHOLMOD_REAL, &common);
  for (int i = 0; i < m; ++i)
    H.each(i, [&](int column, double value) {
      static_cast<double*>(B->x)[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
                                 static_cast<std::size_t>(column)] += value;
    });
  for (const int form : {CHOLMOD_SUPERNODAL, CHOLMOD_SIMPLICIAL}) {
    common.supernodal = form;
    cholmod_factor* L = cholmod_analyze(K, &common);
    const double made = median(1, [&] { cholmod_factorize(K, L, &common); });
    cholmod_dense *Y = nullptr, *E = nullptr, *work = nullptr;
    const double solved = median(
        3, [&] { cholmod_solve2(CHOLMOD_A, L, B, nullptr, &Y, nullptr, &work, &E, &common); });
    double off = 0.0;
    const Eigen::Map<Matrix> Z(static_cast<double*>(Y->x), n, m);
    Matrix V = Matrix::Zero(m, m);
    for (int i = 0; i < m; ++i)
      H.each(i, [&](int column, double value) { V.row(i) += value * Z.row(column); });
    off = (V - W).cwiseAbs().maxCoeff() / W.cwiseAbs().maxCoeff();
    fmt::print(
        "cholmod {}: factor {:.3f} s, {} right-hand sides {:.3f} s; W of saltus takes {:.2f} of "
        "it, differs by {:.1e}\n",
        form == CHOLMOD_SUPERNODAL ? "supernodal" : "simplicial", made, m, solved, ours / solved,
        off);
    cholmod_free_dense(&Y, &common);
    cholmod_free_dense(&E, &common);
    cholmod_free_dense(&work, &common);
    cholmod_free_factor(&L, &common);
  }
  cholmod_free_dense(&B, &common);
  cholmod_free_sparse(&K, &common);
  cholmod_finish(&common);
}
