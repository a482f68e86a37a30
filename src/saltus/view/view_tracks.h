// Contents of the record of a frame and their encoding: docs/reference/view_data.md, "tracks".
#pragma once
#include <array>
#include <string>
#include <vector>

#include "saltus/view/view_source.h"
#include "saltus/view/view_surface.h"

namespace saltus {

struct ViewTrack {
  enum class Type { f32, u16, i16 };
  std::string name, table;  ///< table: as in ViewSource::row
  std::size_t body = 0;
  Type type = Type::f32;
  /// Component c is row[column[c]], or with `magnitude` the norm of the three numbers starting
  /// there.
  std::vector<std::uint32_t> column;
  bool magnitude = false;
  std::size_t axes = 1;  ///< component c belongs to axis c mod axes
  std::vector<double> lo,
      hi;  ///< one per axis, minimum and maximum over the sampled frames; lo > hi: none

  std::size_t width() const { return column.size(); }
  std::size_t bytes() const;  ///< size in a record, a multiple of 4
  std::size_t needs() const;  ///< numbers that a row must contain
  double value(std::span<const double> row, std::size_t c) const;
};

/// The tracks of a scene and the objects drawn from them. An int is an index into `tracks`, -1:
/// none.
struct ViewTracks {
  std::vector<ViewTrack> tracks;
  struct Poses {
    std::size_t body;
    int position, rotation;
  };
  struct Affine {
    std::size_t body;
    int centre, deformation;
  };
  struct Field {
    std::string name, unit;
    int track;
  };
  struct Surface {
    std::size_t body;
    std::vector<double> points;  ///< 3 per point [m]
    std::vector<std::uint32_t> triangles, edges;
    int displacement;
    std::vector<Field> fields;
  };
  struct Line {
    std::size_t body;
    std::vector<double> points;  ///< 3 per point [m]
    int displacement;
    double exaggerate = 1.0;
  };
  std::vector<Poses> poses;
  std::vector<Affine> affine;
  std::vector<Surface> meshes;
  std::vector<Line> lines;
  std::array<double, 6> box{};   ///< minimum and maximum coordinates of moving objects [m]
  std::size_t record_bytes = 0;  ///< size of a record without its contacts

  /// The tracks of a source, with ranges and box of these frames. quantised: u16 and i16; otherwise
  /// only f32, for sources in progress with unknown ranges.
  ViewTracks(ViewSource& source, std::span<const std::size_t> frames, bool quantised);

 private:
  int add(ViewTrack track);
  void add_body(const ViewScene& scene, std::size_t b);
  void find_ranges(ViewSource& source, std::span<const std::size_t> frames);
  const std::vector<double>* moved_by(int displacement) const;
};

}  // namespace saltus
