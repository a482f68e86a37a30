#include "saltus/fem/mass_redistribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

using Eigen::Index;

/// Elements of each node, and the nodes around a node by their distance in elements.
class Neighbours {
 public:
  explicit Neighbours(const Mesh& mesh) : mesh_(mesh), elements_(index(nodes())) {
    for (int e = 0; e < mesh.elements(); ++e)
      for (int a : mesh.element(e)) elements_[index(a)].push_back(e);
  }
  int nodes() const { return static_cast<int>(mesh_.nodes.cols()); }
  /// The nodes with mass that are nearest to `node` (`without` marks those without), increasing;
  /// empty if there are none.
  std::vector<int> nearest(int node, const std::vector<char>& without) const {
    std::vector<char> seen(index(nodes()), 0);
    std::vector<int> ring{node}, found;
    seen[index(node)] = 1;
    while (found.empty() && !ring.empty()) {
      std::vector<int> next;
      for (int a : ring)
        for (int e : elements_[index(a)])
          for (int b : mesh_.element(e)) {
            if (seen[index(b)]) continue;
            seen[index(b)] = 1;
            next.push_back(b);
            if (!without[index(b)]) found.push_back(b);
          }
      ring = next;
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  const Mesh& mesh_;
  std::vector<std::vector<int>> elements_;
};

constexpr int kPasses = 50;
constexpr double kLargest = 0.8;  // maximum fraction of a node's mass that a correction may remove
constexpr double kRoundOff = 1e-14;

constexpr int kBasis = 10;
using Basis = Eigen::Matrix<double, kBasis, 1>;

/// 1, x, y, z, xx, yy, zz, xy, yz, zx
Basis basis(const Vector3& x) {
  Basis b;
  b << 1.0, x, x.cwiseProduct(x), x[0] * x[1], x[1] * x[2], x[2] * x[0];
  return b;
}

/// Restores the first n moments with sum m max(p, -kLargest) basis = missing, p = c . basis, by
/// Newton's method on c. These are the conditions for the smallest sum d^2/m. False if no such
/// correction exists.
template <class At>
bool correct(const Vector& shared, const At& at, const Basis& moments, Index n, Vector& mass) {
  Basis c = Basis::Zero();
  Vector missing = moments.head(n);
  for (Index a = 0; a < shared.size(); ++a) missing -= shared[a] * at(a).head(n);
  mass = shared;
  for (int pass = 0; pass < kPasses && missing.norm() > kRoundOff * moments[0]; ++pass) {
    Matrix gram = Matrix::Zero(n, n);
    for (Index a = 0; a < mass.size(); ++a)
      if (const Basis b = at(a); c.dot(b) > -kLargest)
        gram += shared[a] * b.head(n) * b.head(n).transpose();
    c.head(n) += shortest_solution(gram, missing, 1e-11);
    missing = moments.head(n);
    for (Index a = 0; a < mass.size(); ++a) {
      mass[a] = shared[a] * (1.0 + std::max(-kLargest, c.dot(at(a))));
      missing -= mass[a] * at(a).head(n);
    }
  }
  return missing.norm() <= 10.0 * kRoundOff * moments[0];
}

}  // namespace

MomentsKept redistribute_mass(const Mesh& mesh, std::span<const int> massless, Vector& mass) {
  if (massless.empty()) return MomentsKept::inertia;
  const Neighbours around(mesh);
  std::vector<char> without(index(around.nodes()), 0);
  for (int a : massless) {
    expects(a >= 0 && a < around.nodes() && without[index(a)] == 0,
            fmt::format("massless nodes: node {} must be in 0 to {} and named only once", a,
                        around.nodes() - 1));
    without[index(a)] = 1;
  }
  // coordinates relative to the centre of the mesh, scaled by half its size
  const Vector3 low = mesh.nodes.rowwise().minCoeff(), high = mesh.nodes.rowwise().maxCoeff();
  const double size = (high - low).maxCoeff();
  const auto at = [&](Index a) {
    return basis((mesh.nodes.col(a) - 0.5 * (low + high)) / (0.5 * size));
  };
  Basis moments = Basis::Zero();
  for (Index a = 0; a < mass.size(); ++a) moments += mass[a] * at(a);

  std::vector<int> nodes(massless.begin(), massless.end());
  std::ranges::sort(nodes);
  const Vector given = mass;
  for (int a : nodes) {
    const std::vector<int> to = around.nearest(a, without);
    expects(!to.empty(),
            fmt::format(
                "massless nodes: no chain of elements joins node {} with a node that has mass", a));
    for (int b : to) mass[b] += given[a] / static_cast<double>(to.size());
    mass[a] = 0.0;
  }
  const Vector shared = mass;
  if (correct(shared, at, moments, kBasis, mass)) return MomentsKept::inertia;
  if (correct(shared, at, moments, 4, mass)) return MomentsKept::centre;
  mass = shared;
  return MomentsKept::mass;
}

}  // namespace saltus
