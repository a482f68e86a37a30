// Interface of the sources of a view, a results file or a running simulation: constant data, and
// one frame.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// One body (group) of the scene.
struct ViewBody {
  std::string name, kind, scheme;
  int members = 1;                 ///< number of equal bodies in the group
  std::vector<std::string> names;  ///< names of the members; empty if they have none
  std::size_t positions = 0;       ///< numbers of a row of "q"
  std::shared_ptr<const Mesh>
      mesh;  ///< null if there is none; otherwise there are rows of "displacement", 3 per node
  bool stress = false;  ///< there are rows of "von_mises", one per node of the mesh
  /// Points of a string or bar at rest, 3 numbers per point [m]; otherwise empty. Rows of
  /// "displacement" then refer to these points.
  std::vector<double> line;
  /// there are rows of "centre", 3 per member, and "deformation", 9 per member
  bool affine = false;
  /// there are rows of "place", 3 per member, and "rotation", 4 per member: bodies with prescribed
  /// motion
  bool placed = false;
  /// If rows of "displacement" of the line are computed from "q": point i is displaced by
  /// q[columns[i]] along axis i. Otherwise empty.
  std::vector<std::uint32_t> columns{};
  std::vector<double> axes{};  ///< 3 per point
  std::vector<int> colours{};  ///< 0xrrggbb of the members, -1: none; empty: none for all
};

/// Displacements of the points of such a line, 3 per point.
inline void line_moved(const ViewBody& body, std::span<const double> q, std::vector<double>& row) {
  row.resize(body.line.size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = q[body.columns[i / 3]] * body.axes[i];
}

struct ViewShape {
  enum class Kind {
    sphere,
    plane,
    mesh
  } kind = Kind::sphere;                        ///< radius 1; z <= 0 is solid; as given
  std::vector<double> points;                   ///< 3 per point [m]
  std::vector<std::uint32_t> triangles, edges;  ///< 3 and 2 point indices each
};

/// A shape placed on a member of a body, or on a body of the fixed world (body -1):
///     x = place + R(rotation) (scale X)
struct ViewInstance {
  int shape = 0, body = -1, member = 0;
  std::array<double, 3> place{0, 0, 0};        ///< [m]
  std::array<double, 4> rotation{1, 0, 0, 0};  ///< w x y z
  std::array<double, 3> scale{1, 1, 1};
};

/// A contact place of the fixed world.
struct ViewMark {
  std::array<double, 3> point{}, normal{};  ///< [m]; normal out of the world
  int body = -1;                            ///< body that can be in contact with it
};

/// A joint as it is drawn. Files of earlier versions contain only name and kind.
struct ViewJoint {
  struct Side {
    int body = -1, member = 0;  ///< -1: the fixed world
    /// In the frame of a rigid or pseudo-rigid body, otherwise in space at the start [m]; axes: 0
    /// if there are none.
    std::array<double, 3> place{}, axis{}, axis2{};
  };
  std::string name, kind;
  std::array<Side, 2> side{};
  bool placed = false;             ///< `side` and `acts` are known
  int acts = 0;                    ///< as in /drawing/joints/acts of a results file
  std::optional<double> broken{};  ///< [s]
};

struct ViewScene {
  std::vector<ViewBody> bodies;
  std::vector<ViewJoint> joints;
  std::vector<std::string> fixed_names;  ///< of the bodies of the fixed world
  std::vector<int> fixed_colours;        ///< as ViewBody::colours
  std::vector<ViewShape> shapes;
  std::vector<ViewInstance> instances;
  std::vector<ViewMark> marks;
  std::size_t marks_of = 0;  ///< total number; `marks` is an evenly chosen subset
};

struct ViewContact {
  std::array<double, 3> point{}, normal{},
      force{};                            ///< [m]; from b to a; on a [N], mean over the step
  double gap = 0.0;                       ///< [m]
  std::array<int, 4> body{-1, 0, -1, 0};  ///< body and member of a, then of b; -1: the fixed world
  std::uint8_t status = 0;                ///< 0 open, 1 slides, 2 sticks, 3 closed without friction
};

class ViewSource {
 public:
  virtual ~ViewSource() = default;
  virtual const ViewScene& scene() const = 0;
  virtual std::size_t frames() const = 0;
  virtual double time(std::size_t frame) const = 0;  ///< [s]
  virtual std::uint64_t step(std::size_t frame) const = 0;
  /// A row of a table of a body: "q", "displacement", "von_mises", "centre", "deformation",
  /// "place", "rotation". Valid until the next call. Throws SceneError if there is no row of that
  /// length.
  virtual std::span<const double> row(std::size_t body, std::string_view table,
                                      std::size_t frame) = 0;
  /// Upper limit of the number of contacts() without reading them.
  virtual std::size_t contact_count(std::size_t frame) const = 0;
  virtual void contacts(std::size_t frame, std::vector<ViewContact>& out) = 0;
};

}  // namespace saltus
