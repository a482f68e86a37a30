// What is seen of a mesh that moves by few degrees of freedom, and how these move it:  x = X +
// shape q.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/mode_shapes.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

struct ModeSurface {
  Mesh mesh;  ///< outer faces of solid elements, plane elements and bars, on their nodes;
              ///< node sets with them
  std::vector<int> node;  ///< of the whole mesh, increasing; one a node of `mesh`
  Matrix shape;           ///< 3 a node of `mesh`, a column a degree of freedom
};

/// basis: 3 rows a node of `mesh`. Throws UsageError for another number of rows.
ModeSurface mode_boundary(const Mesh& mesh, const Matrix& basis);

/// Shapes along a line, as of tabulated_shapes(), of a body of which more is known: it is drawn by
/// its boundary surface.
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
