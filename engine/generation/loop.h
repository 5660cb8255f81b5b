// The generation loop: step all texts that run, let those that have ended make room for the next.
#pragma once
#include <atomic>

#include "generation/search.h"
#include "models/decoding.h"

namespace regard {

struct Stopped {};

class Generation {
 public:
  Generation(const Model& model, Idle<Decode, Model>& idle, const int32_t* ids, int64_t texts,
             int64_t length, const regard_generation& config, int together, regard_report report)
      : results(texts), model_(model), idle_(idle), config_(config), filters_(config_), ids_(ids),
        length_(length), together_(std::max(1, together)), report_(report) {
    // The longest first, so that no thread is left with a long one, and neighbors are alike.
    std::vector<int64_t> lengths(texts);
    for (int64_t i = 0; i < texts; i++) {
      order_.push_back(i);
      lengths[i] = std::count_if(ids + i * length, ids + (i + 1) * length,
                                 [&](int32_t id) { return id != model.config.pad_id; });
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
  }

  // The calling thread reports.
  void run(int threads) {
    in_threads(threads, [this](bool reports) {
      try {
        decode(reports);
      } catch (...) {
        stop_ = true;
        throw;
      }
    });
  }

  std::vector<std::vector<Hypothesis>> results;

 private:
  struct Running {
    int64_t index;
    int number;  // of the decode's text
    Search search;
  };

  void decode(bool reports) {
    std::unique_ptr<Decode> taken = idle_.take();
    Decode& decode = *taken;
    std::vector<Running> running;
    std::vector<int> numbers;
    std::vector<int32_t> tokens, lengths, parents;
    const int vocab = model_.config.target_vocab_size;
    while (!stop_) {
      begin(decode, running);
      if (running.empty()) return idle_.give(std::move(taken));
      numbers.clear();
      tokens.clear();
      lengths.clear();
      for (Running& text : running) {
        numbers.push_back(text.number);
        text.search.ask(tokens, lengths);
      }
      float* logits = decode.step(numbers.data(), static_cast<int>(numbers.size()), tokens.data(),
                                  lengths.data(), static_cast<int>(lengths.size()));
      size_t kept = 0;
      for (size_t i = 0; i < running.size(); i++) {
        Running& text = running[i];
        const int rows = decode.rows(text.number);
        if (text.search.advance(logits, vocab, decode.logits_stride(), model_.kernels, parents)) {
          decode.select(text.number, parents.data(), static_cast<int>(parents.size()));
          if (kept != i) running[kept] = std::move(text);
          kept++;
        } else {
          results[text.index] = text.search.found();
          decode.remove(text.number);
          done_++;
        }
        logits += rows * decode.logits_stride();
      }
      running.erase(running.begin() + kept, running.end());
      if (reports && report_ != nullptr && report_(done_)) throw Stopped();
    }
  }

  // Takes texts while there is room: several at a time, since an encoder is faster with more rows.
  void begin(Decode& decode, std::vector<Running>& running) {
    const int64_t room = together_ - static_cast<int64_t>(running.size());
    if (!running.empty() && room < std::max(1, together_ / 4)) return;
    std::vector<int32_t> ids;
    std::vector<int64_t> indices;
    while (static_cast<int64_t>(indices.size()) < room) {
      size_t next = next_++;
      if (next >= order_.size()) break;
      indices.push_back(order_[next]);
      const int32_t* source = ids_ + order_[next] * length_;
      ids.insert(ids.end(), source, source + length_);
    }
    if (indices.empty()) return;
    const bool has_source = model_.has_source();
    std::vector<int> numbers = decode.add(ids.data(), indices.size(), has_source ? length_ : 0);
    for (size_t i = 0; i < indices.size(); i++)
      running.push_back({indices[i], numbers[i], Search(config_, filters_, prompt(indices[i]))});
  }

  // What a text's decoder reads first.
  std::vector<int32_t> prompt(int64_t index) const {
    if (model_.has_source()) return {config_.given.start_id};
    std::vector<int32_t> tokens;
    const int32_t* text = ids_ + index * length_;
    std::copy_if(text, text + length_, std::back_inserter(tokens),
                 [&](int32_t id) { return id != model_.config.pad_id; });
    return tokens;
  }

  const Model& model_;
  Idle<Decode, Model>& idle_;
  const GenerationConfig config_;
  const Filters filters_;
  const int32_t* ids_;
  const int64_t length_;
  const int together_;
  const regard_report report_;
  std::vector<int64_t> order_;
  std::atomic<size_t> next_{0};
  std::atomic<int64_t> done_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace regard
