// Products of rows and packed weights. A tile of rows and outputs stays in registers while the
// inputs pass by one after another, so the order of each sum is that of the inputs.
#pragma once
#include "kernels/quad.h"

namespace regard {

#ifdef LIKE
extern const Kernels LIKE;
#endif

namespace {

// A tile fills the registers: 24 sums of 32, 12 of 16 halves, 8 of 16 quarters; in WebAssembly, as
// tile_of_halves has them, 10 quarters.
#if defined(__AVX512F__)
constexpr int TILE_ROWS = 6, TILE_VECTORS = 4;
#elif defined(__AVX2__)
constexpr int TILE_ROWS = 6, TILE_VECTORS = 1;
#elif defined(__aarch64__)
constexpr int TILE_ROWS = 6, TILE_VECTORS = 1;
#elif defined(__wasm_simd128__)
constexpr int TILE_ROWS = 5, TILE_VECTORS = 1;
#else
constexpr int TILE_ROWS = 2, TILE_VECTORS = 1;
#endif

// Stored as bfloat16, a float has lost its lower half: to widen it is exact. One row reads all
// weights for itself, so half the bytes are nearly twice the speed.
INLINE Floats weights_at(const float* from) { return load<Floats>(from); }
INLINE Floats weights_at(const uint16_t* from) {
  return (Floats)(__builtin_convertvector(load<Halves>(from), Ints) << 16);
}

// One row waits for memory alone: bytes that are needed 8 kB later. With 1 or 2 kB fp32 reads a
// quarter slower.
INLINE void prefetch(const void* from, int bytes) {
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char*)from + 8192 + i);
}

typedef Floats Sums[TILE_ROWS][TILE_VECTORS];

// One function for all sizes of tiles, which takes a third off of the library.
static __attribute__((noinline)) void finish(const Matrix& m, int output, int rows,
                                             const Sums& sums, const float* middles, float* y,
                                             size_t stride, Into into) {
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < TILE_VECTORS; v++) {
      Floats x = sums[r][v] + load<Floats>(m.bias + output + v * LANES);
      if (middles) x = fused(load<Floats>(m.totals + output + v * LANES), all(middles[r]), x);
      x = activated(x, m.activation);
      float* place = y + r * stride + output + v * LANES;
      if (into == Into::ADD) x = load<Floats>(place) + x;
      if (into == Into::MULTIPLY) x = load<Floats>(place) * x;
      store(place, x);
    }
}

template <int ROWS, class Weight>
static void tile_of_floats(const Matrix& m, int output, const float* x, size_t x_stride,
                           Sums& all_sums) {
  const Weight* w = (const Weight*)m.weights + (size_t)(output / PANEL) * m.inputs * PANEL +
                    output % PANEL;
  Floats sums[ROWS][TILE_VECTORS] = {};
  for (int i = 0; i < m.inputs; i++, w += PANEL) {
    Floats weights[TILE_VECTORS];
    for (int v = 0; v < TILE_VECTORS; v++) weights[v] = weights_at(w + v * LANES);
    if (ROWS == 1) prefetch(w, TILE_VECTORS * LANES * sizeof(Weight));
    for (int r = 0; r < ROWS; r++) {
      Floats factor = all(x[r * x_stride + i]);
      for (int v = 0; v < TILE_VECTORS; v++) sums[r][v] = fused(weights[v], factor, sums[r][v]);
    }
  }
  for (int v = 0; sizeof(Weight) == 2 && v < TILE_VECTORS; v++)
    for (int r = 0; r < ROWS; r++)
      sums[r][v] = sums[r][v] * load<Floats>(m.scales + output + v * LANES);
  memcpy(all_sums, sums, sizeof sums);
}

#if defined(__wasm_simd128__)
INLINE v128_t fused(v128_t a, v128_t b, v128_t c) {
#if defined(__wasm_relaxed_simd__)
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
#endif
}

// What the page multiplies with. Of two bfloat16 side by side, one operation makes a float of each:
// the lower is shifted, the upper loses its lower half. So 8 outputs are even and odd ones, and with
// 5 rows, as many as a translation has beams, their sums fit into the 16 registers of x86.
template <int ROWS>
static void tile_of_halves(const Matrix& m, int output, const float* x, size_t x_stride,
                           Sums& all_sums) {
  for (int eighth = output; eighth < output + LANES; eighth += 8) {
    const uint16_t* w = (const uint16_t*)m.weights +
                        (size_t)(eighth / PANEL) * m.inputs * PANEL + eighth % PANEL;
    v128_t even[ROWS] = {}, odd[ROWS] = {};
    for (int i = 0; i < m.inputs; i++, w += PANEL) {
      const v128_t both = wasm_v128_load(w), low = both << 16, high = both & (int32_t)0xffff0000;
      for (int r = 0; r < ROWS; r++) {
        const v128_t factor = wasm_v128_load32_splat(x + r * x_stride + i);
        even[r] = fused(low, factor, even[r]);
        odd[r] = fused(high, factor, odd[r]);
      }
    }
    for (int r = 0; r < ROWS; r++) {
      float* to = (float*)&all_sums[r] + (eighth - output);
      const float* scales = m.scales + eighth;
      const v128_t first = wasm_i32x4_shuffle(even[r], odd[r], 0, 4, 1, 5);
      const v128_t second = wasm_i32x4_shuffle(even[r], odd[r], 2, 6, 3, 7);
      wasm_v128_store(to, wasm_f32x4_mul(first, wasm_v128_load(scales)));
      wasm_v128_store(to + 4, wasm_f32x4_mul(second, wasm_v128_load(scales + 4)));
    }
  }
}
#endif

