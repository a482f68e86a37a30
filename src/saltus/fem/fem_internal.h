// The parts of Fem: the constitutive response at a point, including strains that the element does
// not resolve, and loops over elements.
#pragma once
#include <mutex>
#include <vector>

#include "saltus/bodies/material_internal.h"
#include "saltus/bodies/nodal_body_internal.h"
#include "saltus/fem/fem.h"
#include "saltus/linear_algebra/conjugate_gradients.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus::fem {

/// Which components of F an element determines. solid: all. plane_strain: F_13 = F_23 = 0 and
/// F_33 = 1. plane_stress: F_33 follows from P_33 = 0. uniaxial: only F a, a the axis of a bar; the
/// lateral stretch follows from zero lateral stress.
enum class StressState { solid, plane_strain, plane_stress, uniaxial };

/// The material of a block of elements.
struct Constitution {
  Material material;
  StressState state = StressState::solid;
  double viscosity = 0.0;  ///< r_K of the strain-rate form [s], 0: none
  /// In the dimensions of the element [Pa]: lambda* in plane stress, E/2 and 0 in bars.
  double lambda = 0.0, mu = 0.0;
  bool warped = false;  ///< the tangent of the law `corotated` omits the change of R

  Constitution() = default;
  Constitution(const FemMaterial& given, int dimension, double rate);
  bool linear() const { return material.law == MaterialLaw::linear; }
};

// Functions of H = F - I, the displacement gradient: small strains are as exact as H.
double energy(const Constitution& c, const Matrix3& H, const Vector3& axis);   ///< W
Matrix3 stress(const Constitution& c, const Matrix3& H, const Vector3& axis);  ///< P
Matrix3 cauchy(const Constitution& c, const Matrix3& H, const Vector3& axis);
// Functions of F.
void tangent(const Constitution& c, const Matrix3& F, const Vector3& axis, Matrix9& A);  ///< dP/dF
/// P = F S_v for the rate dF/dt; adds its derivative with respect to that rate.
Matrix3 viscous_stress(const Constitution& c, const Matrix3& F, const Vector3& axis,
                       const Matrix3& rate);
void add_viscous_tangent(const Constitution& c, const Matrix3& F, const Vector3& axis, double scale,
                         Matrix9& A);
/// k dP/dF + c dP_v/dF'
void combined_tangent(const Constitution& law, const Matrix3& F, const Vector3& axis, double k,
                      double c, Matrix9& A);

/// The laws that are evaluated for eight elements at once; none: element by element. Moduli as in
/// Constitution.
struct PackLaw {
  enum Kind { none, linear, st_venant_kirchhoff, neo_hooke, corotated } kind = none;
  double lambda = 0.0, mu = 0.0;
  bool viscous = false;  ///< also for the viscous stress
  double viscosity = 0.0, viscous_lambda = 0.0, viscous_mu = 0.0;
  bool warped = false;

  PackLaw() = default;
  explicit PackLaw(const Constitution& law);
};

/// Elements of one block with their integration points. Loops run over batches of eight elements;
/// the last batch is padded with copies of the last element at zero weight. Batches form chunks,
/// and chunks are coloured: two chunks of a colour share no node, so that threads may process all
/// chunks of a colour at once and every sum keeps its order.
struct Block {
  ElementKind kind = ElementKind::tet4;
  /// nodes and points per element; number of elements; number of the first element
  int n = 0, points = 0, elements = 0, first = 0;
  Constitution law;
  PackLaw pack_law;
  double tangent_rate = 0.0;    ///< r_K of the form r_K K(q) v [s]
  std::vector<int> node;        ///< n per element
  std::vector<double> natural;  ///< dN_a/dxi, 3 per node, n per point of the rule
  std::vector<double> weight;   ///< rule times det J times thickness or area [m^3], one per point
  std::vector<Vector3> axis;    ///< of bars, one per point

