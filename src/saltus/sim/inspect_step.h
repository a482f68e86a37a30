// One linearised step of one group: v_free, A and their inputs.
//
// A is obtained from a scheme by giving it a group that records the last factorised combination. If
// a scheme builds its operator itself (modal-exact) or scales it, A is the inverse of A^-1.
#pragma once
#include <memory>
#include <optional>

#include "saltus/dynamics/forwarding.h"
#include "saltus/dynamics/scheme.h"
#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// Forwards to a group, and records the last combination that was factorised.
class FactorisationRecorder final : public ForwardingDynamics {
 public:
  explicit FactorisationRecorder(const Dynamics& body) : body_(body) {}

  struct Record {
    Combination s;
    double t;
    Vector q, v;
  };
  std::optional<Record> last() const { return last_; }

  void factorise(Combination s, double t, View q, View v, Factor& A) const override {
    last_ = Record{s, t, q, v};
    body_.factorise(s, t, q, v, A);
  }
  void factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                       Factor& A) const override {
    last_ = Record{s, t, q, v};
    body_.factorise_exact(s, weight, x, t, q, v, A);
  }

 private:
  const Dynamics& inner() const override { return body_; }

  const Dynamics& body_;
  mutable std::optional<Record> last_;  // written before it is read; belongs to one inspection
};

/// One step of one group up to its linearisation.
struct InspectedStep {
  FactorisationRecorder body;
  std::unique_ptr<Prepared> prepared;
  Trial trial;
  std::optional<FactorisationRecorder::Record> factorised;  ///< combination in A of the trial
  Vector v_it;                                              ///< iterate of the linearisation

  /// Computes v_free and A at the start. `pass`: at the predicted end.
  InspectedStep(const Group& group, const GroupState& start, double t, double h, bool pass);

  Matrix matrix() const;   ///< A
  Matrix inverse() const;  ///< A^-1
  /// True if A of the trial is the combination factorised last.
  bool combination() const;

 private:
  Matrix multiplied() const;
};

}  // namespace saltus
