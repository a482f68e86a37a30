#include "saltus/contact/jointed.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// Number of stages kept: the energy balance of the step evaluates them a second time.
constexpr std::size_t kKept = 8;

}  // namespace

/// Joint reactions at (t, q, v).
struct Jointed::Place {
  double t = std::numeric_limits<double>::quiet_NaN();
  Vector q, v;
  Vector L, r, r_driven;  ///< L, G^T L, and its part due to driven rows
};

/// Work space of one call. Its only history are places that would give the same reactions again.
struct Jointed::Room {
  explicit Room(const Jointed& of) : system(of.joints_, of.couplings_, of.members_) {
    u.resize(system.rows());
    f.resize(of.velocities());
    a.resize(of.velocities());
    for (Place& place : kept) {
      place.q.resize(of.positions());
      place.v.resize(of.velocities());
      place.L.resize(system.rows());
      place.r.resize(of.velocities());
      place.r_driven.resize(of.velocities());
    }
  }
  JointSystem system;
  Factor M;
  bool factorised = false;
  Vector u, f, a;
  std::array<Place, kKept> kept;
  std::size_t next = 0;
};

Jointed::Jointed(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
                 JointedGroup group, std::vector<JointedGroup> moved, double drift_time)
    : joints_(joints.begin(), joints.end()),
      couplings_(couplings.begin(), couplings.end()),
      body_(std::move(group.body)),
      drift_time_(drift_time),
      rooms_(std::make_unique<WorkPool<Room>>([this] { return std::make_unique<Room>(*this); })) {
  expects(body_ != nullptr, "a body is required");
  expects(drift_time > 0.0, "the time over which drifts are differentiated must be positive");
  members_.push_back({group.group, body_.get()});
  for (JointedGroup& one : moved) {
    expects(one.body != nullptr && one.body->velocities() == 0,
            "bodies with prescribed motion must not have velocities");
    members_.push_back({one.group, one.body.get()});
    moved_.push_back(std::move(one.body));
  }
  const auto first = rooms_->borrow();
  rows_ = first->system.rows();
  const auto rigid = [&] { return has(body_->traits(), Trait::rigid); };
  if (rows_ > 0) {
    expects(
        rigid() || has(body_->traits(), Trait::fixed_points),
        "joints act in stages only on rigid bodies and on bodies whose points do not depend on q");
    expects(body_->prescribed() == 0,
            "joints do not act in stages on bodies with prescribed degrees of freedom");
  }

  // driven rows
  driven_row_.assign(index(rows_), 0);
  const auto is_moved = [&](const JointSide& side) {
    return side.group >= 0 && side.group != members_[0].group;
  };
  const auto here = [&](const Joint& joint) {
    for (const JointSide* side : {&joint.a, &joint.b})
      if (side->group >= 0 && std::none_of(members_.begin(), members_.end(),
                                           [&](const auto& m) { return m.group == side->group; }))
        return false;
    return true;
  };
  int row = 0;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto [begin, count] = first->system.rows_of(static_cast<int>(i));
    row = std::max(row, begin + count);
    if (is_moved(joints_[i].a) || is_moved(joints_[i].b))
      std::fill_n(driven_row_.begin() + begin, count, char{1});
  }
  for (const JointCoupling& coupling : couplings_) {
    bool kept = true, driven = bool(coupling.value);
    for (const JointCoupling::Term& term : coupling.terms) {
      const Joint& joint = joints_[index(term.joint)];
      kept = kept && here(joint);
      driven = driven || is_moved(joint.a) || is_moved(joint.b);
    }
    if (kept) driven_row_[index(row++)] = driven ? 1 : 0;
  }
  driven_ = static_cast<int>(std::count(driven_row_.begin(), driven_row_.end(), 1));

  const auto sources = body_->sources();
  sources_.assign(sources.begin(), sources.end());
  if (rows_ > 0) sources_.push_back({"joints", false});
  if (driven_ > 0) sources_.push_back({"prescribed", false});
  if (const RigidData* data = body_->rigid()) {
    has_rigid_ = true;
    rigid_ = *data;
    if (rows_ > 0) rigid_.steady_load = false;
  }
}
Jointed::~Jointed() = default;

