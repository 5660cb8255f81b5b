// The encoder: texts, images or sounds → the states of their parts, which see each other.
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
    if (config.sound_length > 0) {
      const Axis states{1, config.d_model};
      const auto precision = static_cast<Precision>(config.precision);
      every_ = Linear(weights, {{"embed.every", states}}, Axis{1, 3 * config.mel_bins}, precision,
                      Activation::GELU);
      second_ = Linear(weights, {{"embed.second", states}}, Axis{3, config.d_model}, precision,
                       Activation::GELU);
      places_ = rows_of(weights("embed.positions.weight", config.sound_length, config.d_model));
    }
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

  // Frames of sounds, (count, 2 length, bands). A convolution reads a frame between its neighbors,
  // which lie side by side: it is a product with rows that overlap.
  Texts embed_sounds(Work& work, const float* frames, int count, int length, int bands) const {
    const size_t stride = stack_.stride(), width = up_to(every_.outputs(), LANES);
    const size_t heard = static_cast<size_t>(2) * length, taken = heard * bands;
    float* x = work.states.need(count * length * stride);
    for (int i = 0; i < count; i++, frames += taken, x += length * stride) {
      float* near = work.wide.need(taken + 2 * bands + LANES);
      std::fill_n(near, bands, 0.0f);
      std::fill_n(std::copy_n(frames, taken, near + bands), bands + LANES, 0.0f);
      float* every = work.added.need(heard * stride);
      every_(work, near, bands, static_cast<int>(heard), every);
      float* rows = work.wide.need((heard + 2) * width + LANES);
      std::fill_n(rows, width, 0.0f);
      for (size_t r = 0; r < heard; r++)
        std::copy_n(every + r * stride, width, rows + (r + 1) * width);
      std::fill_n(rows + (heard + 1) * width, width + LANES, 0.0f);
      std::copy_n(places_.data(), length * stride, x);
      second_(work, rows, 2 * width, length, x, Into::ADD);
    }
    Texts sounds;
    sounds.lengths.assign(count, length);
    sounds.positions.resize(static_cast<size_t>(count) * length);
    return sounds;
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
  friend class Gradient;
  static const char* embedding(const regard_config& config) {
    if (config.image_length > 0 || config.sound_length > 0) return nullptr;
    return config.kind == REGARD_ENCODER ? "embed" : "encoder.embed";
  }

  Stack stack_;
  bool is_causal_ = false;
  int first_ = 0;
  Linear patches_;         // of images
  Linear every_, second_;  // of sounds: convolutions of every frame, and of every second one
  Buffer<float> places_;   // positions of either; an image's first with the class token
  NormLayer norm_;         // of what is embedded
};

}  // namespace regard
