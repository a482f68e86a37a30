// Frames of a results file: configuration, velocity and contacts of chosen moments.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/io/body_fields.h"
#include "saltus/io/hdf5.h"
#include "saltus/scene/model.h"
#include "saltus/sim/state.h"

namespace saltus {

class FrameTable {
 public:
  FrameTable() = default;
  /// Makes /frames, /bodies and /contacts, without rows.
  static FrameTable create(const h5::File& file, const Model& model, const FieldOptions& fields);
  /// Those of an existing file; of the fields those it has. Throws h5::Error.
  static FrameTable open(const h5::File& file, const Model& model, const FieldOptions& fields);

  /// joint_loads: one a joint of the model.
  void add(const State& state, std::span<const Vector> velocities,
           std::span<const std::array<Vector3, 2>> joint_loads);
  /// The contacts of the frame being added; called by add().
  void add_contacts(std::span<const ContactMemory> contacts);
  std::size_t frames() const { return written_ + time_.size(); }
  std::size_t waiting_bytes() const { return bytes_; }
  void drain();
  /// Drops frames on disk from `frames` on; nothing may be waiting. Throws h5::Error if there are
  /// fewer.
  void truncate(std::size_t frames);

 private:
  struct Body {
    h5::Dataset q, velocity;
    std::vector<double> q_waiting, velocity_waiting;
    std::unique_ptr<BodyFields> fields;    ///< null: none
    std::vector<h5::Dataset> field;        ///< one a column; not open: the file has none
    std::vector<std::vector<double>> row;  ///< of the frame that is added
    std::vector<std::vector<double>> field_waiting;
  };
  void add_fields(Body& body, double t, View q, View v);
  h5::Dataset time_data_, step_data_, offset_data_, key_data_, impulse_data_, moment_data_;
  struct JointData {
    h5::Dataset force, torque;
    std::vector<double> force_waiting, torque_waiting;
  };
  std::vector<Body> bodies_;
  std::vector<JointData> joints_;
  std::vector<double> time_, impulse_, moment_;
  std::vector<std::uint64_t> step_, offset_, key_;
  std::size_t written_ = 0, bytes_ = 0;
  std::uint64_t contacts_ = 0;  ///< written and waiting
};

}  // namespace saltus
