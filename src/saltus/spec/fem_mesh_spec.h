// Finite-element meshes in a scene file: built-in shapes divided into cells, and mesh files. All
// values SI.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/mesh/element.h"

namespace saltus {

constexpr auto names_of(ElementKind) {
  using enum ElementKind;
  return std::array{
      NamedValue{bar2, "bar2"},   NamedValue{bar3, "bar3"},     NamedValue{tri3, "tri3"},
      NamedValue{tri6, "tri6"},   NamedValue{quad4, "quad4"},   NamedValue{quad8, "quad8"},
      NamedValue{tet4, "tet4"},   NamedValue{tet10, "tet10"},   NamedValue{hex8, "hex8"},
      NamedValue{hex20, "hex20"}, NamedValue{wedge6, "wedge6"}, NamedValue{pyramid5, "pyramid5"}};
}

/// A bar, rectangle or box.
struct BoxCellsSpec {
  ElementKind kind = ElementKind::hex8;
  std::vector<int> cells;
  std::vector<double> size, origin;

  bool operator==(const BoxCellsSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = BoxCellsSpec;
    return field_rows(
        field("kind", &T::kind,
              "element type, which defines the dimension: bar2, bar3 along x; tri3, tri6, quad4, "
              "quad8 in the x-y plane; the others in space"),
        required("cells", &T::cells, at_least(1),
                 "number of cells along each axis: [40], [8, 2] or [8, 2, 2]; a cell is a brick, 6 "
                 "tetrahedra, 2 wedges or 6 pyramids; in the plane a quadrilateral or 2 triangles; "
                 "on a line a bar"),
        required("size", &T::size, unit::m, kPositive, "length along each axis"),
        field("origin", &T::origin, unit::m, kAnyNumber,
              "corner with the smallest coordinates, in the frame of the mesh; 0 when not given"));
  }
};

/// A round bar along z.
struct CylinderCellsSpec {
  ElementKind kind = ElementKind::hex8;
  double radius = 0.0, height = 0.0;
  int cells = 2, rings = 2, layers = 2;

  bool operator==(const CylinderCellsSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = CylinderCellsSpec;
    return field_rows(
        field("kind", &T::kind, "element type: hex8, hex20, tet4 or tet10"),
        required("radius", &T::radius, unit::m, kPositive, "radius, across z"),
        required("height", &T::height, unit::m, kPositive, "length along z, from z = 0"),
        field("cells", &T::cells, at_least(1),
              "number of cells along each edge of the square core"),
        field("rings", &T::rings, at_least(1),
              "number of cell layers between the core and the lateral surface"),
        field("layers", &T::layers, at_least(1), "number of cells along z"));
  }
};

/// A segment of a ring about the z axis, symmetric about y.
struct ArchCellsSpec {
  ElementKind kind = ElementKind::hex8;
  double inner = 0.0, outer = 0.0, angle = 0.0, width = 1.0;
  int around = 20, across = 2, layers = 2;

  bool operator==(const ArchCellsSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = ArchCellsSpec;
    return field_rows(
        field("kind", &T::kind, "element type, plane or in space"),
        required("inner", &T::inner, unit::m, kPositive, "radius"),
        required("outer", &T::outer, unit::m, kPositive, "radius"),
        required("angle", &T::angle, unit::rad,
                 Range{.low = 0.0, .high = 6.283185, .low_open = true, .high_open = true},
                 "opening angle of the segment, whose crown is on the y axis"),
        field("width", &T::width, unit::m, kPositive,
              "for elements in space: length along z, from z = 0"),
        field("around", &T::around, at_least(1), "number of cells along the circumference"),
        field("across", &T::across, at_least(1), "number of cells along the radius"),
        field("layers", &T::layers, at_least(1), "number of cells along z"));
  }
};

/// A ball about the origin, or its half below z = 0.
struct BallCellsSpec {
  ElementKind kind = ElementKind::hex8;
  double radius = 0.0;
  bool half = false;
  int cells = 2, rings = 2;
  double grading = 1.0;

  bool operator==(const BallCellsSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = BallCellsSpec;
    return field_rows(
        field("kind", &T::kind, "element type in space, except wedge6"),
        required("radius", &T::radius, unit::m, kPositive, "radius of the ball"),
        field("half", &T::half, "only the half below z = 0"),
        field("cells", &T::cells, at_least(1),
              "number of cells from the centre to each side of the cubic core"),
        field("rings", &T::rings, at_least(1),
              "number of cell layers between the core and the surface"),
        field("grading", &T::grading, at_least(1.0),
              "ratio of the largest cell to the smallest; the smallest are at the poles on z"));
  }
};

/// The mesh of a deformable body.
struct FemMeshSpec {
  std::optional<BoxCellsSpec> box;
  std::optional<CylinderCellsSpec> cylinder;
  std::optional<ArchCellsSpec> arch;
  std::optional<BallCellsSpec> ball;
  std::optional<std::string> file;
  std::optional<double> scale;
  std::vector<std::string> bars;

  bool operator==(const FemMeshSpec&) const = default;
  static constexpr auto rules() {
    return std::array{exactly_one("box", "cylinder", "arch", "ball", "file"),
                      needs("scale", "file"), needs("bars", "file")};
  }
  static constexpr auto fields() {
    using T = FemMeshSpec;
    return field_rows(
        field("box", &T::box, "a bar, rectangle or box; sides x0, x1, y0, y1, z0, z1"),
        field("cylinder", &T::cylinder, "a round bar along z; sides side, z0, z1"),
        field("arch", &T::arch,
              "a segment of a ring about z, with its crown on the y axis; sides inner, outer, "
              "left, right, z0, z1"),
        field("ball", &T::ball, "a ball about the origin, or its half; sides sphere, flat"),
        field("file", &T::file,
              "Gmsh file (MSH 4.1 or 2.2); its physical groups are sets of elements, faces and "
              "nodes"),
        field("scale", &T::scale, kPositive, "factor of the coordinates in a file: 0.001 for mm"),
        field("bars", &T::bars,
              "physical curves of the file whose lines are bars although they lie along edges of "
              "other elements, as reinforcement does; lines elsewhere are always bars"));
  }
};

}  // namespace saltus
