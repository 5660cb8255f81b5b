// Products of rows and packed weights. A tile of rows and outputs stays in registers while the
// inputs pass by one after another, so the order of each sum is that of the inputs.
#pragma once
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "kernels/vector.h"

namespace regard {
namespace {

// A tile fills the registers: 24 sums of 32, 12 of 16 halves, 8 of 16 quarters.
#if defined(__AVX512F__)
constexpr int TILE_ROWS = 6, TILE_VECTORS = 4;
#elif defined(__AVX2__)
constexpr int TILE_ROWS = 6, TILE_VECTORS = 1;
#elif defined(__aarch64__)
constexpr int TILE_ROWS = 6, TILE_VECTORS = 1;
#else
constexpr int TILE_ROWS = 2, TILE_VECTORS = 1;
#endif

// Stored as bfloat16, a float has lost its lower half: to widen it is exact. One row reads all
// weights for itself, so half the bytes are nearly twice the speed.
INLINE Floats weights_at(const float* from) { return load<Floats>(from); }
INLINE Floats weights_at(const uint16_t* from) {
  return (Floats)(__builtin_convertvector(load<Halves>(from), Ints) << 16);
}

// Adds to each of 16 sums the products of four unsigned bytes and four signed ones.
#if defined(__AVX512VNNI__)
struct Quad {
  Ints weights;
  explicit Quad(Ints w) : weights(w) {}
  INLINE Ints split(int32_t x) { return all(x); }
  Ints dot(Ints sums, Ints x) const {
    return (Ints)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)weights, (__m512i)x);
  }
};
#elif defined(__AVX2__)
// Bytes 0 and 2, and 1 and 3, as pairs of 16 bits: their products and sums are exact, where
// vpmaddubsw would saturate.
typedef int16_t Words __attribute__((vector_size(32)));
struct Pairs {
  Words even[2], odd[2];
};
struct Quad {
  Pairs weights;
  explicit Quad(Ints w) {
    Words half[2];
    memcpy(half, &w, sizeof half);
    for (int i = 0; i < 2; i++) {
      weights.even[i] = half[i] & 0xff;
      weights.odd[i] = (Words)_mm256_srli_epi16((__m256i)half[i], 8);
    }
  }
  INLINE Words split(int32_t x) { return (Words)_mm256_set1_epi32(x); }
  Ints dot(Ints sums, Words x) const {
    __m256i even = _mm256_srai_epi16(_mm256_slli_epi16((__m256i)x, 8), 8);
    __m256i odd = _mm256_srai_epi16((__m256i)x, 8), half[2];
    memcpy(half, &sums, sizeof half);
    for (int i = 0; i < 2; i++) {
      half[i] = _mm256_add_epi32(half[i], _mm256_madd_epi16((__m256i)weights.even[i], even));
      half[i] = _mm256_add_epi32(half[i], _mm256_madd_epi16((__m256i)weights.odd[i], odd));
    }
    memcpy(&sums, half, sizeof half);
    return sums;
  }
};
#else
struct Quad {
  Ints weights;
  explicit Quad(Ints w) : weights(w) {}
  INLINE int32_t split(int32_t x) { return x; }
  Ints dot(Ints sums, int32_t x) const {
    for (int i = 0; i < QUADS; i++)
      sums += ((weights >> (8 * i)) & 0xff) * (int32_t)(int8_t)((uint32_t)x >> (8 * i));
    return sums;
  }
};
#endif

template <int ROWS>
INLINE void finish(const Matrix& m, int output, const Floats (&sums)[ROWS][TILE_VECTORS], float* y,
                   size_t stride, Into into) {
  for (int r = 0; r < ROWS; r++)
    for (int v = 0; v < TILE_VECTORS; v++) {
      Floats x = sums[r][v] + load<Floats>(m.bias + output + v * LANES);
      x = activated(x, m.activation);
      float* place = y + r * stride + output + v * LANES;
      if (into == Into::ADD) x = load<Floats>(place) + x;
      if (into == Into::MULTIPLY) x = load<Floats>(place) * x;
      store(place, x);
    }
}

template <int ROWS, class Weight>
static void tile_of_floats(const Matrix& m, int output, const float* x, size_t x_stride, float* y,
                           size_t y_stride, Into into) {
  const Weight* w = (const Weight*)m.weights + (size_t)(output / PANEL) * m.inputs * PANEL +
                    output % PANEL;
  Floats sums[ROWS][TILE_VECTORS] = {};
  for (int i = 0; i < m.inputs; i++, w += PANEL) {
    Floats weights[TILE_VECTORS];
    for (int v = 0; v < TILE_VECTORS; v++) weights[v] = weights_at(w + v * LANES);
    if (ROWS == 1) __builtin_prefetch(w + 16 * PANEL);
    if (ROWS == 1 && TILE_VECTORS > 1) __builtin_prefetch(w + 16 * PANEL + PANEL / 2);
    for (int r = 0; r < ROWS; r++) {
      Floats factor = all(x[r * x_stride + i]);
      for (int v = 0; v < TILE_VECTORS; v++) sums[r][v] = fused(weights[v], factor, sums[r][v]);
    }
  }
  finish<ROWS>(m, output, sums, y, y_stride, into);
}

