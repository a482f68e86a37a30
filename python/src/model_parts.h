// The class ModelParts, which several files bind.
#pragma once
#include <memory>

#include "contact_problem.h"
#include "saltus/model/model.h"
#include "saltus/solvers/registry.h"

#include <pybind11/eigen.h>

namespace saltus::python {

/// A point of a group, which can be created before the group is looked up.
struct Side {
  py::object group;
  PointRef ref;
};

/// UsageError "WHAT is [nan, 0, 0]" unless all three are finite.
void expect_finite(const Vector3& x, const char* what);
/// x/|x|; UsageError "WHAT is [0, 0, 0], which has no direction".
Vector3 unit(const Vector3& x, const char* what);

struct PartsObject {
  ModelParts parts;
  PartsObject() { parts.solver = solvers().front().make(); }

  /// Index of a group by name or number; UsageError if unknown.
  std::size_t group(const py::handle& group) const;
  /// A Point, or a place in the world; `what` is used in messages.
  ContactSide side(const py::handle& given, const char* what) const;
};

using PartsClass = py::class_<PartsObject, std::shared_ptr<PartsObject>>;
void bind_part_joints(PartsClass& cls);  ///< joints, couplings, laws on coordinates
void bind_part_surfaces(py::module_& m,
                        PartsClass& cls);  ///< Shape; frames, colliders, laws between materials
void bind_makers(py::module_& m, PartsClass& cls);  ///< schemes, laws, linear, modal
void bind_law(PartsClass& cls);                     ///< laws written in Python
void bind_mesh(py::module_& m);                     ///< meshes between arrays and files

}  // namespace saltus::python
