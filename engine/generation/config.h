// Settings of generation, copied and checked.
#pragma once
#include <vector>

#include "buffer.h"
#include "interface.h"

namespace regard {

struct GenerationConfig {
  explicit GenerationConfig(const regard_generation& given)
      : given(given), eos_ids(list(given.eos_ids, given.eos_count)),
        forced_beginning(list(given.forced_beginning, given.beginning_count)) {
    if (given.max_new_tokens < 1 || given.num_beams < 1 || given.num_beams > 1024 ||
        given.alternatives < 1 || given.alternatives > given.num_beams ||
        given.no_repeat_ngram_size < 0 ||
        (given.do_sample && (given.num_beams > 1 || !(given.temperature > 0) || given.seed < 0)))
      throw Mistake("a setting of generation is out of its range");
    std::vector<int32_t> lengths = list(given.bad_word_lengths, given.bad_word_count);
    const int32_t* word = given.bad_words;
    for (int32_t length : lengths) {
      if (length < 1) throw Mistake("a bad word has no tokens");
      bad_words.push_back(list(word, length));
      word += length;
    }
  }

  bool ends(int32_t token) const {
    for (int32_t id : eos_ids)
      if (id == token) return true;
    return false;
  }

  const regard_generation given;
  const std::vector<int32_t> eos_ids, forced_beginning;
  std::vector<std::vector<int32_t>> bad_words;

 private:
  static std::vector<int32_t> list(const int32_t* from, int32_t count) {
    if (count < 0 || (count > 0 && from == nullptr)) throw Mistake("a list of ids is missing");
    return std::vector<int32_t>(from, from + count);
  }
};

}  // namespace regard
