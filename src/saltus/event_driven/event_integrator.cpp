#include "saltus/event_driven/event_integrator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "saltus/assembly/stored_energy.h"
#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/base/stop.h"
#include "saltus/event_driven/event_response.h"
#include "saltus/event_driven/event_search.h"
#include "saltus/math/bernstein.h"

namespace saltus {
namespace {

constexpr int kMostTrials = 60;  ///< of the length of a step
constexpr std::string_view kNoEnd = "contacts change without end at one instant";
constexpr int kMostAtOnce = 20;    ///< events without time between them
constexpr int kTrials = 4;         ///< before slips are looked at that come to their end
constexpr int kClose = 3;          ///< times EventOptions::closed, of contacts that are near
constexpr double kTurn = 2.5;      ///< most that a body turns in a step [rad]
constexpr double kCounted = 1.5;   ///< the same where angles between bodies are counted [rad]
constexpr double kNoise = 5.0;     ///< that many times the round-off of accelerations in a step
constexpr double kFinest = 1e-11;  ///< tolerance of steps with contacts that are closed
constexpr double kStop = 1e-6;     ///< of EventOptions::zeno: the way left of a slip that is over
constexpr double kWay = 2000.0;    ///< margins that a body goes in a step
constexpr int kMostSamples = 16;   ///< of a step, for its integrals
constexpr double kShortest = 1e-15;
/// Steps in a row, each below kCrawl intervals and as long as friction lets an explicit method step at the slowest slip.
constexpr int kMostCrawls = 300;
constexpr double kCrawl = 1e-3, kStiff = 0.3;
constexpr double kNoRoom =
    1e-9;  ///< of the largest force: contacts that share a load have no other way to
constexpr double kStrong = 1e-6;  ///< of the size of a force: friction that tells a direction
constexpr double kStill = 1e-12;  ///< of the speeds in play: slower is at rest
constexpr double kTime = 1e-14;   ///< of the time, to which the end of a step is found
constexpr int kRounds = 3;        ///< of Newton's method for it
/// Of the error a step may have: what a dense output may miss of the equations of motion that is taken for the motion.
constexpr double kDefect = 0.01;
constexpr double kLongest = 1000.0;  ///< intervals
/// Of the velocity that contacts, springs and joints can give a group: slower groups are not measured by their own.
constexpr double kShare = 0.1;
/// Impacts in a row between which nothing moves by EventOptions::zeno: they pile up.
constexpr std::uint64_t kCrowd = 8;

std::unique_ptr<OdeMethod> method_of(const EventOptions& options) {
  switch (options.method) {
    case OdeKind::dormand_prince_5:
      return make_dormand_prince_5();
    case OdeKind::dormand_prince_8:
      return make_dormand_prince_8();
    case OdeKind::esdirk:
      return make_esdirk();
    case OdeKind::automatic:
      break;
  }
  return options.tolerance > 1e-5 ? make_dormand_prince_5() : make_dormand_prince_8();
}

int account_of(const Model& model, std::string_view name) {
  const auto accounts = model.accounts();
  const auto found = std::find(accounts.begin(), accounts.end(), name);
  return found == accounts.end() ? -1 : static_cast<int>(found - accounts.begin());
}

bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

bool any_slides(std::span<const ContactMode> modes) {
  return std::ranges::any_of(
      modes, [](const ContactMode& mode) { return mode.kind == ContactMode::Kind::slides; });
}

/// A polynomial in Bernstein form over a step of the length h, integrated between two shares of the step.
class Integral {
 public:
  Integral(Eigen::Index coefficients, double h, double from, double to)
      : n_(static_cast<std::size_t>(coefficients)), h_(h) {
    bernstein_integral_weights(to, std::span(to_).first(n_));
    bernstein_integral_weights(from, std::span(from_).first(n_));
  }
  template <class Row>
  double operator()(const Row& row) const {
    double to = 0.0, from = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
      to += to_[k] * row[static_cast<Eigen::Index>(k)];
      from += from_[k] * row[static_cast<Eigen::Index>(k)];
    }
    return h_ * (to - from);
  }

 private:
  std::size_t n_;
  double h_;
  std::array<double, kMostSamples> to_, from_;
};

/// What an interval went of a step whose joints were all that held it: enough to say what they bore.
struct Way {
  long made = 0;  ///< number of the step: ways of one step bear alike
  std::vector<GroupState> start;
  OdeStep step;  ///< t0, h, v0 and the dense output
  double rate_time = 0.0, length = 0.0;
  double from = 0.0, to = 0.0;  ///< shares of `length`
};

}  // namespace

struct EventIntegrator::Work {
  explicit Work(const Model& m)
      : model(m),
        breaks(model.breaks()),
        motion(model),
        touch(model, motion),
        watch(model, motion),
        method(method_of(model.options().events)) {
    std::vector<double> ends;
    std::ranges::set_union(breaks.ends, breaks.jumps, std::back_inserter(ends));
    breaks.ends = std::move(ends);
    const auto n = static_cast<Eigen::Index>(motion.size());
    w = v = dw = dv = Vector::Zero(n);
    scale = Vector::Ones(2 * n);
    first.assign(motion.contacts().first().begin(), motion.contacts().first().end());
    for (const Group& group : model.groups()) {
      std::vector<int> entry;
      for (const Source& source : group.dynamics->sources()) {
        entry.push_back(source.potential ? -1 : account_of(model, source.name));
        books = books || entry.back() >= 0;
      }
      account.push_back(entry);
      by_source.emplace_back(entry.size(), 0.0);
    }
    damps =
        std::ranges::any_of(model.laws(), [](const AnyLaw& law) { return law->facts().yields; });
    const int accounts = static_cast<int>(model.accounts().size());
    impact = accounts - 3;
    scheme = accounts - 2;
    joint_impulse.assign(model.joints().size(), {Vector3::Zero(), Vector3::Zero()});
    joint_load = joint_impulse;
    find_joined();
    friction = account_of(model, "friction");
    damping = account_of(model, "damping");
    of_joints = account_of(model, "joints");
    prescribed = account_of(model, "prescribed");
    if (friction < 0) friction = impact;
    if (prescribed < 0) prescribed = impact;
  }

  const Model model;
  Breaks breaks;  ///< of the model; jumps are among the ends
  ConstrainedMotion motion;
  EventResponse touch;
  EventSearch watch;
  Springs springs{model};
  std::unique_ptr<OdeMethod> method;
  OdeStep step;
  bool ready = false;            ///< `step` is that of State::lane
  double done = 0.0;             ///< share of it that the state has gone
  Matrix power;                  ///< of every account over the step, Bernstein [W]
  Matrix force;                  ///< three rows a mode [N]
  Matrix load;                   ///< six rows a joint, as Simulation::joint_load [N], [N m]
  Matrix powers, forces, loads;  ///< what they go through, a column a node
  std::vector<char> sampled;     ///< of each node
  std::vector<std::array<Vector3, 2>> joint_load;     ///< scratch
  std::vector<std::array<Vector3, 2>> joint_impulse;  ///< since begin_means(), but for `ways`
  std::vector<Way> ways;  ///< since begin_means(), the first `on_way` of them
  std::size_t on_way = 0;
  long made = 0, borne_by = -1;  ///< number of the step, and of that of `borne`
  double borne_over = 0.0;       ///< length of that one [s]
  Matrix borne;                  ///< what the joints bear over it, as `load`
  std::unique_ptr<ConstrainedMotion>
      aside;  ///< goes over them again, where somebody asks for loads
  std::map<std::uint64_t, Vector3> impulse;  ///< of contacts since begin_means()
  EventResponse::Account account_of_touch;
  EventTrace* kept = nullptr;
  Stop* stop = nullptr;

