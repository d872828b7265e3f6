#include "amity/accel/device.hpp"

#include <errno.h>
#include <string.h>

#include <fstream>
#include <iterator>
#include <mutex>

#include "amity/accel/internal/includes.hpp"
#include "amity/accel/remote/client.hpp"
#include "amity/future/async.hpp"
#include "amity/future/dataflow.hpp"
#include "amity/future/when.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"

namespace amity::accel {
namespace {

bool fits(const detail::device_facts& f, const device_filter& which) {
  return f.capability >= which.capability && (which.backend.empty() || f.backend == which.backend) &&
         f.name.find(which.name) != std::string::npos && f.memory >= which.memory && (!which.fp64 || f.has_fp64);
}

std::string text_of_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw build_error("the file '" + path + "' of a program can't be read: " + strerror(errno), strerror(errno));
  return text;
}

/// Streams that programs have given back.
struct spare_streams {
  sync::mutex lock;
  std::vector<detail::stream_object*> all;
};
spare_streams& spare() {
  static auto* const one = new spare_streams;
  return *one;
}

}  // namespace

int device::rank() const noexcept { return of_->rank < 0 ? rank_me() : of_->rank; }

program device::program(const program_source& from, const build_options& how) const {
  detail::program_text text;
  text.options = how.options;
  text.includes = how.includes;
  text.defines = how.defines;
  text.name = "a source";
  std::exception_ptr failure;
  bool const is_file = from.is == program_source::kind::file;
  if (from.is == program_source::kind::binary) {
    text.name = "a binary";
    text.binary = from.binary;
  } else {
    try {
      if (is_file) text.name = from.text;
      auto whole =
          detail::with_includes(is_file ? text_of_file(from.text) : from.text, text.name, is_file, how.includes);
      text.source = std::move(whole.text);
      text.is_whole = whole.is_whole;
    } catch (const build_error&) {
      failure = std::current_exception();
    }
  }
  return accel::program(detail::new_program(*of_, std::move(text), std::move(failure)));
}

stream device::make_stream(std::exception_ptr& failure) const noexcept {
  spare_streams& s = spare();
  detail::stream_object* found = nullptr;
  {
    std::lock_guard const held(s.lock);
    for (detail::stream_object*& one : s.all) {
      if (&one->of != of_) continue;
      found = one;
      one = s.all.back();
      s.all.pop_back();
      break;
    }
  }
  if (found == nullptr) found = amity::detail::caught(failure, [&] { return &detail::open_stream(*of_); });
  if (found == nullptr) return {};
  return stream(std::shared_ptr<detail::stream_object>(found, [](detail::stream_object* back) {
    std::lock_guard const held(spare().lock);
    spare().all.push_back(back);
  }));
}

future<void> device::synchronize() const {
  return when_all(detail::ends_of_streams(*of_)).then(amity::launch::sync, [](auto all) {
    for (future<void>& f : all.get()) f.get();
  });
}

std::vector<device> device::split(std::uint32_t units, std::exception_ptr& failure) const noexcept {
  return amity::detail::caught(failure, [&] {
    bool const is_here = of_->rank < 0;
    std::vector<device> parts;
    for (detail::device_object* const d :
         is_here ? detail::split_device(*of_, units) : remote::split_device(*of_, units))
      parts.emplace_back(*d);
    return parts;
  });
}

future<std::vector<device>> local_devices(device_filter which) {
  return async([which = std::move(which)] {
    std::vector<device> found;
    for (detail::device_object* const d : detail::own_devices())
      if (fits(d->facts(), which)) found.emplace_back(*d);
    return found;
  });
}

future<std::vector<device>> remote_devices(device_filter which) {
  return async([which = std::move(which)] {
    int const me = rank_me(), n = rank_n();
    std::vector<device> found;
    for (int i = 1; i < n; ++i) {
      int const rank = (me + i) % n;
      if (net::is_lost(rank)) continue;
      try {
        for (detail::device_object* const d : remote::devices_of(rank))
          if (fits(d->facts(), which)) found.emplace_back(*d);
      } catch (const device_error&) {
        if (!net::is_lost(rank)) throw;  // lost meanwhile: it has no devices any more
      }
    }
    return found;
  });
}

future<std::vector<device>> devices(device_filter which) {
  return dataflow(
      [](std::vector<device> here, const std::vector<device>& elsewhere) {
        here.insert(here.end(), elsewhere.begin(), elsewhere.end());
        return here;
      },
      local_devices(which), remote_devices(which));
}

std::string status() {
  std::string text;
  for (const auto& [backend, words] : detail::backend_statuses())
    text += (text.empty() ? "" : "; ") + backend + ": " + words;
  return text;
}

}  // namespace amity::accel
