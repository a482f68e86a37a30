// Linear systems: from a single mass to matrices in files.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "saltus/base/csv_read.h"
#include "saltus/base/matrix_market.h"
#include "saltus/base/npy.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/contact_rows.h"
#include "saltus/kinds/probe_request.h"

namespace saltus {
namespace {

[[noreturn]] void refuse_shape(const std::string& file, Eigen::Index rows, Eigen::Index columns,
                               const std::string& path) {
  throw SceneError(path, fmt::format("'{}' contains {} x {} numbers", file, rows, columns),
                   "a square matrix, or one column for a diagonal");
}

/// A square matrix as it is; one column is a diagonal.
SparseMatrix from_dense(const Matrix& A, const std::string& file, const std::string& path) {
  if (A.rows() == A.cols()) return SparseMatrix::from(A);
  if (A.cols() != 1) refuse_shape(file, A.rows(), A.cols(), path);
  std::vector<Entry> entries;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    entries.push_back({static_cast<int>(i), static_cast<int>(i), A(i, 0)});
  return SparseMatrix(static_cast<int>(A.rows()), entries);
}

/// The numbers of a .npy or .csv file; the file extension selects the format.
Matrix dense_file(const Scene& scene, const std::string& file, const std::string& path) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".npy") return read_npy(scene.resolve(file), path);
  if (ending == ".csv" || ending == ".txt") return read_table(scene, file, 1, "numbers", path);
  throw SceneError(path, fmt::format("'{}' has no extension that identifies its format", file),
                   "allowed: .mtx (Matrix Market), .npy, .csv, .txt");
}

SparseMatrix matrix_file(const Scene& scene, const std::string& file, const std::string& path) {
  if (std::filesystem::path(file).extension() != ".mtx")
    return from_dense(dense_file(scene, file, path), file, path);
  const MatrixFile data = read_matrix_market(scene.resolve(file), path);
  if (data.rows == data.columns) return SparseMatrix(data.rows, data.entries);
  if (data.columns != 1) refuse_shape(file, data.rows, data.columns, path);
  std::vector<Entry> entries = data.entries;
  for (Entry& entry : entries) entry.column = entry.row;
  return SparseMatrix(data.rows, entries);
}

SparseMatrix matrix_of(const Scene& scene, const MatrixSpec& spec, const std::string& path) {
  if (const auto* file = std::get_if<std::string>(&spec)) return matrix_file(scene, *file, path);
  std::vector<Entry> entries;
  if (const auto* diagonal = std::get_if<std::vector<double>>(&spec)) {
    for (std::size_t i = 0; i < diagonal->size(); ++i)
      entries.push_back({static_cast<int>(i), static_cast<int>(i), (*diagonal)[i]});
    return SparseMatrix(static_cast<int>(diagonal->size()), entries);
  }
  const auto& rows = std::get<std::vector<std::vector<double>>>(spec);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      if (rows[i][j] != 0.0)
        entries.push_back({static_cast<int>(i), static_cast<int>(j), rows[i][j]});
  return SparseMatrix(static_cast<int>(rows.size()), entries);
}

/// A vector: a list, or the one column or row of a file.
Vector vector_of(const Scene& scene, const VectorSpec& spec, const std::string& path) {
  if (const auto* list = std::get_if<std::vector<double>>(&spec))
    return Eigen::Map<const Vector>(list->data(), static_cast<Eigen::Index>(list->size()));
  const auto& file = std::get<std::string>(spec);
  Matrix data;
  if (std::filesystem::path(file).extension() == ".mtx") {
    const MatrixFile entries = read_matrix_market(scene.resolve(file), path);
    data = Matrix::Zero(entries.rows, entries.columns);
    for (const Entry& entry : entries.entries) data(entry.row, entry.column) += entry.value;
  } else {
    data = dense_file(scene, file, path);
  }
  if (data.rows() != 1 && data.cols() != 1)
    throw SceneError(path,
                     fmt::format("'{}' contains {} x {} numbers", file, data.rows(), data.cols()),
                     "one column");
  return data.cols() == 1 ? Vector(data.col(0)) : Vector(data.row(0).transpose());
}

