// A contact law as an object. Every law is a class in its own file in this folder, made from the
// options that scenes write; laws.h lists them. Islands, events, energy balance and reports query
// the law and never branch on its type.
#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/base/error.h"
#include "saltus/contact/contact_solver.h"
#include "saltus/contact/laws/activation.h"
#include "saltus/contact/laws/friction.h"
#include "saltus/dynamics/dashpot_weight.h"

namespace saltus {

/// Context in which the options of a law are interpreted.
struct LawContext {
  double theta = 0.5;     ///< of the body's scheme
  double forecast = 0.0;  ///< default of Activation::forecast
  /// Of a scheme with a fixed value, which overrides the given one.
  std::optional<double> scheme_forecast{};
  std::string path{};  ///< of the law in the scene, for messages

  Activation activation(const ActivationOptions& given) const {
    const bool siconos = scheme_forecast || given.forecast || given.threshold || forecast != 0.0;
    return {scheme_forecast.value_or(given.forecast.value_or(forecast)),
            given.threshold.value_or(0.0), given.velocity_threshold, given.closing_only,
            given.kind.value_or(siconos ? ActivationKind::siconos : ActivationKind::gap_closing)};
  }
  bool closes_gaps(const ActivationOptions& given) const {
    return activation(given).kind == ActivationKind::gap_closing;
  }
};

/// Rows of a contact, independent of its law: normal, tangents, then moments.
struct ContactShape {
  int tangents = 0;
  bool rolls = false, spins = false;
  int rows = 1;
};

/// Law of the normal row in an impact, which takes no time.
///     newton:  0 <= u+_N + e u-_N perp P_N >= 0
///     poisson: P_N of compression (e = 0), then e P_N of expansion, then 0 <= u+_N perp P_N
///     held:    u+_N = velocity, P_N of either sign
enum class ImpactForm { newton, poisson, held };

/// Properties of a law that callers need before they evaluate it.
struct LawFacts {
  std::string_view name;   ///< as scenes write it; static lifetime
  bool set_valued = true;  ///< false: the impulse is that of a force, a function of gap and rate
  bool bilateral = false;  ///< acts at any gap; a negative gap is then no penetration
  /// Restricts gaps: allowed only in a main stage between groups of gain 1.
  bool position_level = false;
  bool slides_on_normal = false;  ///< the slip is the rate of the gap, the impulse is friction
  bool uses_angle = true;         ///< on an angular coordinate: needs the angle with full turns
  bool drives = false;            ///< on a joint coordinate: prescribes its rate, or drags it along
  bool reads_start_gap = false;   ///< uses y0
  bool closes_gaps = false;       ///< uses Y: rebounds, and closes its gap under load
  bool follows_passes = false;    ///< whether it admits a contact changes from pass to pass
  bool rebounds = false;          ///< its row adds e u0 to u1, or a term that closes the gap
  bool expands = false;           ///< compression is solved first: P = (1 + e) P_c + P_x
  bool damps_in_middle = false;   ///< its dashpot acts on (u0 + u1)/2, which may reverse the rate
  bool reads_W = false;           ///< its dashpot acts on a mean of u0 and u1 that W decides
  bool acts_in_middle = false;    ///< a spring evaluated at the mid-step gap, which may add energy
  bool follows_way = false;       ///< acts on the displacement of a coordinate, RowState::way
  bool actuates = false;          ///< a force that also depends on a given one, RowState::effort
  bool given = false;             ///< that force alone
  bool yields = false;       ///< a force that damping may cancel while the gap is still negative
  double restitution = 0.0;  ///< e [1]
  double velocity = 0.0;     ///< prescribed rate of the gap, or of the sliding surface [m/s]
  double damping = 0.0;      ///< c of a force N = -V' - c u [N s/m]
  /// c [N], tension that a contact carries: P_N >= -h c; friction counts it as pressure. Lost when
  /// the contact opens.
  double cohesion = 0.0;
  double bound = 0.0;  ///< largest force at rest of a law that slides on its normal [N]
  Friction friction{};
  /// f(s) of the bound or of mu, s = |u1 + tangential u0|/(1 + tangential) of the sliding rows.
  VelocityWeakening velocity_weakening{};
  std::optional<Activation> activation{};  ///< restricts rates of the contacts that this admits
  std::optional<ImpactForm> impact{};      ///< none: its force is finite
  /// Why event-driven integration does not support it, appended to its name; "": supported.
  std::string_view not_by_events{};
};

struct LawNumber {
  std::string_view name;  ///< static lifetime
  double value = 0.0, rest = 0.0;
};

/// Data that decides whether a contact is in the problem of a stage. Only data that the law's facts
/// require is measured: y0 if reads_start_gap; y if follows_passes or with damping, and after a
/// stage of positions.
struct Admission {
  bool gaps_alone = false;       ///< a stage that corrects positions
  bool after_positions = false;  ///< the stage after such a stage
  double h = 0.0;                ///< [s]
  double gap = 0.0, rate = 0.0;  ///< at the contact instant [m], at the start of the step [m/s]
  double y0 = 0.0, y = 0.0;      ///< gap at the start and of the iterate, where needed [m]
  bool held = false;             ///< it carried an impulse in the stage of positions
  bool bonded = false;           ///< its cohesion is intact
  bool loaded = false;           ///< it carried an impulse in the previous step
};

/// Data of the normal row before the contact problem is solved. y0, u0: gap and rate at the start
/// of the step; y, u: those of the iterate at its end; u_free: rate without impulses; ahead = gain
/// H (v_free - v), so that the gap without impulses is y + h ahead. Measured only where needed: y0
/// and before if reads_start_gap; y and ahead for laws that read the gap at the end; u, gain and
/// way for forces.
struct RowState {
  bool gaps_alone = false;  ///< a stage that corrects positions
  double h = 0.0;           ///< [s]
  double y0 = 0.0, u0 = 0.0, y = 0.0, u = 0.0, u_free = 0.0, ahead = 0.0;
  double before = 0.0;  ///< y_-, the gap one step before the start [m]
  double gain = 0.0;    ///< gain of the scheme: an impulse moves the gap by gain h W P [1]
  double way = 1.0;     ///< (y - y0)/(h (u0 + u)/2) of a coordinate of a joint [1]
  double reach = 0.0;   ///< Y, the gap at the end if the rate there were 0; if closes_gaps [m]
  bool load = false;    ///< load_lasts()
  double effort = 0.0;  ///< given force of an actuator, mean over the step [N], [N m]
  double W = 0.0;       ///< W_ii of its row without compliance; if reads_W [1/kg]
};
/// u = W P + b + compliance P
struct RowTerm {
  double b = 0.0;           ///< [m/s]
  double compliance = 0.0;  ///< [1/kg]
};

/// Data of the normal row in the finished state: gap y and rate u there, P and compliance of the
/// problem.
struct RowEnd {
  bool gaps_alone = false;
  double h = 0.0;
  double y0 = 0.0, u0 = 0.0, y = 0.0, u = 0.0, before = 0.0, way = 1.0;
  double compliance = 0.0, P = 0.0;
  double reach = 0.0;
  bool load = false;
  double effort = 0.0;
  double W = 0.0;
};
/// The part of RowState and RowEnd that term() uses.
struct RateTerm {
  double h, y0, u0, reach;
  bool load;
};

/// A closed contact between events.
struct HeldContact {
  bool sticks = false, slides = false;
  /// Redundant: others could carry its load, so its opening is watched with theirs.
  bool shared = false;
  Vector3 force = Vector3::Zero(), rate = Vector3::Zero();  ///< normal, tangents [N], [m/s]
  std::array<double, 2> direction{};                        ///< direction of its slip
  double size = 0.0, speed = 0.0;  ///< scale of its force [N] and of its rates [m/s]
  double gap = 0.0;                ///< [m]
};
/// A function of the state that stays positive until the contact changes its mode.
struct Guard {
  enum class Until { opens, sticks, slides };
  Until until;
  double value, scale;
};
/// Guards of one contact, at most kMost; allocates nothing.
class Guards {
 public:
  static constexpr int kMost = 4;
  void add(Guard::Until until, double value, double scale) {
    expects(count_ < kMost, "a contact has at most 4 guards");
    list_[static_cast<std::size_t>(count_++)] = {until, value, scale};
  }
  const Guard* begin() const { return list_.data(); }
  const Guard* end() const { return list_.data() + count_; }

