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

}  // namespace

Probe probe_of(const Scene& scene, std::span<const BuiltBody> bodies,
               std::span<const GroupState> initial, std::span<const Joint> joints,
               std::size_t index) {
  const OutputSpec& spec = scene.spec.outputs[index];
  const std::string path = fmt::format("outputs[{}]", index);
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
