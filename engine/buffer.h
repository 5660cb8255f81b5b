// Memory for numbers: aligned for the widest registers, not initialized, and only ever growing.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

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
#ifdef __linux__
    // In pages of 2 MB a core reads 31 GB/s, in pages of 4 kB 16: a step of GPT-2 takes half the
    // time. The kernel may say no.
    const uintptr_t from = (reinterpret_cast<uintptr_t>(data_) + 4095) / 4096 * 4096;
    if (size * sizeof(T) >= 4 << 20)
      madvise(reinterpret_cast<void*>(from), size * sizeof(T) - 4096, MADV_HUGEPAGE);
#endif
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

// The packed weights of a model, one after another, so that small ones share large pages.
class Arena {
 public:
  uint8_t* take(size_t bytes) {
    bytes = up_to(bytes, 64);
    if (bytes > left_) {
      left_ = std::max(bytes, CHUNK);
      chunks_.emplace_back();
      place_ = chunks_.back().need(left_);
    }
    left_ -= bytes;
    return std::exchange(place_, place_ + bytes);
  }

 private:
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
  static constexpr size_t CHUNK = 64 << 20;  // what is not written has no memory
#else
  static constexpr size_t CHUNK = 0;  // the sanitizer sees what is read beyond each
#endif
  std::vector<Buffer<uint8_t>> chunks_;
  uint8_t* place_ = nullptr;
  size_t left_ = 0;
};

}  // namespace regard
