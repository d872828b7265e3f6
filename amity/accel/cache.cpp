#include "amity/accel/internal/cache.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "amity/accel/internal/read_file.hpp"
#include "amity/base/hash.hpp"
#include "amity/base/hex.hpp"

namespace amity::accel::detail {
namespace {

std::string hash_in_words(std::string_view text) {
  unsigned __int128 const h = wide_hash_of(text);
  return hex(&h, sizeof h);
}

/// Makes it, if need be. False: it is not one that we may trust.
bool is_own_folder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700);
  mkdir(path.c_str(), 0700);
  struct stat is {};
  return lstat(path.c_str(), &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() && (is.st_mode & 022) == 0;
}

constexpr std::string_view mark_of_entries = "amity program 3\n";

void put(std::string& to, const void* bytes, std::size_t n) { to.append(static_cast<const char*>(bytes), n); }
void put_text(std::string& to, std::string_view text) {
  std::uint64_t const n = text.size();
  put(to, &n, sizeof n);
  to.append(text);
}

/// Reads what put_text and put have written; a length is never believed beyond what is there.
struct reader {
  std::string_view rest;
  bool is_good = true;

  bool take(void* to, std::size_t n) {
    if (rest.size() < n) return is_good = false;
    memcpy(to, rest.data(), n);
    rest.remove_prefix(n);
    return true;
  }
  std::string_view text() {
    std::uint64_t n = 0;
    if (!take(&n, sizeof n) || n > rest.size()) {
      is_good = false;
      return {};
    }
    std::string_view const found = rest.substr(0, n);
    rest.remove_prefix(n);
    return found;
  }
};

}  // namespace

std::vector<std::byte> pack_program(const program_entry& e) {
  std::string to(mark_of_entries);
  put_text(to, {reinterpret_cast<const char*>(e.binary.data()), e.binary.size()});
  std::uint64_t const kernels = e.signatures.size();
  put(to, &kernels, sizeof kernels);
  for (const auto& [name, signature] : e.signatures) {
    put_text(to, name);
    std::uint64_t const n = signature.is_known ? signature.parameters.size() + 1 : 0;
    put(to, &n, sizeof n);
    for (const parameter& p : signature.parameters) {
      put(to, &p.is, sizeof p.is);
      put(to, &p.writes, sizeof p.writes);
      put(to, &p.bytes, sizeof p.bytes);
      put_text(to, p.type);
    }
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(to.data());
  return {bytes, bytes + to.size()};
}

program_entry unpack_program(const std::vector<std::byte>& bytes) {
  reader r{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
  if (!r.rest.starts_with(mark_of_entries)) return {};
  r.rest.remove_prefix(mark_of_entries.size());
  program_entry e;
  std::string_view const binary = r.text();
  e.binary.assign(reinterpret_cast<const std::byte*>(binary.data()),
                  reinterpret_cast<const std::byte*>(binary.data()) + binary.size());
  std::uint64_t kernels = 0;
  r.take(&kernels, sizeof kernels);
  for (; r.is_good && kernels != 0; --kernels) {
    std::string name(r.text());
    kernel_signature s;
    std::uint64_t n = 0;
    r.take(&n, sizeof n);
    s.is_known = n != 0;
    for (; r.is_good && n > 1; --n) {
      parameter p;
      std::uint8_t is = 0, writes = 0;
      r.take(&is, sizeof is);
      r.take(&writes, sizeof writes);
      r.take(&p.bytes, sizeof p.bytes);
      if (is > static_cast<std::uint8_t>(parameter::kind::opaque)) r.is_good = false;
      p.is = static_cast<parameter::kind>(is);
      p.writes = writes != 0;
      p.type = r.text();
      s.parameters.push_back(std::move(p));
    }
    e.signatures.emplace_back(std::move(name), std::move(s));
  }
  if (!r.is_good) return {};
  return e;
}

std::string program_cache::folder() {
  if (const char* const said = getenv("AMITY_CACHE"); said != nullptr)
    return strcmp(said, "none") == 0 ? std::string() : said;
  if (const char* const xdg = getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')
    return std::string(xdg) + "/amity";
  if (const char* const home = getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.cache/amity";
  return {};
}

program_cache::program_cache(const program_text& text, const std::string& prelude, const std::string& rest)
    : folder_(folder()) {
  if (folder_.empty() || folder_.front() != '/') return;
  folder_ += "/programs";
  if (!text.is_whole) return;
  for (std::string_view const part : {std::string_view(prelude), std::string_view(rest), std::string_view(text.source)})
    put_text(key_, part);
}

std::string program_cache::path() const { return folder_ + "/" + hash_in_words(key_); }

std::optional<program_entry> program_cache::find() const {
  if (key_.empty() || !is_own_folder(folder_)) return std::nullopt;
  std::string const name = path();
  struct stat is {};
  if (lstat(name.c_str(), &is) != 0 || !S_ISREG(is.st_mode) || is.st_uid != geteuid() || (is.st_mode & 022) != 0)
    return std::nullopt;
  std::string why;
  auto const contents = read_file(name, why);
  if (!contents) return std::nullopt;
  reader r{*contents};
  std::string_view const key = r.text(), sum = r.text(), packed = r.text();
  if (!r.is_good || key != key_ || sum != hash_in_words(packed)) return std::nullopt;
  const auto* const bytes = reinterpret_cast<const std::byte*>(packed.data());
  program_entry e = unpack_program({bytes, bytes + packed.size()});
  if (e.binary.empty()) return std::nullopt;
  return e;
}

void program_cache::keep(const program_entry& e) const {
  if (key_.empty() || e.binary.empty() || !is_own_folder(folder_)) return;
  static std::atomic<unsigned> next{0};
  std::string const name = path();
  std::string const unfinished =
      name + "." + std::to_string(getpid()) + "." + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
  std::vector<std::byte> const packed = pack_program(e);
  std::string_view const body(reinterpret_cast<const char*>(packed.data()), packed.size());
  std::string to;
  put_text(to, key_);
  put_text(to, hash_in_words(body));
  put_text(to, body);
  int const fd = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  bool is_good = true;
  for (std::string_view rest = to; is_good && !rest.empty();) {
    ssize_t const n = write(fd, rest.data(), rest.size());
    is_good = n > 0;
    if (is_good) rest.remove_prefix(static_cast<std::size_t>(n));
  }
  is_good = close(fd) == 0 && is_good;
  if (!is_good || rename(unfinished.c_str(), name.c_str()) != 0) unlink(unfinished.c_str());
}

}  // namespace amity::accel::detail
