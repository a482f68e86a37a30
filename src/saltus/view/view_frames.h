// Writes frames of a view as bytes: records and chunks, docs/reference/view_data.md, "Frames".
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "saltus/view/view_tracks.h"

namespace saltus {

inline constexpr std::size_t kViewContactBytes = 52;

struct ViewRecordOptions {
  /// Largest number of contacts in a record: if a frame has more, those with the largest forces are
  /// kept, in their order.
  std::size_t most_contacts = std::numeric_limits<std::size_t>::max();
  /// Rounds the numbers of contacts so that they compress better: positions to 1/65536 of the box
  /// or less, normals to 1/32768, forces and gaps to 12 bits.
  bool rounded = false;
};

class ViewRecords {
 public:
  ViewRecords(const ViewTracks& tracks, ViewRecordOptions options);
  /// Appends the record of a frame.
  void append(ViewSource& source, std::size_t frame, std::string& bytes);

 private:
  void append_track(const ViewTrack& track, std::span<const double> row, std::string& bytes) const;
  void append_contacts(std::string& bytes);

  const ViewTracks& tracks_;
  ViewRecordOptions options_;
  double grain_ = 0.0;  ///< rounding of positions [m], a power of two; 0: not rounded
  std::vector<ViewContact> contacts_;
};

/// A chunk of complete records: times [s], steps, and the offsets at which records begin and the
/// last one ends.
std::string view_chunk(std::uint32_t first, std::span<const double> times,
                       std::span<const std::uint32_t> steps, std::span<const std::uint32_t> offsets,
                       std::string_view records);

}  // namespace saltus