  /// A group in a row H of a contact. With velocities of the size s (of turns times the radius of gyration) it makes at most
  /// `reach` s of the rate of the row; an elastic impact at the rate u makes at most `gain` u of its velocity.
  struct Link {
    int row, group;
    double reach, gain;
  };
  bool alone = true;                       ///< no two groups move
  std::vector<Link> links;                 ///< of rows that couple groups, or a group to what moves
  std::vector<double> drifts;              ///< of these rows: rate of what moves by itself [m/s]
  std::vector<std::array<int, 2>> joined;  ///< groups that joints and couplings tie together
  std::vector<double> speeds, own_speeds;  ///< of each group, scratch
  std::vector<double> noise;               ///< of each group, round-off of accelerations [m/s^2]
  std::vector<char> settled;

  double tolerance = 0.0;    ///< of the step in work
  Vector w, v, scale, pull;  ///< pull: acceleration by the applied forces alone
  Vector dw, dv, slope;      ///< scratch
  Matrix rises;
  std::vector<EventEnding> stops;  ///< slips that a step cannot follow to their end
  std::vector<int> first;
  std::vector<std::vector<int>> account;
  std::vector<std::vector<double>> by_source;
  bool order_decided = false;  ///< in the interval in work
  std::string tied;            ///< the two contacts whose order did first, in words
  bool damps = false;          ///< the damping of some law may take its force
  bool books = false;          ///< some body has a source that is no potential
  bool held = true;            ///< the modes hold where the last go() led
  int crawls = 0;              ///< steps in a row that friction at slips near zero keeps short
  int impact = 0, scheme = 0, friction = 0, prescribed = 0, damping = -1, of_joints = -1;

  void gather(const std::vector<GroupState>& groups) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      v.segment(first[g], groups[g].v.size()) = groups[g].v;
  }
  /// motion at the state, with its modes: rows, or rates too.
  void look(const State& state) {
    put(state);
    motion.go(state.t, w, v);
  }
  /// Steps do not go over these.
  double next_end(double t) const {
    const auto next = std::ranges::upper_bound(breaks.ends, t);
    return next == breaks.ends.end() ? std::numeric_limits<double>::infinity() : *next;
  }
  double end_of(const EventState& lane) const {
    const double t = lane.t + lane.length, end = next_end(lane.t);
    return std::abs(t - end) <= 4.0 * 0x1p-52 * t ? end : t;  // end: perhaps infinite
  }
  bool jumps_at(double t) const { return std::ranges::binary_search(breaks.jumps, t); }
  void rates(const State& state) {
    put(state);
    motion.rates(state.t, w, v, dw, dv);
  }
  void put(const State& state) {
    motion.start(state.groups);
    motion.set_modes(state.lane.modes);
    gather(state.groups);
    w.setZero();
  }
  void begin(const EventState& lane);
  void find_joined();
  void find_links();
  void find_links_of(std::size_t mode, int row);
  void share_speeds();
  void set_scale();
  void measure_noise();
  enum class Made { step, stops, nothing };
  Made make(State& state, double limit, StepReport& report);
  bool find_stops();
  double first_step(double most);
  double slip_time();
  double spring_time(double most);
  bool has_stopped(const State& state, std::uint64_t key);
  bool share(EventState& lane);
  bool has_room(const State& state);
  void point_slips(const State& state, std::vector<EventEnding>& endings);
  void end_step(EventState& lane);
  template <class At>
  std::optional<double> root(const EventSearch::Found& found, double from, double most,
                             const At& at);
  void locate(EventState& lane, const EventSearch::Found& found);
  bool resume(State& state);
  bool constrained() const { return motion.joints().rows() > 0 || !motion.modes().empty(); }
  /// True when what contacts and joints bear is booked somewhere: else nobody may ask for it.
  bool bears() const {
    return !motion.modes().empty() || (model.options().ledger && motion.joints().prescribed());
  }
  void begin_samples();
  void sample(int k, double t, bool forces_known);
  void sample_joints(ConstrainedMotion& from, int k, Matrix& into);
  using Impulses = std::vector<std::array<Vector3, 2>>;
  static void add_loads(const Integral& integral, const Matrix& of, Impulses& to);
  void bear(const Way& way);
  void keep_way(const EventState& lane, double theta);
  void sum_ways();
  bool sample_work(double length, double most = std::numeric_limits<double>::infinity());
  double defect_at(double s, double length);
  std::array<double, 2> slack_energy(double t, const State& state);
  bool place(double t, double theta, const EventState& lane, std::vector<GroupState>& groups);
  void go(State& state, double theta);
  int near(const State& state);
  bool happen(State& state, StepReport& report, std::vector<Event>& events, bool jump = false);
  bool counted(const State& state, StepReport& report);
  void turn(State& state);
  void measure(const State& state, StepReport& report);
};

// motion and step at the start of the step in work.
void EventIntegrator::Work::begin(const EventState& lane) {
  motion.joints().reset_redundant_rows();
  motion.enter_smooth_interval(lane.t);
  motion.start(lane.start);
  if (motion.contacts().counts_angles()) motion.contacts().settle(lane.t, lane.start);
  motion.set_modes(lane.modes);
  motion.set_time(lane.rate_time);
  gather(lane.start);
  w.setZero();
  step.t0 = lane.t;
  step.v0 = v;
  step.dv0.resize(v.size());
  if (any_slides(lane.modes)) {  // slips that are round-off have no direction
    motion.go(lane.t, w, v);
    pull = motion.free_acceleration();
    motion.mark_slips(std::max(1e-9, 10.0 * model.options().events.tolerance),
                      v.cwiseAbs() + 1e3 * lane.rate_time * pull.cwiseAbs());
  }
  motion.rates(lane.t, w, v, dw, step.dv0);
  motion.applied_acceleration(pull);
  const double h = model.options().h;
  touch.allow(0.5 * h * h * motion.applied().dot(pull),
              model.options().events.zeno * motion.applied().cwiseAbs().sum());
}

// Groups of a joint, and those of all joints of a coupling.
void EventIntegrator::Work::find_joined() {
  alone = std::ranges::count_if(model.groups(), [](const Group& group) {
            return group.dynamics->velocities() > 0;
          }) < 2;
  const auto moves = [&](int g) {
    return g >= 0 && model.groups()[at(g)].dynamics->velocities() > 0;
  };
  std::vector<int> together;
  const auto add = [&](const Joint& joint) {
    for (const int g : {joint.a.group, joint.b.group})
      if (moves(g)) together.push_back(g);
  };
  const auto close = [&] {
    for (std::size_t i = 1; i < together.size(); ++i)
      if (together[i] != together[0]) joined.push_back({together[0], together[i]});
    together.clear();
  };
  for (const Joint& joint : model.joints()) {
    add(joint);
    close();
  }
  for (const JointCoupling& coupling : model.couplings()) {
    for (const JointCoupling::Term& term : coupling.terms) add(model.joints()[at(term.joint)]);
    close();
  }
}

// Row `row` of the contact of a mode, where it couples groups or a group to what moves by itself:
//     reach_g = max_i |H_i|/r_i,     gain_g = 2 max_i r_i |M^-1 H^T|_i/W,     W = H M^-1 H^T,     i of group g
// r: radius of gyration of turns, else 1.
void EventIntegrator::Work::find_links_of(std::size_t mode, int row) {
  const EventContacts& contacts = motion.contacts();
  const std::span<const double> radius = motion.kinematics().radius();
  double drift = std::abs(motion.drift(mode)[row]);
  if (drift <= kStill * contacts.row_size(at(motion.index(mode)), row, step.v0)) drift = 0.0;
  if (alone && drift == 0.0) return;
  Matrix X = Matrix::Zero(v.size(), 1);
  contacts.add_row(at(motion.index(mode)), row, 1.0, X.col(0));
  const Vector H = X.col(0);
  const auto group_of = [&](std::size_t g) { return H.segment(first[g], first[g + 1] - first[g]); };
  std::size_t groups = 0;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) groups += !group_of(g).isZero(0.0);
  if (groups == 0 || (groups == 1 && drift == 0.0)) return;
  motion.kinematics().solve_mass(X);
  const double W = H.dot(X.col(0));
  if (!(W > 0.0)) return;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    if (group_of(g).isZero(0.0)) continue;
    Link link{static_cast<int>(drifts.size()), static_cast<int>(g), 0.0, 0.0};
    for (int i = first[g]; i < first[g + 1]; ++i) {
      link.reach = std::max(link.reach, std::abs(H[i]) / radius[at(i)]);
      link.gain = std::max(link.gain, 2.0 * radius[at(i)] * std::abs(X(i, 0)) / W);
    }
    links.push_back(link);
  }
  drifts.push_back(drift);
}

