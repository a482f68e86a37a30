// The vector types of Saltus. double only, Eigen only (docs/decisions/0001).
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>

namespace saltus {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vector3 = Eigen::Vector3d;
using View = const Eigen::Ref<
    const Vector>&;  ///< read-only vector; pass vectors, not expressions (those allocate)
using Out = Eigen::Ref<Vector>;  ///< writable vector; passed by value

}  // namespace saltus
