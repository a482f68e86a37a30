// Rigid bodies, particles, strings and contacts for ParaView: points, surfaces, lines, series of
// them.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "saltus/convert/convert.h"
#include "saltus/convert/convert_members.h"
#include "saltus/convert/convert_names.h"
#include "saltus/exchange/vtk_file.h"

namespace saltus {
namespace {

/// A sphere of radius 1: 16 meridians, 8 zones.
ViewShape drawn_ball() {
  constexpr std::uint32_t kAround = 16, kZones = 8;
  ViewShape ball;
  ball.points = {0, 0, 1};
  for (std::uint32_t i = 1; i < kZones; ++i)
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const double theta = std::numbers::pi * i / kZones,
                   phi = 2.0 * std::numbers::pi * k / kAround;
      ball.points.insert(ball.points.end(), {std::sin(theta) * std::cos(phi),
                                             std::sin(theta) * std::sin(phi), std::cos(theta)});
    }
  ball.points.insert(ball.points.end(), {0, 0, -1});
  const std::uint32_t last = kAround * (kZones - 1) + 1;
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    ball.triangles.insert(ball.triangles.end(), {a, b, c});
  };
  for (std::uint32_t k = 0; k < kAround; ++k) {
    const std::uint32_t next = (k + 1) % kAround, low = kAround * (kZones - 2) + 1;
    add(0, 1 + k, 1 + next);
    for (std::uint32_t i = 0; i + 2 < kZones; ++i) {
      const std::uint32_t a = 1 + kAround * i, b = a + kAround;
      add(a + k, b + k, b + next);
      add(a + k, b + next, a + next);
    }
    add(low + k, last, low + next);
  }
  return ball;
}

