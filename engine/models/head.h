// A head: what a model makes of its last states, such as labels.
#pragma once
#include "layers/embeddings.h"

namespace regard {

// A dense layer, an activation, a normalization and a projection, whose weights may be the table of
// tokens: each where the model has it.
class Head {
 public:
  Head() = default;
  Head(const regard_config& config, const Weights& weights)
      : outputs_(config.head_outputs > 0 ? config.head_outputs : config.d_model) {
    const bool of_tokens = weights.has("head.bias");  // its last projection is their table
    const int width = of_tokens ? Embedding::width_of(weights, "embed", config) : config.d_model;
    const Axis states{1, config.d_model}, inner{1, width}, outputs{1, config.head_outputs};
    const auto precision = static_cast<Precision>(config.precision);
    for (std::string name : {"head.dense", "head.pooler.dense"})
      if (weights.has(name + ".weight"))
        dense_ = Linear(weights, {{name, inner}}, states, precision,
                        static_cast<Activation>(config.head_activation));
    if (weights.has("head.norm.weight"))
      norm_ = std::make_unique<NormLayer>(weights, "head.norm", width, !config.rms_norm,
                                          config.norm_eps);
    if (config.head_outputs == 0) return;
    const char* name = weights.has("head.output.weight") ? "head.output" : "embed.tokens";
    output_ = Linear(weights, {{name, outputs}}, inner, precision);
    output_.set_bias(weights.if_any("head.bias", 1, config.head_outputs));
  }

  int outputs() const { return outputs_; }

  // States in work.states → (rows, stride_of(outputs())).
  const float* operator()(Work& work, size_t stride, int rows) const {
    const float* x = work.states.data();
    if (dense_.outputs() > 0) {
      float* dense = work.normed.need(rows * dense_.stride());
      dense_(work, x, stride, rows, dense);
      if (norm_) (*norm_)(work, dense, rows, dense);
      x = dense;
      stride = dense_.stride();
    }
    if (output_.outputs() == 0) return x;
    float* logits = work.logits.need(rows * output_.stride());
    output_(work, x, stride, rows, logits);
    return logits;
  }

 private:
  int outputs_ = 0;
  Linear dense_, output_;
  std::unique_ptr<NormLayer> norm_;
};

}  // namespace regard
