#include "saltus/kinds/contact_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/kinds/build_kinds.h"

namespace saltus {
namespace {

/// Axis of the point along which each row is measured: the gap along z, slips along x and y.
constexpr std::array<int, 3> kAxis{2, 0, 1};

/// Rows of one body of a contact, the normal row first, with their paths.
struct RowsOf {
  std::vector<const RowSpec*> row;
  std::vector<std::string> path;

  template <class Spec>  // ContactSpec or AgainstSpec
  RowsOf(const Spec& spec, const std::string& at) {
    if (!spec.row) return;
    add(*spec.row, at + "row");
    if (spec.tangent) add(*spec.tangent, at + "tangent");
    for (std::size_t i = 0; i < spec.tangents.size(); ++i)
      add(spec.tangents[i], fmt::format("{}tangents[{}]", at, i));
  }
  void add(const RowSpec& spec, std::string where) {
    row.push_back(&spec);
    path.push_back(std::move(where));
  }
  std::size_t count() const { return row.size(); }
};

using Coefficient = std::array<double, 2>;  ///< [coordinate, coefficient]

std::vector<Coefficient> coefficients(const RowSpec& row) {
  if (const auto* list = std::get_if<std::vector<Coefficient>>(&row)) return *list;
  const auto& each = std::get<std::vector<double>>(row);
  std::vector<Coefficient> all;
  for (std::size_t i = 0; i < each.size(); ++i) all.push_back({static_cast<double>(i), each[i]});
  return all;
}

bool there(double coordinate, int dofs) {
  return coordinate >= 0.0 && coordinate < dofs && coordinate == std::floor(coordinate);
}

CoordinatePoint point_of(const RowsOf& rows, int dofs, double sign, double offset) {
  std::map<int, Vector3> terms;
  for (std::size_t r = 0; r < std::min<std::size_t>(rows.count(), 3); ++r)
    for (const auto& [coordinate, coefficient] : coefficients(*rows.row[r]))
      if (coefficient != 0.0 && there(coordinate, dofs))
        terms.try_emplace(static_cast<int>(coordinate), Vector3::Zero()).first->second[kAxis[r]] +=
            sign * coefficient;
  CoordinatePoint point;
  point.place = Vector3(0.0, 0.0, offset);
  for (const auto& [dof, direction] : terms) point.terms.push_back({dof, direction});
  return point;
}

std::string some(std::size_t count, std::string_view what) {
  if (count == 1) return fmt::format("1 {}", what);
  if (what == "degree of freedom") return fmt::format("{} degrees of freedom", count);
  return fmt::format("{} {}s", count, what);
}

void expect_row(const RowSpec& row, const NamedBuilt& of, const std::string& path) {
  const int dofs = of.built.dofs;
  const std::string_view what = kind_row(of.body.kind).coordinates;
  const auto* list = std::get_if<std::vector<Coefficient>>(&row);
  if (!list) {
    const std::size_t given = std::get<std::vector<double>>(row).size();
    if (given != static_cast<std::size_t>(dofs))
      throw SceneError(path,
                       fmt::format("has {} of the {} of '{}'", some(given, "coefficient"),
                                   some(static_cast<std::size_t>(dofs), what), of.name),
                       fmt::format("one per {}, or a list of [{}, coefficient]", what, what));
    return;
  }
  std::vector<char> seen(static_cast<std::size_t>(dofs), 0);
  for (std::size_t i = 0; i < list->size(); ++i) {
    const double coordinate = (*list)[i][0];
    const std::string where = fmt::format("{}[{}]", path, i);
    if (!there(coordinate, dofs))
      throw SceneError(where, fmt::format("'{}' has no {} {}", of.name, what, coordinate),
                       allowed_indices(dofs));
    char& before = seen[static_cast<std::size_t>(coordinate)];
    if (before) throw SceneError(where, fmt::format("names {} {} twice", what, coordinate));
    before = 1;
  }
}

/// Rows are available for kinds whose coordinates a scene can refer to.
void expect_kind(const NamedBuilt& of, const std::string& path) {
  const auto counted = [](const KindRow& row) { return !row.coordinates.empty(); };
  const KindRow& row = kind_row(of.body.kind);
  if (counted(row)) return;
  throw SceneError(path,
                   fmt::format("is for bodies of kinds {}, and '{}' is of kind {}",
                               kinds_that(counted), of.name, row.name),
                   "give `at` and `against`");
}

/// The rows over the coordinates of all bodies of a contact, one column per coordinate that has a
/// coefficient.
struct AllRows {
  std::map<std::pair<int, int>, Vector3> column;  ///< of (side, coordinate): normal, tangents
  std::array<bool, 3> moves{};                    ///< a free coordinate has a coefficient

