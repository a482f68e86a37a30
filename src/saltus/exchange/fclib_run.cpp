#include "saltus/exchange/fclib_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/body_delassus.h"

namespace saltus {
namespace {

constexpr const char* kGroup = "/saltus";

template <class T>
void write_numbers(const h5::Group& group, const char* name, const std::vector<T>& values) {
  if (!values.empty()) group.write_compressed(name, values);
}

/// Converts positions in an array to the integer type of the file.
template <class T>
std::vector<std::int32_t> places(const std::vector<T>& values) {
  std::vector<std::int32_t> out;
  for (const T x : values) {
    expects(x <= static_cast<T>(std::numeric_limits<std::int32_t>::max()),
            "the problem has more than 2^31 numbers");
    out.push_back(static_cast<std::int32_t>(x));
  }
  return out;
}

std::vector<int> integers(const FclibFile& file, const std::string& name) {
  const std::string object = std::string(kGroup) + "/" + name;
  return file.has(object) ? file.integers(object) : std::vector<int>();
}
std::vector<double> reals(const FclibFile& file, const std::string& name) {
  const std::string object = std::string(kGroup) + "/" + name;
  if (!file.has(object)) return {};
  const Vector x = file.reals(object);
  return {x.begin(), x.end()};
}

template <class T>
std::vector<T> starts(const FclibFile& file) {
  std::vector<T> out;
  for (const int x : integers(file, "start")) {
    if (x < 0) file.fail(std::string(kGroup) + "/start", fmt::format("has {}", x), ">= 0");
    out.push_back(static_cast<T>(x));
  }
  return out;
}

void check(const BlockMatrix& W) {
  expects(!W.first.empty() && W.first.size() == W.offset.size() && W.first[0] == 0 &&
              W.offset[0] == 0 && at(W.offset.back()) == W.column.size() &&
              W.start.size() == W.column.size(),
          "first, offset, column and start do not match");
  for (int c = 0; c < W.contacts(); ++c) {
    expects(W.size(c) > 0 && W.offset[at(c) + 1] >= W.offset[at(c)] &&
                at(W.offset[at(c) + 1]) <= W.column.size(),
            "contacts must have rows and be in order");
    bool diagonal = false;
    for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
      const int d = W.column[at(k)];
      expects(d >= 0 && d < W.contacts() && (k == W.offset[at(c)] || d > W.column[at(k - 1)]) &&
                  W.start[at(k)] + at(W.size(c) * W.size(d)) <= W.value.size(),
              "a block couples contacts that do not exist, or lies outside");
      diagonal = diagonal || d == c;
    }
    expects(diagonal, "a contact has no block of its own");
  }
}

std::shared_ptr<const Delassus> read_W(const FclibFile& file, int rows) {
  const std::string object = std::string(kGroup) + "/form", form = file.text(object);
  if (form == "bodies") {
    BodyRows H;
    H.width = file.integer(std::string(kGroup) + "/width");
    H.inverse = reals(file, "inverse");
    H.first = integers(file, "first");
    H.offset = integers(file, "offset");
    H.body = integers(file, "body");
    H.start = starts<std::uint32_t>(file);
    H.value = reals(file, "value");
    return std::make_shared<BodyDelassus>(std::move(H));
  }
  const bool symmetric = file.integer(std::string(kGroup) + "/symmetric") != 0;
  if (form == "blocks") {
    BlockMatrix W;
    W.first = integers(file, "first");
    W.offset = integers(file, "offset");
    W.column = integers(file, "column");
    W.start = starts<std::size_t>(file);
    W.value = reals(file, "value");
    check(W);
    return std::make_shared<BlockDelassus>(std::move(W), symmetric);
  }
  if (form != "matrix") file.fail(object, "is '" + form + "'", "bodies, blocks, matrix");
  const std::vector<double> value = reals(file, "value");
  expects(value.size() == at(rows) * at(rows), "the size of the matrix must match b");
  auto W = std::make_shared<DenseDelassus>();
  W->W = Eigen::Map<const Matrix>(value.data(), rows, rows);
  W->is_symmetric = symmetric;
  return W;
}

void write_W(const h5::Group& group, const Delassus& W) {
  const auto form = [&](const char* name) {
    group.write("form", std::string_view(name));
    group.write("symmetric", std::vector<std::int32_t>{W.symmetric() ? 1 : 0});
  };
  if (const BodyRows* const H = W.bodies()) {
    form("bodies");
    group.write("width", std::vector<std::int32_t>{H->width});
    write_numbers(group, "inverse", H->inverse);
    write_numbers(group, "first", H->first);
    write_numbers(group, "offset", H->offset);
    write_numbers(group, "body", H->body);
    write_numbers(group, "start", places(H->start));
    write_numbers(group, "value", H->value);
  } else if (const BlockMatrix* const B = W.blocks()) {
    form("blocks");
    write_numbers(group, "first", B->first);
    write_numbers(group, "offset", B->offset);
    write_numbers(group, "column", B->column);
    write_numbers(group, "start", places(B->start));
    write_numbers(group, "value", B->value);
  } else {
    expects(W.dense() != nullptr, "W is stored in a form that the file does not support");
    form("matrix");
    const Matrix& D = *W.dense();
    group.write_compressed("value", std::span(D.data(), static_cast<std::size_t>(D.size())));
  }
}

FclibRun read(const FclibFile& file) {
  const std::string root = std::string(kGroup) + "/";
  FclibRun run;
  run.solver = file.text(root + "solver");
  const auto real = [&](const char* name) { return file.reals(root + name, 1, "one")[0]; };
  run.limits.tolerance = real("tolerance");
  run.limits.iterations = file.integer(root + "iterations");
  run.limits.even = file.integer(root + "even") != 0;
  run.limits.enough = real("enough");
  run.limits.share = real("share");
  run.b = file.reals(root + "b");
  const int rows = run.rows();
  run.start = file.reals(root + "p", rows, "one for each row of b");
  const std::vector<int> kind = integers(file, "law"), size = integers(file, "size");
  const auto count = static_cast<int>(kind.size());
  expects(size.size() == kind.size(), "law and size differ in length");
  const auto of_laws = [&](const char* name) {
    return file.reals(root + name, count, "one for each law");
  };
  const Vector friction = of_laws("friction"), rolling = of_laws("rolling"),
               bound = of_laws("bound"), spinning = of_laws("spinning");
  int next = 0;
  for (int c = 0; c < count; ++c) {
    const Law law{static_cast<LawKind>(kind[at(c)]),
                  next,
                  size[at(c)],
                  friction[c],
                  rolling[c],
                  bound[c],
                  spinning[c]};
    expects(kind[at(c)] >= 0 && kind[at(c)] <= static_cast<int>(LawKind::rolling) && law.size > 0,
            "a law is of an unknown kind, or has no row");
    next += law.size;
    run.laws.push_back(law);
  }
  expects(next == rows, "the laws do not cover the rows of b");
  for (int i = 0; i < rows; ++i) run.ids.push_back(i);
  run.W = read_W(file, rows);
  expects(run.W->rows() == rows, "the size of W must match b");
  return run;
}

}  // namespace

