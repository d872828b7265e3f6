/// A libcuda.so.1 for tests. Two devices; their memory is the host's; a stream is a thread that runs its commands one
/// after the other; a kernel's work items run one after the other on it. Each call first looks at what cuda.h and the
/// manual of the driver's interface ask of it, and returns the error that they name.

#include <cstdio>

#include "amity/accel/cuda/simulator/boxes.hpp"
#include "amity/accel/cuda/simulator/memory.hpp"
#include "amity/accel/cuda/simulator/modules.hpp"
#include "amity/accel/cuda/simulator/streams.hpp"

namespace amity::accel::cuda {

using commands = std::vector<std::function<void()>>;
struct graph_record {
  commands all;
  int device;
};
struct launchable_graph_record {
  commands all;
  int device;
};

namespace {

using namespace simulator;

void* at(device_address a) { return reinterpret_cast<void*>(a); }

/// A stream of the context that is the thread's. Stream 0 is refused: Amity never means it.
int is_stream(stream_handle s) {
  return unless(s != nullptr && is_alive(s) && s->device == device_here(), invalid_handle);
}
int is_event(event_handle e) { return unless(e != nullptr && is_alive(e), invalid_handle); }
int is_pool(pool_handle p) { return unless(p != nullptr && is_alive(p), invalid_value); }
int is_multiple(std::size_t n, std::size_t of) { return unless(n % of == 0, invalid_value); }
int is_product(std::size_t a, std::size_t b, std::size_t& made) {
  return unless(!__builtin_mul_overflow(a, b, &made), invalid_value);
}
/// Of a call about the thread's own context and one of its streams.
int is_work(stream_handle s) { return first_of(within_a_context(), is_stream(s)); }

/// Nothing may be asked of a stream that is being captured; what was captured is void.
int is_not_captured(stream_handle s) {
  if (!s->is_captured) return good;
  s->is_invalidated = true;
  return capture_unsupported;
}

/// Calls that wait for the device, where a test has them wait.
void wait_as_told() {
  while (all_controls.holds_frees.load()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  ++all_controls.frees;
}

template <class T>
int fill(device_address to, T value, std::size_t pitch, std::size_t width, std::size_t height, stream_handle s) {
  std::size_t row = 0, before_last = 0;
  if (int const code = first_of(is_work(s), is_multiple(to, sizeof value), is_multiple(pitch, sizeof value),
                                unless(width != 0 && height != 0, invalid_value), is_product(width, sizeof value, row),
                                is_product(height - 1, pitch, before_last));
      code != good)
    return code;
  if (height > 1 && pitch < row) return invalid_value;
  if (before_last > memory_of_device || row > memory_of_device) return invalid_value;
  if (int const code = is_usable(to, before_last + row, device_here()); code != good) return code;
  return s->push([=] {
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) memcpy(at(to + y * pitch + x * sizeof value), &value, sizeof value);
  });
}

}  // namespace
}  // namespace amity::accel::cuda

