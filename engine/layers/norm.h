// Normalization of hidden states, LayerNorm and RMSNorm, and of queries or keys.
#pragma once
#include <algorithm>

#include "layers/linear.h"

namespace regard {

class NormLayer {
 public:
  NormLayer() = default;
  NormLayer(const Weights& weights, const std::string& name, int width, bool centers, float epsilon)
      : width_(width),
        centers_(centers),
        epsilon_(epsilon),
        weight_(rows_of(weights(name + ".weight", 1, width))) {
    std::fill_n(bias_.need(stride_of(width)), stride_of(width), 0.0f);
    if (Tensor bias = weights.if_any(name + ".bias", 1, width)) bias_ = rows_of(bias);
  }

  explicit operator bool() const { return width_ > 0; }

  // x (rows, stride) → y, which may be x.
  void operator()(Work& work, const float* x, int rows, float* y) const {
    work.kernels.normalize(norm(), x, stride_of(width_), rows, y);
  }
  Norm norm() const { return {weight_.data(), bias_.data(), width_, centers_, epsilon_}; }

 private:
  int width_ = 0;
  bool centers_ = true;
  float epsilon_ = 0;
  Buffer<float> weight_, bias_;
};

// RMSNorm of queries or keys: of each head, or of all as one vector, by the length of its weight.
class HeadsNorm {
 public:
  HeadsNorm() = default;
  // The zeros behind a head are normalized with it, so what divides its sum of squares is too large
  // by `excess`.
  HeadsNorm(const Weights& weights, const std::string& name, Axis heads, float epsilon) {
    if (!weights.has(name)) return;
    const bool whole = weights.columns(name) == heads.total();
    const Axis part = whole ? heads : Axis{1, heads.size};
    const Tensor weight = weights(name, 1, part.total());
    const float excess = static_cast<float>(part.width()) / static_cast<float>(part.total());
    std::fill_n(bias_.need(part.width()), part.width(), 0.0f);
    std::fill_n(weight_.need(part.width()), part.width(), 0.0f);
    for (int i = 0; i < part.total(); i++)
      weight_.data()[part.place(i)] = weight.at(0, i) / std::sqrt(excess);
    norm_ = {weight_.data(), bias_.data(), part.width(), false, epsilon / excess};
    parts_ = whole ? 1 : heads.groups;
  }

  // Rows of heads, (rows, stride), in place.
  void operator()(Work& work, float* x, size_t stride, int rows) const {
    for (int r = 0; parts_ > 0 && r < rows; r++, x += stride)
      work.kernels.normalize(norm_, x, norm_.width, parts_, x);
  }

 private:
  friend class Gradient;
  Buffer<float> weight_, bias_;
  Norm norm_{};
  int parts_ = 0;
};

}  // namespace regard
