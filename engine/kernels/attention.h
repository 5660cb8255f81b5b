// Attention: scores, softmax, the average of values.
#pragma once
#include "kernels/norm.h"
#include "kernels/product.h"

namespace regard {
namespace {

INLINE int least(int a, int b) { return a < b ? a : b; }

// In place, of the scores in [from, to); the others in [begin, end) become zero. What a query
// cannot see adds zeros to its sums, so no bit depends on which queries share a load; `begin` is a
// multiple of LANES, so that a score's lane is its key's alone.
// Returns the logarithm of the sum of their powers.
static float softmax(float* scores, int begin, int from, int to, int end, const float* sink) {
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
  return most_of_all + logf(whole);
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

// Of each row of factors, the sum of what they multiply: numbers side by side, some vectors at
// once; stored, or added to what is there.
template <int ROWS, int VECTORS>
INLINE void weigh_some(const float* factors, size_t f_stride, const float* x, size_t stride,
                       int count, float scale, float* y, size_t y_stride, Into into) {
  Floats sums[ROWS][VECTORS] = {};
  for (int i = 0; i < count; i++, x += stride)
    for (int v = 0; v < VECTORS; v++) {
      const Floats some = load<Floats>(x + v * LANES);
      for (int r = 0; r < ROWS; r++)
        sums[r][v] = fused(all(factors[r * f_stride + i]), some, sums[r][v]);
    }
  for (int r = 0; r < ROWS; r++)
    for (int v = 0; v < VECTORS; v++) {
      float* to = y + r * y_stride + v * LANES;
      const Floats sum = sums[r][v] * scale;
      store(to, into == Into::ADD ? load<Floats>(to) + sum : sum);
    }
}

// As many sums at once as a tile has: a prompt of 1,000 tokens of GPT-2 takes a seventh less time.
template <int ROWS>
INLINE void weigh(const float* factors, size_t f_stride, const float* x, size_t stride, int count,
                  int width, float scale, float* y, size_t y_stride, Into into = Into::STORE) {
  int i = 0;
  for (; i + TILE_VECTORS * LANES <= width; i += TILE_VECTORS * LANES)
    weigh_some<ROWS, TILE_VECTORS>(factors, f_stride, x + i, stride, count, scale, y + i, y_stride,
                                   into);
  for (; i < width; i += LANES)
    weigh_some<ROWS, 1>(factors, f_stride, x + i, stride, count, scale, y + i, y_stride, into);
}

static void products(const float* x, size_t x_stride, int count, int head_width, const float* keys,
                     size_t padded, int first, int end, float scale, float* y, size_t y_stride) {
  int q = 0;
  for (; q + 4 <= count; q += 4)
    weigh<4>(x + q * x_stride, x_stride, keys + first, padded, head_width, end - first, scale,
             y + q * y_stride + first, y_stride);
  for (; q < count; q++)
    weigh<1>(x + q * x_stride, x_stride, keys + first, padded, head_width, end - first, scale,
             y + q * y_stride + first, y_stride);
}

// Several queries share each load of a key and of a value.
template <int QUERIES>
static void attend_some(const float* queries, size_t q_stride, int head_width,
                        const Memory& memory, const Sight& sight, Score score,
                        const Distances& distances, int first, float* scores, float* y,
                        size_t y_stride, float* lse) {
  const int padded = memory.padded, at = sight.first + first;
  auto from = [&](int q) { return at + q > sight.before ? at + q - sight.before : 0; };
  auto to = [&](int q) { return least(memory.count, at + q + sight.after + 1); };
  const int begin = from(0) / LANES * LANES, end = to(QUERIES - 1);
  weigh<QUERIES>(queries, q_stride, memory.keys + begin, padded, head_width, end - begin,
                 score.scale, scores + begin, padded);
  for (int q = 0; q < QUERIES; q++) {
    if (score.cap > 0) cap(scores + q * padded + begin, end - begin, score.cap);
    if (distances.table != nullptr)
      add_distances(distances, distances.table, first + q, from(q), to(q), scores + q * padded);
    if (distances.rows != nullptr)
      add_products(distances, first + q, from(q), to(q), scores + q * padded);
    const float of_row = softmax(scores + q * padded, begin, from(q), to(q), end, score.sinks);
    if (lse != nullptr) lse[first + q] = of_row;
  }
  weigh<QUERIES>(scores + from(0), padded, memory.values + from(0) * memory.stride, memory.stride,
                 end - from(0), head_width, 1, y, y_stride);
}

// Of a query that sees many keys: the largest of its scores so far, and the sum of the powers of all,
// relative to it; its y is what these powers average, not yet divided by their sum.
struct Running {
  float most, total;
};

// Keys and values of one head that lie together: (head_width, LONG_BLOCK) and (LONG_BLOCK, head_width).
struct Block {
  const float *keys, *values;
  int first, end;
};

template <int QUERIES>
static void attend_block(const float* queries, size_t q_stride, int head_width, const Block& block,
                         const Sight& sight, Score score, const Distances& distances, int first,
                         float* scores, float* y, size_t y_stride, Running* sums) {
  const int at = sight.first + first;
  auto from = [&](int q) {
    const int start = at + q > sight.before ? at + q - sight.before : 0;
    return start > block.first ? start - block.first : 0;
  };
  auto to = [&](int q) { return least(block.end, at + q + sight.after + 1) - block.first; };
  const int begin = from(0) / LANES * LANES, end = to(QUERIES - 1);
  if (begin >= end) return;
  weigh<QUERIES>(queries, q_stride, block.keys + begin, LONG_BLOCK, head_width, end - begin,
                 score.scale, scores + begin, LONG_BLOCK);
  for (int q = 0; q < QUERIES; q++) {
    float* row = scores + q * LONG_BLOCK;
    if (score.cap > 0) cap(row + begin, end - begin, score.cap);
    Distances here = distances;
    if (distances.keys != nullptr) here.keys += block.first;
    if (distances.table != nullptr)
      add_distances(here, distances.table, first + q, from(q), to(q), row);
    if (distances.rows != nullptr) {
      here.of_keys += block.first;
      add_products(here, first + q, from(q), to(q), row);
    }
    auto seen = [&](int i) { return below(i, to(q)) & ~below(i, from(q)); };
    Floats most = all(sums[q].most);
    for (int i = begin; i < end; i += LANES)
      most = larger(chosen(seen(i), load<Floats>(row + i), most), most);
    const float largest_so_far = largest(most);
    Floats top = all(largest_so_far), total = {};
    for (int i = begin; i < end; i += LANES) {
      const Floats power = chosen(seen(i), exponential(load<Floats>(row + i) - top), Floats{});
      total += power;
      store(row + i, power);
    }
    const float factor = exponential(all(sums[q].most) - top)[0];
    scale_all(y + q * y_stride, head_width, factor);
    sums[q] = {largest_so_far, sums[q].total * factor + sum(total)};
  }
  weigh<QUERIES>(scores + begin, LONG_BLOCK, block.values + begin * head_width, head_width,
                 end - begin, head_width, 1, y, y_stride, Into::ADD);
}

// Queries that see many keys. A block of keys and values is copied together, into the second cache,
// and read by many queries; blocks begin at multiples of their length, so a query's sums are in the
// same order whichever queries are computed with it.
static void attend_long(const float* queries, size_t q_stride, int count, int head_width,
                        const Memory& memory, const Sight& sight, Score score,
                        const Distances& distances, int first, float* scores, float* y,
                        size_t y_stride, float* lse) {
  constexpr int MOST = 256;
  float *keys = scores + 4 * LONG_BLOCK, *values = keys + head_width * LONG_BLOCK;
  for (int done = 0; done < count; done += MOST) {
    const int some = least(MOST, count - done), at = sight.first + first + done;
    const float* x = queries + done * q_stride;
    float* to = y + done * y_stride;
    Running sums[MOST];
    for (int q = 0; q < some; q++) {
      sums[q] = {-3e38f, 0};
      for (int i = 0; i < head_width; i++) to[q * y_stride + i] = 0;
    }
    const int end = least(memory.count, at + some + sight.after);
    int start = at > sight.before ? at - sight.before : 0;
    for (start = start / LONG_BLOCK * LONG_BLOCK; start < end; start += LONG_BLOCK) {
      const int there = least(LONG_BLOCK, memory.count - start);
      const int padded = least(LONG_BLOCK, memory.padded - start);
      for (int i = 0; i < head_width; i++) {
        const float* row = memory.keys + (size_t)i * memory.padded + start;
        memcpy(keys + i * LONG_BLOCK, row, padded * sizeof(float));
        memset(keys + i * LONG_BLOCK + padded, 0, (LONG_BLOCK - padded) * sizeof(float));
      }
      for (int key = 0; key < there; key++)
        memcpy(values + key * head_width, memory.values + (start + key) * memory.stride,
               head_width * sizeof(float));
      const Block block{keys, values, start, start + there};
      int q = 0;
      for (; q + 4 <= some; q += 4)
        attend_block<4>(x + q * q_stride, q_stride, head_width, block, sight, score,
                               distances, first + done + q, scores, to + q * y_stride, y_stride,
                               sums + q);
      for (; q < some; q++)
        attend_block<1>(x + q * q_stride, q_stride, head_width, block, sight, score, distances,
                        first + done + q, scores, to + q * y_stride, y_stride, sums + q);
    }
    for (int q = 0; q < some; q++) {
      const float* sink = score.sinks;
      const float most = sink != nullptr && *sink > sums[q].most ? *sink : sums[q].most;
      const float factor = exponential(all(sums[q].most - most))[0];
      float whole = sums[q].total * factor;
      if (sink != nullptr) whole += exponential(all(*sink - most))[0];
      for (int i = 0; i < head_width; i += LANES)
        store(to + q * y_stride + i, load<Floats>(to + q * y_stride + i) * (factor / whole));
      if (lse != nullptr) lse[first + done + q] = most + logf(whole);
    }
  }
}

static void attend(const float* queries, size_t q_stride, int count, int head_width,
                   const Memory& memory, const Sight& sight, Score score,
                   const Distances& distances, float* scores, float* y, size_t y_stride,
                   float* lse) {
  auto is_long = [&](int q) {
    const int at = sight.first + q, from = at > sight.before ? at - sight.before : 0;
    return least(memory.count, at + sight.after + 1) - from > LONG;
  };
  for (int q = 0; q < count;) {
    int some = 1;
    if (is_long(q)) {
      while (q + some < count && is_long(q + some)) some++;
      attend_long(queries + q * q_stride, q_stride, some, head_width, memory, sight, score,
                  distances, q, scores, y + q * y_stride, y_stride, lse);
    } else if (q + 4 <= count && !is_long(q + 1) && !is_long(q + 2) && !is_long(q + 3)) {
      attend_some<4>(queries + q * q_stride, q_stride, head_width, memory, sight, score, distances,
                     q, scores, y + q * y_stride, y_stride, lse);
      some = 4;
    } else {
      attend_some<1>(queries + q * q_stride, q_stride, head_width, memory, sight, score, distances,
                     q, scores, y + q * y_stride, y_stride, lse);
    }
    q += some;
  }
}

// Of each vector the sum, in its lane: in the order of `sum`, with a third of the operations.
#define PAIR(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
INLINE Floats sums_of(Floats (&x)[LANES]) {
  for (int i = 0; i < 8; i++)
    x[i] = PAIR(x[i], x[i + 8], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           PAIR(x[i], x[i + 8], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  for (int i = 0; i < 4; i++)
    x[i] = PAIR(x[i], x[i + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27) +
           PAIR(x[i], x[i + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  for (int i = 0; i < 2; i++)
    x[i] = PAIR(x[i], x[i + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29) +
           PAIR(x[i], x[i + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  return PAIR(x[0], x[1], 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30) +
         PAIR(x[0], x[1], 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
}

template <int VECTORS>
INLINE void add_values(const float* const* places, size_t value, const float* weights, int count,
                       float* y) {
  Floats sums[VECTORS];
  for (int v = 0; v < VECTORS; v++) sums[v] = load<Floats>(y + v * LANES);
  for (int t = 0; t < count; t++)
    for (int v = 0; v < VECTORS; v++)
      sums[v] = fused(all(weights[t]), load<Floats>(places[t] + value + v * LANES), sums[v]);
  for (int v = 0; v < VECTORS; v++) store(y + v * LANES, sums[v]);
}

// A few tokens at a time, each read as it lies: a step of GPT-2 beside 900 tokens takes a fifth less
// time. With the sums of 16 keys and the values of a whole head together it takes another fifth less.
static void attend_past(const float* query, const Past& past, Score score,
                        const Distances& distances, size_t reach, float* scores, float* y) {
  const int head = past.head_width, group = past.heads / past.key_heads;
  const int padded = (past.count + LANES - 1) / LANES * LANES;
  for (int from = 0; from < past.count; from += LANES)
    for (int h = 0; h < past.heads; h++) {
      Floats products[LANES];
      for (int t = 0; t < LANES; t++) {
        const float* key = past.places[least(from + t, past.count - 1)] + past.offset;
        products[t] = Floats{};
        for (int i = 0; i < head; i += LANES)
          products[t] = fused(load<Floats>(query + h * head + i),
                              load<Floats>(key + h / group * head + i), products[t]);
      }
      store(scores + h * padded + from, sums_of(products) * score.scale);
    }
  for (int h = 0; h < past.heads; h++) {
    if (score.cap > 0) cap(scores + h * padded, past.count, score.cap);
    if (distances.table != nullptr)
      add_distances(distances, distances.table + h * reach, 0, 0, past.count, scores + h * padded);
    softmax(scores + h * padded, 0, 0, past.count, past.count,
            score.sinks == nullptr ? nullptr : score.sinks + h);
  }
  for (int i = 0; i < past.heads * head; i += LANES) store(y + i, Floats{});
  constexpr int FEW = 8;
  for (int from = 0; from < past.count; from += FEW)
    for (int h = 0; h < past.heads; h++) {
      const float* weights = scores + h * padded + from;
      const size_t value = past.offset + past.width + h / group * head;
      const int some = least(FEW, past.count - from);
      int i = 0;
      for (; i + TILE_VECTORS * LANES <= head; i += TILE_VECTORS * LANES)
        add_values<TILE_VECTORS>(past.places + from, value + i, weights, some, y + h * head + i);
      for (; i < head; i += LANES)
        add_values<1>(past.places + from, value + i, weights, some, y + h * head + i);
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
