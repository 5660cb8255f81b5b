// Multi-head attention: its projections, and the keys and values of texts that are read at once.
#pragma once
#include "layers/distances.h"
#include "layers/norm.h"
#include "layers/relative_bias.h"

namespace regard {

// Texts laid end to end in rows, none of them padded.
struct Texts {
  std::vector<int32_t> ids, positions, types;  // no types: they are 0; images have positions alone
  std::vector<int> lengths;
  int rows() const { return static_cast<int>(positions.size()); }
};

class MultiHeadAttention {
 public:
  MultiHeadAttention() = default;
  // Each head of keys and values serves a group of neighboring heads of queries.
  MultiHeadAttention(const Weights& weights, const std::string& name, int d_model, int heads,
                     int key_heads, int head_dim, Score score, bool is_cross, Precision precision,
                     float epsilon)
      : heads_{heads, head_dim},
        key_heads_{key_heads, head_dim},
        score_(score) {
    if (score_.scale == 0) score_.scale = 1 / std::sqrt(static_cast<float>(head_dim));
    Axis states{1, d_model};
    Linear::Part query{name + ".query", heads_}, key{name + ".key", key_heads_},
        value{name + ".value", key_heads_};
    if (is_cross) {
      input_ = Linear(weights, {query}, states, precision);
      memory_ = Linear(weights, {key, value}, states, precision);
    } else {
      input_ = Linear(weights, {query, key, value}, states, precision);
    }
    output_ = Linear(weights, {{name + ".output", states}}, heads_, precision);
    if (is_cross) return;
    if (const Tensor sinks = weights.if_any(name + ".sinks", 1, heads)) sinks_ = rows_of(sinks);
    if (weights.has(name + ".distances.key"))
      distances_ = DistanceStates(weights, name + ".distances", heads_);
    query_norm_ = HeadsNorm(weights, name + ".query_norm.weight", heads_, epsilon);
    key_norm_ = HeadsNorm(weights, name + ".key_norm.weight", key_heads_, epsilon);
  }

  // Query, or query, key and value, of one input → (rows, input().stride()).
  void project(Work& work, const float* x, size_t stride, int rows, float* projected) const {
    input_(work, x, stride, rows, projected);
    query_norm_(work, projected, input_.stride(), rows);
    key_norm_(work, projected + width(), input_.stride(), rows);
  }
  const Linear& input() const { return input_; }
  const Linear& output() const { return output_; }
  size_t width() const { return heads_.width(); }
  size_t key_width() const { return key_heads_.width(); }
  int heads() const { return heads_.groups; }
  int key_heads() const { return key_heads_.groups; }
  int head_width() const { return heads_.padded(); }

  // Keys and values of one text: key_at gives a token's key, behind which its value is.
  template <class KeyAt>
  void remember(Work& work, KeyAt key_at, int count, TextMemory& memory) const {
    const size_t padded = up_to(count, LANES), width = key_width();
    memory.count = count;
    float *to = memory.keys.need(width * padded), *copy = memory.values.need(count * width);
    const int64_t each = MOVE * static_cast<int64_t>(LANES * width);
    work.share(padded / LANES, each, [&](int64_t from, int64_t end) {
      for (int64_t first = from * LANES; first < end * LANES; first += LANES) {  // a line of keys
        const int some = static_cast<int>(std::min<int64_t>(LANES, count - first));
        const float* keys[LANES];
        for (int i = 0; i < some; i++) {
          keys[i] = key_at(first + i);
          std::copy_n(keys[i] + width, width, copy + (first + i) * width);
        }
        for (size_t c = 0; c < width; c++)
          for (int i = 0; i < LANES; i++) to[c * padded + first + i] = i < some ? keys[i][c] : 0;
      }
    });
  }

  // The same of rows, which may be kept.
  void remember(Work& work, const float* rows, size_t stride, int count, TextMemory& memory) const {
    remember(work, [&](int i) { return rows + i * stride; }, count, memory);
    memory.rows = room == nullptr ? nullptr : rows;
    memory.stride = stride;
  }

  // The memory of each text, from the states of all of them.
  void remember(Work& work, const float* states, size_t stride, const Texts& texts,
                std::vector<TextMemory*> memories) const {
    float* rows = place_for(work.wide, texts.rows() * memory_.stride());
    memory_(work, states, stride, texts.rows(), rows);
    for (size_t t = 0; t < memories.size(); t++) {
      remember(work, rows, memory_.stride(), texts.lengths[t], *memories[t]);
      rows += texts.lengths[t] * memory_.stride();
    }
  }

