#include "saltus/contact/problem_data.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus {
BlockMatrix block_matrix(std::span<const Law> laws, std::span<const Entry> entries) {
  BlockMatrix out;
  std::vector<int> contact;  // contact of each row
  for (const Law& law : laws) {
    expects(law.first == out.first.back() && law.size > 0,
            "laws must cover the rows in order, without holes");
    contact.insert(contact.end(), at(law.size), static_cast<int>(&law - laws.data()));
    out.first.push_back(law.first + law.size);
  }
  const SparseMatrix W(out.rows(), entries), mirror = W.transpose();

  // last: the contact whose row of blocks included it most recently
  std::vector<int> last(laws.size(), -1), row;
  for (int c = 0; c < out.contacts(); ++c) {
    row.assign(1, c);
    last[at(c)] = c;
    for (const SparseMatrix* A : {&W, &mirror})
      for (int k = A->offset()[at(out.first[at(c)])]; k < A->offset()[at(out.first[at(c) + 1])];
           ++k) {
        const int d = contact[at(A->column()[at(k)])];
        if (last[at(d)] == c || A->value()[at(k)] == 0.0) continue;
        last[at(d)] = c;
        row.push_back(d);
      }
    std::ranges::sort(row);
    for (const int d : row) {
      out.column.push_back(d);
      out.start.push_back(out.value.size());
      out.value.resize(out.value.size() + at(out.size(c)) * at(out.size(d)));
    }
    out.offset.push_back(static_cast<int>(out.column.size()));
    for (int i = out.first[at(c)]; i < out.first[at(c) + 1]; ++i)
      for (int k = W.offset()[at(i)]; k < W.offset()[at(i) + 1]; ++k) {
        if (W.value()[at(k)] == 0.0) continue;
        const int j = W.column()[at(k)], d = contact[at(j)];
        const int place = (i - out.first[at(c)]) * out.size(d) + (j - out.first[at(d)]);
        out.value[out.start[at(out.find(c, d))] + at(place)] = W.value()[at(k)];
      }
  }
  return out;
}

}  // namespace saltus
