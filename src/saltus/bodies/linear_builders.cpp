// Ready-made linear systems: an oscillator, a chain of masses, a bar.
#include "saltus/base/error.h"
#include "saltus/bodies/linear.h"

namespace saltus {
namespace {

// Adds a spring, mass or dashpot between two points on a line: [a b; b a] at (i, j), without rows
// outside 0 .. n-1.
void add_pair(std::vector<Entry>& entries, int n, int i, int j, double a, double b) {
  const auto inside = [n](int k) { return k >= 0 && k < n; };
  if (inside(i)) entries.push_back({i, i, a});
  if (inside(j)) entries.push_back({j, j, a});
  if (inside(i) && inside(j) && b != 0.0) {
    entries.push_back({i, j, b});
    entries.push_back({j, i, b});
  }
}

}  // namespace

LinearSystem oscillator(double mass, double stiffness, double damping) {
  const auto single = [](double value) { return SparseMatrix(1, std::vector{Entry{0, 0, value}}); };
  LinearSystem system;
  system.mass = single(mass);
  system.stiffness = single(stiffness);
  if (damping != 0.0) system.damping = single(damping);
  return system;
}

LinearSystem chain(int n, double mass, double stiffness, double damping, ChainEnds ends,
                   double spacing, Vector3 axis) {
  expects(n > 0, "a chain must have at least one mass");
  const bool first_fixed = ends != ChainEnds::free_free,
             last_fixed = ends == ChainEnds::fixed_fixed;
  LinearSystem system;
  std::vector<Entry> M, C, K;
  for (int i = 0; i < n; ++i) M.push_back({i, i, mass});
  for (int i = first_fixed ? -1 : 0; i < (last_fixed ? n : n - 1); ++i) {
    add_pair(K, n, i, i + 1, stiffness, -stiffness);
    add_pair(C, n, i, i + 1, damping, -damping);
  }
  system.mass = SparseMatrix(n, M);
  system.stiffness = SparseMatrix(n, K);
  if (damping != 0.0) system.damping = SparseMatrix(n, C);
  axis.normalize();
  for (int i = 0; i < n; ++i)
    system.points.push_back({(first_fixed ? i + 1 : i) * spacing * axis, axis});
  return system;
}

// Element of length l:  mass rho A l/6 [2 1; 1 2] or, lumped, rho A l/2 on each node;
// stiffness E A/l [1 -1; -1 1].
LinearSystem bar(const BarMesh& mesh) {
  expects(mesh.elements > 0, "a bar must have at least one element");
  expects(mesh.length > 0.0 && mesh.young > 0.0 && mesh.density > 0.0 && mesh.area > 0.0,
          "length, Young's modulus, density and section of a bar must be positive");
  const int first = mesh.ends == ChainEnds::free_free ? 0 : 1;
  const int last = mesh.ends == ChainEnds::fixed_fixed ? mesh.elements - 1 : mesh.elements;
  const int n = last - first + 1;
  expects(n > 0, "a bar must have a node that is not fixed");
  const double l = mesh.length / mesh.elements, stiffness = mesh.young * mesh.area / l;
  const double mass = mesh.density * mesh.area * l / 6.0;
  LinearSystem system;
  std::vector<Entry> M, K;
  for (int e = 0; e < mesh.elements; ++e) {
    add_pair(K, n, e - first, e + 1 - first, stiffness, -stiffness);
    if (mesh.lumped)
      add_pair(M, n, e - first, e + 1 - first, 3.0 * mass, 0.0);
    else
      add_pair(M, n, e - first, e + 1 - first, 2.0 * mass, mass);
  }
  system.mass = SparseMatrix(n, M);
  system.stiffness = SparseMatrix(n, K);
  const Vector3 axis = mesh.axis.normalized();
  for (int i = first; i <= last; ++i)
    system.points.push_back({mesh.origin + mesh.length * i / mesh.elements * axis, axis});
  return system;
}

}  // namespace saltus
