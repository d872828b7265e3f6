#include "amity/accel/device.hpp"

#include <mutex>

#include "amity/accel/internal/backends.hpp"
#include "amity/accel/internal/includes.hpp"
#include "amity/accel/internal/options.hpp"
#include "amity/accel/internal/read_file.hpp"
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

/// What a filter asks for; "": anything.
std::string wanted_of(const device_filter& which) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "with " : ", ") + more; };
  if (!which.backend.empty()) add("the back-end '" + which.backend + "'");
  if (!which.name.empty()) add("'" + which.name + "' in its name");
  if (which.capability > std::pair{0, 0})
    add("a capability of " + std::to_string(which.capability.first) + "." + std::to_string(which.capability.second));
  if (which.memory != 0) add(std::to_string(which.memory) + " bytes");
  if (which.fp64) add("double");
  return words;
}

std::string text_of_file(const std::string& path) {
  std::string why;
  auto text = detail::read_file(path, why);
  // Words end at a character 0.
  if (!text)
    throw build_error("the file '" + path.substr(0, path.find('\0')) + "' of a program can't be read: " + why, why);
  return *std::move(text);
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

/// The program's text and all that it is compiled with. Throws build_error.
void fill_in(detail::program_text& text, const program_source& from, const build_options& how) {
  detail::take_options(text, how);
  bool const is_file = from.is == program_source::kind::file;
  if (from.is == program_source::kind::binary) {
    text.name = "a binary";
    text.binary = from.binary;
    return;
  }
  if (is_file) text.name = from.text;
  auto whole = detail::with_includes(is_file ? text_of_file(from.text) : from.text, text.name, is_file, text.includes);
  text.source = std::move(whole.text);
  text.is_whole = whole.is_whole;
}

}  // namespace

int detail::rank_of(const device_object& d) noexcept { return d.rank < 0 ? rank_me() : d.rank; }

detail::ref<detail::program_object> detail::make_program(device_object& d, const program_source& from,
                                                         const build_options& how) noexcept {
  program_text text;
  text.name = "a source";
  std::exception_ptr failure;
  try {
    fill_in(text, from, how);
  } catch (const build_error&) {
    failure = amity::detail::caught_here();
  } catch (const std::exception& e) {  // such as a lack of memory for it
    failure = std::make_exception_ptr(build_error(text.name + " can't be built: " + e.what(), e.what()));
  }
  return new_program(d, std::move(text), std::move(failure));
}

stream detail::make_stream(device_object& d, std::exception_ptr& failure) noexcept {
  spare_streams& s = spare();
  stream_object* found = nullptr;
  {
    std::lock_guard const held(s.lock);
    for (stream_object*& one : s.all) {
      if (&one->of != &d) continue;
      found = one;
      one = s.all.back();
      s.all.pop_back();
      break;
    }
  }
  if (found == nullptr) found = amity::detail::caught(failure, [&] { return &open_stream(d); });
  if (found == nullptr) return {};
  return stream(std::shared_ptr<stream_object>(found, [](stream_object* back) {
    std::lock_guard const held(spare().lock);
    spare().all.push_back(back);
  }));
}

future<void> detail::synchronize(device_object& d) {
  return when_all(ends_of_streams(d)).then(amity::launch::sync, [](auto all) {
    for (future<void>& f : all.get()) f.get();
  });
}

std::vector<detail::device_object*> detail::parts_of(device_object& d, std::uint32_t units,
                                                     std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure,
                               [&] { return d.rank < 0 ? split_device(d, units) : remote::split_device(d, units); });
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

device detail::first_device(device_filter which, std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] {
    std::vector<device> const found = devices(which).get();
    if (!found.empty()) return found.front();
    std::string const wanted = wanted_of(which);
    throw no_such_device("there is no device" + (wanted.empty() ? std::string() : " " + wanted) + ": " + status());
  });
}

std::string status() {
  std::string text;
  for (const auto& [backend, words] : detail::backend_statuses())
    text += (text.empty() ? "" : "; ") + backend + ": " + words;
  return text;
}

}  // namespace amity::accel
