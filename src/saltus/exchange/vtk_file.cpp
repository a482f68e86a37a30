#include "saltus/exchange/vtk_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "saltus/base/error.h"
#include "saltus/results/output_file.h"

namespace saltus {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<int, kMaxElementNodes> kAsGmsh{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                    10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
// edges of VTK: 01 12 20 03 13 23
constexpr std::array<int, 10> kTet10{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
// edges of VTK: 01 12 23 30, 45 56 67 74, 04 15 26 37
constexpr std::array<int, 20> kHex20{0,  1, 2,  3,  4,  5,  6,  7,  8,  11,
                                     13, 9, 16, 18, 19, 17, 10, 12, 14, 15};

/// Writes one <DataArray>: the number of bytes, then the bytes.
template <class T>
void data_array(OutputFile& out, const char* type, std::string_view name, int components,
                std::span<const T> values) {
  const std::uint64_t size = values.size_bytes();
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  out.write(fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n{}\n"
      "</DataArray>\n",
      type, xml_text(name), components, base64(bytes)));
}

void write_fields(OutputFile& out, const char* where, std::span<const VtkField> list,
                  std::size_t count) {
  out.write(fmt::format("<{}>\n", where));
  for (const VtkField& field : list) {
    expects(field.values.size() == count * static_cast<std::size_t>(field.components),
            "write_vtu: one value per component and node, or element");
    data_array(out, "Float64", field.name, field.components, field.values);
  }
  out.write(fmt::format("</{}>\n", where));
}

/// Points and cells of one kind: "Verts", "Lines" or "Polys".
void poly_data(const std::string& path, double t, std::span<const double> places,
               std::string_view kind, std::span<const std::int64_t> connectivity,
               std::span<const std::int64_t> offset, std::span<const VtkField> on_points,
               std::span<const VtkField> on_cells) {
  const std::size_t points = places.size() / 3, cells = offset.size();
  std::string counts;
  for (const char* one : {"Verts", "Lines", "Strips", "Polys"})
    counts += fmt::format(" NumberOf{}=\"{}\"", one, kind == one ? cells : 0);
  OutputFile out(path);
  out.write(fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}"
      "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"{}\"{}>\n<Points>\n",
      t, points, counts));
  data_array(out, "Float64", "places", 3, places);
  out.write(fmt::format("</Points>\n<{}>\n", kind));
  data_array(out, "Int64", "connectivity", 1, connectivity);
  data_array(out, "Int64", "offsets", 1, offset);
  out.write(fmt::format("</{}>\n", kind));
  write_fields(out, "PointData", on_points, points);
  write_fields(out, "CellData", on_cells, cells);
  out.write("</Piece>\n</PolyData>\n</VTKFile>\n");
  out.commit();
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

std::span<const int> vtk_order(ElementKind kind) {
  if (kind == ElementKind::tet10) return kTet10;
  if (kind == ElementKind::hex20) return kHex20;
  return std::span(kAsGmsh).first(static_cast<std::size_t>(info(kind).nodes));
}

int vtk_type(ElementKind kind) {
  switch (kind) {
    case ElementKind::bar2:
      return 3;
    case ElementKind::bar3:
      return 21;
    case ElementKind::tri3:
      return 5;
    case ElementKind::tri6:
      return 22;
    case ElementKind::quad4:
      return 9;
    case ElementKind::quad8:
      return 23;
    case ElementKind::tet4:
      return 10;
    case ElementKind::tet10:
      return 24;
    case ElementKind::hex8:
      return 12;
    case ElementKind::hex20:
      return 25;
    case ElementKind::wedge6:
      return 13;
    case ElementKind::pyramid5:
      return 14;
  }
  return 0;
}

void write_vtu(const std::string& path, double t, const Mesh& mesh, std::span<const double> places,
               std::span<const VtkField> on_nodes, std::span<const VtkField> on_cells) {
  const auto nodes = static_cast<std::size_t>(mesh.nodes.cols());
  expects(places.size() == 3 * nodes, "write_vtu: three coordinates per node");
  std::vector<std::int64_t> connectivity, offset;
  std::vector<std::uint8_t> type;
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e) {
      const auto node = block.element(e);
      for (int a : vtk_order(block.kind)) connectivity.push_back(node[static_cast<std::size_t>(a)]);
      offset.push_back(static_cast<std::int64_t>(connectivity.size()));
      type.push_back(static_cast<std::uint8_t>(vtk_type(block.kind)));
    }
  OutputFile out(path);
  out.write(fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n"
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}"
      "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n",
      t, nodes, type.size()));
  data_array(out, "Float64", "places", 3, places);
  out.write("</Points>\n<Cells>\n");
  data_array(out, "Int64", "connectivity", 1, std::span<const std::int64_t>(connectivity));
  data_array(out, "Int64", "offsets", 1, std::span<const std::int64_t>(offset));
  data_array(out, "UInt8", "types", 1, std::span<const std::uint8_t>(type));
  out.write("</Cells>\n");
  write_fields(out, "PointData", on_nodes, nodes);
  write_fields(out, "CellData", on_cells, type.size());
  out.write("</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
  out.commit();
}

void write_vtp(const std::string& path, double t, std::span<const double> places,
               std::span<const std::uint32_t> triangles, std::span<const VtkField> on_points,
               std::span<const VtkField> on_cells) {
  const bool vertices = triangles.empty();
  std::vector<std::int64_t> connectivity(triangles.begin(), triangles.end()), offset;
  for (std::size_t i = 0; i < places.size() / 3 && vertices; ++i)
    connectivity.push_back(static_cast<std::int64_t>(i));
  const std::size_t corners = vertices ? 1 : 3;
  for (std::size_t end = corners; end <= connectivity.size(); end += corners)
    offset.push_back(static_cast<std::int64_t>(end));
  poly_data(path, t, places, vertices ? "Verts" : "Polys", connectivity, offset, on_points,
            on_cells);
}

void write_vtp_lines(const std::string& path, double t, std::span<const double> places,
                     std::span<const std::size_t> line, std::span<const VtkField> on_points,
                     std::span<const VtkField> on_cells) {
  std::vector<std::int64_t> connectivity, offset;
  for (std::size_t i = 0; i < places.size() / 3; ++i)
    connectivity.push_back(static_cast<std::int64_t>(i));
  std::int64_t end = 0;
  for (const std::size_t points : line) offset.push_back(end += static_cast<std::int64_t>(points));
  expects(end == std::ssize(connectivity), "write_vtp_lines: each point must belong to one line");
  poly_data(path, t, places, "Lines", connectivity, offset, on_points, on_cells);
}

void write_pvd(const std::string& path, std::span<const PvdEntry> entries) {
  OutputFile out(path);
  out.write(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n");
  for (const PvdEntry& entry : entries)
    out.write(fmt::format("<DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n", entry.t,
                          entry.part, xml_text(entry.file)));
  out.write("</Collection>\n</VTKFile>\n");
  out.commit();
}

}  // namespace saltus
