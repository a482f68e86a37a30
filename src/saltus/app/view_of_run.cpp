#include "saltus/app/view_of_run.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "saltus/app/live_controls.h"
#include "saltus/app/terminal.h"
#include "saltus/results/provenance.h"
#include "saltus/results/results.h"
#include "saltus/scene_file/renamed_keys.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/schema.h"
#include "saltus/view/view_data.h"
#include "saltus/view/view_live.h"

namespace saltus::app {
namespace {

using EventJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A temporary folder that is deleted with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "saltus-view-").string() + std::string(6, 'X');
    if (!::mkdtemp(name.data()))
      throw RunError("cannot create a folder in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

FieldOptions fields_of(const SceneSetup& setup) {
  const ResultsSpec& results = setup.scene.spec.results;
  return {results.stress, results.strain, results.resultants};
}

/// Writes the current state as a results file with one frame.
void write_one_frame(const std::string& path, const SceneSetup& setup, const Simulation& sim) {
  ResultsOptions options;
  options.provenance = provenance_now(0, nullptr);
  options.fields = fields_of(setup);
  ResultsWriter out(path, setup.model, setup.scene.text, write_scene(setup.scene.spec), options);
  std::vector<double> probes(setup.model.probes().size(), 0.0);
  std::vector<Vector> velocities;
  for (std::size_t g = 0; g < sim.state().groups.size(); ++g) {
    velocities.emplace_back(sim.state().groups[g].v.size());
    sim.velocity(static_cast<int>(g), velocities.back());
  }
  const std::vector<std::array<Vector3, 2>> loads(setup.model.joints().size(),
                                                  {Vector3::Zero(), Vector3::Zero()});
  out.start(sim.state(), probes);
  out.frame(sim.state(), velocities, loads, sim.contacts(ResultsWriter::near(sim.model())));
  out.finish(sim.state(), {});
}

const char* unit_of_plot(std::string_view plot) {
  if (plot == "energy" || plot == "ledger" || plot == "unexplained") return "J";
  if (plot == "gap") return "m";
  return plot == "step cost" ? "s" : "1";
}

/// The plots of the columns of a run, without data.
std::vector<ViewPlot> empty_plots(const Model& model) {
  std::vector<ViewPlot> plots;
  for (const LiveColumn& column : live_columns(model)) {
    if (plots.empty() || plots.back().title != column.plot)
      plots.push_back({column.plot,
                       unit_of_plot(column.plot),
                       column.plot == "unexplained" || column.plot == "residual",
                       {},
                       {}});
    plots.back().series.push_back({column.series, "", {}});
  }
  const std::size_t first = plots.size() - model.probes().size();
  for (std::size_t i = 0; i < model.probes().size(); ++i) {
    plots[first + i].unit = unit_of(model.probes()[i], model.joints());
    plots[first + i].own = true;
  }
  std::ranges::rotate(plots, plots.begin() + static_cast<std::ptrdiff_t>(first));
  return plots;
}

EventJson number(double value) { return std::isfinite(value) ? EventJson(value) : EventJson(); }

std::string event(const char* name, const EventJson& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data.dump());
}

EventJson state_json(const LiveState& state) {
  EventJson json{{"running", state.running},   {"time", state.t},
                 {"step", state.step},         {"frames", state.frames},
                 {"first", state.first_frame}, {"rate", number(state.rate)},
                 {"ended", state.ended}};
  if (!state.error.empty()) json["error"] = state.error;
  return json;
}

EventJson rows_json(const std::vector<std::vector<double>>& rows,
                    const std::vector<LiveColumn>& columns) {
  EventJson json;
  for (const std::vector<double>& row : rows) json["time"].push_back(row[0]);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EventJson& values = json[columns[c].plot][columns[c].series];
    for (const std::vector<double>& row : rows) {
      const double value = row[c + 1];
      values.push_back(number(columns[c].plot == "unexplained" ? std::abs(value) : value));
    }
  }
  return json;
}

/// The value at a path such as "contacts[0].law.friction"; null if there is none.
const EventJson* value_at(const EventJson& scene, std::string_view path) {
  const EventJson* at = &scene;
  while (!path.empty() && at) {
    if (path.front() == '[') {
      const std::size_t end = path.find(']');
      std::size_t index = 0;
      if (end == std::string_view::npos || !at->is_array()) return nullptr;
      const auto [stop, fault] = std::from_chars(path.data() + 1, path.data() + end, index);
      if (fault != std::errc{} || stop != path.data() + end || index >= at->size()) return nullptr;
      at = &(*at)[index];
      path.remove_prefix(end + 1);
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0 || !at->is_object()) return nullptr;
      const auto found = at->find(std::string(path.substr(0, end)));
      at = found == at->end() ? nullptr : &*found;
      path.remove_prefix(end);
    }
  }
  return at;
}

