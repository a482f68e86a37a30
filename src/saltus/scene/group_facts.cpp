#include "saltus/scene/group_facts.h"

#include <fmt/format.h>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/massless_contact.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/bodies/reduced_mesh.h"

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

}  // namespace

GroupFacts group_facts(const Dynamics& group) {
  if (const auto* fem = dynamic_cast<const Fem*>(&group))
    return mesh_facts(fem->mesh(), fem->total_mass());
  if (const auto* massless = dynamic_cast<const MasslessContact*>(&group))
    return mesh_facts(massless->fem().mesh(), massless->fem().total_mass());
  if (const auto* reduced = dynamic_cast<const ReducedMesh*>(&group))
    return mesh_facts(reduced->mesh(), 0.0);
  if (const auto* beam = dynamic_cast<const ElasticBeam*>(&group)) {
    const BeamSystem& system = beam->system();
    return {system.section.line_mass * system.length, beam->nodes(), system.elements, "beam"};
  }
  GroupFacts facts;
  if (const RigidData* rigid = group.rigid())
    for (double m : rigid->mass) facts.mass += m;
  if (const auto* bodies = dynamic_cast<const PseudoRigid*>(&group))
    for (const PseudoRigidBody& body : bodies->system().bodies) facts.mass += body.mass;
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

}  // namespace saltus
