/// The simulated driver refuses what cuda.h and the manual of the driver's interface say that a driver refuses: a call
/// that breaks one rule, and the error. What is right beside it is taken.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <functional>
#include <thread>

#include "amity/accel/cuda/compile.hpp"
#include "amity/accel/cuda/simulator/codes.hpp"
#include "amity/accel/cuda/simulator/open.hpp"

namespace amity::accel::cuda {
namespace {

using namespace simulator;

struct rule {
  const char* says;
  int expected;
  std::function<int()> call;
};

/// Two devices with a stream, an event and 64 bytes each; the first one's context is the thread's.
struct Rules : testing::Test {
  static constexpr std::size_t bytes = 64;
  const driver_functions& cu = (open(), driver());
  context_handle contexts[2] = {};
  stream_handle streams[2] = {};
  event_handle events[2] = {};
  device_address memory[2] = {};
  stream_handle s = nullptr;
  device_address m = 0;
  std::byte* pinned = nullptr;
  std::byte pageable[bytes] = {};

  void SetUp() override {
    std::string why;
    for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) unsetenv(variable);  // the compiler is simulated, too
    ASSERT_TRUE(open_driver(why)) << why;
    ASSERT_EQ(cu.init(0), good);
    for (int d : {1, 0}) {
      ASSERT_EQ(cu.retain_context(&contexts[d], d), good);
      ASSERT_EQ(cu.set_context(contexts[d]), good);
      ASSERT_EQ(cu.create_stream(&streams[d], stream_of_its_own), good);
      ASSERT_EQ(cu.create_event(&events[d], event_without_time), good);
      ASSERT_EQ(cu.allocate(&memory[d], bytes), good);
    }
    s = streams[0];
    m = memory[0];
    void* host = nullptr;
    ASSERT_EQ(cu.allocate_host(&host, bytes, host_for_all_contexts), good);
    pinned = static_cast<std::byte*>(host);
  }

  static void hold(const std::vector<rule>& all) {
    for (const rule& r : all) EXPECT_EQ(r.call(), r.expected) << r.says;
  }

