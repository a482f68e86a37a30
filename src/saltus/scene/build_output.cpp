#include "saltus/scene/build_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/kinds/probe_request.h"

namespace saltus {
namespace {

void add_files(const OutputSpec& spec, Probe& probe) {
  probe.wav = spec.wav.value_or("");
  probe.csv = spec.csv.value_or("");
  probe.gain = spec.gain.value_or(0.0);
}

/// A coordinate of a joint or its rate; group: that of one of its two bodies.
Probe joint_probe(const Scene& scene, std::span<const Joint> joints, const OutputSpec& spec) {
  const NamedCoordinate of = *find_coordinate(scene.spec, spec.probe);
  Probe probe;
  probe.name = spec.name;
  probe.joint = static_cast<int>(of.joint);
  probe.coordinate = of.coordinate;
  const Joint& joint = joints[of.joint];
  probe.group = std::max(joint.a.group, joint.b.group);
  probe.quantity = spec.quantity == OutputSpec::Quantity::velocity ? Probe::Quantity::joint_rate
                                                                   : Probe::Quantity::joint;
  add_files(spec, probe);
  return probe;
}

/// A body as contacts refer to it; of a fixed one its number in fixed_names.
ContactBody contact_body(const Scene& scene, std::span<const BuiltBody> bodies,
                         std::span<const std::string> fixed_names, const std::string& name) {
  if (name == kWorld) return {};
  const NamedBody found = *find_body(scene.spec, name);
  const BuiltBody& built = bodies[found.entry];
  if (built.group >= 0) return {built.group, built.first + found.copy};
  const auto fixed = std::ranges::find(fixed_names, name);
  return {-1, static_cast<int>(fixed - fixed_names.begin())};
}

/// The load of a joint on its second body, or the force of contacts on a body.
Probe force_probe(const Scene& scene, std::span<const BuiltBody> bodies,
                  std::span<const Joint> joints, std::span<const std::string> fixed_names,
                  const OutputSpec& spec, const std::string& path) {
  Probe probe;
  probe.name = spec.name;
  probe.direction =
      spec.direction ? unit_vector(*spec.direction, path + ".direction") : Vector3(Vector3::Zero());
  if (const auto joint = find_joint(scene.spec, spec.probe)) {
    probe.joint = static_cast<int>(*joint);
    probe.group = std::max(joints[*joint].a.group, joints[*joint].b.group);
    probe.quantity = spec.quantity == OutputSpec::Quantity::torque ? Probe::Quantity::joint_torque
                                                                   : Probe::Quantity::joint_force;
  } else {
    probe.quantity = Probe::Quantity::contact_force;
    probe.body = contact_body(scene, bodies, fixed_names, spec.probe);
    probe.group = std::max(probe.body.group, 0);
    probe.from_any = !spec.from;
    if (spec.from) probe.from = contact_body(scene, bodies, fixed_names, *spec.from);
  }
  add_files(spec, probe);
  return probe;
}

}  // namespace

Probe probe_of(const Scene& scene, std::span<const BuiltBody> bodies,
               std::span<const GroupState> initial, std::span<const Joint> joints,
               std::span<const std::string> fixed_names, std::size_t index) {
  const OutputSpec& spec = scene.spec.outputs[index];
  const std::string path = fmt::format("outputs[{}]", index);
  if (spec.acts()) return force_probe(scene, bodies, joints, fixed_names, spec, path);
  if (!find_body(scene.spec, spec.probe)) return joint_probe(scene, joints, spec);
  const NamedBuilt of = named_built(scene, bodies, spec.probe, path + ".probe");
  Probe probe;
  probe.name = spec.name;
  probe.group = of.built.group;
  const ProbeRequest request{scene, spec, of, of.built, of.body, path};
  const bool reaction = spec.quantity == OutputSpec::Quantity::reaction;
  if (reaction)
    of.built.kind->set_reaction(request, probe);
  else
    probe.table = of.built.kind->probe_table(request);
  if (!probe.table && !reaction) {
    probe.point = request.point().ref;
    probe.direction = request.direction();
    const std::array at{probe.point};
    Vector3 x;
    of.built.dynamics->points(0.0, initial[static_cast<std::size_t>(probe.group)].q, at, x);
    probe.rest = probe.direction.dot(x);
  }
  probe.quantity = reaction ? Probe::Quantity::reaction
                   : spec.quantity == OutputSpec::Quantity::velocity
                       ? Probe::Quantity::velocity
                       : Probe::Quantity::displacement;
  add_files(spec, probe);
  return probe;
}

}  // namespace saltus
