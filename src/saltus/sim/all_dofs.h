// All degrees of freedom of a body, those included that are held or prescribed and so no part of q.
#pragma once
#include <memory>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

class AllDofs {
 public:
  virtual ~AllDofs() = default;
  virtual int count() const = 0;
  /// Component of q; -1: it is held, prescribed, without mass, or does not exist.
  virtual int free_index(int dof) const = 0;
  /// It is held or prescribed: its value is a function of time.
  virtual bool held(int dof) const = 0;
  /// Values and rates of all of them at t, `count()` each.
  virtual void values(double t, View q, Out all) const = 0;
  virtual void rates(double t, View q, View v, Out all) const = 0;
  /// Positions of the nodes of a mesh or beam in the reference configuration [m], three each; empty
  /// for other bodies.
  virtual std::vector<double> nodes() const { return {}; }

  /// Degrees of freedom that are no part of q.
  std::vector<int> others() const;
};

/// Null if q and v of the body are complete.
std::unique_ptr<AllDofs> all_dofs(const Dynamics& body);

}  // namespace saltus
