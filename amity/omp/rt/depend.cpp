#include "amity/omp/rt/depend.hpp"

#include <stdlib.h>

#include <new>
#include <utility>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/rt/task_run.hpp"

namespace amity::omp {

namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

void* allocate(std::size_t bytes) noexcept {
  void* memory = base::take_private(bytes);
  if (memory == nullptr) base::fatal("out of memory for task dependences (%zu bytes)", bytes);
  return memory;
}

/// Mutual exclusion of the mutexinoutset tasks on one address: free, held, or held with others waiting. A holder hands
/// over to one waiter; a task takes its locks in the order of their addresses, so there is no circle of waiters.
struct exclusive {
  std::atomic<std::uintptr_t> word{0};  ///< 0, 1, or the last waiter | 1; waiters are linked by frame::next
  std::atomic<std::uint32_t> references{1};
};

struct edge;

/// What clang's interface shows of a node (kmp/task.cpp).
struct node_head {
  std::atomic<edge*> successors{nullptr};  ///< grows until it is `closed`
};

struct edge {
  node_head* to;
  edge* next;
};

struct edge_block {
  static constexpr unsigned size = 30;
  edge_block* next;
  edge edges[size];
};

// `successors` of a node that has finished.
edge* const closed = reinterpret_cast<edge*>(1);

}  // namespace

/// A task in the graph. It is referred to by the task until that is complete, and by its parent's table.
struct depend_node : sched::frame, node_head {
  static constexpr unsigned near_edges = 4;
  static constexpr unsigned near_locks = 2;
  static constexpr std::uint32_t collecting = 1u << 30;

  std::atomic<std::uint32_t> references{1};
  /// Predecessors that have not finished. While they are being collected it stands at `collecting` less those that did
  /// meanwhile.
  std::atomic<std::uint32_t> waits_for{collecting};
  explicit_task* owner = nullptr;  ///< null: a thread waits
  sched::fiber* waiter = nullptr;
  std::uint32_t edges_used = 0;    ///< edges that lead to this node live here
  std::uint32_t predecessors = 0;  ///< found so far; the maker's
  std::uint32_t locks_held = 0;
  std::uint32_t locks = 0;
  std::uint32_t locks_capacity = near_locks;
  edge_block* far_edges = nullptr;
  exclusive** lock = near_lock;
  edge edges[near_edges];
  exclusive* near_lock[near_locks];
};
static_assert(sizeof(depend_node) <= sched::frame_pool::size_of_class[0]);

namespace {

bool has_finished(const depend_node& n) noexcept {
  return n.successors.load(memory_order_acquire) == closed;  // pairs with finish_depending
}

void release(exclusive& e) noexcept {
  if (e.references.fetch_sub(1, memory_order_acq_rel) == 1) race::free_unseen(&e);
}

void drop_edges(depend_node& n) noexcept {
  for (edge_block* b = n.far_edges; b != nullptr;) {
    edge_block* const next = b->next;
    race::free_unseen(b);
    b = next;
  }
}

void release(thread* t, depend_node& n) noexcept {
  // Acquire: what the others did with it. The last one needs no read-modify-write.
  if (n.references.load(memory_order_acquire) != 1 && n.references.fetch_sub(1, memory_order_acq_rel) != 1) return;
  drop_edges(n);
  for (std::uint32_t i = 0; i < n.locks; ++i) release(*n.lock[i]);
  if (n.lock != n.near_lock) race::free_unseen(n.lock);
  if (t != nullptr)
    t->tasks.give(&n, 0);
  else
    sched::frame_pool::give_home(&n, 0);
}

/// For the parent, about its own tables. One that may have been started is counted up by an atomic operation.
void refer_to(depend_node& n) noexcept {
  if (n.waits_for.load(memory_order_relaxed) == depend_node::collecting)
    n.references.store(n.references.load(memory_order_relaxed) + 1, memory_order_relaxed);
  else
    n.references.fetch_add(1, memory_order_relaxed);
}

/// Nodes of one generation.
class node_set {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] depend_node* last() const noexcept { return count_ == 0 ? nullptr : items()[count_ - 1]; }

