// Arches and balls.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/mesh/mesh_cells_internal.h"

namespace saltus {
namespace {

using namespace cells;

// n cells from 0 to 1, each larger than the previous one by the same factor, the last `ratio` times
// the first.
std::vector<double> graded(int n, double ratio) {
  const double factor = n > 1 ? std::pow(ratio, 1.0 / (n - 1)) : 1.0;
  std::vector<double> place{0.0};
  for (double size = 1.0; std::ssize(place) <= n; size *= factor)
    place.push_back(place.back() + size);
  const double all = place.back();
  for (double& x : place) x /= all;
  return place;
}

// tan(s pi/4): positions on the side of a cube whose rays from its centre are equally spaced in
// angle
double on_side(double s) { return std::abs(s) == 1.0 ? s : std::tan(0.25 * std::numbers::pi * s); }

// The core is a grid of n x n x up cells; each node of its border has a ray to the sphere.
struct BallGrid {
  int n, up;
  bool half;
  std::vector<double> across, along;  // s in x and y, in z
  std::vector<int> border;            // number among the border nodes, -1: inside
  int rays = 0;

  explicit BallGrid(const BallMesh& ball)
      : n(2 * ball.cells), up(ball.half ? ball.cells : n), half(ball.half) {
    const std::vector<double> side = graded(ball.cells, ball.grading);
    for (int i = 0; i <= n; ++i)
      across.push_back(i < ball.cells ? -side[index(ball.cells - i)] : side[index(i - ball.cells)]);
    for (int k = 0; k <= up; ++k) along.push_back(static_cast<double>(k - ball.cells) / ball.cells);
    border.assign(index((n + 1) * (n + 1) * (up + 1)), -1);
    for (int k = 0; k <= up; ++k)
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
          if (i == 0 || i == n || j == 0 || j == n || k == 0 || (k == up && !half))
            border[index(node(i, j, k))] = rays++;
  }
  int node(int i, int j, int k) const { return (k * (n + 1) + j) * (n + 1) + i; }
  int nodes() const { return static_cast<int>(border.size()); }
  Vector3 place(int i, int j, int k) const {
    return {on_side(across[index(i)]), on_side(across[index(j)]), on_side(along[index(k)])};
  }
  // Quadrilaterals of the border, counterclockwise as seen from outside.
  std::vector<std::array<int, 4>> quads() const {
    std::vector<std::array<int, 4>> all;
    for (int k = 0; k < up; ++k)
      for (int s = 0; s < n; ++s) {
        all.push_back({node(0, s, k), node(0, s, k + 1), node(0, s + 1, k + 1), node(0, s + 1, k)});
        all.push_back({node(n, s, k), node(n, s + 1, k), node(n, s + 1, k + 1), node(n, s, k + 1)});
        all.push_back({node(s, 0, k), node(s + 1, 0, k), node(s + 1, 0, k + 1), node(s, 0, k + 1)});
        all.push_back({node(s, n, k), node(s, n, k + 1), node(s + 1, n, k + 1), node(s + 1, n, k)});
      }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        all.push_back({node(i, j, 0), node(i, j + 1, 0), node(i + 1, j + 1, 0), node(i + 1, j, 0)});
        if (!half)
          all.push_back(
              {node(i, j, up), node(i + 1, j, up), node(i + 1, j + 1, up), node(i, j + 1, up)});
      }
    return all;
  }
};

}  // namespace

// Cells are numbered clockwise along the circle, then outwards along the radius, then along z: a
// right-handed frame.
Mesh arch_mesh(const ArchMesh& arch) {
  const int d = info(arch.kind).dimension;
  expects(d > 1, "arch mesh: the element must have two or three dimensions");
  expects(arch.inner > 0.0 && arch.outer > arch.inner && std::isfinite(arch.outer),
          "arch mesh: 0 < inner < outer is required");
  expects(arch.angle > 0.0 && arch.angle < 2.0 * std::numbers::pi,
          "arch mesh: the angle must be between 0 and 2 pi");
  expects(d == 2 || (arch.width > 0.0 && std::isfinite(arch.width)),
          "arch mesh: the width must be positive and finite");
  expects(arch.around > 0 && arch.across > 0 && (d == 2 || arch.layers > 0),
          "arch mesh: at least one cell in each direction is required");
  const int n = arch.around, m = arch.across, layers = d == 3 ? arch.layers : 0;
  const double most = arch.angle / n;  // of a cell: half a turn or more is not possible
  expects(most < std::numbers::pi, "arch mesh: the angle of a cell must be below pi");
  const auto radius = [&](int j) {
    return j == m ? arch.outer : arch.inner + (arch.outer - arch.inner) * j / m;
  };
  const auto node = [&](int i, int j, int k) { return (k * (m + 1) + j) * (n + 1) + i; };
  Cells grid;
  grid.dimension = d;
  for (int k = 0; k <= layers; ++k)
    for (int j = 0; j <= m; ++j)
      for (int i = 0; i <= n; ++i) {
        const double phi = arch.angle * (2 * i - n) / (2.0 * n),  // from the crown, clockwise
            z = k == 0 ? 0.0 : (k == layers ? arch.width : arch.width * k / layers);
        grid.nodes.emplace_back(radius(j) * std::sin(phi), radius(j) * std::cos(phi), z);
      }
  for (int k = 0; k < std::max(layers, 1); ++k)
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < n; ++i) {
        Cell cell;
        for (int up = 0; up < d - 1; ++up)
          cell.insert(cell.end(), {node(i, j, k + up), node(i + 1, j, k + up),
                                   node(i + 1, j + 1, k + up), node(i, j + 1, k + up)});
        grid.cells.push_back(std::move(cell));
      }
  const int corners = static_cast<int>(grid.nodes.size());
  Mesh mesh = elements_of(std::move(grid), arch.kind);
  place_middles(mesh, [&](int a, int b) {
    const Vector3 A = mesh.nodes.col(a), B = mesh.nodes.col(b);
    const double r = 0.5 * (A.head<2>().norm() + B.head<2>().norm());
    Vector3 middle = 0.5 * (A + B);
    const Eigen::Vector2d way = A.head<2>().normalized() + B.head<2>().normalized();
    middle.head<2>() = r * way.normalized();
    return middle;
  });
  const std::vector<MeshFace> outside = boundary(mesh);
  const auto side = [&](const char* name, const auto& on) {
    name_faces(mesh, outside, name, [&](int a) {  // by the position in the grid
      return a < corners && on(a % (n + 1), a / (n + 1) % (m + 1), a / ((n + 1) * (m + 1)));
    });
  };
  side("inner", [](int, int j, int) { return j == 0; });
  side("outer", [&](int, int j, int) { return j == m; });
  side("left", [](int i, int, int) { return i == 0; });
  side("right", [&](int i, int, int) { return i == n; });
  if (d == 3) {
    side("z0", [](int, int, int k) { return k == 0; });
    side("z1", [&](int, int, int k) { return k == layers; });
  }
  return mesh;
}

