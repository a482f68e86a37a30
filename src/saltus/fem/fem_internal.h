// The parts of Fem: the response of a point with the strains that its element does not see, and
// loops over elements.
#pragma once
#include <mutex>
#include <vector>

#include "saltus/bodies/material_internal.h"
#include "saltus/bodies/nodal_body_internal.h"
#include "saltus/fem/fem.h"
#include "saltus/linear_algebra/conjugate_gradients.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus::fem {

/// What an element knows of F: all; F_13 = F_23 = 0 and F_33 = 1; F_33 so that P_33 = 0; F a alone,
/// a the axis of a bar, with the stretch across it so that no stress acts there.
enum class StressState { solid, plane_strain, plane_stress, uniaxial };

/// The material of a block of elements.
struct Constitution {
  Material material;
  StressState state = StressState::solid;
  double viscosity = 0.0;  ///< r_K of the strain-rate form [s], 0: none
  double lambda = 0.0,
         mu =
             0.0;  ///< in the dimensions of the element: lambda* in plane stress, E/2 and 0 in bars
                   ///< [Pa]
  bool warped = false;  ///< the tangent of the law `corotated` is that without the change of R

  Constitution() = default;
  Constitution(const FemMaterial& given, int dimension, double rate);
  bool linear() const { return material.law == MaterialLaw::linear; }
};

// Of H = F - I, the gradient of displacements: small strains are as exact as H is.
double energy(const Constitution& c, const Matrix3& H, const Vector3& axis);   ///< W
Matrix3 stress(const Constitution& c, const Matrix3& H, const Vector3& axis);  ///< P
Matrix3 cauchy(const Constitution& c, const Matrix3& H, const Vector3& axis);
// Of F.
void tangent(const Constitution& c, const Matrix3& F, const Vector3& axis, Matrix9& A);  ///< dP/dF
/// P = F S_v of the rate dF/dt, and its derivative by that rate, added.
Matrix3 viscous_stress(const Constitution& c, const Matrix3& F, const Vector3& axis,
                       const Matrix3& rate);
void add_viscous_tangent(const Constitution& c, const Matrix3& F, const Vector3& axis, double scale,
                         Matrix9& A);
/// k dP/dF + c dP_v/dF'
void combined_tangent(const Constitution& law, const Matrix3& F, const Vector3& axis, double k,
                      double c, Matrix9& A);

/// The laws that eight elements go through at once; none: one after the other. Moduli as in
/// Constitution.
struct PackLaw {
  enum Kind { none, linear, st_venant_kirchhoff, neo_hooke, corotated } kind = none;
  double lambda = 0.0, mu = 0.0;
  bool viscous = false;  ///< the viscous stress too
  double viscosity = 0.0, viscous_lambda = 0.0, viscous_mu = 0.0;
  bool warped = false;

  PackLaw() = default;
  explicit PackLaw(const Constitution& law);
};

/// Elements of one block with their points of integration. Loops run over batches of eight
/// elements, the last one filled up with its last element at no weight. Batches make chunks, and
/// chunks colours: two chunks of a colour share no node, so that threads may work on all of a
/// colour and every sum keeps its order.
struct Block {
  ElementKind kind = ElementKind::tet4;
  int n = 0, points = 0, elements = 0,
      first = 0;  ///< nodes, points an element; number of its first element
  Constitution law;
  PackLaw pack_law;
  double tangent_rate = 0.0;    ///< r_K of the form r_K K(q) v [s]
  std::vector<int> node;        ///< n an element
  std::vector<double> natural;  ///< dN_a/dxi, 3 a node, n a point of the rule
  std::vector<double> weight;   ///< rule times det J times thickness or area [m^3], one a point
  std::vector<Vector3> axis;    ///< of bars, one a point