/// Whether the text is a number, perhaps with a unit, but not a list, map or file name.
bool is_quantity(std::string_view text) {
  return text.size() <= 64 && !text.empty() &&
         std::string_view("+-.0123456789").find(text.front()) != std::string_view::npos &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  std::string_view("+-. ^*/%").find(static_cast<char>(c)) != std::string_view::npos;
         });
}

/// Whether the scene format has a choice at a path, one of whose words is `word`; texts such as
/// names are none. `schema`: of the scene format, or of a part of it.
bool is_choice(const EventJson& schema, std::string_view path, std::string_view word) {
  for (const char* alternatives : {"anyOf", "oneOf"})
    if (schema.contains(alternatives))
      for (const EventJson& one : schema[alternatives])
        if (is_choice(one, path, word)) return true;
  if (path.empty()) {
    const auto names = schema.find("enum");
    return (names != schema.end() && std::ranges::find(*names, word) != names->end()) ||
           (schema.contains("const") && schema["const"] == word);
  }
  if (path.front() == '[') {
    const std::size_t end = path.find(']');
    const bool entries = end != std::string_view::npos && schema.contains("items");
    return entries && is_choice(schema["items"], path.substr(end + 1), word);
  }
  if (path.front() == '.') path.remove_prefix(1);
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const std::string key(path.substr(0, end));
  return schema.contains("properties") && schema["properties"].contains(key) &&
         is_choice(schema["properties"][key], path.substr(end), word);
}

/// Text of a client's change to a number, choice or boolean of the scene. Throws SceneError if the
/// entry is none of these or the new value has another type.
std::string text_of_change(const EventJson& scene, const std::string& path,
                           const EventJson& value) {
  static const EventJson schema = EventJson::parse(scene_schema());
  const std::string entry = present_path(path);
  const EventJson* const now = value_at(scene, entry);
  if (!now || now->is_structured() || now->is_null() ||
      (now->is_string() && !is_choice(schema, entry, now->get<std::string>())))
    throw SceneError(path, "is not a number, choice or boolean of the running scene",
                     "for example contacts[0].law.friction");
  const bool is_text = value.is_string();
  const std::string text = is_text ? value.get<std::string>() : value.dump();
  if (now->is_number() && !value.is_number() && !(is_text && is_quantity(text)))
    throw SceneError(path, "must be a number", "for example 0.3");
  if (now->is_boolean() && !value.is_boolean() && text != "true" && text != "false")
    throw SceneError(path, "must be true or false");
  if (now->is_string() && !(is_text && is_choice(schema, entry, text)))
    throw SceneError(path, "must be one of its choices, as a word");
  return text;
}

}  // namespace

ViewOfRun::ViewOfRun(const std::string& scene, std::vector<std::string> set) {
  run_ = std::make_unique<LiveRun>(
      scene, std::move(set),
      [this](const SceneSetup& setup, const Simulation& sim) { return make_encoder(setup, sim); });
}

LiveEncoder ViewOfRun::make_encoder(const SceneSetup& setup, const Simulation& sim) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "start.h5").string();
  write_one_frame(file, setup, sim);
  const ResultsReader results(file);
  const ViewData view(results, {});

  struct Encoder {  // `records` refers to `tracks`
    ViewLive live;
    ViewTracks tracks;
    ViewRecords records;
    Encoder(ViewLive of, const ViewTracks& what)
        : live(std::move(of)), tracks(what), records(tracks, {}) {}
    Encoder(const Encoder&) = delete;
  };
  const auto encoder = std::make_shared<Encoder>(
      ViewLive(view.scene(), setup.model, fields_of(setup)), view.tracks());

  ViewFacts facts = view.facts();
  facts.file = fs::path(setup.scene.file).filename().string();
  facts.live = true;
  facts.finished = false;
  facts.times.clear();
  facts.steps.clear();
  facts.sounds.clear();
  facts.summary.clear();
  facts.plots = empty_plots(setup.model);
  ViewHeader header = view_header(view.scene(), encoder->tracks, facts);

  Made made;
  made.controls = live_controls(results.resolved(), setup.model);
  {
    const std::lock_guard lock(lock_);
    made.generation = newest_.generation + 1;
  }
  header.json.insert(1, fmt::format("\"generation\":{},", made.generation));
  made.header = std::make_shared<const std::string>(std::move(header.json));
  made.fixed = std::make_shared<const std::string>(std::move(header.bytes));

  std::string layout;
  for (const ViewTrack& track : encoder->tracks.tracks)
    layout += fmt::format("{} {} {};", track.body, track.name, track.width());
  return {[encoder](const Simulation& now) { encoder->live.look(now); },
          [encoder] {
            encoder->live.finish();
            std::string record;
            encoder->records.append(encoder->live, 0, record);
            return record;
          },
          layout, [this, made] {  // not earlier: until now the frames belong to the previous header
            const std::lock_guard lock(lock_);
            before_ = std::exchange(newest_, made);
          }};
}

