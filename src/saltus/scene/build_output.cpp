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
  using Asked = OutputSpec::Quantity;
  probe.quantity = spec.quantity == Asked::velocity ? Probe::Quantity::joint_rate
                   : spec.quantity == Asked::effort ? Probe::Quantity::joint_effort
                   : spec.quantity == Asked::power  ? Probe::Quantity::joint_power
                                                    : Probe::Quantity::joint;
  add_files(spec, probe);
  return probe;
}

/// Whether some contact may act on a body.
bool has_contacts(const ModelParts& parts, const ContactBody& body) {
  const auto is = [&](int group, int number) { return group == body.group && number == body.body; };
  const Surfaces& surfaces = parts.surfaces;
  if (body.group < 0) return body.body < std::ssize(surfaces.fixed_names);
  return std::ranges::any_of(surfaces.frames,
                             [&](const auto& one) { return is(one.group, one.body); }) ||
         std::ranges::any_of(surfaces.boundaries,
                             [&](const auto& one) { return one.group == body.group; }) ||
         std::ranges::any_of(parts.pairs, [&](const ContactPair& pair) {
           return is(pair.a.group, pair.a.ref.body) || is(pair.b.group, pair.b.ref.body);
         });
}

/// A body as contacts refer to it; of a fixed one its number in Surfaces::fixed_names.
ContactBody body_in_contacts(const Scene& scene, std::span<const BuiltBody> bodies,
                             const ModelParts& parts, const std::string& name) {
  const NamedBody found = *find_body(scene.spec, name);
  const BuiltBody& built = bodies[found.entry];
  const auto& fixed = parts.surfaces.fixed_names;
  if (built.group >= 0) return {built.group, built.first + found.copy};
  return {-1, static_cast<int>(std::ranges::find(fixed, name) - fixed.begin())};
}

/// The same of a body with contacts, or the world. path: the entry that names the body.
ContactBody contact_body(const Scene& scene, std::span<const BuiltBody> bodies,
                         const ModelParts& parts, const std::string& name,
                         const std::string& path) {
  if (name == kWorld) return {};
  const ContactBody body = body_in_contacts(scene, bodies, parts, name);
  if (!has_contacts(parts, body))
    throw SceneError(path, fmt::format("no contact can act on '{}'", name),
                     "name a body with a shape or with an entry of `contacts`");
  return body;
}

/// The load of a joint on its second body, or the force of contacts on a body.
Probe force_probe(const Scene& scene, std::span<const BuiltBody> bodies, const ModelParts& parts,
                  const OutputSpec& spec, const std::string& path) {
  Probe probe;
  probe.name = spec.name;
  probe.direction =
      spec.direction ? unit_vector(*spec.direction, path + ".direction") : Vector3(Vector3::Zero());
  if (const auto joint = find_joint(scene.spec, spec.probe)) {
    probe.joint = static_cast<int>(*joint);
    probe.group = std::max(parts.joints[*joint].a.group, parts.joints[*joint].b.group);
    probe.quantity = spec.quantity == OutputSpec::Quantity::torque ? Probe::Quantity::joint_torque
                                                                   : Probe::Quantity::joint_force;
  } else {
    probe.quantity = Probe::Quantity::contact_force;
    probe.body = contact_body(scene, bodies, parts, spec.probe, path + ".probe");
    probe.group = std::max(probe.body.group, 0);
    probe.from_any = !spec.from;
    if (spec.from) probe.from = contact_body(scene, bodies, parts, *spec.from, path + ".from");
  }
  add_files(spec, probe);
  return probe;
}

/// The force that holds or moves a rigid body that is fixed or has prescribed motion.
Probe support_probe(const Scene& scene, std::span<const BuiltBody> bodies, const ModelParts& parts,
                    const OutputSpec& spec, const std::string& path) {
  Probe probe;
  probe.name = spec.name;
  probe.quantity = Probe::Quantity::support;
  probe.direction =
      spec.direction ? unit_vector(*spec.direction, path + ".direction") : Vector3(Vector3::Zero());
  const NamedBody body = *find_body(scene.spec, spec.probe);
  for (std::size_t i = 0; i < scene.spec.joints.size(); ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const auto side = find_body(scene.spec, scene.spec.joints[i].between[k]);
      if (side && side->entry == body.entry && side->copy == body.copy)
        probe.held.push_back({static_cast<int>(i), k == 1 ? 1.0 : -1.0});
    }
  for (const JointCoupling& coupling : parts.couplings)
    for (const JointCoupling::Term& term : coupling.terms)
      if (std::ranges::find(probe.held, term.joint, &Probe::Held::joint) != probe.held.end() &&
          !is_angle(parts.joints[static_cast<std::size_t>(term.joint)].kind, term.coordinate))
        throw SceneError(path + ".probe",
                         fmt::format("'{}' pushes '{}' with a force that is not measured",
                                     coupling.name, spec.probe),
                         "move the joint by a `motor` or a `servo`");
  const ContactBody contact = body_in_contacts(scene, bodies, parts, spec.probe);
  if (!has_contacts(parts, contact) && probe.held.empty())
    throw SceneError(
        path + ".probe",
        fmt::format("nothing can act on '{}': it has no contacts and no joints", spec.probe),
        "name a body with a shape or with joints");
  probe.body = contact;
  probe.group = std::max(contact.group, 0);
  add_files(spec, probe);
  return probe;
}