void write_fclib_run(const h5::Group& root, const FclibRun& run) {
  const h5::Group group = root.create_group("saltus");
  group.write("solver", std::string_view(run.solver));
  const auto real = [&](const char* name, double x) { group.write(name, std::vector<double>{x}); };
  const auto integer = [&](const char* name, int x) {
    group.write(name, std::vector<std::int32_t>{x});
  };
  real("tolerance", run.limits.tolerance);
  integer("iterations", run.limits.iterations);
  integer("even", run.limits.even ? 1 : 0);
  real("enough", run.limits.enough);
  real("share", run.limits.share);
  const auto vector = [](const Vector& x) {
    return std::span(x.data(), static_cast<std::size_t>(x.size()));
  };
  group.write_compressed("b", vector(run.b));
  group.write_compressed("p", vector(run.start));
  std::vector<std::int32_t> kind, size;
  std::vector<double> friction, rolling, bound, spinning;
  for (const Law& law : run.laws) {
    kind.push_back(static_cast<int>(law.kind));
    size.push_back(law.size);
    friction.push_back(law.friction);
    rolling.push_back(law.rolling);
    bound.push_back(law.bound);
    spinning.push_back(law.spinning);
  }
  write_numbers(group, "law", kind);
  write_numbers(group, "size", size);
  write_numbers(group, "friction", friction);
  write_numbers(group, "rolling", rolling);
  write_numbers(group, "bound", bound);
  write_numbers(group, "spinning", spinning);
  write_W(group, *run.W);
}

std::optional<FclibRun> read_fclib_run(const FclibFile& file) {
  if (!file.has(kGroup)) return std::nullopt;
  try {
    return read(file);
  } catch (const UsageError& error) {
    file.fail(kGroup, "is not a complete problem", error.what());
  }
}

}  // namespace saltus
