// Threads. WebAssembly has none here, and its library of C++ no names for them: the caller's thread
// does what others cannot be had for, and what would wait for them is refused.
#pragma once
#ifndef __wasm__
#include <condition_variable>
#include <mutex>
#include <thread>
#else
#include <mutex>
#include <stdexcept>

namespace std {

struct mutex {
  void lock() {}
  void unlock() {}
};

struct thread {
  template <class Function, class... Arguments>
  explicit thread(Function, Arguments...) {
    throw runtime_error("there are no threads here");
  }
  void join() {}
};

struct condition_variable {
  void notify_one() {}
  void notify_all() {}
  template <class Condition>
  void wait(unique_lock<mutex>&, Condition holds) {
    if (!holds()) throw runtime_error("there is no thread to wait for");
  }
  template <class Duration, class Condition>
  bool wait_for(unique_lock<mutex>&, Duration, Condition holds) {
    return holds();
  }
};

}  // namespace std
#endif
