// Stress and strain at one point of a mesh: the means at the nodes of its element, interpolated.
#pragma once
#include <memory>
#include <vector>

#include "saltus/base/work_pool.h"
#include "saltus/fem/fem.h"

namespace saltus {

/// Only the elements around the point are evaluated.
class MeshFieldPoint {
 public:
  struct Work {
    Vector all;  ///< displacements of all nodes, 3 each; set by the caller
    Vector q;
    Matrix mean;
  };
  /// at: as in Fem, a node or a place in an element.
  MeshFieldPoint(std::shared_ptr<const Fem> fem, const PointRef& at);

  WorkPool<Work>::Loan borrow() const { return pool_.borrow(); }
  Matrix3 stress(double t, Work& work) const;  ///< Cauchy stress in space [Pa]
  Matrix3 strain(Work& work) const;            ///< Green strain

 private:
  Matrix3 interpolated(const Matrix& mean) const;

  std::shared_ptr<const Fem> fem_;
  std::vector<int> nodes_, elements_;  ///< of the point; all elements with one of these nodes
  Vector weight_;                      ///< of the nodes
  WorkPool<Work> pool_;
};

}  // namespace saltus
