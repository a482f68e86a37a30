#include "saltus/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::size_t kBuffer = 1 << 16;  // [bytes]

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

OutputFile::OutputFile(std::string path) : OutputFile(std::move(path), true) {}

OutputFile OutputFile::adopt(std::string path) { return OutputFile(std::move(path), false); }

OutputFile::OutputFile(std::string path, bool empty)
    : path_(std::move(path)), part_(path_ + ".part") {
  if (path_.empty()) throw SceneError("", "an output file needs a name");
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    cannot_create(path_, "is a folder", "give the name of a file");
  const int flags = O_RDWR | O_CLOEXEC | (empty ? O_CREAT : 0);
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
      part_(std::move(other.part_)),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      keep_(other.keep_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::move(other.path_);
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
  // Delayed allocation and network file systems report a full disk only here. EINVAL: a file that
  // cannot be synchronised.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) cannot_write(part_, errno);
  if (std::rename(part_.c_str(), path_.c_str()) != 0) cannot_write(path_, errno);
  keep_ = true;
  release();
  synchronise_folder(path_);
}

}  // namespace saltus
