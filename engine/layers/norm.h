// Normalization of hidden states: LayerNorm and RMSNorm.
#pragma once
#include <algorithm>

#include "weights.h"
#include "work.h"

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

  // x (rows, stride) → y, which may be x.
  void operator()(Work& work, const float* x, int rows, float* y) const {
    Norm norm{weight_.data(), bias_.data(), width_, centers_, epsilon_};
    work.kernels.normalize(norm, x, stride_of(width_), rows, y);
  }

 private:
  int width_ = 0;
  bool centers_ = true;
  float epsilon_ = 0;
  Buffer<float> weight_, bias_;
};

}  // namespace regard
