// Models read whole texts or images: each thread takes the next of them.
#pragma once
#include <atomic>

#include "models/gradient.h"

namespace regard {

class Reader {
 public:
  explicit Reader(const Model& model) : model_(model), idle_(model.kernels) {}

  // Texts of these lengths, end to end → their last states, (tokens, d_model).
  void texts(const int32_t* ids, const int32_t* positions, const int32_t* types, int64_t tokens,
             const int32_t* lengths, int64_t count, int threads, float* states) const {
    const regard_config& config = model_.config;
    if (config.image_length > 0) throw Mistake("this model reads images");
    model_.check_reads_texts();
    const int vocab = config.kind == REGARD_DECODER ? config.target_vocab_size : config.vocab_size;
    check("an id", ids, tokens, 0, vocab);
    check("a position", positions, tokens, -config.position_offset, config.max_positions);
    if (types != nullptr) check("a token type", types, tokens, 0, config.token_types);
    int64_t total = 0;
    for (int64_t i = 0; i < count; total += lengths[i++])
      if (lengths[i] < 0) throw Mistake("a length is below 0");
    if (total != tokens || tokens > INT32_MAX)
      throw Mistake("lengths must sum to " + std::to_string(tokens) + " tokens; got " +
                    std::to_string(total));
    read(
        count, tokens, [&](int64_t text) { return lengths[text]; }, threads,
        [&](Work& work, Texts& piece, int64_t first) {
          const int rows = piece.rows();
          piece.ids.assign(ids + first, ids + first + rows);
          piece.positions.assign(positions + first, positions + first + rows);
          if (types != nullptr) piece.types.assign(types + first, types + first + rows);
          const float* last = nullptr;
          if (config.kind != REGARD_DECODER) {
            model_.encoder.embed(work, piece);
            last = model_.encoder(work, piece);
          }
          if (config.kind == REGARD_ENCODER) return last;
          if (!model_.has_source()) return model_.decoder(work, piece, nullptr);
          Texts shifted = piece;
          shift(shifted);
          return model_.decoder(work, shifted, &piece);
        },
        states);
  }

  // A source and what a decoder reads of its target → the target's last states, (count, d_model).
  void pair(const int32_t* source, int64_t length, const int32_t* target, int64_t count,
            int threads, float* states) const {
    if (!model_.has_source()) throw Mistake("this model reads no source");
    check_pair(source, length, target, count);
    const Texts whole = text(source, length);
    read(
        1, count, [count](int64_t) { return count; }, threads,
        [&](Work& work, Texts&, int64_t) {
          model_.encoder.embed(work, whole);
          model_.encoder(work, whole);
          return model_.decoder(work, text(target, count), &whole);
        },
        states);
  }

  // What each token of a source, if the model reads one, and of what a decoder reads has to do with
  // the log-probability of a token behind one of its positions.
  void gradient(const int32_t* source, int64_t length, const int32_t* target, int64_t count,
                int64_t position, int32_t token, float* of_source, float* of_target) const {
    check_pair(source, length, target, count);
    if (position < 0 || position >= count) throw Mistake("there is no such position");
    check("a token", &token, 1, 0, model_.config.target_vocab_size);
    const Texts read = text(source, length);
    Gradient back(model_);
    back(model_.has_source() ? &read : nullptr, text(target, count), static_cast<int>(position),
         token, of_source, of_target);
  }

  // A sound, (2 sound_length, mel_bins), and what a decoder reads of its text → the text's last
  // states, (count, d_model).
  void sound(const float* frames, const int32_t* target, int64_t count, int threads,
             float* states) const {
    const regard_config& config = model_.config;
    model_.check_reads_sounds();
    if (count < 1 || count > config.max_positions)
      throw Mistake("a target must have 1 to " + std::to_string(config.max_positions) + " tokens");
    check("a token", target, count, 0, config.target_vocab_size);
    read(
        1, count, [count](int64_t) { return count; }, threads,
        [&](Work& work, Texts&, int64_t) {
          const Texts whole = model_.encoder.embed_sounds(work, frames, 1, config.sound_length,
                                                          config.mel_bins);
          model_.encoder(work, whole);
          return model_.decoder(work, text(target, count), &whole);
        },
        states);
  }

  // Patches, (count, image_length without the class token, patch_width) → states, (count, image_length, d_model).
  void images(const float* patches, int64_t count, int threads, float* states) const {
    const int64_t length = model_.config.image_length, width = model_.config.patch_width;
    if (length == 0) throw Mistake("this model reads texts");
    if (count < 0 || count > INT32_MAX / length) throw Mistake("there are too many images");
    read(
        count, count * length, [&](int64_t) { return length; }, threads,
        [&](Work& work, Texts& piece, int64_t first) {
          const int64_t each = length - model_.encoder.first();
          model_.encoder.embed(work, patches + first / length * each * width,
                               static_cast<int>(piece.lengths.size()), length, width);
          return model_.encoder(work, piece);
        },
        states);
  }

  // States, (rows, d_model) → what the head makes of them, or the logits of a model that writes.
  void head(const float* states, int64_t rows, int threads, float* outputs) const {
    const bool writes = model_.writes();
    const int64_t width = model_.config.d_model;
    const int64_t made = writes ? model_.config.target_vocab_size : model_.head.outputs();
    if (made == 0) throw Mistake("this model has no head");
    if (rows < 0 || rows > INT32_MAX) throw Mistake("there are too many rows");
    const size_t stride = stride_of(width);
    in_pieces((rows + ROWS - 1) / ROWS, threads, [&](Work& work, int64_t piece) {
      const int64_t first = piece * ROWS, count = std::min(rows - first, ROWS);
      float* x = work.states.need(count * stride);
      for (int64_t r = 0; r < count; r++)
        std::fill(std::copy_n(states + (first + r) * width, width, x + r * stride),
                  x + (r + 1) * stride, 0.0f);
      const int few = static_cast<int>(count);
      copy(writes ? model_.decoder.output(work, x, few) : model_.head(work, stride, few), count, made,
           outputs + first * made);
    });
  }

