// Point masses in space, with springs, dashpots, gravity and drag:  m_i x_i'' = sum of forces.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/nodal_body.h"

namespace saltus {

/// Between particles i and j, or particle i and the fixed place `anchor` (j = -1):
/// force along the line of length l: k (l - length) + c l'. tension_only: no force where l <
/// length. Where the ends coincide the line has no direction: the dashpot, and a spring of length >
/// 0, then give no force.
struct Spring {
  int i = 0, j = -1;
  double stiffness = 0.0, length = 0.0, damping = 0.0;  ///< [N/m], [m], [N s/m]
  Vector3 anchor = Vector3::Zero();                     ///< [m]
  bool tension_only = false;
};

struct ParticleSystem {
  Vector mass;  ///< [kg], one a particle
  std::vector<Spring> springs;
  Vector3 gravity = Vector3::Zero();  ///< [m/s^2]
  double drag = 0.0;                  ///< force -drag v on every particle [N s/m]
  Rayleigh rayleigh;
  std::vector<Load> loads;  ///< degree of freedom 3 i + axis
  std::vector<Prescribed> prescribed;
};

/// q = (x_0, y_0, z_0, x_1, ...) of all degrees of freedom that are not prescribed; the nodes are
/// the particles.
/// PointRef::feature is the particle, local an offset that does not turn.
///
/// C is exact. K is that of the springs, exact; what dashpots and Rayleigh damping add to it (they
/// turn with the line of the spring) is left out, which keeps it symmetric and costs Newton schemes
/// passes, no accuracy. Damping is of springs, drag and Rayleigh (docs/theory/particles.md).
class Particles final : public NodalBody {
 public:
  /// Throws UsageError: mass <= 0, springs between particles that are not there or a particle and
  /// itself, negative stiffness, length, damping, drag or Rayleigh factors, numbers that are not
  /// finite, a degree of freedom that is not there or prescribed twice, all of them prescribed.
  explicit Particles(ParticleSystem system);
  ~Particles() override;

  int bodies() const override;  ///< the particles where no degree of freedom is prescribed, else 1
  /// tangents, second_order, constant_mass, symmetric, potential, fixed_points; affine without
  /// springs.
  unsigned traits() const override;

  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// Diagonal without springs (or for k = c = 0), sparse with.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  double offset() const override;  ///< by the ends of springs, and their lengths

 private:
  struct Springs;
  Springs* springs_;  ///< nodes_ as what it is
};

}  // namespace saltus
