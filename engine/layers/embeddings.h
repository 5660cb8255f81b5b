// Token embeddings with positions added.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "layers/norm.h"

namespace regard {

// Rows of a table, each followed by zeros up to whole lanes; bfloat16 where nothing is lost, and
// integers in groups as they are.
class Table {
 public:
  Table() = default;
  explicit Table(const Tensor& tensor)
      : storage_(tensor.is_narrow() ? Storage::BFLOAT16 : Storage::FLOAT32),
        row_(up_to(tensor.columns(), LANES) * (storage_ == Storage::BFLOAT16 ? 2 : 4)) {
    if (tensor.group() > 0) {
      grouped_ = tensor.copied();
      return;
    }
    std::memset(data_.need(tensor.rows() * row_), 0, tensor.rows() * row_);
    std::vector<float> row(tensor.columns());
    for (int64_t r = 0; r < tensor.rows(); r++) {
      uint8_t* to = data_.data() + r * row_;
      scales_.push_back(tensor.scale(r));
      if (tensor.is_integers_by_row()) {
        std::transform(tensor.integers(r), tensor.integers(r + 1), reinterpret_cast<uint16_t*>(to),
                       narrowed_byte);
        continue;
      }
      tensor.read_integers(r, row.data());
      if (storage_ == Storage::BFLOAT16)
        std::transform(row.begin(), row.end(), reinterpret_cast<uint16_t*>(to), narrowed);
      else
        std::copy(row.begin(), row.end(), reinterpret_cast<float*>(to));
    }
  }
  const void* row(int index, Buffer<float>& numbers) const {
    if (!grouped_) return data_.data() + index * row_;
    grouped_.read(index, numbers.need(row_ / sizeof(float)));
    return numbers.data();
  }
  Storage storage() const { return storage_; }
  float scale(int index) const { return grouped_ ? 1 : scales_[index]; }

 private:
  Storage storage_ = Storage::FLOAT32;
  size_t row_ = 0;
  Buffer<uint8_t> data_;
  std::vector<float> scales_;
  Tensor grouped_;
};

class Embedding {
 public:
  Embedding() = default;
  Embedding(const Weights& weights, const std::string& name, const regard_config& config, int vocab)
      : width_(width_of(weights, name, config)),
        offset_(config.position_offset),
        scale_(config.scale_embedding ? std::sqrt(static_cast<float>(width_)) : 1.0f),
        tokens_(weights(name + ".tokens.weight", vocab, width_)) {
    int64_t rows = static_cast<int64_t>(config.max_positions) + offset_;
    if (config.has_positions)
      positions_ = rows_of(weights(name + ".positions.weight", rows, width_));
    if (config.token_types > 0)
      types_ = rows_of(weights(name + ".token_types.weight", config.token_types, width_));
    if (config.embedding_norm)
      norm_ = std::make_unique<NormLayer>(weights, name + ".norm", width_, !config.rms_norm,
                                          config.norm_eps);
    if (weights.has(name + ".projection.weight"))
      projection_ = Linear(weights, {{name + ".projection", Axis{1, config.d_model}}},
                           Axis{1, width_}, static_cast<Precision>(config.precision));
  }

  // Of the tables: d_model, unless what they hold is projected to it.
  static int width_of(const Weights& weights, const std::string& name,
                      const regard_config& config) {
    if (!weights.has(name + ".projection.weight")) return config.d_model;
    const int64_t width = weights.columns(name + ".tokens.weight");
    if (width < 1 || width > 1 << 20) throw Mistake(name + ".tokens.weight has a wrong width");
    return static_cast<int>(width);
  }

  // Without types, they are 0.
  void operator()(Work& work, const int32_t* ids, const int32_t* positions, const int32_t* types,
                  int rows, float* y) const {
    const bool projects = projection_.outputs() > 0;
    const size_t stride = stride_of(width_);
    float* to = y;
    if (projects) y = work.wide.need(rows * stride);
    for (int r = 0; r < rows; r++) {
      const float *position = positions_.data(), *type = types_.data();
      if (position != nullptr) position += (positions[r] + offset_) * stride;
      if (type != nullptr && types != nullptr) type += types[r] * stride;
      work.kernels.embed(tokens_.row(ids[r], work.row), tokens_.storage(),
                         scale_ * tokens_.scale(ids[r]), type, position, width_, y + r * stride);
    }
    if (norm_) {
      work.keep(y, rows * stride);
      (*norm_)(work, y, rows, y);
    }
    if (projects) projection_(work, y, stride, rows, to);
  }

 private:
  friend class Gradient;
  int width_ = 0, offset_ = 0;
  float scale_ = 1;
  Table tokens_;
  Buffer<float> positions_, types_;
  std::unique_ptr<NormLayer> norm_;
  Linear projection_;
};

}  // namespace regard
