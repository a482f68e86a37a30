#include "saltus/assembly/contact_table.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {

ContactTable::ContactTable(const Model& model, std::span<const int> groups,
                           std::span<const int> pairs)
    : rest_(std::ssize(pairs)) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ContactPair& pair = model.pairs()[at(pairs[i])];
    const double world = pair.b.group < 0 ? pair.normal.dot(pair.b.ref.local) : 0.0;
    rest_[static_cast<Eigen::Index>(i)] = -(world + pair.distance);
  }
  for (const int group : groups) {
    Member m;
    m.group = group;
    std::vector<PointRef> points;
    std::vector<Vector3> direction;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const ContactPair& pair = model.pairs()[at(pairs[i])];
      for (const ContactSide* side : {&pair.a, &pair.b}) {
        if (side->group != group) continue;
        points.push_back(side->ref);
        direction.push_back(side == &pair.a ? pair.normal : Vector3(-pair.normal));
        m.contact.push_back(static_cast<int>(i));
      }
    }
    if (points.empty()) continue;
    const Dynamics& body = *model.groups()[at(group)].dynamics;
    m.S = body.table(points, direction);
    complete_ = complete_ && m.S != nullptr;
    if (!complete_) return;
    m.whole = m.contact.size() == pairs.size() &&
              std::ranges::adjacent_find(m.contact) == m.contact.end();
    m.part.resize(std::ssize(m.contact));
    m.rows.reserve(m.contact.size());
    m.at.reserve(m.contact.size());
    m.q.resize(body.positions());
    m.v.resize(body.velocities());
    add(m, m.contact, m.S->rest(), rest_);
    members_.push_back(std::move(m));
  }
}

void ContactTable::use(std::span<const int> contacts) {
  used_ = contacts;
  for (Member& m : members_) {
    if (m.whole) continue;
    m.rows.clear();
    m.at.clear();
    std::size_t k = 0;
    for (std::size_t i = 0; i < m.contact.size(); ++i) {
      while (k < contacts.size() && contacts[k] < m.contact[i]) ++k;
      if (k == contacts.size()) break;
      if (contacts[k] != m.contact[i]) continue;
      m.rows.push_back(static_cast<int>(i));
      m.at.push_back(static_cast<int>(k));
    }
  }
}

void ContactTable::accumulate(Member& m, View p, Out r) {
  if (m.whole) return m.S->accumulate(used_, p, m.scratch, r);
  auto part = m.part.head(std::ssize(m.rows));
  for (Eigen::Index i = 0; i < part.size(); ++i) part[i] = p[m.at[static_cast<std::size_t>(i)]];
  m.S->accumulate(m.rows, part, m.scratch, r);
}

// Terms are summed for (i, j) as for (j, i), except for contacts between two points of one group.
bool ContactTable::response(std::span<const Trial> trials, Matrix& D) const {
  bool all_symmetric = true, pure = true;
  Matrix own;
  for (const Member& m : members_) {
    const Factor& A = trials[at(m.group)].A;
    const bool first = &m == members_.data();
    all_symmetric = all_symmetric && symmetric(A);
    if (first && m.whole) {
      m.S->response(A, D);
      continue;
    }
    if (first) D.setZero(rest_.size(), rest_.size());
    m.S->response(A, own);
    if (m.whole) {
      D += own;
      continue;
    }
    pure = false;
    for (Eigen::Index j = 0; j < own.cols(); ++j)
      for (Eigen::Index i = 0; i < own.rows(); ++i)
        D(m.contact[static_cast<std::size_t>(i)], m.contact[static_cast<std::size_t>(j)]) +=
            own(i, j);
  }
  if (all_symmetric && !pure) D = (0.5 * (D + D.transpose())).eval();
  return all_symmetric;
}

}  // namespace saltus
