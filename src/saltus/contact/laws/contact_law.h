// A contact law: what holds at a contact, as an object. Every law is a class in a file of its own
// in this folder, made from the options that scenes write; laws.h lists them. Islands, events,
// ledger and reports ask the law and never which it is.
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

namespace saltus {

/// What options of a law are read with.
struct LawContext {
  double theta = 0.5;                       ///< of the scheme of the body
  double forecast = 0.0;                    ///< of Activation where none is given
  std::optional<double> scheme_forecast{};  ///< of a scheme that has its own: whatever is given
  std::string path{};                       ///< of the law in the scene, for messages

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

/// Rows of a contact, whichever its law: normal, tangents, then those of moments.
struct ContactShape {
  int tangents = 0;
  bool rolls = false, spins = false;
  int rows = 1;
};

/// What an impact, which takes no time, makes of the rows of a contact.
///     newton:  0 <= u+_N + e u-_N perp P_N >= 0
///     poisson: P_N of a first phase (e = 0, compression) and e times as much after it, then 0 <=
///         u+_N perp P_N
///     held:    u+_N = velocity, P_N of either sign
enum class ImpactForm { newton, poisson, held };

/// What others have to know of a law before they ask it for numbers.
struct LawFacts {
  std::string_view name;   ///< as scenes write it; of static life
  bool set_valued = true;  ///< false: the impulse is that of a force, a function of gap and rate
  bool bilateral = false;  ///< acts whatever the gap, which is then no penetration
  bool position_level =
      false;  ///< restricts gaps: legal in a main stage between groups of gain 1 only
  bool slides_on_normal = false;  ///< the slip is the rate of the gap, the impulse that of friction
  bool uses_angle = true;         ///< of a coordinate that is an angle: needs it with its turns
  bool drives = false;  ///< on a coordinate of a joint: prescribes its rate, or drags it along
  bool reads_start_gap = false;  ///< y0
  bool closes_gaps = false;      ///< Y; it rebounds, and closes its gap under load
  bool follows_passes = false;   ///< what it lets in changes from pass to pass
  bool rebounds = false;         ///< its row adds e u0 to u1, or what closes a gap
  bool expands = false;          ///< a problem of compression comes before: P = (1 + e) P_c + P_x
  bool damps_in_middle = false;  ///< its dashpot acts on (u0 + u1)/2, which may turn the rate round
  bool acts_in_middle =
      false;  ///< a spring of the gap in the middle of the step, which may feed energy in
  bool follows_way = false;  ///< works on the way that a coordinate makes, RowState::way
  bool yields = false;  ///< a force that its damping may take away while the gap is still negative
  double restitution = 0.0;  ///< e [1]
  double velocity = 0.0;     ///< rate of the gap that it holds; of the surface that rubs [m/s]
  double damping = 0.0;      ///< c of a force N = -V' - c u [N s/m]
  double cohesion =
      0.0;  ///< c [N], pull that a contact carries: P_N >= -h c, and with it friction. Lost when it
            ///< opens.
  double bound = 0.0;  ///< largest force at rest where it slides on the normal [N]
  Friction friction{};
  VelocityWeakening
      velocity_weakening{};  ///< f(s) of the bound or of mu, s = |u1 + tangential u0|/(1 +
                             ///< tangential) of what slides
  std::optional<Activation> activation{};  ///< restricts rates of the points that this lets in
  std::optional<ImpactForm> impact{};      ///< none: its force is finite
  std::string_view
      not_by_events{};  ///< why event-driven integration does not know it, after its name; "": it
                        ///< does
};

struct LawNumber {
  std::string_view name;  ///< of static life
  double value = 0.0, rest = 0.0;
};

/// Whether a contact is in the problem of a stage. Only what the facts of a law ask for is
/// measured: y0 where it reads_start_gap, y where it follows_passes or has damping and after a
/// stage of positions.
struct Admission {
  bool gaps_alone = false;       ///< a stage that corrects positions
  bool after_positions = false;  ///< a stage after one
  double h = 0.0;                ///< [s]
  double gap = 0.0, rate = 0.0;  ///< at the contact instant [m], at the start of the step [m/s]
  double y0 = 0.0, y = 0.0;      ///< gaps at the start and of the iterate, where needed [m]
  bool held = false;             ///< it carried an impulse in the stage of positions
  bool bonded = false;           ///< its cohesion has not been lost
  bool loaded = false;           ///< it carried an impulse in the step before
};

/// The normal row before the solution. y0, u0 gap and rate at the start of the step, y and u those
/// of the iterate at its end, u_free the rate without impulses, ahead = gain H (v_free - v): the
/// gap without them is y + h ahead. Measured are y0 and before where it reads_start_gap, y and
/// ahead of laws that read the gap at the end, u, gain and way of forces.
struct RowState {
  bool gaps_alone = false;  ///< a stage that corrects positions
  double h = 0.0;           ///< [s]
  double y0 = 0.0, u0 = 0.0, y = 0.0, u = 0.0, u_free = 0.0, ahead = 0.0;
  double before = 0.0;  ///< y_-, the gap one step before the start [m]
  double gain = 0.0;    ///< of the scheme: an impulse moves the gap by gain h W P [1]
  double way = 1.0;     ///< (y - y0)/(h (u0 + u)/2) of a coordinate of a joint [1]
  double reach = 0.0;  ///< Y, the gap at the end if the rate there were 0, where it closes_gaps [m]
  bool load = false;   ///< load_lasts()
};
/// u = W P + b + compliance P
struct RowTerm {
  double b = 0.0;           ///< [m/s]
  double compliance = 0.0;  ///< [1/kg]
};

/// The normal row on the finished state: gap y and rate u there, P and compliance of the problem.
struct RowEnd {
  bool gaps_alone = false;
  double h = 0.0;
  double y0 = 0.0, u0 = 0.0, y = 0.0, u = 0.0, before = 0.0, way = 1.0;
  double compliance = 0.0, P = 0.0;
  double reach = 0.0;
  bool load = false;
};
/// Of both, what a law on rates adds to u1 from.
struct RateTerm {
  double h, y0, u0, reach;
  bool load;
};

/// A contact that is held between events.
struct HeldContact {
  bool sticks = false, slides = false;
  bool shared = false;  ///< others could take its load: its pressing is watched with theirs
  Vector3 force = Vector3::Zero(), rate = Vector3::Zero();  ///< normal, tangents [N], [m/s]
  std::array<double, 2> direction{};                        ///< of its slip
  double size = 0.0, speed = 0.0;  ///< scales of its force and of rates [N], [m/s]
  double gap = 0.0;                ///< [m]
};
/// A function of the state that is positive until the contact does something else.
struct Guard {
  enum class Until { opens, sticks, slides };
  Until until;
  double value, scale;
};
/// Those of one contact, kMost of them; nothing is allocated.
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
  /// No penetration: 0 <= something of the gap perp P >= 0.
  bool unilateral() const { return set_valued() && !bilateral(); }
  /// Taken in by the rule of Activation.
  bool activated() const { return facts_.activation.has_value(); }
  bool position_level() const { return facts_.position_level; }
  /// Its row of a step reads the gap at the end.
  bool reads_end_gap() const { return position_level() || !set_valued(); }
  bool slides_on_normal() const { return facts_.slides_on_normal; }
  bool has_friction() const { return facts_.friction.coefficient > 0.0 || slides_on_normal(); }
  /// Whether the strength of friction depends on the slip: it is found in passes.
  bool weakens() const { return facts_.velocity_weakening.weakens() && has_friction(); }
  /// mu [1], or the bound of what slides on the normal [N].
  double strength_at_rest() const {
    return slides_on_normal() ? facts_.bound : facts_.friction.coefficient;
  }
  double strength(double slip) const {
    return facts_.velocity_weakening.weakens()
               ? strength_at_rest() * facts_.velocity_weakening.share(slip)
               : strength_at_rest();
  }
  /// Its force has a limit at which the contact opens or slides.
  bool bounded() const { return !bilateral() || slides_on_normal(); }

