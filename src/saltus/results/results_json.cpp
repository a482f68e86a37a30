// JSON of results files: the summary, and the comparison of two resolved scenes.
#include <nlohmann/json.hpp>

#include "saltus/results/checkpoint.h"
#include "saltus/results/layout.h"
#include "saltus/results/results_file.h"
#include "saltus/scene_file/renamed_keys.h"

namespace saltus {
namespace {

using Json = nlohmann::ordered_json;

Json extreme(const Extreme& e) { return {{"value", e.value}, {"row", e.row}}; }

/// Converts "/contacts/0/law" to the form for users: contacts[0].law
std::string scene_path(const std::string& pointer) {
  std::string path;
  for (std::size_t begin = 1; begin <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    const std::string part = pointer.substr(begin, end - begin);
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos)
      path += "[" + part + "]";
    else
      path += (path.empty() ? "" : ".") + part;
    begin = end + 1;
  }
  return path;
}

std::string brief(const nlohmann::json& scene, const std::string& pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!scene.contains(place)) return "nothing";
  std::string text = scene[place].dump();
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// Removes the keys that determine when checkpoints are written, on which no result depends.
void drop_checkpoints(nlohmann::json& scene) {
  if (!scene.is_object() || !scene.contains("results") || !scene["results"].is_object()) return;
  for (const char* key : {"checkpoint_every", "checkpoint_interval"}) scene["results"].erase(key);
  if (scene["results"].empty()) scene.erase("results");
}

/// Removes time.end from a scene and returns it.
nlohmann::json take_end(nlohmann::json& scene) {
  nlohmann::json end;
  if (scene.is_object() && scene.contains("time") && scene["time"].is_object() &&
      scene["time"].contains("end")) {
    end = scene["time"]["end"];
    scene["time"].erase("end");
  }
  return end;
}

/// Replaces old keys of a scene by their current names, like rename_old_keys(). in: the key that
/// contains `part`.
nlohmann::json with_present_keys(const nlohmann::json& part, const std::string& in = "") {
  if (!part.is_structured()) return part;
  nlohmann::json present = part.is_array() ? nlohmann::json::array() : nlohmann::json::object();
  for (const auto& [key, value] : part.items()) {
    if (part.is_array()) {
      present.push_back(with_present_keys(value, in));
    } else {
      const std::string now(present_key(in, key));
      present[now] = with_present_keys(value, now);
    }
  }
  return present;
}

}  // namespace

bool same_scene(std::string_view a, std::string_view b) {
  if (a == b) return true;
  nlohmann::json x = nlohmann::json::parse(a, nullptr, false),
                 y = nlohmann::json::parse(b, nullptr, false);
  drop_checkpoints(x);
  drop_checkpoints(y);
  return !x.is_discarded() && x == y;
}

void check_same_scene(const h5::File& file, const std::string& path, std::string_view resolved,
                      double t) {
  nlohmann::json stored;
  try {
    stored = nlohmann::json::parse(file.dataset("resolved").text(), nullptr, false);
  } catch (const h5::Error& error) {
    layout::damaged(path, error);
  }
  nlohmann::json given = nlohmann::json::parse(resolved, nullptr, false);
  if (stored.is_discarded()) layout::damaged(path, "/resolved is not JSON");
  stored = with_present_keys(stored);
  expects(!given.is_discarded(), "the resolved scene is JSON");
  drop_checkpoints(stored);
  drop_checkpoints(given);
  const nlohmann::json old_end = take_end(stored), new_end = take_end(given);
  if (stored != given) {
    const std::string pointer = nlohmann::json::diff(stored, given)[0]["path"].get<std::string>();
    throw SceneError(scene_path(pointer),
                     "differs from the run to be resumed: " + brief(stored, pointer) + " in " +
                         path + ", " + brief(given, pointer) + " here",
                     "only time.end and the times of checkpoints may be changed");
  }
  if (old_end == new_end) return;
  if (!new_end.is_number() || new_end.get<double>() < t)
    throw SceneError("time.end",
                     "is earlier than the state in " + path + " (" + Json(t).dump() + " s)",
                     "give a later end, or run the scene from the start");
}

std::string summary_json(const RunStatistics& s, const State& last,
                         std::span<const std::string> accounts, std::span<const double> work,
                         const Model& model, const RunSummary& summary) {
  Json json;
  json["complete"] = summary.complete;
  json["stopped"] = summary.stopped;
  json["steps"] = last.step;
  json["time"] = last.t;
  json["wall_time"] = summary.wall_time;
  if (!summary.choice.empty()) json["auto"] = Json::parse(summary.choice, nullptr, false);
  json["real_time_factor"] = summary.wall_time > 0.0 ? last.t / summary.wall_time : 0.0;
  json["energy"] = {{"start", s.energy_start},
                    {"kinetic", s.energy_end.kinetic},
                    {"potential", s.energy_end.potential},
                    {"end", s.energy_end.total()},
                    {"largest", extreme(s.energy)}};
  Json ledger = Json::object();
  for (std::size_t i = 0; i < work.size(); ++i) ledger[accounts[i]] = work[i];
  json["ledger"] = ledger;
  json["residual"] = extreme(s.residual);
  json["residual_after"] = extreme(s.residual_after);
  json["gap"] = extreme(s.gap);
  json["joint_gap"] = extreme(s.joint_gap);
  json["penetration"] = s.penetration();
  json["unexplained_step"] = extreme(s.unexplained);
  json["contacts"] = extreme(s.contacts);
  json["contact_steps"] = s.contact_steps;
  json["failed_steps"] = s.failed_steps;
  json["iterations"] = s.iterations;
  json["passes"] = s.passes;
  json["halvings"] = s.halvings;
  json["state_hash"] = state_hash(last);
  if (layout::has_substeps(model.options())) {
    json["substeps"] = s.substeps;
    json["rejected"] = s.rejected;
    json["error"] = extreme(s.error);
    json["evaluations"] = s.evaluations;
  }
  if (model.options().mode == TimeMode::events) {
    json["events"] = Json::object();
    for (std::size_t k = 0; k < kEventKinds; ++k)
      json["events"][name_of(static_cast<Event::Kind>(k))] = s.events[k];
  }
  return json.dump(1);
}

}  // namespace saltus
