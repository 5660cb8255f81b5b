// The encoder: texts → the states of their tokens, which see each other.
#pragma once
#include "layers/transformer.h"

namespace regard {

class Encoder {
 public:
  Encoder() = default;
  Encoder(const regard_config& config, const Weights& weights)
      : stack_(weights, "encoder", config,
               {config.encoder_layers, config.encoder_heads, config.encoder_heads,
                config.encoder_head_dim, config.vocab_size, false}) {}

  // The states of texts, (rows, stride), in work.states.
  const float* operator()(Work& work, const Texts& texts) const {
    TextMemory memory;
    auto attend = [&](size_t layer, const float* projected, float* y) {
      const MultiHeadAttention& attention = stack_.layers()[layer].self_attention;
      size_t stride = attention.input().stride(), y_stride = stride_of(attention.width());
      const int32_t* positions = texts.positions.data();
      for (int count : texts.lengths) {
        const float* keys = projected + attention.width();
        attention.remember([&](int i) { return keys + i * stride; }, count, memory);
        attention.attend(work, projected, stride, count, memory, {}, stack_.relative_bias(),
                         positions, positions, y, y_stride);
        projected += count * stride;
        y += count * y_stride;
        positions += count;
      }
    };
    return stack_(work, texts.ids.data(), texts.positions.data(), texts.rows(), attend,
                  [](size_t, const float*, float*) {});
  }

 private:
  Stack stack_;
};

}  // namespace regard
