/// A libcuda.so.1 for tests. Two devices; their memory is the host's; a stream is a thread that runs its commands one
/// after the other; a kernel's work items run one after the other on it.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "amity/accel/cuda/abi.hpp"
#include "amity/accel/cuda/simulator/kernel.hpp"
#include "amity/accel/cuda/simulator/simulator.hpp"

namespace simulated = amity::accel::cuda::simulator;
namespace cuda = amity::accel::cuda;

namespace {

constexpr int good = 0, invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_device = 101,
              invalid_image = 200, invalid_context = 201, not_found = 500, not_ready = 600, already_enabled = 704,
              launch_failed = 719;
constexpr int devices = 2;
constexpr std::size_t memory_of_device = std::size_t{256} << 20;

simulated::controls all_controls;

bool lacks(const char* what) {
  const char* const said = getenv("AMITY_SIMULATED_LACKS");
  return said != nullptr && strstr(said, what) != nullptr;
}

/// What stays after an error, for each device.
std::atomic<int> failure_of[devices];

// Never destroyed: streams go on until the process is over.
std::mutex& memory_lock = *new std::mutex;
auto& pinned = *new std::map<std::uintptr_t, std::size_t>;
auto& allocated = *new std::map<std::uintptr_t, std::pair<std::size_t, int>>;  ///< bytes, device
std::size_t used[devices];

bool is_pinned(const void* p) {
  std::lock_guard const held(memory_lock);
  auto const after = pinned.upper_bound(reinterpret_cast<std::uintptr_t>(p));
  if (after == pinned.begin()) return false;
  auto const& [begin, bytes] = *std::prev(after);
  return reinterpret_cast<std::uintptr_t>(p) < begin + bytes;
}
void check_pinned(const void* p) {
  if (!is_pinned(p)) ++all_controls.pageable_copies;
}

void* at(cuda::device_address a) { return reinterpret_cast<void*>(a); }

}  // namespace

struct context_record {
  int device = 0;
};

/// Whether an event's place in its stream has been reached.
struct reached {
  std::mutex lock;
  std::condition_variable changed;
  bool is = true;
};
struct event_record {
  std::mutex lock;
  std::shared_ptr<reached> last = std::make_shared<reached>();
};

struct stream_record {
  explicit stream_record(int d) : device(d), thread([this] { work(); }) {}

  int push(std::function<void()> command) {
    if (is_captured) return captured.push_back(std::move(command)), good;
    if (int const code = failure_of[device].load(); code != 0) return code;
    if (int const code = all_controls.fails_at_once.exchange(0); code != 0) return code;
    {
      std::lock_guard const held(lock);
      commands.push_back(std::move(command));
    }
    changed.notify_all();
    return good;
  }
  bool is_empty() {
    std::lock_guard const held(lock);
    return commands.empty() && !is_busy;
  }
  void wait() {
    std::unique_lock held(lock);
    changed.wait(held, [&] { return commands.empty() && !is_busy; });
  }
  void work() {
    std::unique_lock held(lock);
    for (;;) {
      changed.wait(held, [&] { return !commands.empty(); });
      while (all_controls.is_paused.load()) {
        held.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        held.lock();
      }
      auto const command = std::move(commands.front());
      commands.pop_front();
      is_busy = true;
      held.unlock();
      if (int const us = all_controls.delay_us.load(); us != 0)
        std::this_thread::sleep_for(std::chrono::microseconds(us));
      // What comes after a failure is not run, events and functions neither.
      if (failure_of[device].load() == 0) command();
      held.lock();
      is_busy = false;
      changed.notify_all();
    }
  }

  int device;
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> commands;
  bool is_busy = false;
  bool is_captured = false;  ///< of the thread that captures
  std::vector<std::function<void()>> captured;
  std::thread thread;
};

struct graph_record {
  std::vector<std::function<void()>> commands;
};
struct launchable_graph_record {
  std::vector<std::function<void()>> commands;
};

struct function_record;
struct pool_record;

struct module_record {
  void* library = nullptr;
  std::mutex lock;
  std::map<std::string, function_record*> functions;
};

