// Data of a body in a results file in addition to q and velocity: meshes and their sets,
// displacements, stress, resultants.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/dynamics/dynamics.h"
#include "saltus/results/hdf5.h"

namespace saltus {

struct FieldOptions {
  bool stress = false;      ///< of nodes, and von Mises stress
  bool strain = false;      ///< Green strain at nodes
  bool resultants = false;  ///< force and moment through each face set on the surface of a mesh
  bool whole = false;       ///< q and velocity of the frames contain all degrees of freedom
};

/// Tables in the group /bodies/<name> of one body; docs/reference/results.md lists them all.
class BodyFields {
 public:
  /// Values per frame, one row of a table.
  struct Column {
    std::string name;
    std::size_t width = 0;
    std::string unit, description;
    bool stored = true;  ///< false: readers compute it from the output of describe() and q
  };
  virtual ~BodyFields() = default;
  /// Writes constant data and creates the groups that contain columns. Throws h5::Error.
  virtual void describe(const h5::Group& body) const = 0;
  std::span<const Column> columns() const { return columns_; }
  /// Appends one row per column to `rows`, at t with the physical velocity v.
  virtual void sample(double t, View q, View v, std::span<std::vector<double>> rows) = 0;
  /// True if sample_frames() is called later, by the thread that writes the file.
  virtual bool later() const { return false; }
  /// Appends the rows of sample() for many frames; q and v: one column per frame.
  virtual void sample_frames(std::span<const double> t, Eigen::Ref<const Matrix> q,
                             Eigen::Ref<const Matrix> v, std::span<std::vector<double>> rows);

 protected:
  std::vector<Column> columns_;
};

/// Null if q and velocity are sufficient.
std::unique_ptr<BodyFields> body_fields(std::shared_ptr<const Dynamics> body,
                                        const FieldOptions& options);

}  // namespace saltus
