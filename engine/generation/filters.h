// Logit filters, in the order in which they act: src/regard/generation/filters.py defines them.
#pragma once
#include <algorithm>
#include <limits>

#include "generation/config.h"
#include "generation/sampling.h"
#include "kernels/kernels.h"

namespace regard {

class Filters {
 public:
  explicit Filters(const GenerationConfig& config) : config_(config) {}

  // True if any may change the scores when this many tokens have been generated.
  bool act(int generated) const {
    const regard_generation& c = config_.given;
    return c.repetition_penalty != 1 || c.no_repeat_ngram_size || !config_.bad_words.empty() ||
           holds_end(generated) || is_forced(generated) || c.renormalize_logits || c.do_sample ||
           generated < static_cast<int>(config_.forced_beginning.size());
  }

  // Changes the scores of the next token, (vocab); history: every token so far.
  void operator()(float* scores, int vocab, const std::vector<int32_t>& history, int generated,
                  const Kernels& kernels) const {
    const regard_generation& c = config_.given;
    if (c.repetition_penalty != 1) penalize(scores, vocab, history);
    if (c.no_repeat_ngram_size) forbid_repeats(scores, vocab, history);
    for (const std::vector<int32_t>& word : config_.bad_words) forbid(scores, vocab, word, history);
    if (holds_end(generated))
      for (int32_t id : config_.eos_ids) forbid(scores, vocab, id);
    if (c.forced_bos_token_id >= 0 && generated == 0)
      force(scores, vocab, c.forced_bos_token_id, 0);
    if (c.forced_eos_token_id >= 0 && generated == c.max_new_tokens - 1)
      force(scores, vocab, c.forced_eos_token_id, 0);
    if (c.do_sample) narrow(scores, vocab, c.temperature, c.top_k, c.top_p);
    if (generated < static_cast<int>(config_.forced_beginning.size())) {
      int32_t id = config_.forced_beginning[generated];
      bool is_possible = id >= 0 && id < vocab && scores[id] != kImpossible;
      force(scores, vocab, id, is_possible ? scores[id] : 0);
    }
    if (c.renormalize_logits) {
      float largest, log_of_sum;
      kernels.log_sum(scores, vocab, &largest, &log_of_sum);
      for (int i = 0; i < vocab; i++) scores[i] = scores[i] - largest - log_of_sum;
    }
  }

 private:
  static constexpr float kImpossible = -std::numeric_limits<float>::infinity();

  bool holds_end(int generated) const { return generated < config_.given.min_new_tokens; }
  bool is_forced(int generated) const {
    const regard_generation& c = config_.given;
    return (c.forced_bos_token_id >= 0 && generated == 0) ||
           (c.forced_eos_token_id >= 0 && generated == c.max_new_tokens - 1);
  }

  static void forbid(float* scores, int vocab, int32_t id) {
    if (id >= 0 && id < vocab) scores[id] = kImpossible;
  }

  static void force(float* scores, int vocab, int32_t id, float score) {
    for (int i = 0; i < vocab; i++) scores[i] = i == id ? score : kImpossible;
  }

  void penalize(float* scores, int vocab, const std::vector<int32_t>& history) const {
    const float penalty = static_cast<float>(config_.given.repetition_penalty);
    std::vector<int32_t> ids = history;  // each is penalized once
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (int32_t id : ids)
      if (id >= 0 && id < vocab)
        scores[id] = scores[id] < 0 ? scores[id] * penalty : scores[id] / penalty;
  }

  void forbid_repeats(float* scores, int vocab, const std::vector<int32_t>& history) const {
    const size_t size = config_.given.no_repeat_ngram_size, begun = size - 1;
    for (size_t i = 0; i + size <= history.size(); i++) {
      bool same = true;
      for (size_t j = 0; j < begun && same; j++)
        same = history[i + j] == history[history.size() - begun + j];
      if (same) forbid(scores, vocab, history[i + begun]);
    }
  }

  static void forbid(float* scores, int vocab, const std::vector<int32_t>& word,
                     const std::vector<int32_t>& history) {
    const size_t begun = word.size() - 1;
    if (begun > history.size()) return;
    for (size_t j = 0; j < begun; j++)
      if (history[history.size() - begun + j] != word[j]) return;
    forbid(scores, vocab, word.back());
  }

  const GenerationConfig& config_;
};

}  // namespace regard