// Ring t of a ray lies at (1 - t) X_core + t R d, d = X_core/|X_core|. The middle of an edge is
// curved like the sphere, in proportion to the t of its ends:
//     (1 - t) (A + B)_core/2 + t R (d_A + d_B)/|d_A + d_B|
Mesh ball_mesh(const BallMesh& ball) {
  expects(info(ball.kind).dimension == 3 && ball.kind != ElementKind::wedge6,
          "ball mesh: the element must have three dimensions; wedge6 is not available, because its "
          "triangles would meet quadrilaterals");
  expects(ball.radius > 0.0 && std::isfinite(ball.radius),
          "ball mesh: the radius must be positive and finite");
  expects(ball.cells > 0 && ball.rings > 0,
          "ball mesh: at least one cell in each direction is required");
  expects(ball.grading >= 1.0 && std::isfinite(ball.grading), "ball mesh: grading must be >= 1");
  const BallGrid grid(ball);
  const double core = 0.5 * ball.radius / std::numbers::sqrt3;
  const std::vector<double> outwards = graded(ball.rings, 1.0 / ball.grading);
  const int first = grid.nodes();
  const auto ring = [&](int r, int node) {
    return r == 0 ? node : first + (r - 1) * grid.rays + grid.border[index(node)];
  };
  Cells cells;
  cells.nodes.resize(index(first + ball.rings * grid.rays));
  std::vector<Vector3> ray(cells.nodes.size(), Vector3::Zero());  // t d, 0 in the core
  for (int k = 0; k <= grid.up; ++k)
    for (int j = 0; j <= grid.n; ++j)
      for (int i = 0; i <= grid.n; ++i) {
        const int a = grid.node(i, j, k);
        const Vector3 side = grid.place(i, j, k), out = side.normalized();
        cells.nodes[index(a)] = core * side;
        if (grid.border[index(a)] < 0) continue;
        for (int r = 1; r <= ball.rings; ++r) {
          const double t = outwards[index(r)];
          ray[index(ring(r, a))] = t * out;
          cells.nodes[index(ring(r, a))] = (1.0 - t) * core * side + t * ball.radius * out;
        }
      }
  for (int k = 0; k < grid.up; ++k)
    for (int j = 0; j < grid.n; ++j)
      for (int i = 0; i < grid.n; ++i) {
        Cell cell;
        for (int up : {k, k + 1})
          cell.insert(cell.end(), {grid.node(i, j, up), grid.node(i + 1, j, up),
                                   grid.node(i + 1, j + 1, up), grid.node(i, j + 1, up)});
        cells.cells.push_back(std::move(cell));
      }
  for (const auto& quad : grid.quads())
    for (int r = 0; r < ball.rings; ++r) {
      Cell cell;
      for (int out : {r, r + 1})
        for (int a : quad) cell.push_back(ring(out, a));
      cells.cells.push_back(std::move(cell));
    }
  const int corners = static_cast<int>(cells.nodes.size());
  Mesh mesh = elements_of(std::move(cells), ball.kind);
  place_middles(mesh, [&](int a, int b) {
    const Vector3 straight = 0.5 * (mesh.nodes.col(a) + mesh.nodes.col(b));
    if (a >= corners || b >= corners) return straight;
    const Vector3 &A = ray[index(a)], &B = ray[index(b)];
    const double t = 0.5 * (A.norm() + B.norm());
    if (A.isZero(0.0) || B.isZero(0.0)) return straight;  // the core is straight
    const Vector3 way = A.normalized() + B.normalized();
    return Vector3(straight + t * ball.radius * (way.normalized() - 0.5 * way));
  });
  const int outermost = first + (ball.rings - 1) * grid.rays;
  const std::vector<MeshFace> outside = boundary(mesh);
  name_faces(mesh, outside, "sphere", [&](int a) { return a >= outermost && a < corners; });
  if (ball.half) name_faces(mesh, outside, "flat", [&](int a) { return mesh.nodes(2, a) == 0.0; });
  return mesh;
}

}  // namespace saltus
