// The tensors of a checkpoint, by the names that they have in src/regard/models.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>

#include "buffer.h"
#include "interface.h"
#include "kernels/kernels.h"

namespace regard {

inline float widened(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float y;
  std::memcpy(&y, &bits, sizeof y);
  return y;
}

// Rounded to the nearest, of two the even one; NaN stays NaN.
inline uint16_t narrowed(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x) return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const regard_tensor& given) : given_(given) {}
  Tensor(const Tensor& integers, const Tensor& scales)
      : given_(integers.given_), scales_(static_cast<const float*>(scales.given_.data)) {
    if (scales.given_.numbers != 0) throw Mistake("scales must be float32");
  }

  explicit operator bool() const { return given_.data != nullptr; }
  int64_t rows() const { return given_.rows; }
  int64_t columns() const { return given_.columns; }
  float at(int64_t row, int64_t column) const {
    return scale(row) * number(row * given_.columns + column);
  }
  // The numbers of a row: faster than one at a time.
  void read(int64_t row, float* to) const {
    read_integers(row, to);
    for (int64_t i = 0; scales_ != nullptr && i < given_.columns; i++) to[i] *= scales_[row];
  }
  // What of int8 is to be multiplied by the row's scale; else the numbers, whose scale is 1.
  void read_integers(int64_t row, float* to) const {
    const int64_t first = row * given_.columns;
    if (given_.numbers == 0)
      std::copy_n(static_cast<const float*>(given_.data) + first, given_.columns, to);
    else
      for (int64_t i = 0; i < given_.columns; i++) to[i] = number(first + i);
  }
  float scale(int64_t row) const { return scales_ == nullptr ? 1 : scales_[row]; }
  bool is_integers() const { return given_.numbers == 2; }
  // True if every number is a bfloat16, so that nothing is lost in half of the bytes; integers are.
  bool is_narrow() const {
    if (given_.numbers != 0) return true;
    const auto* bits = static_cast<const uint32_t*>(given_.data);
    for (int64_t i = 0; i < given_.rows * given_.columns; i++)
      if (bits[i] & 0xffff) return false;
    return true;
  }

 private:
  float number(int64_t place) const {
    return given_.numbers == 0   ? static_cast<const float*>(given_.data)[place]
           : given_.numbers == 1 ? widened(static_cast<const uint16_t*>(given_.data)[place])
                                 : static_cast<const int8_t*>(given_.data)[place];
  }

  regard_tensor given_{};
  const float* scales_ = nullptr;
};

// A tensor's rows, each followed by zeros up to whole panels.
inline Buffer<float> rows_of(const Tensor& tensor) {
  Buffer<float> rows;
  const size_t stride = up_to(tensor.columns(), PANEL);
  float* row = rows.need(tensor.rows() * stride);
  std::memset(row, 0, tensor.rows() * stride * sizeof(float));
  for (int64_t r = 0; r < tensor.rows(); r++, row += stride) tensor.read(r, row);
  return rows;
}

class Weights {
 public:
  Weights(const regard_tensor* tensors, int count) {
    for (int i = 0; i < count; i++) {
      if (tensors[i].name == nullptr || tensors[i].data == nullptr)
        throw Mistake("a tensor needs a name and data");
      if (tensors[i].numbers < 0 || tensors[i].numbers > 2)
        throw Mistake(std::string(tensors[i].name) + " has numbers of an unknown kind");
      by_name_.emplace(tensors[i].name, Tensor(tensors[i]));
    }
  }

  const std::shared_ptr<Arena> packed = std::make_shared<Arena>();

  bool has(const std::string& name) const { return by_name_.count(name) != 0; }
  // Of a tensor that may have several shapes; 0 where there is none.
  int64_t columns(const std::string& name) const {
    return has(name) ? by_name_.at(name).columns() : 0;
  }

  // (rows, columns); a vector has one row.
  Tensor operator()(const std::string& name, int64_t rows, int64_t columns) const {
    auto place = by_name_.find(name);
    if (place == by_name_.end()) throw Mistake("there is no tensor " + name);
    const Tensor& tensor = place->second;
    if (tensor.rows() != rows || tensor.columns() != columns)
      throw Mistake(name + " must be " + shape(rows, columns) + "; got " +
                    shape(tensor.rows(), tensor.columns()));
    if (tensor.is_integers()) return Tensor(tensor, (*this)(name + ".scales", 1, rows));
    return tensor;
  }

  // No tensor where there is none of that name.
  Tensor if_any(const std::string& name, int64_t rows, int64_t columns) const {
    return has(name) ? (*this)(name, rows, columns) : Tensor();
  }

 private:
  static std::string shape(int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  }

  std::unordered_map<std::string, Tensor> by_name_;
};

}  // namespace regard