extern "C" {

using namespace amity::accel::cuda;
using address = device_address;
using stream = stream_handle;
using event = event_handle;

controls* amity_simulated_cuda() { return &all_controls; }

int cuInit(unsigned flags) {
  if (flags != 0) return invalid_value;
  if (lacks("start")) return unknown;
  for (context_record& c : contexts) handles<context_record>::of().add(&c);
  for (pool_record& p : default_pools) handles<pool_record>::of().add(&p);
  is_initialized = true;
  return good;
}
int cuDriverGetVersion(int* v) {
  if (v == nullptr) return invalid_value;
  *v = driver_version();
  return good;
}
int cuGetErrorName(int code, const char** name) {
  const char* const its = name_of(code);
  *name = its != nullptr ? its : "CUDA_ERROR";
  return good;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == launch_failed ? "a kernel of the simulator's was told to fail" : "said by the simulator";
  return good;
}
int cuDeviceGetCount(int* n) {
  if (int const code = first_of(without_context(), unless(n != nullptr, invalid_value)); code != good) return code;
  *n = lacks("devices") ? 0 : devices;
  return good;
}
int cuDeviceGet(int* d, int i) {
  if (int const code = first_of(without_context(), unless(d != nullptr, invalid_value), is_device(i)); code != good)
    return code;
  *d = i;
  return good;
}
int cuDeviceGetName(char* to, int n, int d) {
  if (int const code = first_of(without_context(), unless(to != nullptr && n > 0, invalid_value), is_device(d));
      code != good)
    return code;
  snprintf(to, static_cast<std::size_t>(n), "Simulator");
  return good;
}
int cuDeviceTotalMem_v2(std::size_t* n, int d) {
  if (int const code = first_of(without_context(), is_device(d)); code != good) return code;
  *n = memory_of_device;
  return good;
}
int cuDeviceGetAttribute(int* v, int which, int d) {
  if (int const code = first_of(without_context(), is_device(d), unless(v != nullptr && which > 0, invalid_value));
      code != good)
    return code;
  static const std::map<int, int> known{{attribute_block_threads, 1024},
                                        {attribute_block_x, 1024},
                                        {attribute_block_y, 1024},
                                        {attribute_block_z, 64},
                                        {attribute_grid_x, 0x7fffffff},
                                        {attribute_grid_y, 0xffff},
                                        {attribute_grid_z, 0xffff},
                                        {attribute_shared, shared_always},
                                        {attribute_shared_at_most, shared_at_most},
                                        {attribute_pitch, 0x7fffffff},
                                        {attribute_warp, 32},
                                        {attribute_processors, 2}};
  if (which == attribute_major) return *v = capability_of(d) / 10, good;
  if (which == attribute_minor) return *v = capability_of(d) % 10, good;
  if (which == attribute_stream_writes) return *v = lacks("writes") ? 0 : 1, good;
  if (which == attribute_pools) return *v = lacks("pools") ? 0 : 1, good;
  auto const found = known.find(which);
  *v = found == known.end() ? 0 : found->second;
  return good;
}
int cuDeviceGetUuid_v2(uuid* u, int d) {
  if (int const code = first_of(without_context(), is_device(d)); code != good) return code;
  memset(u, d + 1, sizeof *u);
  return good;
}
int cuDeviceGetPCIBusId(char* to, int n, int d) {
  if (int const code = first_of(without_context(), is_device(d), unless(n >= 13, invalid_value)); code != good)
    return code;
  snprintf(to, static_cast<std::size_t>(n), "0000:00:00.0");
  return good;
}
int cuDeviceCanAccessPeer(int* can, int user, int owner) {
  if (int const code = first_of(without_context(), is_device(user), is_device(owner)); code != good) return code;
  *can = lacks("peers") || user == owner ? 0 : 1;
  return good;
}

int cuDevicePrimaryCtxRetain(context_record** c, int d) {
  if (int const code = first_of(without_context(), unless(c != nullptr, invalid_value), is_device(d)); code != good)
    return code;
  *c = &contexts[d];
  return good;
}
int cuCtxSetCurrent(context_record* c) {
  if (int const code = without_context(); code != good) return code;
  if (c != nullptr && !is_alive(c)) return invalid_context;
  current_context = c;
  return good;
}
int cuCtxGetCurrent(context_record** c) {
  if (int const code = first_of(without_context(), unless(c != nullptr, invalid_value)); code != good) return code;
  *c = current_context;
  return good;
}
int cuCtxEnablePeerAccess(context_record* c, unsigned flags) {
  if (int const code = within_a_context(); code != good) return code;
  if (flags != 0) return invalid_value;
  if (c == nullptr || !is_alive(c) || c == current_context) return invalid_context;
  if (lacks("peers")) return peer_access_unsupported;
  ++all_controls.peer_accesses;
  return unless(current_context->peers.insert(c->device).second, peer_access_already_enabled);
}

int cuMemAlloc_v2(address* a, std::size_t n) {
  int const code = within_a_context();
  return code != good ? code : memory().allocate(a, n, device_here(), nullptr);
}
int cuMemFree_v2(address a) {
  if (int const code = within_a_context(); code != good) return code;
  wait_as_told();
  return memory().release(a);
}
int cuMemAllocFromPoolAsync(address* a, std::size_t n, pool_record* p, stream s) {
  if (int const code = first_of(is_work(s), is_pool(p)); code != good) return code;
  if (lacks("pools") || p->device != s->device) return invalid_value;
  s->wait();  // what the stream has freed is there
  return memory().allocate(a, n, s->device, p);
}
int cuMemFreeAsync(address a, stream s) {
  if (int const code = is_work(s); code != good) return code;
  allocation const its = memory().of_device(a);
  if (its.bytes == 0 || its.begin != a || its.pool == nullptr || its.device != s->device) return invalid_value;
  return s->push([a] { memory().release(a); });
}
int cuMemPoolCreate(pool_record** made, const pool_properties* what) {
  if (int const code = without_context(); code != good) return code;
  if (lacks("pools") || made == nullptr || what == nullptr || what->allocation_type != 1 || what->handle_types != 0 ||
      what->location_type != location_device || what->security != nullptr || is_device(what->location) != good)
    return invalid_value;
  for (unsigned char const one : what->reserved)
    if (one != 0) return invalid_value;
  *made = handles<pool_record>::of().add(new pool_record{what->location, {}, 0});
  return good;
}
/// Amity has no use for it: tests ask whether it is as it was.
int cuDeviceGetDefaultMemPool(pool_record** p, int d) {
  if (int const code = first_of(without_context(), is_device(d)); code != good) return code;
  *p = &default_pools[d];
  return good;
}
int cuMemPoolGetAttribute(pool_record* p, int which, void* value) {
  if (int const code = first_of(without_context(), is_pool(p), unless(which == pool_keeps, invalid_value));
      code != good)
    return code;
  memcpy(value, &p->threshold, sizeof p->threshold);
  return good;
}
int cuMemPoolSetAttribute(pool_record* p, int which, void* value) {
  if (int const code =
          first_of(without_context(), is_pool(p), unless(which == pool_keeps && value != nullptr, invalid_value));
      code != good)
    return code;
  memcpy(&p->threshold, value, sizeof p->threshold);
  return good;
}
int cuMemPoolSetAccess(pool_record* p, const pool_access* all, std::size_t n) {
  if (int const code = first_of(without_context(), is_pool(p), unless(all != nullptr || n == 0, invalid_value));
      code != good)
    return code;
  for (const pool_access* one = all; one != all + n; ++one) {
    if (one->location_type != location_device || is_device(one->location) != good) return invalid_value;
    if (one->flags != 0 && one->flags != 1 && one->flags != access_read_write) return invalid_value;
    if (one->location == p->device && one->flags != access_read_write) return invalid_value;  // a pool is its device's
    if (one->location != p->device && lacks("peers")) return invalid_device;
    one->flags != 0 ? static_cast<void>(p->users.insert(one->location))
                    : static_cast<void>(p->users.erase(one->location));
  }
  return good;
}
int cuMemPoolTrimTo(pool_record* p, std::size_t) { return first_of(without_context(), is_pool(p)); }

int cuMemHostAlloc(void** p, std::size_t n, unsigned flags) {
  int const code = first_of(within_a_context(), unless(flags <= 7, invalid_value));
  return code != good ? code : memory().allocate_host(p, n);
}
int cuMemFreeHost(void* p) {
  if (int const code = within_a_context(); code != good) return code;
  wait_as_told();
  return memory().release_host(p);
}
int cuMemHostGetDevicePointer_v2(address* a, void* p, unsigned flags) {
  auto const begin = reinterpret_cast<std::uintptr_t>(p);
  if (int const code = first_of(within_a_context(), unless(flags == 0 && a != nullptr, invalid_value),
                                unless(memory().of_host(begin).bytes != 0, invalid_value));
      code != good)
    return code;
  *a = begin;
  return good;
}
int cuPointerGetAttribute(void* value, int which, address a) {
  if (int const code = first_of(within_a_context(), unless(value != nullptr, invalid_value)); code != good) return code;
  allocation its = memory().of_host(a);
  int const type = its.bytes != 0 ? host_memory : device_memory;
  if (its.bytes == 0) its = memory().of_device(a);
  if (its.bytes == 0) return invalid_value;
  if (which == pointer_memory_type) return memcpy(value, &type, sizeof type), good;
  if (which == pointer_range_begin) return memcpy(value, &its.begin, sizeof its.begin), good;
  if (which == pointer_range_bytes) return memcpy(value, &its.bytes, sizeof its.bytes), good;
  return invalid_value;
}

int cuMemcpyHtoDAsync_v2(address to, const void* from, std::size_t n, stream s) {
  if (int const code = first_of(is_work(s), is_usable(to, n, device_here()), is_of_the_host(from, n)); code != good)
    return code;
  return s->push([=] { memcpy(at(to), from, n); });
}
int cuMemcpyDtoHAsync_v2(void* to, address from, std::size_t n, stream s) {
  if (int const code = first_of(is_work(s), is_usable(from, n, device_here()), is_of_the_host(to, n)); code != good)
    return code;
  return s->push([=] { memcpy(to, at(from), n); });
}
int cuMemcpyDtoDAsync_v2(address to, address from, std::size_t n, stream s) {
  if (int const code = first_of(is_work(s), is_usable(to, n, device_here()), is_usable(from, n, device_here()));
      code != good)
    return code;
  return s->push([=] { memmove(at(to), at(from), n); });
}
int cuMemcpyPeerAsync(address to, context_record* its, address from, context_record* others, std::size_t n, stream s) {
  if (int const code = is_work(s); code != good) return code;
  if (its == nullptr || others == nullptr || !is_alive(its) || !is_alive(others)) return invalid_context;
  allocation const target = memory().of_device(to), source = memory().of_device(from);
  if (!covers(target, to, n) || !covers(source, from, n)) return invalid_value;
  if (target.device != its->device || source.device != others->device) return invalid_value;
  return s->push([=] { memmove(at(to), at(from), n); });
}
int cuMemcpy3DPeerAsync(const box_copy* b, stream s) {
  if (int const code = is_work(s); code != good) return code;
  if (int const code = is_right(b); code != good) return code;
  return s->push([box = *b] { copy_box_now(box); });
}
int cuMemsetD8Async(address to, unsigned char v, std::size_t n, stream s) { return fill(to, v, n, n, 1, s); }
int cuMemsetD16Async(address to, unsigned short v, std::size_t n, stream s) { return fill(to, v, sizeof v, n, 1, s); }
int cuMemsetD32Async(address to, unsigned v, std::size_t n, stream s) { return fill(to, v, sizeof v, n, 1, s); }
int cuMemsetD2D32Async(address to, std::size_t pitch, unsigned v, std::size_t width, std::size_t height, stream s) {
  return fill(to, v, pitch, width, height, s);
}

int cuStreamCreate(stream* s, unsigned flags) {
  if (int const code = first_of(within_a_context(), unless(s != nullptr && flags <= 1, invalid_value)); code != good)
    return code;
  *s = handles<stream_record>::of().add(new stream_record(device_here()));
  (*s)->thread.detach();
  return good;
}
int cuStreamQuery(stream s) {
  if (int const code = is_work(s); code != good) return code;
  if (int const code = is_not_captured(s); code != good) return code;
  return s->is_empty() ? good : not_ready;
}
int cuStreamSynchronize(stream s) {
  if (int const code = is_work(s); code != good) return code;
  if (int const code = is_not_captured(s); code != good) return code;
  s->wait();
  return failure_of[s->device].load();
}
int cuStreamWaitEvent(stream s, event e, unsigned flags) {
  if (int const code = first_of(is_work(s), is_event(e), unless(flags <= 1, invalid_value)); code != good) return code;
  ++all_controls.waits_for_events;
  std::shared_ptr<reached> place;
  {
    std::lock_guard const held(e->lock);
    place = e->last;
  }
  return s->push([place, device = s->device] {
    std::unique_lock held(place->lock);
    // A stream of a device that failed never gets there.
    while (!place->is && failure_of[device].load() == 0) place->changed.wait_for(held, std::chrono::milliseconds(1));
  });
}
int cuStreamWriteValue32_v2(stream s, address a, std::uint32_t v, unsigned flags) {
  if (int const code = first_of(is_work(s), is_multiple(a, sizeof v), unless(flags <= 1, invalid_value)); code != good)
    return code;
  if (!covers(memory().of_host(a), a, sizeof v) && is_usable(a, sizeof v, device_here()) != good) return invalid_value;
  return s->push([=] { std::atomic_ref(*static_cast<std::uint32_t*>(at(a))).store(v, std::memory_order_release); });
}
int cuLaunchHostFunc(stream s, host_function f, void* data) {
  if (int const code = first_of(is_work(s), unless(f != nullptr, invalid_value)); code != good) return code;
  return s->push([=] {
    if (all_controls.loses_calls.load()) return;
    ++all_controls.host_calls;
    is_in_host_function = true;
    f(data);
    is_in_host_function = false;
  });
}
int cuEventCreate(event* e, unsigned flags) {
  if (int const code = first_of(within_a_context(), unless(e != nullptr && flags <= 3, invalid_value)); code != good)
    return code;
  *e = handles<event_record>::of().add(new event_record(device_here(), (flags & 2) == 0));
  ++all_controls.events;
  return good;
}
int cuEventDestroy_v2(event e) {
  if (int const code = without_context(); code != good) return code;
  if (e == nullptr || !handles<event_record>::of().remove(e)) return invalid_handle;
  delete e;
  --all_controls.events;
  return good;
}
int cuEventRecord(event e, stream s) {
  if (int const code = first_of(is_work(s), is_event(e)); code != good) return code;
  if (e->device != s->device) return invalid_handle;
  auto place = std::make_shared<reached>();
  place->is = false;
  int const code = s->push([place] {
    std::lock_guard const held(place->lock);
    place->is = true;
    place->when = std::chrono::steady_clock::now();
    place->changed.notify_all();
  });
  if (code != good) return code;
  std::lock_guard const held(e->lock);
  e->last = std::move(place);
  return good;
}
int cuEventElapsedTime(float* ms, event from, event to) {
  if (int const code = first_of(without_context(), is_event(from), is_event(to), unless(ms != nullptr, invalid_value));
      code != good)
    return code;
  std::chrono::steady_clock::time_point at[2];
  for (int i = 0; i < 2; ++i) {
    event const e = i == 0 ? from : to;
    if (!e->has_time) return invalid_handle;
    std::shared_ptr<reached> place;
    {
      std::lock_guard const held(e->lock);
      place = e->last;
    }
    std::lock_guard const held(place->lock);
    if (!place->is) return not_ready;
    if (place->when == std::chrono::steady_clock::time_point{}) return invalid_handle;  // never recorded
    at[i] = place->when;
  }
  *ms = std::chrono::duration<float, std::milli>(at[1] - at[0]).count();
  return good;
}
int cuEventQuery(event e) {
  if (int const code = first_of(without_context(), is_event(e)); code != good) return code;
  std::shared_ptr<reached> place;
  {
    std::lock_guard const held(e->lock);
    place = e->last;
  }
  std::lock_guard const held(place->lock);
  if (place->is) return good;
  int const code = failure_of[e->device].load();
  return code != good ? code : not_ready;
}

int cuModuleLoadDataEx(module_record** made, const void* image, unsigned n, int* options, void** values) {
  if (int const code = first_of(within_a_context(), unless(made != nullptr && image != nullptr, invalid_value),
                                unless(n == 0 || (options != nullptr && values != nullptr), invalid_value));
      code != good)
    return code;
  return load(made, static_cast<const char*>(image), device_here());
}
int cuModuleUnload(module_record* m) {
  if (int const code = within_a_context(); code != good) return code;
  if (m == nullptr || !handles<module_record>::of().remove(m)) return invalid_handle;
  if (m->device != device_here()) return invalid_context;
  wait_as_told();
  for (const auto& [name, f] : m->functions) handles<function_record>::of().remove(f);
  keep_unloaded(m);
  return good;
}
int cuModuleGetFunction(function_record** f, module_record* m, const char* name) {
  if (int const code = first_of(within_a_context(), unless(f != nullptr && name != nullptr, invalid_value),
                                unless(is_alive(m), invalid_handle));
      code != good)
    return code;
  if (m->device != device_here()) return invalid_context;
  auto const found = m->functions.find(name);
  if (found == m->functions.end()) return not_found;
  *f = found->second;
  return good;
}
int cuFuncGetAttribute(int* value, int which, function_record* f) {
  if (int const code = first_of(within_a_context(), unless(is_alive(f), invalid_handle)); code != good) return code;
  if (which == function_threads) return *value = static_cast<int>(f->most_threads), good;
  if (which == function_own_shared) return *value = static_cast<int>(f->own_shared), good;
  if (which == function_dynamic_shared) return *value = static_cast<int>(f->most_dynamic.load()), good;
  return invalid_value;
}
int cuFuncSetAttribute(function_record* f, int which, int value) {
  if (int const code = first_of(within_a_context(), unless(is_alive(f), invalid_handle)); code != good) return code;
  if (which != function_dynamic_shared || value < 0) return invalid_value;
  if (static_cast<std::size_t>(value) + f->own_shared > shared_at_most) return invalid_value;
  f->most_dynamic = static_cast<std::size_t>(value);
  return good;
}
int cuLaunchKernel(function_record* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, stream s, void** arguments, void** extra) {
  if (int const code = first_of(is_work(s), unless(is_alive(f), invalid_handle)); code != good) return code;
  if (f->device != s->device) return invalid_handle;
  if (int const code = is_launch(*f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra); code != good) return code;
  ++all_controls.launches;
  // The arguments' bytes are taken now, as the real one does.
  auto values = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (unsigned i = 0; i < f->kernel->parameters; ++i) {
    const auto* const from = static_cast<const std::byte*>(arguments[i]);
    values->emplace_back(from, from + f->kernel->sizes[i]);
  }
  int later = all_controls.fails_later.exchange(0);
  if (later == 0 && names_foreign_memory(*f, arguments, s->device)) later = illegal_address;
  return s->push([=] {
    if (later != 0) {
      failure_of[s->device].store(later);
      return;
    }
    std::vector<void*> places;
    for (auto& v : *values) places.push_back(v.data());
    f->run({gx, gy, gz}, {bx, by, bz}, places.data());
  });
}

int cuStreamBeginCapture_v2(stream s, int mode) {
  if (int const code = first_of(is_work(s), unless(mode >= 0 && mode <= 2, invalid_value)); code != good) return code;
  if (s->is_captured) return illegal_state;
  s->is_captured = true;
  s->is_invalidated = false;
  return good;
}
int cuStreamEndCapture(stream s, graph_record** g) {
  if (int const code = first_of(is_work(s), unless(g != nullptr, invalid_value)); code != good) return code;
  *g = nullptr;
  if (!s->is_captured) return illegal_state;
  s->is_captured = false;
  commands all = std::exchange(s->captured, {});
  if (s->is_invalidated) return capture_invalidated;
  *g = handles<graph_record>::of().add(new graph_record{std::move(all), s->device});
  return good;
}
int cuGraphInstantiateWithFlags(launchable_graph_record** made, graph_record* g, unsigned long long flags) {
  if (int const code = first_of(within_a_context(), unless(made != nullptr && is_alive(g), invalid_value),
                                unless(flags <= 15 && !lacks("graphs"), invalid_value));
      code != good)
    return code;
  *made = handles<launchable_graph_record>::of().add(new launchable_graph_record{g->all, g->device});
  return good;
}
int cuGraphLaunch(launchable_graph_record* g, stream s) {
  if (int const code = first_of(is_work(s), unless(is_alive(g), invalid_value)); code != good) return code;
  if (g->device != s->device) return invalid_value;
  ++all_controls.graphs;
  return s->push([all = g->all] {
    for (const auto& one : all) one();
  });
}
int cuGraphExecDestroy(launchable_graph_record* g) {
  if (int const code = without_context(); code != good) return code;
  if (!handles<launchable_graph_record>::of().remove(g)) return invalid_value;
  wait_as_told();
  delete g;
  return good;
}
int cuGraphDestroy(graph_record* g) {
  if (int const code = without_context(); code != good) return code;
  if (!handles<graph_record>::of().remove(g)) return invalid_value;
  delete g;
  return good;
}

}  // extern "C"