// Where motion is, after motion.rates().
void EventIntegrator::Work::find_links() {
  links.clear();
  drifts.clear();
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.index(k) < 0) continue;
    const int tangents = motion.contacts().contact(at(motion.index(k))).tangents;
    for (int a = 0; a <= tangents; ++a) find_links_of(k, a);
  }
}

// Bodies that touch or are joined have one scale: a spring of force d^(3/2) that strikes a body at rest moves it by t^(7/2), of
// which a step misses the same part however short it is, and beside its own velocity no step is ever good. `speeds` of groups
// grow to what the others can give them, each on its way from the fastest once:
//     s_g = max(s_g, gain_g (reach_k s_k, |d|)) over rows,   max(s_g, s_k) over joints
void EventIntegrator::Work::share_speeds() {
  if (links.empty() && joined.empty()) return;
  own_speeds = speeds;
  settled.assign(speeds.size(), 0);
  for (const Link& link : links)
    speeds[at(link.group)] = std::max(speeds[at(link.group)], link.gain * drifts[at(link.row)]);
  for (std::size_t n = 0; n < speeds.size(); ++n) {
    int k = -1;
    for (std::size_t g = 0; g < speeds.size(); ++g)
      if (settled[g] == 0 && (k < 0 || speeds[g] > speeds[at(k)])) k = static_cast<int>(g);
    settled[at(k)] = 1;
    const double speed = speeds[at(k)];
    if (!(speed > 0.0)) break;
    const auto give = [&](int g, double u) {
      if (settled[at(g)] == 0) speeds[at(g)] = std::max(speeds[at(g)], u);
    };
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].group != k) continue;
      const double u = links[i].reach * speed;
      for (std::size_t j = i; j-- > 0 && links[j].row == links[i].row;)
        give(links[j].group, links[j].gain * u);
      for (std::size_t j = i + 1; j < links.size() && links[j].row == links[i].row; ++j)
        give(links[j].group, links[j].gain * u);
    }
    for (const auto& [a, b] : joined) {
      if (a == k) give(b, speed);
      if (b == k) give(a, speed);
    }
  }
  for (std::size_t g = 0; g < speeds.size(); ++g)
    speeds[g] = std::max(own_speeds[g], kShare * speeds[g]);
}

// How much the accelerations by applied forces change where time and places do in their last digits: the round-off of what is
// subtracted in them, as a spring and the weight that it carries.
void EventIntegrator::Work::measure_noise() {
  constexpr double kLast = std::numeric_limits<double>::epsilon();
  const std::span<const double> radius = motion.kinematics().radius();
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    const double last = kLast * motion.kinematics().extent(g);
    // signs as if at random: where all move alike no spring is stretched
    for (int i = first[g]; i < first[g + 1]; ++i)
      w[i] = ((static_cast<unsigned>(i) * 2654435761u) >> 16) % 2 == 0 ? last / radius[at(i)]
                                                                       : -last / radius[at(i)];
  }
  motion.go(step.t0 * (1.0 + kLast), w, step.v0);
  dv = motion.free_acceleration() - pull;
  for (std::size_t g = 0; g + 1 < first.size(); ++g)
    for (int i = first[g]; i < first[g + 1]; ++i)
      noise[g] = std::max(noise[g], radius[at(i)] * std::abs(dv[i]));
}

// What moves in a step: |v| h + |a| h^2 and |v| + |a| h, the largest of a group, at its start and, within bounds, its end;
// a with and without contacts; turns at the radius of gyration. Groups that others can move share theirs. Motion within the
// round-off of accelerations is none, and an error within it is no error.
void EventIntegrator::Work::set_scale() {
  const double h = step.h;
  const std::span<const double> radius = motion.kinematics().radius();
  // Rates of rows that turn are differences: their round-off is no error of the step.
  const double asked = model.options().events.tolerance;
  tolerance = motion.differences() ? std::max(asked, kFinest) : asked;
  const auto n = v.size();
  speeds.assign(first.size() - 1, 0.0);
  for (std::size_t g = 0; g + 1 < first.size(); ++g)
    for (int i = first[g]; i < first[g + 1]; ++i)
      speeds[g] = std::max(
          speeds[g], radius[at(i)] * (std::abs(step.v0[i]) +
                                      h * std::max(std::abs(step.dv0[i]), std::abs(pull[i]))));
  share_speeds();
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    const double start = speeds[g];
    double end = 0.0;
    for (int i = first[g]; i < first[g + 1]; ++i)
      end = std::max(end, radius[at(i)] * (std::abs(step.v1[i]) + h * std::abs(step.dv1[i])));
    const double least = kNoise * noise[g] * h;
    // A step that is far too long may end anywhere.
    const double speed = start > least ? std::clamp(end, start, 4.0 * start) : end;
    for (int i = first[g]; i < first[g + 1]; ++i) {
      const double u = std::max(std::max(tolerance * speed, least) / radius[at(i)], 1e-200);
      scale[i] = std::max(h * u, 1e-200);
      scale[n + i] = u;
    }
  }
}

// The next step from the state, its length by the tolerance, cut where an event is.
EventIntegrator::Work::Made EventIntegrator::Work::make(State& state, double limit,
                                                        StepReport& report) {
  EventState& lane = state.lane;
  lane.start.resize(state.groups.size());
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    lane.start[g].q = state.groups[g].q;
    lane.start[g].v = state.groups[g].v;
  }
  lane.t = state.t;
  gather(state.groups);
  double left =
      std::min(limit, next_end(state.t)) - state.t;  // increments of rotations are singular at 2 pi
  const double turn = motion.contacts().counts_angles() ? kCounted : kTurn;
  if (const double spin = motion.kinematics().fastest_turn(v); spin > 0.0)
    left = std::min(left, turn / spin);
  double h = std::min(lane.next > 0.0 ? lane.next : left, left);
  const auto start = [&](double length) {
    h = length;
    lane.rate_time = 1e-3 * h;
    begin(lane);
  };
  start(h);
  find_links();
  if (!(lane.next > 0.0)) start(std::min(h, first_step(h)));
  if (const double most = slip_time(); h > most) start(most);
  watch.begin(step.t0, step.v0, h);
  if (motion.contacts().detects()) {
    // u h + a h^2/2 <= way
    const double u = std::max(motion.kinematics().fastest(step.v0),
                              watch.fastest_drift(lane.t, lane.t + h)),
                 way = kWay * model.surfaces().margin_of_events(),
                 a = step.dv0.cwiseAbs().maxCoeff(),
                 most = 2.0 * way / (u + std::sqrt(u * u + 2.0 * a * way));
    if (h > most) start(most);
    if (const double turns = spring_time(h); turns < h) start(turns);
  }
  const double q = method->error_order();
  double error = 0.0;
  noise.assign(first.size() - 1, 0.0);
  for (int trial = 0;; ++trial) {
    if (stop_requested(stop)) return Made::nothing;
    step.h = h;
    const bool whole = method->step(motion, step) && step.v1.allFinite() && step.w1.allFinite();
    bool good = whole;
    if (good) {
      set_scale();
      error = method->error(step, scale);
      good = error <= 1.0;
      if (good && turn == kCounted && motion.kinematics().fastest_turn(step.w1) > kCounted) {
        good = false;
        error = 1e3;
      }
    } else {
      error = 1e3;
    }
    if (good) break;
    ++report.rejected;
    if (trial == 0 && whole) {
      start(h);  // a step too long may have led far away
      measure_noise();
      set_scale();
      if (method->error(step, scale) <= 1.0) {  // it is round-off: the same step to that measure
        start(h);
        continue;
      }
    }
    if (trial >= kTrials && find_stops()) return Made::stops;
    if (trial > kMostTrials || h < kShortest * std::max(std::abs(state.t), left)) {
      report.failure = "the integrator does not meet time.tolerance with any step";
      return Made::nothing;
    }
    start(h * (std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -1.0 / q), 0.1, 0.9) : 0.1));
  }
  report.error = std::max(report.error, error * tolerance);
  ++report.steps;
  crawls = h < kCrawl * model.options().h && any_slides(lane.modes) &&
                   h * motion.slip_rate(pull) > kStiff
               ? crawls + 1
               : 0;
  const double next =
      h * (error > 0.0 ? std::clamp(0.9 * std::pow(error, -1.0 / q), 0.2, 5.0) : 5.0);
  method->interpolate(motion, step);
  lane.h = lane.length = h;
  begin_samples();
  const auto nodes = lobatto_nodes(static_cast<int>(step.w.cols()));
  const auto found = watch.earliest(step, [&](double theta) {
    const auto node = std::ranges::find(nodes, theta);
    if (node != nodes.end())
      sample(static_cast<int>(node - nodes.begin()), motion.kinematics().time(), true);
  });
  lane.ends_with = -1;
  lane.ends_key = 0;
  if (found) {
    lane.ends_with = static_cast<std::int32_t>(found->kind);
    lane.ends_key = found->key;
    locate(lane, *found);
  } else {
    sample_work(h);
  }
  // A step that an event cut short says nothing against its length.
  lane.next = h < left || next < h ? next : std::max(next, lane.next);
  if (kept) {
    EventTrace::Step one{lane.t, lane.length, lane.start, lane.modes,
                         model.options().events.method};
    if (one.method == OdeKind::automatic)
      one.method = method->order() == 8 ? OdeKind::dormand_prince_8
                   : method->implicit() ? OdeKind::esdirk
                                        : OdeKind::dormand_prince_5;
    kept->steps.push_back(std::move(one));
  }
  ready = true;
  done = 0.0;
  return Made::step;
}