  int batches = 0, chunk = 1;  ///< batches per chunk
  std::vector<int> pack_node;  ///< node a of slot l of a batch at 8 a + l
  /// dxi_k/dX_j of a batch and point at (3 k + j) 8 + l [1/m]; for bars along the axis.
  AlignedArray inverse;
  AlignedArray pack_weight;  ///< eight per batch and point
  /// For the block (a, b), a <= b, of a batch at (b (b + 1)/2 + a) 8 + l: its entry in the upper
  /// half of the graph, or ~entry if the block has to be transposed.
  std::vector<int> slot;
  std::vector<int> chunk_order, colour_begin;  ///< chunks ordered by colour
  int width = 0;  ///< maximum number of doubles per register; 0: as the machine supports

  Block() = default;
  Block(const Mesh& mesh, int block, const FemMaterial& material, double rate, Viscosity form,
        CorotatedTangent tangent);
  const Vector3& axis_of(int point) const {
    static const Vector3 kNone = Vector3::Zero();
    return axis.empty() ? kNone : axis[static_cast<std::size_t>(point)];
  }
  Vector3 gradient(int element, int point, int a) const;  ///< grad0 N_a [1/m], point of the rule
  int pack_size(int batch) const { return batch + 1 < batches ? 8 : elements - 8 * batch; }
  bool in_packs(double k, double c) const {
    return (k == 0.0 || pack_law.kind != PackLaw::none) && (c == 0.0 || pack_law.viscous);
  }
  void make_chunks(int nodes);
  void make_slots(const NodeGraph& graph);
};

// Element by element; u, v, x, f, y hold 3 numbers per node of the mesh.
/// f += scale int P grad0 N_a dV of the stored energy at u, elements `from` to `to`.
void add_elastic(const Block& block, int from, int to, double scale, const double* u, double* f);
/// k K + c C_v of one element, 3 n x 3 n, column-major, bitwise symmetric.
void element_matrix(const Block& block, int element, double k, double c, const double* u,
                    double* matrix);
/// F - I and F at an integration point (numbered through the block).
Matrix3 displacement_gradient(const Block& block, int element, int point, const double* u);
Matrix3 deformation(const Block& block, int element, int point, const double* u);
/// m_ab of the consistent mass, n x n [kg].
void element_mass(const Mesh& mesh, const Block& block, int element, double factor, Matrix& mass);

// All elements of a block, in batches and on threads.
void add_elastic(const Block& block, ThreadPool& thread_pool, double scale, const double* u,
                 double* f);
/// As add_elastic, for the viscous stress at the rates v.
void add_viscous(const Block& block, ThreadPool& thread_pool, double scale, const double* u,
                 const double* v, double* f);
/// chunk_energy: work space, one number per chunk.
double stored_energy(const Block& block, ThreadPool& thread_pool, const double* u,
                     std::vector<double>& chunk_energy);
/// y += (k K + c C_v) x, C_v of the viscous stress.
void add_product(const Block& block, ThreadPool& thread_pool, double k, double c, const double* u,
                 const double* x, double* y);
/// The upper half of A += k K + c C_v.
void add_matrices(const Block& block, ThreadPool& thread_pool, double k, double c, const double* u,
                  NodeMatrix& A);

// Points of a batch whose law is not in PackLaw, slot by slot: 9 components, row-major, eight slots
// each.
void stress_of_pack(const Block& block, int batch, int point, double (&H)[9][8]);  ///< H <- P
void viscous_stress_of_pack(const Block& block, int batch, int point, const double (&F)[9][8],
                            double (&rate)[9][8]);                                 ///< rate <- P
void energy_of_pack(const Block& block, int batch, int point, double (&H)[9][8]);  ///< H[0] <- W
void product_of_pack(const Block& block, int batch, int point, double k, double c,
                     const double (&F)[9][8], double (&dF)[9][8]);  ///< dF <- dP
void rotation_of_slot(const double (&F)[9][8], double (&R)[9][8], int slot);
double logarithm_of(double change);  ///< ln J from J - 1, NaN where J <= 0

/// The rotation that best fits the nodes of a body, weighted by their masses m_a, with Z_a = X_a -
/// Xc:
///     R = polar factor of S = sum m_a (x_a - xc) Z_a^T,      d_a = R^T (x_a - xc) - Z_a
/// A motion x' of the nodes rotates R, in the axes of the body, with
///     Omega = (tr(U) I - U)^-1 sum m_a Z_a x R^T x_a',   U = R^T S,
/// and d' = Q R^T x',  (Q w)_a = w_a - Omega x (Z_a + d_a).
struct BodyRotation {
  Matrix3 R = Matrix3::Identity();
  Vector d;  ///< 3 numbers per node

