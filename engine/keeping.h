// A run that is kept: what its attentions were given, and what its routers gave, copied as it goes.
#pragma once
#include <chrono>

#include "work.h"

namespace regard {

inline thread_local regard_room* room = nullptr;
inline thread_local int64_t asked;  // when the room's owner last had a say

inline int64_t milliseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
}

inline void keep_in(regard_room* place) {
  room = place;
  asked = milliseconds();
}

// A listener: into the room goes what it hears, and the numbers that this points to.
inline int32_t keep(const regard_attention* heard) {
  if (heard->kind == REGARD_STATES) return 0;
  constexpr int64_t WAIT = 50;  // milliseconds after which the owner may stop
  constexpr size_t HEAD = (sizeof(regard_attention) + 63) / 64 * 64;
  regard_attention what = *heard;
  const float* output = what.kind == REGARD_ROUTES ? what.output : nullptr;
  const int64_t width = what.heads * what.head_width, key_width = what.key_heads * what.head_width;
  struct Part {
    const float*& numbers;
    int64_t rows, width, stride;
    size_t size() const { return numbers == nullptr ? 0 : up_to(rows * width, 16); }
  } parts[] = {{what.query, what.queries, width, what.query_stride},
               {what.key, key_width, what.key_stride, what.key_stride},
               {what.value, what.keys, key_width, what.value_stride},
               {what.lse, what.heads, what.queries, what.queries},
               {output, what.queries, what.head_dim, what.output_stride}};
  what.bytes = HEAD;
  for (const Part& part : parts) what.bytes += part.size() * sizeof(float);
  const bool is_full = what.bytes > room->left;
  if (is_full || milliseconds() - asked > WAIT) {
    asked = milliseconds();
    if (const int32_t answer = room->more(is_full ? what.bytes : 0)) return answer;
  }
  float* place = static_cast<float*>(room->place) + HEAD / sizeof(float);
  for (Part& part : parts) {
    const size_t size = part.size();
    const float* from = size == 0 ? part.numbers : std::exchange(part.numbers, place);
    const int64_t rows = part.width == part.stride ? 1 : part.rows;
    for (int64_t r = 0; size > 0 && r < rows; r++)
      std::copy_n(from + r * part.stride, part.rows / rows * part.width, place + r * part.width);
    place += size;
  }
  what.query_stride = width, what.value_stride = key_width;
  what.output = const_cast<float*>(output), what.output_stride = what.head_dim;
  *static_cast<regard_attention*>(room->place) = what;
  room->place = static_cast<uint8_t*>(room->place) + what.bytes;
  room->left -= what.bytes;
  return 0;
}

}  // namespace regard
