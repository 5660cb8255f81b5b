// The likeliest tokens among a row of logits.
#pragma once
#include "kernels/vector.h"

namespace regard {
namespace {

// The natural logarithm of a normal number above 0, by 2 artanh((m - 1) / (m + 1)) in double: every
// machine has the same bits, which its own library's logf has not.
static float logarithm(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = (int32_t)(bits - 0x3f3504f3) >> 23;
  bits -= (uint32_t)exponent << 23;  // from √½ to √2
  memcpy(&x, &bits, sizeof bits);
  const double s = ((double)x - 1) / ((double)x + 1), square = s * s;
  double sum = 0;
  for (int i = 19; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  return (float)(exponent * 0.69314718055994531 + 2 * s * sum);
}

// Of NaN or infinity among the logits both are NaN.
static void log_sum(const float* logits, int count, float* top, float* log_of_sum) {
  Floats most = all(-INFINITY), total = {};
  for (int i = 0; i < count; i += LANES) {
    Floats x = chosen(below(i, count), load<Floats>(logits + i), all(-INFINITY));
    most = larger(x, most);
  }
  Floats shift = all(largest(most));
  for (int i = 0; i < count; i += LANES) {
    Floats power = exponential(load<Floats>(logits + i) - shift);
    total += chosen(below(i, count), power, Floats{});
  }
  const float whole = sum(total);
  *top = whole == whole ? shift[0] : NAN;
  *log_of_sum = whole == whole ? logarithm(whole) : NAN;
}

INLINE float largest_of(const float* x, int count) {
  Floats most = all(-INFINITY);
  for (int i = 0; i < count; i += LANES)
    most = larger(chosen(below(i, count), load<Floats>(x + i), all(-INFINITY)), most);
  return largest(most);
}

static void clamped_gate(float* gate, const float* x, size_t count, float most) {
  for (size_t i = 0; i < count; i += LANES) {
    Floats g = load<Floats>(gate + i), up = load<Floats>(x + i);
    g = g > most ? all(most) : g;  // NaN stays
    up = up > most ? all(most) : up < -most ? all(-most) : up;
    store(gate + i, g / (1.0f + exponential(g * -1.702f)) * (up + 1.0f));
  }
}

static void softmax(float* x, int count) {
  const Floats most = all(largest_of(x, count));
  Floats total = {};
  for (int i = 0; i < count; i += LANES) {
    Floats power = chosen(below(i, count), exponential(load<Floats>(x + i) - most), Floats{});
    total += power;
    store(x + i, power);
  }
  const Floats scale = all(1.0f / sum(total));
  for (int i = 0; i < count; i += LANES) store(x + i, load<Floats>(x + i) * scale);
}

// A block whose maximum is not above the least of the best so far has none of them: after the
// first blocks that is nearly all.
static int top(const float* x, int count, int best, float* values, int32_t* places) {
  constexpr int BLOCK = 128;
  int found = 0;
  for (int start = 0; start < count; start += BLOCK) {
    int end = start + BLOCK < count ? start + BLOCK : count;
    float least = found < best ? -INFINITY : values[best - 1];
    if (!(largest_of(x + start, end - start) > least)) continue;
    for (int i = start; i < end; i++) {
      if (!(x[i] > (found < best ? -INFINITY : values[best - 1]))) continue;
      int at = found < best ? found++ : best - 1;
      for (; at > 0 && values[at - 1] < x[i]; at--) {
        values[at] = values[at - 1];
        places[at] = places[at - 1];
      }
      values[at] = x[i];
      places[at] = i;
    }
  }
  return found;
}

}  // namespace
}  // namespace regard
