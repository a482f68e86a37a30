#include "saltus/phases/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "saltus/base/error.h"
#include "saltus/results/layout.h"
#include "saltus/results/output_file.h"

namespace saltus {
namespace {

constexpr std::string_view kStateFormat = "saltus-state";
constexpr std::int64_t kStateVersion = 1;

void require(bool good, const h5::Object& at, const std::string& what) {
  if (!good) throw h5::Error(at.label() + ": " + what);
}

std::vector<std::string> read_names(const h5::Group& body) {
  if (!body.has("names")) return {body.text("name")};
  const auto json = nlohmann::json::parse(body.dataset("names").text(), nullptr, false);
  require(json.is_array() && !json.empty(), body, "names must be a list of names");
  std::vector<std::string> names;
  for (const auto& name : json) {
    require(name.is_string(), body, "names must be a list of names");
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::vector<double> row_of(const h5::Group& group, const char* table, std::size_t row) {
  const h5::Dataset data = group.dataset(table);
  require(row < data.rows(), data, "rows are missing");
  return data.reals(row, 1);
}

/// Inserts the values of the degrees of freedom `held`.
std::vector<double> with_held(const h5::Group& body, const std::vector<double>& free,
                              const std::vector<std::int32_t>& held,
                              const std::vector<double>& values) {
  const std::size_t count = free.size() + held.size();
  std::vector<double> all;
  all.reserve(count);
  std::size_t next = 0, h = 0;
  for (std::size_t dof = 0; dof < count; ++dof) {
    const bool at_held = h < held.size() && held[h] == static_cast<std::int32_t>(dof);
    if (!at_held && next == free.size()) break;
    all.push_back(at_held ? (values.empty() ? 0.0 : values[h]) : free[next]);
    ++(at_held ? h : next);
  }
  require(all.size() == count && (values.empty() || values.size() == held.size()), body,
          "held must be increasing numbers of degrees of freedom");
  return all;
}

/// Nodes of a mesh whose every degree of freedom is a node's.
bool is_mesh(const h5::Group& body) {
  if (!body.has("dof") || !body.has("displacement")) return false;
  const std::vector<std::int32_t> dof = body.dataset("dof").integers();
  return std::ranges::any_of(dof, [](std::int32_t at) { return at >= 0; });
}

WholeBodies bodies_in(const ResultsReader& results, const std::string& name, std::size_t frame) {
  const h5::Group body = results.hdf5().group("bodies/" + name);
  WholeBodies of;
  of.kind = body.text("kind");
  of.names = read_names(body);
  if (body.has("nodes") && !body.has("shapes")) of.nodes = body.dataset("nodes").reals();
  if (is_mesh(body)) {
    of.q = row_of(body, "displacement", frame);
    of.v = results.node_velocity(name, frame, 1);
    require(of.q.size() == of.nodes.size() && of.v.size() == of.q.size(), body,
            "tables of different lengths");
    return of;
  }
  of.q = row_of(body, "q", frame);
  of.v = row_of(body, "velocity", frame);
  if (!body.has("held")) return of;
  const std::vector<std::int32_t> held = body.dataset("held").integers();
  const bool moving = body.has("held_position");
  const std::vector<double> none;
  of.q = with_held(body, of.q, held, moving ? row_of(body, "held_position", frame) : none);
  of.v = with_held(body, of.v, held, moving ? row_of(body, "held_velocity", frame) : none);
  return of;
}

std::vector<WholeJoint> joints_in(const h5::File& file, std::size_t frame, double t) {
  std::vector<WholeJoint> joints;
  if (!file.has("joints")) return joints;
  const h5::Group all = file.group("joints");
  for (const std::string& name : layout::in_order(all)) {
    const h5::Group group = all.group(name);
    WholeJoint& joint = joints.emplace_back();
    joint.name = group.text("name");
    if (group.has("angle")) joint.angles = row_of(group, "angle", frame);
    joint.broken = group.has_attribute("broken_at") && group.real("broken_at") <= t;
  }
  return joints;
}

std::size_t frame_at(const std::vector<double>& times, double time, const std::string& file,
                     const std::string& path) {
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(times, time) - times.begin());
  std::size_t best = std::min(next, times.size() - 1);
  if (next > 0 && std::abs(times[next - 1] - time) <= std::abs(times[best] - time)) best = next - 1;
  if (std::abs(times[best] - time) <= 1e-9 * times.back()) return best;
  throw SceneError(path + "time", fmt::format("{} has no frame at {:.9g} s", file, time),
                   fmt::format("the nearest one is frame {}, at {:.9g} s", best, times[best]));
}

/// Faults of a file that was made by another program.
void expect_sound(const WholeState& state, const std::string& file) {
  const auto finite = [](const std::vector<double>& x) {
    return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
  };
  for (const WholeBodies& of : state.bodies) {
    if (of.names.empty() || of.q.size() % of.names.size() != 0 ||
        of.v.size() % of.names.size() != 0)
      layout::damaged(file, "'" + (of.names.empty() ? "" : of.names.front()) +
                                "' has no whole number of coordinates");
    if (!finite(of.q) || !finite(of.v) || !finite(of.nodes))
      layout::damaged(file, "the state of '" + of.names.front() + "' is not finite");
  }
}

WholeState read_state_format(const h5::File& file) {
  WholeState state;
  state.t = file.real("time");
  const h5::Group bodies = file.group("bodies");
  for (const std::string& name : layout::in_order(bodies)) {
    const h5::Group body = bodies.group(name);
    WholeBodies& of = state.bodies.emplace_back();
    of.kind = body.text("kind");
    of.names = read_names(body);
    of.q = body.dataset("position").reals();
    of.v = body.dataset("velocity").reals();
    if (body.has("nodes")) of.nodes = body.dataset("nodes").reals();
  }
  const h5::Group joints = file.group("joints");
  for (const std::string& name : layout::in_order(joints)) {
    const h5::Group group = joints.group(name);
    state.joints.push_back({group.text("name"), {}, group.integer("broken") != 0});
    if (group.has("angle")) state.joints.back().angles = group.dataset("angle").reals();
  }
  return state;
}

}  // namespace

WholeState state_in(const ResultsReader& results, const FrameChoice& which,
                    const std::string& path) {
  const std::string& file = results.file();
  const std::vector<double> times = results.frame_times();
  const auto count = static_cast<int>(times.size());
  if (count == 0)
    throw SceneError(path + "frame", file + " contains no frames",
                     "run its scene with results.frames > 0");
  const int frame = which.frame.value_or(-1);
  if (frame >= count || frame < -count)
    throw SceneError(path + "frame", fmt::format("{} has no frame {}", file, frame),
                     fmt::format("allowed: {} to {}", -count, count - 1));
  const std::size_t row = which.time ? frame_at(times, *which.time, file, path)
                                     : static_cast<std::size_t>(frame < 0 ? count + frame : frame);
  WholeState state;
  state.t = times[row];
  try {
    for (const BodyColumn& body : results.bodies())
      if (body.velocities > 0)
        state.bodies.push_back(bodies_in(results, body.name, row));
      else
        for (std::string& name : read_names(results.hdf5().group("bodies/" + body.name)))
          state.led.push_back(std::move(name));
    state.joints = joints_in(results.hdf5(), row, state.t);
  } catch (const h5::Error& error) {
    layout::damaged(file, error);
  }
  expect_sound(state, file);
  return state;
}

void write_state(const std::string& file, const WholeState& state, const std::string& from) {
  OutputFile output(file);
  h5::File out = h5::File::create(output.part());
  out.set("format", kStateFormat);
  out.set("version", kStateVersion);
  out.set("time", state.t);
  out.set("source", std::filesystem::path(from).filename().string());
  const h5::Group bodies = out.create_group("bodies");
  std::vector<std::string> names;
  for (const WholeBodies& of : state.bodies) names.push_back(of.names.front());
  names = layout::object_names(names, "body");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const WholeBodies& of = state.bodies[i];
    const h5::Group body = bodies.create_group(names[i]);
    body.set("index", static_cast<std::int64_t>(i));
    body.set("kind", of.kind);
    body.write("names", nlohmann::json(of.names).dump());
    layout::described(body.write("position", of.q, of.positions()), "m, rad, 1",
                      "one row per body; with held degrees of freedom");
    layout::described(body.write("velocity", of.v, of.velocities()), "m/s, rad/s, 1/s",
                      "one row per body; with held degrees of freedom");
    if (!of.nodes.empty())
      layout::described(body.write("nodes", of.nodes, 3), "m", "reference positions of the nodes");
  }
  const h5::Group joints = out.create_group("joints");
  names.clear();
  for (const WholeJoint& joint : state.joints) names.push_back(joint.name);
  names = layout::object_names(names, "joint");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const WholeJoint& joint = state.joints[i];
    const h5::Group group = joints.create_group(names[i]);
    group.set("index", static_cast<std::int64_t>(i));
    group.set("name", joint.name);
    group.set("broken", std::int64_t{joint.broken ? 1 : 0});
    if (!joint.angles.empty())
      layout::described(group.write("angle", joint.angles), "rad",
                        "its coordinates that are angles, over any number of turns");
  }
  out.close();
  output.commit(out.size_on_disk());
}

WholeState read_state(const std::string& file, const FrameChoice& which, const std::string& path) {
  {
    const h5::File any = layout::open_any(file);
    try {
      if (any.has_attribute("format") && any.text("format") == kStateFormat) {
        if (which.frame || which.time)
          throw SceneError(path + (which.frame ? "frame" : "time"),
                           file + " contains one state, not frames", "leave it out");
        layout::check_format(any, file, kStateFormat);
        WholeState state = read_state_format(any);
        expect_sound(state, file);
        return state;
      }
    } catch (const h5::Error& error) {
      layout::damaged(file, error);
    }
  }
  return read_settled([&] { return state_in(ResultsReader(file), which, path); });
}

}  // namespace saltus
