// Bodies with a mesh: series for ParaView, time histories of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "saltus/convert/convert.h"
#include "saltus/convert/convert_names.h"
#include "saltus/exchange/csv_write.h"
#include "saltus/exchange/vtk_file.h"

namespace saltus {
namespace {

/// The selected nodes: their positions in the tables, and their numbers.
struct ChosenNodes {
  std::vector<int> place, number;
};

/// Numbers of nodes, or the name of a node set, as in "12,57" and "tip"; nothing if the mesh
/// contains neither. `numbers`: numbers of the nodes of a boundary surface in the whole mesh;
/// empty: equal to their positions.
std::optional<ChosenNodes> chosen_nodes(const Mesh& mesh, const std::vector<int>& numbers,
                                        const std::string& nodes) {
  ChosenNodes list;
  if (const auto set = mesh.node_sets.find(nodes); set != mesh.node_sets.end()) {
    list.place = set->second;
    for (int a : list.place)
      list.number.push_back(numbers.empty() ? a : numbers[static_cast<std::size_t>(a)]);
    return list;
  }
  for (std::size_t at = 0; at <= nodes.size();) {
    const std::size_t end = std::min(nodes.find(',', at), nodes.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(nodes.data() + at, nodes.data() + end, value);
    if (error != std::errc{} || stop != nodes.data() + end) return std::nullopt;
    const auto found = std::ranges::lower_bound(numbers, value);
    if (numbers.empty() ? value < 0 || value >= mesh.nodes.cols()
                        : found == numbers.end() || *found != value)
      return std::nullopt;
    list.place.push_back(numbers.empty() ? value : static_cast<int>(found - numbers.begin()));
    list.number.push_back(value);
    at = end + 1;
  }
  return list;
}

/// The tables of one frame of a body with a mesh.
struct MeshFrame {
  std::vector<double> displacement, velocity, stress, von_mises, strain;

  MeshFrame(const ResultsReader& results, const std::string& body, std::size_t k)
      : displacement(results.body(body, "displacement", k, 1)),
        velocity(results.node_velocity(body, k, 1)),
        stress(results.body(body, "stress", k, 1)),
        von_mises(results.body(body, "von_mises", k, 1)),
        strain(results.body(body, "strain", k, 1)) {}
};

void write_histories(const ResultsReader& results, const BodyColumn& body, const ChosenNodes& nodes,
                     const std::string& path) {
  const bool stress = results.has(body.name, "stress");
  std::vector<CsvColumn> header{{"time", "s", {}}};
  const auto add = [&](int node, std::initializer_list<const char*> names, const char* unit) {
    for (const char* name : names) header.push_back({std::to_string(node) + " " + name, unit, {}});
  };
  for (int a : nodes.number) {
    add(a, {"ux", "uy", "uz"}, "m");
    add(a, {"vx", "vy", "vz"}, "m/s");
    if (stress) add(a, {"xx", "yy", "zz", "xy", "yz", "zx", "von Mises"}, "Pa");
  }
  CsvWriter writer(path, header);
  const std::vector<double> time = results.frame_times();
  std::vector<double> row;
  for (std::size_t k = 0; k < time.size(); ++k) {
    const MeshFrame frame(results, body.name, k);
    row.assign(1, time[k]);
    const auto put = [&](const std::vector<double>& table, int node, int width) {
      const auto first = table.begin() + std::ptrdiff_t{node} * width;
      row.insert(row.end(), first, first + width);
    };
    for (int a : nodes.place) {
      put(frame.displacement, a, 3);
      put(frame.velocity, a, 3);
      if (!stress) continue;
      put(frame.stress, a, 6);
      put(frame.von_mises, a, 1);
    }
    writer.row(row);
  }
  writer.commit();
}

}  // namespace

std::vector<std::string> convert_nodes(const ResultsReader& results, const std::string& stem,
                                       const std::string& nodes) {
  std::vector<std::string> written;
  bool meshes = false;
  for (const BodyColumn& body : results.bodies()) {
    if (!body.nodes) continue;
    meshes = true;
    const Mesh mesh = results.mesh(body.name);
    std::vector<int> numbers;
    if (results.has(body.name, "node")) {
      numbers = results.hdf5().dataset("bodies/" + body.name + "/node").integers();
      if (std::ssize(numbers) != mesh.nodes.cols() || !std::ranges::is_sorted(numbers))
        throw SceneError(body.name, "is damaged: node numbers must increase, with one per node",
                         "run the scene again");
    }
    const auto list = chosen_nodes(mesh, numbers, nodes);
    if (!list) continue;
    const std::string path = file_name(stem, body.name + ".nodes", ".csv");
    require_other(results, path, written);
    write_histories(results, body, *list, path);
    written.push_back(path);
  }
  if (!meshes) nothing_for(results, "no body with a mesh");
  if (written.empty())
    throw SceneError("--nodes", "no body contains the nodes '" + nodes + "'",
                     "numbers from 0, separated by commas, or the name of a node set");
  return written;
}

std::vector<std::string> convert_vtu(const ResultsReader& results, const std::string& stem) {
  std::vector<std::string> written;
  std::vector<PvdEntry> series;
  const std::vector<double> time = results.frame_times();
  const auto digits = std::to_string(std::max<std::size_t>(time.size(), 1) - 1).size();
  int part = 0;
  for (const BodyColumn& body : results.bodies()) {
    if (!body.nodes) continue;
    const Mesh mesh = results.mesh(body.name);
    std::vector<double> block;
    for (std::size_t b = 0; b < mesh.blocks.size(); ++b)
      block.insert(block.end(), static_cast<std::size_t>(mesh.blocks[b].elements()),
                   static_cast<double>(b));
    for (std::size_t k = 0; k < time.size(); ++k) {
      const MeshFrame frame(results, body.name, k);
      std::vector<double> places = frame.displacement;
      for (std::size_t i = 0; i < places.size(); ++i) places[i] += mesh.nodes.data()[i];
      std::vector<VtkField> fields{{"displacement", 3, frame.displacement},
                                   {"velocity", 3, frame.velocity}};
      if (!frame.stress.empty()) {
        fields.push_back({"stress", 6, frame.stress});
        fields.push_back({"von Mises", 1, frame.von_mises});
      }
      if (!frame.strain.empty()) fields.push_back({"strain", 6, frame.strain});
      const VtkField cells{"block", 1, block};
      const std::string path =
          file_name(stem, fmt::format("{}.{:0{}}", body.name, k, digits), ".vtu");
      require_other(results, path, written);
      write_vtu(path, time[k], mesh, places, fields, {&cells, 1});
      series.push_back({time[k], part, std::filesystem::path(path).filename().string()});
      written.push_back(path);
    }
    ++part;
  }
  if (part == 0) nothing_for(results, "no body with a mesh");
  std::ranges::stable_sort(series, {}, &PvdEntry::t);
  const std::string path = stem + ".pvd";
  require_other(results, path, written);
  write_pvd(path, series);
  written.push_back(path);
  return written;
}

}  // namespace saltus
