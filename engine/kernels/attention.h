// Attention: scores, softmax, the average of values.
#pragma once
#include "kernels/vector.h"

namespace regard {
namespace {

INLINE int least(int a, int b) { return a < b ? a : b; }

// In place, of the scores in [from, to); the others in [begin, end) become zero. What a query
// cannot see adds zeros to its sums, so no bit depends on which queries share a load; `begin` is a
// multiple of LANES, so that a score's lane is its key's alone.
static void softmax(float* scores, int begin, int from, int to, int end, const float* sink) {
  auto seen = [&](int i) { return below(i, to) & ~below(i, from); };
  Floats most = all(-INFINITY);
  for (int i = begin; i < to; i += LANES)
    most = larger(chosen(seen(i), load<Floats>(scores + i), all(-INFINITY)), most);
  const float most_of_all = sink != nullptr && *sink > largest(most) ? *sink : largest(most);
  Floats top = all(most_of_all), total = {};
  for (int i = begin; i < end; i += LANES) {
    Floats power = exponential(load<Floats>(scores + i) - top);
    power = chosen(seen(i), power, Floats{});
    total += power;
    store(scores + i, power);
  }
  float whole = sum(total);
  if (sink != nullptr) whole += exponential(all(*sink) - top)[0];
  float factor = 1 / whole;
  for (int i = begin; i < to; i += LANES) store(scores + i, load<Floats>(scores + i) * factor);
}

// Of numbers as far as whole lanes of them go.
static void cap(float* x, size_t count, float most) {
  for (size_t i = 0; i < count; i += LANES)
    store(x + i, hyperbolic_tangent(load<Floats>(x + i) / most) * most);
}

INLINE void add_distances(const Distances& distances, const float* table, int query, int from,
                          int to, float* scores) {
  for (int key = from; key < to; key++) {
    int distance = distances.keys[key] - distances.queries[query];
    distance = distance < -distances.reach ? -distances.reach : distance;
    scores[key] += table[distance > distances.reach ? distances.reach : distance];
  }
}

INLINE void add_products(const Distances& distances, int query, int from, int to, float* scores) {
  const float* of_query = distances.of_queries + query * distances.stride;
  for (int key = from; key < to; key++) {
    int distance = distances.queries[query] - distances.keys[key];
    distance = distance < -distances.reach ? -distances.reach : distance;
    const int row = distances.rows[distance > distances.reach ? distances.reach : distance];
    scores[key] += of_query[row] + distances.of_keys[row * distances.key_stride + key];
  }
}

// Several queries share each load of a key.
template <int QUERIES>
INLINE void products_of_some(const float* queries, size_t q_stride, int head_width,
                             const float* all_keys, size_t padded, int first, int end, float scale,
                             float* y, size_t y_stride) {
  for (int key = first; key < end; key += LANES) {
    Floats sums[QUERIES] = {};
    for (int i = 0; i < head_width; i++) {
      Floats keys = load<Floats>(all_keys + i * padded + key);
      for (int q = 0; q < QUERIES; q++)
        sums[q] = fused(all(queries[q * q_stride + i]), keys, sums[q]);
    }
    for (int q = 0; q < QUERIES; q++) store(y + q * y_stride + key, sums[q] * scale);
  }
}

static void products(const float* x, size_t x_stride, int count, int head_width, const float* keys,
                     size_t padded, int first, int end, float scale, float* y, size_t y_stride) {
  int q = 0;
  for (; q + 4 <= count; q += 4)
    products_of_some<4>(x + q * x_stride, x_stride, head_width, keys, padded, first, end, scale,
                        y + q * y_stride, y_stride);
  for (; q < count; q++)
    products_of_some<1>(x + q * x_stride, x_stride, head_width, keys, padded, first, end, scale,
                        y + q * y_stride, y_stride);
}

// Several queries share each load of a key and of a value.
template <int QUERIES>
static void attend_some(const float* queries, size_t q_stride, int head_width,
                        const Memory& memory, const Sight& sight, Score score,
                        const Distances& distances, int first, float* scores, float* y,
                        size_t y_stride) {
  const int padded = memory.padded, at = sight.first + first;
  auto from = [&](int q) { return at + q > sight.before ? at + q - sight.before : 0; };
  auto to = [&](int q) { return least(memory.count, at + q + sight.after + 1); };
  const int begin = from(0) / LANES * LANES, end = to(QUERIES - 1);
  products_of_some<QUERIES>(queries, q_stride, head_width, memory.keys, padded, begin, end,
                            score.scale, scores, padded);
  for (int q = 0; q < QUERIES; q++) {
    if (score.cap > 0) cap(scores + q * padded + begin, end - begin, score.cap);
    if (distances.table != nullptr)
      add_distances(distances, distances.table, first + q, from(q), to(q), scores + q * padded);
    if (distances.rows != nullptr)
      add_products(distances, first + q, from(q), to(q), scores + q * padded);
    softmax(scores + q * padded, begin, from(q), to(q), end, score.sinks);
  }
  for (int i = 0; i < head_width; i += LANES) {
    Floats sums[QUERIES] = {};
    for (int key = from(0); key < end; key++) {
      Floats values = load<Floats>(memory.values + key * memory.stride + i);
      for (int q = 0; q < QUERIES; q++)
        sums[q] = fused(all(scores[q * padded + key]), values, sums[q]);
    }
    for (int q = 0; q < QUERIES; q++) store(y + q * y_stride + i, sums[q]);
  }
}

static void attend(const float* queries, size_t q_stride, int count, int head_width,
                   const Memory& memory, const Sight& sight, Score score,
                   const Distances& distances, float* scores, float* y, size_t y_stride) {
  int q = 0;
  for (; q + 4 <= count; q += 4)
    attend_some<4>(queries + q * q_stride, q_stride, head_width, memory, sight, score, distances,
                   q, scores, y + q * y_stride, y_stride);
  for (; q < count; q++)
    attend_some<1>(queries + q * q_stride, q_stride, head_width, memory, sight, score, distances,
                   q, scores, y + q * y_stride, y_stride);
}

static void attend_past(const float* query, const Past& past, Score score,
                        const Distances& distances, size_t reach, float* scores, float* y) {
  const int head = past.head_width, group = past.heads / past.key_heads;
  const int padded = (past.count + LANES - 1) / LANES * LANES;
  for (int t = 0; t < past.count; t++) {
    const float* key = past.places[t] + past.offset;
    for (int h = 0; h < past.heads; h++) {
      Floats sums = {};
      for (int i = 0; i < head; i += LANES)
        sums = fused(load<Floats>(query + h * head + i), load<Floats>(key + h / group * head + i),
                     sums);
      scores[h * padded + t] = sum(sums) * score.scale;
    }
  }
  for (int h = 0; h < past.heads; h++) {
    if (score.cap > 0) cap(scores + h * padded, past.count, score.cap);
    if (distances.table != nullptr)
      add_distances(distances, distances.table + h * reach, 0, 0, past.count, scores + h * padded);
    softmax(scores + h * padded, 0, 0, past.count, past.count,
            score.sinks == nullptr ? nullptr : score.sinks + h);
  }
  // A few values at a time, each read as it lies: a step of GPT-2 beside 900 tokens takes a fifth
  // less time.
  constexpr int FEW = 8;
  for (int from = 0; from < past.count; from += FEW)
    for (int h = 0; h < past.heads; h++)
      for (int i = 0; i < head; i += LANES) {
        const float* weights = scores + h * padded;
        const size_t value = past.offset + past.width + h / group * head + i;
        Floats sums = from == 0 ? Floats{} : load<Floats>(y + h * head + i);
        for (int t = from; t < least(from + FEW, past.count); t++)
          sums = fused(all(weights[t]), load<Floats>(past.places[t] + value), sums);
        store(y + h * head + i, sums);
      }
}

// Pairs are numbers i and i + half of a head.
static void rotate(float* x, size_t stride, int rows, int heads, int head_width, int half,
                   const float* angles) {
  for (int r = 0; r < rows; r++, angles += 2 * half)
    for (int h = 0; h < heads; h++) {
      float* head = x + r * stride + h * head_width;
      for (int i = 0; i < half; i++) {
        float first = head[i], second = head[i + half];
        head[i] = first * angles[i] - second * angles[half + i];
        head[i + half] = second * angles[i] + first * angles[half + i];
      }
    }
}

}  // namespace
}  // namespace regard