/// Energy or angular velocity of a whole body.
void set_whole(const ModelParts& parts, const ProbeRequest& request, Probe& probe) {
  const OutputSpec& spec = request.spec;
  const Dynamics& group = *parts.groups[static_cast<std::size_t>(probe.group)].dynamics;
  const bool rigid = has(group.traits(), Trait::rigid);
  probe.point.body = request.built.first + request.of.copy;
  if (spec.quantity != OutputSpec::Quantity::angular_velocity) {
    if (group.velocities() == 0)
      throw SceneError(request.path + ".probe",
                       fmt::format("'{}' has prescribed motion and no mass", spec.probe),
                       "name a body that forces move");
    if (!rigid && request.body.kind != BodyKind::pseudo_rigid) probe.point.body = -1;
    probe.quantity = spec.quantity == OutputSpec::Quantity::energy
                         ? Probe::Quantity::energy
                         : Probe::Quantity::kinetic_energy;
    return;
  }
  if (!rigid)
    throw SceneError(request.path + ".probe",
                     fmt::format("'{}' has no angular velocity", spec.probe),
                     "name a rigid body that forces move");
  probe.direction = request.direction();
  probe.quantity = Probe::Quantity::angular_velocity;
}

}  // namespace

Probe probe_of(const Scene& scene, std::span<const BuiltBody> bodies, const ModelParts& parts,
               std::size_t index) {
  const OutputSpec& spec = scene.spec.outputs[index];
  const std::string path = fmt::format("outputs[{}]", index);
  if (spec.acts()) return force_probe(scene, bodies, parts, spec, path);
  if (const auto named = find_body(scene.spec, spec.probe);
      named && spec.quantity == OutputSpec::Quantity::reaction &&
      !scene.spec.bodies[named->entry].integrated())
    return support_probe(scene, bodies, parts, spec, path);
  if (!find_body(scene.spec, spec.probe)) {
    const Probe probe = joint_probe(scene, parts.joints, spec);
    if (spec.drives() && std::ranges::none_of(parts.joint_laws, [&](const JointLaw& law) {
          return law.actuator >= 0 && law.joint == probe.joint &&
                 law.coordinate == probe.coordinate;
        }))
      throw SceneError(path + ".probe", fmt::format("'{}' has no actuator", spec.probe),
                       "give the coordinate a `motor`, a `servo`, or a given torque or force");
    return probe;
  }
  const NamedBuilt of = named_built(scene, bodies, spec.probe, path + ".probe");
  Probe probe;
  probe.name = spec.name;
  probe.group = of.built.group;
  const ProbeRequest request{scene, spec, of, of.built, of.body, path};
  if (spec.whole() || spec.in_material()) {
    if (spec.whole()) {
      set_whole(parts, request, probe);
    } else {
      probe.point.body = of.built.first + of.copy;
      probe.quantity = spec.quantity == OutputSpec::Quantity::stress ? Probe::Quantity::stress
                                                                     : Probe::Quantity::strain;
      of.built.kind->set_field(request, probe);
    }
    add_files(spec, probe);
    return probe;
  }
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
    of.built.dynamics->points(0.0, parts.initial[static_cast<std::size_t>(probe.group)].q, at, x);
    if (spec.quantity != OutputSpec::Quantity::place) probe.rest = probe.direction.dot(x);
  } else if (spec.quantity == OutputSpec::Quantity::place &&
             of.body.kind != BodyKind::particles) {  // whose coordinates are places
    throw SceneError(path + ".quantity",
                     fmt::format("a coordinate of '{}' has no place in space", spec.probe),
                     "give `displacement`");
  }
  probe.quantity = reaction                                          ? Probe::Quantity::reaction
                   : spec.quantity == OutputSpec::Quantity::velocity ? Probe::Quantity::velocity
                   : spec.quantity == OutputSpec::Quantity::acceleration
                       ? Probe::Quantity::acceleration
                   : spec.quantity == OutputSpec::Quantity::place ? Probe::Quantity::place
                                                                  : Probe::Quantity::displacement;
  add_files(spec, probe);
  return probe;
}

}  // namespace saltus
