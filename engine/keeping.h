// Who looks at what a thread computes: a listener, which is called, or a room, where it stays.
#pragma once
#include <chrono>

#include "buffer.h"
#include "interface.h"

namespace regard {

struct Stopped {};

inline thread_local regard_listener listener = nullptr;
inline thread_local regard_room* room = nullptr;  // goes before a listener

inline bool is_listened_to() { return listener != nullptr && room == nullptr; }

inline int64_t milliseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
}

// Sees to it that the room has so many bytes, and asks its owner now and then.
inline void make_room(int64_t bytes) {
  constexpr int64_t WAIT = 50;  // milliseconds after which the owner may stop
  const bool is_full = bytes > room->left;
  const int64_t now = milliseconds();
  if (room->asked == 0) room->asked = now;
  if (!is_full && now - room->asked <= WAIT) return;
  room->asked = now;
  if (room->more(room, is_full ? bytes : 0) != 0) throw Stopped();
}

// Place for so many numbers: at the end of the room, where they stay, or else in the buffer.
inline float* place_for(Buffer<float>& buffer, size_t count) {
  if (room == nullptr) return buffer.need(count);
  constexpr size_t LINE = 64;  // bytes
  const size_t bytes = count * sizeof(float);
  make_room(bytes + LINE);
  const auto first = reinterpret_cast<uintptr_t>(room->place);
  const uintptr_t place = (first + room->left - bytes) / LINE * LINE;
  room->left = place - first;
  return reinterpret_cast<float*>(place);
}

// In a room it is written from the beginning on.
inline void tell(const regard_attention& what) {
  if (room == nullptr) {
    if (listener(&what) != 0) throw Stopped();
    return;
  }
  make_room(sizeof what);
  auto* place = static_cast<regard_attention*>(room->place);
  *place = what;
  room->place = place + 1;
  room->left -= sizeof what;
}

}  // namespace regard
