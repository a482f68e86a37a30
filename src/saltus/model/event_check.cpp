#include "saltus/model/event_check.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/error.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/fem/redistributed_mass.h"

namespace saltus {
namespace {

constexpr const char* kOtherMode = "leave it out, or use `time.mode: stepping`";

std::string path_in(const std::vector<std::string>& paths, std::size_t i, const char* otherwise) {
  return i < paths.size() ? paths[i] : fmt::format("{}[{}]", otherwise, i);
}

void expect_event_law(const LawFacts& law, const std::string& path) {
  if (!law.not_by_events.empty())
    throw SceneError(path,
                     fmt::format("event-driven integration does not support {}, {}", law.name,
                                 law.not_by_events),
                     "allowed with `time.mode: events`: " + laws_that([](const ContactLaw& other) {
                       return other.facts().not_by_events.empty();
                     }));
  if (law.set_valued && !law.slides_on_normal && !law.impact)
    throw SceneError(path, fmt::format("{} does not define its behaviour in an impact", law.name),
                     "give it an ImpactForm (LawFacts::impact)");
  for (const auto& [value, key, what] :
       {std::tuple{law.friction.rolling, ".rolling", "rolling friction"},
        std::tuple{law.friction.spinning, ".spinning", "spinning friction"},
        std::tuple{law.cohesion, ".cohesion", "cohesion"}})
    if (value > 0.0)
      throw SceneError(path + key,
                       fmt::format("event-driven integration does not support {}", what),
                       kOtherMode);
  if (!law.set_valued && law.friction.coefficient > 0.0)
    throw SceneError(path,
                     "event-driven integration does not support friction on compliant contacts",
                     kOtherMode);
}

}  // namespace

void expect_mode(const ModelParts& parts) {
  const EventOptions& events = parts.options.events;
  expects(events.tolerance > 0.0 && events.tolerance <= 0.1,
          "EventOptions::tolerance must be above 0 and at most 0.1");
  expects(
      events.zeno >= 0.0 && std::isfinite(events.zeno) && events.limit >= 1 && events.closed >= 0,
      "EventOptions require zeno >= 0, limit >= 1, closed >= 0");
  for (std::size_t i = 0; i < parts.laws.size(); ++i)
    expect_event_law(parts.laws[i]->facts(), path_in(parts.law_path, i, "laws"));
  for (std::size_t i = 0; i < parts.joints.size(); ++i)
    if (parts.joints[i].strength > 0.0)
      throw SceneError(path_in(parts.joint_path, i, "joints") + ".strength",
                       "event-driven integration does not support joints that break", kOtherMode);
  if (parts.options.correct_positions)
    throw SceneError("contact.correct_positions",
                     "corrects penetration of shapes at the end of a step, which does not occur in "
                     "event-driven integration",
                     kOtherMode);
  if (parts.options.joints_in_stages)
    throw SceneError(
        "joint.in_stages",
        "applies only to explicit schemes; event-driven integration enforces joints in every stage",
        kOtherMode);
  for (std::size_t g = 0; g < parts.groups.size(); ++g) {
    const Group& group = parts.groups[g];
    if (dynamic_cast<const RedistributedMass*>(group.dynamics.get()))
      throw SceneError(
          path_in(parts.group_path, g, "bodies"),
          "contact nodes of '" + group.name +
              "' have no mass, but event-driven integration requires mass at every node",
          "leave `fem.stops` out, or use `time.mode: stepping`");
    if (events.method == OdeKind::esdirk && group.dynamics->velocities() > 0 &&
        !has(group.dynamics->traits(), Trait::tangents))
      throw SceneError(
          "events.method",
          "'esdirk' needs tangents, but '" + group.name + "' (kind " + group.kind + ") has none",
          "allowed: auto, dormand-prince-5, dormand-prince-8");
  }
}

}  // namespace saltus