  void add(thread& t, depend_node& n) noexcept {
    if (count_ == capacity()) {
      drop_finished(&t);
      if (2 * count_ >= capacity()) grow();
    }
    refer_to(n);
    items()[count_++] = &n;
  }

  void clear(thread* t) noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) release(t, *items()[i]);
    if (capacity_ != 0) race::free_unseen(many_);
    count_ = capacity_ = 0;
    one_ = nullptr;
  }

  /// Calls `f` for each node that has not finished, and forgets the others.
  template <class F>
  void visit(thread* t, F f) noexcept {
    drop_finished(t);
    for (std::uint32_t i = 0; i < count_; ++i) f(*items()[i]);
  }

 private:
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_ == 0 ? 1 : capacity_; }
  [[nodiscard]] depend_node** items() noexcept { return capacity_ == 0 ? &one_ : many_; }
  [[nodiscard]] depend_node* const* items() const noexcept { return capacity_ == 0 ? &one_ : many_; }

  void drop_finished(thread* t) noexcept {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      depend_node* const n = items()[i];
      if (has_finished(*n))
        release(t, *n);
      else
        items()[kept++] = n;
    }
    count_ = kept;
  }

  void grow() noexcept {
    std::uint32_t const larger = capacity_ == 0 ? 4 : 2 * capacity_;
    auto** memory = static_cast<depend_node**>(allocate(larger * sizeof(depend_node*)));
    for (std::uint32_t i = 0; i < count_; ++i) memory[i] = items()[i];
    if (capacity_ != 0) race::free_unseen(many_);
    many_ = memory;
    capacity_ = larger;
  }

  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;  ///< 0: room for one, in place
  union {
    depend_node* one_ = nullptr;
    depend_node** many_;
  };
};

struct access {
  void* address = nullptr;
  bool used = false;
  depend_kind kind = depend_kind::out;  ///< of `latest`
  exclusive* lock = nullptr;
  node_set latest;
  node_set before;
};

}  // namespace

/// By address, open addressing, at most half full.
struct depend_table {
  access* slots = nullptr;
  std::uint32_t capacity = 0;
  std::uint32_t used = 0;
  depend_node* everything = nullptr;  ///< the last task on omp_all_memory: all that follow wait for it
};