void expect_size(const SparseMatrix& A, int n, const std::string& path) {
  if (A.size() != n)
    throw SceneError(path, fmt::format("is {0} x {0}, `mass` is {1} x {1}", A.size(), n),
                     "all matrices of a system have the same size");
}

LinearSystem matrices(const Scene& scene, const MatricesSpec& spec, const std::string& path) {
  LinearSystem system;
  system.mass = matrix_of(scene, spec.mass, path + ".mass");
  const int n = system.mass.size();
  if (n == 0) throw SceneError(path + ".mass", "is empty", "at least one row");
  if (spec.damping) {
    system.damping = matrix_of(scene, *spec.damping, path + ".damping");
    expect_size(system.damping, n, path + ".damping");
  }
  if (spec.stiffness) {
    system.stiffness = matrix_of(scene, *spec.stiffness, path + ".stiffness");
    expect_size(system.stiffness, n, path + ".stiffness");
  }
  if (spec.load) {
    system.load = vector_of(scene, *spec.load, path + ".load");
    if (system.load.size() != n)
      throw SceneError(
          path + ".load",
          fmt::format("has {} entries for {}", system.load.size(), counted(n, "degree of freedom")),
          "one per degree of freedom");
  }
  return system;
}

double entry_of(const SparseMatrix& A, int i, int j) {
  for (int k = A.offset()[static_cast<std::size_t>(i)];
       k < A.offset()[static_cast<std::size_t>(i) + 1]; ++k)
    if (A.column()[static_cast<std::size_t>(k)] == j) return A.value()[static_cast<std::size_t>(k)];
  return 0.0;
}

/// M must be symmetric, and positive definite on the free degrees of freedom.
void expect_mass(const LinearSystem& system, const std::string& path) {
  const SparseMatrix& M = system.mass;
  if (!M.symmetric()) {
    int row = 0, column = 0;
    double most = -1.0;
    for (int i = 0; i < M.size(); ++i)
      for (int k = M.offset()[static_cast<std::size_t>(i)];
           k < M.offset()[static_cast<std::size_t>(i) + 1]; ++k) {
        const int j = M.column()[static_cast<std::size_t>(k)];
        const double off = std::abs(M.value()[static_cast<std::size_t>(k)] - entry_of(M, j, i));
        if (off > most) {
          most = off;
          row = i;
          column = j;
        }
      }
    throw SceneError(path,
                     fmt::format("is not symmetric: row {0}, column {1} contains {2}, row {1}, "
                                 "column {0} contains {3} (counted from 0)",
                                 row, column, entry_of(M, row, column), entry_of(M, column, row)),
                     "a mass matrix is symmetric and positive definite");
  }
  std::vector<char> held(static_cast<std::size_t>(M.size()), 0);
  for (const Prescribed& motion : system.prescribed) held[static_cast<std::size_t>(motion.dof)] = 1;
  std::vector<int> free;
  for (int i = 0; i < M.size(); ++i)
    if (!held[static_cast<std::size_t>(i)]) free.push_back(i);
  const int bad = first_bad_pivot(system.prescribed.empty() ? M : M.part(free, free));
  if (bad >= 0)
    throw SceneError(path,
                     fmt::format("is not positive definite: the factorisation encounters a pivot "
                                 "that is not positive in row {} (counted from 0)",
                                 free[static_cast<std::size_t>(bad)]),
                     "every motion needs inertia");
}

LinearSystem system_of(const Scene& scene, const BodySpec& body, const std::string& path) {
  const Vector3 origin = to_vector3(body.origin), axis = unit_vector(body.axis, path + ".axis"),
                direction = unit_vector(body.direction, path + ".direction");
  if (const auto& spec = body.chain) {
    LinearSystem system = chain(spec->masses, spec->mass, spec->stiffness, spec->damping,
                                spec->ends, spec->spacing, axis);
    for (DofPoint& point : system.points) point.place += origin;
    return system;
  }
  if (const auto& spec = body.mesh)
    return bar({spec->elements, spec->length, spec->young, spec->density, spec->area, spec->ends,
                spec->lumped, origin, axis});
  LinearSystem system =
      body.oscillator
          ? oscillator(body.oscillator->mass, body.oscillator->stiffness, body.oscillator->damping)
          : matrices(scene, body.matrices.value(), path + ".matrices");
  system.points.assign(static_cast<std::size_t>(system.mass.size()), {origin, direction});
  return system;
}

