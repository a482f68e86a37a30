// Numbers of a table as a stream that zlib reads: quick to make, for they are written while a run goes on.
//
// Of 64-bit numbers that were measured or computed the lowest five or six bytes are noise, which no compression shortens and
// on which it takes longest. Here each plane (all first bytes, all second bytes, ...) is looked at on its own: those that
// look like noise are stored as they are, the others are coded by run lengths and by how often a byte occurs.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace saltus {

class PlaneCoder {
 public:
  PlaneCoder();
  ~PlaneCoder();
  PlaneCoder(PlaneCoder&&) noexcept;
  PlaneCoder& operator=(PlaneCoder&&) noexcept;

  struct Coded {
    std::span<const char> bytes;  ///< valid until the next call
    bool deflated = false;        ///< false: the planes one behind the other, shuffled and no more
  };
  /// `bytes`: whole numbers of `element` bytes each. What comes out depends on them alone.
  Coded encode(std::span<const char> bytes, std::size_t element);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::vector<char> planes_, out_;
};

}  // namespace saltus
