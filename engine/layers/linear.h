// A projection, x Wᵀ + b, in the precision that its weights were packed in.
#pragma once
#include <algorithm>

#include "weights.h"
#include "work.h"

namespace regard {

enum class Precision { FP32, BF16, INT8, INT4 };  // BF16: weights rounded to bfloat16

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
    bool narrow = true, half = true;
    for (const auto& [name, outputs] : parts) {
      tensors.push_back(weights(name + ".weight", outputs.total(), inputs.total()));
      outputs_ += outputs.width();
      narrow = narrow && (precision == Precision::BF16 || tensors.back().is_narrow());
    }
    group_ = precision == Precision::FP32 && inputs.size == inputs.padded() ? BLOCK : 0;
    for (const Tensor& tensor : tensors) {
      group_ = std::min(group_, tensor.group());
      has_offsets_ = has_offsets_ || (group_ > 0 && tensor.has_offsets());
    }
    for (const Tensor& tensor : tensors)
      half = half && group_ > 0 && tensor.is_half(has_offsets_);
    storage_ = precision == Precision::INT4   ? Storage::INT4
               : precision == Precision::INT8 ? Storage::INT8
               : half                         ? Storage::HALVES
               : group_ > 0                   ? Storage::BYTES
               : narrow                       ? Storage::BFLOAT16
                                              : Storage::FLOAT32;
    // 2^31 holds 65,536 products of 255 and 127.
    if (storage_ == Storage::INT8 && inputs.width() > 65536)
      throw Mistake(parts.begin()->name + " has too many inputs for int8: at most 65,536");
    inputs_ = inputs.width();
    activation_ = activation;
    arena_ = weights.packed;
    reserve();
    std::vector<float> numbers(inputs.total()), row(up_to(inputs_, BLOCK));
    std::vector<int> places(inputs.total());
    for (int k = 0; k < inputs.total(); k++) places[k] = inputs.place(k);
    int first = 0;
    const Tensor* weight = tensors.data();
    for (const auto& [name, outputs] : parts) {
      Tensor bias = weights.if_any(name + ".bias", 1, outputs.total());
      for (int i = 0; i < outputs.total(); i++) {
        int output = first + outputs.place(i);
        if (bias) bias_.data()[output] = bias.at(0, i);
        if (group_ > 0) {
          pack_groups(*weight, i, output);
          continue;
        }
        if (storage_ == Storage::BFLOAT16 && weight->is_integers_by_row()) {
          scales_.data()[output] = weight->scale(i);
          const int8_t* from = weight->integers(i);
          uint16_t* to = narrow_column(output);
          for (int k = 0; k < inputs.total(); k++) to[places[k] * PANEL] = narrowed_byte(from[k]);
          continue;
        }
        if (storage_ == Storage::BFLOAT16) {
          weight->read_integers(i, numbers.data());
          scales_.data()[output] = weight->scale(i);
        } else {
          weight->read(i, numbers.data());
        }
        for (int k = 0; k < inputs.total(); k++) row[places[k]] = numbers[k];
        pack(row, output, name);
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
                  Into into = Into::STORE, bool activates = true) const {
    Rounded rounded{};
    if (is_integer()) {
      rounded.stride = up_to(inputs_, PANEL);
      rounded.group = storage_ == Storage::INT4 ? BLOCK : inputs_;
      rounded.groups = (inputs_ + rounded.group - 1) / rounded.group;
      rounded.integers = work.integers.need(rows * rounded.stride);
      rounded.scales = work.row_scales.need(rows);
      rounded.middles = work.row_middles.need(rows);
      rounded.sums = work.row_sums.need(rows * rounded.groups);
      work.kernels.round(x, x_stride, rows, inputs_, rounded);
    }
    Matrix matrix{outputs_,       inputs_,      storage_, packed_, scales_.data(),
                  totals_.data(), bias_.data(), activates ? activation_ : Activation::NONE, group_};
    const int64_t panel = static_cast<int64_t>(PANEL) * inputs_ * rows;
    work.share(static_cast<int64_t>(stride() / PANEL), panel, [&](int64_t first, int64_t end) {
      work.kernels.product(matrix, x, x_stride, rounded, rows, y, into,
                           static_cast<int>(first * PANEL),
                           std::min(static_cast<int>(end * PANEL), outputs_));
    });
  }

 private:
  friend class Gradient;
  bool is_integer() const { return storage_ == Storage::INT8 || storage_ == Storage::INT4; }

  // Bytes of INT4's weights in a panel's block, behind which are its scales, 16 bits each.
  static constexpr size_t BLOCK_WEIGHTS = PANEL * BLOCK / 2, BLOCK_BYTES = BLOCK_WEIGHTS + 2 * PANEL;

  void reserve() {
    const size_t padded = stride(), bytes = storage_ == Storage::FLOAT32    ? 4
                                            : storage_ == Storage::BFLOAT16 ? 2
                                                                            : 1;
    const size_t count = storage_ == Storage::INT4
                             ? padded / PANEL * (up_to(inputs_, BLOCK) / BLOCK) * BLOCK_BYTES
                             : padded * inputs_ * bytes >> (storage_ == Storage::HALVES);
    const size_t scales = group_ > 0 ? padded * (inputs_ / group_) : padded;
    packed_ = arena_->take(count);
    std::memset(packed_, 0, count);
    std::fill_n(bias_.need(padded), padded, 0.0f);
    std::fill_n(scales_.need(scales), scales, 0.0f);
    if (group_ == 0 || has_offsets_) std::fill_n(totals_.need(scales), scales, 0.0f);
  }

  // Where the weights of an output are, PANEL from each other.
  uint16_t* narrow_column(int output) {
    return reinterpret_cast<uint16_t*>(packed_) + output / PANEL * PANEL * inputs_ + output % PANEL;
  }

  // A row of integers, with its scales and offsets, as they are.
  void pack_groups(const Tensor& weight, int row, int output) {
    const bool half = storage_ == Storage::HALVES;
    const size_t panel = output / PANEL, column = output % PANEL, groups = inputs_ / group_;
    uint8_t* to = packed_ + (panel * inputs_ * PANEL >> half) + column;
    const int8_t* from = weight.integers(row);
    for (int i = 0; i < inputs_; i++)
      if (half)
        to[i / 2 * PANEL] |= (from[i] + (has_offsets_ ? 0 : 8)) << i % 2 * 4;
      else
        to[i * PANEL] = from[i];
    for (size_t g = 0; g < groups; g++) {
      const size_t place = (panel * groups + g) * PANEL + column;
      const int64_t theirs = g * group_ / weight.group();
      scales_.data()[place] = weight.group_scale(row, theirs);
      if (has_offsets_) totals_.data()[place] = weight.group_offset(row, theirs);
    }
  }

  // A row of weights, by the places of its inputs.
  void pack(const std::vector<float>& row, int output, const std::string& name) {
    auto larger = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
    const size_t panel = output / PANEL, column = output % PANEL;
    const size_t first = panel * inputs_ * PANEL;
    if (is_integer())
      for (float x : row)
        if (!(std::fabs(x) < 1e30f))
          throw Mistake(name + " holds a number that int8 and int4 cannot: " + std::to_string(x));
    if (storage_ == Storage::FLOAT32) {
      auto* to = reinterpret_cast<float*>(packed_) + first + column;
      for (int i = 0; i < inputs_; i++) to[i * PANEL] = row[i];
    } else if (storage_ == Storage::BFLOAT16) {
      uint16_t* to = narrow_column(output);
      for (int i = 0; i < inputs_; i++) to[i * PANEL] = narrowed(row[i]);
    } else if (storage_ == Storage::INT8) {
      float most = *std::max_element(row.begin(), row.end(), larger);
      float scale = scales_.data()[output] = std::max(std::fabs(most) / 127, 1e-35f);
      uint8_t* to = packed_ + first + column * QUADS;
      long total = 0;
      for (int i = 0; i < inputs_; i++) {
        const long whole = std::lrint(row[i] / scale);
        total += whole;
        to[i / QUADS * PANEL * QUADS + i % QUADS] = static_cast<uint8_t>(128 + whole);
      }
      totals_.data()[output] = static_cast<float>(total) * scale;
    } else {
      // The largest weight of a block becomes -8, so a scale may be negative.
      uint8_t* to = packed_ + panel * (row.size() / BLOCK) * BLOCK_BYTES;
      double total = 0;
      for (const float *x = row.data(), *end = x + row.size(); x < end; x += BLOCK) {
        float most = *std::max_element(x, x + BLOCK, larger);
        const uint16_t narrow = narrowed(std::fabs(most) > 1e-34f ? most / -8 : 1e-35f);
        std::memcpy(to + BLOCK_WEIGHTS + 2 * column, &narrow, sizeof narrow);
        for (int i = 0; i < BLOCK; i++) {
          const int half = i % (BLOCK / 2);
          long whole = std::clamp(std::lrint(x[i] / widened(narrow)), -8l, 7l) + 8;
          total += (whole - 8) * static_cast<double>(widened(narrow));
          to[(half / QUADS * PANEL + column) * QUADS + half % QUADS] |=
              static_cast<uint8_t>(i < BLOCK / 2 ? whole : whole << 4);
        }
        to += BLOCK_BYTES;
      }
      totals_.data()[output] = static_cast<float>(total);
    }
  }

  int outputs_ = 0, inputs_ = 0, group_ = 0;
  bool has_offsets_ = false;
  Storage storage_ = Storage::FLOAT32;
  Activation activation_ = Activation::NONE;
  std::shared_ptr<Arena> arena_;
  uint8_t* packed_ = nullptr;  // in the arena
  Buffer<float> scales_, totals_, bias_;
};

}  // namespace regard
