// At places of the boundary this file computes the thickness t of the body along the inner normal n
// and the locking energy of the elements there: the energy of the strain that interpolation adds to
// a field of pure bending with curvature 1 along a tangent,
//     u = (-x y, (x^2 + nu (y^2 - z^2))/2, nu y z)
// with x along the tangent and y along n; or, in plane strain and for bodies that are wide in z,
//     u = (-x y, (x^2 + nu/(1 - nu) y^2)/2, 0).
// The field is interpolated between the nodes of each element:
//     excess = 1/V int (mu |de|^2 + lambda/2 tr(de)^2) dV / (E' t^2/24),
//         de = e(interpolated) - e(u)
// e(u) is the strain of a beam of any length, E' t^2/24 its energy per volume. The product of de
// with the bending stress sums to zero over a body: that stress is in equilibrium and leaves the
// long sides free.
#include "saltus/fem/locking.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace saltus {
namespace {

constexpr int kLockingPlaces = 48;                    // number of sampled places of the boundary
constexpr double kSlenderTimes = 5.0 * (1.0 - 1e-9);  // least length / thickness

/// The boundary as triangles, or as edges for plane meshes, for rays through the body.
struct BodyWalls {
  std::vector<std::array<Vector3, 3>> triangles;
  std::vector<std::array<Vector3, 2>> edges;

  BodyWalls(const Mesh& mesh, std::span<const MeshFace> faces) {
    for (const MeshFace& face : faces) {
      const std::vector<int> nodes = mesh.face_nodes(face);
      const ElementFace& on =
          saltus::faces(mesh.kind(face.element))[static_cast<std::size_t>(face.face)];
      const int corners = info(on.kind).corners;
      const auto x = [&](int k) -> Vector3 {
        return mesh.nodes.col(nodes[static_cast<std::size_t>(k)]);
      };
      if (mesh.dimension == 2)
        edges.push_back({x(0), x(1)});
      else
        for (int k = 1; k + 1 < corners; ++k) triangles.push_back({x(0), x(k), x(k + 1)});
    }
  }
  /// Distance from x along the unit vector d to the next wall whose outward normal has a positive
  /// component along d; infinite: none.
  double distance(const Vector3& x, const Vector3& d) const {
    constexpr double kRim = 1e-9;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : triangles) {
      const Vector3 ab = b - a, ac = c - a, p = d.cross(ac);
      const double det = ab.dot(p);
      if (!(det < -1e-12 * ab.norm() * ac.norm())) continue;  // d . (outward normal) = -det
      const Vector3 s = x - a, q = s.cross(ab);
      const double u = s.dot(p) / det, v = d.dot(q) / det, along = ac.dot(q) / det;
      if (u < -kRim || v < -kRim || u + v > 1.0 + kRim || along <= 0.0) continue;
      least = std::min(least, along);
    }
    for (const auto& [a, b] : edges) {
      const Vector3 ab = b - a, s = a - x;
      const double det = d.x() * ab.y() - d.y() * ab.x();
      if (!(det > 1e-12 * ab.norm())) continue;
      const double along = (s.x() * ab.y() - s.y() * ab.x()) / det,
                   u = (s.x() * d.y() - s.y() * d.x()) / det;
      if (u < -kRim || u > 1.0 + kRim || along <= 0.0) continue;
      least = std::min(least, along);
    }
    return least;
  }
};

/// Extent of the nodes along a unit vector [m].
double extent_along(const Mesh& mesh, const Vector3& d) {
  const Eigen::RowVectorXd x = d.transpose() * mesh.nodes;
  return x.maxCoeff() - x.minCoeff();
}

/// Unit vectors along the directions of least, intermediate and largest spread of the nodes.
Matrix3 principal_axes(const Mesh& mesh) {
  const Vector3 mean = mesh.nodes.rowwise().mean();
  const Eigen::Matrix3Xd X = mesh.nodes.colwise() - mean;
  const Matrix3 S = X * X.transpose();
  return Eigen::SelfAdjointEigenSolver<Matrix3>(S).eigenvectors();
}

struct ElasticPlane {
  double lambda, mu, poisson, modulus;  ///< lambda of the strain energy, nu of the field, E'
};
/// For bending without lateral strain (wide), or free to contract laterally.
ElasticPlane elastic_plane(const FemMaterial& of, int dimension, bool wide) {
  const double lambda = of.material.lambda(), mu = of.material.mu();
  const double nu = lambda / (2.0 * (lambda + mu)), E = 2.0 * mu * (1.0 + nu);
  if (dimension == 2 && of.plane == PlaneState::stress)
    return {2.0 * lambda * mu / (lambda + 2.0 * mu), mu, nu, E};
  if (dimension == 2 || wide) return {lambda, mu, nu / (1.0 - nu), E / (1.0 - nu * nu)};
  return {lambda, mu, nu, E};
}