namespace {

access* slot_for(depend_table& table, void* address) noexcept {
  // Fibonacci hashing of the whole address: tasks may well depend on neighbouring bytes.
  std::uint64_t const hash = reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u;
  std::uint32_t i = static_cast<std::uint32_t>(hash >> 32) & (table.capacity - 1);
  while (table.slots[i].used && table.slots[i].address != address) i = (i + 1) & (table.capacity - 1);
  return &table.slots[i];
}

access* find(depend_table& table, void* address) noexcept {
  if (table.capacity == 0) return nullptr;
  access* const a = slot_for(table, address);
  return a->used ? a : nullptr;
}

void resize(depend_table& table, std::uint32_t capacity) noexcept {
  access* const old = table.slots;
  std::uint32_t const count = table.capacity;
  table.slots = static_cast<access*>(allocate(capacity * sizeof(access)));
  table.capacity = capacity;
  for (std::uint32_t i = 0; i < capacity; ++i) new (&table.slots[i]) access;
  for (std::uint32_t i = 0; i < count; ++i)
    if (old[i].used) *slot_for(table, old[i].address) = old[i];  // bits move; the old ones are not destroyed
  race::free_unseen(old);
}

access& find_or_add(thread& t, depend_table& table, void* address) noexcept {
  if (2 * (table.used + 1) > table.capacity) resize(table, table.capacity == 0 ? 16 : 2 * table.capacity);
  access* const a = slot_for(table, address);
  if (!a->used) {
    a->used = true;
    a->address = address;
    ++table.used;
    if (table.everything != nullptr) a->before.add(t, *table.everything);
  }
  return *a;
}

void clear_accesses(thread* t, depend_table& table) noexcept {
  for (std::uint32_t i = 0; i < table.capacity; ++i) {
    access& a = table.slots[i];
    if (!a.used) continue;
    a.latest.clear(t);
    a.before.clear(t);
    if (a.lock != nullptr) release(*a.lock);
    a.lock = nullptr;
    a.used = false;
  }
  table.used = 0;
}

void forget_all(depend_table& table) noexcept {
  thread* const t = current_thread;
  clear_accesses(t, table);
  if (table.everything != nullptr) release(t, *table.everything);
  table.everything = nullptr;
}

depend_table& table_of(task& parent) noexcept {
  if (parent.siblings == nullptr) parent.siblings = new (allocate(sizeof(depend_table))) depend_table;
  return *parent.siblings;
}

edge& new_edge(depend_node& to) noexcept {
  std::uint32_t const i = to.edges_used++;
  if (i < depend_node::near_edges) return to.edges[i];
  std::uint32_t const far = (i - depend_node::near_edges) % edge_block::size;
  if (far == 0) {
    auto* b = static_cast<edge_block*>(allocate(sizeof(edge_block)));
    b->next = to.far_edges;
    to.far_edges = b;
  }
  return to.far_edges->edges[far];
}

/// `to` waits for `from`, unless that has finished.
void connect(depend_node& from, depend_node& to) noexcept {
  if (&from == &to) return;
  edge* head = from.successors.load(memory_order_acquire);  // pairs with finish_depending
  if (head == closed) return;
  // Another name for the same pair: nobody else adds edges to `from` before all of ours are there.
  if (reinterpret_cast<std::uintptr_t>(head) - reinterpret_cast<std::uintptr_t>(to.edges) < sizeof to.edges) return;
  edge& e = new_edge(to);
  e.to = &to;
  do {
    e.next = head;
    // Release: the edge; pairs with finish_depending. Acquire: the work of `from`, if it has finished.
    if (from.successors.compare_exchange_weak(head, &e, memory_order_acq_rel, memory_order_acquire)) {
      ++to.predecessors;
      if (cold::any()) [[unlikely]]
        ompt::task_depends(*from.owner, to.owner);
      return;
    }
  } while (head != closed);
  // The edge is not used; its place is given back with the node.
}

/// All predecessors are known. True: none of them is left.
bool is_ready(depend_node& n) noexcept {
  if (n.predecessors == 0) {
    n.waits_for.store(0, memory_order_relaxed);
    return true;
  }
  std::uint32_t const surplus = depend_node::collecting - n.predecessors;
  return n.waits_for.fetch_sub(surplus, memory_order_acq_rel) == surplus;  // pairs with arrive
}

void add_lock(depend_node& n, access& a) noexcept {
  if (a.lock == nullptr) a.lock = new (allocate(sizeof(exclusive))) exclusive;
  std::uint32_t at = n.locks;
  for (std::uint32_t i = 0; i < n.locks; ++i)
    if (n.lock[i] == a.lock) return;
  if (n.locks == n.locks_capacity) {
    n.locks_capacity *= 2;
    auto** larger = static_cast<exclusive**>(allocate(n.locks_capacity * sizeof(exclusive*)));
    for (std::uint32_t i = 0; i < n.locks; ++i) larger[i] = n.lock[i];
    if (n.lock != n.near_lock) race::free_unseen(n.lock);
    n.lock = larger;
  }
  a.lock->references.fetch_add(1, memory_order_relaxed);
  for (; at > 0 && reinterpret_cast<std::uintptr_t>(n.lock[at - 1]) > reinterpret_cast<std::uintptr_t>(a.lock); --at)
    n.lock[at] = n.lock[at - 1];
  n.lock[at] = a.lock;
  ++n.locks;
}

/// True if an access of this kind joins the latest generation.
bool joins(const access& a, depend_kind kind) noexcept {
  return kind != depend_kind::out && a.kind == kind && a.latest.size() != 0;
}

void enter(thread& t, depend_table& table, depend_node& n, const dependence& d) noexcept {
  access& a = find_or_add(t, table, d.address);
  if (a.latest.last() == &n && (a.kind == d.kind || d.kind == depend_kind::in)) return;  // the same task names it twice
  if (!joins(a, d.kind)) {
    if (a.latest.size() != 0) {
      a.before.clear(&t);
      a.before = a.latest;
      a.latest = node_set{};
    }
    a.kind = d.kind;
  }
  a.before.visit(&t, [&n](depend_node& from) { connect(from, n); });
  if (d.kind == depend_kind::mutexinoutset) add_lock(n, a);
  a.latest.add(t, n);
}

/// All that have gone before are waited for, and need not be named again.
void enter_everything(thread& t, depend_table& table, depend_node& n) noexcept {
  for (std::uint32_t i = 0; i < table.capacity; ++i) {
    access& a = table.slots[i];
    if (!a.used) continue;
    node_set& last = a.latest.size() != 0 ? a.latest : a.before;
    last.visit(&t, [&n](depend_node& from) { connect(from, n); });
  }
  if (table.everything != nullptr) {
    connect(*table.everything, n);
    release(&t, *table.everything);
  }
  clear_accesses(&t, table);
  refer_to(n);
  table.everything = &n;
}

/// Edges to a node that nobody else will wait for.
void collect(thread& t, depend_table& table, depend_node& n, const dependence& d) noexcept {
  auto link = [&n](depend_node& from) { connect(from, n); };
  if (d.kind == depend_kind::everything) {
    for (std::uint32_t i = 0; i < table.capacity; ++i)
      if (access& a = table.slots[i]; a.used) (a.latest.size() != 0 ? a.latest : a.before).visit(&t, link);
    if (table.everything != nullptr) connect(*table.everything, n);
    return;
  }
  access* const a = find(table, d.address);
  if (a == nullptr) {
    if (table.everything != nullptr) connect(*table.everything, n);
    return;
  }
  // A mutexinoutset has to exclude those of its own kind too.
  bool const beside = joins(*a, d.kind) && d.kind != depend_kind::mutexinoutset;
  (beside || a->latest.size() == 0 ? a->before : a->latest).visit(&t, link);
}

void make_ready(thread* t, explicit_task& x) noexcept {
  if (t != nullptr)
    enqueue(*t, x);
  else
    enqueue_outside(x);
}

/// `next`: the calling thread has nothing better to run than this.
void arrive(thread* t, depend_node& n, bool next) noexcept {
  explicit_task* const x = n.owner;
  sched::fiber* const waiter = n.waiter;  // looked up before: afterwards the node may be gone
  // acq_rel: the last of the predecessors passes on what all of them did
  if (n.waits_for.fetch_sub(1, memory_order_acq_rel) != 1) return;
  if (x == nullptr)
    sched::unpark(waiter);
  else if (next && t != nullptr)
    enqueue_next(*t, *x);
  else
    make_ready(t, *x);
}

/// True: held. False: `x` stands in the queue, and the task that holds the lock may have queued it already.
bool acquire(exclusive& e, explicit_task& x) noexcept {
  std::uintptr_t w = e.word.load(memory_order_relaxed);
  for (;;) {
    if (w == 0) {
      if (e.word.compare_exchange_weak(w, 1, memory_order_acquire, memory_order_relaxed)) return true;
    } else {
      x.next = reinterpret_cast<sched::frame*>(w & ~std::uintptr_t{1});
      if (e.word.compare_exchange_weak(w, reinterpret_cast<std::uintptr_t>(static_cast<sched::frame*>(&x)) | 1,
                                       memory_order_release, memory_order_relaxed))
        return false;
    }
  }
}

/// Frees the lock or gives it to a waiter. Only the holder takes waiters out, so the one it reads stays where it is.
void let_go(thread* t, exclusive& e) noexcept {
  std::uintptr_t w = e.word.load(memory_order_acquire);
  for (;;) {
    auto* const heir = reinterpret_cast<sched::frame*>(w & ~std::uintptr_t{1});
    std::uintptr_t const left = heir == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(heir->next) | 1;
    if (!e.word.compare_exchange_weak(w, left, memory_order_acq_rel, memory_order_acquire)) continue;
    if (heir != nullptr) {
      auto& x = *static_cast<explicit_task*>(heir);
      ++x.node->locks_held;
      make_ready(t, x);
    }
    return;
  }
}

}  // namespace

