#include "saltus/view/view_header.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/results/cite.h"
#include "saltus/results/layout.h"
#include "saltus/view/view_bytes.h"

namespace saltus {
namespace {

using ViewJson = nlohmann::ordered_json;

ViewJson array_json(const ViewArray& array) {
  return {{"type", array.type}, {"at", array.at}, {"count", array.count}};
}

ViewJson index_or_null(int index) { return index < 0 ? ViewJson() : ViewJson(index); }

class HeaderWriter {
 public:
  HeaderWriter(const ViewScene& scene, const ViewTracks& tracks, const ViewFacts& facts)
      : scene_(scene), tracks_(tracks), facts_(facts) {}

  ViewHeader write() {
    ViewJson json{{"format", "saltus-view"}, {"version", 1},        {"title", facts_.title},
                  {"file", facts_.file},     {"live", facts_.live}, {"finished", facts_.finished}};
    json["bodies"] = bodies();
    json["frames"] = {{"count", facts_.times.size()},
                      {"time", put<double>(facts_.times)},
                      {"step", put<std::uint32_t>(facts_.steps)}};
    json["decimated"] = {{"every", facts_.every}, {"of", facts_.of}};
    json["contacts_left_out"] = facts_.contacts_left_out;
    json["box"] = tracks_.box;
    json["gravity"] = facts_.gravity ? ViewJson(*facts_.gravity) : ViewJson();
    json["tracks"] = tracks();
    json["frame_bytes"] = tracks_.record_bytes;
    json["contact_bytes"] = kViewContactBytes;
    json["shapes"] = shapes();
    json["instances"] = instances();
    json["poses"] = ViewJson::array();
    for (const auto& p : tracks_.poses)
      json["poses"].push_back(
          {{"body", p.body}, {"position", p.position}, {"rotation", index_or_null(p.rotation)}});
    json["affine"] = ViewJson::array();
    for (const auto& p : tracks_.affine)
      json["affine"].push_back(
          {{"body", p.body}, {"centre", p.centre}, {"deformation", p.deformation}});
    json["meshes"] = meshes();
    json["lines"] = ViewJson::array();
    for (const auto& line : tracks_.lines)
      json["lines"].push_back({{"body", line.body},
                               {"points", floats(line.points)},
                               {"displacement", line.displacement},
                               {"exaggerate", line.exaggerate}});
    json["marks"] = marks();
    json["plots"] = plots();
    json["sounds"] = sounds();
    json["joints"] = joints();
    json["fixed"] = {{"names", scene_.fixed_names}, {"colours", colours(scene_.fixed_colours)}};
    json["summary"] =
        facts_.summary.empty() ? ViewJson() : ViewJson::parse(facts_.summary, nullptr, false);
    if (json["summary"].is_discarded()) json["summary"] = nullptr;
    json["provenance"] = ViewJson::object();
    for (const auto& [name, text] : facts_.provenance) json["provenance"][name] = text;
    json["cite"] = facts_.cite;
    if (!facts_.controls.empty()) json["controls"] = ViewJson::parse(facts_.controls);
    pad_to(bytes_, 8);
    // invalid UTF-8 (names in a damaged file) must not stop a report
    return {json.dump(-1, ' ', false, ViewJson::error_handler_t::replace), std::move(bytes_)};
  }

 private:
  template <class T>
  ViewJson put(const std::vector<T>& values) {
    return array_json(add_array<T>(bytes_, values));
  }
  ViewJson floats(const std::vector<double>& values) {
    return array_json(add_floats(bytes_, values));
  }

  ViewJson bodies() const {
    ViewJson list = ViewJson::array();
    for (const ViewBody& body : scene_.bodies)
      list.push_back({{"name", body.name},
                      {"kind", body.kind},
                      {"scheme", body.scheme},
                      {"members", body.members},
                      {"names", body.names},
                      {"colours", colours(body.colours)}});
    return list;
  }

  static ViewJson colours(const std::vector<int>& of) {
    ViewJson list = ViewJson::array();
    for (const int one : of) list.push_back(one < 0 ? "" : fmt::format("#{:06x}", one));
    return list;
  }

