// Frames of a results file: configuration, velocity and contacts of chosen moments.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/results/body_fields.h"
#include "saltus/results/hdf5.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/state.h"

namespace saltus {

class FrameTable {
 public:
  FrameTable() = default;
  /// Makes /frames, /bodies and /contacts, without rows. contacts: frames hold contacts and the
  /// start of their step.
  static FrameTable create(const h5::File& file, const Model& model, const FieldOptions& fields,
                           bool contacts = true);
  /// Those of an existing file; of the fields those it has. Throws h5::Error.
  static FrameTable open(const h5::File& file, const Model& model, const FieldOptions& fields,
                         bool contacts = true);

  /// Frames in memory, of every table what it gets.
  struct Waiting {
    struct Body {
      std::vector<double> q, velocity, q0, v0, v1;
      std::vector<std::vector<double>> field;
    };
    struct Joint {
      std::vector<double> force, torque;
    };
    std::vector<double> time, impulse, moment, point, normal, force, gap, tangent, local;
    std::vector<std::uint64_t> step, offset, key;
    std::vector<std::int32_t> status, body, feature;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    void clear();
  };
  /// For what is written while the next frames are added.
  Waiting room() const;
  /// Open contacts up to this gap are stored [m].
  static double near(const Model& model) { return model.surfaces().margin; }
  /// start: of the step that ends in the next frame.
  void begin_step(std::span<const GroupState> start);
  /// joint_loads: one a joint of the model. contacts: of the step; where there are none those of
  /// the state are taken, of which nothing but impulses is known. seen: what their rows were made
  /// of, in the same order. What is not known of the step is stored as not a number.
  void add(const State& state, std::span<const Vector> velocities,
           std::span<const std::array<Vector3, 2>> joint_loads,
           std::span<const ContactView> contacts, std::span<const SeenContact> seen = {});
  /// Frames on disk, in the making and waiting.
  std::size_t frames() const { return given_ + waiting_.time.size(); }
  std::size_t waiting_bytes() const { return bytes_; }
  /// What waits goes into `other`, a room() or what was written, which takes the next frames.
  void hand_over(Waiting& other);
  /// In the order of hand_over(). Another thread may call this while frames are added and handed
  /// over. Behind it they are gone.
  void write(Waiting& frames);
  /// Drops frames on disk from `frames` on; nothing may be waiting. Throws h5::Error if there are
  /// fewer.
  void truncate(std::size_t frames);

 private:
  /// shown: of each group what it shows beside its state, null for nothing.
  static FrameTable open(const h5::File& file, const Model& model,
                         std::vector<std::unique_ptr<BodyFields>> shown, bool contacts);

  /// Columns of /contacts beside the first, which files that are older do not have.
  struct ContactData {
    h5::Dataset offset, key, impulse, moment, point, normal, force, gap, status, body;
    h5::Dataset tangent, local, feature;
  };
  struct BodyData {
    h5::Dataset q, velocity;
    h5::Dataset q0, v0, v1;                ///< of the step; not open: the file has none
    std::unique_ptr<BodyFields> fields;    ///< null: none
    std::vector<h5::Dataset> field;        ///< one a column; not open: the file has none
    std::vector<std::vector<double>> row;  ///< of one frame
    Eigen::Index positions = 0, velocities = 0;
  };
  struct JointData {
    h5::Dataset force, torque;
  };
  std::size_t add_fields(BodyData& body, std::vector<std::vector<double>>& waiting, double t,
                         View q, View v);
  void add_later_fields(BodyData& body, Waiting::Body& waiting, std::span<const double> time);
  void add_contacts(std::span<const ContactMemory> contacts);
  void add_contacts(std::span<const ContactView> contacts, std::span<const SeenContact> seen);
  std::size_t add_step(const State& state);
  void add_rows(const SeenContact& contact);
  void add_no_rows();
  void add_contact(std::uint64_t key, const Vector3& impulse, const Vector3& moment);
  void end_contacts(std::size_t count);

  std::vector<std::uint64_t> sums_of(const Waiting& waiting) const;

  h5::Dataset time_data_, step_data_, crc_data_;
  ContactData contact_data_;
  std::vector<BodyData> bodies_;
  std::vector<JointData> joints_;
  Waiting waiting_;
  bool begun_ = false;  ///< waiting_ has a row of q0 and v0 more than of the rest
  double near_ = 0.0;   ///< near() of the model [m]
  bool holds_contacts_ = true;
  std::size_t given_ = 0, bytes_ = 0;
  std::uint64_t contacts_ = 0;  ///< written and waiting
};

}  // namespace saltus