bool take_exclusives(explicit_task& x) noexcept {
  depend_node& n = *x.node;
  while (n.locks_held < n.locks) {
    if (!acquire(*n.lock[n.locks_held], x)) return false;
    ++n.locks_held;
  }
  return true;
}

void spawn_depending(thread& t, explicit_task& x, const dependence* d, std::size_t count) noexcept {
  if (cold::any()) [[unlikely]]
    tell_made(t, x, d, count);
  task& parent = *x.parent;
  depend_table& table = table_of(parent);
  sched::frame* const memory = t.tasks.take(0);
  if (memory == nullptr) base::fatal("out of memory for task dependences");
  sched::frame_pool* const home = memory->home;
  auto& n = *new (memory) depend_node;
  n.home = home;
  n.owner = &x;
  x.node = &n;
  x.flags |= explicit_task::depends;
  x.outer.load(memory_order_relaxed)->local += scope::whole;
  bool everything = false;
  for (std::size_t i = 0; i < count; ++i) everything |= d[i].kind == depend_kind::everything;
  if (everything)
    enter_everything(t, table, n);
  else
    for (std::size_t i = 0; i < count; ++i) enter(t, table, n, d[i]);
  if (!is_ready(n)) return;
  if (runs_at_once(t))
    execute(t, x);
  else
    enqueue(t, x);
}