// Of nothing is known but the start: the accelerations after a short time say how fast they change. From
// a(s) = a + s^2 a''/2 the time of the motion is s sqrt(|a|/(2 |a(s) - a|)), and s is shortened until the change is small.
double EventIntegrator::Work::first_step(double most) {
  const Vector a = step.dv0, u = step.v0;
  const double size = a.size() > 0 ? a.cwiseAbs().maxCoeff() : 0.0,
               speed = u.size() > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
  if (!(size > 0.0)) return speed > 0.0 ? most : 1e-3 * most;
  for (double time = most; time > 1e-12 * most; time *= 0.1) {
    const Vector moved = time * u + 0.5 * time * time * a, faster = u + time * a;
    motion.rates(step.t0 + time, moved, faster, dw, dv);
    const double change = (dv - a).cwiseAbs().maxCoeff() / size;
    if (!(change <= 0.1)) continue;
    return change > 0.0 ? std::min(most, 0.5 * time / std::sqrt(2.0 * change)) : most;
  }
  return 1e-12 * most;
}

// The time after which a slip in a plane would be another: twice that of its end, u^2/(-u . u'), and that in which it turns,
// |u|/|u'_across|. Behind its end its force keeps its direction, and a step of which most lies there would seem to be without error.
double EventIntegrator::Work::slip_time() {
  double time = std::numeric_limits<double>::infinity();
  if (!any_slides(motion.modes())) return time;
  Vector& row = dw;  // scratch
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.modes()[k].kind != ContactMode::Kind::slides || motion.index(k) < 0) continue;
    const auto i = at(motion.index(k));
    if (motion.contacts().contact(i).tangents < 2) continue;
    std::array<double, 2> u, du;
    for (int a = 0; a < 2; ++a) {
      row.setZero();
      motion.contacts().add_row(i, 1 + a, 1.0, row);
      u[at(a)] = motion.rate(k)[1 + a];
      du[at(a)] = row.dot(step.dv0);
    }
    const double slip = std::hypot(u[0], u[1]);
    if (!(slip > motion.still(k))) continue;
    const double slower = -(u[0] * du[0] + u[1] * du[1]) / slip,
                 across = std::abs(u[0] * du[1] - u[1] * du[0]) / slip;
    if (slower > 0.0) time = std::min(time, 2.0 * slip / slower);
    if (across > 0.0) time = std::min(time, slip / across);
  }
  return time;
}

// A spring between shapes that begins to press has no force yet, and stages of a step far longer than its contact throw the
// bodies out of it: those that the estimate of the error weighs then see no force, and a step of 50 contact times passed as
// good. Such a step is no longer than the way over which the spring takes all of the motion towards it, V(y - d) = u^2/(2 W),
// found to a factor of 2. V: what the law stores, or d/4 of its force.
double EventIntegrator::Work::spring_time(double most) {
  constexpr double kBegun =
      1e-3;  // of that motion: a spring with more has a force that the estimate sees
  const EventContacts& contacts = motion.contacts();
  Vector &H = dw, &response = dv;  // scratch
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.index(k) < static_cast<int>(contacts.list().named())) continue;
    const auto i = at(motion.index(k));
    const ContactLaw& law = contacts.law(i);
    const double u = motion.rate(k)[0], y = std::min(contacts.gap(i), 0.0);
    if (law.set_valued() || !(u < 0.0)) continue;
    H.setZero();
    contacts.add_row(i, 0, 1.0, H);
    response = H;
    motion.kinematics().solve_mass(response);
    const double moving = 0.5 * u * u / H.dot(response);
    const auto V = [&](double d) {
      return std::max(law.stored_energy(-d), 0.25 * d * law.force(-d, 0.0, 0.0));
    };
    if (V(-y) > kBegun * moving) continue;
    while (most > 0.0 && V(-y - u * most) > moving) most *= 0.5;
  }
  return most;
}

// u^2 <= 2 zeno |u'| of the slip of a mode at the state.
bool EventIntegrator::Work::has_stopped(const State& state, std::uint64_t key) {
  rates(state);
  Vector row(v.size());
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.modes()[k].key != key || motion.index(k) < 0) continue;
    const auto i = at(motion.index(k));
    double slip = 0.0, change = 0.0;
    for (int a = 1; a <= motion.contacts().contact(i).tangents; ++a) {
      row.setZero();
      motion.contacts().add_row(i, a, 1.0, row);
      slip += motion.rate(k)[a] * motion.rate(k)[a];
      change += row.dot(dv) * row.dot(dv);
    }
    return slip <= 2.0 * model.options().events.zeno * std::sqrt(change);
  }
  return false;
}

// Slips whose way is over but for less than EventOptions::zeno, at the start of a step. Where a body turns while it slides,
// the directions of its slips turn ever faster towards their common end, and no step is short enough.
bool EventIntegrator::Work::find_stops() {
  stops.clear();
  const double zeno = model.options().events.zeno;
  Vector row(v.size());
  w.setZero();
  motion.rates(step.t0, w, step.v0, dw, dv);
  EventContacts& contacts = motion.contacts();
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.modes()[k].kind != ContactMode::Kind::slides || motion.index(k) < 0) continue;
    const auto i = at(motion.index(k));
    const int tangents = contacts.contact(i).tangents;
    double slip = 0.0, slower = 0.0;
    for (int a = 1; a <= tangents; ++a) {
      const double u = motion.rate(k)[a];
      row.setZero();
      contacts.add_row(i, a, 1.0, row);
      slip += u * u;
      slower -= u * row.dot(dv);
    }
    // way = u^2/(2 |u'|), u' = (u . u_T')/u
    if (slower > 0.0 && slip * std::sqrt(slip) <= 2.0 * kStop * zeno * slower)
      stops.push_back({EventEnding::Kind::stops, motion.modes()[k].key, {}});
  }
  return !stops.empty();
}