// Each weight is made of its integer, which rounds once, as where it is stored as a float.
template <int ROWS>
static void tile_of_groups(const Matrix& m, int output, const float* x, size_t x_stride,
                           Sums& all_sums) {
  const bool half = m.storage == Storage::HALVES;
  const int panel = output / PANEL, column = output % PANEL;
  const uint8_t* w = (const uint8_t*)m.weights + ((size_t)panel * m.inputs * PANEL >> half) + column;
  size_t place = (size_t)panel * (m.inputs / m.group) * PANEL + column;
  const int32_t mask = half ? 15 : -1, least = half && !m.totals ? 8 : 0;
  Floats sums[ROWS][TILE_VECTORS] = {};
  for (int first = 0; first < m.inputs; first += m.group, place += PANEL) {
    Floats scales[TILE_VECTORS], offsets[TILE_VECTORS];
    for (int v = 0; v < TILE_VECTORS; v++) {
      scales[v] = load<Floats>(m.scales + place + v * LANES);
      offsets[v] = m.totals ? load<Floats>(m.totals + place + v * LANES) : Floats{};
    }
    for (int i = first; i < first + m.group; i++) {
      const int32_t shift = half ? i % 2 * 4 : 0;
      Floats weights[TILE_VECTORS];
      for (int v = 0; v < TILE_VECTORS; v++) {
        Ints integers = __builtin_convertvector(load<Bytes>(w + v * LANES), Ints);
        integers = (integers >> shift & mask) - least;
        weights[v] = fused(__builtin_convertvector(integers, Floats), scales[v], offsets[v]);
      }
      if (ROWS == 1) prefetch(w, TILE_VECTORS * LANES);
      for (int r = 0; r < ROWS; r++) {
        Floats factor = all(x[r * x_stride + i]);
        for (int v = 0; v < TILE_VECTORS; v++) sums[r][v] = fused(weights[v], factor, sums[r][v]);
      }
      if (!half || i % 2) w += PANEL;
    }
  }
  memcpy(all_sums, sums, sizeof sums);
}

// Sums of integers are exact. Weights are too large by EXCESS, and with them each sum by so many
// times the sum of its row.
template <int ROWS>
static void tile_of_bytes(const Matrix& m, int output, const Rounded& x, int row, Sums& all_sums) {
  const uint8_t* w = (const uint8_t*)m.weights + (size_t)(output / PANEL) * m.inputs * PANEL +
                     (size_t)(output % PANEL) * QUADS;
  const int8_t* integers = x.integers + row * x.stride;
  Ints sums[ROWS][TILE_VECTORS] = {};
  for (int i = 0; i < m.inputs; i += QUADS, w += PANEL * QUADS) {
    if (ROWS == 1) prefetch(w, TILE_VECTORS * LANES * QUADS);
    for (int v = 0; v < TILE_VECTORS; v++) {
      Quad weights(load<Ints>(w + v * LANES * QUADS) ^ FLIP);
      for (int r = 0; r < ROWS; r++) {
        int32_t four;
        memcpy(&four, integers + r * x.stride + i, sizeof four);
        sums[r][v] = weights.dot(sums[r][v], Quad::split(four));
      }
    }
  }
  for (int r = 0; r < ROWS; r++)
    for (int v = 0; v < TILE_VECTORS; v++) {
      Floats scales = load<Floats>(m.scales + output + v * LANES) * x.scales[row + r];
      Ints exact = sums[r][v] - EXCESS * x.sums[row + r];
      all_sums[r][v] = __builtin_convertvector(exact, Floats) * scales;
    }
}

