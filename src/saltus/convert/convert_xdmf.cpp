// XDMF: a text that refers to the datasets of each frame, and those datasets. Each frame has its
// own datasets, because readers differ in how they select parts of larger ones.
#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "saltus/convert/convert.h"
#include "saltus/convert/convert_members.h"
#include "saltus/convert/convert_names.h"
#include "saltus/exchange/vtk_file.h"
#include "saltus/results/output_file.h"

namespace saltus {
namespace {

/// Number of an element type in mixed topologies.
int xdmf_type(ElementKind linear) {
  switch (linear) {
    case ElementKind::bar2:
      return 2;
    case ElementKind::tri3:
      return 4;
    case ElementKind::quad4:
      return 5;
    case ElementKind::tet4:
      return 6;
    case ElementKind::pyramid5:
      return 7;
    case ElementKind::wedge6:
      return 8;
    default:
      return 9;  // hex8
  }
}

class XdmfWriter {
 public:
  XdmfWriter(const ResultsReader& results, const std::string& stem)
      : results_(results),
        view_(results),
        text_path_(stem + ".xdmf"),
        data_path_(stem + ".xdmf.h5"),
        name_(std::filesystem::path(data_path_).filename().string()) {
    require_other(results, text_path_, {});
    require_other(results, data_path_, {});
  }

  std::vector<std::string> write() {
    const std::vector<ViewBody>& bodies = view_.scene().bodies;
    bool any = false;
    for (const ViewBody& body : bodies)
      any = any || body.mesh || !body.line.empty() || has_members(body);
    if (!any) nothing_for(results_, "no body with a mesh, a line or a position");
    OutputFile data(data_path_), text(text_path_);
    file_ = h5::File::create(data.part());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      file_.create_group(results_.bodies()[b].name);
      topology_.push_back(bodies[b].mesh           ? mesh_topology(b)
                          : bodies[b].line.empty() ? points_topology(b)
                                                   : line_topology(b));
    }
    text.write(
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (std::size_t k = 0; k < view_.frames(); ++k) {
      text.write(
          fmt::format("<Grid Name=\"frame {}\" GridType=\"Collection\" "
                      "CollectionType=\"Spatial\">\n<Time Value=\"{}\"/>\n",
                      k, view_.time(k)));
      for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!topology_[b].empty()) text.write(grid(b, k));
      text.write("</Grid>\n");
    }
    text.write("</Grid>\n</Domain>\n</Xdmf>\n");
    file_.close();
    data.commit();
    text.commit();
    return {text_path_, data_path_};
  }

 private:
  /// Writes a dataset in the group of a body, and returns the element that refers to it.
  template <class Number>
  std::string put(const std::string& body, const std::string& name,
                  const std::vector<Number>& values, std::size_t columns) {
    file_.group(body).write(name, std::span(values), columns == 1 ? 0 : columns);
    const std::string dimensions = columns == 1
                                       ? std::to_string(values.size())
                                       : fmt::format("{} {}", values.size() / columns, columns);
    return fmt::format(
        "<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" "
        "Dimensions=\"{}\">{}:/{}/{}</DataItem>\n",
        std::is_same_v<Number, double> ? "Float" : "Int", sizeof(Number), dimensions,
        xml_text(name_), xml_text(body), name);
  }

  std::string mesh_topology(std::size_t b) {
    const Mesh& mesh = *view_.scene().bodies[b].mesh;
    std::vector<std::int32_t> mixed;
    for (const ElementBlock& block : mesh.blocks) {
      const ElementKind linear = linear_kind(block.kind);
      for (int e = 0; e < block.elements(); ++e) {
        mixed.push_back(xdmf_type(linear));
        // polylines need their number of points
        if (linear == ElementKind::bar2) mixed.push_back(2);
        const auto corners = static_cast<std::size_t>(info(block.kind).corners);
        for (int a : block.element(e).first(corners)) mixed.push_back(a);
      }
    }
    const std::string numbers = put(results_.bodies()[b].name, "topology", mixed, 1);
    return fmt::format("<Topology TopologyType=\"Mixed\" NumberOfElements=\"{}\">\n{}</Topology>\n",
                       mesh.elements(), numbers);
  }

