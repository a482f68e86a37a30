// Reads contact problems in the FCLIB format.
#include "saltus/exchange/fclib.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/exchange/fclib_condense.h"
#include "saltus/exchange/fclib_file.h"
#include "saltus/exchange/fclib_run.h"

namespace saltus {
namespace {

constexpr double kSymmetric = 1e-12;  // of max |W|
constexpr double kLargest = 1e100;    // smallest: 1e-100; the squares of both are representable

/// The group that contains the problem.
std::string find_problem(const FclibFile& file, FclibProblem& out) {
  std::string found;
  for (const bool global : {false, true})
    for (const bool rolling : {false, true}) {
      const std::string group =
          fmt::format("/fclib_{}{}", global ? "global" : "local", rolling ? "_rolling" : "");
      if (!file.has(group)) continue;
      if (!found.empty()) file.fail(group, "is a second problem", "one per file, besides " + found);
      found = group;
      out.global = global;
      out.rolling = rolling;
    }
  if (found.empty())
    file.fail("/", "contains no problem",
              "one of fclib_local, fclib_global, fclib_local_rolling, fclib_global_rolling");
  return found;
}

/// The laws of the contacts from mu and mu_r, then those of the equalities.
void read_laws(const FclibFile& file, const std::string& group, int rows, int equalities,
               FclibProblem& out) {
  const std::string vectors = group + "/vectors/";
  const int size = out.spacedim;
  if (rows == 0) file.fail(group, "has no contact", "at least 1");
  if (rows % size != 0)
    file.fail(vectors + (out.global ? "w" : "q"), fmt::format("has {} elements", rows),
              fmt::format("{} for each contact", size));
  out.contacts = rows / size;
  out.equalities = equalities;
  const std::string why = "one for each contact";
  const Vector mu = file.reals(vectors + "mu", out.contacts, why);
  const Vector mu_r = out.rolling ? file.reals(vectors + "mu_r", out.contacts, why)
                                  : Vector(Vector::Zero(out.contacts));
  for (const auto& [name, values] : {std::pair{"mu", &mu}, {"mu_r", &mu_r}})
    for (int c = 0; c < out.contacts; ++c)
      if ((*values)[c] < 0.0)
        file.fail(vectors + name, fmt::format("element {} is {}", c, (*values)[c]), ">= 0");
  const LawKind kind = out.rolling ? LawKind::rolling : LawKind::coulomb;
  for (int c = 0; c < out.contacts; ++c) out.laws.push_back({kind, c * size, size, mu[c], mu_r[c]});
  for (int k = 0; k < equalities; ++k) out.laws.push_back({LawKind::equality, rows + k, 1});
  for (int i = 0; i < rows + equalities; ++i) out.ids.push_back(i);
}

/// spacedim is the number of rows of a contact.
void read_spacedim(const FclibFile& file, const std::string& group, FclibProblem& out) {
  out.spacedim = file.integer(group + "/spacedim");
  const bool known =
      out.rolling ? out.spacedim == 3 || out.spacedim == 5 : out.spacedim == 2 || out.spacedim == 3;
  if (!known)
    file.fail(group + "/spacedim", fmt::format("is {}", out.spacedim),
              out.rolling ? "3 or 5 with rolling" : "2 or 3");
}

/// u = W r + V l + q,  V^T r + R l + s = 0
CondensedProblem read_local(const FclibFile& file, const std::string& group, FclibProblem& out) {
  const std::string vectors = group + "/vectors/";
  const Vector q = file.reals(vectors + "q");
  const bool bilateral = file.has(group + "/V") || file.has(group + "/R");
  const Vector s = bilateral ? file.reals(vectors + "s") : Vector();
  const int m = static_cast<int>(q.size()), e = static_cast<int>(s.size());
  read_laws(file, group, m, e, out);

  std::vector<FclibMatrix> read{read_fclib_matrix(file, group + "/W", m, m)};
  if (bilateral) {
    read.push_back(read_fclib_matrix(file, group + "/V", m, e));
    read.push_back(read_fclib_matrix(file, group + "/R", e, e));
  }
  const TripletOrder order = triplet_order(file, read);
  CondensedProblem condensed{entries(read[0], order), Vector(m + e)};
  condensed.b << q, s;
  if (!bilateral) return condensed;
  for (const Entry& v : entries(read[1], order)) {
    condensed.W.push_back({v.row, m + v.column, v.value});
    condensed.W.push_back({m + v.column, v.row, v.value});
  }
  for (const Entry& r : entries(read[2], order))
    condensed.W.push_back({m + r.row, m + r.column, r.value});
  return condensed;
}

/// Completes a mass matrix with entries on one side of the diagonal only, which must be symmetric.
bool complete_half(std::vector<Entry>& M) {
  bool below = false, above = false;
  for (const Entry& e : M) {
    below = below || (e.row > e.column && e.value != 0.0);
    above = above || (e.row < e.column && e.value != 0.0);
  }
  if (below == above) return false;
  for (std::size_t k = 0, count = M.size(); k < count; ++k)
    if (M[k].row != M[k].column) M.push_back({M[k].column, M[k].row, M[k].value});
  return true;
}

/// M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0
CondensedProblem read_global(const FclibFile& file, const std::string& group, FclibProblem& out) {
  const std::string vectors = group + "/vectors/";
  const Vector f = file.reals(vectors + "f"), w = file.reals(vectors + "w");
  const bool bilateral = file.has(group + "/G");
  const Vector b = bilateral ? file.reals(vectors + "b") : Vector();
  const int n = static_cast<int>(f.size()), m = static_cast<int>(w.size()),
            e = static_cast<int>(b.size());
  read_laws(file, group, m, e, out);
  out.velocities = n;
  if (n == 0) file.fail(vectors + "f", "has 0 elements", "at least 1");

  std::vector<FclibMatrix> read{read_fclib_matrix(file, group + "/M", n, n),
                                read_fclib_matrix(file, group + "/H", n, m)};
  if (bilateral) read.push_back(read_fclib_matrix(file, group + "/G", n, e));
  const TripletOrder order = triplet_order(file, read);
  std::vector<Entry> H = entries(read[1], order);
  if (bilateral)
    for (const Entry& g : entries(read[2], order)) H.push_back({g.row, m + g.column, g.value});
  std::vector<Entry> M = entries(read[0], order);
  if (complete_half(M))
    out.notes.push_back(group +
                        "/M: entries on one side of the diagonal only; read as half of a "
                        "symmetric matrix");
  Vector w_b(m + e);
  w_b << w, b;
  CondensedProblem condensed;
  if (!condense(SparseMatrix(n, M), H, f, w_b, condensed))
    file.fail(group + "/M", "is singular", "a regular matrix, so that W = H^T M^-1 H is finite");
  return condensed;
}

FclibSolution read_solution(const FclibFile& file, const std::string& group,
                            const FclibProblem& problem) {
  const auto vector = [&](const char* name, int size, const std::string& why) {
    return file.has(group + name) ? file.reals_or_zeros(group + name, size, why) : Vector();
  };
  const std::string why = fmt::format("{} for each contact", problem.spacedim);
  const int rows = problem.contacts * problem.spacedim;
  FclibSolution found;
  found.r = vector("/r", rows, why);
  if (found.r.size() == 0) file.fail(group, "has no vector r", "r, and u, v, l if they are known");
  found.u = vector("/u", rows, why);
  if (problem.global) found.v = vector("/v", problem.velocities, "one for each row of M");
  if (problem.equalities > 0) found.l = vector("/l", problem.equalities, "one for each equality");
  return found;
}

/// Residuals are computed from squares: if those overflow or underflow, every answer would appear
/// correct.
void expect_scale(const FclibFile& file, const std::string& object, double largest) {
  if (largest != 0.0 && !(largest >= 1.0 / kLargest && largest <= kLargest))
    file.fail(object, fmt::format("has the largest element {}", largest),
              fmt::format("0, or {:g} to {:g}", 1.0 / kLargest, kLargest));
}

FclibProblem read_problem(const std::string& path, FclibRead what) {
  const FclibFile file(path);
  FclibProblem out;
  const std::string group = find_problem(file, out);
  read_spacedim(file, group, out);
  CondensedProblem condensed =
      out.global ? read_global(file, group, out) : read_local(file, group, out);
  const SparseMatrix W(static_cast<int>(condensed.b.size()), condensed.W);
  if (!W.finite())
    file.fail(group + (out.global ? "/M" : "/W"), "adds up to numbers that are not finite",
              "finite W");
  double largest = 0.0;
  for (const double value : W.value()) largest = std::max(largest, std::abs(value));
  expect_scale(file, group + (out.global ? "/M" : "/W"), largest);
  expect_scale(file, group + (out.global ? "/vectors/w" : "/vectors/q"),
               condensed.b.lpNorm<Eigen::Infinity>());
  out.W =
      std::make_shared<BlockDelassus>(block_matrix(out.laws, condensed.W), W.symmetric(kSymmetric));
  out.b = std::move(condensed.b);
  out.title = file.text(group + "/info/title");
  out.description = file.text(group + "/info/description");
  out.math_info = file.text(group + "/info/math_info");
  if (what == FclibRead::problem) return out;

  out.run = read_fclib_run(file);
  if (file.has("/solution")) out.solution = read_solution(file, "/solution", out);
  const std::string count = "/guesses/number_of_guesses";
  const int guesses = file.has("/guesses") ? file.integer(count) : 0;
  if (guesses < 0) file.fail(count, fmt::format("is {}", guesses), ">= 0");
  for (int k = 1; k <= guesses; ++k)
    out.guesses.push_back(read_solution(file, fmt::format("/guesses/{}", k), out));
  return out;
}

}  // namespace

FclibProblem read_fclib(const std::string& path, FclibRead what) {
  try {
    return read_problem(path, what);
  } catch (const h5::Error& e) {
    throw SceneError("", e.what());  // the message contains the file and the object
  }
}

}  // namespace saltus
