// The Transformer of Attention Is All You Need: an encoder and a decoder.
#pragma once
#include "layers/transformer.h"

namespace regard {

class EncoderDecoder {
 public:
  EncoderDecoder(const regard_config& config, const Weights& weights, const Kernels& kernels)
      : config(checked(config)),
        kernels(kernels),
        encoder_(weights, "encoder", config, config.encoder_layers, config.encoder_heads,
                 config.encoder_head_dim, config.vocab_size, false),
        decoder_(weights, "decoder", config, config.decoder_layers, config.decoder_heads,
                 config.decoder_head_dim, config.target_vocab_size, true) {
    const char* output = config.tied_output ? "decoder.embed.tokens" : "output";
    output_ = Linear(weights, {output}, Axis{1, config.target_vocab_size}, Axis{1, config.d_model},
                     static_cast<Precision>(config.precision));
    output_.set_bias(weights.if_any("logits_bias", 1, config.target_vocab_size));
  }

  const Stack& decoder() const { return decoder_; }

  // The states of texts, (rows, stride), in work.states. A text's tokens see each other.
  const float* encode(Work& work, const Texts& texts) const {
    std::vector<TextMemory> memory(1);
    auto attend = [&](size_t layer, const float* projected, float* y) {
      const MultiHeadAttention& attention = encoder_.layers()[layer].self_attention;
      size_t stride = attention.input().stride(), y_stride = stride_of(attention.width());
      const int32_t* positions = texts.positions.data();
      for (int count : texts.lengths) {
        const float* keys = projected + attention.width();
        attention.remember(keys, keys + attention.width(), stride, count, memory[0]);
        attention.attend(work, projected, stride, count, memory[0], encoder_.relative_bias(),
                         positions, y, y_stride);
        projected += count * stride;
        y += count * y_stride;
        positions += count;
      }
    };
    return encoder_(work, texts.ids.data(), texts.positions.data(), texts.rows(), attend,
                    [](size_t, const float*, float*) {});
  }

  // The decoder's states, (rows, stride), which are changed → logits, (rows, logits_stride()).
  float* logits(Work& work, float* states, int rows) const {
    if (config.scale_output)
      work.kernels.scale(states, rows * decoder_.stride(),
                         1 / std::sqrt(static_cast<float>(config.d_model)));
    float* logits = work.logits.need(rows * output_.stride());
    output_(work, states, decoder_.stride(), rows, logits);
    return logits;
  }
  size_t logits_stride() const { return output_.stride(); }

  const regard_config config;
  const Kernels& kernels;

 private:
  static const regard_config& checked(const regard_config& c) {
    struct Field {
      const char* name;
      int32_t value, least, most;
    };
    constexpr int32_t kMost = 1 << 24;  // so that no product of two sizes overflows
    for (const Field& field : std::initializer_list<Field>{
             {"vocab_size", c.vocab_size, 1, kMost},
             {"target_vocab_size", c.target_vocab_size, 1, kMost},
             {"d_model", c.d_model, 1, 1 << 20},
             {"d_ff", c.d_ff, 1, 1 << 22},
             {"encoder_layers", c.encoder_layers, 0, 4096},
             {"decoder_layers", c.decoder_layers, 0, 4096},
             {"encoder_heads", c.encoder_heads, 1, 4096},
             {"decoder_heads", c.decoder_heads, 1, 4096},
             {"encoder_head_dim", c.encoder_head_dim, 1, 4096},
             {"decoder_head_dim", c.decoder_head_dim, 1, 4096},
             {"activation", c.activation, 1, 4},
             {"max_positions", c.max_positions, 1, kMost},
             {"position_offset", c.position_offset, 0, kMost},
             {"relative_reach", c.relative_reach, -1, kMost},
             {"precision", c.precision, 0, 2},
         })
      if (field.value < field.least || field.value > field.most)
        throw Mistake(std::string(field.name) + " must be from " + std::to_string(field.least) +
                      " to " + std::to_string(field.most) + "; got " +
                      std::to_string(field.value));
    return c;
  }

  Stack encoder_, decoder_;
  Linear output_;
};

}  // namespace regard
