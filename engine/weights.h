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

// Of an integer, which loses nothing.
inline uint16_t narrowed_byte(int8_t x) {
  const float y = x;
  uint32_t bits;
  std::memcpy(&bits, &y, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const regard_tensor& given) : given_(given) {}
  Tensor(const Tensor& integers, const Tensor& scales)
      : given_(integers.given_), scales_(static_cast<const float*>(scales.given_.data)) {
    if (scales.given_.numbers != 0) throw Mistake("scales must be float32");
  }

  Tensor(const regard_tensor& given, std::shared_ptr<const void> data)
      : given_(given), held_(std::move(data)) {
    given_.data = held_.get();
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
    if (group() > 0)
      for (int64_t i = 0; i < given_.columns; i++)
        to[i] = number(first + i) * group_scale(row, i / group()) + group_offset(row, i / group());
    else if (given_.numbers == 0)
      std::copy_n(static_cast<const float*>(given_.data) + first, given_.columns, to);
    else
      for (int64_t i = 0; i < given_.columns; i++) to[i] = number(first + i);
  }
  float scale(int64_t row) const { return scales_ == nullptr ? 1 : scales_[row]; }
  bool is_integers() const { return given_.numbers == 2; }
  bool is_integers_by_row() const { return is_integers() && group() == 0; }

  // Of integers in groups.
  int group() const { return given_.group; }
  const int8_t* integers(int64_t row) const {
    return static_cast<const int8_t*>(given_.data) + row * given_.columns;
  }
  float group_scale(int64_t row, int64_t place) const {
    return reinterpret_cast<const float*>(integers(given_.rows))[row * groups() + place];
  }
  float group_offset(int64_t row, int64_t place) const {
    return group_scale(given_.rows + row, place);
  }
  bool has_offsets() const {
    for (int64_t i = 0; i < given_.rows * groups(); i++)
      if (group_offset(0, i) != 0) return true;
    return false;
  }
  // True if four bits are enough: with offsets from 0 on, else from -8.
  bool is_half(bool offsets) const {
    const int least = offsets ? 0 : -8;
    return std::all_of(integers(0), integers(given_.rows),
                       [least](int8_t x) { return x >= least && x < least + 16; });
  }
  Tensor copied() const {
    const size_t bytes = given_.rows * (given_.columns + 2 * groups() * sizeof(float));
    std::shared_ptr<void> data(operator new(bytes), [](void* old) { operator delete(old); });
    std::memcpy(data.get(), given_.data, bytes);
    return Tensor(given_, data);
  }

  // True if every number is a bfloat16, so that nothing is lost in half of the bytes; integers are.
  bool is_narrow() const {
    if (given_.numbers != 0) return group() == 0;
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

  int64_t groups() const { return given_.columns / given_.group; }

  regard_tensor given_{};
  std::shared_ptr<const void> held_;  // the data, where it was read
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
  Weights(const regard_tensor* tensors, int count, regard_read read)
      : tensors_(tensors), read_(read) {
    for (int i = 0; i < count; i++) {
      if (tensors[i].name == nullptr || (tensors[i].data == nullptr && read == nullptr))
        throw Mistake("a tensor needs a name and data");
      if (tensors[i].numbers < 0 || tensors[i].numbers > 2)
        throw Mistake(std::string(tensors[i].name) + " has numbers of an unknown kind");
      if (tensors[i].group != 0 &&
          ((tensors[i].group != 16 && tensors[i].group != 32) || tensors[i].numbers != 2 ||
           tensors[i].columns % tensors[i].group != 0))
        throw Mistake(std::string(tensors[i].name) + " must be int8 in groups of 16 or 32");
      by_name_.emplace(tensors[i].name, i);
    }
  }

  const std::shared_ptr<Arena> packed = std::make_shared<Arena>();

  bool has(const std::string& name) const { return by_name_.count(name) != 0; }
  // Of a tensor that may have several shapes; 0 where there is none.
  int64_t columns(const std::string& name) const {
    return has(name) ? tensors_[by_name_.at(name)].columns : 0;
  }

  // (rows, columns); a vector has one row.
  Tensor operator()(const std::string& name, int64_t rows, int64_t columns) const {
    auto place = by_name_.find(name);
    if (place == by_name_.end()) throw Mistake("there is no tensor " + name);
    const int32_t index = place->second;
    const regard_tensor& tensor = tensors_[index];
    if (tensor.rows != rows || tensor.columns != columns)
      throw Mistake(name + " must be " + shape(rows, columns) + "; got " +
                    shape(tensor.rows, tensor.columns));
    if (tensor.data == nullptr) {
      const void* data = read_(index, nullptr);
      if (data == nullptr) throw Mistake(name + " cannot be read");
      return Tensor(tensor, {data, [read = read_, index](const void* done) { read(index, done); }});
    }
    if (tensor.numbers == 2 && tensor.group == 0)
      return Tensor(Tensor(tensor), (*this)(name + ".scales", 1, rows));
    return Tensor(tensor);
  }

  // No tensor where there is none of that name.
  Tensor if_any(const std::string& name, int64_t rows, int64_t columns) const {
    return has(name) ? (*this)(name, rows, columns) : Tensor();
  }

 private:
  static std::string shape(int64_t rows, int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  }

  const regard_tensor* tensors_;
  regard_read read_;
  std::unordered_map<std::string, int32_t> by_name_;
};

}  // namespace regard
