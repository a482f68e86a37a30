#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/joint_work_internal.h"

namespace saltus {
namespace {

/// Smallest spacing of turns, relative to the largest weight.
constexpr double kFinest = 1.0 / 128.0;

}  // namespace

double common_measure(std::span<const double> weights) {
  double largest = 0.0, measure = 0.0;
  for (double b : weights) {
    largest = std::max(largest, std::abs(b));
    double a = measure;
    while (std::abs(b) > 1e-9 * largest) {
      a -= b * std::round(a / b);
      std::swap(a, b);
    }
    measure = std::abs(a);
  }
  return measure < kFinest * largest ? 0.0 : measure;
}

JointSystem::JointSystem(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
                         std::vector<JointMember> members, std::span<const char> left_out,
                         bool across)
    : structure_(std::make_unique<Structure>()) {
  Structure& d = *structure_;
  expects(left_out.empty() || left_out.size() == joints.size(),
          "left_out needs one mark per joint");
  d.joints = joints;
  int groups = 0;
  for (const JointMember& m : members) groups = std::max(groups, m.group + 1);
  std::vector<int> member_of_group(at(groups), -1);
  for (const JointMember& m : members) {
    expects(m.body != nullptr && m.group >= 0, "a member needs a group and its bodies");
    member_of_group[at(m.group)] = static_cast<int>(d.members.size());
    Structure::Member& member = d.members.emplace_back();
    member.of = m;
    member.frames = has(m.body->traits(), Trait::rigid) || m.body->velocities() == 0;
    if (member.frames) member.pose.resize(at(m.body->bodies()));
  }
  d.held_of.assign(joints.size(), -1);
  d.rows_of_joint.assign(joints.size(), {0, 0});
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (left_out.empty() || left_out[i] == 0) d.hold(static_cast<int>(i), member_of_group, across);
  for (const JointCoupling& coupling : couplings) d.couple(coupling);
  d.joints = {};
  d.at_rows.resize(d.held.size());
  d.now.resize(d.held.size());
  d.drift0.setZero(d.rows);
  d.drift1.setZero(d.rows);
  for (Structure::Member& m : d.members) {
    m.x.resize(Structure::three(static_cast<int>(m.own.size())));
    m.motion.resize(m.own.size());
    m.d.resize(m.x.size());
    m.d_spin.resize(m.x.size());
    for (int k = 0; k < 2; ++k) {
      m.drift[k].setZero(Structure::three(static_cast<int>(m.point_at.size())));
      m.spin_drift[k].setZero(Structure::three(static_cast<int>(m.spin_at.size())));
    }
  }
}
JointSystem::~JointSystem() = default;
JointSystem::JointSystem(JointSystem&&) noexcept = default;
JointSystem& JointSystem::operator=(JointSystem&&) noexcept = default;

void JointSystem::Structure::add_node(int rows_, const std::string& name_) {
  node_of_row.insert(node_of_row.end(), at(rows_), static_cast<int>(size.size()));
  size.push_back(rows_);
  name.push_back(name_);
  rows += rows_;
}

JointSystem::Structure::Side JointSystem::Structure::side(const Joint& joint,
                                                          const JointSide& given,
                                                          std::span<const int> member_of_group) {
  Side s{-1, -1, -1, given.ref, given.axes};
  if (given.group < 0) return s;
  s.member = member_of_group[at(given.group)];
  Member& m = members[at(s.member)];
  expects(!m.frames || (given.ref.body >= 0 && given.ref.body < m.of.body->bodies()),
          joint.name + ": the body does not exist");
  expects(m.frames || !needs_axes(joint.kind),
          joint.name + ": this kind of joint needs bodies with axes (ball, distance, along and " +
              "line do not)");
  if (m.frames) longest_arm = std::max(longest_arm, given.ref.local.cwiseAbs().maxCoeff());
  s.point = static_cast<int>(m.own.size());
  m.own.push_back(given.ref);
  m.point_at.push_back(given.ref);
  if (needs_axes(joint.kind)) {
    s.spin = static_cast<int>(m.spin_at.size());
    m.spin_at.push_back(given.ref);
  }
  return s;
}

void JointSystem::Structure::hold(int index, std::span<const int> member_of_group, bool across) {
  const Joint& joint = joints[at(index)];
  const JointSide* sides[2] = {&joint.a, &joint.b};
  for (const JointSide* s : sides)
    if (s->group >= 0 &&
        (s->group >= static_cast<int>(member_of_group.size()) || member_of_group[at(s->group)] < 0))
      return;
  const JointSide &a = joint.a, &b = joint.b;
  bool same = a.group == b.group && a.group < 0;
  if (a.group == b.group && a.group >= 0)
    same = a.ref.body == b.ref.body &&
           (members[at(member_of_group[at(a.group)])].frames ||
            (a.ref.feature == b.ref.feature && a.ref.local == b.ref.local));
  expects(!same, joint.name + ": a joint needs two different bodies");
  Held held_joint{joint.kind, joint.length, index, -1, across && joint.kind == JointKind::distance,
                  {}};
  for (std::size_t s = 0; s < 2; ++s) held_joint.side[s] = side(joint, *sides[s], member_of_group);
  if (row_count(joint.kind) > 0) {
    held_joint.node = static_cast<int>(size.size());
    JointRows row;
    rows_of(held_joint, {}, row);
    rows_of_joint[at(index)] = {rows, row.size};
    for (int i = 0; i < row.size; ++i) turns.push_back(row.row[at(i)].spin ? 1 : 0);
    add_node(row.size, joint.name);
  }
  held_of[at(index)] = static_cast<int>(held.size());
  held.push_back(held_joint);
}

void JointSystem::Structure::couple(const JointCoupling& coupling) {
  Coupled c{coupling, {}, 0.0, static_cast<int>(size.size())};
  bool kept = true, angles = true;
  std::vector<double> weights;  // weights of angles
  for (const JointCoupling::Term& term : coupling.terms) {
    expects(term.joint >= 0 && term.joint < static_cast<int>(joints.size()) &&
                term.coordinate >= 0 &&
                term.coordinate < coordinate_count(joints[at(term.joint)].kind) &&
                std::isfinite(term.weight),
            coupling.name + ": a term names a joint or coordinate that does not exist");
    kept = kept && held_of[at(term.joint)] >= 0;
    c.joint.push_back(held_of[at(term.joint)]);
    const JointKind kind = joints[at(term.joint)].kind;
    angles = angles && is_angle(kind, term.coordinate);
    if (counts_turns(kind, term.coordinate) && term.weight != 0.0) weights.push_back(term.weight);
  }
  expects(!coupling.terms.empty(), coupling.name + ": a coupling needs terms");
  if (!kept) return;
  const double measure = common_measure(weights);
  c.turn = !weights.empty() && measure == 0.0 ? -1.0 : 2.0 * std::numbers::pi * measure;
  turns.push_back(angles ? 1 : 0);
  add_node(1, coupling.name);
  coupled.push_back(std::move(c));
}

void JointSystem::Structure::arrange() {
  parts.clear();
  writes.clear();
  std::vector<JointMatrix::Entry> entries;
  const auto add = [&](int node, int joint, int coordinate, double weight) {
    const Held& h = held[at(joint)];
    const bool spin = coordinate >= 0 && is_angle(h.kind, coordinate);
    for (int k = 0; k < 2; ++k) {
      const Side& s = h.side[k];
      if (s.member < 0) continue;
      const Member& m = members[at(s.member)];
      const auto add_entries = [&](const PointRows& J, int point, bool turning) {
        for (int e = J.offset[at(point)]; e < J.offset[at(point) + 1]; ++e) {
          entries.push_back({node, s.member, J.column[at(e)], J.width});
          writes.push_back({s.member, k, turning, false, e, {}});
        }
      };
      if (coordinate < 0 || !spin) add_entries(m.J.rows, s.point, false);
      if (s.spin >= 0 && (coordinate < 0 || spin)) add_entries(m.Js.rows, s.spin, true);
    }
    parts.push_back({node, joint, coordinate, weight, writes.size()});
  };
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i].node >= 0) add(held[i].node, static_cast<int>(i), -1, 1.0);
  for (const Coupled& c : coupled)
    for (std::size_t k = 0; k < c.joint.size(); ++k)
      add(c.node, c.joint[k], c.given.terms[k].coordinate, c.given.terms[k].weight);

  std::vector<int> velocities;
  for (const Member& m : members) velocities.push_back(m.of.body->velocities());
  std::vector<JointMatrix::Place> places;
  matrix.arrange(size, turns, velocities, entries, places);

  // The first write to the rows of a node in a unit sets them, the others add.
  std::vector<char> points(matrix.values().size(), 0), spins = points;
  sparse_blocks = false;
  std::size_t k = 0;
  for (const Part& part : parts)
    for (; k < part.end; ++k) {
      Write& w = writes[k];
      w.to = places[k];
      sparse_blocks = sparse_blocks || w.to.stride != entries[k].width;
      char& seen = part.coordinate < 0 && w.spin ? spins[w.to.begin] : points[w.to.begin];
      w.add = seen != 0;
      seen = 1;
    }
  if (sparse_blocks)
    for (Write& w : writes) w.add = true;
  arranged = true;
}

}  // namespace saltus