  /// A right box of 2 rows of 4 bytes, from the host to the device.
  [[nodiscard]] box_copy a_box() const {
    box_copy b;
    b.from.memory_type = host_memory;
    b.from.host = pinned;
    b.to.memory_type = device_memory;
    b.to.device = m;
    for (box_copy::side* const one : {&b.from, &b.to}) {
      one->context = contexts[0];
      one->pitch = 8;
      one->height = 2;
    }
    b.width_bytes = 4;
    b.height = 2;
    b.depth = 1;
    return b;
  }
  [[nodiscard]] int copied(const std::function<void(box_copy&)>& change) const {
    box_copy b = a_box();
    change(b);
    return cu.copy_box(&b, s);
  }
};

TEST_F(Rules, Contexts) {
  int n = 0;
  std::thread([&] {
    void* host = nullptr;
    device_address a = 0;
    hold({{"a call needs a context", invalid_context, [&] { return cu.allocate(&a, 4); }},
          {"pinned memory, too", invalid_context, [&] { return cu.allocate_host(&host, 4, 0); }},
          {"a stream, too", invalid_context, [&] { return cu.query_stream(s); }}});
  }).join();
  int not_a_context = 0;
  hold({{"a device's number", invalid_device, [&] { return cu.device_attribute(&n, attribute_warp, 2); }},
        {"a context is one", invalid_context,
         [&] { return cu.set_context(reinterpret_cast<context_handle>(&not_a_context)); }},
        {"a context is no peer of itself", invalid_context, [&] { return cu.enable_peer(contexts[0], 0); }},
        {"no flags", invalid_value, [&] { return cu.enable_peer(contexts[1], 1); }},
        {"a peer", good, [&] { return cu.enable_peer(contexts[1], 0); }},
        {"a peer once", peer_access_already_enabled, [&] { return cu.enable_peer(contexts[1], 0); }}});
}

TEST_F(Rules, StreamsAndEvents) {
  stream_handle made = nullptr;
  event_handle e = nullptr;
  ASSERT_EQ(cu.create_event(&e, event_without_time), good);
  auto* const none = reinterpret_cast<stream_handle>(&made);
  hold({{"flags of a stream", invalid_value, [&] { return cu.create_stream(&made, 2); }},
        {"flags of an event", invalid_value, [&] { return cu.create_event(&e, 32); }},
        {"a stream is one", invalid_handle, [&] { return cu.query_stream(none); }},
        {"nobody means stream 0", invalid_handle, [&] { return cu.fill_8(m, 1, 4, nullptr); }},
        {"a stream of another context", invalid_handle, [&] { return cu.fill_8(m, 1, 4, streams[1]); }},
        {"an event of another context", invalid_handle, [&] { return cu.record_event(events[1], s); }},
        {"another's event may be waited for", good, [&] { return cu.wait_in_stream(s, events[1], 0); }},
        {"flags of a wait", invalid_value, [&] { return cu.wait_in_stream(s, e, 7); }},
        {"a function", invalid_value, [&] { return cu.call_in_stream(s, nullptr, nullptr); }},
        {"an event goes", good, [&] { return cu.destroy_event(e); }},
        {"once", invalid_handle, [&] { return cu.destroy_event(e); }},
        {"then it is none", invalid_handle, [&] { return cu.record_event(e, s); }},
        {"nor to be asked", invalid_handle, [&] { return cu.query_event(e); }}});
}

TEST_F(Rules, AFunctionOfTheHostCallsNothing) {
  static const driver_functions* functions = nullptr;
  static std::atomic<int> code{0};
  functions = &cu;
  ASSERT_EQ(cu.call_in_stream(
                s, [](void* stream) { code = functions->query_stream(static_cast<stream_handle>(stream)); }, s),
            good);
  ASSERT_EQ(cu.synchronize_stream(s), good);
  EXPECT_EQ(code, not_permitted);
}

TEST_F(Rules, Memory) {
  device_address a = 0;
  void* host = nullptr;
  hold({{"some bytes", invalid_value, [&] { return cu.allocate(&a, 0); }},
        {"not more than there are", out_of_memory, [&] { return cu.allocate(&a, std::size_t{1} << 40); }},
        {"memory goes as it came", invalid_value, [&] { return cu.free(m + 1); }},
        {"memory of no pool goes in no stream", invalid_value, [&] { return cu.free_in_stream(m, s); }},
        {"flags of pinned memory", invalid_value, [&] { return cu.allocate_host(&host, 8, 64); }},
        {"some pinned bytes", invalid_value, [&] { return cu.allocate_host(&host, 0, 0); }},
        {"pinned memory goes as it came", invalid_value, [&] { return cu.free_host(pinned + 8); }},
        {"its address", good, [&] { return cu.address_of_host(&a, pinned, 0); }},
        {"no flags", invalid_value, [&] { return cu.address_of_host(&a, pinned, 1); }},
        {"only of pinned memory", invalid_value, [&] { return cu.address_of_host(&a, pageable, 0); }},
        {"it goes", good, [&] { return cu.free_host(pinned); }},
        {"once", invalid_value, [&] { return cu.free_host(pinned); }},
        {"memory goes", good, [&] { return cu.free(memory[0]); }},
        {"once, too", invalid_value, [&] { return cu.free(memory[0]); }},
        {"then it is not there", invalid_value, [&] { return cu.fill_8(m, 1, 4, s); }}});
}

TEST_F(Rules, Pools) {
  pool_handle p = nullptr;
  device_address a = 0;
  pool_properties of_host{.location_type = 2}, of_none{.location = 9}, right{.location = 0};
  std::uint64_t all = ~std::uint64_t{0};
  const auto access = [&](int device, int flags) {
    pool_access const one{location_device, device, flags};
    return cu.set_pool_access(p, &one, 1);
  };
  hold({{"a pool is a device's", invalid_value, [&] { return cu.create_pool(&p, &of_host); }},
        {"that there is", invalid_value, [&] { return cu.create_pool(&p, &of_none); }},
        {"a pool", good, [&] { return cu.create_pool(&p, &right); }},
        {"what is set", invalid_value, [&] { return cu.set_pool(p, 77, &all); }},
        {"a value", invalid_value, [&] { return cu.set_pool(p, pool_keeps, nullptr); }},
        {"a stream of the pool's device", invalid_handle, [&] { return cu.allocate_from_pool(&a, 4, p, streams[1]); }},
        {"memory", good, [&] { return cu.allocate_from_pool(&a, bytes, p, s); }},
        {"a stream of its device", invalid_handle, [&] { return cu.free_in_stream(a, streams[1]); }},
        {"its own device keeps its access", invalid_value, [&] { return access(0, 0); }},
        {"flags of access", invalid_value, [&] { return access(1, 2); }},
        {"another device may not use it", invalid_value,
         [&] {
           cu.set_context(contexts[1]);
           int const code = cu.copy(memory[1], a, 4, streams[1]);
           cu.set_context(contexts[0]);
           return code;
         }},
        {"until the pool says so", good,
         [&] {
           int code = access(1, access_read_write);
           cu.set_context(contexts[1]);
           if (code == good) code = cu.copy(memory[1], a, 4, streams[1]);
           if (code == good) code = cu.synchronize_stream(streams[1]);  // before another stream frees it
           cu.set_context(contexts[0]);
           return code;
         }},
        {"it goes as it came", invalid_value, [&] { return cu.free_in_stream(a + 4, s); }},
        {"it goes", good, [&] { return cu.free_in_stream(a, s); }}});
}

TEST_F(Rules, CopiesAndFills) {
  hold(
      {{"within the memory", invalid_value, [&] { return cu.write(m, pinned, bytes + 1, s); }},
       {"all of it", invalid_value, [&] { return cu.read(pinned, m + 4, bytes, s); }},
       {"a size that overflows", invalid_value, [&] { return cu.write(m + 4, pinned, SIZE_MAX, s); }},
       {"both of it", invalid_value, [&] { return cu.copy(m, m + bytes, 1, s); }},
       {"beyond pinned memory", invalid_value, [&] { return cu.write(m, pinned + 8, bytes, s); }},
       {"memory of the host", invalid_value, [&] { return cu.write(m, nullptr, 4, s); }},
       {"which a device's is not", invalid_value, [&] { return cu.write(m, reinterpret_cast<const void*>(m), 4, s); }},
       {"a right one", good, [&] { return cu.write(m, pinned, bytes, s); }},
       {"a peer's context", invalid_context, [&] { return cu.copy_to_peer(m, nullptr, memory[1], contexts[1], 4, s); }},
       {"of the memory", invalid_value, [&] { return cu.copy_to_peer(m, contexts[1], memory[1], contexts[1], 4, s); }},
       {"a right copy", good, [&] { return cu.copy_to_peer(m, contexts[0], memory[1], contexts[1], bytes, s); }},
       {"fills have an alignment", invalid_value, [&] { return cu.fill_16(m + 1, 1, 2, s); }},
       {"of a word", invalid_value, [&] { return cu.fill_32(m + 2, 1, 2, s); }},
       {"within the memory, counted in words", invalid_value, [&] { return cu.fill_32(m, 1, bytes / 4 + 1, s); }},
       {"a pitch of words", invalid_value, [&] { return cu.fill_column_32(m, 6, 1, 1, 2, s); }},
       {"no less than a row", invalid_value, [&] { return cu.fill_column_32(m, 4, 1, 2, 2, s); }},
       {"rows that end", invalid_value, [&] { return cu.fill_column_32(m, 16, 1, 1, bytes / 16 + 1, s); }},
       {"a right column", good, [&] { return cu.fill_column_32(m + 12, 16, 1, 1, bytes / 16, s); }},
       {"a counter has an alignment", invalid_value, [&] { return cu.write_in_stream(s, m + 2, 1, 0); }},
       {"and is a device's or pinned", invalid_value,
        [&] { return cu.write_in_stream(s, reinterpret_cast<device_address>(pageable), 1, 0); }},
       {"flags of its write", invalid_value, [&] { return cu.write_in_stream(s, m, 1, 2); }}});
}

TEST_F(Rules, Boxes) {
  hold({{"a right box", good, [&] { return copied([](box_copy&) {}); }},
        {"the height holds all rows", invalid_value, [&] { return copied([](box_copy& b) { b.to.height = 1; }); }},
        {"those before them, too", invalid_value, [&] { return copied([](box_copy& b) { b.to.y = 5; }); }},
        {"on the other side, too", invalid_value, [&] { return copied([](box_copy& b) { b.from.height = 0; }); }},
        {"the pitch holds a row", invalid_value, [&] { return copied([](box_copy& b) { b.to.pitch = 3; }); }},
        {"what is before it, too", invalid_value, [&] { return copied([](box_copy& b) { b.from.x_bytes = 5; }); }},
        {"no pitch is longer", invalid_value,
         [&] { return copied([](box_copy& b) { b.to.pitch = std::size_t{1} << 31; }); }},
        {"it lies in the memory", invalid_value, [&] { return copied([](box_copy& b) { b.to.z = 4; }); }},
        {"nothing overflows", invalid_value, [&] { return copied([](box_copy& b) { b.to.z = SIZE_MAX / 2; }); }},
        {"a level is an array's", invalid_value, [&] { return copied([](box_copy& b) { b.to.level = 1; }); }},
        {"a context", invalid_value, [&] { return copied([](box_copy& b) { b.to.context = nullptr; }); }},
        {"of the memory", invalid_value, [&] { return copied([this](box_copy& b) { b.to.context = contexts[1]; }); }},
        {"a kind of memory", invalid_value, [&] { return copied([](box_copy& b) { b.to.memory_type = 7; }); }},
        {"some bytes", invalid_value, [&] { return copied([](box_copy& b) { b.depth = 0; }); }}});
}

const char* const kernels = R"(
AMITY_KERNEL void plain(AMITY_GLOBAL int* x) { x[0] = 1; }
extern "C" __global__ void __launch_bounds__(64) few(int* x) { x[0] = 2; }
AMITY_KERNEL void has(AMITY_GLOBAL int* x) { AMITY_SHARED_ARRAY(char, own, 32 << 10); own[0] = 3; x[0] = own[0]; }
)";

