// A feed-forward network.
#pragma once
#include "layers/linear.h"

namespace regard {

class FeedForward {
 public:
  FeedForward() = default;
  FeedForward(const Weights& weights, const std::string& name, const regard_config& config, int d_ff)
      : gated_(config.gated), limit_(config.gate_limit) {
    Axis states{1, config.d_model}, wide{1, d_ff};
    auto precision = static_cast<Precision>(config.precision);
    auto activation =
        limit_ > 0 ? Activation::NONE : static_cast<Activation>(config.activation);
    if (gated_) gate_ = Linear(weights, {{name + ".gate", wide}}, states, precision, activation);
    inner_ = Linear(weights, {{name + ".inner", wide}}, states, precision,
                    gated_ ? Activation::NONE : activation);
    outer_ = Linear(weights, {{name + ".outer", states}}, wide, precision);
  }

  // Added to y, (rows, stride), some rows at a time: the inner network is wide, and a text may be long.
  void add(Work& work, const float* x, size_t stride, int rows, float* y) const {
    for (int done = 0; done < rows; done += ROWS)
      add_some(work, x + done * stride, stride, std::min(ROWS, rows - done),
               y + done * outer_.stride());
  }

 private:
  friend class Gradient;
  static constexpr int ROWS = 4096;

  void add_some(Work& work, const float* x, size_t stride, int rows, float* y) const {
    float* wide = work.wide.need(rows * inner_.stride());
    if (gated_) gate_(work, x, stride, rows, wide);
    if (gated_ && limit_ > 0) {
      float* up = work.ups.need(rows * inner_.stride());
      inner_(work, x, stride, rows, up);
      work.kernels.clamped_gate(wide, up, rows * inner_.stride(), limit_);
      return outer_(work, wide, inner_.stride(), rows, y, Into::ADD);
    }
    inner_(work, x, stride, rows, wide, gated_ ? Into::MULTIPLY : Into::STORE);
    outer_(work, wide, inner_.stride(), rows, y, Into::ADD);
  }

  bool gated_ = false;
  float limit_ = 0;
  Linear gate_, inner_, outer_;
};

}  // namespace regard
