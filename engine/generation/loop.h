// The generation loop: step all texts that run, let those that have ended make room for the next.
#pragma once
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "generation/search.h"
#include "models/decoding.h"

namespace regard {

struct Stopped {};

// Decodes that have no texts, whose memory is warm: a short text alone takes an eighth less time.
class Idle {
 public:
  explicit Idle(const Model& model) : model_(model) {}

  std::unique_ptr<Decode> take() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (decodes_.empty()) return std::make_unique<Decode>(model_);
    std::unique_ptr<Decode> decode = std::move(decodes_.back());
    decodes_.pop_back();
    return decode;
  }
  void give(std::unique_ptr<Decode> decode) {
    std::lock_guard<std::mutex> lock(mutex_);
    decodes_.push_back(std::move(decode));
  }

 private:
  const Model& model_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Decode>> decodes_;
};

class Generation {
 public:
  Generation(const Model& model, Idle& idle, const int32_t* ids, int64_t texts, int64_t length,
             const regard_generation& config, int together, regard_report report)
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

  // The calling thread reports; the first exception of any thread is thrown.
  void run(int threads) {
    std::vector<std::thread> others;
    auto join = [&] {
      for (std::thread& other : others) other.join();
    };
    try {
      for (int i = 1; i < threads; i++) others.emplace_back([this] { guarded(false); });
    } catch (...) {
      fail();
    }
    guarded(true);
    join();
    if (error_) std::rethrow_exception(error_);
  }

  std::vector<std::vector<Hypothesis>> results;

 private:
  struct Running {
    int64_t index;
    int number;  // of the decode's text
    Search search;
  };

  void guarded(bool reports) {
    try {
      decode(reports);
    } catch (...) {
      fail();
    }
  }

  void fail() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stop_ = true;
  }

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
  Idle& idle_;
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
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace regard
