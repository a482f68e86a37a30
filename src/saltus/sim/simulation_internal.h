// What the files of the step driver share: the members behind Simulation.
//
//   simulation.cpp            one step of all groups, its books, halves of a step that failed, and what Simulation shows
//   simulation_adaptive.cpp   an interval in steps whose lengths follow their error
//   simulation_lanes.cpp      an interval by the event lane, and the hand-over between it and the schemes
#pragma once
#include <tbb/task_arena.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/island_joints.h"
#include "saltus/assembly/stored_energy.h"
#include "saltus/contact/rows.h"
#include "saltus/event_driven/event_integrator.h"
#include "saltus/sim/simulation.h"
#include "saltus/state/notices.h"
#include "saltus/time_stepping/step_control.h"

namespace saltus {

/// What the scheme of each group makes for steps of h [s].
std::vector<std::unique_ptr<Prepared>> prepare(const Model& model, double h);
/// Adds to the report of a step what the one before it in the same interval did.
void add_earlier(StepReport& step, const StepReport& before);

struct Simulation::Work {
  struct Tables;
  struct Adaptive;

  Model model;
  State state;
  JointSystem joints;  ///< of all groups
  Springs springs;     ///< of the contacts and joints
  std::vector<char>
      fixed;  ///< of each group: its vectors stay where they are, see Simulation::hold
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<Trial> trials;
  std::vector<GroupState> ends;
  std::vector<std::unique_ptr<Island>> islands;  ///< none where nothing can touch
  std::vector<std::vector<double>> by_source;    ///< work of the step, a group
  std::vector<std::vector<int>> account;         ///< ledger entry of each source, -1: potential
  std::vector<ContactMemory> contacts;           ///< of the step in work, like ledger and energy
  std::vector<double> ledger;
  Energy energy;
  Vector w, r_part;
  StoredEnergy stored,
      stored_end;             ///< of the springs in the state, and at the end of the step [J]
  int friction_account = -1;  ///< of the ledger, like `projection_account`; -1: none
  int projection_account = -1, prescribed_account = -1, joints_account = -1, damping_account = -1;
  std::vector<Vector>
      reactions;        ///< of the last step, a group; empty without prescribed degrees of freedom
  bool reacts = false;  ///< some group has prescribed degrees of freedom
  std::vector<PointImpulse>
      pressed;  ///< on groups that react, but by `contacts` and the joints of islands
  Vector q_mid, v_mid, a_mid, f_mid;  ///< scratch of react()
  PointScratch scratch;
  PointRows probe_rows;
  GroupRows probe_row;
  Vector w_probe;
  ContactObserver* observer = nullptr;
  Stop* stop = nullptr;
  std::vector<SolverMemory> solvers_before;  ///< those of the state when the interval began
  Notices notices;
  std::vector<char>
      follows;  ///< of each group: 1 its scheme follows any spin, 2 it does not, 0 not asked
  /// Outputs that are angles of joints: their numbers, joint and coordinate of each, and their values in the state [rad].
  std::vector<int> angle_probes;
  std::vector<std::array<int, 2>> angle_of;
  Vector angles, angles_before;
  bool touched = false;   ///< the islands hold the contacts of the state
  bool unusable = false;  ///< an exception came while the state was put back
  std::vector<SeenContact> seen;
  std::vector<ContactView> views;
  std::vector<Event> events;               ///< of the last advance()
  std::unique_ptr<EventIntegrator> lane;   ///< of a model that has it
  std::unique_ptr<Adaptive> adaptive;      ///< null: every interval is one step
  std::vector<char> tabled;                ///< of each island: it keeps tables for its h
  std::unique_ptr<tbb::task_arena> arena;  ///< null: that of the caller

  Work(Model m, State s);

  // simulation.cpp: steps of a length, which count from commit() on
  void set_step(double h);
  void use(double h);
  void begin(double h);
  void step(double h, StepReport& report);
  void react(double h);
  void commit(double t1);
  void forget();
  void keep_solvers();
  void give_solvers_back();
  void put_back(const State& before);
  void recover(const State* before);
  /// An interval of h in the lane of the model, and what is kept of it.
  StepReport interval(double h);
  void advance(double h, double t1, int depth, StepReport& report);
  void halve(double h, double t1, int depth, StepReport& report);
  // parts of step()
  void book(StepReport& report);
  double move_prescribed(std::size_t group, Energy& energy);
  void watch(StepReport& report);
  void find_spins(double h);
  bool aligned(std::size_t island) const;
  void align(StepReport& report);
  void correct(StepReport& report);
  bool failed(StepReport& report);
  bool dropped(StepReport& report);
  int lost() const;
  void measure_angles();
  void notice_wraps();
  // what is asked of a state
  double point_probe(const Probe& probe, View q, View v, bool velocity);
  std::array<double, 2> joint_coordinate(int joint, int coordinate);
  std::array<Vector3, 2> joint_load(std::size_t joint) const;

  // simulation_adaptive.cpp
  bool take_tables(double h);
  std::unique_ptr<Island> island_with_tables(std::size_t island) const;
  void cover(double H, double t1, StepReport& report);
  bool estimate(double s, StepReport& report);
  bool take(double s, double t_mid, double t_end, double share, StepReport& report);
  void restore(const State& from);
  IslandStep of_island(std::size_t i);
  void reached(std::span<const GroupState> groups, double t, double h, StepEnd& end);
  void find_closings(const StepEnd& start, const StepEnd& end);
  void find_missed(double t, double h, bool second);
  void add_forces(double share);

  // simulation_lanes.cpp
  void start_schemes(std::vector<GroupState>& groups) const;
  bool schemes_fit() const;
  void tell_hand_over(EventIntegrator::End end, std::string_view reason);
  void to_schemes();
  void to_events();
  void advance_by_events(double t1, StepReport& report);
  void act_in_events();
};

/// What is made for one length of step: factors, and the tables of islands that keep some (others: null).
struct Simulation::Work::Tables {
  double h = 0.0;
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<Trial> trials;
  std::vector<std::unique_ptr<Island>> islands;
};

/// What steps of chosen lengths keep beside the step in work.
struct Simulation::Work::Adaptive {
  Adaptive(const Model& model, double h);
  StepEstimator estimator;
  std::vector<double> points;  ///< of functions of time, increasing [s]
  double length;               ///< that the tables in use are for; 0: they are spoilt
  std::vector<Tables> kept;    ///< of other lengths, those used last first
  std::size_t most;            ///< of them
  bool estimating = false;     ///< the step in work is only for the estimate
  State before, from;          ///< the interval, and the step
  StepEnd start, coarse, half, fine;
  std::vector<std::array<Vector3, 2>> loads;  ///< of the joints, mean over the last interval
  /// The same, and the reactions, of the interval in work so far, with and without the step in work.
  struct Forces {
    std::vector<Vector> reactions;
    std::vector<std::array<Vector3, 2>> loads;
  } forces, forces_before;
  std::vector<Touch> touches;  ///< contacts of the step in work, before positions are corrected
  std::vector<SeenContact> seen;
  std::vector<Touch> closed;
  std::vector<ContactView> views;
  std::vector<std::pair<std::uint64_t, double>> open;  ///< contacts without impulse, their gaps
};

}  // namespace saltus