  ViewJson joints() const {
    ViewJson list = ViewJson::array();
    for (const ViewJoint& joint : scene_.joints) {
      ViewJson& one = list.emplace_back(ViewJson{{"name", joint.name}, {"kind", joint.kind}});
      if (!joint.placed) continue;
      one["sides"] = {side(joint.side[0]), side(joint.side[1])};
      one["spring"] = (joint.acts & 1) != 0;
      one["damper"] = (joint.acts & 2) != 0;
      one["stops"] = (joint.acts & 4) != 0;
      one["actuator"] = (joint.acts & 16) != 0   ? "servo"
                        : (joint.acts & 8) != 0  ? "motor"
                        : (joint.acts & 64) != 0 ? "drive"
                        : (joint.acts & 32) != 0 ? "force"
                                                 : "";
      one["broken"] = joint.broken ? ViewJson(*joint.broken) : ViewJson();
    }
    return list;
  }
  ViewJson side(const ViewJoint::Side& of) const {
    return {{"body", of.body}, {"member", of.member}, {"place", of.place},
            {"axis", of.axis}, {"axis2", of.axis2},   {"point", nearest_point(of)}};
  }
  /// Of the surface or line as which the body is drawn, the point nearest to the place; -1: none.
  int nearest_point(const ViewJoint::Side& of) const {
    const std::vector<double>* points = nullptr;
    for (const ViewTracks::Surface& mesh : tracks_.meshes)
      if (static_cast<int>(mesh.body) == of.body) points = &mesh.points;
    for (const auto& line : tracks_.lines)
      if (static_cast<int>(line.body) == of.body) points = &line.points;
    if (!points || of.body < 0) return -1;
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 2 < points->size(); i += 3) {
      double square = 0.0;
      for (std::size_t k = 0; k < 3; ++k) square += std::pow((*points)[i + k] - of.place[k], 2);
      if (square < least) {
        least = square;
        best = static_cast<int>(i / 3);
      }
    }
    return best;
  }

  ViewJson tracks() const {
    ViewJson list = ViewJson::array();
    for (const ViewTrack& track : tracks_.tracks) {
      const bool levels = track.type == ViewTrack::Type::u16;
      std::vector<double> lo, hi;
      for (std::size_t a = 0; a < track.axes && levels; ++a) {
        const bool some = track.lo[a] <= track.hi[a];
        lo.push_back(some ? track.lo[a] : 0.0);
        hi.push_back(some ? track.hi[a] : 0.0);
      }
      list.push_back({{"name", track.name},
                      {"width", track.width()},
                      {"type", track.type == ViewTrack::Type::f32   ? "f32"
                               : track.type == ViewTrack::Type::u16 ? "u16"
                                                                    : "i16"},
                      {"axes", track.axes},
                      {"lo", lo},
                      {"hi", hi}});
    }
    return list;
  }

  ViewJson shapes() {
    ViewJson list = ViewJson::array();
    for (const ViewShape& shape : scene_.shapes) {
      if (shape.kind == ViewShape::Kind::mesh)
        list.push_back({{"kind", "mesh"},
                        {"points", floats(shape.points)},
                        {"triangles", put<std::uint32_t>(shape.triangles)},
                        {"edges", put<std::uint32_t>(shape.edges)}});
      else
        list.push_back({{"kind", shape.kind == ViewShape::Kind::plane ? "plane" : "sphere"}});
    }
    return list;
  }

  ViewJson instances() {
    std::vector<std::int32_t> shape, body, member;
    std::vector<double> place, rotation, scale;
    for (const ViewInstance& instance : scene_.instances) {
      shape.push_back(instance.shape);
      body.push_back(instance.body);
      member.push_back(instance.member);
      place.insert(place.end(), instance.place.begin(), instance.place.end());
      rotation.insert(rotation.end(), instance.rotation.begin(), instance.rotation.end());
      scale.insert(scale.end(), instance.scale.begin(), instance.scale.end());
    }
    return {{"shape", put<std::int32_t>(shape)},   {"body", put<std::int32_t>(body)},
            {"member", put<std::int32_t>(member)}, {"place", floats(place)},
            {"rotation", floats(rotation)},        {"scale", floats(scale)}};
  }

