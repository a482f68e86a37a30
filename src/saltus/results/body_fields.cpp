#include "saltus/results/body_fields.h"

#include <algorithm>
#include <array>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/moving.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/mode_surface.h"
#include "saltus/fem/nodal_fit.h"
#include "saltus/fem/redistributed_mass.h"
#include "saltus/fem/reduced_mesh.h"
#include "saltus/math/kernels.h"
#include "saltus/results/mesh_table.h"
#include "saltus/sim/all_dofs.h"

namespace saltus {
namespace {

using FieldRows = std::span<std::vector<double>>;

template <class Values>
void append_to(std::vector<double>& row, const Values& values) {
  row.insert(row.end(), values.data(), values.data() + values.size());
}

/// xx, yy, zz, xy, yz, zx
Eigen::Matrix<double, 6, 1> six(const Matrix3& s) {
  Eigen::Matrix<double, 6, 1> v;
  v << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0);
  return v;
}

/// Velocities of points, x' = J v + d, 3 values per point; `rows` is work space.
void point_rates(const Dynamics& body, double t, View q, View v, std::span<const PointRef> at,
                 PointRows& rows, Vector& rate) {
  rate.resize(3 * std::ssize(at));
  body.point_drift(t, q, at, rate);
  body.point_rows(q, q, at, rows);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (int e = rows.offset[i]; e < rows.offset[i + 1]; ++e) {
      const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> J(
          rows.value.data() + std::ptrdiff_t{3} * rows.width * e, 3, rows.width);
      rate.segment<3>(3 * static_cast<Eigen::Index>(i)) +=
          J * v.segment(rows.column[static_cast<std::size_t>(e)], rows.width);
    }
}

constexpr const char* kDofText =
    "of each node and axis: column of q and velocity; -1: none; -2 - k: column k of other_velocity";
constexpr const char* kStressText = "Cauchy stress xx, yy, zz, xy, yz, zx";

/// Degrees of freedom that are no part of q.
struct DofsNotInQ {
  explicit DofsNotInQ(const Dynamics& body) : all(all_dofs(body)) {
    if (all) held = all->others();
  }
  std::unique_ptr<AllDofs> all;
  std::vector<std::int32_t> held;
};

void write_held(const h5::Group& body, const std::vector<std::int32_t>& held) {
  if (!held.empty())
    layout::described(body.write("held", held), "1",
                      "degrees of freedom that are not part of q, increasing");
}

/// Linear systems and particles with degrees of freedom that are held or prescribed.
class HeldFields final : public BodyFields {
 public:
  HeldFields(std::shared_ptr<const Dynamics> body, DofsNotInQ dofs)
      : body_(std::move(body)), dofs_(std::move(dofs)), all_(dofs_.all->count()) {
    const std::size_t n = dofs_.held.size();
    columns_ = {{"held_position", n, "m, rad, 1", "of the degrees of freedom in held"},
                {"held_velocity", n, "m/s, rad/s, 1/s", "of the degrees of freedom in held"}};
  }
  void describe(const h5::Group& body) const override { write_held(body, dofs_.held); }
  void sample(double t, View q, View v, FieldRows rows) override {
    dofs_.all->values(t, q, all_);
    for (const int dof : dofs_.held) rows[0].push_back(all_[dof]);
    dofs_.all->rates(t, q, v, all_);
    for (const int dof : dofs_.held) rows[1].push_back(all_[dof]);
  }