// Sums of integers are exact. The weights are 128 too large to be unsigned, and with them each sum
// by 128 times the sum of its row.
template <int ROWS>
static void tile_of_integers(const Matrix& m, int output, const Rounded& x, int row, float* y,
                             size_t y_stride, Into into) {
  const uint8_t* w = (const uint8_t*)m.weights + (size_t)(output / PANEL) * m.inputs * PANEL +
                     (size_t)(output % PANEL) * QUADS;
  const int8_t* integers = x.integers + row * x.stride;
  Ints sums[ROWS][TILE_VECTORS] = {};
  for (int i = 0; i < m.inputs; i += QUADS, w += PANEL * QUADS) {
    if (ROWS == 1)
      for (int v = 0; v < TILE_VECTORS; v++) __builtin_prefetch(w + 2048 + v * LANES * QUADS);
    for (int v = 0; v < TILE_VECTORS; v++) {
      Quad weights(load<Ints>(w + v * LANES * QUADS));
      for (int r = 0; r < ROWS; r++) {
        int32_t four;
        memcpy(&four, integers + r * x.stride + i, sizeof four);
        sums[r][v] = weights.dot(sums[r][v], Quad::split(four));
      }
    }
  }
  Floats scaled[ROWS][TILE_VECTORS];
  for (int r = 0; r < ROWS; r++)
    for (int v = 0; v < TILE_VECTORS; v++) {
      Floats scales = load<Floats>(m.scales + output + v * LANES) * x.scales[row + r];
      scaled[r][v] = __builtin_convertvector(sums[r][v] - x.sums[row + r], Floats) * scales;
    }
  finish<ROWS>(m, output, scaled, y, y_stride, into);
}

// A tile of at most ROWS rows.
template <int ROWS>
static void tile(const Matrix& m, int output, const float* x, size_t x_stride, const Rounded& q,
                 int row, int rows, float* y, size_t y_stride, Into into) {
  if (rows < ROWS) {
    if constexpr (ROWS > 1)
      tile<ROWS - 1>(m, output, x, x_stride, q, row, rows, y, y_stride, into);
    return;
  }
  const float* from = x + row * x_stride;
  float* to = y + row * y_stride;
  if (m.storage == Storage::INT8)
    tile_of_integers<ROWS>(m, output, q, row, to, y_stride, into);
  else if (m.storage == Storage::BFLOAT16)
    tile_of_floats<ROWS, uint16_t>(m, output, from, x_stride, to, y_stride, into);
  else
    tile_of_floats<ROWS, float>(m, output, from, x_stride, to, y_stride, into);
}

// The weights of a tile are in the first cache when the next rows come.
static void product(const Matrix& m, const float* x, size_t x_stride, const Rounded& q, int rows,
                    float* y, Into into) {
  size_t y_stride = (m.outputs + PANEL - 1) / PANEL * (size_t)PANEL;
  for (int output = 0; output < m.outputs; output += TILE_VECTORS * LANES)
    for (int row = 0; row < rows; row += TILE_ROWS) {
      int some = rows - row < TILE_ROWS ? rows - row : TILE_ROWS;
      tile<TILE_ROWS>(m, output, x, x_stride, q, row, some, y, y_stride, into);
    }
}

static void round_rows(const float* x, size_t stride, int rows, int width, const Rounded& q) {
  for (int r = 0; r < rows; r++, x += stride) {
    Floats most = {};
    for (int i = 0; i < width; i += LANES) most = larger(absolute(load<Floats>(x + i)), most);
    float top = largest(most);
    top = top > 1e-30f ? top < 1e30f ? top : 1e30f : 1e-30f;
    q.scales[r] = top / 127;
    Ints total = {};
    for (int i = 0; i < width; i += LANES) {
      Floats scaled = load<Floats>(x + i) * (127 / top);
      scaled = scaled > -127.0f ? scaled : all(-127.0f);  // NaN too
      scaled = scaled < 127.0f ? scaled : all(127.0f);
      Ints whole = __builtin_convertvector(nearest(scaled), Ints);
      total += whole;
      store(q.integers + r * q.stride + i, __builtin_convertvector(whole, Bytes));
    }
    int32_t each[LANES], sum = 0;
    store(each, total);
    for (int32_t some : each) sum += some;
    q.sums[r] = 128 * sum;
  }
}

}  // namespace
}  // namespace regard
