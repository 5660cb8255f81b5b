// How much the log-probability of a token hangs on each token that was read: the length of its
// gradient times the token's embedding, number by number. What norms and sub-layers read is kept on
// the way; on the way back, layer by layer, all else is computed again.
#pragma once
#include <numeric>

#include "models/model.h"

namespace regard {

class Gradient {
 public:
  explicit Gradient(const Model& model)
      : model_(model), work_(model.kernels), stride_(stride_of(model.config.d_model)) {
    const regard_config& c = model.config;
    if (!model.writes() || c.relative_reach >= 0 || c.score_cap > 0 || c.output_cap > 0 ||
        c.gate_limit > 0 || c.experts > 0)
      refuse();
    work_.kept = &kept_;
  }

  // Of a token behind a position of the target; there may be no source.
  void operator()(const Texts* source, const Texts& target, int position, int token,
                  float* of_source, float* of_target) {
    const Decoder& decoder = model_.decoder;
    if (source != nullptr) {
      model_.encoder.embed(work_, *source);
      work_.keep(model_.encoder(work_, *source), source->rows() * stride_);
      memory_ = taken(), d_memory_.resize(memory_.size());
    }
    const int vocab = model_.config.target_vocab_size;
    float* p = decoder.output(work_, decoder(work_, target, source) + position * stride_, 1);
    work_.kernels.softmax(p, vocab);
    Rows d(target.rows() * stride_), of_logits(decoder.logits_stride());
    of_logits[token] = 1;
    add(of_logits.data(), -1, p, vocab);
    linear(decoder.output_, of_logits, 1, d.data() + position * stride_, stride_);
    work_.kernels.scale(d.data(), d.size(), decoder.scale_);
    stack(decoder.stack_, target, d, of_target);
    if (source != nullptr) stack(model_.encoder.stack_, *source, d_memory_, of_source);
  }

 private:
  using Rows = std::vector<float>;

  [[noreturn]] static void refuse() { throw Mistake("no gradient of such a model is known here"); }

  // d is the gradient of what a part gives, here of last states; it becomes that of what it reads.
  void stack(const Stack& stack, const Texts& text, Rows& d, float* lengths) {
    const Embedding& read = stack.embed_;
    if (read.projection_.outputs() > 0) refuse();
    if (stack.norm_first_) norm(stack.norm_, taken(), d);
    for (size_t i = stack.layers_.size(); i-- > 0;) {
      const TransformerLayer& layer = stack.layers_[i];
      sublayer(stack, layer.feed_forward_norms, d,
               [&](const Rows& x) { return feed_forward(layer.feed_forward, x, d); });
      if (layer.cross_attention.heads() > 0)
        sublayer(stack, layer.cross_attention_norms, d,
                 [&](const Rows& x) { return attention(stack, i, true, text, x, d); });
      sublayer(stack, layer.self_attention_norms, d,
               [&](const Rows& x) { return attention(stack, i, false, text, x, d); });
    }
    if (read.norm_) norm(*read.norm_, taken(), d);
    for (int r = 0; r < text.rows(); r++) {
      Rows x(stride_);
      work_.kernels.embed(read.tokens_.row(text.ids[r], work_.row), read.tokens_.storage(),
                          read.scale_ * read.tokens_.scale(text.ids[r]), nullptr, nullptr,
                          read.width_, x.data());
      for (size_t i = 0; i < stride_; i++) x[i] *= d[r * stride_ + i];
      lengths[r] = std::sqrt(dot(x.data(), x.data(), stride_));
    }
  }

  // back(x) gives the gradient of x, which the sub-layer itself reads.
  template <class Back>
  void sublayer(const Stack& stack, const SublayerNorms& norms, Rows& d, Back back) {
    if (norms.output) refuse();
    if (!stack.norm_first_) norm(norms.norm, taken(), d);
    const Rows x = taken();
    Rows read = x;
    if (stack.norm_first_) norms.norm(work_, x.data(), rows(x), read.data());
    Rows dx = back(read);
    if (stack.norm_first_) norm(norms.norm, x, dx);
    add(d.data(), 1, dx.data(), d.size());
  }

