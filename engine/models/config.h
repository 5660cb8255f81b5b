// The sizes of a model's config, checked.
#pragma once
#include <initializer_list>

#include "weights.h"

namespace regard {

inline const regard_config& checked(const regard_config& c) {
  struct Field {
    const char* name;
    int32_t value, least, most;
  };
  constexpr int32_t kMost = 1 << 24;  // so that no product of two sizes overflows
  for (const Field& field : std::initializer_list<Field>{
           {"vocab_size", c.vocab_size, 0, kMost},
           {"target_vocab_size", c.target_vocab_size, 0, kMost},
           {"d_model", c.d_model, 1, 1 << 20},
           {"d_ff", c.d_ff, 1, 1 << 22},
           {"encoder_layers", c.encoder_layers, 0, 4096},
           {"decoder_layers", c.decoder_layers, 0, 4096},
           {"encoder_heads", c.encoder_heads, 0, 4096},
           {"decoder_heads", c.decoder_heads, 0, 4096},
           {"encoder_head_dim", c.encoder_head_dim, 0, 4096},
           {"decoder_head_dim", c.decoder_head_dim, 0, 4096},
           {"activation", c.activation, 1, 5},
           {"max_positions", c.max_positions, 0, kMost},
           {"position_offset", c.position_offset, 0, kMost},
           {"relative_reach", c.relative_reach, -1, kMost},
           {"token_types", c.token_types, 0, kMost},
           {"image_length", c.image_length, 0, kMost},
           {"patch_width", c.patch_width, 0, kMost},
           {"head_outputs", c.head_outputs, 0, kMost},
           {"head_activation", c.head_activation, 0, 5},
           {"precision", c.precision, 0, 2},
       })
    if (field.value < field.least || field.value > field.most)
      throw Mistake(std::string(field.name) + " must be from " + std::to_string(field.least) +
                    " to " + std::to_string(field.most) + "; got " +
                    std::to_string(field.value));
  return c;
}

}  // namespace regard
