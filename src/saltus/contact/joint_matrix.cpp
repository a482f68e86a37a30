#include "saltus/contact/joint_matrix.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/body_product.h"

namespace saltus {
namespace {

using BlockOf =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

double dot(const double* x, const double* y, int width) {
  double sum = 0.0;
  for (int k = 0; k < width; ++k) sum += x[k] * y[k];
  return sum;
}
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Y <- G diag(inverse)/divisor
void divide_columns(int rows, int width, const double* inverse, double divisor, const double* G,
                    double* Y) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < width; ++k) *Y++ = *G++ * inverse[k];
  if (divisor == 1.0) return;
  Y -= rows * width;
  for (int i = 0; i < rows * width; ++i) Y[i] /= divisor;
}

/// Mean of the positive entries (those of unlocked columns), 1 if there are none.
template <class Diagonal>
double mean(const Diagonal& diagonal) {
  double sum = 0.0;
  int count = 0;
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    if (diagonal[i] > 0.0) sum += diagonal[i], ++count;
  return count > 0 ? sum / count : 1.0;
}

}  // namespace

void JointMatrix::arrange(std::vector<int> size, std::vector<char> turns,
                          std::vector<int> velocities, std::span<const Entry> entries,
                          std::vector<Place>& places) {
  size_ = std::move(size);
  turns_ = std::move(turns);
  first_.assign(1, 0);
  for (int rows : size_) first_.push_back(first_.back() + rows);
  members_.clear();
  for (int columns : velocities) members_.push_back({columns, 0, 0, false, {}, {0}});
  units_.clear();
  incidences_.clear();
  places.assign(entries.size(), {});

  // Overlapping entries form one unit; those of one unit are stored node by node.
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const Entry &a = entries[i], &b = entries[j];
    return std::tie(a.member, a.column, a.node, i) < std::tie(b.member, b.column, b.node, j);
  });
  std::size_t values = 0;
  for (std::size_t k = 0; k < order.size();) {
    const Entry& first = entries[order[k]];
    Unit unit{first.column, first.width, static_cast<int>(incidences_.size()), 0};
    std::size_t end = k;
    for (; end < order.size(); ++end) {
      const Entry& e = entries[order[end]];
      if (e.member != first.member || e.column >= unit.column + unit.width) break;
      unit.width = std::max(unit.width, e.column + e.width - unit.column);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(k),
              order.begin() + static_cast<std::ptrdiff_t>(end),
              [&](std::size_t i, std::size_t j) { return entries[i].node < entries[j].node; });
    for (int node = -1; k < end; ++k) {
      const Entry& e = entries[order[k]];
      if (e.node != node) {
        node = e.node;
        incidences_.push_back({node, 0, values});
        values += at(size_[at(node)]) * at(unit.width);
      }
      places[order[k]] = {incidences_.back().begin + at(e.column - unit.column), unit.width};
    }
    unit.end = static_cast<int>(incidences_.size());
    Member& member = members_[at(first.member)];
    if (member.last == 0) member.first = static_cast<int>(units_.size());
    units_.push_back(unit);
    member.last = static_cast<int>(units_.size());
  }
  G_.assign(values, 0.0);
  for (Member& m : members_) {
    for (int u = m.first; u < m.last; ++u)
      for (int k = units_[at(u)].begin; k < units_[at(u)].end; ++k)
        m.nodes.push_back(incidences_[at(k)].node);
    std::sort(m.nodes.begin(), m.nodes.end());
    m.nodes.erase(std::unique(m.nodes.begin(), m.nodes.end()), m.nodes.end());
    for (int node : m.nodes) m.row.push_back(m.row.back() + size_[at(node)]);
    for (int u = m.first; u < m.last; ++u)
      for (int k = units_[at(u)].begin; k < units_[at(u)].end; ++k) {
        Incidence& e = incidences_[at(k)];
        e.place = static_cast<int>(std::lower_bound(m.nodes.begin(), m.nodes.end(), e.node) -
                                   m.nodes.begin());
      }
  }
  arranged_ = false;
  find_loops();
}

