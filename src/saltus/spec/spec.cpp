#include "saltus/spec/spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "saltus/base/faults.h"
#include "saltus/base/options_check.h"
#include "saltus/base/suggest.h"
#include "saltus/base/units.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// Names must be unique and usable in result files; empty ones are filled in later.
template <class Entry>
std::optional<Fault> name_fault(const std::vector<Entry>& entries, std::string_view list) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& name = entries[i].name;
    const std::string key = std::string(list) + "[" + std::to_string(i) + "].name";
    if (name.empty()) continue;
    const bool control =
        std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (control || name.find('/') != std::string::npos || name.front() == ' ' ||
        name.back() == ' ' || name == ".")
      return Fault{key, "'" + name + "' cannot be a name",
                   "no slash, no line break, no space at either end"};
    if (!seen.insert(name).second)
      return Fault{key, "the name '" + name + "' is used twice", "names are unique"};
  }
  return std::nullopt;
}

/// A sum of times without its round-off.
std::string time_text(double t) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g", t);
  return to_text(std::strtod(text.data(), nullptr), unit::s);
}

/// Phases follow each other in time; the last one ends with the run.
std::optional<Fault> phases_fault(const SceneSpec& scene) {
  if (!scene.phases) return std::nullopt;
  const std::vector<PhaseSpec>& phases = *scene.phases;
  if (phases.empty()) return Fault{"phases", "is empty", "at least one phase, or leave it out"};
  if (scene.time.automatic())
    return Fault{"phases", "cannot be combined with `time.scheme: auto`",
                 "name `mode`, `step` and the schemes of the bodies"};
  if (auto found = name_fault(phases, "phases")) return found;
  double from = 0.0;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    const PhaseSpec& phase = phases[k];
    const std::string key = "phases[" + std::to_string(k) + "]";
    const bool last = k + 1 == phases.size();
    if (phase.name.empty()) return Fault{key + ".name", "is empty", "a name"};
    if (!phase.end && !phase.duration) {
      if (last) continue;
      return Fault{key, "has no end", "`end` or `duration`; only the last phase ends with the run"};
    }
    const double end = phase.end.value_or(from + phase.duration.value_or(0.0));
    if (!(end > from))
      return Fault{key + ".end", time_text(end) + " is not after its start at " + time_text(from),
                   "the phases follow each other in time"};
    if (last && end < scene.time.end - 0.5 * scene.time.h())
      return Fault{key + (phase.end ? ".end" : ".duration"),
                   "the last phase would end at " + time_text(end) + ", the run ends at " +
                       to_text(scene.time.end, unit::s),
                   "leave it out: the last phase ends with the run"};
    from = end;
  }
  return std::nullopt;
}

/// The reaction of a rigid body that is fixed or has prescribed motion.
bool holds(const SceneSpec& scene, const OutputSpec& output) {
  if (output.quantity != OutputSpec::Quantity::reaction) return false;
  const auto named = find_body(scene, output.probe);
  return named && !scene.bodies[named->entry].integrated();
}

std::optional<Fault> output_fault(const SceneSpec& scene) {
  std::set<std::string> files;
  for (std::size_t i = 0; i < scene.outputs.size(); ++i) {
    const OutputSpec& output = scene.outputs[i];
    const std::string key = "outputs[" + std::to_string(i) + "].";
    for (const auto& [name, file] : {std::pair{"wav", output.wav}, std::pair{"csv", output.csv}})
      if (file && !files.insert(*file).second)
        return Fault{key + name, "'" + *file + "' is written by two outputs",
                     "give each output a file of its own"};
    if (output.acts()) continue;  // force_fault()
    const auto named = find_body(scene, output.probe);
    if (!named) {
      if (output.at) return Fault{key + "at", "has no meaning for a joint", "leave it out"};
      if (output.direction)
        return Fault{key + "direction", "has no meaning for a joint", "leave it out"};
      continue;
    }
    if (output.whole() || holds(scene, output)) continue;  // sensor_fault(), support_fault()
    if (output.in_material() && scene.bodies[named->entry].kind == BodyKind::pseudo_rigid) continue;
    if (!output.at)
      return Fault{"outputs[" + std::to_string(i) + "]",
                   "`at` is missing: the place on '" + output.probe + "'",
                   "a place along it, a number, a name or [x, y, z]"};
    const BodySpec& body = scene.bodies[named->entry];
    const double length = body.string ? body.string->length
                          : body.bar  ? body.bar->length
                                      : INFINITY;
    const auto* at = std::get_if<NumberOrName>(&*output.at);
    if (std::isfinite(length) && at && !at->is_name() && (at->number < 0.0 || at->number > length))
      return Fault{key + "at", to_text(at->number, unit::m) + " is not on the body",
                   "allowed: [0, " + to_text(length) + "] m"};
  }
  return std::nullopt;
}