unsigned Jointed::traits() const {
  const unsigned all = body_->traits();
  return rows_ == 0 ? all
                    : all & ~(Trait::tangents | Trait::affine | Trait::modal | Trait::separable);
}

// S L = -(G M^-1 F + gamma)
const Jointed::Place& Jointed::reaction(Room& room, double t, View q, View v) const {
  for (const Place& known : room.kept)
    if (known.t == t && same_bits(known.q, q) && same_bits(known.v, v)) return known;
  Place& x = room.kept[room.next];
  room.next = (room.next + 1) % kKept;
  x.t = t;
  x.q = q;
  x.v = v;
  static const Vector kNone;
  const auto at = [&x](int m) -> const Vector& { return m == 0 ? x.q : kNone; };
  const auto with = [&x](int m) -> const Vector& { return m == 0 ? x.v : kNone; };
  JointSystem& system = room.system;
  system.make_rows(t, at);
  system.bias(t, Difference(t, drift_time_), at, with, x.L);
  if (!room.factorised) {
    body_->factorise({1.0, 0.0, 0.0}, t, q, v, room.M);
    room.factorised = has(body_->traits(), Trait::constant_mass);
  }
  body_->force(t, q, v, room.f);
  room.a = room.f;
  solve(room.M, room.a);
  system.multiply_add(0, room.a, x.L);
  x.L = -x.L;
  x.r.setZero();
  x.r_driven.setZero();
  if (system.factorise([&room](int) -> const Factor& { return room.M; })) {
    system.solve(x.L);
  } else {  // forces that are not finite stop the step
    x.L.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  system.transpose_add(0, x.L, x.r);
  if (driven_ > 0) {
    for (int i = 0; i < rows_; ++i) room.u[i] = driven_row_[index(i)] != 0 ? x.L[i] : 0.0;
    system.transpose_add(0, room.u, x.r_driven);
  }
  return x;
}

void Jointed::force(double t, View q, View v, Out f) const {
  body_->force(t, q, v, f);
  if (rows_ == 0) return;
  const auto room = rooms_->borrow();
  f += reaction(*room, t, q, v).r;
}

void Jointed::load(double t, View q, View v, Out f) const {
  body_->load(t, q, v, f);
  if (rows_ == 0) return;
  const auto room = rooms_->borrow();
  f += reaction(*room, t, q, v).r;
}

void Jointed::power(double t, std::optional<double> held, View q, View v, View w,
                    std::span<double> by_source) const {
  const std::size_t own = body_->sources().size();
  body_->power(t, held, q, v, w, by_source.first(own));
  if (rows_ == 0) return;
  const auto room = rooms_->borrow();
  const Place& x = reaction(*room, t, q, v);
  const double driven = driven_ > 0 ? x.r_driven.dot(w) : 0.0;
  by_source[own] = x.r.dot(w) - driven;
  if (driven_ > 0) by_source[own + 1] = driven;
}

void Jointed::add_loads(double t, View q, View v, double weight,
                        std::span<std::array<Vector3, 2>> loads) const {
  if (rows_ == 0) return;
  const auto lent = rooms_->borrow();
  Room& room = *lent;
  const Place& x = reaction(room, t, q, v);
  static const Vector kNone;
  const auto at = [&x](int m) -> const Vector& { return m == 0 ? x.q : kNone; };
  room.system.make_rows(t, at);
  JointRows rows;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto [first, count] = room.system.rows_of(static_cast<int>(i));
    if (count == 0) continue;
    const auto [a, b] = room.system.frames(static_cast<int>(i));
    joint_rows(joints_[i].kind, joints_[i].length, a, b, rows);
    for (int k = 0; k < count; ++k) {
      const JointRow& row = rows.row[index(k)];
      loads[i][row.spin ? 1 : 0] += weight * x.L[first + k] * row.direction;
    }
  }
}

}  // namespace saltus