/// With the present values of the controls.
ViewContent::Bytes ViewOfRun::header() {
  Made made;
  {
    const std::lock_guard lock(lock_);
    made = newest_;
  }
  std::string text = *made.header;
  text.insert(1, "\"controls\":" + present_controls(made.controls, *run_) + ",");
  return std::make_shared<const std::string>(std::move(text));
}

ViewContent::Bytes ViewOfRun::fixed(std::uint64_t generation) {
  const std::lock_guard lock(lock_);
  if (generation == 0 || generation == newest_.generation) return newest_.fixed;
  return generation == before_.generation ? before_.fixed : nullptr;
}

ViewContent::Bytes ViewOfRun::frames(std::uint64_t first, std::uint64_t last) {
  const std::vector<LiveFrame> frames = run_->frames(first, last);
  if (frames.empty()) first = 0;  // an empty chunk: the run may have been restarted
  std::vector<double> times;
  std::vector<std::uint32_t> steps, offsets{0};
  std::string records;
  std::size_t bytes = 0;
  for (const LiveFrame& frame : frames) bytes += frame.record->size();
  records.reserve(bytes);
  for (const LiveFrame& frame : frames) {
    times.push_back(frame.t);
    steps.push_back(static_cast<std::uint32_t>(frame.step));
    records += *frame.record;
    offsets.push_back(static_cast<std::uint32_t>(records.size()));
  }
  return std::make_shared<const std::string>(
      view_chunk(static_cast<std::uint32_t>(first), times, steps, offsets, records));
}

std::string ViewOfRun::events(Cursor& cursor, std::chrono::milliseconds wait) {
  run_->wait_for_news(cursor.state, cursor.row, wait);
  const Bytes told = news(cursor);
  std::string text;
  std::uint64_t generation;
  // read after the news but sent before it: frames counted in the news belong to this or an earlier
  // header
  {
    const std::lock_guard lock(lock_);
    generation = newest_.generation;
  }
  if (cursor.generation != generation) {
    if (cursor.generation != 0) text += event("header", {{"generation", generation}});
    cursor.generation = generation;
  }
  return text + *told;
}

/// Most listeners are at the same position, so the text is made once for all of them.
ViewContent::Bytes ViewOfRun::news(Cursor& cursor) {
  const std::lock_guard lock(news_lock_);
  if (!news_.text || news_.state != cursor.state || news_.from != cursor.row) {
    news_.state = cursor.state;
    news_.from = news_.to = cursor.row;
    std::string text = event("state", state_json(run_->state()));
    const auto rows = run_->rows(news_.to);
    if (!rows.empty()) text += event("rows", rows_json(rows, run_->columns()));
    news_.text = std::make_shared<const std::string>(std::move(text));
  }
  cursor.row = news_.to;
  return news_.text;
}

std::string ViewOfRun::control(std::string_view request) {
  const auto refused = [](const std::string& why) { return EventJson{{"error", why}}.dump(); };
  const auto json = EventJson::parse(request, nullptr, false);
  if (!json.is_object() || !json.contains("do") || !json["do"].is_string())
    return refused("control: not a request; for example {\"do\": \"start\"}");
  const std::string what = json["do"].get<std::string>();
  const std::lock_guard one_at_a_time(making_);
  try {
    if (what == "start") {
      run_->start();
    } else if (what == "pause") {
      run_->pause();
    } else if (what == "step") {
      run_->step();
    } else if (what == "restart") {
      run_->restart();
    } else if (what == "set") {
      if (!json.contains("path") || !json["path"].is_string() || !json.contains("value") ||
          json["value"].is_structured())
        return refused("control: `set` requires a path and a value");
      const std::string path = json["path"].get<std::string>();
      const EventJson& value = json["value"];
      if (path.starts_with(kSetPoint))
        give_set_point(*run_, path,
                       value.is_null()     ? std::nullopt
                       : value.is_string() ? std::optional(value.get<std::string>())
                                           : std::optional(value.dump()));
      else if (path == kSpeed)
        run_->pace(value.is_number() ? value.get<double>() : -1.0);
      else
        run_->set(path, text_of_change(EventJson::parse(write_scene(run_->setup()->scene.spec)),
                                       path, value));
    } else {
      return refused("control: '" + what +
                     "' is not a command; allowed: start, pause, step, restart, set");
    }
  } catch (const SceneError& error) {
    // Text from other files is shown only on the terminal of their owner.
    if (error.placed() && !error.file().starts_with("--set ") &&
        error.file() != run_->setup()->scene.file) {
      complain(std::string("view: ") + error.what());
      return refused(
          "control: the scene cannot be built because of an error in a file; see the terminal of "
          "`saltus view`");
    }
    return refused(error.what());
  } catch (const std::exception& error) {
    return refused(error.what());
  } catch (...) {
    return refused("control: stopped by an unknown error");
  }
  return EventJson{{"ok", true}}.dump();
}

}  // namespace saltus::app
