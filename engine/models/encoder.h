// The encoder: texts, or images, → the states of their tokens or patches, which see each other.
#pragma once
#include "layers/transformer.h"

namespace regard {

class Encoder {
 public:
  Encoder() = default;
  Encoder(const regard_config& config, const Weights& weights)
      : stack_(weights, "encoder", config,
               {config.encoder_layers, config.encoder_heads, config.encoder_heads,
                config.encoder_head_dim, false, embedding(config), config.vocab_size}),
        is_causal_(weights.has("encoder.causal")) {
    if (config.image_length == 0) return;
    patches_ = Linear(weights, {{"embed.patches", Axis{1, config.d_model}}},
                      Axis{1, config.patch_width}, static_cast<Precision>(config.precision));
    places_ = rows_of(weights("embed.positions", config.image_length, config.d_model));
    if (const Tensor token = weights.if_any("embed.class_token", 1, config.d_model)) {
      first_ = 1;
      for (int i = 0; i < config.d_model; i++) places_.data()[i] += token.at(0, i);
    }
    if (weights.has("embed.norm.weight"))
      norm_ = NormLayer(weights, "embed.norm", config.d_model, !config.rms_norm, config.norm_eps);
  }

  // The place of an image's first patch: behind the class token, if there is one.
  int first() const { return first_; }

  void embed(Work& work, const Texts& texts) const {
    stack_.embed(work, texts.ids.data(), texts.positions.data(),
                 texts.types.empty() ? nullptr : texts.types.data(), texts.rows());
  }

  // Patches of images.
  void embed(Work& work, const float* patches, int images, int length, int width) const {
    const size_t stride = stack_.stride(), in = stride_of(width);
    float* const states = work.states.need(images * length * stride);
    float* x = states;
    for (int i = 0; i < images; i++, x += length * stride) {
      std::copy_n(places_.data(), length * stride, x);
      float* padded = work.wide.need(length * in);
      for (int p = first_; p < length; p++, patches += width)
        std::fill(std::copy_n(patches, width, padded + p * in), padded + (p + 1) * in, 0.0f);
      patches_(work, padded + first_ * in, in, length - first_, x + first_ * stride, Into::ADD);
    }
    if (norm_) norm_(work, states, images * length, states);
  }

  // What is embedded → its states, (rows, stride), in work.states.
  const float* operator()(Work& work, const Texts& texts) const {
    return stack_(
        work, texts,
        [this](size_t layer) {
          return Sight{0, stack_.reach(layer), is_causal_ ? 0 : stack_.reach(layer)};
        },
        [](size_t, const float*, float*) {});
  }

 private:
  static const char* embedding(const regard_config& config) {
    if (config.image_length > 0) return nullptr;
    return config.kind == REGARD_ENCODER ? "embed" : "encoder.embed";
  }

  Stack stack_;
  bool is_causal_ = false;
  int first_ = 0;
  Linear patches_;        // of images
  Buffer<float> places_;  // their positions, the first with the class token
  NormLayer norm_;        // of what is embedded
};

}  // namespace regard
