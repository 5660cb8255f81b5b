// One text that is being written, from step to step; src/regard/generation/search.py and
// choosers.py define the rules.
#pragma once
#include <algorithm>

#include "generation/draws.h"
#include "generation/filters.h"
#include "work.h"

namespace regard {

struct Hypothesis {
  std::vector<int32_t> tokens;  // after the prompt, or what decoding starts from
  std::vector<float> log_probs;
  float total, score;
  bool finished;
};

class Search {
 public:
  // `text`: its number, by which what is drawn differs from what others draw.
  Search(const GenerationConfig& config, const Filters& filters, std::vector<int32_t> prompt,
         int64_t text)
      : config_(&config), filters_(&filters), prompt_(prompt.size()), text_(text), running_(1) {
    running_[0].tokens = std::move(prompt);
  }

  // The next token that each row reads.
  void next(std::vector<int32_t>& tokens) const {
    tokens.clear();
    for (const Hypothesis& row : running_) tokens.push_back(row.tokens.back());
  }

  // Goes on by the logits of its rows, (rows, stride); true while it runs, with the present row
  // that each of the next rows extends.
  bool advance(float* logits, int vocab, size_t stride, const Kernels& kernels,
               std::vector<int32_t>& parents) {
    const regard_generation& c = config_->given;
    const int generated = static_cast<int>(running_[0].log_probs.size());
    choose(logits, vocab, stride, kernels, generated);
    const double divisor = std::pow(generated + 1.0, c.length_penalty);
    const bool looks = c.cut_repetition && generated + 1 >= std::max(16, c.min_new_tokens) &&
                       (generated + 1) % 8 == 0;
    std::vector<Hypothesis> next;
    parents.clear();
    for (size_t i = 0; i < candidates_.size(); i++) {
      const Candidate& candidate = candidates_[i];
      bool is_end = config_->ends(candidate.token), at_limit = generated + 1 == c.max_new_tokens;
      bool ends = is_end || at_limit ||
                  (looks && repeats(running_[candidate.row].tokens, candidate.token) > 0);
      // Only the best may end; the others are there to go on in their place.
      bool has_place = ends ? i < beams() : next.size() < beams();
      if (!has_place) continue;
      Hypothesis hypothesis = running_[candidate.row];
      hypothesis.tokens.push_back(candidate.token);
      hypothesis.log_probs.push_back(candidate.log_prob);
      hypothesis.total = candidate.total;
      hypothesis.finished = is_end;
      if (ends) {
        hypothesis.score = hypothesis.total / static_cast<float>(divisor);
        if (c.cut_repetition && !is_end) {
          const int again = repeats(running_[candidate.row].tokens, candidate.token);
          hypothesis.tokens.resize(hypothesis.tokens.size() - again);
          hypothesis.log_probs.resize(hypothesis.log_probs.size() - again);
        }
        finish(std::move(hypothesis));
      } else {
        next.push_back(std::move(hypothesis));
        parents.push_back(candidate.row);
      }
    }
    running_ = std::move(next);
    return !is_settled(generated + 1);
  }

  // Best first.
  const std::vector<Hypothesis>& found() const { return found_; }
  // Those that go on, likewise; without scores.
  const std::vector<Hypothesis>& running() const { return running_; }

 private:
  struct Candidate {
    float total, log_prob;
    int32_t row, token;
  };

  // How many tokens at the end repeat what stands before them; 0 if they may. The prompt is not
  // counted; src/regard/generation/repetition.py defines it.
  int repeats(const std::vector<int32_t>& past, int32_t token) const {
    std::vector<int32_t> all(past.begin() + prompt_, past.end());
    all.push_back(token);
    const int count = static_cast<int>(all.size());
    for (int period = 1; period <= std::min(16, count / 4); period++) {
      int again = 0;
      while (again + period < count && all[count - 1 - again] == all[count - 1 - again - period])
        again++;
      if (again + period >= std::max(16, 4 * period)) return again;
    }
    return 0;
  }

  size_t beams() const { return config_->given.num_beams; }

  // The likeliest extensions over all rows, enough of them that num_beams go on.
  void choose(float* logits, int vocab, size_t stride, const Kernels& kernels, int generated) {
    const bool is_greedy = beams() == 1;
    const size_t ends = std::max<size_t>(2, 1 + config_->eos_ids.size());
    const int most = static_cast<int>(std::min<size_t>(is_greedy ? 1 : ends * beams(), vocab));
    values_.resize(most);
    tokens_.resize(most);
    candidates_.clear();
    for (size_t r = 0; r < running_.size(); r++, logits += stride) {
      float largest, log_of_sum;
      kernels.log_sum(logits, vocab, &largest, &log_of_sum);
      const float* scores = logits;
      if (filters_->act(generated)) {  // on logits where one token is chosen, else on their logs
        filtered_.assign(logits, logits + vocab);
        if (!is_greedy)
          for (float& score : filtered_) score = score - largest - log_of_sum;
        filtered_.resize(up_to(vocab, LANES));
        (*filters_)(filtered_.data(), vocab, running_[r].tokens, generated, kernels);
        scores = filtered_.data();
      }
      int count = 1;
      if (config_->given.do_sample) {
        const double number = Draws(config_->given.seed, text_)[generated];
        tokens_[0] = drawn(filtered_.data(), vocab, number, kernels);
        if (tokens_[0] < 0) continue;
      } else {
        count = kernels.top(scores, vocab, most, values_.data(), tokens_.data());
      }
      for (int i = 0; i < count; i++) {
        float log_prob = logits[tokens_[i]] - largest - log_of_sum;
        float added = is_greedy || scores == logits ? log_prob : values_[i];
        float total = running_[r].total + added;
        if (total > -INFINITY)
          candidates_.push_back({total, log_prob, static_cast<int32_t>(r), tokens_[i]});
      }
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.total > b.total; });
    if (candidates_.size() > ends * beams()) candidates_.resize(ends * beams());
  }

  // Of equals the earlier one stays ahead.
  void finish(Hypothesis&& hypothesis) {
    auto place = std::upper_bound(
        found_.begin(), found_.end(), hypothesis,
        [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    found_.insert(place, std::move(hypothesis));
    if (found_.size() > beams()) found_.pop_back();
  }

  // True if no running hypothesis can change the result.
  bool is_settled(int generated) const {
    const regard_generation& c = config_->given;
    if (running_.empty()) return true;
    if (found_.size() < beams()) return false;
    if (c.early_stopping == 1) return true;
    bool looks_ahead = c.early_stopping == 2 && c.length_penalty > 0;
    double length = looks_ahead ? c.max_new_tokens : generated;
    float best = running_[0].total / static_cast<float>(std::pow(length, c.length_penalty));
    return !(best > found_.back().score);
  }

  const GenerationConfig* config_;
  const Filters* filters_;
  size_t prompt_;  // tokens
  int64_t text_;
  std::vector<Hypothesis> running_, found_;
  std::vector<Candidate> candidates_;
  std::vector<float> values_, filtered_;
  std::vector<int32_t> tokens_;
};

}  // namespace regard
