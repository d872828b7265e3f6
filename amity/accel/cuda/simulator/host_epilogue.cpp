// What stands behind each source: from each kernel, how the driver calls it. No part of the build.
struct amity_kernel {
  const char* name;
  void (*run)(void**);
  unsigned parameters;
  const std::size_t* sizes;
  const char* const* types;
  bool has_barriers;
  void* address;
};
struct amity_need {
  unsigned most_threads;
  const char *shared, *shared_end;
};
struct amity_made_for {
  int architecture, version;
};
template <class T>
constexpr const char* amity_type() {
  if (std::is_pointer_v<T>) return "u64";
  if (std::is_same_v<T, float>) return "f32";
  if (std::is_same_v<T, double>) return "f64";
  if (!std::is_arithmetic_v<T>) return "b8";
  return sizeof(T) == 1 ? "u8" : sizeof(T) == 2 ? "u16" : sizeof(T) == 4 ? "u32" : "u64";
}
template <auto F>
struct amity_call;
template <class... P, void (*F)(P...)>
struct amity_call<F> {
  static constexpr std::size_t sizes[] = {sizeof(P)..., 0};
  static constexpr const char* types[] = {amity_type<P>()..., nullptr};
  template <std::size_t... I>
  static void go(void** arguments, std::index_sequence<I...>) {
    F(*static_cast<std::remove_const_t<P>*>(arguments[I])...);
  }
  static void run(void** arguments) { go(arguments, std::index_sequence_for<P...>()); }
};
template <auto F>
amity_kernel amity_entry(void* f, bool has_barriers) {
  using call = amity_call<F>;
  constexpr unsigned n = sizeof call::types / sizeof call::types[0] - 1;
  return {nullptr, call::run, n, call::sizes, call::types, has_barriers, f};
}
static void amity_name_kernels(amity_kernel* k) {
  for (Dl_info info; k->run != nullptr; ++k)
    if (k->name == nullptr && dladdr(k->address, &info) != 0) k->name = info.dli_sname;
}