unsigned linear_traits(bool stiffness, bool symmetric) {
  LinearSystem system;
  system.mass = SparseMatrix::identity(2);
  Matrix K{{2.0, 1.0}, {symmetric ? 1.0 : -1.0, 2.0}};
  if (stiffness) system.stiffness = SparseMatrix::from(K);
  return Linear(std::move(system)).traits();
}

class LinearKind final : public BuiltKind {
 public:
  LinearKind(std::shared_ptr<const Linear> body, std::vector<DofPoint> points)
      : body_(std::move(body)), points_(std::move(points)) {}
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override {
    return numbered_point(of, at, of.built.dofs, "degree of freedom", path);
  }
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override {
    std::vector<TouchPoint> all;
    for (int i = 0; i < of.built.dofs; ++i)
      if (free_index(i) >= 0) all.push_back(point(of, NumberOrName(i), path + ".on"));
    return all;
  }
  std::span<const DofPoint> dof_points() const override { return points_; }
  std::optional<HeldPoint> held(const PointRef& ref, const Vector3&) const override {
    if (free_index(ref.feature) >= 0) return std::nullopt;
    return HeldPoint{"prescribed", "let another one make contact, or take it out of `prescribed`"};
  }
  int free_index(int dof) const override { return body_->free_index(dof); }
  std::string_view why_lacks(unsigned lacks) const override {
    return has(lacks, Trait::potential) ? "; its stiffness is not symmetric" : "";
  }
  std::shared_ptr<const PointTable> probe_table(const ProbeRequest& request) const override {
    request.expect_no_direction("a coordinate has its own direction");
    return coordinate_table(request, request.index(request.built.dofs, "degree of freedom"));
  }

 private:
  std::shared_ptr<const Linear> body_;
  std::vector<DofPoint> points_;  ///< one per degree of freedom
};

/// path: "bodies[0]".
BuiltBody build_linear(const Scene& scene, const BodySpec& body, const std::string& path) {
  LinearSystem system = system_of(scene, body, path);
  BuiltBody built;
  built.dofs = system.mass.size();
  system.rayleigh = rayleigh_of(body);
  system.loads = loads_of(scene, body, built.dofs, path);
  system.prescribed = prescribed_of(scene, body, built.dofs, path);
  if (body.matrices) expect_mass(system, path + ".matrices.mass");
  built.initial =
      free_part(initial_of(scene, body, built.dofs, "degree of freedom", path), system.prescribed);
  RowPoints rows = row_points(scene.spec, body.name, built.dofs);
  system.more_points = std::move(rows.points);
  built.row_contacts = std::move(rows.contacts);
  built.first_row_point = built.dofs;
  return built_at(path, [&] {
    std::vector<DofPoint> points = system.points;
    auto linear = std::make_shared<const Linear>(std::move(system));
    built.dynamics = linear;
    built.kind = std::make_shared<const LinearKind>(std::move(linear), std::move(points));
    return std::move(built);
  });
}

}  // namespace

KindRow linear_kind() {
  return {.kind = BodyKind::linear,
          .name = "linear",
          .summary = "M q'' + C q' + K q = F(t), dense or sparse",
          .entries = "oscillator, chain, mesh or matrices",
          .points = "degrees of freedom, from 0",
          .cases = {{"", linear_traits(true, true)},
                    {"with a stiffness that is not symmetric", linear_traits(true, false)},
                    {"without stiffness", linear_traits(false, true)}},
          .build = [](const BodyEntry& e) { return build_linear(e.scene, e.body, e.path); },
          .coordinates = "degree of freedom",
          .weight = "write its weight as `loads`"};
}

}  // namespace saltus