  /// 0, 1, ...
  std::string all_points(std::size_t b, std::size_t count) {
    std::vector<std::int32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return put(results_.bodies()[b].name, "topology", numbers, 1);
  }

  std::string line_topology(std::size_t b) {
    const std::size_t points = view_.scene().bodies[b].line.size() / 3;
    return fmt::format(
        "<Topology TopologyType=\"Polyline\" NumberOfElements=\"1\" "
        "NodesPerElement=\"{}\">\n{}</Topology>\n",
        points, all_points(b, points));
  }

  std::string points_topology(std::size_t b) {
    const ViewBody& body = view_.scene().bodies[b];
    if (!has_members(body)) return "";
    const std::string list = all_points(b, static_cast<std::size_t>(body.members));
    return fmt::format(
        "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" "
        "NodesPerElement=\"1\">\n{}</Topology>\n",
        body.members, list);
  }

  /// A body in a frame.
  std::string grid(std::size_t b, std::size_t k) {
    const ViewBody& body = view_.scene().bodies[b];
    const std::string& table = results_.bodies()[b].name;
    const std::string number = std::to_string(k);
    std::string text = fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n{}",
                                   xml_text(body.name), topology_[b]);
    const auto geometry = [&](const std::vector<double>& places) {
      text += "<Geometry GeometryType=\"XYZ\">\n" + put(table, "places-" + number, places, 3) +
              "</Geometry>\n";
    };
    const auto attribute = [&](const char* name, const char* type, const std::string& dataset,
                               const std::vector<double>& values, std::size_t columns) {
      if (values.empty()) return;
      text +=
          fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">\n", name, type);
      text += put(table, dataset + "-" + number, values, columns) + "</Attribute>\n";
    };
    if (body.mesh || !body.line.empty()) {
      const std::span<const double> row = view_.row(b, "displacement", k);
      const std::vector<double> u(row.begin(), row.end());
      const double* const rest = body.mesh ? body.mesh->nodes.data() : body.line.data();
      const std::size_t numbers =
          body.mesh ? static_cast<std::size_t>(body.mesh->nodes.size()) : body.line.size();
      if (u.size() != numbers)
        throw SceneError(body.name,
                         "is damaged: displacement does not match the columns of its points",
                         "run the scene again");
      std::vector<double> places = u;
      for (std::size_t i = 0; i < places.size(); ++i) places[i] += rest[i];
      geometry(places);
      attribute("displacement", "Vector", "displacement", u, 3);
    }
    if (body.mesh) {
      attribute("velocity", "Vector", "velocity", results_.node_velocity(table, k, 1), 3);
      for (const char* tensor : {"stress", "strain"}) {
        // All nine components: for a Tensor6 (xx, xy, xz, yy, yz, zz) ParaView's Xdmf3 readers
        // label the second number yy.
        const std::vector<double> six = results_.body(table, tensor, k, 1);
        std::vector<double> full;
        for (std::size_t a = 0; a + 5 < six.size(); a += 6)
          for (std::size_t i : {0, 3, 5, 3, 1, 4, 5, 4, 2}) full.push_back(six[a + i]);
        attribute(tensor, "Tensor", tensor, full, 9);
      }
      attribute("von Mises", "Scalar", "von_mises", results_.body(table, "von_mises", k, 1), 1);
    } else if (body.line.empty()) {
      const MemberRows rows = member_rows(results_, view_, b, k);
      geometry(rows.place);
      attribute("rotation", "Tensor", "rotation", rows.turn, 9);
      attribute("velocity", "Vector", "velocity", rows.velocity, 3);
      attribute("angular velocity", "Vector", "angular_velocity", rows.spin, 3);
    }
    return text + "</Grid>\n";
  }

  const ResultsReader& results_;
  ViewFile view_;
  std::string text_path_, data_path_, name_;
  h5::File file_;
  std::vector<std::string> topology_;  ///< one per body; empty: it is not written
};

}  // namespace

std::vector<std::string> convert_xdmf(const ResultsReader& results, const std::string& stem) {
  return XdmfWriter(results, stem).write();
}

}  // namespace saltus
