#include "saltus/kinds/build_body.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/csv_read.h"
#include "saltus/kinds/build_kinds.h"

namespace saltus {

Matrix read_table(const Scene& scene, const std::string& file, int columns, std::string_view what,
                  const std::string& path) {
  const CsvTable table = read_csv(scene.resolve(file), path);
  expect_columns(table, columns, what, path);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(table.values.data(), table.rows, table.columns);
}

Vector3 to_vector3(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

Vector3 unit_vector(const std::array<double, 3>& x, const std::string& path) {
  const Vector3 v(x[0], x[1], x[2]);
  if (!(v.norm() > 0.0))
    throw SceneError(path, "is the zero vector", "any direction, e.g. [0, 0, 1]");
  return std::abs(v.norm() - 1.0) < 1e-15 ? v : Vector3(v / v.norm());
}

FullState initial_of(const Scene& scene, const BodySpec& body, int dofs, std::string_view of_what,
                     const std::string& path) {
  FullState state{Vector::Zero(dofs), Vector::Zero(dofs), path + ".initial.coordinates",
                  path + ".initial.velocities"};
  if (!body.initial) return state;
  const InitialSpec& initial = *body.initial;
  const auto list = [&](const std::optional<std::vector<double>>& x, const std::string& where,
                        Vector& to) {
    if (!x) return;
    if (static_cast<int>(x->size()) > dofs)
      throw SceneError(where,
                       fmt::format("has {} entries for {}", x->size(), counted(dofs, of_what)),
                       fmt::format("one per {}; missing ones at the end are 0", of_what));
    to.head(static_cast<Eigen::Index>(x->size())) =
        Eigen::Map<const Vector>(x->data(), static_cast<Eigen::Index>(x->size()));
  };
  list(initial.coordinates, state.q_path, state.q);
  list(initial.velocities, state.v_path, state.v);
  if (initial.velocity) {
    state.v.setConstant(*initial.velocity);
    state.alike = true;
  }
  if (!initial.file) return state;
  state.q_path = state.v_path = path + ".initial.file";
  const Matrix data =
      read_table(scene, *initial.file, 1, fmt::format("one row per {}", of_what), state.q_path);
  const auto column = [&](int number) -> Vector {
    if (number > data.cols())
      throw SceneError(state.q_path, fmt::format("'{}' has {} columns", *initial.file, data.cols()),
                       fmt::format("column {} is required", number));
    if (data.rows() < dofs)
      throw SceneError(
          state.q_path, fmt::format("'{}' has {} rows", *initial.file, data.rows()),
          fmt::format("one row for each of the {} is required", counted(dofs, of_what)));
    return data.col(number - 1).head(dofs);
  };
  if (initial.column || !initial.velocity_column) state.q = column(initial.column.value_or(1));
  if (initial.velocity_column) state.v = column(*initial.velocity_column);
  return state;
}

GroupState free_part(const FullState& full, std::span<const Prescribed> prescribed) {
  std::vector<char> held(static_cast<std::size_t>(full.q.size()), 0);
  for (const Prescribed& motion : prescribed) {
    held[static_cast<std::size_t>(motion.dof)] = 1;
    const auto agrees = [&](double given, double is, const std::string& path, const char* what) {
      if (given == 0.0 || std::abs(given - is) <= 1e-9 * std::max(1.0, std::abs(is))) return;
      throw SceneError(
          path,
          fmt::format(
              "gives degree of freedom {} the {} {}, but its prescribed motion starts at {}",
              motion.dof, what, given, is),
          "give its initial value there");
    };
    agrees(full.q[motion.dof], motion.signal.value(0.0), full.q_path, "place");
    if (!full.alike) agrees(full.v[motion.dof], motion.signal.rate(0.0), full.v_path, "velocity");
  }
  const auto n = full.q.size() - static_cast<Eigen::Index>(prescribed.size());
  GroupState state{Vector(n), Vector(n), {}};
  Eigen::Index next = 0;
  for (Eigen::Index i = 0; i < full.q.size(); ++i) {
    if (held[static_cast<std::size_t>(i)]) continue;
    state.q[next] = full.q[i];
    state.v[next++] = full.v[i];
  }
  return state;
}

std::string allowed_indices(int count) {
  return count == 1 ? "allowed: 0" : fmt::format("allowed: 0 to {}", count - 1);
}

void expect_index(int number, int count, const std::string& path) {
  if (number < 0 || number >= count)
    throw SceneError(path, fmt::format("{} is out of range", number), allowed_indices(count));
}

std::string counted(Eigen::Index count, std::string_view what) {
  if (count == 1) return fmt::format("1 {}", what);
  return fmt::format("{} {}", count, what == "mode" ? "modes" : "degrees of freedom");
}

Rayleigh rayleigh_of(const BodySpec& body) {
  return body.rayleigh ? Rayleigh{body.rayleigh->mass, body.rayleigh->stiffness} : Rayleigh{};
}

std::string usage_text(const UsageError& error) {  // "file:line: text"
  const std::string text = error.what();
  const std::size_t space = text.find(": ");
  return space == std::string::npos ? text : text.substr(space + 2);
}

BuiltBody built_at(const std::string& path, const std::function<BuiltBody()>& make) {
  try {
    return make();
  } catch (const UsageError& error) {
    throw SceneError(path, usage_text(error));
  }
}

BuiltBody build_body(const BodyEntry& entry) {
  return built_at(entry.path, [&] { return kind_row(entry.body.kind).build(entry); });
}

}  // namespace saltus