  ViewJson meshes() {
    ViewJson list = ViewJson::array();
    for (const ViewTracks::Surface& mesh : tracks_.meshes) {
      ViewJson fields = ViewJson::array();
      for (const ViewTracks::Field& field : mesh.fields) {
        const ViewTrack& track = tracks_.tracks[static_cast<std::size_t>(field.track)];
        const bool some = track.lo[0] <= track.hi[0];
        fields.push_back({{"name", field.name},
                          {"unit", field.unit},
                          {"track", field.track},
                          {"lo", some ? track.lo[0] : 0.0},
                          {"hi", some ? track.hi[0] : 0.0}});
      }
      list.push_back({{"body", mesh.body},
                      {"points", floats(mesh.points)},
                      {"triangles", put<std::uint32_t>(mesh.triangles)},
                      {"edges", put<std::uint32_t>(mesh.edges)},
                      {"displacement", mesh.displacement},
                      {"fields", fields}});
    }
    return list;
  }

  ViewJson marks() {
    std::vector<double> point, normal;
    std::vector<std::int32_t> body;
    for (const ViewMark& mark : scene_.marks) {
      point.insert(point.end(), mark.point.begin(), mark.point.end());
      normal.insert(normal.end(), mark.normal.begin(), mark.normal.end());
      body.push_back(mark.body);
    }
    return {{"point", floats(point)},
            {"normal", floats(normal)},
            {"body", put<std::int32_t>(body)},
            {"of", scene_.marks_of}};
  }

  ViewJson plots() {
    ViewJson list = ViewJson::array();
    for (const ViewPlot& plot : facts_.plots) {
      ViewJson series = ViewJson::array();
      for (const ViewSeries& one : plot.series)
        series.push_back({{"name", one.name}, {"data", put<double>(one.data)}, {"note", one.note}});
      list.push_back({{"title", plot.title},
                      {"unit", plot.unit},
                      {"log", plot.log},
                      {"own", plot.own},
                      {"time", put<double>(plot.time)},
                      {"series", series}});
    }
    return list;
  }

  ViewJson sounds() {
    ViewJson list = ViewJson::array();
    for (const ViewSound& sound : facts_.sounds)
      list.push_back({{"name", sound.name},
                      {"body", sound.body},
                      {"quantity", sound.quantity},
                      {"unit", sound.unit},
                      {"rate", sound.rate},
                      {"start", sound.start},
                      {"data", put<std::int16_t>(sound.data)},
                      {"peak", sound.peak},
                      {"mean", sound.mean},
                      {"note", sound.note}});
    return list;
  }

  const ViewScene& scene_;
  const ViewTracks& tracks_;
  const ViewFacts& facts_;
  std::string bytes_;
};

/// Gravity of the whole scene; nothing if there is none.
std::optional<std::array<double, 3>> gravity_of(const ResultsReader& results) {
  const auto scene = nlohmann::json::parse(results.resolved(), nullptr, false);
  if (!scene.is_object() || !scene.contains("gravity")) return std::nullopt;
  const auto& list = scene["gravity"];
  std::array<double, 3> g{};
  if (!list.is_array() || list.size() != 3) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!list[i].is_number()) return std::nullopt;
    g[i] = list[i].get<double>();
  }
  return g == std::array<double, 3>{} ? std::nullopt : std::optional(g);
}

}  // namespace

ViewHeader view_header(const ViewScene& scene, const ViewTracks& tracks, const ViewFacts& facts) {
  return HeaderWriter(scene, tracks, facts).write();
}

ViewFacts view_facts(const ResultsReader& results, std::size_t sound_bytes) {
  ViewFacts facts;
  facts.title = results.title();
  facts.file = std::filesystem::path(results.file()).filename().string();
  facts.finished = results.finished();
  facts.live = false;
  facts.plots = view_plots(results);
  facts.sounds = view_sounds(results, sound_bytes);
  facts.gravity = gravity_of(results);
  facts.summary = results.summary();
  facts.provenance = results.provenance();
  facts.cite = cited_keys(results);
  return facts;
}

}  // namespace saltus
