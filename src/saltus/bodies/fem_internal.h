// The parts of Fem: the response of a point with the strains that its element does not see, and loops over elements.
#pragma once
#include <vector>

#include "saltus/bodies/fem.h"
#include "saltus/math/sparse.h"

namespace saltus::fem {

/// What an element knows of F: all; F_13 = F_23 = 0 and F_33 = 1; F_33 so that P_33 = 0; F a alone, a the axis of a bar,
/// with the stretch across it so that no stress acts there.
enum class StressState { solid, plane_strain, plane_stress, uniaxial };

/// The material of a block of elements.
struct Constitution {
  Material material;
  StressState state = StressState::solid;
  double viscosity = 0.0;  ///< r_K of the strain-rate form [s], 0: none
  double
      lambda = 0.0,
      mu =
          0.0;  ///< in the dimensions of the element: lambda* in plane stress, E/2 and 0 in bars [Pa]

  Constitution() = default;
  Constitution(const FemMaterial& given, int dimension, double rate);
  bool linear() const { return material.law == MaterialLaw::linear; }
};

double energy(const Constitution& c, const Matrix3& F, const Vector3& axis);             ///< W
Matrix3 stress(const Constitution& c, const Matrix3& F, const Vector3& axis);            ///< P
void tangent(const Constitution& c, const Matrix3& F, const Vector3& axis, Matrix9& A);  ///< dP/dF
Matrix3 cauchy(const Constitution& c, const Matrix3& F, const Vector3& axis);
/// P = F S_v of the rate dF/dt, and its derivative by that rate, added.
Matrix3 viscous_stress(const Constitution& c, const Matrix3& F, const Vector3& axis,
                       const Matrix3& rate);
void add_viscous_tangent(const Constitution& c, const Matrix3& F, const Vector3& axis, double scale,
                         Matrix9& A);

/// Elements of one block with their points of integration.
struct Block {
  ElementKind kind = ElementKind::tet4;
  int n = 0, points = 0, elements = 0,
      first = 0;  ///< nodes, points an element; number of its first element
  Constitution law;
  double tangent_rate = 0.0;     ///< r_K of the form r_K K(q) v [s]
  std::vector<int> node;         ///< n an element
  std::vector<double> gradient;  ///< grad0 N_a, 3 a node, n a point: of bars along the axis [1/m]
  std::vector<double> weight;    ///< rule times det J times thickness or area [m^3], one a point
  std::vector<Vector3> axis;     ///< of bars, one a point
  std::vector<int>
      place;  ///< of the row of axis i of node a: entry of the first free axis of node b, at
              ///< ((e n + a) n + b) 3 + i, -1: not free

  Block() = default;
  Block(const Mesh& mesh, int block, const FemMaterial& material, double rate, Viscosity form);
  const Vector3& axis_of(int point) const {
    static const Vector3 kNone = Vector3::Zero();
    return axis.empty() ? kNone : axis[static_cast<std::size_t>(point)];
  }
};

// Loops over elements `from` to `to` of a block; u, v, x, f, y hold 3 numbers a node of the mesh.
/// f += scale int P grad0 N_a dV of the stored energy at u.
void add_elastic(const Block& block, int from, int to, double scale, const double* u, double* f);
/// The same of the viscous stress of the rates v.
void add_viscous(const Block& block, double scale, const double* u, const double* v, double* f);
double stored_energy(const Block& block, const double* u);
/// y += (k K + c C_v) x, C_v of the viscous stress.
void add_product(const Block& block, double k, double c, const double* u, const double* x,
                 double* y);
/// k K + c C_v of one element, 3 n x 3 n by columns, symmetric to the bit.
void element_matrix(const Block& block, int element, double k, double c, const double* u,
                    double* matrix);
/// F of a point of integration (counted through the block).
Matrix3 deformation(const Block& block, int element, int point, const double* u);
/// m_ab of consistent mass, n x n [kg].
void element_mass(const Mesh& mesh, const Block& block, int element, double factor, Matrix& mass);

}  // namespace saltus::fem

namespace saltus {

/// 3 numbers a node in vectors called full. A degree of freedom has the component index_of of q, kHeld where it is
/// prescribed, kNone across the dimension of the mesh.
struct Fem::Data {
  static constexpr int kHeld = -1, kNone = -2;
  FemSystem system;
  int nodes = 0;
  bool moving = false;  ///< prescribed motion changes in time
  bool affine = false;
  std::vector<fem::Block> blocks;
  std::vector<int> free_dofs, index_of;
  std::vector<Source> sources;
  int elastic = -1, gravity = -1, damping = -1, load = -1, prescribed = -1;

  // Mass of nodes: lumped, or consistent with its rows of the free degrees of freedom in the pattern of A.
  Vector nodal;  ///< row sums [kg]
  SparseMatrix mass;
  std::vector<double> mass_value;
  Vector mass_free;  ///< lumped, one a component of q

  // The step operator
  SparseMatrix matrix;
  std::vector<int> diagonal;
  std::vector<double> element;  ///< one element matrix

  // Work space: full vectors of the present call
  mutable Vector u, v, x, f, y;

  explicit Data(FemSystem given);
  void check_input();
  void number();
  void make_mass();
  void make_pattern();

  const Rayleigh& rayleigh() const { return system.rayleigh; }
  int dofs() const { return 3 * nodes; }
  int free() const { return static_cast<int>(free_dofs.size()); }
  bool lumped() const { return system.mass == MassForm::lumped; }
  bool damped() const { return rayleigh().mass > 0.0 || rayleigh().stiffness > 0.0; }
  void scatter(View part, Vector& all) const;
  void gather(const Vector& all, Out part) const;
  double dot(const Vector& all, View w) const;
  void put(double t, View q) const;          ///< u
  void put(double t, View q, View v) const;  ///< u and the rates
  void held(double t, Vector& all, double (Signal::*of)(double) const) const;

  // on full vectors, added
  void mass_product(double scale, const Vector& in, Vector& out) const;
  void elastic_force(Vector& out) const;
  void gravity_force(Vector& out) const;
  void damping_force(const Vector& rate, Vector& out) const;
  void load_force(double t, Vector& out) const;
  void inertia_of_motion(double t, Vector& out) const;  ///< - M u'' of prescribed motion
  void all_forces(double t, Vector& out) const;
  double strain_energy() const;
  double gravity_energy() const;
  void assemble(Combination s);

  /// The nodes and coefficients of a point; a node, or all of an element.
  struct Shape {
    int count = 0;
    std::array<int, kMaxElementNodes> node{};
    std::array<double, kMaxElementNodes> N{};
  };
  Shape shape(const PointRef& at) const;
  const fem::Block& block_of(int element) const;
};

}  // namespace saltus
