#include "saltus/results/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::size_t kBuffer = 1 << 16;  // [bytes]
constexpr int kLinks = 40;                // followed one after the other, as Linux does

[[noreturn]] void cannot_create(const std::string& path, const std::string& reason,
                                const std::string& remedy) {
  throw SceneError("", "cannot be written: " + reason, remedy).at(path, 0, 0);
}

[[noreturn]] void cannot_create(const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR,
             forbidden = error == EACCES || error == EPERM || error == EROFS;
  cannot_create(path, std::strerror(error),
                missing                 ? "create the folder first, or choose another one"
                : forbidden             ? "choose a writable folder"
                : error == ENAMETOOLONG ? "choose a shorter name"
                                        : "choose another place");
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw RunError(path + ": write failed: " + std::strerror(error));
}

/// The name must belong to a file or be free: a rename would replace a device or a pipe that others
/// use by a file. Links are not followed for `.part` files, because the rename would move the link.
void require_free(const std::string& path, const std::string& part) {
  struct stat status {};
  for (const std::string& name : {path, part}) {
    if ((name == part ? ::lstat : ::stat)(name.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) cannot_create(name, "is a folder", "give the name of a file");
    if (!S_ISREG(status.st_mode))
      cannot_create(name, "exists and is not a regular file", "give the name of a file");
  }
}

/// Locks the whole file. The lock belongs to the open file, not to the process, so two writers in
/// one program also exclude each other.
int lock(int descriptor, int command, struct flock& region) {
  region.l_whence = SEEK_SET;
  return ::fcntl(descriptor, command, &region);
}

}  // namespace

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

std::string link_target(const std::string& path) {
  std::filesystem::path target = path;
  for (int links = 0; links < kLinks; ++links) {
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();  // not a link
    target = target.parent_path() / next;
  }
  cannot_create(path, "is a cyclic link", "remove it, or choose another name");
}

bool is_part(std::string_view file) { return file.ends_with(".part"); }

std::string final_name(const std::string& file) {
  return is_part(file) ? file.substr(0, file.size() - std::string_view(".part").size()) : file;
}

std::string part_name(const std::string& path) { return link_target(path) + ".part"; }

OutputFile::OutputFile(std::string path, bool empty) {
  if (path.empty()) throw SceneError("", "an output file needs a name", "for example out.h5");
  if (path.find('\0') != std::string::npos)
    cannot_create(path, "its name contains a null character", "choose another name");
  const std::string target = link_target(path), part = target + ".part";
  open_ = std::make_unique<Open>(Open{std::move(path), target, part});
  require_free(open_->path, part);
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (empty ? O_CREAT : 0);
  const int descriptor = ::open(part.c_str(), flags, 0666);
  if (descriptor < 0) cannot_create(part, errno);
  struct flock region {};
  region.l_type = F_WRLCK;  // file systems without locks are accepted
  if (lock(descriptor, F_OFD_SETLK, region) != 0 && (errno == EAGAIN || errno == EACCES)) {
    ::close(descriptor);
    cannot_create(part, "another run is writing it",
                  "wait until it has finished, or choose another name");
  }
  open_->descriptor = descriptor;
  if (empty && ::ftruncate(descriptor, 0) != 0) cannot_create(part, errno);
}

OutputFile::Open::~Open() {
  if (descriptor < 0) return;
  if (!keep)
    // before the lock is released: no other program can have begun to write it
    ::unlink(part.c_str());
  ::close(descriptor);
}

void OutputFile::write(std::string_view bytes) {
  expects(open_->descriptor >= 0, "OutputFile::write after commit");
  open_->buffer.append(bytes);
  if (open_->buffer.size() >= kBuffer) flush();
}

void OutputFile::flush() {
  if (!open_->buffer.empty() && open_->written > 0) expect_size(open_->written);
  std::string_view rest = open_->buffer;
  while (!rest.empty()) {
    const ssize_t written = ::write(open_->descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(open_->part, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
    open_->written += static_cast<std::uint64_t>(written);
  }
  open_->buffer.clear();
}

void OutputFile::expect_size(std::uint64_t size) const {
  struct stat status {};
  if (::fstat(open_->descriptor, &status) != 0) cannot_write(open_->part, errno);
  if (static_cast<std::uint64_t>(status.st_size) != size)
    throw RunError(open_->part + ": another program has changed the length of the file");
}

void OutputFile::commit(std::optional<std::uint64_t> size) {
  expects(open_->descriptor >= 0, "OutputFile::commit twice");
  flush();
  const std::string &path = open_->path, &part = open_->part;
  struct stat own {
  }, named{};
  if (::fstat(open_->descriptor, &own) != 0 || ::lstat(part.c_str(), &named) != 0 ||
      own.st_ino != named.st_ino || own.st_dev != named.st_dev) {
    keep();  // the file there now belongs to another program
    throw RunError(part + ": another program has removed or replaced the file");
  }
  // Delayed allocation and network file systems report a full disk only here. EINVAL: the file
  // cannot be synchronised.
  if (::fsync(open_->descriptor) != 0 && errno != EINVAL) cannot_write(part, errno);
  if (size || open_->written > 0) expect_size(size.value_or(open_->written));
  try {
    require_free(path, part);  // other programs may have used the name during the run
  } catch (const SceneError& error) {
    throw RunError(error.what());
  }
  if (std::rename(part.c_str(), open_->target.c_str()) != 0) cannot_write(path, errno);
  ::close(std::exchange(open_->descriptor, -1));
  // Synchronise the folder too, so that the rename survives a power failure. Not every file system
  // can.
  const std::string folder = open_->target.substr(0, open_->target.rfind('/') + 1);
  const int entry =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (entry < 0) return;
  ::fsync(entry);
  ::close(entry);
}

std::optional<bool> is_written_now(const std::string& part) {
  const int descriptor = ::open(part.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  struct flock region {};
  region.l_type = F_RDLCK;
  const bool answered = lock(descriptor, F_OFD_GETLK, region) == 0;
  ::close(descriptor);
  return answered ? std::optional(region.l_type != F_UNLCK) : std::nullopt;
}

}  // namespace saltus
