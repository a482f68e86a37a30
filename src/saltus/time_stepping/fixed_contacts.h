// Contacts of an island with fixed rows: their laws, the quantities these laws read in a step, and
// views of the contacts.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "saltus/assembly/island.h"

namespace saltus {

/// Indices are those of the island's rows, one per contact.
class FixedContacts {
 public:
  /// Quantities that the laws read in a step.
  struct Reads {
    bool gaps = false;              ///< some law acts on gaps
    bool velocities = false;        ///< some law acts on velocities
    bool gap_before = false;        ///< a law on gaps reads y_-, the gap one step before the start
    bool activation_rates = false;  ///< a law activates contacts by their rates
    bool reach = false;             ///< a law reads Y
  };

  /// pairs: indices into Model::pairs().
  FixedContacts(const Model& model, std::vector<int> pairs);

  std::size_t count() const { return pair_.size(); }
  const Reads& reads() const { return reads_; }
  std::uint64_t key(int i) const { return key_[static_cast<std::size_t>(i)]; }
  const ContactLaw& law(int i) const { return model_.law(law_[static_cast<std::size_t>(i)]); }
  const ContactPair& pair(int i) const {
    return model_.pairs()[static_cast<std::size_t>(pair_[static_cast<std::size_t>(i)])];
  }
  /// Gaps below this value are round-off of the distance between the points [m].
  double closed(Eigen::Index i) const { return closed_[i]; }

  using Memory = std::span<const ContactMemory>::iterator;
  /// Impulse of contact i in the previous step [N s]. Contacts have to be looked up in increasing
  /// order; `from` is where the search for the last one ended.
  double carried(std::span<const ContactMemory> before, int i, Memory& from) const;
  /// Without gap, impulse and status.
  SeenContact view(int i) const;

 private:
  const Model& model_;
  std::vector<int> pair_, law_;
  std::vector<std::uint64_t> key_;
  Vector closed_;
  Reads reads_;
};

}  // namespace saltus