// Graph of units, nodes and the world, with incidences as edges: a tree if it has one edge less
// than vertices. A node with rows in only one unit is connected to the world.
void JointMatrix::find_loops() {
  const int world = static_cast<int>(units_.size()) + nodes();
  std::vector<int> of(at(world) + 1), count(at(nodes()), 0);
  std::iota(of.begin(), of.end(), 0);
  const auto first = [&](int i) {
    while (of[at(i)] != i) i = of[at(i)] = of[at(of[at(i)])];
    return i;
  };
  loops_ = false;
  const auto join = [&](int i, int j) {
    i = first(i), j = first(j);
    loops_ = loops_ || i == j;
    of[at(std::max(i, j))] = std::min(i, j);
  };
  for (int u = 0; u < static_cast<int>(units_.size()); ++u)
    for (int k = units_[at(u)].begin; k < units_[at(u)].end; ++k) {
      const int node = incidences_[at(k)].node;
      ++count[at(node)];
      join(u, static_cast<int>(units_.size()) + node);
    }
  for (int i = 0; i < nodes(); ++i)
    if (count[at(i)] == 1) join(static_cast<int>(units_.size()) + i, world);
}

std::size_t JointMatrix::block(int i, int j) const {
  const auto begin = column_.begin() + offset_[at(i)], end = column_.begin() + offset_[at(i) + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, j) - column_.begin());
}

void JointMatrix::make_pattern() {
  std::vector<std::array<int, 2>> pairs;
  const auto join = [&](int i, int j) {
    pairs.push_back({i, j});
    if (i != j) pairs.push_back({j, i});
  };
  for (int i = 0; i < nodes(); ++i) join(i, i);
  for (const Member& m : members_)
    if (m.coupled) {
      for (std::size_t i = 0; i < m.nodes.size(); ++i)
        for (std::size_t j = i + 1; j < m.nodes.size(); ++j) join(m.nodes[i], m.nodes[j]);
    } else {
      for (int u = m.first; u < m.last; ++u)
        for (int k = units_[at(u)].begin; k < units_[at(u)].end; ++k)
          for (int l = k + 1; l < units_[at(u)].end; ++l)
            join(incidences_[at(k)].node, incidences_[at(l)].node);
    }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  offset_.assign(at(nodes()) + 1, 0);
  column_.clear();
  start_.clear();
  std::size_t values = 0;
  for (const auto& [i, j] : pairs) {
    ++offset_[at(i) + 1];
    column_.push_back(j);
    start_.push_back(values);
    values += at(size_[at(i)] * size_[at(j)]);
  }
  std::partial_sum(offset_.begin(), offset_.end(), offset_.begin());
  S_.assign(values, 0.0);

  std::vector<char> touched(column_.size(), 0);
  targets_.clear();
  std::size_t widest = 0;
  for (const Member& m : members_)
    for (int u = m.first; u < m.last && !m.coupled; ++u) {
      int rows = 0;
      for (int k = units_[at(u)].begin; k < units_[at(u)].end; ++k) {
        const int i = incidences_[at(k)].node;
        widest = std::max(widest, at(size_[at(i)] * units_[at(u)].width));
        rows += size_[at(i)];
        for (int l = k; l < units_[at(u)].end; ++l) {
          const std::size_t b = block(i, incidences_[at(l)].node);
          targets_.push_back({start_[b], touched[b] == 0});
          touched[b] = 1;
        }
      }
      widest = std::max(widest, at(rows) * at(body_product_stride(rows)) + body_product_work(rows));
    }
  Y_.resize(widest);
  untouched_.clear();
  mirrors_.clear();
  for (const auto& [i, j] : pairs)
    if (i <= j) {
      if (const std::size_t b = block(i, j); touched[b] == 0) untouched_.push_back({i, j});
      mirrors_.push_back({start_[block(i, j)], start_[block(j, i)], size_[at(i)], size_[at(j)]});
    }
  std::size_t X = 0, T = 0;
  for (const Member& m : members_)
    if (m.coupled) {
      X = std::max(X, at(m.velocities) * at(m.row.back()));
      T = std::max(T, at(m.row.back()) * at(m.row.back()));
    }
  X_.resize(X);
  T_.resize(T);
  weight_.resize(rows());
  diagonal_.resize(rows());
  pattern_.analyse({nodes(), offset_.data(), column_.data(), 0});
  arranged_ = true;
}

