#include "saltus/kinds/built_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/kinds/probe_request.h"

namespace saltus {

Pose BuiltKind::fixed_frame(const Scene&, const NamedBody&, const std::string&) const {
  expects(false, "a kind with fixed bodies must define their frame");
  return {};
}

void BuiltKind::set_field(const ProbeRequest&, Probe&) const {
  expects(false, "a kind with stress must define it");
}

// The reaction of a prescribed degree of freedom.
void BuiltKind::set_reaction(const ProbeRequest& request, Probe& probe) const {
  const auto& prescribed = request.body.prescribed;
  if (prescribed.empty())
    throw SceneError(request.path + ".quantity",
                     "'" + request.body.name +
                         "' has no reactions: none of its degrees of freedom is prescribed",
                     "allowed: velocity, displacement");
  if (request.spec.direction)
    throw SceneError(request.path + ".direction",
                     "is for particles, named points and bodies in space",
                     "a reaction acts along its degree of freedom");
  const int dof = request.index(request.built.dofs, "degree of freedom");
  const auto found = std::ranges::find(prescribed, dof, &PrescribedSpec::dof);
  if (found == prescribed.end()) {
    std::string list;
    for (const PrescribedSpec& one : prescribed)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", one.dof);
    throw SceneError(request.path + ".at",
                     fmt::format("degree of freedom {} of '{}' is free: it has no reaction", dof,
                                 request.body.name),
                     "prescribed: " + list);
  }
  probe.reaction = static_cast<int>(found - prescribed.begin());
}

}  // namespace saltus
