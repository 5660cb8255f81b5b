// The decoder: tokens, one after another → the logits of the next. Alone it is a language model;
// of an encoder–decoder it attends to the encoder's states too.
#pragma once
#include "layers/transformer.h"

namespace regard {

class Decoder {
 public:
  Decoder() = default;
  Decoder(const regard_config& config, const Weights& weights)
      : stack_(weights, "decoder", config,
               {config.decoder_layers, config.decoder_heads, config.decoder_key_heads,
                config.decoder_head_dim, config.target_vocab_size,
                config.kind == REGARD_ENCODER_DECODER}),
        scale_(config.scale_output ? 1 / std::sqrt(static_cast<float>(config.d_model)) : 1.0f) {
    const char* name = config.tied_output ? "decoder.embed.tokens" : "output";
    Axis vocab{1, config.target_vocab_size}, states{1, config.d_model};
    output_ = Linear(weights, {{name, vocab}}, states, static_cast<Precision>(config.precision));
    output_.set_bias(weights.if_any("logits_bias", 1, config.target_vocab_size));
  }

  const Stack& stack() const { return stack_; }

  // States, (rows, stride), which are changed → logits, (rows, logits_stride()).
  float* logits(Work& work, float* states, int rows) const {
    if (scale_ != 1) work.kernels.scale(states, rows * stack_.stride(), scale_);
    float* logits = work.logits.need(rows * output_.stride());
    output_(work, states, stack_.stride(), rows, logits);
    return logits;
  }
  size_t logits_stride() const { return output_.stride(); }

 private:
  Stack stack_;
  Linear output_;
  float scale_ = 1;
};

}  // namespace regard
