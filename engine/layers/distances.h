// States of the distances between tokens, as queries and as keys of every head: a score is a sum of
// three products (DeBERTa).
#pragma once
#include "layers/linear.h"

namespace regard {

class DistanceStates {
 public:
  DistanceStates() = default;
  // (rows, heads) of each; "encoder.distances.rows" has the row of each distance, query less key,
  // from -reach to reach, beyond which nothing changes.
  DistanceStates(const Weights& weights, const std::string& name, Axis heads)
      : heads_(heads), reach_(static_cast<int>(weights.columns(kRows) / 2)) {
    const Tensor rows = weights(kRows, 1, 2 * static_cast<int64_t>(reach_) + 1);
    int last = 0;
    for (int i = 0; i <= 2 * reach_; i++) {
      const float row = rows.at(0, i);
      if (!(row >= static_cast<float>(last) && row < 1 << 20))
        throw Mistake(std::string(kRows) + " must ascend from 0");
      last = static_cast<int>(row);
      rows_.need(2 * reach_ + 1)[i] = last;
    }
    count_ = last + 1;
    const Tensor query = weights(name + ".query", count_, heads.total());
    const Tensor key = weights(name + ".key", count_, heads.total());
    const size_t padded = up_to(count_, LANES), width = heads.width();
    std::fill_n(queries_.need(count_ * width), count_ * width, 0.0f);
    std::fill_n(keys_.need(width * padded), width * padded, 0.0f);
    for (int r = 0; r < count_; r++)
      for (int i = 0; i < heads.total(); i++) {
        queries_.data()[r * width + heads.place(i)] = query.at(r, i);
        keys_.data()[heads.place(i) * padded + r] = key.at(r, i);
      }
  }

  explicit operator bool() const { return count_ > 0; }

  // Numbers that `of` needs for a head and so many queries and keys.
  size_t room(int queries, size_t padded) const {
    return queries * up_to(count_, LANES) + count_ * padded;
  }
  // Of a head's queries, (count, q_stride), and keys, at their positions, which ascend.
  Distances of(Work& work, int head, const float* queries, size_t q_stride, int count,
               const Memory& keys, float scale, const int32_t* key_places,
               const int32_t* query_places, float* room) const {
    const int width = heads_.padded();
    const size_t padded = up_to(count_, LANES), whole = heads_.width();
    const int after = std::max(0, query_places[count - 1] - key_places[0]);
    const int before = std::max(0, key_places[keys.count - 1] - query_places[0]);
    const int32_t* rows = rows_.data() + reach_;
    const int first = rows[-std::min(reach_, before)], last = rows[std::min(reach_, after)];
    float* of_keys = room + count * padded;
    work.kernels.products(queries, q_stride, count, width, keys_.data() + head * width * padded,
                          padded, first / LANES * LANES, last + 1, scale, room, padded);
    work.kernels.products(queries_.data() + first * whole + head * width, whole, last + 1 - first,
                          width, keys.keys, keys.padded, 0, keys.count, scale,
                          of_keys + first * keys.padded, keys.padded);
    Distances distances{nullptr, reach_, key_places, query_places};
    distances.rows = rows;
    distances.of_queries = room, distances.stride = padded;
    distances.of_keys = of_keys, distances.key_stride = keys.padded;
    return distances;
  }

 private:
  static constexpr const char* kRows = "encoder.distances.rows";
  Axis heads_{};
  int reach_ = 0, count_ = 0;
  Buffer<int32_t> rows_;
  Buffer<float> queries_, keys_;  // (rows, heads), and transposed
};

}  // namespace regard
