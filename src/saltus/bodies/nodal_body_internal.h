// Private data of NodalBody: forces on vectors of all degrees of freedom, 3 numbers per node.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "saltus/base/work_pool.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/bodies/nodal_body.h"
#include "saltus/mesh/element.h"

namespace saltus {

struct NodalBody::Nodes {
  FreeDofs dofs;
  int nodes = 0;
  bool lumped = true;
  Vector nodal;      ///< mass of the nodes; of a consistent mass matrix, the row sums [kg]
  Vector mass_free;  ///< lumped, one per component of q
  Vector3 gravity_vector = Vector3::Zero();
  std::span<const Load> loads;
  std::vector<Source> sources;
  int elastic = -1, gravity = -1, damping = -1, load = -1, prescribed = -1;

  /// Scratch of one call: vectors of all degrees of freedom, u from q and prescribed motion, v the
  /// rates.
  struct Evaluation {
    Vector u, v, x, f, y;
    virtual ~Evaluation() = default;
  };
  WorkPool<Evaluation> evaluations{[this] { return make_evaluation(); }};

  Nodes() = default;
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  virtual ~Nodes() = default;

  // To be called once the numbers of nodes and axes and the masses of nodes are known
  void number(int axes, std::span<const Prescribed> held, DofWords words);
  void set_mass();
  void name_accounts(bool elastic_there, bool damping_there);

  /// The nodes and coefficients of a point:  x = offset + sum N_a (X_a + u_a).
  struct Shape {
    int count;
    std::array<int, kMaxElementNodes> node;
    std::array<double, kMaxElementNodes> N;
    Vector3 offset = Vector3::Zero();
  };
  virtual void shape(const PointRef& at, Shape& s) const = 0;
  virtual Vector3 reference(int node) const = 0;  ///< X

  /// A derived class returns an Evaluation of its own with the data that it needs.
  virtual std::unique_ptr<Evaluation> make_evaluation() const;
  void prepare(Evaluation& work) const;                          ///< sizes the vectors
  void put(double t, View q, Evaluation& to) const;              ///< sets u
  void put(double t, View q, View rates, Evaluation& to) const;  ///< sets u and v
  void spread(View part, Vector& all) const;                     ///< zero where prescribed
  virtual void placed(Evaluation&) const {}                      ///< called after u has changed

  // These add to vectors of all degrees of freedom, at `at`.u; `out` must not be a scratch vector
  // that the operation uses.
  virtual void mass_product(double scale, const Vector& in, Vector& out) const;
  virtual void elastic_force(Evaluation& at, Vector& out) const = 0;
  virtual void damping_force(Evaluation& at, const Vector& rate, Vector& out) const = 0;
  void gravity_force(Vector& out) const;
  void inertia_of_motion(double t, Evaluation& work,
                         Vector& out) const;                     ///< - M u'' of prescribed motion
  void all_forces(double t, Evaluation& at, Vector& out) const;  ///< at the rates `at`.v
  virtual double potential(Evaluation& at) const = 0;
};

}  // namespace saltus