  Rows attention(const Stack& stack, size_t layer, bool is_cross, const Texts& text, const Rows& x,
                 const Rows& d) {
    const TransformerLayer& parts = stack.layers_[layer];
    const MultiHeadAttention& module = is_cross ? parts.cross_attention : parts.self_attention;
    if (module.sinks_.data() != nullptr || module.distances_ || stack.windows_[layer] > 0) refuse();
    const int count = rows(x), keys = is_cross ? rows(memory_) : count;
    const size_t stride = module.input_.stride(), wide = stride_of(module.width());
    const size_t key_stride = is_cross ? module.memory_.stride() : stride, first = module.width();
    Rows raw(count * stride), d_read(raw.size()), d_attended(count * wide), dx(x.size());
    Rows remembered(is_cross ? keys * key_stride : 0), d_remembered(remembered.size());
    auto rotate = [&](Rows& heads, int sign) {
      if (is_cross || !stack.rotary_.rotates(layer)) return;
      std::vector<int32_t> positions(text.positions);
      for (int32_t& position : positions) position *= sign;
      stack.rotary_.prepare(work_, positions.data(), count);
      stack.rotary_(work_, layer, module, heads.data(), count);
    };
    module.input_(work_, x.data(), stride_, count, raw.data());
    Rows read = raw;
    module.query_norm_(work_, read.data(), stride, count);
    module.key_norm_(work_, read.data() + first, stride, count);
    rotate(read, 1);
    if (is_cross) module.memory_(work_, memory_.data(), stride_, keys, remembered.data());
    linear(module.output_, d, count, d_attended.data(), wide);
    const size_t width = module.head_width(), value = module.key_width();
    for (int h = 0; h < module.heads(); h++)
      for (int r = 0; r < count; r++) {  // a query, and the keys that it sees, with their values
        const int seen = stack.is_decoder_ && !is_cross ? r + 1 : keys;
        const size_t place = r * stride + h * width;
        const size_t shared = h / (module.heads() / module.key_heads()) * width;
        const float* key = (is_cross ? remembered.data() : read.data() + first) + shared;
        float* d_key = (is_cross ? d_remembered.data() : d_read.data() + first) + shared;
        const float* out = &d_attended[r * wide + h * width];
        Rows weights(up_to(seen, LANES)), changes(seen);
        for (int k = 0; k < seen; k++) {
          weights[k] = module.score_.scale * dot(&read[place], key + k * key_stride, width);
          changes[k] = dot(out, key + k * key_stride + value, width);
        }
        work_.kernels.softmax(weights.data(), seen);
        const float mean = dot(weights.data(), changes.data(), seen);
        for (int k = 0; k < seen; k++, key += key_stride, d_key += key_stride) {
          const float change = module.score_.scale * weights[k] * (changes[k] - mean);
          add(&d_read[place], change, key, width);
          add(d_key, change, &read[place], width);
          add(d_key + value, weights[k], out, width);
        }
      }
    rotate(d_read, -1);
    for (size_t r = 0; !is_cross && r < raw.size(); r += stride) {
      norm(module.query_norm_.norm_, &raw[r], 0, module.query_norm_.parts_, &d_read[r]);
      norm(module.key_norm_.norm_, &raw[r + first], 0, module.key_norm_.parts_, &d_read[r + first]);
    }
    linear(module.input_, d_read, count, dx.data(), stride_);
    if (is_cross) linear(module.memory_, d_remembered, keys, d_memory_.data(), stride_);
    return dx;
  }

