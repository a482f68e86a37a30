#include "saltus/contact/body_blocks.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// block += H_ck A^-1 H_dl^T for body[k] = body[l].
void add(const BodyRows& H, int c, int k, int d, int l, double* block) {
  const int width = H.width;
  const double sign = H.opposite(c, k) == H.opposite(d, l) ? 1.0 : -1.0;
  const double* const A = &H.inverse[at(H.body[at(k)]) * at(width * width)];
  const double* const left = &H.value[H.start[at(k)]];
  const double* const right = &H.value[H.start[at(l)]];
  for (int i = 0; i < H.size(c); ++i) {
    double row[6] = {};  // row of H_ck A^-1
    for (int a = 0; a < width; ++a)
      for (int b = 0; b < width; ++b) row[b] += left[i * width + a] * A[a * width + b];
    for (int j = 0; j < H.size(d); ++j) {
      double sum = 0.0;
      for (int b = 0; b < width; ++b) sum += row[b] * right[j * width + b];
      block[i * H.size(d) + j] += sign * sum;
    }
  }
}

}  // namespace

void blocks_of_bodies(const BodyRows& H, BlockMatrix& W, std::vector<int>& touch) {
  // indices k in H.body, sorted by body: touch[begin_b .. begin_{b+1}), stored after the begins
  const int bodies = H.bodies(), places = static_cast<int>(H.body.size());
  touch.assign(at(bodies) + 1 + 2 * at(places), 0);
  int* const begin = touch.data();
  int* const place = begin + bodies + 1;
  int* const contact = place + places;  // contact of place[.]
  for (const int b : H.body) ++begin[b + 1];
  for (int b = 0; b < bodies; ++b) begin[b + 1] += begin[b];
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
      const int slot = begin[H.body[at(k)]]++;
      place[slot] = k;
      contact[slot] = c;
    }
  for (int b = bodies; b > 0; --b) begin[b] = begin[b - 1];
  begin[0] = 0;

  W.first = H.first;
  W.offset.assign(1, 0);
  W.column.clear();
  W.start.clear();
  W.value.clear();
  for (int c = 0; c < H.contacts(); ++c) {
    const std::size_t row = W.column.size();
    W.column.push_back(c);
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      for (int slot = begin[H.body[at(k)]]; slot < begin[H.body[at(k)] + 1]; ++slot)
        W.column.push_back(contact[slot]);
    const auto from = W.column.begin() + static_cast<std::ptrdiff_t>(row);
    std::sort(from, W.column.end());
    W.column.erase(std::unique(from, W.column.end()), W.column.end());
    for (std::size_t k = row; k < W.column.size(); ++k) {
      W.start.push_back(W.value.size());
      W.value.resize(W.value.size() + at(H.size(c) * H.size(W.column[k])), 0.0);
    }
    W.offset.push_back(static_cast<int>(W.column.size()));
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      for (int slot = begin[H.body[at(k)]]; slot < begin[H.body[at(k)] + 1]; ++slot) {
        if (contact[slot] < c) continue;
        const int block = W.find(c, contact[slot]);
        add(H, c, k, contact[slot], place[slot], &W.value[W.start[at(block)]]);
      }
    // the rest by symmetry, equal to the last bit
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1] && W.column[at(k)] <= c; ++k) {
      const int d = W.column[at(k)];
      double* const block = &W.value[W.start[at(k)]];
      const double* const mirror = W.block(W.find(d, c));
      for (int i = 0; i < W.size(c); ++i)
        for (int j = 0; j < (d < c ? W.size(d) : i); ++j)
          block[i * W.size(d) + j] = mirror[j * W.size(c) + i];
    }
  }
}

}  // namespace saltus