// S_ij += G_i A^-1 G_j^T of one unit; only the upper triangle of diagonal blocks
void JointMatrix::add_unit(const Unit& unit, const double* inverse, double divisor,
                           const Target*& target) {
  const int width = unit.width;
  for (int k = unit.begin; k < unit.end; ++k) {
    const Incidence& a = incidences_[at(k)];
    const int m = size_[at(a.node)];
    divide_columns(m, width, inverse, divisor, G_.data() + a.begin, Y_.data());
    for (int l = k; l < unit.end; ++l, ++target) {
      const Incidence& b = incidences_[at(l)];
      const int n = size_[at(b.node)];
      double* S = S_.data() + target->begin;
      for (int i = 0; i < m; ++i) {
        const double* y = Y_.data() + i * width;
        const double* g = G_.data() + b.begin;
        int j = l == k ? i : 0;
        if (target->first)
          for (; j < n; ++j) S[i * n + j] = dot(y, g + j * width, width);
        else
          for (; j < n; ++j) S[i * n + j] += dot(y, g + j * width, width);
      }
    }
  }
}

// The same for a body of 6 velocities, with all rows of the unit at once: they are contiguous in G.
void JointMatrix::add_body(const Unit& unit, const Matrix6& A, const Target*& target) {
  const Incidence& last = incidences_[at(unit.end - 1)];
  const std::size_t begin = incidences_[at(unit.begin)].begin;
  const int rows = static_cast<int>((last.begin - begin) / 6) + size_[at(last.node)];
  const int stride = body_product_stride(rows);
  double* const T = Y_.data();
  body_product(rows, G_.data() + begin, A.data(), T, T + at(rows) * at(stride));
  for (int k = unit.begin, row = 0; k < unit.end; ++k) {
    const int m = size_[at(incidences_[at(k)].node)];
    for (int l = k, column = row; l < unit.end; ++l, ++target) {
      const int n = size_[at(incidences_[at(l)].node)];
      double* S = S_.data() + target->begin;
      const double* from = T + at(row) * at(stride) + at(column);
      if (target->first)
        for (int i = 0; i < m; ++i, S += n, from += stride)
          for (int j = l == k ? i : 0; j < n; ++j) S[j] = from[j];
      else
        for (int i = 0; i < m; ++i, S += n, from += stride)
          for (int j = l == k ? i : 0; j < n; ++j) S[j] += from[j];
      column += n;
    }
    row += m;
  }
}

// X = A^-1 G^T,  T = G X,  S_ij += (T_ij + T_ji^T)/2,  with all rows of the member at once
void JointMatrix::add_coupled(const Member& m, const Factor& A) {
  const Eigen::Index rows = m.row.back();
  Eigen::Map<Matrix> X(X_.data(), m.velocities, rows), T(T_.data(), rows, rows);
  const auto each = [&](const auto& use) {  // use(block of G, first row, first column)
    for (int u = m.first; u < m.last; ++u)
      for (int k = units_[at(u)].begin; k < units_[at(u)].end; ++k) {
        const Incidence& e = incidences_[at(k)];
        use(BlockOf(G_.data() + e.begin, size_[at(e.node)], units_[at(u)].width),
            m.row[at(e.place)], units_[at(u)].column);
      }
  };
  X.setZero();
  each([&](const BlockOf& G, int row, int column) {
    X.block(column, row, G.cols(), G.rows()) += G.transpose();
  });
  solve(A, X);
  T.setZero();
  each([&](const BlockOf& G, int row, int column) {
    for (Eigen::Index j = 0; j < rows; ++j)
      for (Eigen::Index i = 0; i < G.rows(); ++i)
        T(row + i, j) += G.row(i).dot(X.col(j).segment(column, G.cols()));
  });
  if (alike_) T /= mean(T.diagonal());
  for (std::size_t a = 0; a < m.nodes.size(); ++a)
    for (std::size_t b = a; b < m.nodes.size(); ++b) {
      double* S = S_.data() + start_[block(m.nodes[a], m.nodes[b])];
      for (int i = m.row[a]; i < m.row[a + 1]; ++i)
        for (int j = m.row[b]; j < m.row[b + 1]; ++j) *S++ += 0.5 * (T(i, j) + T(j, i));
    }
}

