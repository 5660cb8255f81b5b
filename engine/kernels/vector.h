// Sixteen numbers side by side: the compiler splits them where registers are narrower. All of it is
// private to a file, since each family of processors compiles it anew.
#pragma once
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

#define INLINE static inline __attribute__((always_inline))

namespace regard {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef uint16_t Halves __attribute__((vector_size(32)));
typedef int8_t Bytes __attribute__((vector_size(16)));

template <class Vector, class Number>
INLINE Vector load(const Number* from) {
  Vector x;
  memcpy(&x, from, sizeof x);
  return x;
}

template <class Vector, class Number>
INLINE void store(Number* to, Vector x) {
  memcpy(to, &x, sizeof x);
}

INLINE Floats all(float x) { return x - Floats{}; }
INLINE Ints all(int32_t x) { return x - Ints{}; }

// a · b + c, rounded once where the processor can.
INLINE Floats fused(Floats a, Floats b, Floats c) {
#if defined(__has_builtin) && (defined(__FMA__) || defined(__aarch64__))
#if __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#endif
#endif
  return a * b + c;
}

INLINE Floats chosen(Ints condition, Floats yes, Floats no) {
  return (Floats)((condition & (Ints)yes) | (~condition & (Ints)no));
}
INLINE Floats larger(Floats a, Floats b) { return a > b ? a : b; }
INLINE Floats absolute(Floats x) { return (Floats)((Ints)x & 0x7fffffff); }
// To the nearest integer, of two the even one, for |x| < 2^22.
INLINE Floats nearest(Floats x) { return (x + 12582912.0f) - 12582912.0f; }

// The places below `count`, where `at` is the place of the first lane.
INLINE Ints below(int at, int count) {
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return lane + at < count;
}

#define FOLDED(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
template <class Vector>
INLINE auto sum(Vector x) {
  x = x + FOLDED(x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  x = x + FOLDED(x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  x = x + FOLDED(x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  return x[0] + x[1];
}
INLINE float largest(Floats x) {
  x = larger(x, FOLDED(x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  x = larger(x, FOLDED(x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  x = larger(x, FOLDED(x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  return x[0] > x[1] ? x[0] : x[1];
}

// e^x by 2^n · e^r with |r| ≤ ½ log 2, to one unit in the last place; NaN stays.
INLINE Floats exponential(Floats x) {
  x = x < -87.0f ? all(-87.0f) : x;
  x = x > 88.0f ? all(88.0f) : x;
  Floats n = nearest(x * 1.44269504f);
  Floats r = fused(n, all(-0.693359375f), x);
  r = fused(n, all(2.12194440e-4f), r);
  Floats p = all(1.9875691500e-4f);
  p = fused(p, r, all(1.3981999507e-3f));
  p = fused(p, r, all(8.3334519073e-3f));
  p = fused(p, r, all(4.1665795894e-2f));
  p = fused(p, r, all(1.6666665459e-1f));
  p = fused(p, r, all(5.0000001201e-1f));
  p = fused(p, r * r, r + 1.0f);
  return p * (Floats)((__builtin_convertvector(n, Ints) + 127) << 23);
}

// Abramowitz & Stegun 7.1.26, to 1.5e-7.
INLINE Floats error_function(Floats x) {
  Floats size = absolute(x), t = 1.0f / fused(size, all(0.3275911f), all(1.0f));
  Floats p = fused(t, all(1.061405429f), all(-1.453152027f));
  p = fused(p, t, all(1.421413741f));
  p = fused(p, t, all(-0.284496736f));
  p = fused(p, t, all(0.254829592f));
  Floats y = 1.0f - p * t * exponential(-size * size);
  return x < 0.0f ? -y : y;
}

// To one unit in the last place: a polynomial where 1 - 2 / (e^2x + 1) would cancel.
INLINE Floats hyperbolic_tangent(Floats x) {
  Floats square = x * x, p = all(-5.70498872745e-3f);
  p = fused(p, square, all(2.06390887954e-2f));
  p = fused(p, square, all(-5.37397155531e-2f));
  p = fused(p, square, all(1.33314422036e-1f));
  p = fused(p, square, all(-3.33332819422e-1f));
  p = fused(p * square, x, x);
  Floats y = 1.0f - 2.0f / (exponential(x + x) + 1.0f);
  return chosen(absolute(x) >= 0.625f, y, p);  // NaN stays
}

INLINE Floats activated(Floats x, Activation kind) {
  Floats z = x;
  switch (kind) {
    case Activation::NONE:
      return x;
    case Activation::RELU:
      return x < 0.0f ? all(0.0f) : x;  // NaN stays
    case Activation::GELU:
      return 0.5f * x * (1.0f + error_function(x * 0.70710678f));
    case Activation::GELU_TANH:  // ½ (1 + tanh u) is the logistic function of 2 u
      z = fused(x * x * x, all(0.044715f), x) * 1.5957691216f;
      break;
    case Activation::SILU:
      break;
    case Activation::QUICK_GELU:
      z = x * 1.702f;
      break;
    case Activation::TANH:
      return hyperbolic_tangent(x);
  }
  return x / (1.0f + exponential(-z));
}

}  // namespace
}  // namespace regard
