// A team: threads that have nothing to do help another with what it computes, part by part. Parts
// divide outputs, rows or heads and never a sum, so no bit depends on who computes them.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <vector>

#include "threads.h"

namespace regard {

// Multiplications of the least part that is worth another thread: some microseconds.
#ifndef LEAST_PART  // a test shares everything
#define LEAST_PART (1 << 18)
#endif

// A function that is called while this is an argument.
class Condition {
 public:
  template <class Function>
  Condition(const Function& holds)
      : what_(&holds), call_([](const void* what) { return (*static_cast<const Function*>(what))(); }) {}
  bool operator()() const { return call_(what_); }

 private:
  const void* what_;
  bool (*call_)(const void*);
};

using Compute = void (*)(const void* what, int64_t first, int64_t end);

#ifdef __wasm__

struct Bell {
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point NEVER = Clock::time_point::max();
};

struct Team {
  static void share(Team*, int64_t count, int64_t, const void* what, Compute compute) {
    compute(what, 0, count);
  }
  void help(Condition done, Bell::Clock::time_point = Bell::NEVER) {
    if (!done()) throw std::runtime_error("there is no thread to wait for");
  }
  void wake() {}
  void rest() {}
};

inline std::shared_ptr<Team> team_of(int) { return std::make_shared<Team>(); }

template <class Function>
void in_threads(int, Function function) {
  function();
}

#else

// Where threads wait: for a moment awake, since one that sleeps comes back late, then asleep, since
// beside a busy process one that is awake keeps a processor from those that have work.
class Bell {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point NEVER = Clock::time_point::max();
  static constexpr std::chrono::microseconds AWAKE{100};  // longer than between two products

  void wait(Condition holds, Clock::time_point end = NEVER) {
    const auto until = std::min(end, Clock::now() + AWAKE);
    do {
      for (int i = 0; i < 32; i++) {
        if (holds()) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
      }
      std::this_thread::yield();
    } while (Clock::now() < until);
    std::unique_lock<std::mutex> lock(mutex_);
    sleepers_++;
    if (end == NEVER)
      rung_.wait(lock, holds);
    else
      rung_.wait_until(lock, end, holds);
    sleepers_--;
  }

  // After what is waited for has changed.
  void ring() {
    if (sleepers_ == 0) return;
    { std::lock_guard<std::mutex> lock(mutex_); }
    rung_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  std::atomic<int> sleepers_{0};
};

class Team : public std::enable_shared_from_this<Team> {
 public:
  explicit Team(int spare = 0) : spare_(spare) {}

  // Computes all of `count`, which is worth so many `parts`, in parts that threads which help may
  // take; nothing is thrown. What a second thread shares meanwhile it does alone, and so does one
  // without a team.
  static void share(Team* team, int64_t count, int64_t parts, const void* what, Compute compute) {
    if (team == nullptr || std::min(count, parts) < 2 || !team->offer(count, parts, what, compute))
      compute(what, 0, count);
  }

  // Computes what others share until it is `done` or the time is over.
  void help(Condition done, Bell::Clock::time_point until = Bell::NEVER) {
    helpers_++;
    while (!done() && (until == Bell::NEVER || Bell::Clock::now() < until))
      if (!take()) offered_.wait([&] { return has_parts() || done(); }, until);
    helpers_--;
  }

  // After what a helper waits for is done.
  void wake() { offered_.ring(); }

  // Threads of its own leave, which no one waits for; others come with the next part for them.
  void rest() {
    rests_++;
    wake();
  }

 private:
  static constexpr int EACH = 4;         // parts for each thread, of which one may be slow
  // Least parts that are worth waking a thread, though it be for a few large ones, such as heads: a
  // prompt of 1,000 tokens takes 0.7 of the time.
  static constexpr int LEAST_CALL = 16;
  // After a wait for a thread that others keep from its processor, so many times as long alone.
  static constexpr int PATIENCE = 16;
  static constexpr uint64_t NEXT_OFFER = uint64_t{1} << 32;

  // False where no one helps, or helps another already.
  bool offer(int64_t count, int64_t worth, const void* what, Compute compute) {
    if ((helpers_ == 0 && spare_ == 0) || is_taken_.exchange(true)) return false;
    const bool has_help = Bell::Clock::now() >= alone_until_ && start();
    if (has_help) {
      what_ = what;
      compute_ = compute;
      count_ = count;
      unfinished_ = all_ = std::min<int64_t>({count, worth, EACH * (helpers_ + 1)});
      parts_ += NEXT_OFFER + all_;
      if (worth >= LEAST_CALL) offered_.ring();
      while (take()) continue;
      const auto before = Bell::Clock::now();
      finished_.wait([this] { return unfinished_ == 0; });
      const auto now = Bell::Clock::now();
      if (now - before > Bell::AWAKE) alone_until_ = now + PATIENCE * (now - before);
    }
    is_taken_ = false;
    return has_help;
  }

  // Whether anyone helps, now that its own threads have been called.
  bool start() {
    const int number = rests_;
    try {
      for (int left = std::exchange(started_, number) == number ? 0 : spare_; left > 0; left--)
        std::thread([team = shared_from_this(), number] {
          team->help([&] { return team->rests_ != number; });
        }).detach();
    } catch (...) {  // those that began help
    }
    return helpers_ > 0;
  }

  bool has_parts() const { return parts_ % NEXT_OFFER != 0; }

  // Computes a part, if there is one. Until it is finished the offer stands.
  bool take() {
    uint64_t parts = parts_;
    do {
      if (parts % NEXT_OFFER == 0) return false;
    } while (!parts_.compare_exchange_weak(parts, parts - 1));
    const int64_t end = static_cast<int64_t>(parts % NEXT_OFFER);
    compute_(what_, count_ * (end - 1) / all_, count_ * end / all_);
    if (--unfinished_ == 0) finished_.ring();
    return true;
  }

  const int spare_;
  int started_ = -1;  // before which rest
  std::atomic<bool> is_taken_{false};
  std::atomic<int> helpers_{0}, rests_{0};
  std::atomic<uint64_t> parts_{0};  // the number of the offer and, below, its parts not yet taken
  std::atomic<int64_t> unfinished_{0};
  const void* what_ = nullptr;
  Compute compute_ = nullptr;
  int64_t count_ = 0, all_ = 0;
  Bell::Clock::time_point alone_until_{};
  Bell offered_, finished_;
};

// A team with so many threads of its own, from the first part for them until it is let go.
inline std::shared_ptr<Team> team_of(int spare) {
  auto team = std::make_shared<Team>(spare);
  return {team.get(), [team](Team*) { team->rest(); }};
}

// Calls a function in so many threads, or as many as there are to be had, of which the calling one
// is the first. Their first exception is thrown.
template <class Function>
void in_threads(int threads, Function function) {
  std::mutex mutex;
  std::exception_ptr error;
  auto guarded = [&] {
    try {
      function();
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < threads; i++) others.emplace_back(guarded);
  } catch (...) {  // those that began do the work
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

#endif

}  // namespace regard