 private:
  std::shared_ptr<const Dynamics> body_;
  DofsNotInQ dofs_;
  Vector all_;
};

/// A mesh of finite elements. Body: the class that q belongs to.
template <class Body>
class MeshFields final : public BodyFields {
 public:
  MeshFields(std::shared_ptr<const Body> body, const Fem& fem, const FieldOptions& options)
      : body_(std::move(body)), fem_(fem), mesh_(fem.mesh()), options_(options) {
    const auto dofs = 3 * static_cast<int>(mesh_.nodes.cols());
    for (int dof = 0; dof < dofs; ++dof) {
      const bool there = dof % 3 < mesh_.dimension;
      const int free = !options.whole ? body_->free_index(dof) : there ? dof : -1;
      const bool other = free < 0 && there;
      dof_.push_back(free >= 0 ? free : other ? -2 - static_cast<int>(other_.size()) : -1);
      if (other) other_.push_back(dof);
    }
    for (int dof : other_)
      if (at_.empty() || at_.back().feature != dof / 3) at_.push_back(fem_.node_point(dof / 3));
    displacement_.resize(dofs);
    const auto nodes = static_cast<std::size_t>(mesh_.nodes.cols());
    columns_.push_back({"displacement", 3 * nodes, "m", "of each node, x, y, z"});
    if (!other_.empty())
      columns_.push_back(
          {"other_velocity", other_.size(), "m/s", "of the degrees of freedom -2 - k of dof"});
    if (options_.stress) {
      stress_.resize(6, mesh_.nodes.cols());
      columns_.push_back({"stress", 6 * nodes, "Pa", std::string(kStressText) + " of each node"});
      columns_.push_back({"von_mises", nodes, "Pa", "von Mises stress of each node"});
    }
    if (options_.strain) {
      strain_.resize(6, mesh_.nodes.cols());
      columns_.push_back(
          {"strain", 6 * nodes, "1", "Green strain xx, yy, zz, xy, yz, zx of each node"});
    }
    if (options_.resultants) find_sections();
  }

  void describe(const h5::Group& body) const override {
    write_mesh(body, mesh_);
    layout::described(body.write("dof", dof_, 3), "1", kDofText);
    if (!section_.empty()) body.create_group("resultants");
  }

  void sample(double t, View q, View v, FieldRows rows) override {
    std::size_t column = 0;
    body_->full(t, q, displacement_);
    append_to(rows[column++], displacement_);
    if (!other_.empty()) append_others(t, q, v, rows[column++]);
    if (!options_.stress && !options_.strain && section_.empty()) return;
    const Vector& all = full_q();
    if (options_.stress) {
      fem_.nodal_stress(t, all, stress_);
      append_to(rows[column++], stress_);
      for (Eigen::Index a = 0; a < stress_.cols(); ++a)
        rows[column].push_back(von_mises(symmetric_of(stress_.col(a))));
      ++column;
    }
    if (options_.strain) {
      nodal_strain(mesh_, displacement_, strain_);
      append_to(rows[column++], strain_);
    }
    for (const Section& s : section_) {
      const Resultant r = fem_.resultant(t, all, s.elements, s.nodes, s.about);
      append_to(rows[column], r.force);
      append_to(rows[column++], r.moment);
    }
  }

 private:
  /// A face set with all its faces on the surface.
  struct Section {
    std::vector<int> elements, nodes;
    Vector3 about;
  };

  void append_others(double t, View q, View v, std::vector<double>& row) {
    point_rates(*body_, t, q, v, at_, rows_, rate_);
    std::size_t point = 0;
    for (int dof : other_) {
      while (at_[point].feature != dof / 3) ++point;
      row.push_back(rate_[3 * static_cast<Eigen::Index>(point) + dof % 3]);
    }
  }

  void find_sections() {
    const std::vector<MeshFace> outside = boundary(mesh_);
    const auto place = [](const MeshFace& f) { return std::pair(f.element, f.face); };
    for (const auto& [name, set] : mesh_.face_sets) {
      const bool outer = std::ranges::all_of(set, [&](const MeshFace& f) {
        return std::ranges::binary_search(outside, place(f), {}, place);
      });
      if (set.empty() || !outer) continue;
      Section s;
      s.nodes = nodes_of(mesh_, set);
      std::vector<bool> on(static_cast<std::size_t>(mesh_.nodes.cols()), false);
      s.about.setZero();
      for (int a : s.nodes) {
        on[static_cast<std::size_t>(a)] = true;
        s.about += mesh_.nodes.col(a) / static_cast<double>(s.nodes.size());
      }
      int e = 0;
      for (const ElementBlock& block : mesh_.blocks)
        for (int k = 0; k < block.elements(); ++k, ++e)
          if (std::ranges::any_of(block.element(k),
                                  [&](int a) { return on[static_cast<std::size_t>(a)]; }))
            s.elements.push_back(e);
      section_.push_back(std::move(s));
      columns_.push_back({"resultants/" + h5::escaped(name), 6, "N, N m",
                          "force of the elastic stress of the body on the nodes of the face set, "
                          "and its moment about the mean of their reference positions"});
    }
  }