  // States of images, (count, length, d_model) → what a head that pools makes of them.
  void pool(const float* states, int64_t count, int64_t length, int threads, float* outputs) const {
    const Head& head = model_.head;
    if (model_.writes() || !head.pool) throw Mistake("this model does not pool by attention");
    if (count < 0 || length < 1 || length > INT32_MAX || count > INT32_MAX / length)
      throw Mistake("there are too many states, or none");
    const int64_t width = model_.config.d_model;
    const size_t stride = stride_of(width);
    in_pieces(count, threads, [&](Work& work, int64_t image) {
      const float* from = states + image * length * width;
      float* x = work.states.need(length * stride);
      for (int64_t r = 0; r < length; r++, from += width, x += stride)
        std::fill(std::copy_n(from, width, x), x + stride, 0.0f);
      head.pool(work, stride, static_cast<int>(length));
      copy(head(work, stride, 1), 1, head.outputs(), outputs + image * head.outputs());
    });
  }

 private:
  static Texts text(const int32_t* ids, int64_t rows) {
    Texts one;
    one.ids.assign(ids, ids + rows);
    for (int i = 0; i < rows; i++) one.positions.push_back(i);
    one.lengths = {static_cast<int>(rows)};
    return one;
  }

  // Rows that are computed together where texts are short: enough for the weights to pass by
  // seldom, and few enough for what is computed to stay in the second cache.
  static constexpr int64_t ROWS = 128;

  static void check(const char* what, const int32_t* numbers, int64_t count, int32_t least,
                    int32_t end) {
    for (int64_t i = 0; i < count; i++)
      if (numbers[i] < least || numbers[i] >= end)
        throw Mistake(std::string(what) + " must be from " + std::to_string(least) + " to " +
                      std::to_string(end - 1) + "; got " + std::to_string(numbers[i]));
  }

  // A source, empty of a decoder alone, and what a decoder reads of its target.
  void check_pair(const int32_t* source, int64_t length, const int32_t* target,
                  int64_t count) const {
    const regard_config& config = model_.config;
    model_.check_reads_texts();
    if ((length < 1) == model_.has_source() || count < 1 ||
        std::max(length, count) > config.max_positions)
      throw Mistake("a source and a target must have 1 to " +
                    std::to_string(config.max_positions) + " tokens");
    check("an id", source, length, 0, config.vocab_size);
    check("a token", target, count, 0, config.target_vocab_size);
  }

  static void copy(const float* x, int64_t rows, int64_t width, float* y) {
    for (int64_t r = 0; r < rows; r++, x += stride_of(width), y += width) std::copy_n(x, width, y);
  }

  // Each text behind the start token, without its last: what a decoder reads of it.
  void shift(Texts& texts) const {
    auto first = texts.ids.begin();
    for (int length : texts.lengths) {
      if (length > 0) {
        std::copy_backward(first, first + length - 1, first + length);
        *first = model_.config.start_id;
      }
      first += length;
    }
  }

  struct Busy {
    Busy(std::atomic<int>& threads, Team& team) : threads(threads), team(team) { threads++; }
    ~Busy() {
      if (--threads == 0) team.wake();
    }
    std::atomic<int>& threads;
    Team& team;
  };

  // Calls a function with the numbers of all pieces; each thread takes the next, and helps the
  // others when there is none.
  template <class Function>
  void in_pieces(int64_t count, int threads, Function function) const {
    threads = std::clamp(threads, 1, 1024);
    std::atomic<int64_t> next{0};
    std::atomic<int> busy{0};
    const int first = static_cast<int>(std::min<int64_t>(threads, count));
    const std::shared_ptr<Team> team = team_of(threads - first);
    in_threads(first, [&] {
      {
        Busy here(busy, *team);
        std::unique_ptr<Work> work = idle_.take();
        work->team = team.get();
        for (int64_t piece; (piece = next++) < count;) function(*work, piece);
        work->team = nullptr;
        idle_.give(std::move(work));
      }
      team->help([&] { return busy == 0; });
    });
  }

  // A piece is some whole texts, whose first row is `first`: function(work, texts, first) gives
  // their states.
  template <class Length, class Function>
  void read(int64_t count, int64_t rows, Length length, int threads, Function function,
            float* states) const {
    struct Piece {
      int64_t text, row;
    };
    const int64_t most = std::clamp<int64_t>(rows / std::max(1, threads), 1, ROWS);
    const int64_t width = model_.config.d_model;
    std::vector<Piece> pieces;
    for (int64_t text = 0, row = 0; text < count; row += length(text++))
      if (pieces.empty() || row + length(text) - pieces.back().row > most)
        pieces.push_back({text, row});
    pieces.push_back({count, rows});
    in_pieces(static_cast<int64_t>(pieces.size()) - 1, threads, [&](Work& work, int64_t i) {
      const auto [first, row] = pieces[i];
      Texts piece;
      for (int64_t text = first; text < pieces[i + 1].text; text++)
        piece.lengths.push_back(static_cast<int>(length(text)));
      piece.positions.resize(pieces[i + 1].row - row);
      copy(function(work, piece, row), piece.rows(), width, states + row * width);
    });
  }

  const Model& model_;
  mutable Idle<Work, Kernels> idle_;
};

}  // namespace regard
