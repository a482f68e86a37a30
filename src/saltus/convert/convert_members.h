// Positions of the members of bodies that have one: rigid bodies, particles, pseudo-rigid bodies,
// moving ones.
#pragma once
#include <vector>

#include "saltus/results/results_reader.h"
#include "saltus/view/view_file.h"

namespace saltus {

/// Rows of the members of one body in one frame.
struct MemberRows {
  std::vector<double> place;     ///< 3 per member [m]
  std::vector<double> rotation;  ///< 4 per member, w x y z; (1, 0, 0, 0) if they do not rotate
  std::vector<double> turn;      ///< 9 per member, rows of R, or of F if they deform
  std::vector<double> velocity;  ///< 3 per member [m/s]; empty: the file does not contain it
  /// 3 per member, in space [rad/s]; empty: they do not rotate, or the file does not contain it
  std::vector<double> spin;
};

bool has_members(const ViewBody& body);
/// True if a frame has contacts with a place: those of joints have none.
bool has_contacts(ViewFile& view);
MemberRows member_rows(const ResultsReader& results, ViewFile& view, std::size_t body,
                       std::size_t frame);

/// R of a quaternion w x y z of any length > 0, row by row; the identity for zeros.
std::array<double, 9> rotation_rows(const double* quaternion);

}  // namespace saltus
