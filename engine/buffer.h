// Memory for numbers: aligned for the widest registers, not initialized, and only ever growing.
#pragma once
#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

namespace regard {

// Something that the caller got wrong; its text says what was expected and what came.
struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { operator delete(data_, kAlignment); }

  // At least `size` numbers; what was there is lost where it grows.
  T* need(size_t size) {
    if (size <= size_) return data_;
    if (size > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    operator delete(data_, kAlignment);
    data_ = nullptr;
    size_ = 0;
    data_ = static_cast<T*>(operator new(size * sizeof(T), kAlignment));
    size_ = size;
    return data_;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  T* data_ = nullptr;
  size_t size_ = 0;
};

inline size_t up_to(size_t size, size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace regard