namespace {

/// One block's work items where they wait for one another: each has a stack of its own, and they take turns.
class block_of_items {
 public:
  block_of_items(const simulated::kernel& k, void** arguments, simulated::place& place, unsigned n)
      : kernel_(k), arguments_(arguments), place_(place), items_(n) {
    // Stacks are not initialized: ThreadSanitizer would look at each byte.
    while (stacks.size() < n) stacks.emplace_back(new std::byte[stack_bytes]);
    for (unsigned m = 0; m < n; ++m) {
      item& i = items_[m];
      getcontext(&i.context);
      i.context.uc_stack.ss_sp = stacks[m].get();
      i.context.uc_stack.ss_size = stack_bytes;
      i.context.uc_link = &back_;
      makecontext(&i.context, start, 0);
    }
  }

  void run() {
    block_of_items* const before = std::exchange(current, this);
    for (bool some = true; some;) {
      some = false;
      for (unsigned n = 0; n < items_.size(); ++n) {
        if (items_[n].is_over) continue;
        at_ = n;
        set_thread(n);
        swapcontext(&back_, &items_[n].context);
        some = some || !items_[n].is_over;
      }
    }
    current = before;
  }
  static void barrier() {
    block_of_items& b = *current;
    swapcontext(&b.items_[b.at_].context, &b.back_);
  }

 private:
  static constexpr std::size_t stack_bytes = 64 << 10;
  struct item {
    ucontext_t context{};
    bool is_over = false;
  };
  static void start() {
    block_of_items& b = *current;
    unsigned const me = b.at_;
    b.kernel_.run(b.arguments_);
    b.items_[me].is_over = true;
  }
  void set_thread(unsigned n) {
    const simulated::three& size = place_.block_size;
    place_.thread = {n % size.x, n / size.x % size.y, n / size.x / size.y};
  }

  static thread_local block_of_items* current;
  /// Of the stream's thread, for one block after the other.
  static thread_local std::vector<std::unique_ptr<std::byte[]>> stacks;
  const simulated::kernel& kernel_;
  void** arguments_;
  simulated::place& place_;
  std::vector<item> items_;
  ucontext_t back_{};
  unsigned at_ = 0;
};
thread_local block_of_items* block_of_items::current = nullptr;
thread_local std::vector<std::unique_ptr<std::byte[]>> block_of_items::stacks;

}  // namespace

struct function_record {
  const simulated::kernel* kernel = nullptr;
  void* library = nullptr;
  std::mutex* lock = nullptr;  ///< of the library, whose kernels are told through one place where they are

  void run(simulated::three grid, simulated::three block, void** arguments) const {
    const auto place_of = reinterpret_cast<simulated::place_of_item>(dlsym(library, "amity_place"));
    std::lock_guard const one_at_a_time(*lock);
    simulated::place& here = *place_of();
    here.grid = grid;
    here.block_size = block;
    for (unsigned z = 0; z < grid.z; ++z)
      for (unsigned y = 0; y < grid.y; ++y)
        for (unsigned x = 0; x < grid.x; ++x) {
          here.block = {x, y, z};
          if (kernel->has_barriers) {
            block_of_items(*kernel, arguments, here, block.x * block.y * block.z).run();
            continue;
          }
          for (unsigned k = 0; k < block.z; ++k)
            for (unsigned j = 0; j < block.y; ++j)
              for (unsigned i = 0; i < block.x; ++i) {
                here.thread = {i, j, k};
                kernel->run(arguments);
              }
        }
  }
};

namespace {

thread_local context_record* current_context = nullptr;
auto& modules = *new std::vector<module_record*>;  ///< all there ever were: their kernels may still run
context_record contexts[devices];

int allocate(cuda::device_address* made, std::size_t bytes, int device) {
  std::lock_guard const held(memory_lock);
  if (bytes == 0) return invalid_value;
  if (used[device] + bytes > memory_of_device) return out_of_memory;
  void* const p = malloc(bytes);
  memset(p, 0xa5, bytes);  // its values are not known
  *made = reinterpret_cast<cuda::device_address>(p);
  allocated[*made] = {bytes, device};
  used[device] += bytes;
  all_controls.bytes += static_cast<long>(bytes);
  return good;
}
int release(cuda::device_address a) {
  std::lock_guard const held(memory_lock);
  auto const found = allocated.find(a);
  if (found == allocated.end()) return invalid_value;
  auto const [bytes, device] = found->second;
  used[device] -= bytes;
  all_controls.bytes -= static_cast<long>(bytes);
  memset(at(a), 0x5a, bytes);
  free(at(a));
  allocated.erase(found);
  return good;
}

void copy_box_now(const cuda::box_copy& b) {
  const auto address = [](const cuda::box_copy::side& s) {
    auto* const begin = s.memory_type == cuda::host_memory ? static_cast<std::byte*>(const_cast<void*>(s.host))
                                                           : static_cast<std::byte*>(at(s.device));
    return begin + s.x_bytes + s.y * s.pitch + s.z * s.pitch * s.height;
  };
  for (std::size_t z = 0; z < b.depth; ++z)
    for (std::size_t y = 0; y < b.height; ++y)
      memcpy(address(b.to) + y * b.to.pitch + z * b.to.pitch * b.to.height,
             address(b.from) + y * b.from.pitch + z * b.from.pitch * b.from.height, b.width_bytes);
}

}  // namespace

