// Drawing a token; src/regard/generation/filters.py and `Sample` in choosers.py define it.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/kernels.h"

namespace regard {

// Logits by the temperature; what the other settings leave out is -infinity.
inline void narrow(float* logits, int count, double temperature, int top_k, double top_p) {
  constexpr float impossible = -std::numeric_limits<float>::infinity();
  if (std::any_of(logits, logits + count, [](float x) { return x != x; })) return;  // NaN
  const float divisor = static_cast<float>(std::max(temperature, 1e-30));
  if (divisor != 1)
    for (int i = 0; i < count; i++) logits[i] /= divisor;
  if (top_k > 0 && top_k < count) {  // and what is as likely as the last of them
    std::vector<float> sorted(logits, logits + count);
    std::nth_element(sorted.begin(), sorted.begin() + (top_k - 1), sorted.end(), std::greater<>());
    for (int i = 0; i < count; i++)
      if (logits[i] < sorted[top_k - 1]) logits[i] = impossible;
  }
  if (!(top_p < 1) || count == 0) return;
  std::vector<int32_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [logits](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] < logits[b] : a < b;
  });
  double whole = 0, mass = 0;
  const double largest = logits[places.back()];
  for (int i = 0; i < count; i++) whole += std::exp(logits[i] - largest);
  for (int i = 0; i < count - 1; i++) {
    mass += std::exp(logits[places[i]] - largest) / whole;
    if (mass > 1 - top_p) return;
    logits[places[i]] = impossible;
  }
}

// The token whose part of the whole probability holds this number in [0, 1), of logits in whole
// lanes, which become probabilities; -1 where none is possible.
inline int32_t drawn(float* logits, int count, double number, const Kernels& kernels) {
  kernels.softmax(logits, count);
  double whole = 0, sum = 0;
  for (int i = 0; i < count; i++) whole += logits[i];
  int32_t token = 0;
  for (; token < count - 1; token++) {
    sum += logits[token];
    if (sum > number * whole) break;
  }
  return logits[token] > 0 ? token : -1;
}

}  // namespace regard
