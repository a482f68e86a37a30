// Writes contact problems in the FCLIB format.
#include <limits>

#include "saltus/base/error.h"
#include "saltus/exchange/fclib.h"
#include "saltus/exchange/fclib_run.h"
#include "saltus/results/hdf5.h"
#include "saltus/results/output_file.h"

namespace saltus {
namespace {

std::size_t place(int i) { return static_cast<std::size_t>(i); }

/// A matrix by rows: nz = -2, p of rows + 1 elements.
struct RowMatrix {
  int rows = 0, columns = 0;
  std::vector<std::int32_t> p{0}, i;
  std::vector<double> x;
};

/// Rows and columns of W from `row` and `column` on; zeros are left out.
RowMatrix part(const BlockMatrix& W, int row, int rows, int column, int columns) {
  RowMatrix A;
  A.rows = rows;
  A.columns = columns;
  for (int c = 0; c < W.contacts(); ++c) {
    if (W.first[place(c)] < row || W.first[place(c)] >= row + rows) continue;
    for (int i = 0; i < W.size(c); ++i) {
      for (int k = W.offset[place(c)]; k < W.offset[place(c) + 1]; ++k) {
        const int d = W.column[place(k)], size = W.size(d), first = W.first[place(d)] - column;
        if (first < 0 || first >= columns) continue;
        for (int j = 0; j < size; ++j)
          if (const double value = W.block(k)[i * size + j]; value != 0.0) {
            A.i.push_back(first + j);
            A.x.push_back(value);
          }
      }
      if (A.x.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw RunError("the format supports matrices of at most 2^31 - 1 entries");
      A.p.push_back(static_cast<std::int32_t>(A.x.size()));
    }
  }
  return A;
}

bool transposed(const Delassus& W, int m, const RowMatrix& V, const RowMatrix& V_T) {
  if (V.x.size() != V_T.x.size()) return false;
  for (int i = 0; i < V.rows; ++i)
    for (int k = V.p[place(i)]; k < V.p[place(i) + 1]; ++k)
      if (W.entry(m + V.i[place(k)], i) != V.x[place(k)]) return false;
  return true;
}

void write_integer(const h5::Group& group, const char* name, int value) {
  group.write(name, std::span<const std::int32_t>(&value, 1));
}

void write_matrix(const h5::Group& parent, const char* name, const RowMatrix& A) {
  const h5::Group group = parent.create_group(name);
  write_integer(group, "nzmax", static_cast<int>(A.x.size()));
  write_integer(group, "m", A.rows);
  write_integer(group, "n", A.columns);
  write_integer(group, "nz", -2);
  group.write_compressed("p", A.p);
  group.write_compressed("i", A.i);
  group.write_compressed("x", A.x);
}

void write_vector(const h5::Group& group, const char* name, const Vector& x) {
  if (x.size() > 0)
    group.write_compressed(name, std::span(x.data(), place(static_cast<int>(x.size()))));
}

/// Requires contacts of one kind and size, then equalities of one row each.
void expect_writable(const FclibProblem& P) {
  const int size = P.spacedim, m = P.contacts * size;
  expects(P.W && P.W->rows() == P.rows() && P.rows() == m + P.equalities &&
              std::ssize(P.laws) == P.contacts + P.equalities,
          "a problem to be written must have spacedim rows per contact and one per equality");
  for (int c = 0; c < std::ssize(P.laws); ++c) {
    const Law& law = P.laws[place(c)];
    const bool contact = c < P.contacts;
    expects(law.spinnings() == 0,
            "the format does not support spinning friction, rows S and sigma");
    expects(law.kind == (!contact    ? LawKind::equality
                         : P.rolling ? LawKind::rolling
                                     : LawKind::coulomb) &&
                law.size == (contact ? size : 1),
            "the format supports contacts with friction, all of one size, followed by equalities");
  }
  if (P.solution)
    expects(P.solution->r.size() == m && (P.solution->u.size() == 0 || P.solution->u.size() == m) &&
                (P.solution->l.size() == 0 || P.solution->l.size() == P.equalities),
            "r, u must have the rows of the contacts, l those of the equalities");
}

void write_problem(const h5::Group& root, const FclibProblem& P) {
  const int m = P.contacts * P.spacedim, e = P.equalities;
  const h5::Group group = root.create_group(P.rolling ? "fclib_local_rolling" : "fclib_local");
  write_integer(group, "spacedim", P.spacedim);

  const auto view = P.view();
  BlockMatrix W;
  blocks_of(view, W);
  write_matrix(group, "W", part(W, 0, m, 0, m));
  if (e > 0) {
    const RowMatrix V = part(W, 0, m, m, e);
    if (!transposed(*P.W, m, V, part(W, m, e, 0, m)))
      throw SceneError(
          "",
          "cannot be written: its equalities and contacts are coupled unsymmetrically (V and V^T)");
    write_matrix(group, "V", V);
    write_matrix(group, "R", part(W, m, e, m, e));
  }
  Vector mu(P.contacts), mu_r(P.contacts);
  for (int c = 0; c < P.contacts; ++c) {
    mu[c] = P.laws[place(c)].friction;
    mu_r[c] = P.laws[place(c)].rolling;
  }
  const h5::Group vectors = group.create_group("vectors");
  write_vector(vectors, "q", P.b.head(m));
  write_vector(vectors, "mu", mu);
  if (P.rolling) write_vector(vectors, "mu_r", mu_r);
  write_vector(vectors, "s", P.b.tail(e));

  const h5::Group info = group.create_group("info");
  info.write("title", P.title);
  info.write("description", P.description);
  info.write("math_info", P.math_info);
}

}  // namespace

void write_fclib(const std::string& path, const FclibProblem& problem) {
  expect_writable(problem);
  OutputFile output(path);
  h5::File file = h5::File::create(output.part());
  try {
    write_problem(file, problem);
    if (problem.solution) {
      const h5::Group group = file.create_group("solution");
      write_vector(group, "r", problem.solution->r);
      write_vector(group, "u", problem.solution->u);
      write_vector(group, "l", problem.solution->l);
    }
    if (problem.run) write_fclib_run(file, *problem.run);
    file.flush();
    file.close();
  } catch (const SceneError& e) {
    file.abandon();
    throw e.at(path, 0, 0);
  } catch (...) {
    file.abandon();
    throw;
  }
  output.commit();
}

}  // namespace saltus