 private:
  std::array<Guard, kMost> list_;
  int count_ = 0;
};

class ContactLaw {
 public:
  virtual ~ContactLaw() = default;

  const LawFacts& facts() const { return facts_; }
  std::string_view name() const { return facts_.name; }
  bool set_valued() const { return facts_.set_valued; }
  bool bilateral() const { return facts_.bilateral; }
  /// Complementarity of P >= 0 with a gap or its rate: no penetration.
  bool unilateral() const { return set_valued() && !bilateral(); }
  /// Admitted by the rule of Activation.
  bool activated() const { return facts_.activation.has_value(); }
  bool position_level() const { return facts_.position_level; }
  /// Its row in a step reads the gap at the end.
  bool reads_end_gap() const { return position_level() || !set_valued(); }
  bool slides_on_normal() const { return facts_.slides_on_normal; }
  bool has_friction() const { return facts_.friction.coefficient > 0.0 || slides_on_normal(); }
  /// Whether friction depends on the slip speed, which is then found in passes.
  bool weakens() const { return facts_.velocity_weakening.weakens() && has_friction(); }
  /// mu [1], or the bound of a law that slides on its normal [N].
  double strength_at_rest() const {
    return slides_on_normal() ? facts_.bound : facts_.friction.coefficient;
  }
  double strength(double slip) const {
    return facts_.velocity_weakening.weakens()
               ? strength_at_rest() * facts_.velocity_weakening.share(slip)
               : strength_at_rest();
  }
  /// Whether its force has a limit at which the contact opens or slides.
  bool bounded() const { return !bilateral() || slides_on_normal(); }