/// Checks joints and couplings: unique names, and existing bodies and coordinates.
std::optional<Fault> joints_fault(const SceneSpec& scene) {
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    const JointSpec& joint = scene.joints[i];
    const std::string path = "joints[" + std::to_string(i) + "].";
    if (!joint.name.empty() && find_body(scene, joint.name))
      return Fault{path + "name", "'" + joint.name + "' is the name of a body",
                   "outputs could not distinguish them"};
    taken.insert(joint.name);
    for (std::size_t k = 0; k < joint.between.size(); ++k) {
      const std::string key = path + "between[" + std::to_string(k) + "]";
      if (joint.between[k] == kWorld) {
        if (find_body(scene, kWorld))
          return Fault{key, "could be the world or the body of that name", "rename the body"};
      } else if (auto found = one_body_fault(scene, joint.between[k], key)) {
        return found;
      }
    }
    if (joint.between.size() == 2 && joint.between[0] == joint.between[1] &&
        scene.bodies[find_body(scene, joint.between[0])->entry].rigid)
      return Fault{path + "between",
                   (joint.name.empty() ? "joins '" : "'" + joint.name + "' joins '") +
                       joint.between[0] + "' to itself",
                   "name two bodies"};
  }
  for (std::size_t i = 0; i < scene.couplings.size(); ++i) {
    const CouplingSpec& coupling = scene.couplings[i];
    const std::string path = "couplings[" + std::to_string(i) + "].";
    if (!coupling.name.empty() && taken.contains(coupling.name))
      return Fault{path + "name", "'" + coupling.name + "' is the name of a joint",
                   "names are unique"};
    for (std::size_t k = 0; k < coupling.sum.size(); ++k)
      if (auto found = one_coordinate_fault(scene, coupling.sum[k].of,
                                            path + "sum[" + std::to_string(k) + "].of"))
        return found;
    if (coupling.gear) {
      if (auto found = one_coordinate_fault(scene, coupling.gear->first, path + "gear.first"))
        return found;
      if (auto found = one_coordinate_fault(scene, coupling.gear->second, path + "gear.second"))
        return found;
    }
    if (coupling.screw && !find_joint(scene, coupling.screw->joint))
      return one_coordinate_fault(scene, coupling.screw->joint, path + "screw.joint");
  }
  return std::nullopt;
}

/// An output of a force or torque must name a joint with constraints, or a body, and `from` another
/// body.
std::optional<Fault> force_fault(const SceneSpec& scene, const OutputSpec& output,
                                 const std::string& key) {
  const bool torque = output.quantity == OutputSpec::Quantity::torque;
  if (output.at)
    return Fault{key + "at", "has no meaning for a force or torque, which acts on a whole body",
                 "leave it out"};
  if (output.wav) return Fault{key + "wav", "is for velocities and displacements", "give `csv`"};
  if (const auto joint = find_joint(scene, output.probe)) {
    if (output.from)
      return Fault{key + "from", "is for the contact forces on a body", "leave it out"};
    if (row_count(scene.joints[*joint].kind) == 0)
      return Fault{key + "probe",
                   "'" + output.probe + "' is of kind " +
                       std::string(name_of(scene.joints[*joint].kind)) + " and has no constraints",
                   "name another joint"};
    return std::nullopt;
  }
  if (torque && find_body(scene, output.probe))
    return Fault{key + "quantity", "torque is for joints", "name a joint, or give `force`"};
  if (const auto found = one_body_fault(scene, output.probe, key + "probe"); found && torque)
    return Fault{key + "probe", "there is no joint '" + output.probe + "'", "name a joint"};
  else if (found)
    return found;
  if (!output.from || *output.from == kWorld) return std::nullopt;
  if (*output.from == output.probe)
    return Fault{key + "from", "is the body itself", "name another body"};
  return one_body_fault(scene, *output.from, key + "from");
}

