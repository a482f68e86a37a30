#include "saltus/view/view_frames.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/view/view_bytes.h"

namespace saltus {
namespace {

/// The n with lo + (hi - lo) n/65535 closest to the value.
std::uint16_t level_of(double value, double lo, double hi) {
  if (!(hi > lo) || !(value > lo)) return 0;
  return static_cast<std::uint16_t>(std::lround(std::min((value - lo) / (hi - lo), 1.0) * 65535.0));
}

std::int16_t signed_level(double value) {
  return std::isfinite(value)
             ? static_cast<std::int16_t>(std::lround(std::clamp(value, -1.0, 1.0) * 32767.0))
             : std::int16_t{0};
}

/// Rounds to 12 bits: the other bits of the mantissa are 0.
double short_number(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::round(fraction * 4096.0), exponent - 12) : value;
}

double size_of_force(const ViewContact& contact) {
  return std::hypot(contact.force[0], contact.force[1], contact.force[2]);
}

}  // namespace

ViewRecords::ViewRecords(const ViewTracks& tracks, ViewRecordOptions options)
    : tracks_(tracks), options_(options) {
  double size = 0.0;
  for (std::size_t a = 0; a < 3; ++a) size = std::max(size, tracks.box[a + 3] - tracks.box[a]);
  if (options.rounded && size > 0.0) grain_ = std::exp2(std::floor(std::log2(size / 65536.0)));
}

void ViewRecords::append_track(const ViewTrack& track, std::span<const double> row,
                               std::string& bytes) const {
  for (std::size_t c = 0; c < track.width(); ++c) {
    const double value = track.value(row, c);
    const std::size_t axis = c % track.axes;
    if (track.type == ViewTrack::Type::f32)
      append_bytes(bytes, static_cast<float>(value));
    else if (track.type == ViewTrack::Type::i16)
      append_bytes(bytes, signed_level(value));
    else
      append_bytes(bytes, level_of(value, track.lo[axis], track.hi[axis]));
  }
}

void ViewRecords::append_contacts(std::string& bytes) {
  if (contacts_.size() > options_.most_contacts) {
    std::vector<std::size_t> order(contacts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return size_of_force(contacts_[a]) > size_of_force(contacts_[b]);
    });
    order.resize(options_.most_contacts);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) contacts_[i] = contacts_[order[i]];
    contacts_.resize(order.size());
  }
  const auto number = [&](double value) {
    append_bytes(bytes, static_cast<float>(options_.rounded ? short_number(value) : value));
  };
  for (const ViewContact& contact : contacts_) {
    for (double x : contact.point)
      append_bytes(bytes, static_cast<float>(grain_ > 0.0 ? std::round(x / grain_) * grain_ : x));
    for (double n : contact.normal)
      append_bytes(bytes,
                   static_cast<float>(options_.rounded ? std::round(n * 32768.0) / 32768.0 : n));
    for (double f : contact.force) number(f);
    number(contact.gap);
    for (int index : contact.body)
      append_bytes(bytes, static_cast<std::uint16_t>(static_cast<unsigned>(index) & 0xffffu));
    append_bytes(bytes, contact.status);
    bytes.append(3, '\0');
  }
}

void ViewRecords::append(ViewSource& source, std::size_t frame, std::string& bytes) {
  const std::size_t start = bytes.size();
  for (const ViewTrack& track : tracks_.tracks) {
    append_track(track, source.row(track.body, track.table, frame), bytes);
    bytes.resize(start + (bytes.size() - start + 3) / 4 * 4, '\0');
  }
  source.contacts(frame, contacts_);
  append_contacts(bytes);
}

std::string view_chunk(std::uint32_t first, std::span<const double> times,
                       std::span<const std::uint32_t> steps, std::span<const std::uint32_t> offsets,
                       std::string_view records) {
  std::string bytes = "SLTF";
  append_bytes(bytes, first);
  append_bytes(bytes, static_cast<std::uint32_t>(times.size()));
  append_bytes(bytes, std::uint32_t{0});
  for (double t : times) append_bytes(bytes, t);
  for (std::uint32_t step : steps) append_bytes(bytes, step);
  for (std::uint32_t offset : offsets) append_bytes(bytes, offset);
  pad_to(bytes, 8);
  bytes += records;
  return bytes;
}

}  // namespace saltus
