// The Transformer of Attention Is All You Need: an encoder and a decoder.
#pragma once
#include "layers/transformer.h"
#include "models/config.h"

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
    encoder_.embed(work, texts.ids.data(), texts.positions.data(), texts.rows());
    return encoder_(work, texts);
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
  Stack encoder_, decoder_;
  Linear output_;
};

}  // namespace regard
