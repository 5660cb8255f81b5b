// Models that read: an encoder of texts or images, and what a head makes of its last states.
#pragma once
#include <atomic>
#include <optional>

#include "layers/transformer.h"
#include "models/config.h"

namespace regard {

// Steps that heads have in common, each where the model has it: a dense layer, an activation, a
// normalization, and a projection, whose weights may be the table of tokens.
class Head {
 public:
  Head(const Weights& weights, const regard_config& config)
      : outputs_(config.head_outputs > 0 ? config.head_outputs : config.d_model) {
    Axis states{1, config.d_model};
    auto precision = static_cast<Precision>(config.precision);
    for (std::string name : {"head.dense", "head.pooler.dense"})
      if (weights.has(name + ".weight"))
        dense_ = Linear(weights, {name}, states, states, precision,
                        static_cast<Activation>(config.head_activation));
    if (weights.has("head.norm.weight"))
      norm_ = NormLayer(weights, "head.norm", config.d_model, !config.rms_norm, config.norm_eps);
    if (config.head_outputs == 0) return;
    const bool own = weights.has("head.output.weight");
    Axis outputs{1, config.head_outputs};
    output_ = Linear(weights, {own ? "head.output" : "embed.tokens"}, outputs, states, precision);
    output_.set_bias(weights.if_any("head.bias", 1, config.head_outputs));
  }

  int outputs() const { return outputs_; }

  // States in work.states → (rows, stride_of(outputs())).
  const float* operator()(Work& work, size_t stride, int rows) const {
    const float* x = work.states.data();
    if (dense_.outputs() > 0) {
      dense_(work, x, stride, rows, work.normed.need(rows * stride));
      if (norm_) (*norm_)(work, work.normed.data(), rows, work.normed.data());
      x = work.normed.data();
    }
    if (output_.outputs() == 0) return x;
    output_(work, x, stride, rows, work.logits.need(rows * output_.stride()));
    return work.logits.data();
  }

 private:
  int outputs_;
  Linear dense_, output_;
  std::optional<NormLayer> norm_;
};

class Reader {
 public:
  Reader(const regard_config& config, const Weights& weights, const Kernels& kernels)
      : config_(checked(config)),
        encoder_(weights, "encoder", config, config.encoder_layers, config.encoder_heads,
                 config.encoder_head_dim, 0, false),
        head_(weights, config),
        idle_(kernels) {
    Axis states{1, config.d_model};
    if (config.image_length > 0) {
      patches_ = Linear(weights, {"embed.patches"}, states, Axis{1, config.patch_width},
                        static_cast<Precision>(config.precision));
      image_ = rows_of(weights("embed.positions", config.image_length, config.d_model));
    } else {
      tokens_ = Embedding(weights, "embed", config, config.vocab_size);
    }
  }

  // Texts of these lengths, end to end → their last states, (tokens, d_model).
  void texts(const int32_t* ids, const int32_t* positions, const int32_t* types, int64_t tokens,
             const int32_t* lengths, int64_t count, int threads, float* states) const {
    if (config_.image_length > 0) throw Mistake("this model reads images");
    check(ids, tokens, 0, config_.vocab_size, "an id");
    check(positions, tokens, -config_.position_offset, config_.max_positions, "a position");
    if (types != nullptr) check(types, tokens, 0, config_.token_types, "a token type");
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) {
      if (lengths[i] < 0) throw Mistake("a length is below 0");
      total += lengths[i];
    }
    if (total != tokens)
      throw Mistake("lengths must sum to " + std::to_string(tokens) + " tokens; got " +
                    std::to_string(total));
    read(
        count, tokens, [&](int64_t text) { return lengths[text]; }, threads,
        [&](Work& work, Texts& piece, int64_t first) {
          const int rows = piece.rows();
          std::copy_n(positions + first, rows, piece.positions.data());
          tokens_(work, ids + first, piece.positions.data(), types ? types + first : nullptr, rows,
                  work.states.data());
        },
        states);
  }

