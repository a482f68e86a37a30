#include "saltus/results/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::size_t kBuffer = 1 << 16;   // [bytes]
constexpr std::size_t kHeadOfFile = 4096;  // by which files are told [bytes]
constexpr int kLinks = 40;                 // followed one after the other, as Linux does

[[noreturn]] void cannot_create(const std::string& path, const std::string& reason,
                                const std::string& remedy) {
  throw SceneError("", "cannot be written: " + reason, remedy).at(path, 0, 0);
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw RunError(path + ": write failed: " + std::strerror(error));
}

std::string remedy_for(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "make the folder first, or choose another one";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder in which you may write";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "choose another place";
  }
}

/// A rename would put a file in the place of a device or a pipe, whoever uses it.
void require_plain(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) cannot_create(path, "is a folder", "give the name of a file");
  if (!S_ISREG(status.st_mode))
    cannot_create(path, "is there and is not a regular file", "give the name of a file");
}

/// What is there under this name must be a file, or nothing. `.part` files are not looked for behind
/// links: the link would be renamed.
void require_free(const std::string& path, const std::string& part) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) require_plain(path, status);
  if (::lstat(part.c_str(), &status) == 0) require_plain(part, status);
}

/// A lock that belongs to the open file, not to the process: two writers in one program exclude
/// each other too. File systems without locks are taken as they are.
bool lock(int descriptor) {
  struct flock region {};
  region.l_type = F_WRLCK;
  region.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &region) == 0 || (errno != EAGAIN && errno != EACCES);
}

/// The renamed entry itself must survive a power cut. Best effort: not every file system can.
void synchronise_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

std::string link_target(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path target = path;
  for (int links = 0; links < kLinks; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(target, error);
    if (error) return target.string();  // not a link
    target = target.parent_path() / next;
  }
  cannot_create(path, "is a link that leads to itself", "remove it, or choose another name");
}

std::string part_name(const std::string& path) { return link_target(path) + ".part"; }

OutputFile::OutputFile(std::string path) : OutputFile(std::move(path), true) {}

OutputFile OutputFile::adopt(std::string path) { return OutputFile(std::move(path), false); }

OutputFile::OutputFile(std::string path, bool empty) : path_(std::move(path)) {
  if (path_.empty()) throw SceneError("", "an output file needs a name", "e.g. out.h5");
  if (path_.find('\0') != std::string::npos)
    cannot_create(path_, "its name has a character 0, which no file has", "choose another name");
  target_ = link_target(path_);
  part_ = target_ + ".part";
  require_free(path_, part_);
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (empty ? O_CREAT : 0);
  descriptor_ = ::open(part_.c_str(), flags, 0666);
  if (descriptor_ < 0) {
    const int error = errno;
    cannot_create(part_, std::strerror(error), remedy_for(error));
  }
  if (!lock(descriptor_)) {
    ::close(std::exchange(descriptor_, -1));
    cannot_create(part_, "another run is writing it", "wait for it, or choose another name");
  }
  if (empty && ::ftruncate(descriptor_, 0) != 0) {
    const int error = errno;
    release();
    cannot_create(part_, std::strerror(error), remedy_for(error));
  }
}

OutputFile::~OutputFile() { release(); }

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      part_(std::move(other.part_)),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      keep_(other.keep_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::move(other.path_);
  target_ = std::move(other.target_);
  part_ = std::move(other.part_);
  buffer_ = std::move(other.buffer_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  keep_ = other.keep_;
  return *this;
}

void OutputFile::release() noexcept {
  if (descriptor_ < 0) return;
  if (!keep_)
    ::unlink(part_.c_str());  // before the lock goes: nobody else can have begun to write it
  ::close(std::exchange(descriptor_, -1));
}

void OutputFile::write(std::string_view bytes) {
  expects(descriptor_ >= 0, "OutputFile::write after commit");
  buffer_.append(bytes);
  if (buffer_.size() >= kBuffer) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(part_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::commit() {
  expects(descriptor_ >= 0, "OutputFile::commit twice");
  flush();
  struct stat own {
  }, named{};
  if (::fstat(descriptor_, &own) != 0 || ::lstat(part_.c_str(), &named) != 0 ||
      own.st_ino != named.st_ino || own.st_dev != named.st_dev) {
    keep_ = true;  // what is there now is not ours to remove
    throw RunError(part_ + ": another program has removed or replaced the file");
  }
  // Delayed allocation and network file systems report a full disk only here. EINVAL: a file that
  // cannot be synchronised.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) cannot_write(part_, errno);
  try {
    require_free(path_, part_);  // a long run lies between this and the constructor
  } catch (const SceneError& error) {
    throw RunError(error.what());
  }
  if (std::rename(part_.c_str(), target_.c_str()) != 0) cannot_write(path_, errno);
  keep_ = true;
  release();
  synchronise_folder(target_);
}

std::optional<bool> is_written_now(const std::string& part) {
  const int descriptor = ::open(part.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  struct flock region {};
  region.l_type = F_RDLCK;
  region.l_whence = SEEK_SET;
  const bool answered = ::fcntl(descriptor, F_OFD_GETLK, &region) == 0;
  ::close(descriptor);
  if (!answered) return {};
  return region.l_type != F_UNLCK;
}

void expect_replaceable(const std::string& path, std::string_view what,
                        const std::function<bool(std::string_view)>& is_ours) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return;
  std::ifstream file(path, std::ios::binary);
  if (!file) return;  // opening it for writing tells why
  std::string head(kHeadOfFile, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (!is_ours(head))
    throw SceneError("", fmt::format("is there and is not {}: it would be lost", what),
                     "another name, or move it away")
        .at(path, 0, 0);
}

void expect_replaceable(const std::string& path, std::string_view mark, std::string_view what) {
  constexpr std::size_t kBlock = 512;  // results files begin with a block of this size
  expect_replaceable(path, what, [&](std::string_view head) {
    const auto marked = [&](std::size_t at) {
      return head.size() >= at + mark.size() &&
             std::equal(mark.begin(), mark.end(), head.begin() + static_cast<std::ptrdiff_t>(at),
                        [](unsigned char x, unsigned char y) {
                          return std::tolower(x) == std::tolower(y);
                        });
    };
    return marked(0) || marked(kBlock);
  });
}

}  // namespace saltus
