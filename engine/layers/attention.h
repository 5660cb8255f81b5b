// Multi-head attention: its projections, and the keys and values of texts that are read at once.
#pragma once
#include "layers/linear.h"
#include "layers/relative_bias.h"

namespace regard {

// Texts laid end to end in rows, none of them padded.
struct Texts {
  std::vector<int32_t> ids, positions;  // no ids where the rows are patches of images
  std::vector<int> lengths;
  int rows() const { return static_cast<int>(positions.size()); }
};

class MultiHeadAttention {
 public:
  MultiHeadAttention() = default;
  MultiHeadAttention(const Weights& weights, const std::string& name, int d_model, int heads,
                     int head_dim, bool scaled, bool is_cross, Precision precision)
      : heads_{heads, head_dim},
        scale_(scaled ? 1 / std::sqrt(static_cast<float>(head_dim)) : 1.0f) {
    Axis states{1, d_model};
    std::string query = name + ".query", key = name + ".key", value = name + ".value";
    if (is_cross) {
      input_ = Linear(weights, {query}, heads_, states, precision);
      memory_ = Linear(weights, {key, value}, heads_, states, precision);
    } else {
      input_ = Linear(weights, {query, key, value}, heads_, states, precision);
    }
    output_ = Linear(weights, {name + ".output"}, states, heads_, precision);
  }

  // Query, or query, key and value, of one input.
  const Linear& input() const { return input_; }
  const Linear& output() const { return output_; }
  size_t width() const { return heads_.width(); }
  int heads() const { return heads_.groups; }
  int head_width() const { return heads_.padded(); }
  float scale() const { return scale_; }

  // Keys and values, (rows, stride) each, of one text.
  void remember(const float* keys, const float* values, size_t stride, int count,
                TextMemory& memory) const {
    size_t padded = up_to(count, LANES), width = this->width();
    memory.count = count;
    float *to = memory.keys.need(width * padded), *copy = memory.values.need(count * width);
    std::fill_n(to, width * padded, 0.0f);
    for (int i = 0; i < count; i++) {
      for (size_t c = 0; c < width; c++) to[c * padded + i] = keys[i * stride + c];
      std::copy_n(values + i * stride, width, copy + i * width);
    }
  }

  // The memory of each text, from the states of all of them.
  void remember(Work& work, const float* states, size_t stride, const Texts& texts,
                std::vector<TextMemory*> memories) const {
    float* rows = work.wide.need(texts.rows() * memory_.stride());
    memory_(work, states, stride, texts.rows(), rows);
    for (size_t t = 0; t < memories.size(); t++) {
      remember(rows, rows + width(), memory_.stride(), texts.lengths[t], *memories[t]);
      rows += texts.lengths[t] * memory_.stride();
    }
  }

  // Queries of one text, (count, q_stride), to its memory → y (count, y_stride).
  void attend(Work& work, const float* queries, size_t q_stride, int count,
              const TextMemory& memory, const RelativeBias& bias, const int32_t* positions,
              float* y, size_t y_stride) const {
    int padded = static_cast<int>(up_to(memory.count, LANES));
    float* scores = work.scores.need(4 * padded);
    for (int h = 0; h < heads(); h++) {
      size_t first = static_cast<size_t>(h) * head_width();
      Memory head{memory.keys.data() + first * padded, memory.values.data() + first, width(),
                  memory.count, padded};
      work.kernels.attend(queries + first, q_stride, count, head_width(), head, scale_,
                          bias.of(h, positions, positions), scores, y + first, y_stride);
    }
  }

 private:
  Axis heads_{};
  float scale_ = 1;
  Linear input_, memory_, output_;
};

}  // namespace regard
