#include "saltus/results/table_sums.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "saltus/results/row_sum.h"

namespace saltus {
namespace {

constexpr const char* kList = "provenance/sums";
constexpr const char* kFormerList = "provenance/tables";  // with sums of another kind
constexpr const char* kChecksums = "provenance/checksums";

/// Calls found(path, table) for all tables below a folder, each under one name only.
template <typename Found>
void find_tables(const h5::Group& group, const std::string& folder, const Found& found) {
  for (const std::string& name : group.names()) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (path == "checkpoint" || path == "provenance") continue;
    if (group.is_group(name)) {
      find_tables(group.group(name), path, found);
      continue;
    }
    if (name == "time" && folder.starts_with("bodies/")) continue;  // a link to frames/time
    h5::Dataset data = group.dataset(name);
    if (data.holds_numbers()) found(path, std::move(data));
  }
}

void expect_same(const h5::Dataset& data, std::size_t rows, std::uint64_t sum) {
  if (data.rows() < rows) throw h5::Error(data.label() + ": rows are missing");
  if (data.sum(rows) != sum)
    throw h5::Error(data.label() + ": contains numbers that differ from those written");
}

std::uint64_t text_sum(std::uint64_t sum, std::string_view text) {
  return added(sum, 1, text.data(), text.size());
}

std::uint64_t sum_of_attributes(const h5::Object& object) {
  std::uint64_t sum = kNoRows;
  for (const h5::Attribute& one : object.attributes())
    sum = text_sum(text_sum(text_sum(sum, one.name), "="), one.bytes);
  return sum;
}

/// Adds {path: [sum of the attributes, sum of the data]} for all members of a group.
void add_checksums(const h5::Group& group, const std::string& folder,
                   const std::map<std::string, std::uint64_t>& known, nlohmann::json& list) {
  for (const std::string& name : group.names()) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (group.is_group(name)) {
      const h5::Group member = group.group(name);
      list[path] = {sum_of_attributes(member)};
      add_checksums(member, path, known, list);
      continue;
    }
    const h5::Dataset data = group.dataset(name);
    const auto found = known.find(path);
    const std::uint64_t sum = found != known.end()   ? found->second
                              : data.holds_numbers() ? data.sum(data.rows())
                                                     : text_sum(kNoRows, data.text());
    list[path] = {sum_of_attributes(data), sum};
  }
}

}  // namespace

void SummedTables::add_growing(const std::string& path, h5::Dataset data) {
  growing_.push_back({path, std::move(data), path == "timing/step"});
}

SummedTables SummedTables::list(const h5::File& file) {
  SummedTables tables;
  nlohmann::json list{{"growing", nlohmann::json::array()}, {"fixed", nlohmann::json::object()}};
  find_tables(file, "", [&](const std::string& path, h5::Dataset data) {
    if (data.kept_sum()) {
      list["growing"].push_back(path);
      tables.add_growing(path, std::move(data));
    } else {
      const std::uint64_t sum = data.sum(data.rows());
      list["fixed"][path] = sum;
      tables.fixed_.push_back({path, std::move(data), sum});
    }
  });
  file.write(kList, list.dump());
  return tables;
}

SummedTables SummedTables::open(const h5::File& file) {
  SummedTables tables;
  if (!file.has(kList)) {
    tables.former_ = file.has(kFormerList);
    return tables;
  }
  const h5::Dataset stored = file.dataset(kList);
  const std::string no_list = stored.label() + ": is not a list of tables";
  try {
    const nlohmann::json list = nlohmann::json::parse(stored.text());
    for (const auto& path : list.at("growing"))
      tables.add_growing(path.get<std::string>(), file.dataset(path.get<std::string>()));
    for (const auto& [path, sum] : list.at("fixed").items()) {
      if (!sum.is_number_unsigned()) throw h5::Error(no_list);
      tables.fixed_.push_back({path, file.dataset(path), sum.get<std::uint64_t>()});
    }
  } catch (const nlohmann::json::exception&) {
    throw h5::Error(no_list);
  }
  return tables;
}

TableSums SummedTables::sums() const {
  TableSums sums;
  for (const Growing& one : growing_) {
    const std::optional<std::uint64_t> sum = one.timed ? 0 : one.data.kept_sum();
    if (!sum) throw h5::Error(one.data.label() + ": contains numbers of another type");
    sums.rows.push_back(one.data.rows());
    sums.sum.push_back(*sum);
  }
  return sums;
}

std::map<std::string, std::uint64_t> SummedTables::known() const {
  std::map<std::string, std::uint64_t> sums;
  for (const Growing& one : growing_)
    if (const std::optional<std::uint64_t> sum = one.data.kept_sum()) sums[one.path] = *sum;
  for (const Fixed& one : fixed_) sums[one.path] = one.sum;
  return sums;
}

void SummedTables::expect(const TableSums& sums) const {
  if (former_) return;
  if (sums.rows.size() != growing_.size() || sums.sum.size() != growing_.size())
    throw h5::Error("its checkpoint lists " + std::to_string(sums.sum.size()) +
                    " tables, the file has " + std::to_string(growing_.size()));
  for (const Fixed& one : fixed_) expect_same(one.data, one.data.rows(), one.sum);
  for (std::size_t i = 0; i < growing_.size(); ++i) {
    const h5::Dataset& data = growing_[i].data;
    const auto rows = static_cast<std::size_t>(sums.rows[i]);
    if (data.rows() > rows && data.extent().chunk == 0)  // keep() could not cut it
      throw h5::Error(data.label() + ": contains more rows than were written");
    if (!growing_[i].timed)
      expect_same(data, rows, sums.sum[i]);
    else if (data.rows() < rows)
      throw h5::Error(data.label() + ": rows are missing");
    else
      data.sum(rows);  // the rows must be readable, because new rows are added to the last chunk
  }
}

void SummedTables::keep(const TableSums& sums) {
  for (std::size_t i = 0; i < growing_.size(); ++i) {
    h5::Dataset& data = growing_[i].data;
    const auto rows = static_cast<std::size_t>(sums.rows[i]);
    if (data.rows() < rows) throw h5::Error(data.label() + ": rows are missing");
    if (data.rows() > rows) data.truncate(rows);  // a table that is never cut: a damaged header
    if (!growing_[i].timed) data.keep_sum(sums.sum[i]);
  }
}

void write_checksums(const h5::File& file, const SummedTables& tables) {
  nlohmann::json list = nlohmann::json::object();
  list["/"] = {sum_of_attributes(file)};
  add_checksums(file, "", tables.known(), list);
  file.write(kChecksums, list.dump());
}

void forget_checksums(const h5::File& file, const std::string& folder) {
  if (file.has(kChecksums)) file.rename(kChecksums, folder + "/checksums");
}

}  // namespace saltus