// From the length `from` of the step to the root of the function that found the event, by Newton's method: at(h) puts w, v
// at t0 + h. The last change c goes without another look: c^2 is round-off. Nothing where it leads away.
template <class At>
std::optional<double> EventIntegrator::Work::root(const EventSearch::Found& found, double from,
                                                  double most, const At& at) {
  double h = from;
  for (int round = 0;; ++round) {
    at(h);
    if (found.slope == 0.0 || round == kRounds) return h;
    const double change = -watch.value(found, step.t0 + h, w, v) / found.slope, better = h + change;
    if (!std::isfinite(change) || std::abs(change) <= 1e-16 * (std::abs(step.t0) + h)) return h;
    if (!(better > 0.5 * h && better < 1.5 * h && better <= 1.001 * most)) return {};
    if (change * change <= kTime * h * (std::abs(step.t0) + h)) return better;
    h = better;
  }
}

// The end of the step in work where its event is: of its dense output where that obeys the equations of motion as closely as
// asked, else of the step made again up to it.
void EventIntegrator::Work::locate(EventState& lane, const EventSearch::Found& found) {
  const double most = step.h, from = found.theta * most;
  if (!(from > 0.0)) {  // it happens where the step starts
    step.h = lane.h = lane.length = 0.0;
    return;
  }
  if (constrained()) {  // rates are sampled all the same
    const auto h = root(found, from, most, [&](double to) { dense_output(step, to / most, w, v); });
    if (h) {
      lane.length = *h;
      if (sample_work(*h, kDefect)) return;
    }
  }
  const auto again = [&](double to) {
    step.h = to;
    method->step(motion, step);
    w = step.w1;
    v = step.v1;
  };
  const auto h = root(found, from, most, again);
  lane.h = step.h;
  lane.length = h.value_or(step.h);
  method->interpolate(motion, step);
  begin_samples();
  sample_work(lane.length);
}

// The step in work of a state that was stored. False: the state is not where this step led it.
bool EventIntegrator::Work::resume(State& state) {
  const EventState& lane = state.lane;
  begin(lane);
  step.h = lane.h;
  if (!method->step(motion, step)) return false;
  method->interpolate(motion, step);
  begin_samples();
  sample_work(lane.length);
  done = (state.t - lane.t) / lane.length;
  std::vector<GroupState> here = state.groups;
  place(state.t, done, lane, here);
  for (std::size_t g = 0; g < here.size(); ++g)
    if (!same(here[g].q, state.groups[g].q) || !same(here[g].v, state.groups[g].v)) return false;
  ready = true;
  return true;
}

// What the dense output at t0 + s misses of the rates dw, dv there, over `length`: as OdeMethod::error(), by the same scale.
double EventIntegrator::Work::defect_at(double s, double length) {
  const auto degree = step.w.cols() - 1;
  const double theta = s / step.h, rate = static_cast<double>(degree) / step.h;
  const auto n = v.size();
  slope.resize(n);
  double sum = 0.0;
  const auto add = [&](const Matrix& B, const Vector& known, View scales) {
    rises = B.rightCols(degree) - B.leftCols(degree);
    bernstein_values(rises, theta, slope);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double e = length * (rate * slope[i] - known[i]) / scales[i];
      sum += e * e;
    }
  };
  add(step.w, dw, scale.head(n));
  add(step.v, dv, scale.tail(n));
  return std::sqrt(sum / static_cast<double>(2 * n));
}

// Nothing is sampled of the step whose dense output was made.
void EventIntegrator::Work::begin_samples() {
  ++made;
  const int nodes = static_cast<int>(step.w.cols()) + 1;
  powers.setZero(static_cast<Eigen::Index>(model.accounts().size()), nodes);
  forces.setZero(3 * static_cast<Eigen::Index>(motion.modes().size()), nodes);
  loads.setZero(6 * static_cast<Eigen::Index>(joint_impulse.size()), nodes);
  sampled.assign(at(nodes), 0);
}

// Loads of the joints where `from` is, in column k.
void EventIntegrator::Work::sample_joints(ConstrainedMotion& from, int k, Matrix& into) {
  std::ranges::fill(joint_load, std::array<Vector3, 2>{Vector3::Zero(), Vector3::Zero()});
  from.joints().add_loads(from.joint_forces(), 1.0, joint_load);
  for (std::size_t i = 0; i < joint_load.size(); ++i) {
    into.block<3, 1>(6 * static_cast<Eigen::Index>(i), k) = joint_load[i][0];
    into.block<3, 1>(6 * static_cast<Eigen::Index>(i) + 3, k) = joint_load[i][1];
  }
}

// Power of every account at node k, where motion is, at t; with the forces of contacts and joints after motion.rates().
void EventIntegrator::Work::sample(int k, double t, bool forces_known) {
  if (sampled[at(k)] != 0) return;  // halves of an interval share their ends
  sampled[at(k)] = 1;
  const auto groups = motion.kinematics().groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (account[g].empty() || groups[g].v.size() == 0) continue;
    model.groups()[g].dynamics->power(t, {}, groups[g].q, groups[g].v, groups[g].v, by_source[g]);
    for (std::size_t s = 0; s < account[g].size(); ++s)
      if (account[g][s] >= 0) powers(account[g][s], k) += by_source[g][s];
  }
  if (!forces_known) return;
  if (motion.joints().rows() > 0) {
    powers(prescribed, k) -= motion.joint_forces().dot(motion.joints().drift());
    sample_joints(motion, k, loads);
  }
  for (std::size_t m = 0; m < motion.modes().size(); ++m) {
    if (motion.index(m) < 0) continue;
    const ContactLaw& law = motion.contacts().law(at(motion.index(m)));
    const Vector3 &f = motion.force(m), &u = motion.rate(m), &d = motion.drift(m);
    forces.block<3, 1>(3 * static_cast<Eigen::Index>(m), k) =
        motion.contacts().contact(at(motion.index(m))).on_units(f);
    const bool rubs = law.slides_on_normal();
    const double own = rubs ? law.facts().velocity : 0.0;
    const bool on_joint = motion.contacts().contact(at(motion.index(m))).joint_law >= 0;
    if (!law.set_valued())
      powers(on_joint && damping >= 0 ? damping : impact, k) +=
          law.damping_force(motion.contacts().gap(at(motion.index(m))), u[0]) * u[0];
    else
      powers(rubs ? friction : on_joint ? of_joints : impact, k) += f[0] * (u[0] - own);
    powers(friction, k) += f[1] * u[1] + f[2] * u[2];
    powers(prescribed, k) -= f.dot(d) - f[0] * own;
  }
}

// Polynomials of power, forces and loads over the step, which ends at `length`, from the nodes that are sampled and those that
// are not yet. False where defect_at() is above `most`.
bool EventIntegrator::Work::sample_work(double length, double most) {
  const bool judged = std::isfinite(most), forces_known = judged || bears();
  if (!forces_known && !(model.options().ledger && books)) {
    power.setZero(static_cast<Eigen::Index>(model.accounts().size()), 1);
    force.resize(0, 1);
    load.resize(0, 1);
    return true;
  }
  const int n = static_cast<int>(step.w.cols());
  const auto nodes = lobatto_nodes(n);
  if (length != step.h) begin_samples();  // what there is belongs to the whole step
  for (int node = 0; node <= n; ++node) {
    const int k = (node + n / 2) % (n + 1);  // from the middle, where a defect shows first
    if (sampled[at(k)] != 0) continue;
    dense_output(step, nodes[at(k)] * (length / step.h), w, v);
    const double t = step.t0 + nodes[at(k)] * length;
    if (forces_known) {
      motion.rates(t, w, v, dw, dv);
      if (std::ranges::any_of(motion.modes(), &ContactMode::shared)) motion.distribute();
      if (judged && !(defect_at(nodes[at(k)] * length, length) <= most)) return false;
    } else {
      motion.go(t, w, v);
    }
    sample(k, t, forces_known);
  }
  if (!forces_known) loads.resize(0, n + 1);
  const auto through = [n](const Matrix& values, Matrix& B) {
    if (values.rows() > 0)
      bernstein_through(values, B);
    else
      B.resize(0, n + 1);
  };
  through(powers, power);
  through(loads, load);
  through(forces, force);
  return true;
}

