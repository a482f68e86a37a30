// Bodies described by their modes: strings, bars, lists of modes.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/bodies/string.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/contact_rows.h"
#include "saltus/kinds/modal_kind.h"

namespace saltus {
namespace {

using std::numbers::pi;

struct Modes {
  Vector mass, omega, sigma;
  std::shared_ptr<const ModeShapes> shapes;
};

/// Column `index` (from 0) of the first `rows` rows of a table.
Vector column(const Matrix& table, int index, int rows, const std::string& path,
              const std::string& file) {
  if (index >= table.cols())
    throw SceneError(path, fmt::format("'{}' has {} columns", file, table.cols()),
                     fmt::format("column {} is required", index + 1));
  if (table.rows() < rows)
    throw SceneError(path, fmt::format("'{}' has {} rows", file, table.rows()),
                     fmt::format("one row for each of the {} modes is required", rows));
  return table.col(index).head(rows);
}

/// The first column must contain the mode numbers: 1, 2, 3, ...
void counts_modes(const Matrix& table, int rows, const std::string& path, const std::string& file) {
  for (int j = 0; j < rows; ++j)
    if (table(j, 0) != j + 1)
      throw SceneError(path, fmt::format("row {} of '{}' is for mode {}", j + 1, file, table(j, 0)),
                       "the first column is the mode number: 1, 2, 3, ... in order");
}

void not_negative(const Vector& x, const std::string& what, const std::string& path,
                  const std::string& file) {
  for (Eigen::Index j = 0; j < x.size(); ++j)
    if (!(x[j] >= 0.0))
      throw SceneError(path,
                       fmt::format("'{}' gives mode {} a negative {}: {}", file, j + 1, what, x[j]),
                       "must be >= 0");
}

Vector damping(const Scene& scene, const DampingSpec& spec, const Vector& nu,
               const StringData* string, const std::string& path) {
  const auto n = static_cast<int>(nu.size());
  if (const auto* constant = std::get_if<ConstantDamping>(&spec))
    return Vector::Constant(n, constant->constant);
  if (const auto* table = std::get_if<TableDamping>(&spec)) {
    const Matrix data = read_table(scene, table->table, 2, "j, sigma [1/s]", path + ".table");
    Vector sigma = column(data, 1, n, path + ".table", table->table);
    counts_modes(data, n, path + ".table", table->table);
    not_negative(sigma, "damping", path + ".table", table->table);
    return sigma;
  }
  const auto& air = std::get<AirViscoelasticDamping>(spec);
  if (!string)
    throw SceneError(path + ".model",
                     "air-viscoelastic damping is for strings given by tension and linear_density",
                     "give constant or table");
  return string_damping(
      *string, {air.diameter, air.air_viscosity, air.air_density, air.loss_angle, air.thermoelastic,
                air.loss_frequency == AirViscoelasticDamping::LossFrequency::ideal});
}

// u(x, t) = sum sqrt(2/L) sin(pi j x/L) q_j, so that the modal mass is the linear density and
// impulses are in N s.
Modes string_modes(const Scene& scene, const StringSpec& spec, const std::string& path) {
  Modes modes;
  modes.shapes = sine_shapes(spec.length, spec.modes);
  modes.mass = Vector::Constant(spec.modes, spec.linear_density);
  Vector nu;
  if (spec.table) {
    const Matrix data =
        read_table(scene, *spec.table, 3, "j, nu [Hz], sigma [1/s]", path + ".table");
    nu = column(data, 1, spec.modes, path + ".table", *spec.table);
    counts_modes(data, spec.modes, path + ".table", *spec.table);
    modes.sigma = column(data, 2, spec.modes, path + ".table", *spec.table);
    not_negative(nu, "frequency", path + ".table", *spec.table);
    not_negative(modes.sigma, "damping", path + ".table", *spec.table);
  } else {
    const StringData data{
        spec.length,         spec.tension.value(),
        spec.linear_density, spec.inharmonicity,
        spec.modes,          spec.dispersion == StringSpec::Dispersion::first_order};
    nu = string_frequencies(data);
    modes.sigma = spec.damping ? damping(scene, *spec.damping, nu, &data, path + ".damping")
                               : Vector::Zero(spec.modes);
  }
  modes.omega = 2.0 * pi * nu;
  return modes;
}

// Longitudinal: c = sqrt(E/rho), omega = c k. Bending: omega = k^2 sqrt(E I/(rho A)). Modal mass
// rho A.
Modes bar_modes(const Scene& scene, const BarSpec& spec, const std::string& path) {
  using Ends = BarSpec::Ends;
  const double L = spec.length, line = spec.density * spec.area;
  const bool bending = spec.motion == BarSpec::Motion::bending;
  const bool free = spec.ends == Ends::free_free;
  const int n = spec.modes + spec.rigid_modes();
  Modes modes;
  Vector k(n);  // wave numbers [1/m]
  if (bending && spec.ends != Ends::hinged_hinged) {
    const BeamEnds ends = free                            ? BeamEnds::free_free
                          : spec.ends == Ends::fixed_free ? BeamEnds::fixed_free
                                                          : BeamEnds::fixed_fixed;
    modes.shapes = beam_shapes(ends, L, n);
    const std::vector<double> roots = beam_roots(ends, n);
    for (int j = 0; j < n; ++j) k[j] = roots[static_cast<std::size_t>(j)] / L;
  } else {
    const double shift = spec.ends == Ends::fixed_free ? -0.5 : 0.0;
    for (int j = 0; j < n; ++j) k[j] = (free ? j : j + 1 + shift) * pi / L;
    modes.shapes = free                            ? cosine_shapes(L, n)
                   : spec.ends == Ends::fixed_free ? quarter_sine_shapes(L, n)
                                                   : sine_shapes(L, n);
  }
  modes.mass = Vector::Constant(n, line);
  if (bending)
    modes.omega = k.array().square() * std::sqrt(spec.young * spec.second_moment.value() / line);
  else
    modes.omega = k * std::sqrt(spec.young / spec.density);
  const Vector nu = modes.omega / (2.0 * pi);
  modes.sigma = spec.damping ? damping(scene, *spec.damping, nu, nullptr, path + ".damping")
                             : Vector::Zero(n);
  return modes;
}

Modes given_modes(const Scene& scene, const ModesSpec& spec, const std::string& path) {
  Modes modes;
  if (spec.file) {
    const Matrix data =
        read_table(scene, *spec.file, 1, "omega [rad/s], sigma [1/s], mass [kg]", path + ".file");
    const auto n = static_cast<int>(data.rows());
    modes.omega = column(data, 0, n, path + ".file", *spec.file);
    modes.sigma = data.cols() > 1 ? Vector(data.col(1)) : Vector::Zero(n);
    modes.mass = data.cols() > 2 ? Vector(data.col(2)) : Vector::Ones(n);
    not_negative(modes.omega, "omega", path + ".file", *spec.file);
    not_negative(modes.sigma, "damping", path + ".file", *spec.file);
    for (Eigen::Index j = 0; j < n; ++j)
      if (!(modes.mass[j] > 0.0))
        throw SceneError(
            path + ".file",
            fmt::format("'{}' gives mode {} the mass {}", *spec.file, j + 1, modes.mass[j]),
            "must be > 0");
  } else {
    const auto vector = [](const std::vector<double>& x) -> Vector {
      return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    const std::size_t n = spec.omega.size();
    for (const auto& [name, list] :
         {std::pair{"sigma", &spec.sigma}, std::pair{"mass", &spec.mass}})
      if (!list->empty() && list->size() != n)
        throw SceneError(path + "." + name,
                         fmt::format("has {} entries, omega has {}", list->size(), n),
                         "one entry per mode");
    modes.omega = vector(spec.omega);
    modes.sigma = spec.sigma.empty() ? Vector::Zero(modes.omega.size()) : vector(spec.sigma);
    modes.mass = spec.mass.empty() ? Vector::Ones(modes.omega.size()) : vector(spec.mass);
  }
  if (modes.omega.size() == 0) throw SceneError(path, "has no mode", "at least one is required");
  if (spec.shapes) {
    const Matrix data =
        read_table(scene, *spec.shapes, 2, "x [m] and one value per mode", path + ".shapes");
    if (data.cols() != modes.omega.size() + 1)
      throw SceneError(
          path + ".shapes", fmt::format("'{}' has {} columns", *spec.shapes, data.cols()),
          fmt::format("x and one column for each of the {} modes", modes.omega.size()));
    for (Eigen::Index i = 0; i < data.rows(); ++i)
      if (!(data(i, 0) >= 0.0) || (i > 0 && !(data(i, 0) > data(i - 1, 0))))
        throw SceneError(path + ".shapes",
                         fmt::format("the place x = {} m in row {} of '{}' is out of order",
                                     data(i, 0), i + 1, *spec.shapes),
                         "places start at 0 or later and increase");
    std::vector<double> x(data.col(0).data(), data.col(0).data() + data.rows());
    modes.shapes = tabulated_shapes(std::move(x), data.rightCols(data.cols() - 1));
  }
  return modes;
}

/// Constant modal forces: on a mode, or at a place x, where the force on mode j is shape_j(x) F.
Vector modal_loads(const BodySpec& body, const Modes& modes, const std::string& path) {
  const Eigen::Index n = modes.mass.size();
  Vector load = Vector::Zero(body.loads.empty() ? 0 : n), shape(n);
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    const LoadSpec& spec = body.loads[i];
    const std::string at = fmt::format("{}.loads[{}]", path, i);
    const double force = spec.constant.value();
    if (spec.dof) {
      expect_index(*spec.dof, static_cast<int>(n), at + ".dof");
      load[*spec.dof] += force;
    } else if (!spec.pattern.empty()) {
      if (static_cast<Eigen::Index>(spec.pattern.size()) != n)
        throw SceneError(
            at + ".pattern",
            fmt::format("has {} entries for {}", spec.pattern.size(), counted(n, "mode")),
            "one per mode");
      load += force * Eigen::Map<const Vector>(spec.pattern.data(), n);
    } else {
      if (!modes.shapes)
        throw SceneError(at + ".at", "the body has no points: its modes have no shapes",
                         "give bodies[].modes.shapes, or `dof`");
      if (!(*spec.at >= 0.0 && *spec.at <= modes.shapes->length()))
        throw SceneError(at + ".at", fmt::format("{} m is not on the body", *spec.at),
                         fmt::format("between 0 and {} m", modes.shapes->length()));
      try {
        modes.shapes->row(*spec.at, shape);
      } catch (const SceneError& error) {
        throw SceneError(at + ".at", error.message(), error.hint());
      }
      load += force * shape;
    }
  }
  return load;
}

GroupState pluck_or_initial(const Scene& scene, const BodySpec& body, int n,
                            const std::string& path) {
  const FullState given = initial_of(scene, body, n, "mode", path);
  GroupState state{given.q, given.v, {}};
  if (body.pluck) {
    if (!body.string)
      throw SceneError(path + ".pluck", "only a string can be plucked", "use initial");
    if (body.pluck->at >= body.string->length)
      throw SceneError(path + ".pluck.at", fmt::format("{} m is not on the string", body.pluck->at),
                       fmt::format("between 0 and {} m", body.string->length));
    state.q = plucked(body.string->length, n, body.pluck->at, body.pluck->height);
  }
  return state;
}

}  // namespace

BuiltBody build_modal(const Scene& scene, const BodySpec& body, const std::string& path) {
  for (const auto& [name, modes] :
       {std::pair{".string.modes", body.string ? body.string->modes : 0},
        std::pair{".bar.modes", body.bar ? body.bar->modes : 0}})
    if (modes > 10'000'000)
      throw SceneError(path + name, fmt::format("{} modes exceed the limit", modes),
                       "at most 10000000");
  Modes modes = body.string ? string_modes(scene, *body.string, path + ".string")
                : body.bar  ? bar_modes(scene, *body.bar, path + ".bar")
                            : given_modes(scene, *body.modes, path + ".modes");
  ModalPlacement placement;
  placement.origin = to_vector3(body.origin);
  placement.axis = unit_vector(body.axis, path + ".axis");
  placement.direction = unit_vector(body.direction, path + ".direction");
  if (body.bar && body.bar->motion == BarSpec::Motion::longitudinal)
    placement.direction = placement.axis;
  if (body.rayleigh)  // 2 sigma m = r_M m + r_K m omega^2
    modes.sigma.array() +=
        0.5 * (body.rayleigh->mass + body.rayleigh->stiffness * modes.omega.array().square());
  BuiltBody built;
  built.dofs = static_cast<int>(modes.mass.size());
  built.initial = pluck_or_initial(scene, body, built.dofs, path);
  Vector load = modal_loads(body, modes, path);
  RowPoints rows = row_points(scene.spec, body.name, built.dofs);
  built.row_contacts = std::move(rows.contacts);
  built.first_row_point = 1;
  auto modal = std::make_shared<const Modal>(std::move(modes.mass), std::move(modes.omega),
                                             std::move(modes.sigma), std::move(modes.shapes),
                                             placement, std::move(load), std::move(rows.points));
  built.dynamics = modal;
  built.kind = std::make_shared<const ModalKind>(std::move(modal));
  return built;
}

}  // namespace saltus
