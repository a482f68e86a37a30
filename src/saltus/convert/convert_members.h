// Where the members of bodies are that have a place: rigid bodies, particles, pseudo-rigid bodies,
// moving ones.
#pragma once
#include <vector>

#include "saltus/results/results_reader.h"
#include "saltus/view/view_file.h"

namespace saltus {

/// Of the members of one body in one frame.
struct MemberRows {
  std::vector<double> place;     ///< 3 a member [m]
  std::vector<double> rotation;  ///< 4 a member, w x y z; (1, 0, 0, 0) where they do not turn
  std::vector<double> turn;      ///< 9 a member, rows of R, or of F where they deform
  std::vector<double> velocity;  ///< 3 a member [m/s]; empty: the file does not hold it
  std::vector<double>
      spin;  ///< 3 a member, in space [rad/s]; empty: they do not turn, or it is not held
};

bool has_members(const ViewBody& body);
/// True where a frame has contacts with a place: those of joints have none.
bool has_contacts(ViewFile& view);
MemberRows member_rows(const ResultsReader& results, ViewFile& view, std::size_t body,
                       std::size_t frame);

/// R of a quaternion w x y z of any length > 0, row by row; the identity for zeros.
std::array<double, 9> rotation_rows(const double* quaternion);

}  // namespace saltus
