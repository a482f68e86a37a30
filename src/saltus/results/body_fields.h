// What a results file holds of a body beside q and velocity: meshes and their sets, displacements,
// stress, resultants.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/dynamics/dynamics.h"
#include "saltus/results/hdf5.h"

namespace saltus {

struct FieldOptions {
  bool stress = false;      ///< of nodes, and von Mises'
  bool strain = false;      ///< Green's, of nodes
  bool resultants = false;  ///< force and moment through each face set on the surface of a mesh
};

/// Tables of the group /bodies/<name> of one body; docs/reference/results.md names them all.
class BodyFields {
 public:
  /// Numbers a frame, one row of a table.
  struct Column {
    std::string name;
    std::size_t width = 0;
    std::string unit, description;
    bool stored = true;  ///< false: readers make it of what describe() wrote and of q
  };
  virtual ~BodyFields() = default;
  /// Writes what does not change, and makes the groups that columns stand in. Throws h5::Error.
  virtual void describe(const h5::Group& body) const = 0;
  std::span<const Column> columns() const { return columns_; }
  /// Appends one row a column to `rows`, at t with the physical velocity v.
  virtual void sample(double t, View q, View v, std::span<std::vector<double>> rows) = 0;
  /// True where sample_frames() is asked later, by the thread that writes the file.
  virtual bool later() const { return false; }
  /// Of many frames what sample() appends of each; q and v: a column a frame.
  virtual void sample_frames(std::span<const double> t, Eigen::Ref<const Matrix> q,
                             Eigen::Ref<const Matrix> v, std::span<std::vector<double>> rows);

 protected:
  std::vector<Column> columns_;
};

/// Null: q and velocity say all.
std::unique_ptr<BodyFields> body_fields(std::shared_ptr<const Dynamics> body,
                                        const FieldOptions& options);

}  // namespace saltus