  void set(const Mesh& mesh, const Vector& mass);
  void place(const Vector& u);
  void into(const Vector& in, Vector& out) const;                   ///< R^T
  void add_out(double scale, const Vector& in, Vector& out) const;  ///< out += scale R in
  void strip(Vector& w) const;                                      ///< w <- Q w
  /// f <- Q^T f: the result has no resultant force or moment
  void strip_transposed(Vector& f) const;

 private:
  int dimension_ = 3;
  Vector mass_, Z_;
  Matrix3 S0_ = Matrix3::Zero();     ///< sum m_a Z_a Z_a^T
  Matrix3 D_ = Matrix3::Identity();  ///< (tr(U) I - U)^-1
};

}  // namespace saltus::fem

namespace saltus {

struct Fem::Elements final : Nodes {
  FemSystem system;
  bool affine = false;
  std::vector<fem::Block> blocks;
  MomentsKept moments_kept = MomentsKept::inertia;  ///< if nodes are massless
  SparseMatrix mass;                                ///< consistent

  // The step operator
  std::shared_ptr<const NodeGraph> graph;
  std::vector<double> mass_entry;  ///< of consistent masses, one per entry of the graph
  NodeMatrix stiffness;            ///< K0 of the linear law, computed once
  int largest = 0;                 ///< largest number of nodes of an element
  fem::BodyRotation unturned;      ///< of body_corotational, before any rotation

  /// Multiplications of a factorisation relative to those of A x; computed on first use.
  mutable std::once_flag factor_asked;
  mutable double factor_cost = 0.0;  // guarded by factor_asked
  struct ElementEvaluation final : Evaluation {
    ThreadPool thread_pool;
    fem::BodyRotation turn;  ///< of body_corotational, at u
    Vector turned, product;
    std::vector<double> chunk_energy, element;  ///< `element`: one element matrix
    /// m M + c C + k K for direct solvers, by nodes and as entries on the free degrees of freedom;
    /// empty before the first use.
    NodeMatrix rows;
    SparseMatrix matrix;
  };
  static ElementEvaluation& evaluation(Evaluation& work) {
    return static_cast<ElementEvaluation&>(work);
  }
  std::unique_ptr<Evaluation> make_evaluation() const override;

  explicit Elements(FemSystem given);
  void check_input();
  void make_mass();
  void make_pattern();
  bool iteration_pays(Combination s, const NodeMatrix& A) const;

  const Rayleigh& rayleigh() const { return system.rayleigh; }
  bool turns() const { return system.form == FemForm::body_corotational; }
  bool damped() const { return rayleigh().mass > 0.0 || rayleigh().stiffness > 0.0; }
  void placed(Evaluation& work) const override;
  /// at a node, or at a point of an element with all its nodes
  void shape(const PointRef& at, Shape& s) const override;
  Vector3 reference(int node) const override { return system.mesh.nodes.col(node); }

  void mass_product(double scale, const Vector& in, Vector& out) const override;
  void elastic_force(Evaluation& at, Vector& out) const override;
  void damping_force(Evaluation& at, const Vector& rate, Vector& out) const override;
  double potential(Evaluation& at) const override;
  /// out += scale (k K + c C_K) in at u, C_K without the mass-proportional part.
  void stiffness_product(Evaluation& at, double scale, double k, double c, const Vector& in,
                         Vector& out) const;
  /// With body_corotational, A is in the axes of the body.
  void assemble(Combination s, ElementEvaluation& at, NodeMatrix& A) const;
  /// fills `rows`, and `matrix` from it
  void assemble(Combination s, ElementEvaluation& at) const;
  void factorise(Combination s, ElementEvaluation& at, Factor& A) const;
  /// Displacements that cause strain.
  const Vector& strained(const Evaluation& at) const {
    return turns() ? static_cast<const ElementEvaluation&>(at).turn.d : at.u;
  }
  const fem::Block& block_of(int element) const;
};

}  // namespace saltus
