/// PMI-1, as MPICH's hydra speaks it: lines of text over the descriptor that PMI_FD names. (The protocol is described
/// in MPICH's src/pmi and in "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", 2010.)
///
/// The program may speak to it as well, by MPI_Init and MPI_Finalize. Each question has its answer before the next is
/// asked, so they go by turns. MPI_Finalize is the last word to the launcher: after that there is nobody to ask.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "amity/launch/beside_mpi.hpp"
#include "amity/launch/pmi1_line.hpp"
#include "amity/launch/wire_up.hpp"

namespace amity::launching {
namespace {

struct connection {
  int fd = -1;
  std::string unread;
  std::string key_space;
  std::size_t most_of_value = 256;
  std::string answer;  ///< the last line
  std::string error;
  std::string value;
};

connection& pmi() noexcept {
  static auto* const one = new connection;  // lasts: the process may end in the midst of a call
  return *one;
}

const char* fail(const std::string& what) noexcept {
  pmi().error = "the launcher's process manager (PMI-1) " + what;
  return pmi().error.c_str();
}

/// Without SIGPIPE where nobody reads any more.
ssize_t write_some(const char* text, std::size_t size) noexcept {
  ssize_t const n = ::send(pmi().fd, text, size, MSG_NOSIGNAL);
  return n < 0 && errno == ENOTSOCK ? write(pmi().fd, text, size) : n;
}

bool write_all(const std::string& text) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const n = write_some(text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool read_line() noexcept {
  connection& c = pmi();
  for (;;) {
    std::size_t const end = c.unread.find('\n');
    if (end != std::string::npos) {
      c.answer = c.unread.substr(0, end);
      c.unread.erase(0, end + 1);
      return true;
    }
    char part[1024];
    ssize_t const n = read(c.fd, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    c.unread.append(part, static_cast<std::size_t>(n));
  }
}

/// Of the answer.
std::string field(const std::string& name, bool to_the_end = false) { return field_of(pmi().answer, name, to_the_end); }

/// Sends a command and reads its answer, which must be of this kind.
const char* ask(const std::string& command, const char* expected) noexcept {
  if (!write_all(command + "\n") || !read_line()) return fail("has gone");
  if (field("cmd") != expected) return fail("answers '" + pmi().answer + "' to '" + command + "'");
  std::string const result = field("rc");
  if (!result.empty() && result != "0") return fail("refuses '" + command + "': " + field("msg", true));
  return nullptr;
}

const char* open(membership&) noexcept {
  connection& c = pmi();
  const char* const fd = getenv("PMI_FD");
  // One of our own: MPI_Finalize closes the other, whose number may be another file's then.
  c.fd = fd != nullptr ? fcntl(atoi(fd), F_DUPFD_CLOEXEC, 0) : -1;
  if (c.fd < 0) return fail("is not there: PMI_FD is no descriptor");
  if (const char* e = ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")) return e;
  if (const char* e = ask("cmd=get_maxes", "maxes")) return e;
  int const most = atoi(field("vallen_max").c_str());
  if (most > 64) c.most_of_value = static_cast<std::size_t>(most) - 1;
  if (const char* e = ask("cmd=get_my_kvsname", "my_kvsname")) return e;
  c.key_space = field("kvsname");
  return nullptr;
}

std::string part_of(const char* key, std::size_t n) { return std::string(key) + "." + std::to_string(n); }

/// In as many parts as the length of a value asks for; the first begins with their number.
const char* put(const char* key, const char* value) noexcept {
  connection& c = pmi();
  std::size_t const size = strlen(value), each = c.most_of_value - 16;
  std::size_t const parts = size / each + 1;
  const char* const rank = getenv("PMI_RANK");
  std::string const name = std::string(key) + "-" + (rank != nullptr ? rank : "0");
  for (std::size_t i = 0; i < parts; ++i) {
    std::string text(value + i * each, i + 1 < parts ? each : size - i * each);
    if (i == 0) text = std::to_string(parts) + ":" + text;
    std::string const command =
        "cmd=put kvsname=" + c.key_space + " key=" + part_of(name.c_str(), i) + " value=" + text;
    if (const char* e = ask(command, "put_result")) return e;
  }
  return nullptr;
}

const char* fence() noexcept { return ask("cmd=barrier_in", "barrier_out"); }

const char* get(int rank, const char* key, const char** value) noexcept {
  connection& c = pmi();
  std::string const name = std::string(key) + "-" + std::to_string(rank);
  c.value.clear();
  for (std::size_t i = 0, parts = 1; i < parts; ++i) {
    if (const char* e = ask("cmd=get kvsname=" + c.key_space + " key=" + part_of(name.c_str(), i), "get_result"))
      return e;
    std::string text = field("value", true);
    if (i == 0) {
      std::size_t const colon = text.find(':');
      if (colon == std::string::npos) return fail("has changed the value of " + name);
      parts = static_cast<std::size_t>(atol(text.c_str()));
      text.erase(0, colon + 1);
    }
    c.value += text;
  }
  *value = c.value.c_str();
  return nullptr;
}

void abort_job(int status, const char*) noexcept {
  static_cast<void>(write_all("cmd=abort exitcode=" + std::to_string(status) + "\n"));
}

void close_connection() noexcept {
  if (!mpi_is_in_use()) static_cast<void>(ask("cmd=finalize", "finalize_ack"));
  close(pmi().fd);
}

}  // namespace

const wire_up pmi1_wire_up{open, put, fence, get, abort_job, close_connection};

}  // namespace amity::launching
