// What one decode computes with: the kernels, and memory that is used again and again.
#pragma once
#include <vector>

#include "buffer.h"
#include "kernels/kernels.h"

namespace regard {

// Rows of numbers are as long as whole panels, with zeros to the next multiple of LANES.
inline size_t stride_of(size_t width) { return up_to(width, PANEL); }

struct Work {
  explicit Work(const Kernels& kernels) : kernels(kernels) {}

  const Kernels& kernels;
  Buffer<float> states, normed, wide, attended, projected, last, logits, scores, angles;
  Buffer<int8_t> integers;
  Buffer<float> row_scales;
  Buffer<int32_t> row_sums;
};

}  // namespace regard