extern "C" {

using stream = stream_record*;
using event = event_record*;
using address = cuda::device_address;

simulated::controls* amity_simulated_cuda() { return &all_controls; }

int cuInit(unsigned) { return lacks("start") ? 999 : good; }
int cuDriverGetVersion(int* v) {
  *v = 13000;
  return good;
}
int cuGetErrorName(int code, const char** name) {
  *name = code == launch_failed   ? "CUDA_ERROR_LAUNCH_FAILED"
          : code == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == invalid_image ? "CUDA_ERROR_INVALID_IMAGE"
          : code == 999           ? "CUDA_ERROR_UNKNOWN"
                                  : "CUDA_ERROR";
  return good;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == launch_failed ? "a kernel of the simulator's was told to fail" : "said by the simulator";
  return good;
}
int cuDeviceGetCount(int* n) {
  *n = lacks("devices") ? 0 : devices;
  return good;
}
int cuDeviceGet(int* d, int i) {
  *d = i;
  return i < devices ? good : invalid_device;
}
int cuDeviceGetName(char* to, int n, int) {
  strncpy(to, "Simulator", static_cast<std::size_t>(n));
  return good;
}
int cuDeviceTotalMem_v2(std::size_t* n, int) {
  *n = memory_of_device;
  return good;
}
int cuDeviceGetAttribute(int* v, int which, int) {
  static const std::map<int, int> known{{cuda::attribute_block_threads, 1024},
                                        {cuda::attribute_block_x, 1024},
                                        {cuda::attribute_block_y, 1024},
                                        {cuda::attribute_block_z, 64},
                                        {cuda::attribute_shared, 48 << 10},
                                        {cuda::attribute_shared_at_most, 200 << 10},
                                        {cuda::attribute_warp, 32},
                                        {cuda::attribute_processors, 2},
                                        {cuda::attribute_major, 9},
                                        {cuda::attribute_minor, 0}};
  if (which == cuda::attribute_stream_writes) return *v = lacks("writes") ? 0 : 1, good;
  if (which == cuda::attribute_pools) return *v = lacks("pools") ? 0 : 1, good;
  auto const found = known.find(which);
  *v = found == known.end() ? 0 : found->second;
  return good;
}
int cuDeviceGetUuid_v2(cuda::uuid* u, int d) {
  memset(u, d + 1, sizeof *u);
  return good;
}
int cuDeviceGetPCIBusId(char* to, int n, int) {
  strncpy(to, "0000:00:00.0", static_cast<std::size_t>(n));
  return good;
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = lacks("peers") ? 0 : 1;
  return good;
}
int cuDevicePrimaryCtxRetain(context_record** c, int d) {
  contexts[d].device = d;
  *c = &contexts[d];
  return good;
}
int cuCtxSetCurrent(context_record* c) {
  current_context = c;
  return good;
}
int cuCtxGetCurrent(context_record** c) {
  *c = current_context;
  return good;
}
int cuCtxEnablePeerAccess(context_record* c, unsigned) {
  return current_context == nullptr || c == current_context ? invalid_context : good;
}
int cuMemAlloc_v2(address* a, std::size_t n) {
  return current_context == nullptr ? invalid_context : allocate(a, n, current_context->device);
}
int cuMemFree_v2(address a) { return release(a); }
int cuMemAllocAsync(address* a, std::size_t n, stream s) {
  s->wait();  // what the stream has freed is there
  return allocate(a, n, s->device);
}
int cuMemFreeAsync(address a, stream s) {
  return s->push([a] { release(a); });
}
int cuDeviceGetDefaultMemPool(pool_record** p, int) {
  *p = reinterpret_cast<pool_record*>(&used);
  return good;
}
int cuMemPoolSetAttribute(pool_record*, int, void*) { return good; }
int cuMemPoolSetAccess(pool_record*, const cuda::pool_access*, std::size_t) { return good; }
int cuMemPoolTrimTo(pool_record*, std::size_t) { return good; }
int cuMemHostAlloc(void** p, std::size_t n, unsigned) {
  *p = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
  std::lock_guard const held(memory_lock);
  pinned[reinterpret_cast<std::uintptr_t>(*p)] = n;
  return *p != nullptr ? good : out_of_memory;
}
int cuMemFreeHost(void* p) {
  {
    std::lock_guard const held(memory_lock);
    pinned.erase(reinterpret_cast<std::uintptr_t>(p));
  }
  free(p);
  return good;
}
int cuMemHostGetDevicePointer_v2(address* a, void* p, unsigned) {
  *a = reinterpret_cast<address>(p);
  return good;
}
int cuPointerGetAttribute(void* value, int, address a) {
  if (!is_pinned(at(a))) return invalid_value;
  int const type = cuda::host_memory;
  memcpy(value, &type, sizeof type);
  return good;
}

int cuMemcpyHtoDAsync_v2(address to, const void* from, std::size_t n, stream s) {
  check_pinned(from);
  return s->push([=] { memcpy(at(to), from, n); });
}
int cuMemcpyDtoHAsync_v2(void* to, address from, std::size_t n, stream s) {
  check_pinned(to);
  return s->push([=] { memcpy(to, at(from), n); });
}
int cuMemcpyDtoDAsync_v2(address to, address from, std::size_t n, stream s) {
  return s->push([=] { memmove(at(to), at(from), n); });
}
int cuMemcpyPeerAsync(address to, context_record*, address from, context_record*, std::size_t n, stream s) {
  return s->push([=] { memmove(at(to), at(from), n); });
}
int cuMemcpy3DPeerAsync(const cuda::box_copy* b, stream s) {
  if (b->from.context == nullptr || b->to.context == nullptr) return invalid_context;
  if (b->from.memory_type == cuda::host_memory) check_pinned(b->from.host);
  if (b->to.memory_type == cuda::host_memory) check_pinned(b->to.host);
  return s->push([box = *b] { copy_box_now(box); });
}
int cuMemsetD8Async(address to, unsigned char v, std::size_t n, stream s) {
  return s->push([=] { memset(at(to), v, n); });
}
int cuMemsetD16Async(address to, unsigned short v, std::size_t n, stream s) {
  return s->push([=] {
    for (std::size_t i = 0; i < n; ++i) memcpy(at(to + i * sizeof v), &v, sizeof v);
  });
}
int cuMemsetD2D32Async(address to, std::size_t pitch, unsigned v, std::size_t width, std::size_t height, stream s) {
  return s->push([=] {
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) memcpy(at(to + y * pitch + x * sizeof v), &v, sizeof v);
  });
}
int cuMemsetD32Async(address to, unsigned v, std::size_t n, stream s) {
  return cuMemsetD2D32Async(to, n * sizeof v, v, n, 1, s);
}