/// Energies of elements [E'] and the reference energies of pure bending.
struct Excess {
  double shape = 0.0, bulk = 0.0, bending = 0.0;

  double all() const { return (shape + bulk) / bending; }
  double volume() const { return bulk / bending; }
};
/// Adds the energies of one element; axes: columns x (the tangent), y (the normal), z.
void add_excess(const Mesh& mesh, int element, const FemMaterial& of, const Matrix3& axes,
                double thickness, bool wide, Excess& sum) {
  const ElementKind kind = mesh.kind(element);
  const std::span<const int> nodes = mesh.element(element);
  const auto n = static_cast<Eigen::Index>(nodes.size());
  const ElasticPlane law = elastic_plane(of, mesh.dimension, wide);
  const bool across = mesh.dimension == 3 && !wide;  // free to contract along z
  Eigen::Matrix3Xd X(3, n), u(3, n);
  for (Eigen::Index a = 0; a < n; ++a)
    X.col(a) = mesh.nodes.col(nodes[static_cast<std::size_t>(a)]);
  const Vector3 centre = X.rowwise().mean();
  X = (axes.transpose() * (X.colwise() - centre)).eval();
  for (Eigen::Index a = 0; a < n; ++a) {
    const double x = X(0, a), y = X(1, a), z = across ? X(2, a) : 0.0;
    u.col(a) = Vector3(-x * y, 0.5 * (x * x + law.poisson * (y * y - z * z)),
                       across ? law.poisson * y * z : 0.0);
  }
  for (const RulePoint& point : mass_rule(kind)) {
    const ShapeGradients g = shape_gradients(kind, point.xi);
    Matrix3 J = X * g.transpose();
    if (mesh.dimension == 2) J.col(2) = Vector3::UnitZ();  // the element lies in x, y
    const double w = point.weight * std::abs(J.determinant());
    const Eigen::Matrix3Xd grad = J.transpose().inverse() * g;
    const Matrix3 H = u * grad.transpose();
    const double y = X.row(1).dot(shape_values(kind, point.xi));
    Matrix3 e = 0.5 * (H + H.transpose());
    e(0, 0) += y;
    e(1, 1) -= law.poisson * y;
    if (across) e(2, 2) -= law.poisson * y;
    sum.shape += w * law.mu * e.squaredNorm();
    sum.bulk += w * 0.5 * law.lambda * e.trace() * e.trace();
    sum.bending += w * law.modulus * thickness * thickness / 24.0;
  }
}

/// Elements at each node, and the linear elements at the nodes of a face.
class Patches {
 public:
  explicit Patches(const Mesh& mesh) : mesh_(mesh), first_(mesh.nodes.cols() + 1, 0) {
    const int elements = mesh.elements();
    for (int e = 0; e < elements; ++e)
      for (const int node : mesh.element(e)) ++first_[static_cast<std::size_t>(node) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    elements_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (int e = 0; e < elements; ++e)
      for (const int node : mesh.element(e)) elements_[next[static_cast<std::size_t>(node)]++] = e;
  }
  const std::vector<int>& at(std::span<const int> nodes) {
    patch_.clear();
    for (const int node : nodes)
      for (std::size_t i = first_[static_cast<std::size_t>(node)];
           i < first_[static_cast<std::size_t>(node) + 1]; ++i)
        if (const ElementInfo& of = info(mesh_.kind(elements_[i]));
            !of.quadratic() && of.dimension == mesh_.dimension)
          patch_.push_back(elements_[i]);
    std::ranges::sort(patch_);
    patch_.erase(std::unique(patch_.begin(), patch_.end()), patch_.end());
    return patch_;
  }

 private:
  const Mesh& mesh_;
  std::vector<std::size_t> first_;
  std::vector<int> elements_, patch_;
};

/// A place where locking is evaluated: the centre of a boundary face.
struct LockingPlace {
  Vector3 middle, normal;  // outward unit normal
  double size = 0.0;       // size of the face [m^(d-1)]; 0: degenerate

