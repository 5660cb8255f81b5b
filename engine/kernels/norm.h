// LayerNorm and RMSNorm of rows, and the sums of embeddings.
#pragma once
#include "kernels/vector.h"

namespace regard {
namespace {

static void normalize(const Norm& norm, const float* x, size_t stride, int rows, float* y) {
  const float width = (float)norm.width;
  for (int r = 0; r < rows; r++, x += stride, y += stride) {
    float mean = 0;
    if (norm.centers) {
      Floats total = {};
      for (int i = 0; i < norm.width; i += LANES) total += load<Floats>(x + i);  // zeros beyond
      mean = sum(total) / width;
    }
    Floats squares = {};
    for (int i = 0; i < norm.width; i += LANES) {
      Floats centered = load<Floats>(x + i) - mean;
      centered = chosen(below(i, norm.width), centered, Floats{});
      squares = fused(centered, centered, squares);
    }
    float factor = 1 / sqrtf(sum(squares) / width + norm.epsilon);
    for (int i = 0; i < norm.width; i += LANES) {
      Floats centered = (load<Floats>(x + i) - mean) * factor;
      store(y + i, fused(centered, load<Floats>(norm.weight + i), load<Floats>(norm.bias + i)));
    }
  }
}

static void scale_all(float* x, size_t count, float factor) {
  for (size_t i = 0; i < count; i += LANES) store(x + i, load<Floats>(x + i) * factor);
}

static void embed(const void* row, Storage storage, float factor, const float* type,
                  const float* position, int width, float* y) {
  for (int i = 0; i < width; i += LANES) {
    Floats x = storage == Storage::FLOAT32 ? weights_at((const float*)row + i)
                                           : weights_at((const uint16_t*)row + i);
    x = x * factor;
    if (type != nullptr) x += load<Floats>(type + i);
    if (position != nullptr) x += load<Floats>(position + i);
    store(y + i, x);
  }
}

}  // namespace
}  // namespace regard
