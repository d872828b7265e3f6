// A process that speaks UCX, and knows where another one is reached, but not the job's secret.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

#include <chrono>
#include <string>
#include <vector>

#include "amity/net/internal/engine.hpp"
#include "amity/net/internal/salt.hpp"

namespace amity::net {
namespace {

constexpr char secret[] = "0123456789abcdef0123456789abcdef";
constexpr std::size_t secret_bytes = sizeof secret - 1;
constexpr char transports[] = "posix,sysv,cma";
constexpr unsigned message_id = 1;

struct header {
  std::uint64_t code, word;
  std::uint32_t from, mark;
};

// What the engine has said.
std::vector<std::uint64_t> codes;
std::vector<std::size_t> sizes;
int strangers = 0, losses = 0;

const engine_events events{
    .arrived =
        [](void*, int, const message_header& h, const std::byte*, std::size_t size) noexcept {
          codes.push_back(h.code);
          sizes.push_back(size);
        },
    .arrived_large =
        [](void*, int, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
          codes.push_back(h.code);
          sizes.push_back(size);
          free(bytes);
        },
    .lost = [](void*, int, const char*) noexcept { ++losses; },
    .taken_away = [](void*) noexcept {},
    .take_buffer = [](std::size_t size) noexcept { return static_cast<std::byte*>(malloc(size)); },
    .give_buffer = [](std::byte* bytes) noexcept { free(bytes); },
    .stranger = [](void*, const char*, const char*) noexcept { ++strangers; },
};

class UcxPlugin : public testing::Test {
 protected:
  void SetUp() override {
    void* const library = dlopen(AMITY_UCX_PLUGIN, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    engine_.table = static_cast<const engine*>(dlsym(library, "amity_engine"));
    ASSERT_NE(engine_.table, nullptr);
    engine_facts facts{};
    facts.size = 2;
    facts.one_node = true;
    facts.is_watched = facts.shares_memory = [](void*, int) noexcept { return true; };
    facts.ucx_within = transports;
    facts.ucx_between = "";
    facts.secret = secret;
    facts.secret_bytes = secret_bytes;
    facts.events = &events;
    std::string address(most_address, '\0');
    engine_.instance = engine_.table->open(facts, address.data(), address.size());
    if (engine_.instance == nullptr) GTEST_SKIP() << address.c_str();
    address.resize(address.find('\0'));
    for (int rank : {0, 1}) ASSERT_EQ(engine_.know(rank, address.c_str()), nullptr);
    connect(address);
  }
  void TearDown() override {
    if (stranger_ != nullptr) {
      await(ucp_ep_close_nb(endpoint_, UCP_EP_CLOSE_MODE_FLUSH));
      ucp_worker_destroy(stranger_);
      ucp_cleanup(context_);
    }
    if (engine_.instance != nullptr) engine_.close();
  }

  // As the engine itself does it.
  void send(const header& h, std::size_t header_size, std::size_t size) {
    const auto what_came = [] { return static_cast<std::size_t>(strangers) + codes.size(); };
    std::size_t const before = what_came();
    std::vector<char> const bytes(size, 'x');
    ucp_request_param_t how{};
    await(ucp_am_send_nbx(endpoint_, message_id, &h, header_size, bytes.data(), size, &how));
    // The first message waits until both sides are connected.
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (what_came() == before && std::chrono::steady_clock::now() < end) poll();
  }

  open_engine engine_;

 private:
  void connect(const std::string& address) {
    ucp_config_t* config = nullptr;
    ASSERT_EQ(ucp_config_read(nullptr, nullptr, &config), UCS_OK);
    ASSERT_EQ(ucp_config_modify(config, "TLS", transports), UCS_OK);
    ucp_params_t wishes{};
    wishes.field_mask = UCP_PARAM_FIELD_FEATURES;
    wishes.features = UCP_FEATURE_AM;
    ASSERT_EQ(ucp_init(&wishes, config, &context_), UCS_OK);
    ucp_config_release(config);
    ucp_worker_params_t worker{};
    ASSERT_EQ(ucp_worker_create(context_, &worker, &stranger_), UCS_OK);
    std::string raw;
    for (std::size_t i = 0; i + 1 < address.size(); i += 2)
      raw += static_cast<char>(std::stoi(address.substr(i, 2), nullptr, 16));
    ucp_ep_params_t how{};
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    how.address = reinterpret_cast<const ucp_address_t*>(raw.data());
    ASSERT_EQ(ucp_ep_create(stranger_, &how, &endpoint_), UCS_OK);
  }
  void poll() {
    ucp_worker_progress(stranger_);
    engine_.poll();
  }
  void await(void* request) {
    ASSERT_FALSE(UCS_PTR_IS_ERR(request));
    if (request == nullptr) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) poll();
    ucp_request_free(request);
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h stranger_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
};

TEST_F(UcxPlugin, TakesOnlyWhatBearsTheSecretsMark) {
  constexpr std::uint64_t code = 0x1234567890;
  salt const right = salt_of(secret, secret_bytes, 1), of_another = salt_of(secret, secret_bytes, 0);
  constexpr std::size_t small = 8, large = 1 << 20;  // UCX asks where a large one is to be put
  int turned_away = 0;
  for (std::size_t size : {small, large}) {
    for (const header& h : {header{code, 0, 1, 0}, header{code, 0, 1, of_another.mark}, header{code, 0, 7, right.mark},
                            header{code, 0, ~std::uint32_t{0}, 0}}) {
      send(h, sizeof h, size);
      EXPECT_EQ(strangers, ++turned_away);
    }
    header const h{code, 0, 1, right.mark};
    for (std::size_t header_size : {std::size_t{0}, sizeof h - 4}) {
      send(h, header_size, size);
      EXPECT_EQ(strangers, ++turned_away);
    }
    EXPECT_TRUE(codes.empty());
    send({code ^ right.of_codes, 0, 1, right.mark}, sizeof h, size);
    EXPECT_EQ(codes, std::vector<std::uint64_t>{code});
    EXPECT_EQ(sizes, std::vector<std::size_t>{size});
    codes.clear();
    sizes.clear();
  }
  EXPECT_EQ(strangers, turned_away);
  EXPECT_EQ(losses, 0);
}

}  // namespace
}  // namespace amity::net
