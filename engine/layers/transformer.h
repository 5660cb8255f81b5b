// A Transformer: a stack of layers, each of attention and a feed-forward network, added to the
// residual stream.
#pragma once
#include <functional>

#include "layers/embeddings.h"
#include "layers/experts.h"
#include "layers/rotary.h"

namespace regard {

// Settings in which the stacks of a model differ.
struct Side {
  int layers, heads, key_heads, head_dim;
  bool has_cross;
  const char* embed;  // null: what is read is embedded elsewhere
  int vocab;
};

// Of what a sub-layer reads, or of the sum, and of its output before it is added: one of them, or both.
struct SublayerNorms {
  NormLayer norm, output;
};

struct TransformerLayer {
  // An encoder's first layer may read what its embedding has normalized.
  TransformerLayer(const Weights& weights, const std::string& name, const regard_config& config,
                   const Side& side, bool reads_normed) {
    auto attention = [&](const char* kind, bool is_cross) {
      return MultiHeadAttention(weights, name + kind, config.d_model, side.heads, side.key_heads,
                                side.head_dim, {config.score_scale, config.score_cap}, is_cross,
                                static_cast<Precision>(config.precision), config.norm_eps);
    };
    auto norms = [&](const std::string& kind) {
      const std::string own = name + kind + "_norm", output = name + kind + "_output_norm";
      auto made = [&](const std::string& path) {
        return NormLayer(weights, path, config.d_model, !config.rms_norm, config.norm_eps);
      };
      SublayerNorms both;
      if (weights.has(output + ".weight")) both.output = made(output);
      if (!both.output || weights.has(own + ".weight")) both.norm = made(own);
      return both;
    };
    self_attention = attention(".self_attention", false);
    if (!reads_normed) self_attention_norms = norms(".self_attention");
    if (side.has_cross) {
      cross_attention = attention(".cross_attention", true);
      cross_attention_norms = norms(".cross_attention");
    }
    if (weights.has(name + ".feed_forward.router.weight"))
      experts = Experts(weights, name + ".feed_forward", config);
    else
      feed_forward = FeedForward(weights, name + ".feed_forward", config, config.d_ff);
    feed_forward_norms = norms(".feed_forward");
  }

  MultiHeadAttention self_attention, cross_attention;
  SublayerNorms self_attention_norms, cross_attention_norms, feed_forward_norms;
  FeedForward feed_forward;
  Experts experts;  // or these
};

class Stack {
 public:
  using Attend = std::function<void(size_t layer, const float* projected, float* y)>;

  Stack() = default;
  Stack(const Weights& weights, const std::string& name, const regard_config& config,
        const Side& side)
      : rotary_(weights, name + ".rotary", side.layers, side.head_dim, config.rotary_factor),
        norm_first_(config.norm_first),
        is_decoder_(name == "decoder"),
        width_(config.d_model),
        stride_(stride_of(config.d_model)) {
    if (side.embed != nullptr) embed_ = Embedding(weights, side.embed, config, side.vocab);
    if (config.relative_reach >= 0)
      relative_bias_ = RelativeBias(weights, name + ".relative_bias.table", side.heads,
                                    config.relative_reach);
    for (int i = 0; i < side.layers; i++)
      layers_.emplace_back(weights, name + ".layers." + std::to_string(i), config, side,
                           i == 0 && config.kind == REGARD_ENCODER && config.norm_first &&
                               config.embedding_norm);
    windows_.resize(side.layers);
    if (const Tensor windows = weights.if_any(name + ".windows", 1, side.layers))
      for (int i = 0; i < side.layers; i++)
        windows_[i] = windows.at(0, i) > 0 ? static_cast<int>(std::min(windows.at(0, i), 1e9f)) : 0;
    if (norm_first_)
      norm_ = NormLayer(weights, name + ".norm", config.d_model, !config.rms_norm, config.norm_eps);
  }

  const std::vector<TransformerLayer>& layers() const { return layers_; }
  const RelativeBias& relative_bias() const { return relative_bias_; }
  size_t stride() const { return stride_; }
  // Tokens that a token of a layer sees before it, or behind it.
  int reach(size_t layer) const { return windows_[layer] > 0 ? windows_[layer] - 1 : Sight::ALL; }

  // Rows of tokens → the first layer's input, in work.states. Without types, they are 0.
  void embed(Work& work, const int32_t* ids, const int32_t* positions, const int32_t* types,
             int rows) const {
    embed_(work, ids, positions, types, rows, work.states.need(rows * stride_));
  }