struct KernelRules : Rules {
  module_handle module = nullptr;
  function_handle plain = nullptr, few = nullptr, has = nullptr;

  void SetUp() override {
    Rules::SetUp();
    std::string why;
    auto const by = compilers_for({9, 0}, 13000, why);
    ASSERT_FALSE(by.empty()) << why;
    detail::program_text text;
    text.source = kernels;
    text.name = "kernels";
    auto const made = compile(*by[0].by, text, options_of(text, by[0]), "kernels");
    ASSERT_EQ(cu.load_module(&module, made.code.data(), 0, nullptr, nullptr), good);
    for (const auto& [linker_name, signature] : made.kernels) {
      function_handle& to = linker_name == "few" ? few : linker_name.find("has") != std::string::npos ? has : plain;
      ASSERT_EQ(cu.function(&to, module, linker_name.c_str()), good);
    }
  }

  int launched(function_handle f, const dim3& grid, const dim3& block, unsigned shared) {
    void* argument = &memory[0];
    return cu.launch(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, s, &argument, nullptr);
  }
};

TEST_F(KernelRules, Launches) {
  void* none = nullptr;
  hold({{"a right one", good, [&] { return launched(plain, 1, 1, 0); }},
        {"a grid has a size", invalid_value,
         [&] {
           return launched(plain, {1, 0, 1}, 1, 0);
         }},
        {"a grid's y ends", invalid_value,
         [&] {
           return launched(plain, {1, 65536}, 1, 0);
         }},
        {"and its z", invalid_value,
         [&] {
           return launched(plain, {1, 1, 65536}, 1, 0);
         }},
        {"and its x", invalid_value, [&] { return launched(plain, 0x80000000u, 1, 0); }},
        {"a block ends", invalid_value, [&] { return launched(plain, 1, 1025, 0); }},
        {"as a whole", invalid_value,
         [&] {
           return launched(plain, 1, {64, 32}, 0);
         }},
        {"and its z first", invalid_value,
         [&] {
           return launched(plain, 1, {1, 1, 65}, 0);
         }},
        {"a kernel may take fewer", launch_out_of_resources, [&] { return launched(few, 1, 65, 0); }},
        {"as many it takes", good, [&] { return launched(few, 1, 64, 0); }},
        {"arguments", invalid_value, [&] { return cu.launch(plain, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr); }},
        {"each of them", invalid_value, [&] { return cu.launch(plain, 1, 1, 1, 1, 1, 1, 0, s, &none, nullptr); }},
        {"a function", invalid_handle, [&] { return launched(nullptr, 1, 1, 0); }},
        {"a program goes", good, [&] { return cu.unload_module(module); }},
        {"once", invalid_handle, [&] { return cu.unload_module(module); }},
        {"its functions with it", invalid_handle, [&] { return launched(plain, 1, 1, 0); }}});
}

