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
                config.decoder_head_dim, config.kind == REGARD_ENCODER_DECODER, "decoder.embed",
                config.target_vocab_size}),
        scale_(config.scale_output ? 1 / std::sqrt(static_cast<float>(config.d_model)) : 1.0f),
        cap_(config.output_cap) {
    if (config.head_outputs > 0) return;
    const char* name = config.tied_output ? "decoder.embed.tokens" : "output";
    Axis vocab{1, config.target_vocab_size}, states{1, config.d_model};
    output_ = Linear(weights, {{name, vocab}}, states, static_cast<Precision>(config.precision));
    output_.set_bias(weights.if_any("logits_bias", 1, config.target_vocab_size));
  }

  const Stack& stack() const { return stack_; }

  // What a layer's tokens see of a whole text.
  Sight sight(size_t layer) const { return {0, stack_.reach(layer), 0}; }

  // The states of whole texts for a head, (rows, stride), in work.states, where those of their
  // sources are, if they have any.
  const float* operator()(Work& work, const Texts& texts, const Texts* sources) const {
    const size_t stride = stack_.stride(), count = texts.rows() * stride;
    const size_t read = sources == nullptr ? 0 : sources->rows() * stride;
    if (read > 0) std::copy_n(work.states.data(), read, work.last.need(read));
    std::vector<TextMemory> memory(texts.lengths.size());
    std::vector<TextMemory*> memories;
    for (TextMemory& text : memory) memories.push_back(&text);
    stack_.embed(work, texts.ids.data(), texts.positions.data(), nullptr, texts.rows());
    float* states = stack_(
        work, texts, [this](size_t layer) { return sight(layer); },
        [&](size_t layer, const float* projected, float* y) {
          const MultiHeadAttention& attention = stack_.layers()[layer].cross_attention;
          const size_t q_stride = attention.input().stride();
          const size_t y_stride = stride_of(attention.width());
          attention.remember(work, work.last.data(), stride, *sources, memories);
          for (size_t t = 0; t < memory.size(); t++) {
            const int count = texts.lengths[t];
            attention.attend(work, projected, q_stride, count, memory[t], {}, {}, nullptr, nullptr,
                             y, y_stride);
            projected += count * q_stride;
            y += count * y_stride;
          }
        });
    if (scale_ != 1) work.kernels.scale(states, count, scale_);
    return states;
  }

  // States, (rows, stride), which are changed → logits, (rows, logits_stride()).
  float* logits(Work& work, float* states, int rows) const {
    if (scale_ != 1) work.kernels.scale(states, rows * stack_.stride(), scale_);
    return output(work, states, rows);
  }

  // Of states that have been scaled.
  float* output(Work& work, const float* states, int rows) const {
    float* logits = work.logits.need(rows * output_.stride());
    output_(work, states, stack_.stride(), rows, logits);
    if (cap_ > 0) work.kernels.cap(logits, rows * output_.stride(), cap_);
    return logits;
  }
  size_t logits_stride() const { return output_.stride(); }

 private:
  friend class Gradient;
  Stack stack_;
  Linear output_;
  float scale_ = 1, cap_ = 0;
};

}  // namespace regard