  // Whole texts in work.states → their last states, there. What tokens see of their text is up to
  // `sight`, of a layer's number; `attend_memory` is as below.
  float* operator()(Work& work, const Texts& texts, const std::function<Sight(size_t)>& sight,
                    const Attend& attend_memory) const {
    Attend attend = [&](size_t layer, const float* projected, float* y) {
      const MultiHeadAttention& attention = layers_[layer].self_attention;
      const size_t stride = attention.input().stride(), y_stride = stride_of(attention.width());
      const int32_t* positions = texts.positions.data();
      for (int count : texts.lengths) {
        attention.remember(work, projected + attention.width(), stride, count, work.memory);
        attention.attend(work, projected, stride, count, work.memory, sight(layer), relative_bias_,
                         positions, positions, y, y_stride);
        projected += count * stride;
        y += count * y_stride;
        positions += count;
      }
    };
    return (*this)(work, texts.positions.data(), texts.rows(), attend, attend_memory);
  }

  // Rows in work.states → their last states, (rows, stride), there. How rows see each other and
  // the memory is up to `attend` and `attend_memory`: of a layer's number, its projections and the
  // place for what is attended to.
  float* operator()(Work& work, const int32_t* positions, int rows, const Attend& attend,
                    const Attend& attend_memory) const {
    float* x = work.states.data();
    if (rotary_) rotary_.prepare(work, positions, rows);
    for (size_t i = 0; i < layers_.size(); i++) {
      const TransformerLayer& layer = layers_[i];
      tell_states(i, rows, x);
      auto attention = [&](const MultiHeadAttention& module, const Attend& attended_by) {
        return [&](const float* input, float* y) {
          float* projected = place_for(work.projected, rows * module.input().stride());
          module.project(work, input, stride_, rows, projected);
          if (rotary_.rotates(i) && &module == &layer.self_attention)
            rotary_(work, i, module, projected, rows);
          float* attended = work.attended.need(rows * stride_of(module.width()));
          work.now.kind = &module == &layer.self_attention ? REGARD_SELF : REGARD_CROSS;
          work.now.of_decoder = is_decoder_, work.now.layer = static_cast<int32_t>(i);
          attended_by(i, projected, attended);
          module.output()(work, attended, stride_of(module.width()), rows, y, Into::ADD);
        };
      };
      sublayer(work, layer.self_attention_norms, rows, x, attention(layer.self_attention, attend));
      if (layer.cross_attention.heads() > 0)
        sublayer(work, layer.cross_attention_norms, rows, x,
                 attention(layer.cross_attention, attend_memory));
      sublayer(work, layer.feed_forward_norms, rows, x, [&](const float* input, float* y) {
        work.now.of_decoder = is_decoder_, work.now.layer = static_cast<int32_t>(i);
        if (layer.experts.count() > 0)
          layer.experts.add(work, input, stride_, rows, y);
        else
          layer.feed_forward.add(work, input, stride_, rows, y);
      });
    }
    tell_states(layers_.size(), rows, x);
    if (norm_first_) {
      work.keep(x, rows * stride_);
      norm_(work, x, rows, x);
    }
    return x;
  }

 private:
  friend class Gradient;
  void tell_states(size_t layer, int rows, float* x) const {
    if (!is_listened_to()) return;
    regard_attention what{};
    what.kind = REGARD_STATES, what.of_decoder = is_decoder_;
    what.layer = static_cast<int32_t>(layer), what.queries = rows, what.head_dim = width_;
    what.output = x, what.output_stride = stride_;
    tell(what);
  }

  // x + f(norm(x)), or norm(x + f(x)), where f may end with a norm; add(x, y) adds f(x) to y.
  template <class Function>
  void sublayer(Work& work, const SublayerNorms& norms, int rows, float* x, Function add) const {
    const size_t count = rows * stride_;
    const float* input = x;
    work.keep(x, count);
    if (norm_first_ && norms.norm) {
      norms.norm(work, x, rows, work.normed.need(count));
      input = work.normed.data();
    }
    if (norms.output) {
      float* y = work.added.need(count);
      std::fill_n(y, count, 0.0f);
      add(input, y);
      norms.output(work, y, rows, y);
      for (size_t i = 0; i < count; i++) x[i] += y[i];
    } else {
      add(input, x);
    }
    if (!norm_first_ && norms.norm) {
      work.keep(x, count);
      norms.norm(work, x, rows, x);
    }
  }

  Embedding embed_;
  Rotary rotary_;
  std::vector<TransformerLayer> layers_;
  NormLayer norm_;
  RelativeBias relative_bias_;
  std::vector<int> windows_;  // of each layer; 0: none
  bool norm_first_ = false, is_decoder_ = false;
  int width_ = 0;
  size_t stride_ = 0;
};

}  // namespace regard