  // Queries of one text, (count, q_stride), to what they see of its memory → y (count, y_stride).
  void attend(Work& work, const float* queries, size_t q_stride, int count,
              const TextMemory& memory, const Sight& sight, const RelativeBias& bias,
              const int32_t* keys, const int32_t* places, float* y, size_t y_stride) const {
    int padded = static_cast<int>(up_to(memory.count, LANES));
    const size_t places_of_head = score_places(head_width(), padded);
    float* scores = work.scores.need(heads() * places_of_head);
    const size_t space = distances_ ? distances_.room(count, padded) : 0;
    float* of_distances = work.of_distances.need(heads() * space);
    float* lse = nullptr;
    const bool is_kept = room != nullptr && memory.rows != nullptr;
    if ((is_listened_to() || is_kept) && memory.count > LONG)
      lse = place_for(work.lse, static_cast<size_t>(heads()) * count);
    const int64_t each = static_cast<int64_t>(2) * count * memory.count * head_width();
    work.share(heads(), each, [&](int64_t first_head, int64_t end) {
      for (int64_t h = first_head; h < end; h++) {
        size_t first = h * head_width(), key = h / (heads() / key_heads()) * head_width();
        Memory head{memory.keys.data() + key * padded, memory.values.data() + key, key_width(),
                    memory.count, padded};
        const int number = static_cast<int>(h);
        Distances distances = bias.of(number, keys, places);
        if (distances_ && count > 0)
          distances = distances_.of(work, number, queries + first, q_stride, count, head,
                                    score_.scale, keys, places, of_distances + first_head * space);
        work.kernels.attend(queries + first, q_stride, count, head_width(), head, sight, score(h),
                            distances, scores + first_head * places_of_head, y + first, y_stride,
                            lse == nullptr ? nullptr : lse + h * count);
      }
    });
    if (!is_listened_to() && !is_kept) return;
    const Distances distances = bias.of(0, keys, places);
    regard_attention what = work.now;
    what.heads = heads(), what.key_heads = key_heads();
    what.head_dim = heads_.size, what.head_width = head_width();
    what.queries = count, what.keys = memory.count;
    what.first = sight.first, what.before = sight.before, what.after = sight.after;
    what.reach = distances.reach;
    what.sinks = sinks_.data();
    what.bias = distances.table == nullptr ? nullptr : distances.table - distances.reach;
    what.query = queries, what.query_stride = q_stride;
    what.key = memory.keys.data(), what.key_stride = padded, what.key_step = 1;
    what.value = memory.values.data(), what.value_stride = key_width();
    if (is_kept) {
      what.key = memory.rows, what.key_stride = 1, what.key_step = memory.stride;
      what.value = memory.rows + key_width(), what.value_stride = memory.stride;
    }
    what.output = is_kept ? nullptr : y, what.output_stride = y_stride;
    what.lse = lse;
    tell(what);
  }

  // One query of a decoder to the tokens so far.
  void attend_past(Work& work, const float* query, const float* const* places, size_t offset,
                   int count, const RelativeBias& bias, const int32_t* keys,
                   const int32_t* position, float* y) const {
    const size_t padded = up_to(count, LANES), group = heads() / key_heads();
    float* scores = work.scores.need(heads() * padded);
    // Counted half: a token's heads lie together, and fewer parts read longer lines.
    const int64_t each = static_cast<int64_t>(count) * group * head_width();
    work.share(key_heads(), each, [&](int64_t first, int64_t end) {
      const size_t head = first * group, key = first * head_width();
      const int some = static_cast<int>(end - first);
      Past past{places, offset + key, key_width(), count, some * static_cast<int>(group),
                some,   head_width()};
      work.kernels.attend_past(query + head * head_width(), past, score(head),
                               bias.of(static_cast<int>(head), keys, position), bias.entries(),
                               scores + head * padded, y + head * head_width());
    });
  }

 private:
  friend class Gradient;
  static constexpr int64_t MOVE = 8;  // what it takes to move a key and a value, in multiplications

  // Of heads from this one on.
  Score score(int64_t head) const {
    Score score = score_;
    if (sinks_.data() != nullptr) score.sinks = sinks_.data() + head;
    return score;
  }

  Axis heads_{}, key_heads_{};
  Score score_;
  Buffer<float> sinks_;
  Linear input_, memory_, output_;
  HeadsNorm query_norm_, key_norm_;  // of self-attention
  DistanceStates distances_;         // likewise
};

}  // namespace regard
