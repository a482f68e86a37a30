#include "saltus/model/group_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/fem/redistributed_mass.h"
#include "saltus/fem/reduced_mesh.h"
#include "saltus/model/model.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

GroupFacts mesh_facts(const Mesh& mesh, double mass) {
  GroupFacts facts;
  facts.mass = mass;
  facts.nodes = static_cast<int>(mesh.nodes.cols());
  facts.elements = mesh.elements();
  for (const ElementInfo& kind : element_kinds())
    for (const ElementBlock& block : mesh.blocks)
      if (block.kind == kind.kind) {
        facts.kinds += (facts.kinds.empty() ? "" : ", ") + std::string(kind.name);
        break;
      }
  return facts;
}

GroupFacts facts_of(const Fem& body) { return mesh_facts(body.mesh(), body.total_mass()); }
GroupFacts facts_of(const RedistributedMass& body) { return facts_of(body.fem()); }
GroupFacts facts_of(const ReducedMesh& body) { return mesh_facts(body.mesh(), 0.0); }
GroupFacts facts_of(const ElasticBeam& body) {
  const BeamSystem& system = body.system();
  return {system.section.line_mass * system.length, body.nodes(), system.elements, "beam"};
}
GroupFacts facts_of(const PseudoRigid& group) {
  GroupFacts facts;
  for (const PseudoRigidBody& body : group.system().bodies) facts.mass += body.mass;
  return facts;
}

/// Nothing if the group is of another class.
template <class Body>
std::optional<GroupFacts> facts_if(const Dynamics& group) {
  const auto* const of = dynamic_cast<const Body*>(&group);
  return of ? std::optional(facts_of(*of)) : std::nullopt;
}

/// One row for each class of bodies that has facts.
constexpr std::array kFacts{&facts_if<Fem>, &facts_if<RedistributedMass>, &facts_if<ReducedMesh>,
                            &facts_if<ElasticBeam>, &facts_if<PseudoRigid>};

}  // namespace

GroupFacts group_facts(const Dynamics& group) {
  for (const auto& row : kFacts)
    if (const auto facts = row(group)) return *facts;
  GroupFacts facts;
  if (const RigidData* rigid = group.rigid())
    for (double m : rigid->mass) facts.mass += m;
  return facts;
}

std::string facts_text(const GroupFacts& facts) {
  std::string text;
  if (facts.mass > 0.0) text = fmt::format("mass {:.6g} kg", facts.mass);
  if (facts.nodes > 0)
    text += fmt::format("{}{} nodes, {} element{} ({})", text.empty() ? "" : ", ", facts.nodes,
                        facts.elements, facts.elements == 1 ? "" : "s", facts.kinds);
  return text;
}

std::string claims_fault(const Dynamics& group) {
  std::string fault;
  const auto count = [&](std::ptrdiff_t given, const char* what, std::ptrdiff_t wanted,
                         const char* of) {
    if (given != wanted && fault.empty())
      fault = fmt::format("{} {}, {} {}", what, given, wanted, of);
  };
  const auto claim = [&](Trait trait, const std::string& why) {
    return "has the trait " + trait_names(static_cast<unsigned>(trait)) + ", but " + why;
  };
  if (has(group.traits(), Trait::modal)) {
    const ModalData* modes = group.modal();
    if (!modes) return claim(Trait::modal, "modal() returns nothing");
    const int n = group.velocities(), sources = static_cast<int>(group.sources().size());
    count(group.positions(), "positions() is", n, "are needed, one per mode");
    count(modes->mass.size(), "elements of modal().mass are", n, "are needed, one per mode");
    count(modes->omega.size(), "elements of modal().omega are", n, "are needed, one per mode");
    count(modes->sigma.size(), "elements of modal().sigma are", n, "are needed, one per mode");
    if (fault.empty() && (modes->damping < 0 || modes->damping >= sources))
      fault = fmt::format("modal().damping is {}, number of sources: {}", modes->damping, sources);
    if (fault.empty() && (modes->load < -1 || modes->load >= sources))
      fault = fmt::format("modal().load is {} (-1: no load), number of sources: {}", modes->load,
                          sources);
    if (!fault.empty()) return claim(Trait::modal, fault);
  }
  if (has(group.traits(), Trait::rigid)) {
    const RigidData* data = group.rigid();
    if (!data) return claim(Trait::rigid, "rigid() returns nothing");
    const int n = group.bodies();
    count(group.positions(), "positions() is", 7 * n, "are needed, 7 per body");
    count(group.velocities(), "velocities() is", 6 * n, "are needed, 6 per body");
    count(std::ssize(data->mass), "elements of rigid().mass are", n, "are needed, one per body");
    count(std::ssize(data->mass_inverse), "elements of rigid().mass_inverse are", n,
          "are needed, one per body");
    count(std::ssize(data->inertia), "elements of rigid().inertia are", n,
          "are needed, one per body");
    count(std::ssize(data->inertia_inverse), "elements of rigid().inertia_inverse are", n,
          "are needed, one per body");
    if (!fault.empty()) return claim(Trait::rigid, fault);
  }
  if (has(group.traits(), Trait::driven) &&
      std::ranges::none_of(group.sources(),
                           [](const Source& source) { return source.name == "prescribed"; }))
    return claim(Trait::driven, "no source is called 'prescribed' (the work of prescribed motion)");
  return fault;
}

int group_of(const Model& model, const BodySpec& body) {
  const std::string name = copy_name(body, 0);
  const auto groups = model.groups();
  const auto found = std::ranges::find_if(groups, [&](const Group& group) {
    return group.name == name || std::ranges::find(group.bodies, name) != group.bodies.end();
  });
  return found == groups.end() ? -1 : static_cast<int>(found - groups.begin());
}

}  // namespace saltus
