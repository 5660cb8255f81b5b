// The random numbers of sampling: those of numpy's Philox, seeded by SeedSequence((seed, text, 0)).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace regard {

class Draws {
 public:
  Draws(int64_t seed, int64_t text) {
    std::vector<uint32_t> entropy = words(seed);
    for (uint32_t word : words(text)) entropy.push_back(word);
    entropy.push_back(0);  // the number of the sample
    spread(entropy);
  }

  // A number in [0, 1).
  double operator[](int64_t place) const {
    return static_cast<double>(philox(place / 4 + 1)[place % 4] >> 11) * 0x1p-53;
  }

 private:
  // Philox4x64-10 (Salmon et al. 2011) of one counter.
  std::array<uint64_t, 4> philox(uint64_t counter) const {
    std::array<uint64_t, 4> x{counter, 0, 0, 0};
    uint64_t one = key_[0], other = key_[1];
    for (int round = 0; round < 10; round++) {
      const Wide left = Wide{0xd2e7470ee14c6c93} * x[0], right = Wide{0xca5a826395121157} * x[2];
      x = {static_cast<uint64_t>(right >> 64) ^ x[1] ^ one, static_cast<uint64_t>(right),
           static_cast<uint64_t>(left >> 64) ^ x[3] ^ other, static_cast<uint64_t>(left)};
      one += 0x9e3779b97f4a7c15;
      other += 0xbb67ae8584caa73b;
    }
    return x;
  }

  // numpy's SeedSequence: two numbers of 64 bits from a pool that all of the entropy was mixed into.
  void spread(const std::vector<uint32_t>& entropy) {
    uint32_t factor = 0x43b0d7e5;
    auto hashed = [&factor](uint32_t value, uint32_t times) {
      value ^= factor;
      factor *= times;
      value *= factor;
      return value ^ (value >> 16);
    };
    auto mix = [](uint32_t& into, uint32_t other) {
      into = 0xca01f9dd * into - 0x4973f715 * other;
      into ^= into >> 16;
    };
    constexpr uint32_t IN = 0x931e8875, OUT = 0x58f38ded;
    uint32_t pool[4];
    for (size_t i = 0; i < 4; i++) pool[i] = hashed(i < entropy.size() ? entropy[i] : 0, IN);
    for (int from = 0; from < 4; from++)
      for (int to = 0; to < 4; to++)
        if (from != to) mix(pool[to], hashed(pool[from], IN));
    for (size_t i = 4; i < entropy.size(); i++)
      for (uint32_t& into : pool) mix(into, hashed(entropy[i], IN));
    factor = 0x8b51f9dd;
    for (uint32_t& value : pool) value = hashed(value, OUT);
    for (int i = 0; i < 2; i++) key_[i] = pool[2 * i] | static_cast<uint64_t>(pool[2 * i + 1]) << 32;
  }

  // Of 32 bits, the lowest first.
  static std::vector<uint32_t> words(int64_t number) {
    const uint64_t bits = number;
    std::vector<uint32_t> found{static_cast<uint32_t>(bits)};
    if (bits >> 32) found.push_back(static_cast<uint32_t>(bits >> 32));
    return found;
  }

  __extension__ using Wide = unsigned __int128;
  uint64_t key_[2];
};

}  // namespace regard