// q, v of the step at theta (>= 1: its end), joints and closed contacts without drift. False: it is no drift.
bool EventIntegrator::Work::place(double t, double theta, const EventState& lane,
                                  std::vector<GroupState>& groups) {
  if (theta >= 1.0 && lane.length == lane.h) {
    w = step.w1;
    v = step.v1;
  } else {
    dense_output(step, std::min(theta, 1.0) * (lane.length / lane.h), w, v);
  }
  motion.start(lane.start);
  motion.kinematics().move(w, groups);
  for (std::size_t g = 0; g < groups.size(); ++g)
    groups[g].v = v.segment(first[g], groups[g].v.size());
  return (motion.joints().rows() == 0 && lane.modes.empty()) ||
         touch.project(t, groups, lane.modes, true);
}

// What springs of contacts, and of joints, store that do not press although their gaps are negative [J]: their damping takes it
// while they go back.
std::array<double, 2> EventIntegrator::Work::slack_energy(double t, const State& state) {
  EventContacts& contacts = motion.contacts();
  contacts.find(motion.kinematics().inside(t), state.groups);
  std::array<double, 2> sum{};
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    const ContactLaw& law = contacts.law(i);
    if (law.set_valued() || law.bilateral()) continue;
    if (!std::ranges::binary_search(state.lane.modes, contacts.key(i), {}, &ContactMode::key))
      sum[contacts.contact(i).joint_law >= 0 ? 1 : 0] += law.stored_energy(contacts.gap(i));
  }
  return sum;
}

// The state from where it is in the step to theta; accounts and impulses with it.
void EventIntegrator::Work::go(State& state, double theta) {
  const EventState& lane = state.lane;
  const bool slack = damps && model.options().ledger;
  const auto add_slack = [&](double t, double sign) {
    const auto [of_contacts, joints] = slack_energy(t, state);
    state.ledger[at(impact)] += sign * of_contacts;
    if (of_joints >= 0) state.ledger[at(of_joints)] += sign * joints;
  };
  if (slack) add_slack(lane.t + done * lane.length, -1.0);
  if (theta >= 1.0) state.t = end_of(lane);
  held = place(state.t, theta, lane, state.groups);
  if (slack) add_slack(state.t, 1.0);
  const double to = std::min(theta, 1.0);
  if (step.h > 0.0) {
    const Integral integral(power.cols(), lane.length, done, to);
    if (model.options().ledger)
      for (Eigen::Index i = 0; i < power.rows(); ++i)
        if (!power.row(i).isZero(0.0))
          state.ledger[static_cast<std::size_t>(i)] += integral(power.row(i));
    if (bears())
      add_loads(integral, load, joint_impulse);
    else if (motion.joints().rows() > 0)
      keep_way(lane, to);
    for (std::size_t k = 0; k < lane.modes.size(); ++k) {
      Vector3& sum = impulse.try_emplace(lane.modes[k].key, Vector3::Zero()).first->second;
      for (int a = 0; a < 3; ++a)
        if (const auto row = force.row(3 * static_cast<Eigen::Index>(k) + a); !row.isZero(0.0))
          sum[a] += integral(row);
    }
  }
  done = theta;
}

void EventIntegrator::Work::add_loads(const Integral& integral, const Matrix& of, Impulses& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    for (int a = 0; a < 6; ++a)
      to[i][at(a / 3)][a % 3] += integral(of.row(6 * static_cast<Eigen::Index>(i) + a));
}

// What joints bear costs as many evaluations as the step, and few ask for it; many steps without a question are not kept.
void EventIntegrator::Work::keep_way(const EventState& lane, double theta) {
  constexpr std::size_t kMost = 256;
  if (on_way == kMost) sum_ways();
  if (on_way == ways.size()) ways.emplace_back();
  Way& way = ways[on_way++];
  way.made = made;
  way.start = lane.start;
  way.step.t0 = step.t0;
  way.step.h = step.h;
  way.step.v0 = step.v0;
  way.step.w = step.w;
  way.step.v = step.v;
  way.rate_time = lane.rate_time;
  way.length = lane.length;
  way.from = done;
  way.to = theta;
}

// What the joints bear over the step of a way, to `borne`.
void EventIntegrator::Work::bear(const Way& way) {
  borne_by = -1;
  if (!aside) aside = std::make_unique<ConstrainedMotion>(model);
  Vector at_w = Vector::Zero(v.size()), at_v = way.step.v0, rate_w(v.size()), rate_v(v.size());
  aside->joints().reset_redundant_rows();
  aside->enter_smooth_interval(way.step.t0);
  aside->start(way.start);
  aside->set_modes({});
  aside->set_time(way.rate_time);
  aside->rates(way.step.t0, at_w, at_v, rate_w, rate_v);  // which rows depend on others
  const int n = static_cast<int>(way.step.w.cols());
  const auto nodes = lobatto_nodes(n);
  Matrix at_nodes(6 * std::ssize(joint_impulse), n + 1);
  for (int k = 0; k <= n; ++k) {
    dense_output(way.step, nodes[at(k)] * (way.length / way.step.h), at_w, at_v);
    aside->rates(way.step.t0 + nodes[at(k)] * way.length, at_w, at_v, rate_w, rate_v);
    sample_joints(*aside, k, at_nodes);
  }
  bernstein_through(at_nodes, borne);
  borne_by = way.made;
  borne_over = way.length;
}

// Adds what the joints bore on the ways to joint_impulse.
void EventIntegrator::Work::sum_ways() {
  if (on_way == 0) return;
  Impulses sum = joint_impulse;  // all ways or none: forces of users may throw
  for (const Way& way : std::span(ways).first(on_way)) {
    if (way.made != borne_by || way.length != borne_over) bear(way);
    add_loads({borne.cols(), way.length, way.from, way.to}, borne, sum);
  }
  joint_impulse.swap(sum);
  on_way = 0;
}

// Slips go on from where they point now.
void EventIntegrator::Work::turn(State& state) {
  if (!any_slides(state.lane.modes)) return;
  look(state);
  const double time = state.lane.next > 0.0 ? state.lane.next : model.options().h;
  motion.mark_slips(0.0, v.cwiseAbs() + time * motion.free_acceleration().cwiseAbs());
  for (std::size_t k = 0; k < state.lane.modes.size(); ++k) {
    ContactMode& mode = state.lane.modes[k];
    if (mode.kind != ContactMode::Kind::slides || motion.index(k) < 0) continue;
    if (motion.contacts().contact(at(motion.index(k))).tangents < 2) continue;
    const double u1 = motion.rate(k)[1], u2 = motion.rate(k)[2], slip = std::hypot(u1, u2);
    if (slip > motion.still(k) && u1 * mode.direction[0] + u2 * mode.direction[1] > 0.1 * slip)
      mode.direction = {u1 / slip, u2 / slip};
  }
}

// Contacts that are closed or might close.
int EventIntegrator::Work::near(const State& state) {
  EventContacts& contacts = motion.contacts();
  if (!contacts.detects()) return 0;  // the model names them: it is known how many there are
  contacts.find(state.t, state.groups);
  int count = 0;
  for (std::size_t i = 0; i < contacts.count(); ++i) count += !contacts.law(i).bilateral();
  return count;
}

// A force of the contact that ends the step is one of many that do the same, at the last rates(): its load is marked shared.
bool EventIntegrator::Work::share(EventState& lane) {
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.modes()[k].key != lane.ends_key || !motion.redundant(k)) continue;
    motion.mark_redundant(k, lane.modes);
    return true;
  }
  return false;
}

// Some forces of contacts that share their load obey the laws at the state.
bool EventIntegrator::Work::has_room(const State& state) {
  rates(state);
  return motion.distribute(true) > kNoRoom;
}