  /// q of the finite elements with the current displacements.
  const Vector& full_q() {
    q_.resize(fem_.positions());
    for (int dof = 0; dof < static_cast<int>(dof_.size()); ++dof)
      if (const int i = fem_.free_index(dof); i >= 0) q_[i] = displacement_[dof];
    return q_;
  }

  std::shared_ptr<const Body> body_;
  const Fem& fem_;
  const Mesh& mesh_;
  FieldOptions options_;
  std::vector<std::int32_t> dof_;
  /// Degrees of freedom that are not in q: prescribed ones, massless nodes.
  std::vector<int> other_;
  std::vector<PointRef> at_;
  std::vector<Section> section_;
  PointRows rows_;
  Vector displacement_, q_, rate_;
  Matrix stress_, strain_;
};

/// Beams: straight lines between the ends of the elements.
class BeamFields final : public BodyFields {
 public:
  BeamFields(std::shared_ptr<const ElasticBeam> beam, bool whole)
      : beam_(std::move(beam)), whole_(whole) {
    const int n = beam_->nodes();
    ElementBlock lines{ElementKind::bar2, 0, {}};
    for (int a = 0; a < n; ++a) {
      at_.push_back(beam_->point(beam_->system().length * a / (n - 1)));
      if (a > 0) lines.nodes.insert(lines.nodes.end(), {a - 1, a});
    }
    mesh_.blocks.push_back(std::move(lines));
    mesh_.nodes.resize(3, n);
    place_.resize(3 * n);
    beam_->points(0.0, Vector::Zero(beam_->positions()), at_, place_);
    mesh_.nodes.reshaped() = place_;
    for (int k = 0; k < 3 * n; ++k) dof_.push_back(-2 - k);
    const auto width = static_cast<std::size_t>(3 * n);
    columns_ = {{"displacement", width, "m", "of each node, x, y, z"},
                {"other_velocity", width, "m/s", "of the degrees of freedom -2 - k of dof"}};
  }
  void describe(const h5::Group& body) const override {
    write_mesh(body, mesh_);
    layout::described(body.write("dof", dof_, 3), "1", kDofText);
    if (!whole_) write_held(body, DofsNotInQ(*beam_).held);
  }
  void sample(double t, View q, View v, FieldRows rows) override {
    beam_->points(t, q, at_, place_);
    place_ -= mesh_.nodes.reshaped();
    append_to(rows[0], place_);
    point_rates(*beam_, t, q, v, at_, rows_, place_);
    append_to(rows[1], place_);
  }

 private:
  std::shared_ptr<const ElasticBeam> beam_;
  bool whole_;
  Mesh mesh_;
  std::vector<PointRef> at_;
  std::vector<std::int32_t> dof_;
  PointRows rows_;
  Vector place_;
};

/// Meshes of modal bodies: stores the boundary surface once, with its displacement per unit of each
/// q. Storing displacements in every frame would need more: five times as much for 200 frames of 40
/// modes.
class ReducedFields final : public BodyFields {
 public:
  explicit ReducedFields(ModeSurface boundary)
      : boundary_(std::move(boundary)), displacement_(boundary_.shape.rows()) {
    columns_ = {{"displacement", static_cast<std::size_t>(displacement_.size()), "m",
                 "of each node, x, y, z", false}};
  }
  void describe(const h5::Group& body) const override {
    write_mesh(body, boundary_.mesh);
    layout::described(
        body.write("node", std::vector<std::int32_t>(boundary_.node.begin(), boundary_.node.end())),
        "1", "number of each node in the whole mesh");
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows =
        boundary_.shape;
    layout::described(
        body.write("shapes", std::span(rows.data(), static_cast<std::size_t>(rows.size())),
                   static_cast<std::size_t>(rows.cols())),
        "1", "displacement of each node, x, y, z, by each number of q");
  }
  void sample(double, View q, View, FieldRows rows) override {
    displacement_.noalias() = boundary_.shape * q;
    append_to(rows[0], displacement_);
  }
  bool later() const override { return true; }

