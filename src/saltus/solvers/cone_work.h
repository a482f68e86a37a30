// A cone problem with the linear system that suits the form in which W is stored.
#pragma once
#include "saltus/solvers/block_system.h"
#include "saltus/solvers/body_system.h"
#include "saltus/solvers/cone_newton.h"

namespace saltus {

/// Initial state of interior-point.
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
  /// One step of ConeNewton. Returns false and keeps x on failure.
  bool newton(Vector& x, double alpha = 1e-10, double sharp = 1.0) {
    ++factorisations_;
    return newton_.step(problem, *system_, alpha, x, sharp);
  }
  /// One step of ConeNewton with the statuses of x. Returns false and keeps x on failure.
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
