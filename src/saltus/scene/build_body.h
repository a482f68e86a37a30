// From BodySpec to a group with its initial state.
#pragma once
#include "saltus/bodies/modal.h"
#include "saltus/scene/model.h"
#include "saltus/scene/scene.h"

namespace saltus {

struct BuiltBody {
  std::shared_ptr<const Modal> modal;
  GroupState initial;  ///< physical q [modal coordinates] and v
};
/// A data file that the scene names: at least `columns` columns, which `what` describes ("j, nu [Hz], sigma [1/s]").
/// path: the entry that names it.
Matrix read_table(const Scene& scene, const std::string& file, int columns, std::string_view what,
                  const std::string& path);

/// path: "bodies[0]".
BuiltBody build_body(const Scene& scene, const BodySpec& body, const std::string& path);

}  // namespace saltus
