// What a thread computes with: the kernels, and memory that is used again and again.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "keeping.h"
#include "kernels/kernels.h"
#include "team.h"

namespace regard {

// Rows of numbers are as long as whole panels, with zeros to the next multiple of LANES.
inline size_t stride_of(size_t width) { return up_to(width, PANEL); }

// Keys and values of one text in one layer: transposed keys, (heads · head width, padded), so that
// a query meets 16 keys at once; they are transposed once for all steps.
struct TextMemory {
  Buffer<float> keys, values;
  int count = 0;
  // Where they are kept: a key's row, behind which its value is; null: they are not.
  const float* rows = nullptr;
  size_t stride = 0;
};

struct Work {
  explicit Work(const Kernels& kernels) : kernels(kernels) {}

  const Kernels& kernels;
  Team* team = nullptr;  // which shares what is large
  Buffer<float> states, normed, added, wide, attended, projected, last, logits, scores, angles,
      lse;
  Buffer<int8_t> integers;
  Buffer<float> row_scales, row_middles;
  Buffer<int32_t> row_sums;
  Buffer<float> row;                                  // of a table
  Buffer<float> of_distances;                         // products with the states of distances
  Buffer<float> ups;                                  // of a gate with a limit
  Buffer<float> routes, shares, gathered, of_expert;  // of a mixture of experts
  Buffer<int32_t> chosen, places;
  TextMemory memory;  // of a text that is read at once
  regard_attention now{};  // where the listener is: kind, of_decoder and layer
  std::vector<std::vector<float>>* kept = nullptr;  // what is read on the way, for a gradient

  void keep(const float* x, size_t count) {
    if (kept != nullptr) kept->emplace_back(x, x + count);
  }

  // Calls function(first, end) for all of `count`, each of so many multiplications, in parts that
  // the team may take; it throws nothing.
  template <class Function>
  void share(int64_t count, int64_t each, const Function& function) {
    Team::share(team, count, count * each / LEAST_PART, &function,
                [](const void* what, int64_t first, int64_t end) {
                  (*static_cast<const Function*>(what))(first, end);
                });
  }
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

}  // namespace regard
