// The visible surface of a mesh that moves with few degrees of freedom, and its mode shapes: x = X
// + shape q.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/mode_shapes.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

struct ModeSurface {
  /// outer faces of solid elements, plane elements and bars on their nodes, with the node sets
  Mesh mesh;
  std::vector<int> node;  ///< number in the whole mesh, increasing; one per node of `mesh`
  Matrix shape;           ///< 3 rows per node of `mesh`, one column per degree of freedom
};

/// basis: 3 rows per node of `mesh`. Throws UsageError for another number of rows.
ModeSurface mode_boundary(const Mesh& mesh, const Matrix& basis);

/// Shapes along a line, as from tabulated_shapes(), for a body whose boundary surface is known: the
/// surface is used for drawing.
class SurfaceModeShapes final : public ModeShapes {
 public:
  SurfaceModeShapes(std::unique_ptr<const ModeShapes> along, ModeSurface boundary)
      : along_(std::move(along)), boundary_(std::move(boundary)) {}
  const ModeSurface& boundary() const { return boundary_; }

  int modes() const override { return along_->modes(); }
  double length() const override { return along_->length(); }
  void row(double x, Out shape) const override { along_->row(x, shape); }
  std::span<const double> places() const override { return along_->places(); }

 private:
  std::unique_ptr<const ModeShapes> along_;
  ModeSurface boundary_;
};

}  // namespace saltus