/// y = origin + A x, A row by row.
std::array<double, 3> placed_point(const double* origin, const double* A, const double* x) {
  std::array<double, 3> y{};
  for (std::size_t i = 0; i < 3; ++i)
    y[i] = origin[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
  return y;
}

/// The files of one frame.
class VtpFrames {
 public:
  VtpFrames(const ResultsReader& results, std::string stem)
      : results_(results), view_(results), stem_(std::move(stem)), ball_(drawn_ball()) {
    for (std::size_t b = 0; b < view_.scene().bodies.size(); ++b) {
      if (has_members(view_.scene().bodies[b])) bodies_.push_back(b);
      if (!view_.scene().bodies[b].line.empty()) lines_.push_back(b);
    }
  }

  std::vector<std::string> write() {
    const bool contacts = has_contacts(view_);
    if (bodies_.empty() && lines_.empty() && !contacts)
      nothing_for(results_, "no bodies with a place, no strings and no contacts");
    const auto digits = std::to_string(std::max<std::size_t>(view_.frames(), 1) - 1).size();
    for (std::size_t k = 0; k < view_.frames(); ++k) {
      const std::string number = fmt::format("{:0{}}", k, digits);
      std::vector<MemberRows> rows(view_.scene().bodies.size());
      if (!bodies_.empty()) write_members(k, number, rows);
      write_shapes(k, number, rows);
      if (!lines_.empty()) write_lines(k, number);
      if (contacts) write_contacts(k, number);
    }
    for (const auto& [name, series] : series_) {
      const std::string path = file_name(stem_, name, ".pvd");
      require_other(results_, path, written_);
      write_pvd(path, series);
      written_.push_back(path);
    }
    return std::move(written_);
  }

 private:
  std::string new_file(std::size_t k, const std::string& name, const std::string& number) {
    const std::string path = file_name(stem_, name + "." + number, ".vtp");
    require_other(results_, path, written_);
    written_.push_back(path);
    series_[name].push_back({view_.time(k), 0, std::filesystem::path(path).filename().string()});
    return path;
  }

  void write_members(std::size_t k, const std::string& number, std::vector<MemberRows>& rows) {
    std::vector<double> place, rotation, velocity, spin, body, member;
    for (std::size_t b : bodies_) {
      MemberRows& r = rows[b] = member_rows(results_, view_, b, k);
      place.insert(place.end(), r.place.begin(), r.place.end());
      rotation.insert(rotation.end(), r.rotation.begin(), r.rotation.end());
      r.velocity.resize(r.place.size(), std::nan(""));  // not in the file
      const bool turns = view_.scene().bodies[b].kind != "particles";
      r.spin.resize(r.place.size(), turns ? std::numeric_limits<double>::quiet_NaN() : 0.0);
      velocity.insert(velocity.end(), r.velocity.begin(), r.velocity.end());
      spin.insert(spin.end(), r.spin.begin(), r.spin.end());
      for (std::size_t m = 0; 3 * m < r.place.size(); ++m) {
        body.push_back(static_cast<double>(b));
        member.push_back(static_cast<double>(m));
      }
    }
    const std::array fields{VtkField{"rotation", 4, rotation}, VtkField{"velocity", 3, velocity},
                            VtkField{"angular velocity", 3, spin}, VtkField{"body", 1, body},
                            VtkField{"member", 1, member}};
    write_vtp(new_file(k, "bodies", number), view_.time(k), place, {}, fields);
  }

  void write_shapes(std::size_t k, const std::string& number, const std::vector<MemberRows>& rows) {
    std::vector<double> points, body, member;
    std::vector<std::uint32_t> triangles;
    for (const ViewInstance& instance : view_.scene().instances) {
      const ViewShape& placed = view_.scene().shapes[static_cast<std::size_t>(instance.shape)];
      if (placed.kind == ViewShape::Kind::plane) continue;  // infinite
      const ViewShape& shape = placed.kind == ViewShape::Kind::sphere ? ball_ : placed;
      const bool moves = instance.body >= 0;
      if (moves && rows[static_cast<std::size_t>(instance.body)].place.empty()) continue;
      const auto m = static_cast<std::size_t>(instance.member);
      const std::array<double, 9> R = rotation_rows(instance.rotation.data());
      const auto first = static_cast<std::uint32_t>(points.size() / 3);
      for (std::size_t i = 0; i + 2 < shape.points.size(); i += 3) {
        const std::array<double, 3> local{instance.scale[0] * shape.points[i],
                                          instance.scale[1] * shape.points[i + 1],
                                          instance.scale[2] * shape.points[i + 2]};
        std::array<double, 3> x = placed_point(instance.place.data(), R.data(), local.data());
        if (moves) {
          const MemberRows& r = rows[static_cast<std::size_t>(instance.body)];
          x = placed_point(r.place.data() + 3 * m, r.turn.data() + 9 * m, x.data());
        }
        points.insert(points.end(), x.begin(), x.end());
      }
      for (std::uint32_t corner : shape.triangles) triangles.push_back(first + corner);
      body.resize(body.size() + shape.triangles.size() / 3, instance.body);
      member.resize(member.size() + shape.triangles.size() / 3, instance.member);
    }
    if (triangles.empty()) return;
    const std::array fields{VtkField{"body", 1, body}, VtkField{"member", 1, member}};
    write_vtp(new_file(k, "shapes", number), view_.time(k), points, triangles, {}, fields);
  }

  /// Displaced strings and bars, one line each.
  void write_lines(std::size_t k, const std::string& number) {
    std::vector<double> place, displacement, body;
    std::vector<std::size_t> points;
    for (std::size_t b : lines_) {
      const std::vector<double>& rest = view_.scene().bodies[b].line;
      const std::span<const double> u = view_.row(b, "displacement", k);
      if (u.size() != rest.size())
        throw SceneError(view_.scene().bodies[b].name,
                         "is damaged: displacement does not match the columns of line/points",
                         "run the scene again");
      for (std::size_t i = 0; i < u.size(); ++i) place.push_back(rest[i] + u[i]);
      displacement.insert(displacement.end(), u.begin(), u.end());
      points.push_back(rest.size() / 3);
      body.push_back(static_cast<double>(b));
    }
    const VtkField on_points{"displacement", 3, displacement}, on_lines{"body", 1, body};
    write_vtp_lines(new_file(k, "lines", number), view_.time(k), place, points, {&on_points, 1},
                    {&on_lines, 1});
  }

  void write_contacts(std::size_t k, const std::string& number) {
    view_.contacts(k, contacts_);
    std::vector<double> point, normal, force, gap, status, bodies;
    for (const ViewContact& c : contacts_) {
      point.insert(point.end(), c.point.begin(), c.point.end());
      normal.insert(normal.end(), c.normal.begin(), c.normal.end());
      force.insert(force.end(), c.force.begin(), c.force.end());
      gap.push_back(c.gap);
      status.push_back(c.status);
      bodies.insert(bodies.end(), c.body.begin(), c.body.end());
    }
    const std::array fields{VtkField{"normal", 3, normal}, VtkField{"force", 3, force},
                            VtkField{"gap", 1, gap}, VtkField{"status", 1, status},
                            VtkField{"bodies", 4, bodies}};
    write_vtp(new_file(k, "contacts", number), view_.time(k), point, {}, fields);
  }

  const ResultsReader& results_;
  ViewFile view_;
  std::string stem_;
  ViewShape ball_;
  std::vector<std::size_t> bodies_, lines_;  ///< indices of bodies with members, and of lines
  std::vector<ViewContact> contacts_;
  std::map<std::string, std::vector<PvdEntry>> series_;
  std::vector<std::string> written_;
};

}  // namespace

std::vector<std::string> convert_vtp(const ResultsReader& results, const std::string& stem) {
  return VtpFrames(results, stem).write();
}

}  // namespace saltus
