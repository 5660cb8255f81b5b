// A projection, x Wᵀ + b, in the precision that its weights were packed in.
#pragma once
#include <algorithm>

#include "weights.h"
#include "work.h"

namespace regard {

enum class Precision { FP32, BF16, INT8 };  // BF16: weights rounded to bfloat16

// Inputs or outputs: `groups` of `size`, such as heads, each followed by zeros up to whole lanes,
// so that a head can be read without its neighbor.
struct Axis {
  int groups, size;
  int padded() const { return static_cast<int>(up_to(size, LANES)); }
  int total() const { return groups * size; }
  int width() const { return groups * padded(); }
  int place(int i) const { return i / size * padded() + i % size; }
};

class Linear {
 public:
  Linear() = default;

  struct Part {
    std::string name;
    Axis outputs;
  };

  // Several projections of one input are one product, with their outputs side by side.
  Linear(const Weights& weights, std::initializer_list<Part> parts, Axis inputs,
         Precision precision, Activation activation = Activation::NONE) {
    std::vector<Tensor> tensors;
    bool narrow = true;
    for (const auto& [name, outputs] : parts) {
      tensors.push_back(weights(name + ".weight", outputs.total(), inputs.total()));
      outputs_ += outputs.width();
      narrow = narrow && (precision == Precision::BF16 || tensors.back().is_narrow());
    }
    storage_ = precision == Precision::INT8 ? Storage::INT8
               : narrow                     ? Storage::BFLOAT16
                                            : Storage::FLOAT32;
    // 2^31 holds 65,536 products of 255 and 127.
    if (storage_ == Storage::INT8 && inputs.width() > 65536)
      throw Mistake(parts.begin()->name + " has too many inputs for int8: at most 65,536");
    inputs_ = inputs.width();
    activation_ = activation;
    reserve();
    int first = 0;
    const Tensor* weight = tensors.data();
    for (const auto& [name, outputs] : parts) {
      Tensor bias = weights.if_any(name + ".bias", 1, outputs.total());
      for (int i = 0; i < outputs.total(); i++) {
        int output = first + outputs.place(i);
        if (bias) bias_.data()[output] = bias.at(0, i);
        pack(*weight, i, output, inputs, name);
      }
      first += outputs.width();
      weight++;
    }
  }

  // A bias of its own name, such as the logits'.
  void set_bias(const Tensor& bias) {
    for (int i = 0; bias && i < bias.columns(); i++) bias_.data()[i] = bias.at(0, i);
  }

  int outputs() const { return outputs_; }
  size_t stride() const { return stride_of(outputs_); }

  // x (rows, x_stride) → y (rows, stride()).
  void operator()(Work& work, const float* x, size_t x_stride, int rows, float* y,
                  Into into = Into::STORE) const {
    Rounded rounded{};
    if (storage_ == Storage::INT8) {
      rounded.stride = up_to(inputs_, PANEL);
      rounded.integers = work.integers.need(rows * rounded.stride);
      rounded.scales = work.row_scales.need(rows);
      rounded.sums = work.row_sums.need(rows);
      work.kernels.round(x, x_stride, rows, inputs_, rounded);
    }
    Matrix matrix{outputs_,        inputs_,      storage_,  packed_.data(),
                  scales_.data(), bias_.data(), activation_};
    work.kernels.product(matrix, x, x_stride, rounded, rows, y, into);
  }

 private:
  void reserve() {
    size_t padded = stride(), count = padded * inputs_;
    size_t bytes = storage_ == Storage::FLOAT32 ? 4 : storage_ == Storage::BFLOAT16 ? 2 : 1;
    std::memset(packed_.need(count * bytes), storage_ == Storage::INT8 ? 128 : 0, count * bytes);
    std::fill_n(bias_.need(padded), padded, 0.0f);
    std::fill_n(scales_.need(padded), padded, 0.0f);
  }

  void pack(const Tensor& weight, int row, int output, Axis inputs, const std::string& name) {
    uint8_t* panel = packed_.data();
    size_t first = static_cast<size_t>(output / PANEL) * inputs_ * PANEL;
    float most = 0;
    for (int i = 0; storage_ == Storage::INT8 && i < inputs.total(); i++) {
      float size = std::fabs(weight.at(row, i));
      if (!(size < 1e30f)) throw Mistake(name + " holds a number that int8 cannot: " +
                                         std::to_string(weight.at(row, i)));
      most = std::max(most, size);
    }
    float scale = std::max(most / 127, 1e-35f);
    scales_.data()[output] = storage_ == Storage::INT8 ? scale : 0;
    auto each = [&](auto put) {
      for (int group = 0, i = 0; group < inputs.groups; group++)
        for (int k = 0; k < inputs.size; k++, i++)
          put(static_cast<size_t>(group) * inputs.padded() + k, weight.at(row, i));
    };
    size_t column = output % PANEL;
    if (storage_ == Storage::FLOAT32) {
      auto* to = reinterpret_cast<float*>(panel) + first + column;
      each([&](size_t input, float x) { to[input * PANEL] = x; });
    } else if (storage_ == Storage::BFLOAT16) {
      auto* to = reinterpret_cast<uint16_t*>(panel) + first + column;
      each([&](size_t input, float x) { to[input * PANEL] = narrowed(x); });
    } else {
      auto* to = panel + first + column * QUADS;
      each([&](size_t input, float x) {
        to[input / QUADS * PANEL * QUADS + input % QUADS] =
            static_cast<uint8_t>(128 + std::lrint(x / scale));
      });
    }
  }

  int outputs_ = 0, inputs_ = 0;
  Storage storage_ = Storage::FLOAT32;
  Activation activation_ = Activation::NONE;
  Buffer<uint8_t> packed_;
  Buffer<float> scales_, bias_;
};

}  // namespace regard
