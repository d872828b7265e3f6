// `amity run --nodes N --trace-pages[=FOLDER]`: where the nodes write, and the report at the end.
#pragma once

#include <filesystem>
#include <string>

namespace amity::cli {

class page_tracing {
 public:
  // `folder`: empty: there is none, and one that lasts as long as this is made. After that, look at problem().
  explicit page_tracing(const std::string& folder);
  ~page_tracing();
  page_tracing(const page_tracing&) = delete;
  page_tracing& operator=(const page_tracing&) = delete;

  // Why nothing can be written there; empty: it can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // Has the program in this process, or in those that it starts, write there (AMITY_NODES_TRACE).
  void begin() const;
  // When the program is over: what the nodes have written, on stderr.
  void report() const;

 private:
  std::filesystem::path folder_;
  bool is_ours_ = false;  // and goes at the end
  std::string problem_;
};

}  // namespace amity::cli