std::optional<Fault> support_fault(const SceneSpec& scene, const OutputSpec& output,
                                   const std::string& key) {
  if (output.at)
    return Fault{key + "at", "has no meaning for the reaction of a whole body", "leave it out"};
  if (output.wav) return Fault{key + "wav", "is for velocities and displacements", "give `csv`"};
  return one_body_fault(scene, output.probe, key + "probe");
}

/// Stress and strain: a component, for bodies that deform.
std::optional<Fault> field_fault(const SceneSpec& scene, const OutputSpec& output,
                                 const std::string& key) {
  const std::string what(name_of(output.quantity));
  if (output.direction)
    return Fault{key + "direction", "has no meaning for a " + what, "give `component`"};
  const bool strain = output.quantity == OutputSpec::Quantity::strain;
  if (strain && output.component == OutputSpec::Component::von_mises)
    return Fault{key + "component", "von_mises is for stress", "xx, yy, zz, xy, yz or zx"};
  if (strain && !output.component)
    return Fault{key + "component", "is missing", "xx, yy, zz, xy, yz or zx"};
  const auto named = find_body(scene, output.probe);
  if (!named) return std::nullopt;
  const BodySpec& body = scene.bodies[named->entry];
  if (body.kind == BodyKind::pseudo_rigid && output.at)
    return Fault{key + "at", "has no meaning: '" + body.name + "' has one " + what, "leave it out"};
  if (strain && output.component == OutputSpec::Component::zz && body.fem &&
      body.fem->plane == PlaneState::stress)
    return Fault{key + "component", "zz is not computed in plane stress", "xx, yy or xy"};
  if (body.kind == BodyKind::pseudo_rigid || (body.fem && !body.fem->modes)) return std::nullopt;
  return Fault{key + "quantity",
               body.fem ? "'" + body.name + "' is reduced to its modes and has no " + what
                        : "'" + body.name + "' is of kind " + std::string(name_of(body.kind)) +
                              " and has no " + what,
               "name a body of kind fem or pseudo-rigid"};
}

/// An output of an actuator must name a coordinate of a joint, one of `place`, `angular_velocity`
/// or `acceleration` a body.
std::optional<Fault> sensor_fault(const SceneSpec& scene, const OutputSpec& output,
                                  const std::string& key) {
  if (output.wav) return Fault{key + "wav", "is for velocities and displacements", "give `csv`"};
  if (output.drives()) {
    if (output.at || output.direction)
      return Fault{key + (output.at ? "at" : "direction"),
                   "has no meaning for the actuator of a joint", "leave it out"};
    if (find_body(scene, output.probe))
      return Fault{key + "quantity", "is for coordinates of joints", "name a joint in `probe`"};
    return std::nullopt;
  }
  if (output.whole() && output.at)
    return Fault{key + "at",
                 output.quantity == OutputSpec::Quantity::angular_velocity
                     ? "has no meaning for an angular velocity, which a whole body has"
                     : "has no meaning for an energy, which a whole body has",
                 "leave it out"};
  if (output.whole() && output.quantity != OutputSpec::Quantity::angular_velocity &&
      output.direction)
    return Fault{key + "direction", "has no meaning for an energy", "leave it out"};
  if (output.in_material())
    if (auto found = field_fault(scene, output, key)) return found;
  if (!find_body(scene, output.probe) && find_coordinate(scene, output.probe))
    return Fault{key + "quantity", "is for bodies", "name a body in `probe`"};
  return std::nullopt;
}

