#include "saltus/sim/all_dofs.h"

#include <array>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/particles.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/redistributed_mass.h"

namespace saltus {
namespace {

std::vector<double> places_of(const Mesh& mesh) {
  return {mesh.nodes.data(), mesh.nodes.data() + mesh.nodes.size()};
}

/// Of linear systems and particles.
template <class Body>
class DofsOfCoordinates final : public AllDofs {
 public:
  explicit DofsOfCoordinates(const Body& body) : body_(body) {}
  int count() const override { return body_.positions() + body_.prescribed(); }
  int free_index(int dof) const override { return body_.free_index(dof); }
  bool held(int dof) const override { return body_.free_index(dof) < 0; }
  void values(double t, View q, Out all) const override { body_.full(t, q, all); }
  void rates(double t, View, View v, Out all) const override { body_.full_rate(t, v, all); }

 private:
  const Body& body_;
};

class DofsOfMesh final : public AllDofs {
 public:
  explicit DofsOfMesh(const Fem& body) : body_(body) {}
  int count() const override { return 3 * static_cast<int>(body_.mesh().nodes.cols()); }
  int free_index(int dof) const override { return body_.free_index(dof); }
  bool held(int dof) const override {
    return body_.free_index(dof) < 0 && dof % 3 < body_.mesh().dimension;
  }
  void values(double t, View q, Out all) const override { body_.full(t, q, all); }
  void rates(double t, View, View v, Out all) const override { body_.full_rate(t, v, all); }
  std::vector<double> nodes() const override { return places_of(body_.mesh()); }

 private:
  const Fem& body_;
};

/// Nodes without mass follow the others.
class DofsOfStoppedMesh final : public AllDofs {
 public:
  explicit DofsOfStoppedMesh(const RedistributedMass& body) : body_(body) {
    for (int node = 0; node < count() / 3; ++node) at_.push_back(body_.fem().node_point(node));
  }
  int count() const override { return 3 * static_cast<int>(body_.fem().mesh().nodes.cols()); }
  int free_index(int dof) const override { return body_.free_index(dof); }
  bool held(int dof) const override {
    return body_.fem().free_index(dof) < 0 && dof % 3 < body_.fem().mesh().dimension;
  }
  void values(double t, View q, Out all) const override { body_.full(t, q, all); }
  void rates(double t, View q, View v, Out all) const override {
    body_.point_drift(t, q, at_, all);
    PointRows J;
    body_.point_rows(q, q, at_, J);
    for (std::size_t i = 0; i < at_.size(); ++i)
      for (int e = J.offset[i]; e < J.offset[i + 1]; ++e) {
        const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> row(
            J.value.data() + std::ptrdiff_t{3} * J.width * e, 3, J.width);
        all.segment<3>(3 * static_cast<Eigen::Index>(i)) +=
            row * v.segment(J.column[static_cast<std::size_t>(e)], J.width);
      }
  }
  std::vector<double> nodes() const override { return places_of(body_.fem().mesh()); }

 private:
  const RedistributedMass& body_;
  std::vector<PointRef> at_;
};

/// Held degrees of freedom keep their reference values.
class DofsOfBeam final : public AllDofs {
 public:
  explicit DofsOfBeam(const ElasticBeam& body) : body_(body) {}
  int count() const override { return 6 * body_.nodes(); }
  int free_index(int dof) const override { return body_.free_index(dof); }
  bool held(int dof) const override { return body_.free_index(dof) < 0; }
  void values(double, View q, Out all) const override { spread(q, all); }
  void rates(double, View, View v, Out all) const override { spread(v, all); }
  std::vector<double> nodes() const override {
    std::vector<PointRef> at;
    const int n = body_.nodes();
    for (int a = 0; a < n; ++a) at.push_back(body_.point(body_.system().length * a / (n - 1)));
    Vector place(3 * n);
    body_.points(0.0, Vector::Zero(body_.positions()), at, place);
    return {place.begin(), place.end()};
  }

 private:
  void spread(View part, Out all) const {
    for (int dof = 0; dof < count(); ++dof) {
      const int i = body_.free_index(dof);
      all[dof] = i >= 0 ? part[i] : 0.0;
    }
  }
  const ElasticBeam& body_;
};

template <class Body, class Dofs>
std::unique_ptr<AllDofs> dofs_if(const Dynamics& body) {
  const auto* of = dynamic_cast<const Body*>(&body);
  return of ? std::make_unique<Dofs>(*of) : nullptr;
}

/// One row for each class of bodies whose degrees of freedom can be held.
constexpr std::array kDofs{
    &dofs_if<Linear, DofsOfCoordinates<Linear>>, &dofs_if<Particles, DofsOfCoordinates<Particles>>,
    &dofs_if<Fem, DofsOfMesh>, &dofs_if<RedistributedMass, DofsOfStoppedMesh>,
    &dofs_if<ElasticBeam, DofsOfBeam>};

}  // namespace

std::vector<int> AllDofs::others() const {
  std::vector<int> found;
  for (int dof = 0; dof < count(); ++dof)
    if (free_index(dof) < 0) found.push_back(dof);
  return found;
}

std::unique_ptr<AllDofs> all_dofs(const Dynamics& body) {
  for (const auto& row : kDofs)
    if (auto dofs = row(body)) return dofs;
  return nullptr;
}

}  // namespace saltus
