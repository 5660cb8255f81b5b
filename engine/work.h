// What a thread computes with: the kernels, and memory that is used again and again.
#pragma once
#include <cmath>
#include <exception>
#include <memory>
#include <vector>

#include "buffer.h"
#include "kernels/kernels.h"
#include "threads.h"

namespace regard {

// Rows of numbers are as long as whole panels, with zeros to the next multiple of LANES.
inline size_t stride_of(size_t width) { return up_to(width, PANEL); }

// Keys and values of one text in one layer: transposed keys, (heads · head width, padded), so that
// a query meets 16 keys at once; they are transposed once for all steps.
struct TextMemory {
  Buffer<float> keys, values;
  int count = 0;
};

struct Work {
  explicit Work(const Kernels& kernels) : kernels(kernels) {}

  const Kernels& kernels;
  Buffer<float> states, normed, added, wide, attended, projected, last, logits, scores, angles;
  Buffer<int8_t> integers;
  Buffer<float> row_scales;
  Buffer<int32_t> row_sums;
  TextMemory memory;  // of a text that is read at once
};

// The largest log-probabilities of logits with their tokens, largest first; there are fewer where
// the rest is impossible: -infinity.
inline void likeliest(const Kernels& kernels, const float* logits, int vocab, int best,
                      float* log_probs, int32_t* ids) {
  float largest, log_of_sum;
  kernels.log_sum(logits, vocab, &largest, &log_of_sum);
  const int found = kernels.top(logits, vocab, best, log_probs, ids);
  for (int i = 0; i < best; i++) {
    log_probs[i] = i < found ? log_probs[i] - largest - log_of_sum : -INFINITY;
    ids[i] = i < found ? ids[i] : 0;
  }
}

// Things that no thread uses, whose memory is warm: a short text alone takes an eighth less time.
template <class Thing, class Source>
class Idle {
 public:
  explicit Idle(const Source& source) : source_(source) {}

  std::unique_ptr<Thing> take() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (things_.empty()) return std::make_unique<Thing>(source_);
    std::unique_ptr<Thing> thing = std::move(things_.back());
    things_.pop_back();
    return thing;
  }
  void give(std::unique_ptr<Thing> thing) {
    std::lock_guard<std::mutex> lock(mutex_);
    things_.push_back(std::move(thing));
  }

 private:
  const Source& source_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Thing>> things_;
};

// Calls a function in so many threads, or as many as there are to be had, of which the calling one
// is the first: `function(true)` there, else `function(false)`. Their first exception is thrown.
#ifdef __wasm__
template <class Function>
void in_threads(int, Function function) {
  function(true);
}
#else
template <class Function>
void in_threads(int threads, Function function) {
  std::mutex mutex;
  std::exception_ptr error;
  auto guarded = [&](bool is_first) {
    try {
      function(is_first);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < threads; i++) others.emplace_back(guarded, false);
  } catch (...) {  // those that began do the work
  }
  guarded(true);
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}
#endif

}  // namespace regard
