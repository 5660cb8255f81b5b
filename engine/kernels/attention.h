// Attention: scores, softmax, the average of values.
#pragma once
#include "kernels/vector.h"

namespace regard {
namespace {

// In place; what is beyond `count` becomes zero.
static void softmax(float* scores, int count) {
  Floats most = all(-INFINITY);
  for (int i = 0; i < count; i += LANES)
    most = larger(chosen(below(i, count), load<Floats>(scores + i), all(-INFINITY)), most);
  Floats top = all(largest(most)), total = {};
  for (int i = 0; i < count; i += LANES) {
    Floats power = exponential(load<Floats>(scores + i) - top);
    power = chosen(below(i, count), power, Floats{});
    total += power;
    store(scores + i, power);
  }
  float factor = 1 / sum(total);
  for (int i = 0; i < count; i += LANES) store(scores + i, load<Floats>(scores + i) * factor);
}

INLINE void add_distances(const Distances& distances, const float* table, int query, int count,
                          float* scores) {
  for (int key = 0; key < count; key++) {
    int distance = distances.keys[key] - distances.queries[query];
    distance = distance < -distances.reach ? -distances.reach : distance;
    scores[key] += table[distance > distances.reach ? distances.reach : distance];
  }
}

// Several queries share each load of a key and of a value.
template <int QUERIES>
static void attend_some(const float* queries, size_t q_stride, int head_width,
                        const Memory& memory, float scale, const Distances& distances, int first,
                        float* scores, float* y, size_t y_stride) {
  const int padded = memory.padded;
  for (int key = 0; key < memory.count; key += LANES) {
    Floats sums[QUERIES] = {};
    for (int i = 0; i < head_width; i++) {
      Floats keys = load<Floats>(memory.keys + (size_t)i * padded + key);
      for (int q = 0; q < QUERIES; q++)
        sums[q] = fused(all(queries[q * q_stride + i]), keys, sums[q]);
    }
    for (int q = 0; q < QUERIES; q++) store(scores + q * padded + key, sums[q] * scale);
  }
  for (int q = 0; q < QUERIES; q++) {
    if (distances.table != nullptr)
      add_distances(distances, distances.table, first + q, memory.count, scores + q * padded);
    softmax(scores + q * padded, memory.count);
  }
  for (int i = 0; i < head_width; i += LANES) {
    Floats sums[QUERIES] = {};
    for (int key = 0; key < memory.count; key++) {
      Floats values = load<Floats>(memory.values + key * memory.stride + i);
      for (int q = 0; q < QUERIES; q++)
        sums[q] = fused(all(scores[q * padded + key]), values, sums[q]);
    }
    for (int q = 0; q < QUERIES; q++) store(y + q * y_stride + i, sums[q]);
  }
}

static void attend(const float* queries, size_t q_stride, int count, int head_width,
                   const Memory& memory, float scale, const Distances& distances, float* scores,
                   float* y, size_t y_stride) {
  int q = 0;
  for (; q + 4 <= count; q += 4)
    attend_some<4>(queries + q * q_stride, q_stride, head_width, memory, scale, distances, q,
                   scores, y + q * y_stride, y_stride);
  for (; q < count; q++)
    attend_some<1>(queries + q * q_stride, q_stride, head_width, memory, scale, distances, q,
                   scores, y + q * y_stride, y_stride);
}

static void attend_past(const float* query, const Past& past, float scale,
                        const Distances& distances, size_t reach, float* scores, float* y) {
  const int head = past.head_width, width = past.heads * head;
  const int padded = (past.count + LANES - 1) / LANES * LANES;
  for (int t = 0; t < past.count; t++) {
    const float* key = past.places[t] + past.offset;
    for (int h = 0; h < past.heads; h++) {
      Floats sums = {};
      for (int i = h * head; i < (h + 1) * head; i += LANES)
        sums = fused(load<Floats>(query + i), load<Floats>(key + i), sums);
      scores[h * padded + t] = sum(sums) * scale;
    }
  }
  for (int h = 0; h < past.heads; h++) {
    if (distances.table != nullptr)
      add_distances(distances, distances.table + h * reach, 0, past.count, scores + h * padded);
    softmax(scores + h * padded, past.count);
  }
  for (int i = 0; i < width; i += LANES) {
    const float* weights = scores + i / head * padded;
    Floats sums = {};
    for (int t = 0; t < past.count; t++)
      sums = fused(all(weights[t]), load<Floats>(past.places[t] + past.offset + width + i), sums);
    store(y + i, sums);
  }
}

}  // namespace
}  // namespace regard
