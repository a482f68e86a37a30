// Frames of a results file: configuration, velocity and contacts at selected times.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/results/body_fields.h"
#include "saltus/results/hdf5.h"
#include "saltus/sim/all_dofs.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/state.h"

namespace saltus {

/// Columns of /contacts; all but the first four may be missing in older files.
struct FrameContacts {
  h5::Dataset offset, key, impulse, moment, point, normal, force, gap, status, body;
  h5::Dataset tangent, local, carried, feature;
};

/// Tables of a group.
struct FrameBody {
  h5::Dataset q, velocity;
  h5::Dataset q0, v0, v1;                ///< of the step; not open: not in the file
  std::unique_ptr<BodyFields> fields;    ///< null: none
  std::vector<h5::Dataset> field;        ///< one per column; not open: not in the file
  std::vector<std::vector<double>> row;  ///< of the current frame
  Eigen::Index positions = 0, velocities = 0;
  bool whole = false;
  std::unique_ptr<AllDofs> all;                ///< of a whole body
  std::shared_ptr<const Dynamics> dynamics{};  ///< to which `all` refers
  Vector values{};                             ///< of all degrees of freedom

  /// Adds a state of the group.
  void add(double t, View at, View rates, std::vector<double>& to_q, std::vector<double>& to_v);
  /// The next states are those of another body.
  void enter(std::shared_ptr<const Dynamics> body, FieldOptions options);
};

struct FrameJoint {
  h5::Dataset force, torque;
  h5::Dataset angle;               ///< not open: not in the file, or the joint has none
  std::vector<JointAngle> angles;  ///< its columns
};

class FrameTable {
 public:
  FrameTable() = default;
  /// Creates /frames, /bodies and /contacts without rows. contacts: frames contain contacts and the
  /// start of their step.
  /// whole: for each group, whether its q and velocity contain all degrees of freedom; may be
  /// shorter.
  static FrameTable create(const h5::File& file, const Model& model, const FieldOptions& fields,
                           bool contacts = true, std::span<const char> whole = {});
  /// Opens those of an existing file, with the fields it has. Throws h5::Error.
  static FrameTable open(const h5::File& file, const Model& model, const FieldOptions& fields,
                         bool contacts = true, std::span<const char> whole = {});
  /// The next frames are those of another model with the same groups and joints. All frames must be
  /// written.
  void enter(const Model& model, const FieldOptions& fields);

  /// Frames in memory, with the new data of every table.
  struct Waiting {
    struct Body {
      std::vector<double> q, velocity, q0, v0, v1;
      std::vector<std::vector<double>> field;
    };
    struct Joint {
      std::vector<double> force, torque, angle;
    };
    std::vector<double> time, impulse, moment, point, normal, force, gap, tangent, local, carried;
    std::vector<std::uint64_t> step, offset, key;
    std::vector<std::int32_t> status, body, feature;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    void clear();
  };
  /// Buffers for data that are written while the next frames are added.
  Waiting room() const;
  /// Open contacts up to this gap are stored [m].
  static double near(const Model& model) { return model.surfaces().margin; }
  /// start: state at the start of the step that ends in the next frame.
  void begin_step(std::span<const GroupState> start);
  /// joint_loads: one per joint of the model. contacts: of the step; if empty, those of the state
  /// are used, which provide only impulses. seen: data from which their rows were computed, in the
  /// same order. Unknown data of the step are stored as NaN.
  void add(const State& state, std::span<const Vector> velocities,
           std::span<const std::array<Vector3, 2>> joint_loads,
           std::span<const ContactView> contacts, std::span<const SeenContact> seen = {});
  /// Frames on disk, being written and waiting.
  std::size_t frames() const { return given_ + waiting_.time.size(); }
  std::size_t waiting_bytes() const { return bytes_; }
  /// Swaps the waiting frames into `other`, a room() or an already written one, which then collects
  /// the next frames.
  void hand_over(Waiting& other);
  /// Call in the order of hand_over(). Another thread may call this while frames are added and
  /// handed over. Clears `frames`.
  void write(Waiting& frames);
  /// Drops frames on disk from `frames` on; no frames may be waiting. Throws h5::Error if there are
  /// fewer.
  void truncate(std::size_t frames);

 private:
  /// shown: fields of each group in addition to its state; null: none.
  static FrameTable open(const h5::File& file, const Model& model,
                         std::vector<std::unique_ptr<BodyFields>> shown, bool contacts,
                         std::span<const char> whole);

  std::size_t add_fields(FrameBody& body, std::vector<std::vector<double>>& waiting, double t,
                         View q, View v);
  void add_later_fields(FrameBody& body, Waiting::Body& waiting, std::span<const double> time);
  void add_contacts(std::span<const ContactMemory> contacts);
  void add_contacts(std::span<const ContactView> contacts, std::span<const SeenContact> seen);
  std::size_t add_step(const State& state);
  void add_rows(const SeenContact& contact);
  void add_no_rows();
  void add_contact(std::uint64_t key, const Vector3& impulse, const Vector3& moment);
  void end_contacts(std::size_t count);

  std::vector<std::uint64_t> sums_of(const Waiting& waiting) const;

  h5::Dataset time_data_, step_data_, crc_data_;
  FrameContacts contact_data_;
  std::vector<FrameBody> bodies_;
  std::vector<FrameJoint> joints_;
  Waiting waiting_;
  bool begun_ = false;  ///< waiting_ has one row of q0 and v0 more than of the other columns
  double near_ = 0.0;   ///< near() of the model [m]
  bool holds_contacts_ = true;
  std::size_t given_ = 0, bytes_ = 0;
  std::uint64_t contacts_ = 0;  ///< written and waiting
};

}  // namespace saltus