  // -- in a step

  /// For a contact that carried an impulse in the previous step: whether its load is sustained, so
  /// that no impact follows (activation.h).
  bool load_lasts(double u0, double u_free) const {
    constexpr double kHop = 0.01;
    return facts_.closes_gaps && facts_.restitution * std::abs(u0) <= kHop * (u0 - u_free);
  }

  virtual bool admits(const Admission& x) const;
  /// Its entry in the problem, with first row 0. h: step size, 1 for forces.
  virtual Law entry(const ContactShape& shape, double h) const;
  virtual RowTerm row(const RowState& x) const;
  /// The u of row() in the finished state, for the residual.
  virtual double row_at_end(const RowEnd& x) const;
  /// Sets bound and friction of the entry for the assumed slip.
  void strengthen(Law& entry, double h, double slip) const;

  // -- forces that are functions of gap and rate

  /// V [J]; 0 for set-valued laws.
  virtual double stored_energy(double gap) const;
  /// Impulse of its dashpot in a step from rate u0 to u1 [N s]; for laws with damping. W: as in
  /// RowState.
  virtual double damping_impulse(double h, double W, double u0, double u1) const;

  // -- between events

  /// Number of rows of a contact whose accelerations the law constrains.
  virtual int held_rows(int tangents, bool sticks) const;
  /// Whether force() returns its force.
  virtual bool gives_force(bool slides) const;
  /// N [N]; direction: of the slip on the normal. Continues smoothly beyond the end of contact.
  virtual double force(double gap, double rate, double direction) const;
  /// N of a law that actuates, with the given force `effort` [N].
  virtual double actuation(double gap, double rate, double effort) const;
  /// N + V', the part of the force of a law without memory that is not derived from
  /// stored_energy(). Its work is a loss.
  virtual double damping_force(double gap, double rate) const;
  /// For laws that yield: has the sign of the force, and is not 0 where contact begins or ends; by
  /// default the force itself. Continues smoothly, like force().
  virtual double pressing(double gap, double rate) const;
  virtual void guards(const HeldContact& x, Guards& out) const;

  /// Its parameters that differ from their rest values, by name: a law without friction lists none.
  std::vector<LawNumber> numbers() const;
  /// Its name and its main parameters, "newton-impact, restitution 0.9, friction 0.3".
  std::string description() const;

 protected:
  /// Throws UsageError if facts contradict each other.
  explicit ContactLaw(LawFacts facts);
  /// Term that a law on rates adds to u1: e u0 if it rebounds, or the term that closes the gap if
  /// it uses Y (activation.h).
  virtual double term(const RateTerm& x) const;
  /// Parameters that are not in its facts; those at their rest values are removed later.
  virtual void add_numbers(std::vector<LawNumber>&) const {}
  /// Text that description() appends to the name, ", restitution 0.9".
  virtual std::string described() const { return {}; }
  /// ", friction 0.3", ", friction 0.8 along an axis and 0.1 across it".
  std::string friction_text() const;

 private:
  LawFacts facts_;
};

/// A law as a value: of any class, immutable, shared by its copies.
class AnyLaw {
 public:
  explicit AnyLaw(std::shared_ptr<const ContactLaw> law) : law_(std::move(law)) {
    expects(law_ != nullptr, "AnyLaw of no law");
  }
  /// From the options that scenes write.
  template <class Options>
  requires requires(const Options& options) { options.law(LawContext{}); }
  AnyLaw(const Options& options, const LawContext& context = {}) : law_(options.law(context)) {}

  const ContactLaw& operator*() const { return *law_; }
  const ContactLaw* operator->() const { return law_.get(); }

 private:
  std::shared_ptr<const ContactLaw> law_;
};

}  // namespace saltus
