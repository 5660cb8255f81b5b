// Rotary positions: query and key are rotated by angles that grow with their positions.
#pragma once
#include "layers/attention.h"

namespace regard {

class Rotary {
 public:
  Rotary() = default;
  // `frequencies` are radians per position of each pair of a head's first numbers, and `layers`,
  // where it is there, is 0 for layers without positions; `factor` multiplies what is rotated.
  Rotary(const Weights& weights, const std::string& name, int layers, int head_dim, float factor)
      : factor_(factor), rotates_(layers, true) {
    const int64_t pairs = weights.columns(name + ".frequencies");
    if (pairs < 0 || pairs > head_dim / 2)
      throw Mistake(name + ".frequencies must be of at most " + std::to_string(head_dim / 2) +
                    " pairs; got " + std::to_string(pairs));
    const Tensor frequencies = weights.if_any(name + ".frequencies", 1, pairs);
    for (int i = 0; i < pairs; i++) frequencies_.push_back(frequencies.at(0, i));
    if (const Tensor rotates = weights.if_any(name + ".layers", 1, layers))
      for (int i = 0; i < layers; i++) rotates_[i] = rotates.at(0, i) != 0;
  }

  explicit operator bool() const { return !frequencies_.empty(); }
  bool rotates(size_t layer) const { return !frequencies_.empty() && rotates_[layer]; }

  // Of rows at these positions; the same for all layers.
  void prepare(Work& work, const int32_t* positions, int rows) const {
    const size_t half = frequencies_.size();
    float* to = work.angles.need(2 * half * rows);
    for (int r = 0; r < rows; r++, to += 2 * half)
      for (size_t i = 0; i < half; i++) {
        float angle = static_cast<float>(positions[r]) * frequencies_[i];
        to[i] = std::cos(angle) * factor_;
        to[half + i] = std::sin(angle) * factor_;
      }
  }

  // The queries and keys of rows that have been prepared.
  void operator()(Work& work, const MultiHeadAttention& attention, float* projected,
                  int rows) const {
    work.kernels.rotate(projected, attention.input().stride(), rows,
                        attention.heads() + attention.key_heads(), attention.head_width(),
                        static_cast<int>(frequencies_.size()), work.angles.data());
  }

 private:
  float factor_ = 1;
  std::vector<float> frequencies_;
  std::vector<bool> rotates_;  // by layer
};

}  // namespace regard
