// Rotary positions: query and key are rotated by angles that grow with their positions.
#pragma once
#include "layers/attention.h"

namespace regard {

class Rotary {
 public:
  Rotary() = default;
  // Radians per position of each pair of a head's numbers; `factor` multiplies what is rotated.
  Rotary(const Tensor& frequencies, float factor) : factor_(factor) {
    for (int i = 0; i < frequencies.columns(); i++) frequencies_.push_back(frequencies.at(0, i));
  }

  explicit operator bool() const { return !frequencies_.empty(); }

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
};

}  // namespace regard