/// `probe` must name a body or a coordinate of a joint.
std::optional<Fault> probe_fault(const SceneSpec& scene, const OutputSpec& output,
                                 const std::string& key) {
  if (output.acts()) return force_fault(scene, output, key);
  if (holds(scene, output)) return support_fault(scene, output, key);
  if (output.drives() || output.of_body())
    if (auto found = sensor_fault(scene, output, key)) return found;
  if (find_body(scene, output.probe) || scene.joints.empty())
    return one_body_fault(scene, output.probe, key + "probe");
  if (find_coordinate(scene, output.probe)) {
    if (output.quantity == OutputSpec::Quantity::reaction)
      return Fault{key + "quantity", "is for prescribed degrees of freedom",
                   "give `force` or `torque`"};
    return one_coordinate_fault(scene, output.probe, key + "probe");
  }
  const std::size_t dot = output.probe.rfind('.');
  if (dot != std::string::npos && find_joint(scene, output.probe.substr(0, dot)))
    return one_coordinate_fault(scene, output.probe, key + "probe");
  std::vector<std::string_view> names;
  for (const BodySpec& body : scene.bodies) names.push_back(body.name);
  for (const JointSpec& joint : scene.joints) names.push_back(joint.name);
  return Fault{key + "probe", "there is no body or joint '" + output.probe + "'",
               did_you_mean(output.probe, names)};
}

/// "power", "stress xx".
std::string quantity_text(const OutputSpec& output) {
  return std::string(name_of(output.quantity)) +
         (output.component ? " " + std::string(name_of(*output.component)) : "");
}

std::string_view obstacle_name(const AgainstSpec& against) {
  return against.frets    ? "frets"
         : against.neck   ? "neck"
         : against.points ? "points"
         : against.flat   ? "plane"
         : against.plane  ? "plane"
         : against.stop   ? "stop"
         : against.body   ? std::string_view(*against.body)
                          : "obstacle";
}

/// "b on table", "b by row".
std::string contact_name(const ContactSpec& contact) {
  if (!contact.against) return contact.on + " by row";
  return contact.on + " on " + std::string(obstacle_name(*contact.against));
}

std::string coupling_text(const CouplingSpec& coupling) {
  if (coupling.gear) return coupling.gear->second + " with " + coupling.gear->first;
  if (coupling.screw) return "screw of " + coupling.screw->joint;
  std::string text = "sum of ";
  for (std::size_t i = 0; i < coupling.sum.size(); ++i)
    text += (i > 0 ? ", " : "") + coupling.sum[i].of;
  return text;
}

/// Names that are free: the wanted one, or the first of "name 2", "name 3", ...
class FreeNames {
 public:
  void take(const std::string& name) { taken_.insert(name); }
  std::string free(const std::string& wanted) {
    std::string name = wanted;
    for (int& i = next_.try_emplace(wanted, 2).first->second; !taken_.insert(name).second; ++i)
      name = wanted + " " + std::to_string(i);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> next_;  ///< all smaller numbers are taken
};

}  // namespace

std::optional<Fault> TimeSpec::fault() const {
  if (automatic() && !tolerance)
    return Fault{"tolerance", "is missing: `scheme: auto` needs one", "for example 1e-6"};
  if (automatic() && mode)
    return Fault{"mode", "is chosen by `scheme: auto`", "leave one of them out"};
  if (!rate && !step && !automatic() && !is_static())
    return Fault{"", "a key is missing", "give exactly one of rate, step"};
  if (is_static() && tolerance)
    return Fault{"tolerance", "has no use in statics: increments are chosen by convergence",
                 "leave it out"};
  const std::string key = rate ? "rate" : "step";
  const double steps = end / h();
  if (!(steps >= 0.5))
    return Fault{"end", "is shorter than half a step of " + to_text(h(), unit::s), ""};
  if (!(steps < 1e15))
    return Fault{key, "gives more than 1e15 steps", "a shorter run or a larger step"};
  return std::nullopt;
}

long long step_count(const TimeSpec& time) {
  const double steps = time.rate ? time.end * *time.rate : time.end / time.h();
  return std::max(1LL, std::llround(steps));
}