// The diagonal, and  w_i = mean S_ii over the rows of the node that are of the kind of row i, so
// that w_i depends neither on axes nor on units
void JointMatrix::weigh() {
  for (int node = 0; node < nodes(); ++node) {
    const int n = size_[at(node)], row = first(node);
    const double* S = S_.data() + start_[block(node, node)];
    double sum[2] = {0.0, 0.0};
    int count[2] = {0, 0};
    for (int i = 0; i < n; ++i) {
      const auto kind = static_cast<std::size_t>(turns_[at(row + i)]);
      diagonal_[row + i] = S[i * n + i];
      sum[kind] += diagonal_[row + i];
      ++count[kind];
    }
    for (int i = 0; i < n; ++i) {
      const auto kind = static_cast<std::size_t>(turns_[at(row + i)]);
      weight_[row + i] = sum[kind] > 0.0 ? sum[kind] / count[kind] : 1.0;
    }
  }
}

void JointMatrix::assemble(const Factors& A) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& m = members_[i];
    if (m.nodes.empty()) continue;
    const bool coupled =
        std::holds_alternative<std::unique_ptr<Operator>>(A(static_cast<int>(i)).form);
    if (coupled != m.coupled) arranged_ = false;
    m.coupled = coupled;
  }
  if (!arranged_) make_pattern();

  for (const auto& [i, j] : untouched_) {
    double* S = S_.data() + start_[block(i, j)];
    std::fill(S, S + size_[at(i)] * size_[at(j)], 0.0);
  }
  const Target* target = targets_.data();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& m = members_[i];
    if (m.nodes.empty() || m.coupled) continue;
    const Factor& factor = A(static_cast<int>(i));
    const auto* blocks = std::get_if<Blocks6>(&factor.form);
    const auto* diagonal = std::get_if<Diagonal>(&factor.form);
    expects(blocks || diagonal, "the operator A was not factorised");
    for (int u = m.first; u < m.last; ++u) {
      const Unit& unit = units_[at(u)];
      if (blocks) {
        expects(unit.width == 6 && unit.column % 6 == 0,
                "the 6 columns of a body must be contiguous");
        const Matrix6& inverse = blocks->inverse[at(unit.column / 6)];
        const Matrix6 A_u = 0.5 * (inverse + inverse.transpose());
        add_body(unit, alike_ ? Matrix6(A_u / mean(A_u.diagonal().head<3>())) : A_u, target);
      } else {
        const auto inverse = diagonal->inverse.segment(unit.column, unit.width);
        add_unit(unit, inverse.data(), alike_ ? mean(inverse) : 1.0, target);
      }
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].coupled) add_coupled(members_[i], A(static_cast<int>(i)));
  for (const Mirror& m : mirrors_) {  // lower triangle
    const double* S = S_.data() + m.from;
    double* to = S_.data() + m.to;
    for (int i = 0; i < m.rows; ++i)
      for (int j = m.from == m.to ? i + 1 : 0; j < m.columns; ++j)
        to[j * m.rows + i] = S[i * m.columns + j];
  }
}