// Slips begin against the friction of this instant, where it is there.
void EventIntegrator::Work::point_slips(const State& state, std::vector<EventEnding>& endings) {
  rates(state);
  motion.distribute(true);
  std::vector<double> sizes;
  motion.force_sizes(sizes);
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    const Vector3& f = motion.force(k);
    if (!(std::hypot(f[1], f[2]) > kStrong * sizes[k])) continue;
    for (EventEnding& ending : endings)
      if (ending.kind == EventEnding::Kind::slides && ending.key == motion.modes()[k].key)
        ending.direction = watch.slip(ending.key);
  }
}

void EventIntegrator::Work::end_step(EventState& lane) {
  lane.h = 0.0;
  lane.ends_with = -1;
  lane.ends_key = 0;
  ready = false;
}

// What ends the step: the modes behind it. jump: of a drive, which nothing but the time tells.
bool EventIntegrator::Work::happen(State& state, StepReport& report, std::vector<Event>& events,
                                   bool jump) {
  EventState& lane = state.lane;
  std::vector<EventEnding> endings = std::move(stops);
  stops.clear();
  if (jump) endings.push_back({EventEnding::Kind::jumps, 0, {}});
  const double time = lane.next > 0.0 ? lane.next : model.options().h;
  using Kind = EventSearch::Kind;
  if (lane.ends_with >= 0) {
    const auto kind = static_cast<Kind>(lane.ends_with);
    EventEnding ending{EventEnding::Kind::opens, lane.ends_key, {}};
    if (kind == Kind::ends) ending.kind = EventEnding::Kind::ends;
    if (kind == Kind::presses) {
      const int i = motion.contacts().index_of(lane.ends_key);
      if (i >= 0 && !motion.contacts().law(at(i)).set_valued())
        ending.kind = EventEnding::Kind::ends;
    }
    bool shared = kind == Kind::bears;
    if (kind == Kind::holds || kind == Kind::presses) {
      rates(state);
      shared = ending.kind != EventEnding::Kind::ends && share(lane);
      if (shared && has_room(state)) {  // other forces do the same: the modes last
        end_step(lane);
        return true;
      }
      if (kind == Kind::holds) {  // the friction of this instant says where it slides to
        ending.kind = EventEnding::Kind::slides;
        ending.direction = watch.slip(lane.ends_key);
      }
    }
    // A slip that has no way left is over, whatever round-off leaves of it across.
    if (kind == Kind::slips && has_stopped(state, lane.ends_key)) {
      endings.push_back({EventEnding::Kind::stops, lane.ends_key, {}});
    }
    if (kind == Kind::gap || kind == Kind::resumes) ending.kind = EventEnding::Kind::closes;
    if (shared) {
      account_of_touch.clear();
      endings = touch.foresee(state.t, std::min(time, model.options().h), state.groups, lane.modes,
                              account_of_touch);
      point_slips(state, endings);
    } else if (kind != Kind::slips && kind != Kind::leaves) {
      endings.push_back(ending);
    }
  }
  std::vector<ContactMode> modes;
  std::vector<std::pair<std::uint64_t, Vector3>> impulses;
  account_of_touch.clear();
  const std::size_t before = events.size();
  const bool good = touch.resolve(state.t, time, lane.crowd > kCrowd, state.groups, lane.modes,
                                  endings, modes, events, impulses, account_of_touch);
  for (std::size_t i = 0; i < account_of_touch.joints.size(); ++i)
    for (std::size_t a = 0; a < 2; ++a) joint_impulse[i][a] += account_of_touch.joints[i][a];
  for (const auto& [key, p] : impulses)
    impulse.try_emplace(key, Vector3::Zero()).first->second += p;
  if (model.options().ledger) {
    state.ledger[at(impact)] += account_of_touch.impact;
    if (of_joints >= 0) state.ledger[at(of_joints)] += account_of_touch.stops;
    state.ledger[at(friction)] += account_of_touch.friction;
    state.ledger[at(prescribed)] += account_of_touch.prescribed;
  }
  if (const auto& pair = account_of_touch.tied) {
    order_decided = true;
    const EventContacts& contacts = motion.contacts();
    if (tied.empty())
      tied = contacts.bodies_of((*pair)[0]) + " and " + contacts.bodies_of((*pair)[1]);
  }
  report.impact += account_of_touch.impact + account_of_touch.stops;
  report.friction += account_of_touch.friction;
  report.iterations += account_of_touch.iterations;
  report.residual = worse(report.residual, account_of_touch.residual);
  report.events += static_cast<int>(events.size() - before);
  lane.modes = modes;
  double closing = 0.0;
  for (std::size_t i = before; i < events.size(); ++i)
    if (events[i].kind == Event::Kind::impact) closing = std::max(closing, -events[i].speed);
  if (closing > 0.0 && !jump) {
    if (closing * lane.length < model.options().events.zeno)
      ++lane.crowd;
    else if (lane.crowd > 0)
      --lane.crowd;
  }
  end_step(lane);
  if (!good) report.failure = account_of_touch.failure;
  return good;
}

/// False where a spring or a stop no longer counts its angle: the next step would take it back by a turn.
bool EventIntegrator::Work::counted(const State& state, StepReport& report) {
  if (!motion.contacts().counts_angles()) return true;
  report.joint_law =
      motion.contacts().lost_angle(motion.kinematics().inside(state.t), state.groups);
  if (report.joint_law >= 0) report.failure = kHalfTurn;
  return report.joint_law < 0;
}

// Gaps, joints and laws on the state.
void EventIntegrator::Work::measure(const State& state, StepReport& report) {
  look(state);
  EventContacts& contacts = motion.contacts();
  if (contacts.any()) {
    if (state.lane.modes.empty())
      contacts.find(state.t, motion.kinematics().groups());  // else look() did
    for (std::size_t i = 0; i < contacts.count(); ++i)
      if (!contacts.law(i).bilateral()) report.gap = std::min(report.gap, contacts.gap(i));
    if (contacts.detects() && report.gap == std::numeric_limits<double>::infinity())
      report.gap = contacts.least_gap(state.t);
    // what rates are made of: some may be all round-off, all of them where bodies only slide
    double speed = motion.kinematics().fastest(v);
    for (std::size_t i = 0; i < contacts.count() && !state.lane.modes.empty(); ++i)
      speed = std::max(speed, contacts.row_size(i, 0, v));
    // at rest all of them are: beside the speeds that the energy in play makes
    const double most = std::max(std::abs(state.energy_start),
                                 state.energy.kinetic + std::abs(state.energy.potential));
    if (!(state.energy.kinetic > kStill * kStill * most)) speed = 0.0;
    for (std::size_t k = 0; k < state.lane.modes.size(); ++k)
      if (motion.index(k) >= 0 && speed > 0.0) {
        if (contacts.law(at(motion.index(k))).unilateral())
          report.residual_after = worse(report.residual_after, std::abs(motion.rate(k)[0]) / speed);
      }
  }
  if (motion.joints().rows() > 0) {
    Vector g;
    report.joint_gap = motion.joints().gaps(g);
  }
}

std::string_view name_of(Event::Kind kind) {
  constexpr std::array<std::string_view, 9> names{
      "impact", "rest", "closes", "opens", "sticks", "slides", "spring", "hand_over", "take_back"};
  return names[static_cast<std::size_t>(kind)];
}

EventIntegrator::EventIntegrator(const Model& model) : work_(std::make_unique<Work>(model)) {}
EventIntegrator::~EventIntegrator() = default;

void EventIntegrator::stop_by(Stop* stop) {
  work_->stop = stop;
  work_->touch.stop_by(stop);
}

void EventIntegrator::enter(State& state) {
  state.lane.active = true;
  state.lane.h = 0.0;
  state.lane.modes.clear();
  state.lane.start.clear();
  for (GroupState& group : state.groups) group.memory.clear();
  work_->motion.joints().reset_redundant_rows();
  work_->ready = false;
}