std::optional<Fault> SceneSpec::fault() const {
  if (saltus != kSceneVersion)
    return Fault{"saltus", "scene format " + std::to_string(saltus) + " is not supported",
                 "this program reads version " + std::to_string(kSceneVersion)};
  if (events && time.chosen_mode() != TimeMode::events && !time.automatic())
    return Fault{"events", "is used in event-driven integration only", "give `time.mode: events`"};
  if (auto found = phases_fault(*this)) return found;
  const NameIndex index(*this);
  if (auto found = name_fault(bodies, "bodies")) return found;
  if (auto found = name_fault(contacts, "contacts")) return found;
  if (auto found = name_fault(outputs, "outputs")) return found;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::string path = "contacts[" + std::to_string(i) + "].";
    if (auto found = one_body_fault(*this, contacts[i].on, path + "on")) return found;
  }
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (const std::string* other = contacts[i].other())
      if (auto found =
              one_body_fault(*this, *other, "contacts[" + std::to_string(i) + "].against.body"))
        return found;
  if (auto found = name_fault(joints, "joints")) return found;
  if (auto found = name_fault(couplings, "couplings")) return found;
  if (auto found = joints_fault(*this)) return found;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (auto found = probe_fault(*this, outputs[i], "outputs[" + std::to_string(i) + "]."))
      return found;
  for (std::size_t i = 0; i < ignore.size(); ++i) {
    const std::string key = "ignore[" + std::to_string(i) + "]";
    if (ignore[i].size() != 2)
      return Fault{key, "has " + std::to_string(ignore[i].size()) + " entries",
                   "the names of two bodies: [a, b]"};
    for (std::size_t k = 0; k < 2; ++k)
      if (!find_body(*this, ignore[i][k]))
        return one_body_fault(*this, ignore[i][k], key + "[" + std::to_string(k) + "]");
  }
  return output_fault(*this);
}

void check(const SceneSpec& spec) { check_options(spec); }

void check(const SceneSpec& spec, Faults& faults) { check_options(spec, faults); }

std::string place_text(const PlaceSpec& place, BodyKind kind) {
  if (const auto* x = std::get_if<std::array<double, 3>>(&place))
    return "[" + to_text((*x)[0]) + ", " + to_text((*x)[1]) + ", " + to_text((*x)[2]) + "]";
  const auto& at = std::get<NumberOrName>(place);
  if (at.is_name()) return at.name;
  return to_text(at.number) + (kind == BodyKind::modal || kind == BodyKind::beam ? " m" : "");
}

void complete(SceneSpec& spec) {
  for (BodySpec& body : spec.bodies)
    if (!body.scheme && body.integrated()) body.scheme = body.chosen_scheme();
  FreeNames of_contacts;
  for (const ContactSpec& contact : spec.contacts) of_contacts.take(contact.name);
  for (ContactSpec& contact : spec.contacts)
    if (contact.name.empty()) contact.name = of_contacts.free(contact_name(contact));
  FreeNames of_parts;
  for (const BodySpec& body : spec.bodies) of_parts.take(body.name);
  for (const JointSpec& joint : spec.joints) of_parts.take(joint.name);
  for (const CouplingSpec& coupling : spec.couplings) of_parts.take(coupling.name);
  for (JointSpec& joint : spec.joints)
    if (joint.name.empty() && joint.between.size() == 2)
      joint.name = of_parts.free(joint.between[0] + " to " + joint.between[1]);
  for (CouplingSpec& coupling : spec.couplings)
    if (coupling.name.empty()) coupling.name = of_parts.free(coupling_text(coupling));
  const NameIndex index(spec);  // bodies and joints have their names
  FreeNames of_outputs;
  for (const OutputSpec& output : spec.outputs) of_outputs.take(output.name);
  for (OutputSpec& output : spec.outputs) {
    if (!output.name.empty()) continue;
    if (output.acts()) {
      const bool force = output.quantity == OutputSpec::Quantity::force;
      output.name = of_outputs.free((force ? "force on " : "torque on ") + output.probe +
                                    (output.from ? " from " + *output.from : ""));
      continue;
    }
    if (output.drives() || output.whole() || holds(spec, output) ||
        (output.in_material() && !output.at)) {
      output.name = of_outputs.free(quantity_text(output) + " of " + output.probe);
      continue;
    }
    const auto body = find_body(spec, output.probe);
    const BodyKind kind = body ? spec.bodies[body->entry].kind : BodyKind::modal;
    if (output.in_material()) {
      output.name = of_outputs.free(quantity_text(output) + " of " + output.probe + " at " +
                                    place_text(*output.at, kind));
      continue;
    }
    output.name = of_outputs.free(output.at ? output.probe + " at " + place_text(*output.at, kind)
                                            : output.probe);
  }
}

}  // namespace saltus