  void add(int side, const CoordinatePoint& point, const BuiltBody& body) {
    for (const CoordinatePoint::Term& term : point.terms) {
      Vector3 entry;
      for (std::size_t r = 0; r < 3; ++r)
        entry[static_cast<Eigen::Index>(r)] = term.direction[kAxis[r]];
      if (body.kind->free_index(term.dof) < 0) continue;
      column[{side, term.dof}] = entry;
      for (std::size_t r = 0; r < 3; ++r)
        moves[r] = moves[r] || entry[static_cast<Eigen::Index>(r)] != 0.0;
    }
  }
  /// Rows as a matrix; each coordinate (column) is scaled so that its largest coefficient is 1.
  Matrix scaled(int rows) const {
    Matrix A(static_cast<Eigen::Index>(column.size()), rows);
    Eigen::Index i = 0;
    for (const auto& [of, entry] : column) {
      A.row(i++) = entry.head(rows).transpose() / entry.lpNorm<Eigen::Infinity>();
    }
    return A;
  }
};

bool all_zero(const RowSpec& row) {
  return std::ranges::all_of(coefficients(row), [](const Coefficient& c) { return c[1] == 0.0; });
}

/// No row may be a combination of the previous ones, since W would be singular.
void expect_independent(const AllRows& all, const RowsOf& rows) {
  Matrix A = all.scaled(static_cast<int>(rows.count()));
  for (Eigen::Index r = 0; r < A.cols(); ++r) {
    const double size = A.col(r).norm();
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index k = 0; k < r; ++k) A.col(r) -= A.col(k).dot(A.col(r)) * A.col(k);
    if (!(A.col(r).norm() > 1e-12 * size))
      throw SceneError(rows.path[static_cast<std::size_t>(r)],
                       r == 1 ? "is parallel to `row`: sliding would open the contact"
                              : "is a combination of `row` and the other tangent",
                       "give the slip along the obstacle, independent of the gap");
    A.col(r).normalize();
  }
}

int feature_of(const BuiltBody& body, std::size_t index) {
  const auto found = std::ranges::find(body.row_contacts, index);
  expects(found != body.row_contacts.end(), "the body must have the points of its rows");
  return body.first_row_point + static_cast<int>(found - body.row_contacts.begin());
}

}  // namespace

RowPoints row_points(const SceneSpec& scene, const std::string& body, int dofs) {
  RowPoints made;
  for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
    const ContactSpec& contact = scene.contacts[i];
    if (!contact.row) continue;
    const auto add = [&](const RowsOf& rows, double sign, double offset) {
      made.points.push_back(point_of(rows, dofs, sign, offset));
      made.contacts.push_back(i);
    };
    if (contact.on == body)
      add(RowsOf(contact, ""), 1.0, contact.offset.value_or(0.0));
    else if (contact.other() && *contact.other() == body)
      add(RowsOf(*contact.against, ""), -1.0, 0.0);  // gap = z_on - z_other
  }
  return made;
}

ContactPair row_pair(const SceneSpec& scene, std::size_t index, const NamedBuilt& on,
                     const NamedBuilt* other) {
  const ContactSpec& spec = scene.contacts[index];
  const std::string path = fmt::format("contacts[{}].", index);
  const RowsOf rows(spec, path);
  const RowsOf others =
      other ? RowsOf(*spec.against, path + "against.") : RowsOf(ContactSpec{}, "");
  if (rows.count() > 3)
    throw SceneError(path + "tangents", fmt::format("has {} rows", spec.tangents.size()),
                     "at most two");
  expect_kind(on, rows.path[0]);
  if (other) {
    expect_kind(*other, others.path[0]);
    if (&on.built == &other->built)
      throw SceneError(path + "against.body", fmt::format("'{}' is the body of `on`", other->name),
                       "`row` contains all coordinates of a body");
    if (rows.count() != others.count())
      throw SceneError(path + "against",
                       fmt::format("has {} and '{}' has {}", some(others.count() - 1, "tangent"),
                                   on.name, static_cast<int>(rows.count()) - 1),
                       "the same number on both bodies; use a row of zeros if one body does not "
                       "move along a tangent");
  }
  AllRows all;
  for (const auto& [side, of, its] : {std::tuple{0, &on, &rows}, std::tuple{1, other, &others}}) {
    if (!of) continue;
    for (std::size_t r = 0; r < its->count(); ++r) expect_row(*its->row[r], *of, its->path[r]);
    all.add(side, point_of(*its, of->built.dofs, 1.0, 0.0), of->built);
  }
  for (std::size_t r = 0; r < rows.count(); ++r) {
    if (all_zero(*rows.row[r]) && (!other || all_zero(*others.row[r])))
      throw SceneError(rows.path[r], "is zero: no coordinate moves along it");
    if (!all.moves[r])
      throw SceneError(rows.path[r],
                       "has coefficients of prescribed coordinates only: no contact can move them",
                       "let another coordinate make contact, or take one out of `prescribed`");
  }
  expect_independent(all, rows);
  ContactPair pair;
  pair.a = {on.built.group, {0, feature_of(on.built, index), Vector3::Zero()}};
  pair.b = {-1, {}};
  if (other) pair.b = {other->built.group, {0, feature_of(other->built, index), Vector3::Zero()}};
  pair.normal = Vector3::UnitZ();
  pair.tangents = static_cast<int>(rows.count()) - 1;
  pair.tangent = {Vector3::UnitX(), Vector3::UnitY()};
  return pair;
}

double row_gap(const ContactPair& pair, std::span<const GroupState> initial,
               std::span<const Group> groups) {
  double gap = 0.0;
  for (const auto& [side, sign] : {std::pair{&pair.a, 1.0}, {&pair.b, -1.0}}) {
    if (side->group < 0) continue;
    const auto g = static_cast<std::size_t>(side->group);
    Vector x(3);
    groups[g].dynamics->points(0.0, initial[g].q, std::span(&side->ref, 1), x);
    gap += sign * pair.normal.dot(x.head<3>());
  }
  return gap;
}

}  // namespace saltus