void EventIntegrator::leave(State& state) {
  state.lane.active = false;
  state.lane.h = state.lane.length = 0.0;
  state.lane.modes.clear();
  state.lane.start.clear();
  state.lane.ends_with = -1;
  work_->ready = false;
}

EventIntegrator::End EventIntegrator::advance(State& state, double t1, StepReport& report,
                                              std::vector<Event>& events) {
  Work& d = *work_;
  EventState& lane = state.lane;
  const EventOptions& options = d.model.options().events;
  const std::size_t before = events.size();
  const auto ledger = state.ledger;
  const double start_energy = state.energy.total();
  d.touch.allow(std::max(std::abs(state.energy_start),
                         state.energy.kinetic + std::abs(state.energy.potential)));
  d.held = true;
  d.order_decided = false;
  End end = End::reached;
  const auto leave = [&](std::string_view why) {
    report.failure = why;
    return End::busy;
  };
  report.steps = 0;
  d.crawls = 0;
  int at_once = 0;
  if (!d.ready && lane.h > 0.0 && !d.resume(state)) {
    lane.h = 0.0;  // somebody moved the state: what touches is found again
    lane.modes.clear();
    lane.start.clear();
  }
  const std::uint64_t evaluations = d.motion.evaluations();  // a resumed step counted before
  if (lane.start.empty()) {
    // What the schemes have not done of a jump at this instant is done here.
    const bool jump = state.t > 0.0 && d.jumps_at(state.t);
    d.motion.enter_smooth_interval(jump ? std::nextafter(state.t, 0.0) : state.t);
    if (d.near(state) > kClose * options.closed)
      end = leave(kManyClosed);
    else if (!d.happen(state, report, events, jump))
      end = End::failed;
  } else if (lane.h == 0.0) {
    d.motion.enter_smooth_interval(state.t);
  }
  // No step is so long that its dense output would cost digits in the intervals.
  const double limit = std::max(t1, state.t + kLongest * d.model.options().h);
  while (end == End::reached && state.t < t1 && !stop_requested(d.stop)) {
    if (!d.ready) {
      if (d.near(state) > kClose * options.closed) {
        end = leave(kManyClosed);
        break;
      }
      d.turn(state);
      const Work::Made made = d.make(state, limit, report);
      if (d.crawls > kMostCrawls) {
        end = leave(kCrawls);
        break;
      }
      if (made == Work::Made::nothing) {
        end = End::failed;
        break;
      }
      if (made == Work::Made::stops) {
        lane.h = 0.0;
        if (!d.happen(state, report, events)) end = End::failed;
        if (++at_once > kMostAtOnce) {
          report.failure = kNoEnd;
          end = End::failed;
        }
        continue;
      }
    }
    const double finish = d.end_of(lane);
    if (finish > t1) {
      state.t = t1;
      d.go(state, (t1 - lane.t) / lane.length);
      if (!d.held || !d.counted(state, report)) end = End::failed;
      break;
    }
    const bool went = lane.h > 0.0;
    at_once = went ? 0 : at_once + 1;
    if (went) d.go(state, 1.0);
    if (went && (!d.held || !d.counted(state, report))) {
      end = End::failed;
      break;
    }
    if (lane.ends_with >= 0) {
      if (!d.happen(state, report, events)) end = End::failed;
      if (at_once > kMostAtOnce) {
        report.failure = kNoEnd;
        end = End::failed;
      }
      if (end == End::reached && static_cast<int>(events.size() - before) > options.limit)
        end = leave(kManyEvents);
    } else {
      if (std::ranges::any_of(lane.modes, &ContactMode::shared)) {
        d.rates(state);
        d.motion.unmark_redundant(lane.modes);
      }
      d.end_step(lane);
    }
    if (end != End::failed && went && d.jumps_at(state.t) && !d.happen(state, report, events, true))
      end = End::failed;
    const auto closed = std::ranges::count_if(
        lane.modes, [](const ContactMode& mode) { return mode.kind != ContactMode::Kind::closed; });
    if (end == End::reached && closed > options.closed) end = leave(kManyClosed);
  }
  std::ranges::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(before), events.end(), {},
                           &Event::t);
  if (d.kept)
    d.kept->events.insert(d.kept->events.end(),
                          events.begin() + static_cast<std::ptrdiff_t>(before), events.end());
  state.energy = energy_of(d.model, state, d.springs);
  if (d.model.options().ledger) {
    double explained = 0.0;
    for (std::size_t i = 0; i < ledger.size(); ++i) explained += state.ledger[i] - ledger[i];
    // What the integrator adds is what its error does to the energy.
    state.ledger[at(d.scheme)] += state.energy.total() - start_energy - explained;
  }
  d.measure(state, report);
  report.finite = report.finite && std::isfinite(state.energy.total());
  report.evaluations += static_cast<int>(d.motion.evaluations() - evaluations);
  for (const auto& [key, p] : d.impulse) {
    report.contacts += p.isZero(0.0) ? 0 : 1;
    report.impulse += p[0];
  }
  if (end == End::failed) {
    report.converged = false;
    if (!d.held) report.failure = EventResponse::kNotHeld;
  }
  return end;
}

void EventIntegrator::forget() { work_->ready = false; }

bool EventIntegrator::order_decided() const { return work_->order_decided; }
const std::string& EventIntegrator::tied() const { return work_->tied; }

int EventIntegrator::undirected(const State& state) {
  const Model& model = work_->model;
  if (std::ranges::none_of(model.laws(),
                           [](const AnyLaw& law) { return law->facts().friction.directed(); }))
    return -1;
  EventContacts& contacts = work_->motion.contacts();
  work_->motion.enter_smooth_interval(state.t);
  contacts.find(work_->motion.kinematics().inside(state.t), state.groups);
  for (const ContactMode& mode : state.lane.modes)
    if (const int i = contacts.index_of(mode.key); i >= 0 && contacts.contact(at(i)).lost_axis)
      return contacts.contact(at(i)).law;
  return -1;
}

void EventIntegrator::begin_means() {
  work_->impulse.clear();
  work_->on_way = 0;
  std::ranges::fill(work_->joint_impulse, std::array<Vector3, 2>{Vector3::Zero(), Vector3::Zero()});
}

std::array<Vector3, 2> EventIntegrator::joint_impulse(int joint) const {
  work_->sum_ways();
  return work_->joint_impulse[at(joint)];
}

void EventIntegrator::remember(std::vector<ContactMemory>& contacts) const {
  contacts.clear();
  for (const auto& [key, p] : work_->impulse)
    if (!p.isZero(0.0)) contacts.push_back({key, p, Vector3::Zero()});
}

void EventIntegrator::trace(EventTrace* trace) { work_->kept = trace; }

void EventIntegrator::see(const State& state, std::vector<SeenContact>& contacts) {
  Work& d = *work_;
  EventContacts& list = d.motion.contacts();
  d.motion.enter_smooth_interval(state.t);
  list.find_rows(d.motion.kinematics().inside(state.t), state.groups);
  for (std::size_t i = 0; i < list.count(); ++i) {
    const std::uint64_t key = list.key(i);
    const auto p = d.impulse.find(key);
    // The lane looks farther than anybody wants to see.
    if (i >= list.list().named() && p == d.impulse.end() && list.gap(i) > d.model.surfaces().margin)
      continue;
    SeenContact& seen = contacts.emplace_back();
    list.list().see(i, list.gap(i), seen);
    if (p != d.impulse.end()) seen.view.impulse = p->second;
    using Status = ContactView::Status;
    seen.view.status = Status::open;
    const auto mode = std::ranges::lower_bound(state.lane.modes, key, {}, &ContactMode::key);
    if (mode != state.lane.modes.end() && mode->key == key)
      seen.view.status = mode->kind == ContactMode::Kind::sticks   ? Status::sticks
                         : mode->kind == ContactMode::Kind::slides ? Status::slides
                                                                   : Status::closed;
    else if (!seen.view.impulse.isZero(0.0))
      seen.view.status = Status::closed;
  }
}

}  // namespace saltus