  // Patches, (count, image_length - 1, patch_width) → states, (count, image_length, d_model).
  void images(const float* patches, int64_t count, int threads, float* states) const {
    const int length = config_.image_length, width = config_.patch_width;
    if (length == 0) throw Mistake("this model reads texts");
    if (count < 0 || count > INT32_MAX / length) throw Mistake("there are too many images");
    read(
        count, count * length, [&](int64_t) { return length; }, threads,
        [&](Work& work, Texts& piece, int64_t first) {
          float* x = work.states.data();
          const float* from = patches + first / length * (length - 1) * width;
          for (size_t i = 0; i < piece.lengths.size(); i++, x += length * encoder_.stride()) {
            std::copy_n(image_.data(), length * encoder_.stride(), x);
            const float* padded = with_zeros(work.wide, from, length - 1, width);
            patches_(work, padded, stride_of(width), length - 1, x + encoder_.stride(), Into::ADD);
            from += static_cast<size_t>(length - 1) * width;
          }
        },
        states);
  }

  // States, (rows, d_model) → the head's outputs.
  void head(const float* states, int64_t rows, int threads, float* outputs) const {
    if (rows < 0 || rows > INT32_MAX) throw Mistake("there are too many rows");
    const int64_t pieces = (rows + ROWS - 1) / ROWS;
    in_pieces(pieces, threads, [&](Work& work, int64_t piece) {
      const int count = static_cast<int>(std::min<int64_t>(rows - piece * ROWS, ROWS));
      with_zeros(work.states, states + piece * ROWS * config_.d_model, count, config_.d_model);
      copy(head_(work, encoder_.stride(), count), count, head_.outputs(),
           outputs + piece * ROWS * head_.outputs());
    });
  }

 private:
  // Rows that are computed together where texts are short: enough for the weights to pass by
  // seldom, and few enough for what is computed to stay in the second cache.
  static constexpr int64_t ROWS = 128;

  static void check(const int32_t* numbers, int64_t count, int32_t least, int32_t end,
                    const char* what) {
    for (int64_t i = 0; i < count; i++)
      if (numbers[i] < least || numbers[i] >= end)
        throw Mistake(std::string(what) + " must be from " + std::to_string(least) + " to " +
                      std::to_string(end - 1) + "; got " + std::to_string(numbers[i]));
  }

  // (rows, width) → (rows, whole panels).
  static const float* with_zeros(Buffer<float>& buffer, const float* x, int rows, int width) {
    const size_t stride = stride_of(width);
    float* y = buffer.need(rows * stride);
    for (int r = 0; r < rows; r++, x += width, y += stride)
      std::fill(std::copy_n(x, width, y), y + stride, 0.0f);
    return buffer.data();
  }
  static void copy(const float* x, int rows, int width, float* y) {
    for (int r = 0; r < rows; r++, x += stride_of(width), y += width) std::copy_n(x, width, y);
  }

  // Each thread takes the next piece.
  template <class Function>
  void in_pieces(int64_t count, int threads, Function function) const {
    std::atomic<int64_t> next{0};
    in_threads(static_cast<int>(std::min<int64_t>(std::min(threads, 1024), count)), [&](bool) {
      std::unique_ptr<Work> work = idle_.take();
      for (int64_t piece; (piece = next++) < count;) function(*work, piece);
      idle_.give(std::move(work));
    });
  }

  // A piece is some whole texts; `embed` makes their first states, of rows from `first` on.
  template <class Length, class Embed>
  void read(int64_t count, int64_t rows, Length length, int threads, Embed embed,
            float* states) const {
    struct Piece {
      int64_t text, row;
    };
    const int64_t most = std::clamp<int64_t>(rows / std::max(1, threads), 1, ROWS);
    std::vector<Piece> pieces;
    int64_t row = 0;
    for (int64_t text = 0; text < count; row += length(text++))
      if (pieces.empty() || row + length(text) - pieces.back().row > most)
        pieces.push_back({text, row});
    pieces.push_back({count, rows});
    in_pieces(static_cast<int64_t>(pieces.size()) - 1, threads, [&](Work& work, int64_t i) {
      Texts piece;
      for (int64_t text = pieces[i].text; text < pieces[i + 1].text; text++) {
        piece.lengths.push_back(length(text));
        for (int at = 0; at < length(text); at++) piece.positions.push_back(at);
      }
      work.states.need(piece.rows() * encoder_.stride());
      embed(work, piece, pieces[i].row);
      copy(encoder_(work, piece), piece.rows(), config_.d_model,
           states + pieces[i].row * config_.d_model);
    });
  }

  const regard_config config_;
  Stack encoder_;
  Head head_;
  Embedding tokens_;
  Linear patches_;
  Buffer<float> image_;  // positions, the first with the class token
  mutable Idle<Work, Kernels> idle_;
};

}  // namespace regard
