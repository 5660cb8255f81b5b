// A model: its config, which is checked, and its parts.
#pragma once
#include "models/decoder.h"
#include "models/encoder.h"
#include "models/head.h"

namespace regard {

struct Model {
  Model(const regard_config& config, const Weights& weights, const Kernels& kernels)
      : config(checked(config)), kernels(kernels) {
    if (config.kind != REGARD_DECODER) encoder = Encoder(config, weights);
    if (config.kind != REGARD_ENCODER) decoder = Decoder(config, weights);
    if (!writes()) head = Head(config, weights);
  }

  // Else it reads for a head.
  bool writes() const { return config.kind != REGARD_ENCODER && config.head_outputs == 0; }
  bool has_source() const { return config.kind == REGARD_ENCODER_DECODER; }
  bool reads_sounds() const { return config.sound_length > 0; }
  void check_reads_texts() const {
    if (reads_sounds()) throw Mistake("this model reads sounds");
  }
  void check_reads_sounds() const {
    if (!reads_sounds()) throw Mistake("this model reads texts, or images");
  }

  const regard_config config;
  const Kernels& kernels;
  Encoder encoder;
  Decoder decoder;
  Head head;

 private:
  static const regard_config& checked(const regard_config& c) {
    struct Field {
      const char* name;
      int32_t value, least, most;
    };
    constexpr int32_t kMost = 1 << 24;  // so that no product of two sizes overflows
    for (const Field& field : std::initializer_list<Field>{
             {"kind", c.kind, REGARD_ENCODER_DECODER, REGARD_ENCODER},
             {"vocab_size", c.vocab_size, 1, kMost},
             {"target_vocab_size", c.target_vocab_size, 1, kMost},
             {"d_model", c.d_model, 1, 1 << 20},
             {"d_ff", c.d_ff, 1, 1 << 22},
             {"encoder_layers", c.encoder_layers, 0, 4096},
             {"decoder_layers", c.decoder_layers, 0, 4096},
             {"encoder_heads", c.encoder_heads, 1, 4096},
             {"decoder_heads", c.decoder_heads, 1, 4096},
             {"decoder_key_heads", c.decoder_key_heads, 1, c.decoder_heads},
             {"encoder_head_dim", c.encoder_head_dim, 1, 4096},
             {"decoder_head_dim", c.decoder_head_dim, 1, 4096},
             {"activation", c.activation, 1, 6},
             {"max_positions", c.max_positions, 1, kMost},
             {"position_offset", c.position_offset, 0, kMost},
             {"relative_reach", c.relative_reach, -1, kMost},
             {"start_id", c.start_id, 0, std::max(1, c.target_vocab_size) - 1},
             {"token_types", c.token_types, 0, kMost},
             {"image_length", c.image_length, 0, c.kind == REGARD_ENCODER ? kMost : 0},
             {"patch_width", c.patch_width, 0, kMost},
             {"sound_length", c.sound_length, 0, c.kind == REGARD_ENCODER_DECODER ? 1 << 20 : 0},
             {"mel_bins", c.mel_bins, c.sound_length > 0, 1 << 16},
             {"head_outputs", c.head_outputs, 0, kMost},
             {"head_activation", c.head_activation, 0, 6},
             {"precision", c.precision, 0, 3},
             {"experts", c.experts, 0, 1 << 16},
             {"expert_d_ff", c.expert_d_ff, c.experts > 0, 1 << 22},
         })
      if (field.value < field.least || field.value > field.most)
        throw Mistake(std::string(field.name) + " must be from " + std::to_string(field.least) +
                      " to " + std::to_string(field.most) + "; got " +
                      std::to_string(field.value));
    if (c.decoder_heads % c.decoder_key_heads != 0)
      throw Mistake("decoder_heads must be a multiple of decoder_key_heads");
    return c;
  }
};

}  // namespace regard