 private:
  ModeSurface boundary_;
  Vector displacement_;
};

/// Strings and bars of modal bodies: points along them, either evenly spaced or those with known
/// shapes.
class LineFields final : public BodyFields {
 public:
  explicit LineFields(std::shared_ptr<const Modal> body)
      : body_(std::move(body)), direction_(body_->placement().direction) {
    const ModeShapes& shapes = body_->shapes();
    std::vector<double>& x = along_;
    x.assign(shapes.places().begin(), shapes.places().end());
    if (x.size() > kPoints) {  // both ends, and a selection between them
      std::vector<double> few;
      for (std::size_t i = 0; i < kPoints; ++i)
        few.push_back(x[i * (x.size() - 1) / (kPoints - 1)]);
      x = std::move(few);
    }
    if (x.empty())  // eight points per shortest half wave, up to the limit
      for (std::size_t i = 0, n = std::min<std::size_t>(kPoints, 8 * at_least_one(shapes) + 1);
           i < n; ++i)
        x.push_back(shapes.length() * static_cast<double>(i) / static_cast<double>(n - 1));
    for (const double at : x) {
      const Vector3 place = body_->placement().origin + at * body_->placement().axis;
      place_.insert(place_.end(), place.begin(), place.end());
    }
    columns_ = {{"displacement", place_.size(), "m", "of each point of line/points, x, y, z"}};
  }
  void describe(const h5::Group& body) const override {
    layout::described(body.create_group("line").write("points", std::span(place_), 3), "m",
                      "points along the body at rest");
  }
  void sample(double t, View q, View v, FieldRows rows) override {
    sample_frames({&t, 1}, q, v, rows);
  }
  /// Processes a few frames at a time, which fit in the cache, because the shapes are much larger.
  void sample_frames(std::span<const double> t, Eigen::Ref<const Matrix> q,
                     Eigen::Ref<const Matrix>, FieldRows rows) override {
    constexpr Eigen::Index kTogether = 16;
    if (shape_.size() == 0) find_shapes();
    const auto frames = static_cast<Eigen::Index>(t.size()), n = shape_.rows();
    for (Eigen::Index first = 0; first < frames; first += kTogether) {
      const Eigen::Index taken = std::min(kTogether, frames - first);
      value_.resize(taken, n);
      for (Eigen::Index i = 0; i < n; ++i)
        multiply_rows(q.col(first).data(), q.outerStride(), static_cast<int>(taken),
                      static_cast<int>(q.rows()), shape_.row(i).data(), value_.col(i).data());
      for (Eigen::Index k = 0; k < taken; ++k)
        for (const double u : value_.row(k)) append_to(rows[0], Vector3(u * direction_));
    }
  }
  bool later() const override { return true; }

 private:
  static constexpr std::size_t kPoints = 129;  // each costs a sum over all modes in every frame
  static std::size_t at_least_one(const ModeShapes& shapes) {
    return static_cast<std::size_t>(std::max(shapes.modes(), 1));
  }
  void find_shapes() {
    const ModeShapes& shapes = body_->shapes();
    shape_.setZero(std::ssize(along_), (shapes.modes() + 7) / 8 * 8);
    Vector row(shapes.modes());
    for (Eigen::Index i = 0; i < shape_.rows(); ++i) {
      shapes.row(along_[static_cast<std::size_t>(i)], row);
      shape_.row(i).head(row.size()) = row;
    }
  }

  std::shared_ptr<const Modal> body_;
  Vector3 direction_;
  std::vector<double> along_, place_;
  /// Of each point, one column per mode; rows are aligned to cache lines. Computed by the thread
  /// that writes, because each entry needs a sine.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> shape_;
  Matrix value_;  ///< one row per frame
};

/// Bodies with prescribed motion have no q: stores their positions and rotations.
class MovingFields final : public BodyFields {
 public:
  explicit MovingFields(std::shared_ptr<const Moving> body)
      : body_(std::move(body)), poses_(static_cast<std::size_t>(body_->bodies())) {
    columns_ = {{"place", 3 * poses_.size(), "m", "of the frame of each body"},
                {"rotation", 4 * poses_.size(), "1", "of the frame of each body, w x y z"}};
  }
  void describe(const h5::Group&) const override {}
  void sample(double t, View q, View, FieldRows rows) override {
    body_->frames(t, q, poses_);
    for (const Pose& pose : poses_) {
      append_to(rows[0], pose.x);
      const Quaternion Q(pose.R);
      rows[1].insert(rows[1].end(), {Q.w(), Q.x(), Q.y(), Q.z()});
    }
  }