// The sum of a block is exact, and 8 times its integers too large.
template <int ROWS>
static void tile_of_nibbles(const Matrix& m, int output, const Rounded& x, int row,
                            Sums& all_sums) {
  constexpr int HALF = BLOCK / 2, VECTORS = ROWS > 2 && TILE_VECTORS > 2 ? 2 : TILE_VECTORS;
  constexpr size_t WEIGHTS = PANEL * HALF, BYTES = WEIGHTS + 2 * PANEL;  // of a block
  for (int first = 0; first < TILE_VECTORS; first += VECTORS) {
    const int column = output % PANEL + first * LANES;
    const uint8_t* w = (const uint8_t*)m.weights + (size_t)(output / PANEL) * x.groups * BYTES;
    const int8_t* integers = x.integers + row * x.stride;
    Floats sums[ROWS][VECTORS] = {};
    for (int block = 0; block < x.groups; block++, w += BYTES, integers += BLOCK) {
      BlockSum blocks[ROWS][VECTORS];
      for (int i = 0; i < HALF; i += QUADS)
        for (int v = 0; v < VECTORS; v++) {
          const uint8_t* from = w + i * PANEL + (column + v * LANES) * QUADS;
          if (ROWS == 1) prefetch(from, LANES * QUADS);
          Ints both = load<Ints>(from), low = both & 0x0f0f0f0f, high = (both >> 4) & 0x0f0f0f0f;
          for (int r = 0; r < ROWS; r++) {
            int32_t four[2];
            memcpy(&four[0], integers + r * x.stride + i, sizeof four[0]);
            memcpy(&four[1], integers + r * x.stride + HALF + i, sizeof four[1]);
            blocks[r][v].add(low, four[0]);
            blocks[r][v].add(high, four[1]);
          }
        }
      for (int v = 0; v < VECTORS; v++) {
        Floats scales = weights_at((const uint16_t*)(w + WEIGHTS) + column + v * LANES);
        for (int r = 0; r < ROWS; r++) {
          Ints exact = blocks[r][v].total() - 8 * x.sums[(row + r) * x.groups + block];
          sums[r][v] = fused(__builtin_convertvector(exact, Floats), scales, sums[r][v]);
        }
      }
    }
    for (int r = 0; r < ROWS; r++)
      for (int v = 0; v < VECTORS; v++) all_sums[r][first + v] = sums[r][v] * x.scales[row + r];
  }
}

// A tile of at most ROWS rows.
template <int ROWS>
static void tile(const Matrix& m, int output, const float* x, size_t x_stride, const Rounded& q,
                 int row, int rows, Sums& sums) {
  if (rows < ROWS) {
    if constexpr (ROWS > 1) tile<ROWS - 1>(m, output, x, x_stride, q, row, rows, sums);
    return;
  }
  if (m.storage == Storage::INT4)
    tile_of_nibbles<ROWS>(m, output, q, row, sums);
  else if (m.storage == Storage::INT8)
    tile_of_bytes<ROWS>(m, output, q, row, sums);
#ifndef LIKE
  else if (m.storage == Storage::BFLOAT16)
#if defined(__wasm_simd128__)
    tile_of_halves<ROWS>(m, output, x + row * x_stride, x_stride, sums);
#else
    tile_of_floats<ROWS, uint16_t>(m, output, x + row * x_stride, x_stride, sums);
#endif
  else if (m.group > 0)
    tile_of_groups<ROWS>(m, output, x + row * x_stride, x_stride, sums);
  else
    tile_of_floats<ROWS, float>(m, output, x + row * x_stride, x_stride, sums);
#endif
}

// The weights of a tile are in the first cache when the next rows come.
static void product(const Matrix& m, const float* x, size_t x_stride, const Rounded& q, int rows,
                    float* y, Into into, int first, int end) {
#ifdef LIKE
  if (m.storage != Storage::INT8 && m.storage != Storage::INT4)
    return LIKE.product(m, x, x_stride, q, rows, y, into, first, end);
#endif
  size_t y_stride = (m.outputs + PANEL - 1) / PANEL * (size_t)PANEL;
  for (int output = first; output < end; output += TILE_VECTORS * LANES)
    for (int row = 0; row < rows; row += TILE_ROWS) {
      int some = rows - row < TILE_ROWS ? rows - row : TILE_ROWS;
      Sums sums;
      tile<TILE_ROWS>(m, output, x, x_stride, q, row, some, sums);
      finish(m, output, some, sums, q.middles ? q.middles + row : nullptr, y + row * y_stride,
             y_stride, into);
    }
}

INLINE float bounded(float x) { return x > 1e-30f ? x < 1e30f ? x : 1e30f : 1e-30f; }

[[maybe_unused]] static void round_rows(const float* x, size_t stride, int rows, int width, const Rounded& q) {
  for (int r = 0; r < rows; r++, x += stride) {
    Floats lows = {}, highs = {}, strange = {};  // NaN where a number is NaN or infinite, else 0
    for (int i = 0; i < width; i += LANES) {
      Floats some = load<Floats>(x + i);
      lows = larger(-some, lows);
      highs = larger(some, highs);
      strange = fused(some, Floats{}, strange);
    }
    const float low = -bounded(largest(lows)), high = bounded(largest(highs));
    const float middle = q.middles[r] = (low + high) / 2, top = (high - low) / 2;
    q.scales[r] = top / 127 + sum(strange);
    for (int g = 0; g < q.groups; g++) {
      Ints total = {};
      for (int i = g * q.group; i < (g + 1) * q.group; i += LANES) {
        Floats scaled = i < width ? (load<Floats>(x + i) - middle) * (127 / top) : Floats{};
        scaled = scaled > -127.0f ? scaled : all(-127.0f);  // NaN too: its row's scale says it
        scaled = scaled < 127.0f ? scaled : all(127.0f);
        Ints whole = __builtin_convertvector(nearest(scaled), Ints);
        total += whole;
        store(q.integers + r * q.stride + i, __builtin_convertvector(whole, Bytes));
      }
      q.sums[r * q.groups + g] = sum(total);
    }
  }
}

}  // namespace
}  // namespace regard
