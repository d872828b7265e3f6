#include "amity/sys/cgroup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace amity::sys {
namespace cgroup {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Whether `list` ("cpu,cpuacct") has the word `name`.
bool has_word(const char* list, const char* name) {
  const std::size_t length = std::strlen(name);
  for (const char* at = list; *at != '\0';) {
    const char* end = std::strchr(at, ',');
    const std::size_t here = end != nullptr ? static_cast<std::size_t>(end - at) : std::strlen(at);
    if (here == length && std::memcmp(at, name, length) == 0) return true;
    if (end == nullptr) return false;
    at = end + 1;
  }
  return false;
}

// Cuts the next field off `at`, which moves behind it; null at the end of the line.
char* next_field(char*& at) {
  while (*at == ' ') ++at;
  if (*at == '\0') return nullptr;
  char* field = at;
  while (*at != '\0' && *at != ' ') ++at;
  if (*at == ' ') *at++ = '\0';
  return field;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// mountinfo writes a blank as \040.
void unescape(char* text) {
  char* to = text;
  for (const char* from = text; *from != '\0';) {
    if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
      *to++ = static_cast<char>((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 4;
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
}

// What `path` has beneath `root`, or null when it is not beneath it.
const char* beneath(const char* root, const char* path) {
  const std::size_t length = std::strcmp(root, "/") == 0 ? 0 : std::strlen(root);
  if (std::strncmp(root, path, length) != 0) return nullptr;
  if (path[length] != '\0' && path[length] != '/') return nullptr;
  if (std::strstr(path + length, "/..") != nullptr) return nullptr;  // a group outside of this namespace
  return path + length;
}

}  // namespace

bool parse_integer(const char* text, long long& value) noexcept {
  while (is_space(*text)) ++text;
  const bool negative = *text == '-';
  if (negative) ++text;
  if (*text < '0' || *text > '9') return false;
  long long result = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    if (__builtin_mul_overflow(result, 10, &result) || __builtin_add_overflow(result, *text - '0', &result))
      return false;
  while (is_space(*text)) ++text;
  if (*text != '\0') return false;
  value = negative ? -result : result;
  return true;
}

double parse_cpu_max(const char* text) noexcept {
  char line[64];
  if (std::strlen(text) >= sizeof line) return 0;
  std::strcpy(line, text);
  char* at = line;
  const char* first = next_field(at);
  const char* second = next_field(at);
  long long quota = 0;
  long long period = 0;
  if (first == nullptr || second == nullptr) return 0;
  if (!parse_integer(first, quota) || !parse_integer(second, period)) return 0;  // "max" ends here
  return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
}

membership parse_membership(char* line) noexcept {
  char* controllers = std::strchr(line, ':');
  if (controllers == nullptr) return {};
  ++controllers;
  char* path = std::strchr(controllers, ':');
  if (path == nullptr) return {};
  *path++ = '\0';
  if (*controllers == '\0') return {version::v2, path};
  return has_word(controllers, "cpu") ? membership{version::v1, path} : membership{};
}

mount parse_mount(char* line) noexcept {
  // "36 35 98:0 ROOT POINT OPTIONS [optional fields] - TYPE SOURCE SUPER_OPTIONS"
  char* tail = std::strstr(line, " - ");
  if (tail == nullptr) return {};
  *tail = '\0';
  tail += 3;
  const char* type = next_field(tail);
  next_field(tail);
  const char* options = next_field(tail);
  version kind = version::none;
  if (type != nullptr && std::strcmp(type, "cgroup2") == 0) kind = version::v2;
  if (type != nullptr && std::strcmp(type, "cgroup") == 0 && options != nullptr && has_word(options, "cpu"))
    kind = version::v1;
  if (kind == version::none) return {};

  char* at = line;
  for (int i = 0; i != 3; ++i) next_field(at);
  char* root = next_field(at);
  char* point = next_field(at);
  if (root == nullptr || point == nullptr) return {};
  unescape(root);
  unescape(point);
  return {kind, root, point};
}

bool shows(const mount& where, const char* path) noexcept { return beneath(where.root, path) != nullptr; }

bool folder_of(const mount& where, const char* path, char* into, std::size_t size) noexcept {
  const char* rest = beneath(where.root, path);
  if (rest == nullptr || std::strcmp(rest, "/") == 0) rest = "";
  const std::size_t point = std::strlen(where.point);
  const std::size_t length = std::strlen(rest);
  if (point + length + 1 > size) return false;
  std::memcpy(into, where.point, point);
  std::memcpy(into + point, rest, length + 1);
  return true;
}

}  // namespace cgroup

namespace {

using cgroup::version;

// Twice the longest that container managers make. A longer one sets no limit; more buffer would not fit on the small
// stacks that threads of some hosts have.
constexpr std::size_t path_size = sizeof cpu_quota::source;

struct path_buffer {
  char text[path_size];

  bool join(const char* a, const char* b, const char* c = "") noexcept {
    const char* parts[] = {a, b, c};
    std::size_t used = 0;
    for (const char* part : parts) {
      const std::size_t length = std::strlen(part);
      if (used + length + 1 > path_size) return false;
      std::memcpy(text + used, part, length);
      used += length;
    }
    text[used] = '\0';
    return true;
  }
};

int open_file(const char* path) noexcept { return open(path, O_RDONLY | O_CLOEXEC); }

ssize_t read_some(int file, char* into, std::size_t size) noexcept {
  ssize_t got;
  do got = read(file, into, size);
  while (got < 0 && errno == EINTR);
  return got;
}

// Lines of a file, each cut at the buffer's size: the lines of the mounts that matter here are short, those of overlay
// file systems in front of them can be pages long.
class line_reader {
 public:
  explicit line_reader(const char* path) noexcept : file_(open_file(path)) {}
  ~line_reader() noexcept {
    if (file_ >= 0) close(file_);
  }
  line_reader(const line_reader&) = delete;
  line_reader& operator=(const line_reader&) = delete;

  // Null at the end. The line belongs to the reader until the next call, and may be written to.
  char* next() noexcept {
    std::size_t used = 0;
    for (;;) {
      if (at_ == end_ && !refill()) return used == 0 ? nullptr : finish(used);
      const char c = chunk_[at_++];
      if (c == '\n') return finish(used);
      if (used + 1 < sizeof line_) line_[used++] = c;
    }
  }

 private:
  char* finish(std::size_t used) noexcept {
    line_[used] = '\0';
    return line_;
  }

  bool refill() noexcept {
    if (file_ < 0) return false;
    const ssize_t got = read_some(file_, chunk_, sizeof chunk_);
    at_ = 0;
    end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }

  int file_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  char chunk_[2048];
  char line_[2 * path_size];
};

// False when it does not exist, or is longer than any number.
bool read_short_file(const char* path, char* into, std::size_t size) noexcept {
  const int file = open_file(path);
  if (file < 0) return false;
  const ssize_t got = read_some(file, into, size - 1);
  close(file);
  if (got < 0) return false;
  into[got] = '\0';
  return true;
}

struct group {
  version kind;
  path_buffer path;     // as /proc/self/cgroup names it
  path_buffer folder;   // where its files are
  std::size_t top = 0;  // how long the mount point's name is: where the way up ends
  bool known = false;
  bool mounted = false;
  bool exact = false;  // `folder` shows `path` itself, and not a substitute
};

void find_paths(const char* root, group (&groups)[2]) noexcept {
  path_buffer name;
  if (!name.join(root, "/proc/self/cgroup")) return;
  line_reader lines(name.text);
  while (char* line = lines.next()) {
    const cgroup::membership member = cgroup::parse_membership(line);
    for (group& g : groups)
      if (member.kind == g.kind) g.known = g.path.join(member.path, "");
  }
}

void find_folders(const char* root, group (&groups)[2]) noexcept {
  path_buffer name;
  if (!name.join(root, "/proc/self/mountinfo")) return;
  line_reader lines(name.text);
  while (char* line = lines.next()) {
    const cgroup::mount where = cgroup::parse_mount(line);
    for (group& g : groups) {
      if (where.kind != g.kind || !g.known) continue;
      const bool exact = cgroup::shows(where, g.path.text);
      if (g.mounted && (g.exact || !exact)) continue;
      g.mounted = cgroup::folder_of(where, g.path.text, g.folder.text, path_size);
      g.top = std::strlen(where.point);
      g.exact = g.mounted && exact;
    }
  }
}

double limit_of(version kind, const char* root, const char* folder, path_buffer& file) noexcept {
  char text[64];
  path_buffer real;
  const bool v2 = kind == version::v2;
  if (!file.join(folder, v2 ? "/cpu.max" : "/cpu.cfs_quota_us") || !real.join(root, file.text)) return 0;
  if (!read_short_file(real.text, text, sizeof text)) return 0;
  if (v2) return cgroup::parse_cpu_max(text);

  long long quota = 0;
  long long period = 0;
  if (!cgroup::parse_integer(text, quota) || quota <= 0) return 0;  // -1: no limit
  if (!real.join(root, folder, "/cpu.cfs_period_us") || !read_short_file(real.text, text, sizeof text)) return 0;
  if (!cgroup::parse_integer(text, period) || period <= 0) return 0;
  return static_cast<double>(quota) / static_cast<double>(period);
}

// From the group up to the mount point. A folder that is not there (the group's name is of another namespace) is
// passed over, so the way up ends at the nearest one that is.
void walk_up(const char* root, group& g, cpu_quota& smallest) noexcept {
  char* folder = g.folder.text;
  for (;;) {
    path_buffer file;
    const double cpus = limit_of(g.kind, root, folder, file);
    if (cpus > 0 && (smallest.cpus <= 0 || cpus < smallest.cpus)) {
      smallest.cpus = cpus;
      std::strcpy(smallest.source, file.text);  // as long as path_buffer
    }
    char* slash = std::strrchr(folder, '/');
    if (slash == nullptr || static_cast<std::size_t>(slash - folder) < g.top) return;
    *slash = '\0';
  }
}

}  // namespace

cpu_quota read_cpu_quota(const char* root) noexcept {
  const int errno_of_the_host = errno;
  cpu_quota smallest;
  // A machine in transition has both versions mounted, and either may hold the cpu controller.
  group groups[2];
  groups[0].kind = version::v2;
  groups[1].kind = version::v1;
  find_paths(root, groups);
  find_folders(root, groups);
  for (group& g : groups)
    if (g.known && g.mounted) walk_up(root, g, smallest);
  errno = errno_of_the_host;
  return smallest;
}

}  // namespace amity::sys