namespace {

void wait_for_siblings(thread& t, const dependence* d, std::size_t count) noexcept {
  depend_table* const table = t.current->siblings;
  if (table == nullptr) return;
  depend_node n;
  n.waiter = t.fiber;
  for (std::size_t i = 0; i < count; ++i) collect(t, *table, n, d[i]);
  if (!is_ready(n))
    run_until(t, condition_wait{[&n] { return n.waits_for.load(memory_order_acquire) == 0; }}, reach::children);
  drop_edges(n);
}

/// For an OMPT tool, to which the wait is a task of its own, and for a race detector.
[[gnu::cold, gnu::noinline]] void wait_traced(thread& t, const dependence* d, std::size_t count) noexcept {
  ompt::task_record waiting;
  ompt::depend_wait_begins(t, waiting, d, count);
  wait_for_siblings(t, d, count);
  race::dependences_end(t, d, count);
  ompt::depend_wait_ends(t, waiting);
}

}  // namespace

void wait_dependences(thread& t, const dependence* d, std::size_t count) noexcept {
  if (cold::any()) [[unlikely]]
    return wait_traced(t, d, count);
  wait_for_siblings(t, d, count);
}

void finish_depending(thread* t, explicit_task& x) noexcept {
  depend_node& n = *x.node;
  for (std::uint32_t i = 0; i < n.locks; ++i) let_go(t, *n.lock[i]);
  // Acquire: the edges. Release: the task's work, for those who find it finished. Pairs with connect.
  edge* e = n.successors.exchange(closed, memory_order_acq_rel);
  bool const only =
      e != nullptr && e->next == nullptr;  // a chain stays on its thread, whose cache has what it works on
  bool const several = e != nullptr && !only;
  while (e != nullptr) {
    edge* const next = e->next;  // the edge is gone when its node runs
    arrive(t, static_cast<depend_node&>(*e->to), only);
    e = next;
  }
  // Else a thief would get one of them at once, and the others only when this thread comes by again.
  if (several && t != nullptr) t->tasks.queue.publish_all();
  x.node = nullptr;
  release(t, n);
}

void* graph_node(const explicit_task& x) noexcept {
  return x.node == nullptr ? nullptr : static_cast<node_head*>(x.node);
}
void* graph_successors(const explicit_task& x) noexcept {
  if (x.node == nullptr) return nullptr;
  edge* const head = x.node->successors.load(memory_order_acquire);  // pairs with connect
  return head == closed ? nullptr : head;
}

void forget_dependences(task& parent) noexcept {
  depend_table& table = *parent.siblings;
  forget_all(table);
  race::free_unseen(table.slots);
  race::free_unseen(&table);
  parent.siblings = nullptr;
}

void trim_dependences(task& parent) noexcept {
  depend_table& table = *parent.siblings;
  if (table.used <= 256) return;
  // A program that waits for thousands of tasks often makes as many again.
  bool const was_needed = 8 * std::uint64_t{table.used} >= table.capacity;
  if (was_needed)
    forget_all(table);
  else
    forget_dependences(parent);
}

}  // namespace amity::omp
