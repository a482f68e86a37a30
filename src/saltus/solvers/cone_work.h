// A cone problem with the system that fits the form in which W is held.
#pragma once
#include "saltus/solvers/block_system.h"
#include "saltus/solvers/body_system.h"
#include "saltus/solvers/cone_newton.h"

namespace saltus {

/// What interior-point begins with.
class ConeWork {
 public:
  ConeProblem problem;

  void begin(const ContactProblem& contact) {
    if (BodySystem::fits(contact))
      system_ = &bodies_;
    else
      system_ = &blocks_;
    system_->begin(contact, problem);
    factorisations_ = 0;
  }
  void apply(View x, Out v) const { system_->apply(x, v); }  ///< v = W~ x
  bool factorise(std::span<const ConeRows> rows) {
    ++factorisations_;
    return system_->factorise(rows);
  }
  void solve(Vector& x, int refinements) { system_->solve(x, refinements); }
  /// A step of ConeNewton. False: x was left alone.
  bool newton(Vector& x, double alpha = 1e-10, double sharp = 1.0) {
    ++factorisations_;
    return newton_.step(problem, *system_, alpha, x, sharp);
  }
  /// A step of ConeNewton with the statuses of x. False: x was left alone.
  bool hold(Vector& x, double alpha) {
    ++factorisations_;
    return newton_.hold(problem, *system_, alpha, x);
  }
  int factorisations() const { return factorisations_; }

 private:
  BlockSystem blocks_;
  BodySystem bodies_;
  ConeSystem* system_ = &blocks_;
  ConeNewton newton_;
  int factorisations_ = 0;
};

}  // namespace saltus
