// The product of four weights and four inputs that are bytes, for 16 outputs: what a family of
// processors is best at. The sums are exact, so all of them give the same bits.
#pragma once
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm__)
#include <wasm_simd128.h>
#endif

#include "kernels/vector.h"

namespace regard {
namespace {

// Weights are stored 128 too large, without signs, as Intel's dpbusd wants them. The others want
// both sides signed: FLIP takes the 128 off, and EXCESS is what is then left of it. A Quad takes
// weights as they are stored, ^ FLIP, or any from 0 to 127.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
constexpr int32_t FLIP = 0, EXCESS = 128;
#else
constexpr int32_t FLIP = (int32_t)0x80808080, EXCESS = 0;
#endif

#if defined(__AVX512VNNI__)
struct Quad {
  Ints weights;
  explicit Quad(Ints w) : weights(w) {}
  INLINE Ints split(int32_t x) { return all(x); }
  Ints dot(Ints sums, Ints x) const {
    return (Ints)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)weights, (__m512i)x);
  }
};
#elif defined(__AVXVNNI__)
// The same in halves, on processors without AVX-512. Four times the products that AVX2 has in an
// instruction, which takes the split of weights and two operations a pair.
struct Quad {
  __m256i weights[2];
  explicit Quad(Ints w) { memcpy(weights, &w, sizeof weights); }
  INLINE __m256i split(int32_t x) { return _mm256_set1_epi32(x); }
  Ints dot(Ints sums, __m256i x) const {
    __m256i half[2];
    memcpy(half, &sums, sizeof half);
    for (int i = 0; i < 2; i++) half[i] = _mm256_dpbusd_avx_epi32(half[i], weights[i], x);
    memcpy(&sums, half, sizeof half);
    return sums;
  }
};
#elif defined(__aarch64__)
struct Quad {
  int8x16_t weights[4];
  explicit Quad(Ints w) { memcpy(weights, &w, sizeof weights); }
  INLINE int8x16_t split(int32_t x) { return vreinterpretq_s8_s32(vdupq_n_s32(x)); }
  Ints dot(Ints sums, int8x16_t x) const {
    int32x4_t quarter[4];
    memcpy(quarter, &sums, sizeof quarter);
    for (int i = 0; i < 4; i++) {
#ifdef __ARM_FEATURE_DOTPROD
      quarter[i] = vdotq_s32(quarter[i], weights[i], x);
#else
      // Two products, of 127 · 127 each, fit into 16 bits: a quarter of the speed of `sdot`.
      int16x8_t low = vmull_s8(vget_low_s8(weights[i]), vget_low_s8(x));
      int16x8_t high = vmull_high_s8(weights[i], x);
      quarter[i] = vpadalq_s16(quarter[i], vpaddq_s16(low, high));
#endif
    }
    memcpy(&sums, quarter, sizeof quarter);
    return sums;
  }
};
#elif defined(__AVX2__) || defined(__SSE2__) || defined(__wasm_simd128__)
// Bytes 0 and 2, and 1 and 3, as pairs of 16 bits: their products and sums are exact, where
// vpmaddubsw would saturate.
#if defined(__AVX2__)
typedef __m256i Register;
INLINE Register pairs_of(Register a, Register b) { return _mm256_madd_epi16(a, b); }
#elif defined(__SSE2__)
typedef __m128i Register;
INLINE Register pairs_of(Register a, Register b) { return _mm_madd_epi16(a, b); }
#else
typedef v128_t Register;
INLINE Register pairs_of(Register a, Register b) { return wasm_i32x4_dot_i16x8(a, b); }
#endif
typedef int16_t Words __attribute__((vector_size(sizeof(Register))));
typedef int32_t Sums32 __attribute__((vector_size(sizeof(Register))));
struct Quad {
  static constexpr int PARTS = sizeof(Ints) / sizeof(Register);
  struct Pair {
    Words even, odd;
  } parts[PARTS];

  explicit Quad(Ints w) {
    Words some[PARTS];
    memcpy(some, &w, sizeof some);
    for (int i = 0; i < PARTS; i++) parts[i] = pair_of(some[i]);
  }
  INLINE Pair pair_of(Words x) { return {(Words)(x << 8) >> 8, x >> 8}; }
  INLINE Pair split(int32_t x) { return pair_of((Words)(x - Sums32{})); }
  Ints dot(Ints sums, Pair x) const {
    Sums32 some[PARTS];
    memcpy(some, &sums, sizeof some);
    for (int i = 0; i < PARTS; i++) {
      some[i] += (Sums32)pairs_of((Register)parts[i].even, (Register)x.even);
      some[i] += (Sums32)pairs_of((Register)parts[i].odd, (Register)x.odd);
    }
    memcpy(&sums, some, sizeof some);
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
      sums += ((weights << (24 - 8 * i)) >> 24) * (int32_t)(int8_t)((uint32_t)x >> (8 * i));
    return sums;
  }
};
#endif

// Sums of a block of weights from 0 to 15.
#if defined(__AVX2__) && !defined(__AVX512VNNI__) && !defined(__AVXVNNI__)
// Eight sums of two products, of at most 15 · 127 each, fit into 16 bits.
struct BlockSum {
  __m256i sums[2] = {};
  void add(Ints weights, int32_t x) {
    __m256i half[2];
    memcpy(half, &weights, sizeof half);
    for (int i = 0; i < 2; i++)
      sums[i] = _mm256_add_epi16(sums[i], _mm256_maddubs_epi16(half[i], _mm256_set1_epi32(x)));
  }
  Ints total() const {
    __m256i half[2];
    Ints all;
    for (int i = 0; i < 2; i++) half[i] = _mm256_madd_epi16(sums[i], _mm256_set1_epi16(1));
    memcpy(&all, half, sizeof all);
    return all;
  }
};
#else
struct BlockSum {
  Ints sums = {};
  void add(Ints weights, int32_t x) { sums = Quad(weights).dot(sums, Quad::split(x)); }
  Ints total() const { return sums; }
};
#endif

}  // namespace
}  // namespace regard
