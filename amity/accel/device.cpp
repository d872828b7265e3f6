#include "amity/accel/device.hpp"

#include <errno.h>
#include <string.h>

#include <fstream>
#include <iterator>
#include <mutex>

#include "amity/accel/remote/client.hpp"
#include "amity/future/async.hpp"
#include "amity/future/dataflow.hpp"
#include "amity/future/when.hpp"
#include "amity/net/job.hpp"

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
  switch (from.is) {
    case program_source::kind::text:
      text.source = from.text;
      break;
    case program_source::kind::file:
      text.name = from.text;
      try {
        text.source = text_of_file(from.text);
      } catch (const build_error&) {
        failure = std::current_exception();
      }
      break;
    case program_source::kind::binary:
      text.name = "a binary";
      text.binary = from.binary;
      break;
  }
  return accel::program(detail::new_program(*of_, std::move(text), std::move(failure)));
}

stream device::make_stream() const {
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
  if (found == nullptr) found = &detail::open_stream(*of_);
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

std::vector<device> device::split(std::uint32_t units) const {
  std::vector<device> parts;
  for (detail::device_object* const d : detail::split_device(*of_, units)) parts.emplace_back(*d);
  return parts;
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
    for (int i = 1; i < n; ++i)
      for (detail::device_object* const d : remote::devices_of((me + i) % n))
        if (fits(d->facts(), which)) found.emplace_back(*d);
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