  LockingPlace(const Mesh& mesh, std::span<const int> nodes)
      : middle(Vector3::Zero()), normal(Vector3::Zero()) {
    const int corners = static_cast<int>(nodes.size());  // corner nodes of the linear face
    const auto x = [&](int k) -> Vector3 {
      return mesh.nodes.col(nodes[static_cast<std::size_t>(k)]);
    };
    for (int k = 0; k < corners; ++k) middle += x(k) / corners;
    if (mesh.dimension == 2) {
      const Vector3 along = x(1) - x(0);
      normal = {along.y(), -along.x(), 0.0};  // the outside is on the right of the edge
    } else {
      for (int k = 1; k + 1 < corners; ++k) normal += 0.5 * (x(k) - x(0)).cross(x(k + 1) - x(0));
    }
    size = normal.norm();
    if (size > 0.0) normal /= size;
  }
};

/// Of the principal axes projected to the tangent plane, the direction along which the body is
/// longest, and that length [m]; 0: none.
std::pair<Vector3, double> longest_tangent(const Mesh& mesh, const Matrix3& principal,
                                           const Vector3& normal) {
  Vector3 along = Vector3::Zero();
  double longest = 0.0;
  for (int k = 0; k < 3; ++k) {
    Vector3 p = principal.col(k);
    p -= p.dot(normal) * normal;
    if (mesh.dimension == 2) p.z() = 0.0;
    if (p.norm() < 0.1) continue;
    p.normalize();
    const double length = extent_along(mesh, p);
    if (length > longest) longest = length, along = p;
  }
  return {along, longest};
}

/// Means over places, weighted by the sizes of their faces; bending and its thickness only from
/// slender places.
struct LockingSums {
  double area = 0.0, thickness = 0.0, volume = 0.0;
  double slender = 0.0, slender_thickness = 0.0, bending = 0.0;

  void add(double size, double thick, const Excess& excess, bool is_slender) {
    area += size;
    thickness += size * thick;
    volume += size * excess.volume();
    if (!is_slender) return;
    slender += size;
    bending += size * excess.all();
    slender_thickness += size * thick;
  }
  void put(Locking& to) const {
    if (!(area > 0.0)) return;
    to.thickness = thickness / area;
    to.volume = volume / area;
    if (slender <= 0.5 * area) return;
    to.bending = bending / slender;
    to.thickness = slender_thickness / slender;
  }
};

std::vector<MeshFace> faces_of_linear_elements(const Mesh& mesh, std::span<const MeshFace> faces) {
  std::vector<MeshFace> linear;
  for (const MeshFace& face : faces) {
    const ElementInfo& of = info(mesh.kind(face.element));
    if (!of.quadratic() && of.dimension == mesh.dimension) linear.push_back(face);
  }
  return linear;
}

ElementKind most_frequent_kind(const Mesh& mesh, std::span<const MeshFace> faces) {
  std::array<int, kElementKinds> count{};
  for (const MeshFace& face : faces) ++count[static_cast<std::size_t>(mesh.kind(face.element))];
  return static_cast<ElementKind>(std::ranges::max_element(count) - count.begin());
}

}  // namespace

Locking locking_of(const Mesh& mesh, std::span<const FemMaterial> materials) {
  Locking found;
  if (mesh.dimension < 2) return found;
  const std::vector<MeshFace> all = boundary(mesh), linear = faces_of_linear_elements(mesh, all);
  if (linear.empty()) return found;
  found.kind = most_frequent_kind(mesh, linear);
  const auto material = [&](int element) -> const FemMaterial& {
    const auto block = static_cast<std::size_t>(mesh.place(element).block);
    return materials[static_cast<std::size_t>(mesh.blocks[block].material)];
  };
  const BodyWalls walls(mesh, all);
  Patches patches(mesh);
  const Matrix3 principal = principal_axes(mesh);
  LockingSums sums;
  const std::size_t places = std::min<std::size_t>(linear.size(), kLockingPlaces);
  for (std::size_t i = 0; i < places; ++i) {
    const MeshFace& face = linear[(2 * i + 1) * linear.size() / (2 * places)];
    const std::vector<int> nodes = mesh.face_nodes(face);
    const LockingPlace place(mesh, nodes);
    if (!(place.size > 0.0)) continue;
    const double t = walls.distance(place.middle, -place.normal);
    if (!std::isfinite(t)) continue;
    const auto [along, length] = longest_tangent(mesh, principal, place.normal);
    if (!(length > 0.0)) continue;
    const Vector3 across = along.cross(place.normal);
    const double width = mesh.dimension == 3 ? extent_along(mesh, across) : 0.0;
    const bool wide = width >= kSlenderTimes * t;
    const auto excess = [&](const Vector3& tangent) {
      Matrix3 axes;
      axes << tangent, place.normal, tangent.cross(place.normal);
      Excess sum;
      for (const int e : patches.at(nodes)) add_excess(mesh, e, material(e), axes, t, wide, sum);
      return sum;
    };
    Excess here = excess(along);
    if (wide)  // the body bends along both tangents
      if (const Excess there = excess(across); there.all() > here.all()) here = there;
    sums.add(place.size, t, here, length >= kSlenderTimes * t);
    const Material& of = material(face.element).material;
    found.poisson = std::max(found.poisson, of.lambda() / (2.0 * (of.lambda() + of.mu())));
  }
  sums.put(found);
  return found;
}

}  // namespace saltus