  Rows feed_forward(const FeedForward& module, const Rows& x, const Rows& d) {
    const Linear& first = module.gated_ ? module.gate_ : module.inner_;
    Rows wide(rows(x) * first.stride()), ups(wide.size(), 1), d_wide(wide.size()), dx(x.size());
    first(work_, x.data(), stride_, rows(x), wide.data(), Into::STORE, false);
    if (module.gated_) module.inner_(work_, x.data(), stride_, rows(x), ups.data());
    linear(module.outer_, d, rows(x), d_wide.data(), first.stride());
    constexpr double STEP = 1e-7;  // a slope is a difference of doubles, to 1e-8
    for (size_t i = 0; i < wide.size(); i++) {
      auto at = [&](double step) { return activated(wide[i] + step, first.activation_); };
      const double slope = (at(STEP) - at(-STEP)) / (2 * STEP);
      wide[i] = static_cast<float>(d_wide[i] * slope) *
                std::exchange(ups[i], d_wide[i] * static_cast<float>(at(0)));
    }
    linear(first, wide, rows(x), dx.data(), stride_);
    if (module.gated_) linear(module.inner_, ups, rows(x), dx.data(), stride_);
    return dx;
  }

  static double activated(double x, Activation kind) {
    if (kind == Activation::RELU) return std::max(0.0, x);
    if (kind == Activation::TANH) return std::tanh(x);
    if (kind == Activation::GELU) return x / 2 * std::erfc(-x * std::sqrt(0.5));
    if (kind == Activation::GELU_TANH)
      return x / (1 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    return x / (1 + std::exp(kind == Activation::SILU ? -x : -1.702 * x));
  }

  // d W is added to dx, (count, dx_stride); the weights are unpacked panel by panel.
  void linear(const Linear& module, const Rows& d, int count, float* dx, size_t dx_stride) {
    const bool narrow = module.storage_ == Storage::BFLOAT16;
    if (!narrow && module.storage_ != Storage::FLOAT32) refuse();
    const size_t inputs = module.inputs_;
    const auto* halves = reinterpret_cast<const uint16_t*>(module.packed_);
    const auto* floats = reinterpret_cast<const float*>(module.packed_);
    Rows weights(PANEL * inputs), added(count * inputs);
    for (size_t first = 0; first < module.stride(); first += PANEL) {
      float* to = weights.data();
      for (size_t o = first; o < first + PANEL; o++)
        for (size_t i = first * inputs + o % PANEL; i < (first + PANEL) * inputs; i += PANEL)
          *to++ = narrow ? widened(halves[i]) * module.scales_.data()[o] : floats[i];
      work_.kernels.products(&d[first], module.stride(), count, PANEL, weights.data(), inputs, 0,
                             module.inputs_, 1, added.data(), inputs);
      for (int r = 0; r < count; r++) add(dx + r * dx_stride, 1, &added[r * inputs], inputs);
    }
  }

  void norm(const NormLayer& layer, const Rows& x, Rows& d) {
    norm(layer.norm(), x.data(), stride_ - layer.norm().width, rows(x), d.data());
  }
  static void norm(const Norm& norm, const float* x, size_t apart, int count, float* d) {
    const int width = norm.width;
    for (; count > 0; count--, x += width + apart, d += width + apart) {
      double mean = 0, squares = 0, middle = 0, along = 0;
      for (int i = 0; norm.centers && i < width; i++) mean += x[i] / width;
      for (int i = 0; i < width; i++) squares += (x[i] - mean) * (x[i] - mean) / width;
      const double factor = 1 / std::sqrt(squares + norm.epsilon);
      for (int i = 0; i < width; i++) {
        d[i] *= norm.weight[i];
        middle += norm.centers ? d[i] / width : 0;
        along += d[i] * (x[i] - mean) * factor / width;
      }
      for (int i = 0; i < width; i++)
        d[i] = static_cast<float>(factor * (d[i] - middle - (x[i] - mean) * factor * along));
    }
  }

  static float dot(const float* x, const float* y, size_t count) {
    return std::inner_product(x, x + count, y, 0.0f);
  }
  static void add(float* y, float factor, const float* x, size_t count) {
    for (size_t i = 0; i < count; i++) y[i] += factor * x[i];
  }

  int rows(const Rows& x) const { return static_cast<int>(x.size() / stride_); }
  Rows taken() {  // what was kept last
    Rows x = std::move(kept_.back());
    return kept_.pop_back(), x;
  }

  const Model& model_;
  Work work_;
  const size_t stride_;
  std::vector<Rows> kept_;
  Rows memory_, d_memory_;  // the source's last states
};

}  // namespace regard
