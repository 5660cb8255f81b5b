// A head: what a model makes of its last states, such as labels.
#pragma once
#include "layers/transformer.h"

namespace regard {

// Pooling by attention: a learned vector attends to all states for y, of which y + f(norm(y)) is made.
class AttentionPooling {
 public:
  AttentionPooling() = default;
  AttentionPooling(const regard_config& config, const Weights& weights)
      : attention_(weights, "head.pool.cross_attention", config.d_model, config.encoder_heads,
                   config.encoder_heads, config.encoder_head_dim,
                   {config.score_scale, config.score_cap}, true,
                   static_cast<Precision>(config.precision), config.norm_eps),
        norm_(weights, "head.pool.norm", config.d_model, !config.rms_norm, config.norm_eps),
        feed_forward_(weights, "head.pool.feed_forward", config, config.d_ff),
        probe_(rows_of(weights("head.pool.probe", 1, config.d_model))) {}

  explicit operator bool() const { return attention_.heads() > 0; }

  // The states of an image in work.states, (length, stride) → one row, there.
  void operator()(Work& work, size_t stride, int length) const {
    Texts image;
    image.lengths = {length};
    image.positions.resize(length);
    attention_.remember(work, work.states.data(), stride, image, {&work.memory});
    const size_t query_stride = attention_.input().stride(), width = stride_of(attention_.width());
    float* query = place_for(work.projected, query_stride);
    attention_.project(work, probe_.data(), stride, 1, query);
    float *attended = work.attended.need(width), *x = work.states.data();
    work.now.kind = REGARD_CROSS, work.now.of_decoder = 0, work.now.layer = 0;
    attention_.attend(work, query, query_stride, 1, work.memory, Sight(), RelativeBias(),
                      image.positions.data(), image.positions.data(), attended, width);
    attention_.output()(work, attended, width, 1, x);
    norm_(work, x, 1, work.normed.need(stride));
    feed_forward_.add(work, work.normed.data(), stride, 1, x);
  }

 private:
  MultiHeadAttention attention_;
  NormLayer norm_;
  FeedForward feed_forward_;
  Buffer<float> probe_;
};

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
    if (weights.has("head.pool.probe")) pool = AttentionPooling(config, weights);
    if (config.head_outputs == 0) return;
    const char* name = weights.has("head.output.weight") ? "head.output" : "embed.tokens";
    output_ = Linear(weights, {{name, outputs}}, inner, precision);
    output_.set_bias(weights.if_any("head.bias", 1, config.head_outputs));
  }

  int outputs() const { return outputs_; }

  AttentionPooling pool;  // of states whose row the head reads, where the model has it

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