/// The attribute is of the function: what one sets holds for all that have it.
TEST_F(KernelRules, SharedMemory) {
  const auto set = [&](function_handle f, int n) { return cu.set_function(f, function_dynamic_shared, n); };
  int own = 0;
  ASSERT_EQ(cu.function_attribute(&own, function_own_shared, has), good);
  EXPECT_EQ(own, 32 << 10);
  hold({{"48 KiB may be had", good, [&] { return launched(plain, 1, 1, 48 << 10); }},
        {"no more unasked", invalid_value, [&] { return launched(plain, 1, 1, (48 << 10) + 1); }},
        {"its own counts", invalid_value, [&] { return launched(has, 1, 1, (16 << 10) + 1); }},
        {"asked", good, [&] { return set(plain, 100 << 10); }},
        {"then it may be had", good, [&] { return launched(plain, 1, 1, 100 << 10); }},
        {"another asks for less", good, [&] { return set(plain, 60 << 10); }},
        {"which holds for all", invalid_value, [&] { return launched(plain, 1, 1, 100 << 10); }},
        {"not more than the device has", invalid_value, [&] { return set(plain, (200 << 10) + 1); }},
        {"its own counts there, too", invalid_value, [&] { return set(has, 200 << 10); }},
        {"the rest", good, [&] { return set(has, 168 << 10); }},
        {"what can be set", invalid_value, [&] { return cu.set_function(plain, function_threads, 1); }}});
}

