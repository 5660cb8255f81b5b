// Rotary positions: query and key are rotated by angles that grow with their positions.
#pragma once
#include "layers/attention.h"

namespace regard {

class Rotary {
 public:
  Rotary() = default;
  // `frequencies` are radians per position of each pair of a head's first numbers, for each kind of
  // positions, and `layers`, where it is there, has the number of each layer's, from 1, or 0 for
  // layers without positions; `factor` multiplies what is rotated.
  Rotary(const Weights& weights, const std::string& name, int layers, int head_dim, float factor)
      : factor_(factor), kinds_(layers, 1) {
    const int64_t pairs = weights.columns(name + ".frequencies");
    if (pairs < 0 || pairs > head_dim / 2)
      throw Mistake(name + ".frequencies must be of at most " + std::to_string(head_dim / 2) +
                    " pairs; got " + std::to_string(pairs));
    if (pairs == 0 || layers == 0) return;
    pairs_ = pairs;
    if (const Tensor kinds = weights.if_any(name + ".layers", 1, layers))
      for (int i = 0; i < layers; i++) {
        const float kind = kinds.at(0, i);
        if (!(kind >= 0 && kind <= static_cast<float>(layers)))
          throw Mistake(name + ".layers must be from 0 to " + std::to_string(layers));
        kinds_[i] = static_cast<int>(kind);
      }
    const int last = std::max(1, *std::max_element(kinds_.begin(), kinds_.end()));
    const Tensor frequencies = weights(name + ".frequencies", last, pairs);
    for (int k = 0; k < last; k++)
      for (int i = 0; i < pairs; i++) frequencies_.push_back(frequencies.at(k, i));
  }

  explicit operator bool() const { return !frequencies_.empty(); }
  bool rotates(size_t layer) const { return !frequencies_.empty() && kinds_[layer] > 0; }

  // Of rows at these positions; the same for all layers of a kind.
  void prepare(Work& work, const int32_t* positions, int rows) const {
    float* to = work.angles.need(2 * frequencies_.size() * rows);
    for (size_t first = 0; first < frequencies_.size(); first += pairs_)
      for (int r = 0; r < rows; r++, to += 2 * pairs_)
        for (size_t i = 0; i < pairs_; i++) {
          float angle = static_cast<float>(positions[r]) * frequencies_[first + i];
          to[i] = std::cos(angle) * factor_;
          to[pairs_ + i] = std::sin(angle) * factor_;
        }
  }

  // The queries and keys, in a layer, of rows that have been prepared.
  void operator()(Work& work, size_t layer, const MultiHeadAttention& attention, float* projected,
                  int rows) const {
    work.kernels.rotate(projected, attention.input().stride(), rows,
                        attention.heads() + attention.key_heads(), attention.head_width(),
                        static_cast<int>(pairs_),
                        work.angles.data() + (kinds_[layer] - 1) * 2 * pairs_ * rows);
  }

 private:
  float factor_ = 1;
  size_t pairs_ = 0;
  std::vector<float> frequencies_;  // (kinds, pairs)
  std::vector<int> kinds_;          // of each layer, from 1; 0: none
};

}  // namespace regard
