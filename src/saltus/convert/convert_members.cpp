#include "saltus/convert/convert_members.h"

#include <cmath>

namespace saltus {
namespace {

bool is_rigid(const ViewBody& body) {
  return body.kind == "rigid" && body.positions == 7 * static_cast<std::size_t>(body.members);
}
bool is_particles(const ViewBody& body) {
  return body.kind == "particles" && body.positions == 3 * static_cast<std::size_t>(body.members);
}

template <class Part>
void append_part(std::vector<double>& out, const Part& part) {
  out.insert(out.end(), part.begin(), part.end());
}

constexpr std::array<double, 4> kNoTurn{1, 0, 0, 0};

}  // namespace

std::array<double, 9> rotation_rows(const double* quaternion) {
  double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  const double norm = std::sqrt(w * w + x * x + y * y + z * z);
  if (!(norm > 0.0)) return {1, 0, 0, 0, 1, 0, 0, 0, 1};
  w /= norm, x /= norm, y /= norm, z /= norm;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

bool has_members(const ViewBody& body) {
  return body.affine || body.placed || is_rigid(body) || is_particles(body);
}

bool has_contacts(ViewFile& view) {
  std::vector<ViewContact> contacts;
  for (std::size_t k = 0; k < view.frames() && contacts.empty(); ++k) view.contacts(k, contacts);
  return !contacts.empty();
}

MemberRows member_rows(const ResultsReader& results, ViewFile& view, std::size_t b,
                       std::size_t frame) {
  const ViewBody& body = view.scene().bodies[b];
  const auto members = static_cast<std::size_t>(body.members);
  MemberRows rows;
  const auto row = [&](const char* table, std::size_t width) {
    const std::span<const double> values = view.row(b, table, frame);
    if (values.size() < width * members)
      throw SceneError(body.name, std::string("is damaged: too few columns in ") + table,
                       "run the scene again");
    return std::vector<double>(values.begin(), values.end());
  };
  if (body.affine) {
    rows.place = row("centre", 3);
    rows.turn = row("deformation", 9);
  } else if (body.placed) {
    rows.place = row("place", 3);
    rows.rotation = row("rotation", 4);
  } else {
    const bool rigid = is_rigid(body);
    const std::size_t width = rigid ? 7 : 3;
    const std::vector<double> q = row("q", width),
                              v = results.body(results.bodies()[b].name, "velocity", frame, 1);
    const bool moves = v.size() == (rigid ? 6 : 3) * members;
    for (std::size_t m = 0; m < members; ++m) {
      append_part(rows.place, std::span(q).subspan(width * m, 3));
      if (rigid) append_part(rows.rotation, std::span(q).subspan(width * m + 3, 4));
      if (!moves) continue;
      const double* const rate = v.data() + (rigid ? 6 : 3) * m;
      append_part(rows.velocity, std::span(rate, 3));
      if (!rigid) continue;
      const std::array<double, 9> R = rotation_rows(rows.rotation.data() + 4 * m);
      for (std::size_t i = 0; i < 3; ++i)
        rows.spin.push_back(R[3 * i] * rate[3] + R[3 * i + 1] * rate[4] + R[3 * i + 2] * rate[5]);
    }
  }
  if (rows.rotation.empty())
    for (std::size_t m = 0; m < members; ++m) append_part(rows.rotation, kNoTurn);
  if (rows.turn.empty())
    for (std::size_t m = 0; m < members; ++m)
      append_part(rows.turn, rotation_rows(rows.rotation.data() + 4 * m));
  return rows;
}

}  // namespace saltus