TEST_F(KernelRules, Modules) {
  module_handle made = nullptr;
  function_handle f = nullptr;
  hold({{"an image", invalid_value, [&] { return cu.load_module(&made, nullptr, 0, nullptr, nullptr); }},
        {"of a program", invalid_image, [&] { return cu.load_module(&made, "what is it?", 0, nullptr, nullptr); }},
        {"options", invalid_value, [&] { return cu.load_module(&made, "what is it?", 1, nullptr, nullptr); }},
        {"PTX has code", invalid_ptx, [&] { return cu.load_module(&made, "//\n.version 8.0\n", 0, nullptr, nullptr); }},
        {"a name", invalid_value, [&] { return cu.function(&f, module, nullptr); }},
        {"that is there", not_found, [&] { return cu.function(&f, module, "nowhere"); }}});
}

TEST_F(KernelRules, Graphs) {
  graph_handle g = nullptr;
  launchable_graph l = nullptr;
  hold({{"an end has a beginning", illegal_state, [&] { return cu.end_capture(s, &g); }},
        {"a mode", invalid_value, [&] { return cu.begin_capture(s, 3); }},
        {"a beginning", good, [&] { return cu.begin_capture(s, capture_relaxed); }},
        {"one at a time", illegal_state, [&] { return cu.begin_capture(s, capture_relaxed); }},
        {"nobody asks", capture_unsupported, [&] { return cu.query_stream(s); }},
        {"or all was in vain", capture_invalidated, [&] { return cu.end_capture(s, &g); }},
        {"once more", good, [&] { return cu.begin_capture(s, capture_relaxed); }},
        {"what is captured is looked at", invalid_value,
         [&] {
           return launched(plain, {1, 65536}, 1, 0);
         }},
        {"and taken", good, [&] { return launched(plain, 1, 1, 0); }},
        {"the end", good, [&] { return cu.end_capture(s, &g); }},
        {"flags", invalid_value, [&] { return cu.make_launchable(&l, g, 64); }},
        {"a graph", good, [&] { return cu.make_launchable(&l, g, 0); }},
        {"a stream of its device", invalid_handle, [&] { return cu.launch_graph(l, streams[1]); }},
        {"a launch", good, [&] { return cu.launch_graph(l, s); }},
        {"and while it runs", good, [&] { return cu.launch_graph(l, s); }},
        {"it goes", good, [&] { return cu.destroy_graph(g); }},
        {"once", invalid_value, [&] { return cu.destroy_graph(g); }},
        {"and what was made of it", good, [&] { return cu.destroy_launchable(l); }},
        {"once, too", invalid_value, [&] { return cu.launch_graph(l, s); }}});
}

/// In a process of its own, as ctest runs each test: the device is of no use afterwards.
TEST_F(KernelRules, KernelsUseTheirDevicesMemory) {
  void* argument = &memory[1];
  ASSERT_EQ(cu.launch(plain, 1, 1, 1, 1, 1, 1, 0, s, &argument, nullptr), good);
  EXPECT_EQ(cu.synchronize_stream(s), illegal_address);
  EXPECT_EQ(cu.fill_8(m, 1, 4, s), illegal_address);
}

}  // namespace
}  // namespace amity::accel::cuda
