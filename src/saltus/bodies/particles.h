// Point masses in space, with springs, dashpots, gravity and drag:  m_i x_i'' = sum of forces.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/nodal_body.h"

namespace saltus {

/// Spring between particles i and j, or between particle i and the fixed point `anchor` (j = -1);
/// its force along the line of length l is k (l - length) + c l'. tension_only: no force if l <
/// length. Where the ends coincide the line has no direction: the dashpot, and a spring of length >
/// 0, then exert no force.
struct Spring {
  int i = 0, j = -1;
  double stiffness = 0.0, length = 0.0, damping = 0.0;  ///< [N/m], [m], [N s/m]
  Vector3 anchor = Vector3::Zero();                     ///< [m]
  bool tension_only = false;
};

struct ParticleSystem {
  Vector mass;  ///< [kg], one per particle
  std::vector<Spring> springs;
  Vector3 gravity = Vector3::Zero();  ///< [m/s^2]
  double drag = 0.0;                  ///< force -drag v on every particle [N s/m]
  Rayleigh rayleigh;
  std::vector<Load> loads;  ///< degree of freedom 3 i + axis
  std::vector<Prescribed> prescribed;
};

/// q = (x_0, y_0, z_0, x_1, ...) of all degrees of freedom that are not prescribed; the nodes are
/// the particles. PointRef::feature is the particle, local an offset that does not rotate.
///
/// C is exact. K is exact for the springs; the derivatives of dashpot and Rayleigh forces (which
/// rotate with the line of the spring) are left out, which keeps K symmetric: Newton's method needs
/// more passes but loses no accuracy. Damping is that of springs, drag and Rayleigh
/// (docs/theory/particles.md).
class Particles final : public NodalBody {
 public:
  /// Throws UsageError if a mass is <= 0, a spring refers to a particle that does not exist or
  /// joins one to itself, a stiffness, length, damping, drag or Rayleigh factor is negative, a
  /// number is not finite, a degree of freedom does not exist or is prescribed twice, or all of
  /// them are prescribed.
  explicit Particles(ParticleSystem system);
  ~Particles() override;

  /// Number of particles if no degree of freedom is prescribed, else 1.
  int bodies() const override;
  /// tangents, second_order, constant_mass, symmetric, potential, fixed_points; affine without
  /// springs.
  unsigned traits() const override;

  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// Diagonal without springs (or for k = c = 0), otherwise sparse.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  double offset() const override;  ///< from the anchors and the lengths of springs

 private:
  struct Springs;
  Springs* springs_;  ///< nodes_ with its actual type
};

}  // namespace saltus