bool JointMatrix::find_dependent(const Factors& A) {
  if (rows() == 0 || !loops_) return true;
  assemble(A);
  weigh();
  alike_ = true;
  assemble(A);
  alike_ = false;
  return ldlt_.factorise(blocks(), weight_);
}

bool JointMatrix::factorise_kept(const Factors& A) {
  if (rows() == 0) return true;
  assemble(A);
  for (int i = 0; compliance_.size() > 0 && i < nodes(); ++i) {
    const int n = size_[at(i)];
    double* S = S_.data() + start_[block(i, i)];
    for (int k = 0; k < n; ++k) S[k * n + k] += compliance_[first(i) + k];
  }
  weigh();
  return loops_ ? ldlt_.factorise_again(blocks(), weight_)
                : ldlt_.factorise_in_order(blocks(), weight_);
}

bool JointMatrix::factorise(const Factors& A) { return find_dependent(A) && factorise_kept(A); }

void JointMatrix::apply(View L, Out u) const {
  for (int i = 0; i < nodes(); ++i) {
    auto u_i = u.segment(first(i), size_[at(i)]);
    u_i.setZero();
    for (int k = offset_[at(i)]; k < offset_[at(i) + 1]; ++k) {
      const int j = column_[at(k)], n = size_[at(j)];
      for (int a = 0; a < size_[at(i)]; ++a)
        u_i[a] += dot(S_.data() + start_[at(k)] + at(a * n), L.data() + first(j), n);
    }
  }
}

void JointMatrix::multiply_add(int member, View v, Out u) const {
  const Member& m = members_[at(member)];
  for (int k = m.first; k < m.last; ++k) {
    const Unit& unit = units_[at(k)];
    const double* v_k = v.data() + unit.column;
    if (std::all_of(v_k, v_k + unit.width, [](double x) { return x == 0.0; })) continue;
    for (int l = unit.begin; l < unit.end; ++l) {
      const Incidence& e = incidences_[at(l)];
      const double* G = G_.data() + e.begin;
      double* const u_e = u.data() + first(e.node);
      const int n = size_[at(e.node)];
      if (unit.width == 6) {
        for (int i = 0; i < n; ++i, G += 6)
          u_e[i] += (G[0] * v_k[0] + G[2] * v_k[2] + G[4] * v_k[4]) +
                    (G[1] * v_k[1] + G[3] * v_k[3] + G[5] * v_k[5]);
      } else {
        for (int i = 0; i < n; ++i, G += unit.width) u_e[i] += dot(G, v_k, unit.width);
      }
    }
  }
}

void JointMatrix::transpose_add(int member, View L, Out r) const {
  const Member& m = members_[at(member)];
  for (int k = m.first; k < m.last; ++k) {
    const Unit& unit = units_[at(k)];
    for (int l = unit.begin; l < unit.end; ++l) {
      const Incidence& e = incidences_[at(l)];
      const double* G = G_.data() + e.begin;
      const double* const L_e = L.data() + first(e.node);
      const int n = size_[at(e.node)];
      if (unit.width == 6) {
        Eigen::Map<Vector6> r_e(r.data() + unit.column);
        Vector6 sum = r_e;
        for (int i = 0; i < n; ++i, G += 6) sum += L_e[i] * Eigen::Map<const Vector6>(G);
        r_e = sum;
      } else {
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < unit.width; ++j) r[unit.column + j] += *G++ * L_e[i];
      }
    }
  }
}

void JointMatrix::dense(int member, Eigen::Ref<Matrix> G) const {
  G.setZero();
  const Member& m = members_[at(member)];
  for (int k = m.first; k < m.last; ++k) {
    const Unit& unit = units_[at(k)];
    for (int l = unit.begin; l < unit.end; ++l) {
      const Incidence& e = incidences_[at(l)];
      const double* value = G_.data() + e.begin;
      for (int i = 0; i < size_[at(e.node)]; ++i)
        for (int j = 0; j < unit.width; ++j) G(first(e.node) + i, unit.column + j) += *value++;
    }
  }
}

}  // namespace saltus