  int batches = 0, chunk = 1;  ///< batches a chunk
  std::vector<int> pack_node;  ///< node a of slot l of a batch at 8 a + l
  /// dxi_k/dX_j of a batch and point at (3 k + j) 8 + l [1/m]; of bars along the axis.
  AlignedArray inverse;
  AlignedArray pack_weight;  ///< eight a batch and point
  /// Of the block (a, b), a <= b, of a batch at (b (b + 1)/2 + a) 8 + l: its entry in the upper
  /// half of the graph, ~entry where it is to be transposed.
  std::vector<int> slot;
  std::vector<int> chunk_order, colour_begin;  ///< chunks by their colours
  int width = 0;  ///< most doubles in a register; 0: as the machine has

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

// One element after the other; u, v, x, f, y hold 3 numbers a node of the mesh.
/// f += scale int P grad0 N_a dV of the stored energy at u, elements `from` to `to`.
void add_elastic(const Block& block, int from, int to, double scale, const double* u, double* f);
/// k K + c C_v of one element, 3 n x 3 n by columns, symmetric to the bit.
void element_matrix(const Block& block, int element, double k, double c, const double* u,
                    double* matrix);
/// F - I of a point of integration (counted through the block), and F.
Matrix3 displacement_gradient(const Block& block, int element, int point, const double* u);
Matrix3 deformation(const Block& block, int element, int point, const double* u);
/// m_ab of consistent mass, n x n [kg].
void element_mass(const Mesh& mesh, const Block& block, int element, double factor, Matrix& mass);

// All elements of a block, in batches and threads.
void add_elastic(const Block& block, ThreadPool& thread_pool, double scale, const double* u,
                 double* f);
/// The same of the viscous stress of the rates v.
void add_viscous(const Block& block, ThreadPool& thread_pool, double scale, const double* u,
                 const double* v, double* f);
/// chunk_energy: room for one number a chunk.
double stored_energy(const Block& block, ThreadPool& thread_pool, const double* u,
                     std::vector<double>& chunk_energy);
/// y += (k K + c C_v) x, C_v of the viscous stress.
void add_product(const Block& block, ThreadPool& thread_pool, double k, double c, const double* u,
                 const double* x, double* y);
/// The upper half of A += k K + c C_v.
void add_matrices(const Block& block, ThreadPool& thread_pool, double k, double c, const double* u,
                  NodeMatrix& A);

// Points of a batch whose law is none of PackLaw, slot by slot: 9 numbers by rows, eight slots
// each.
void stress_of_pack(const Block& block, int batch, int point, double (&H)[9][8]);  ///< H <- P
void viscous_stress_of_pack(const Block& block, int batch, int point, const double (&F)[9][8],
                            double (&rate)[9][8]);                                 ///< rate <- P
void energy_of_pack(const Block& block, int batch, int point, double (&H)[9][8]);  ///< H[0] <- W
void product_of_pack(const Block& block, int batch, int point, double k, double c,
                     const double (&F)[9][8], double (&dF)[9][8]);  ///< dF <- dP
void rotation_of_slot(const double (&F)[9][8], double (&R)[9][8], int slot);
double logarithm_of(double change);  ///< ln J of J - 1, not a number where J <= 0

/// The rotation that fits the nodes of a body best, weighted by their masses m_a, with Z_a = X_a -
/// Xc:
///     R = polar factor of S = sum m_a (x_a - xc) Z_a^T,      d_a = R^T (x_a - xc) - Z_a
/// A motion x' of the nodes turns R with Omega = (tr(U) I - U)^-1 sum m_a Z_a x R^T x_a',  U = R^T
/// S, in the axes of the body, and d' = Q R^T x',  (Q w)_a = w_a - Omega x (Z_a + d_a).
struct BodyRotation {
  Matrix3 R = Matrix3::Identity();
  Vector d;  ///< 3 numbers a node

  void set(const Mesh& mesh, const Vector& mass);
  void place(const Vector& u);
  void into(const Vector& in, Vector& out) const;                   ///< R^T
  void add_out(double scale, const Vector& in, Vector& out) const;  ///< out += scale R in
  void strip(Vector& w) const;                                      ///< w <- Q w
  void strip_transposed(Vector& f) const;  ///< f <- Q^T f: what is left turns and moves nothing

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
  MomentsKept moments_kept = MomentsKept::inertia;  ///< where nodes are massless
  SparseMatrix mass;                                ///< consistent

  // The step operator
  std::shared_ptr<const NodeGraph> graph;
  std::vector<double> mass_entry;  ///< of consistent masses, one an entry of the graph
  NodeMatrix stiffness;            ///< K0 of the linear law, kept
  int largest = 0;                 ///< nodes of an element
  fem::BodyRotation unturned;      ///< of body_corotational

  /// Multiplications of a factor over those of A x; made when first asked for.
  mutable std::once_flag factor_asked;
  mutable double factor_cost = 0.0;  // made once, behind factor_asked
  struct ElementEvaluation final : Evaluation {
    ThreadPool thread_pool;
    fem::BodyRotation turn;  ///< of body_corotational, at u
    Vector turned, product;
    std::vector<double> chunk_energy, element;  ///< `element`: one element matrix
    /// m M + c C + k K of direct solvers by nodes, and of the free degrees of freedom, entry for
    /// entry; empty before the first.
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
  void shape(const PointRef& at, Shape& s) const override;  ///< a node, or all of an element
  Vector3 reference(int node) const override { return system.mesh.nodes.col(node); }

  void mass_product(double scale, const Vector& in, Vector& out) const override;
  void elastic_force(Evaluation& at, Vector& out) const override;
  void damping_force(Evaluation& at, const Vector& rate, Vector& out) const override;
  double potential(Evaluation& at) const override;
  /// out += scale (k K + c C_K) in at u, C_K without the part of the mass.
  void stiffness_product(Evaluation& at, double scale, double k, double c, const Vector& in,
                         Vector& out) const;
  /// A of body_corotational is that in the axes of the body.
  void assemble(Combination s, ElementEvaluation& at, NodeMatrix& A) const;
  void assemble(Combination s, ElementEvaluation& at) const;  ///< rows, and matrix from it
  void factorise(Combination s, ElementEvaluation& at, Factor& A) const;
  /// Displacements that strain elements.
  const Vector& strained(const Evaluation& at) const {
    return turns() ? static_cast<const ElementEvaluation&>(at).turn.d : at.u;
  }
  const fem::Block& block_of(int element) const;
};

}  // namespace saltus