  // -- in a step

  /// Of a contact that carried an impulse in the step before: what comes is no impact
  /// (activation.h).
  bool load_lasts(double u0, double u_free) const {
    constexpr double kHop = 0.01;
    return facts_.closes_gaps && facts_.restitution * std::abs(u0) <= kHop * (u0 - u_free);
  }

  virtual bool admits(const Admission& x) const;
  /// Its entry in the problem, first row 0. h: of a step, 1 for forces.
  virtual Law entry(const ContactShape& shape, double h) const;
  virtual RowTerm row(const RowState& x) const;
  /// What u of row() is on the finished state, for the residual.
  virtual double row_at_end(const RowEnd& x) const;
  /// The impulse of the problem for the slip that is assumed.
  void strengthen(Law& entry, double h, double slip) const;

  // -- of forces that are functions of gap and rate

  /// V [J]; 0 of set-valued laws.
  virtual double stored_energy(double gap) const;
  /// Impulse of its dashpot in a step from rate u0 to u1 [N s]; of those with damping.
  virtual double damping_impulse(double h, double u0, double u1) const;

  // -- between events

  /// Rows of a contact whose accelerations it holds.
  virtual int held_rows(int tangents, bool sticks) const;
  /// Whether force() gives its force.
  virtual bool gives_force(bool slides) const;
  /// N [N]; direction: of the slip on the normal. Goes on smoothly beyond the end of the contact.
  virtual double force(double gap, double rate, double direction) const;
  /// The part of the force of a law without memory that does not belong to stored_energy(): N + V',
  /// whose work is a loss.
  virtual double damping_force(double gap, double rate) const;
  /// Of what yields: of the sign of its force, and not 0 where the contact begins or ends; the
  /// force itself unless a law says otherwise. Goes on smoothly, like force().
  virtual double pressing(double gap, double rate) const;
  virtual void guards(const HeldContact& x, Guards& out) const;

  /// Its numbers that are not at rest, by name: a law without friction does not speak of it.
  std::vector<LawNumber> numbers() const;
  /// Its name with what distinguishes it, "newton-impact, restitution 0.9, friction 0.3".
  std::string description() const;

 protected:
  /// UsageError: facts contradict each other.
  explicit ContactLaw(LawFacts facts);
  /// What a law on rates adds to u1: if it rebounds e u0, or what closes its gap where it reads Y
  /// (activation.h).
  virtual double term(const RateTerm& x) const;
  /// What it has beside its facts; those at rest are left out.
  virtual void add_numbers(std::vector<LawNumber>&) const {}
  /// What description() says of it after its name, ", restitution 0.9".
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
  /// Of the options that scenes write.
  template <class Options>
  requires requires(const Options& options) { options.law(LawContext{}); }
  AnyLaw(const Options& options, const LawContext& context = {}) : law_(options.law(context)) {}

  const ContactLaw& operator*() const { return *law_; }
  const ContactLaw* operator->() const { return law_.get(); }

 private:
  std::shared_ptr<const ContactLaw> law_;
};

}  // namespace saltus