 private:
  std::shared_ptr<const Moving> body_;
  std::vector<Pose> poses_;
};

/// Homogeneous deformation: the stress is constant in a body.
class PseudoRigidFields final : public BodyFields {
 public:
  explicit PseudoRigidFields(std::shared_ptr<const PseudoRigid> body) : body_(std::move(body)) {
    const auto n = static_cast<std::size_t>(body_->bodies());
    columns_ = {{"deformation", 9 * n, "1", "F of each body, row by row"},
                {"centre", 3 * n, "m", "position of the mass centre of each body"},
                {"stress", 6 * n, "Pa", std::string(kStressText) + " of each body"},
                {"von_mises", n, "Pa", "von Mises stress of each body"}};
  }
  void describe(const h5::Group&) const override {}
  void sample(double, View q, View, FieldRows rows) override {
    for (int b = 0; b < body_->bodies(); ++b) {
      append_to(rows[0], q.segment<9>(12 * b));
      append_to(rows[1], q.segment<3>(12 * b + 9));
      const Matrix3 s = body_->stress(q, b);
      append_to(rows[2], six(s));
      rows[3].push_back(von_mises(s));
    }
  }

 private:
  std::shared_ptr<const PseudoRigid> body_;
};

using Fields = std::unique_ptr<BodyFields>;

Fields fields_of(std::shared_ptr<const Fem> body, const FieldOptions& options) {
  return std::make_unique<MeshFields<Fem>>(body, *body, options);
}
Fields fields_of(std::shared_ptr<const RedistributedMass> body, const FieldOptions& options) {
  return std::make_unique<MeshFields<RedistributedMass>>(body, body->fem(), options);
}
Fields fields_of(std::shared_ptr<const ElasticBeam> body, const FieldOptions& options) {
  return std::make_unique<BeamFields>(std::move(body), options.whole);
}
Fields fields_of(std::shared_ptr<const PseudoRigid> body, const FieldOptions&) {
  return std::make_unique<PseudoRigidFields>(std::move(body));
}
Fields fields_of(std::shared_ptr<const ReducedMesh> body, const FieldOptions&) {
  return std::make_unique<ReducedFields>(mode_boundary(body->mesh(), body->basis()));
}
Fields fields_of(std::shared_ptr<const Modal> body, const FieldOptions&) {
  if (!body->has_shapes()) return nullptr;
  if (const auto* shapes = dynamic_cast<const SurfaceModeShapes*>(&body->shapes()))
    return std::make_unique<ReducedFields>(shapes->boundary());
  return std::make_unique<LineFields>(std::move(body));
}
Fields fields_of(std::shared_ptr<const Moving> body, const FieldOptions&) {
  return std::make_unique<MovingFields>(std::move(body));
}

/// Null if the body is of another class.
template <class Body>
Fields fields_if(const std::shared_ptr<const Dynamics>& body, const FieldOptions& options) {
  auto of = std::dynamic_pointer_cast<const Body>(body);
  return of ? fields_of(std::move(of), options) : nullptr;
}

/// One row for each class of bodies that has fields.
constexpr std::array kFields{&fields_if<Fem>,         &fields_if<RedistributedMass>,
                             &fields_if<ElasticBeam>, &fields_if<PseudoRigid>,
                             &fields_if<ReducedMesh>, &fields_if<Modal>,
                             &fields_if<Moving>};

}  // namespace

void BodyFields::sample_frames(std::span<const double> t, Eigen::Ref<const Matrix> q,
                               Eigen::Ref<const Matrix> v, std::span<std::vector<double>> rows) {
  for (std::size_t k = 0; k < t.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    sample(t[k], q.col(at), v.col(at), rows);
  }
}

std::unique_ptr<BodyFields> body_fields(std::shared_ptr<const Dynamics> body,
                                        const FieldOptions& options) {
  for (const auto& row : kFields)
    if (auto fields = row(body, options)) return fields;
  if (!body || options.whole) return nullptr;
  if (DofsNotInQ dofs(*body); !dofs.held.empty())
    return std::make_unique<HeldFields>(body, std::move(dofs));
  return nullptr;
}

}  // namespace saltus