int cuStreamCreate(stream* s, unsigned) {
  if (current_context == nullptr) return invalid_context;
  *s = new stream_record(current_context->device);
  (*s)->thread.detach();
  return good;
}
int cuStreamQuery(stream s) {
  if (int const code = failure_of[s->device].load(); code != 0) return code;
  return s->is_empty() ? good : not_ready;
}
int cuStreamSynchronize(stream s) {
  s->wait();
  return failure_of[s->device].load();
}
int cuStreamWaitEvent(stream s, event e, unsigned) {
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
int cuStreamWriteValue32_v2(stream s, address a, std::uint32_t v, unsigned) {
  return s->push([=] { std::atomic_ref(*static_cast<std::uint32_t*>(at(a))).store(v, std::memory_order_release); });
}
int cuLaunchHostFunc(stream s, cuda::host_function f, void* data) {
  return s->push([=] {
    if (all_controls.loses_calls.load()) return;
    ++all_controls.host_calls;
    f(data);
  });
}
int cuEventCreate(event* e, unsigned) {
  *e = new event_record;
  ++all_controls.events;
  return good;
}
int cuEventDestroy_v2(event e) {
  delete e;
  --all_controls.events;
  return good;
}
int cuEventRecord(event e, stream s) {
  auto place = std::make_shared<reached>();
  place->is = false;
  int const code = s->push([place] {
    std::lock_guard const held(place->lock);
    place->is = true;
    place->changed.notify_all();
  });
  if (code != good) return code;
  std::lock_guard const held(e->lock);
  e->last = std::move(place);
  return good;
}
int cuEventQuery(event e) {
  std::shared_ptr<reached> place;
  {
    std::lock_guard const held(e->lock);
    place = e->last;
  }
  std::lock_guard const held(place->lock);
  if (place->is) return good;
  for (auto& f : failure_of)
    if (int const code = f.load(); code != 0) return code;
  return not_ready;
}

int cuModuleLoadDataEx(module_record** made, const void* image, unsigned, int*, void**) {
  const auto* const bytes = static_cast<const char*>(image);
  if (memcmp(bytes, "\177ELF", 4) != 0) return invalid_image;
  // The end of an ELF file of g++'s is the end of its table of sections.
  std::uint64_t sections = 0;
  std::uint16_t entry = 0, entries = 0;
  memcpy(&sections, bytes + 0x28, sizeof sections);
  memcpy(&entry, bytes + 0x3a, sizeof entry);
  memcpy(&entries, bytes + 0x3c, sizeof entries);
  std::size_t const n = sections + std::size_t{entry} * entries;
  int const file = memfd_create("kernels", 0);
  if (file < 0) return out_of_memory;
  bool const is_written = write(file, bytes, n) == static_cast<ssize_t>(n);
  // The loader knows libraries by their names, and numbers of files come again.
  static std::atomic<int> next{0};
  std::string path = "/proc/self/";
  for (int i = next.fetch_add(1); i > 0; --i) path += "./";
  path += "fd/" + std::to_string(file);
  void* const library = is_written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  close(file);
  if (library == nullptr) return fprintf(stderr, "simulator: %s\n", dlerror()), invalid_image;
  const auto all = reinterpret_cast<simulated::table>(dlsym(library, "amity_kernels"));
  if (all == nullptr) return invalid_image;
  *reinterpret_cast<simulated::barrier_hook>(dlsym(library, "amity_barrier")) = block_of_items::barrier;
  auto m = std::make_unique<module_record>();
  m->library = library;
  for (const simulated::kernel* k = all(); k->run != nullptr; ++k) {
    auto* const f = new function_record;
    f->kernel = k;
    f->library = library;
    f->lock = &m->lock;
    m->functions[k->name] = f;
  }
  *made = m.release();
  std::lock_guard const held(memory_lock);
  modules.push_back(*made);
  return good;
}
int cuModuleUnload(module_record*) { return good; }
int cuModuleGetFunction(function_record** f, module_record* m, const char* name) {
  auto const found = m->functions.find(name);
  if (found == m->functions.end()) return not_found;
  *f = found->second;
  return good;
}
int cuFuncSetAttribute(function_record*, int, int) { return good; }
int cuLaunchKernel(function_record* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, stream s, void** arguments, void**) {
  if (gx == 0 || gy == 0 || gz == 0 || bx == 0 || by == 0 || bz == 0 || bx * by * bz > 1024 || shared > (200u << 10))
    return invalid_value;
  if (current_context == nullptr || current_context->device != s->device) return invalid_context;
  ++all_controls.launches;
  // The arguments' bytes are taken now, as the real one does.
  auto values = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (unsigned i = 0; i < f->kernel->parameters; ++i) {
    const auto* const from = static_cast<const std::byte*>(arguments[i]);
    values->emplace_back(from, from + f->kernel->sizes[i]);
  }
  int const later = all_controls.fails_later.exchange(0);
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

int cuStreamBeginCapture_v2(stream s, int) {
  s->is_captured = true;
  return good;
}
int cuStreamEndCapture(stream s, graph_record** g) {
  s->is_captured = false;
  *g = new graph_record{std::move(s->captured)};
  s->captured.clear();
  return good;
}
int cuGraphInstantiateWithFlags(launchable_graph_record** made, graph_record* g, unsigned long long) {
  if (lacks("graphs")) return invalid_value;
  *made = new launchable_graph_record{g->commands};
  return good;
}
int cuGraphLaunch(launchable_graph_record* g, stream s) {
  ++all_controls.graphs;
  return s->push([all = g->commands] {
    for (const auto& one : all) one();
  });
}
int cuGraphExecDestroy(launchable_graph_record* g) {
  delete g;
  return good;
}
int cuGraphDestroy(graph_record* g) {
  delete g;
  return good;
}

}  // extern "C"
