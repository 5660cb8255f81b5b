// A learned bias on scores for each head and distance (T5).
#pragma once
#include "weights.h"
#include "work.h"

namespace regard {

// Beyond `reach` all distances share a bias. Which distances share one below it is decided where
// the model is loaded: the tensor has a row for each, from -reach to reach.
class RelativeBias {
 public:
  RelativeBias() = default;
  RelativeBias(const Weights& weights, const std::string& name, int heads, int reach)
      : reach_(reach) {
    Tensor by_distance = weights(name, 2 * static_cast<int64_t>(reach) + 1, heads);
    table_.need(heads * entries());
    for (int h = 0; h < heads; h++)
      for (size_t i = 0; i < entries(); i++)
        table_.data()[h * entries() + i] = by_distance.at(i, h);
  }

  size_t entries() const { return 2 * static_cast<size_t>(reach_) + 1; }
  // Of a head; without a bias, an empty one.
  Distances of(int head, const int32_t* keys, const int32_t* queries) const {
    const float* table = table_.data();
    if (table != nullptr) table += head * entries() + reach_;
    return {table, reach_, keys, queries};
  }

 private:
  int reach_ = 0;
  Buffer<float> table_;
};

}  // namespace regard
