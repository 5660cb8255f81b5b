// A running decode: texts that come and go between two steps, each with rows of hypotheses.
//
// A row is a table of where the keys of its tokens are, so what is copied when hypotheses are
// chosen is the table, never a key: beams share what their ancestors have read.
#pragma once
#include <memory>

#include "models/encoder_decoder.h"

namespace regard {

// More tokens than the model has positions.
struct TooLong : Mistake {
  using Mistake::Mistake;
};

class Decode {
 public:
  explicit Decode(const EncoderDecoder& model)
      : work(model.kernels), model_(model), layers_(model.decoder().layers()) {}

  // Sources, (count, length); they are laid end to end without their padding.
  std::vector<int> add(const int32_t* ids, int64_t count, int64_t length) {
    Texts texts;
    for (int64_t i = 0; i < count; i++) {
      size_t before = texts.ids.size();
      for (int64_t at = 0; at < length; at++) {
        int32_t id = ids[i * length + at];
        if (id < 0 || id >= model_.config.vocab_size)
          throw Mistake("an id is not in the vocabulary");
        if (id == model_.config.pad_id) continue;
        check_position(at);
        texts.ids.push_back(id);
        texts.positions.push_back(static_cast<int32_t>(at));
      }
      texts.lengths.push_back(static_cast<int>(texts.ids.size() - before));
    }
    const float* states = model_.encode(work, texts);
    std::vector<int> numbers;
    for (int64_t i = 0; i < count; i++) numbers.push_back(place());
    for (size_t l = 0; l < layers_.size(); l++) {
      std::vector<TextMemory*> memories;
      for (int number : numbers) memories.push_back(&texts_[number]->memory[l]);
      layers_[l].cross_attention.remember(work, states, model_.decoder().stride(), texts, memories);
    }
    return numbers;
  }

  void remove(int number) {
    Text& text = at(number);
    free_.insert(free_.end(), text.taken.begin(), text.taken.end());
    texts_[number].reset();
  }

  void select(int number, const int32_t* rows, int count) {
    Text& text = at(number);
    std::vector<Row> chosen;
    for (int i = 0; i < count; i++) {
      if (rows[i] < 0 || rows[i] >= static_cast<int>(text.rows.size()))
        throw Mistake("a row to be chosen is not there");
      chosen.push_back(text.rows[rows[i]]);
    }
    text.rows = std::move(chosen);
  }

  int vocab() const { return model_.config.target_vocab_size; }
  size_t logits_stride() const { return model_.logits_stride(); }
  int rows(int number) { return static_cast<int>(at(number).rows.size()); }

  // Reads a token in each row of these texts; the logits of all, or none where they are not needed.
  float* step(const int32_t* numbers, int count, const int32_t* tokens, int rows,
              bool with_logits = true) {
    now_.clear();
    positions_.clear();
    steps_++;
    for (int i = 0; i < count; i++) {
      Text& text = at(numbers[i]);
      if (std::exchange(text.step, steps_) == steps_) throw Mistake("a text is stepped twice");
      for (Row& row : text.rows) {
        check_position(row.size());
        now_.push_back({&text, &row});
        positions_.push_back(static_cast<int32_t>(row.size()));
      }
    }
    if (static_cast<int>(now_.size()) != rows)
      throw Mistake("there must be a token for each of " + std::to_string(now_.size()) +
                    " rows; got " + std::to_string(rows));
    for (int r = 0; r < rows; r++)
      if (tokens[r] < 0 || tokens[r] >= model_.config.target_vocab_size)
        throw Mistake("a token is not in the vocabulary");
    for (Current& row : now_) row.past->push_back(take(*row.text));
    model_.decoder().embed(work, tokens, positions_.data(), rows);
    float* states = model_.decoder()(
        work, rows,
        [this](size_t layer, const float* projected, float* y) { attend(layer, projected, y); },
        [this](size_t layer, const float* projected, float* y) {
          attend_memory(layer, projected, y);
        });
    return with_logits ? model_.logits(work, states, rows) : nullptr;
  }

  Work work;

 private:
  static constexpr int CHUNK = 64;  // tokens whose keys and values are allocated together

  using Row = std::vector<float*>;  // of each token: its place in the first layer
  struct Text {
    std::vector<TextMemory> memory;  // of each layer
    std::vector<Row> rows{1};
    std::vector<float*> taken;
    int64_t step = 0;  // the last one
  };
  struct Current {
    Text* text;
    Row* past;
  };

  Text& at(int number) {
    if (number < 0 || number >= static_cast<int>(texts_.size()) || !texts_[number])
      throw Mistake("there is no text " + std::to_string(number));
    return *texts_[number];
  }

  int place() {
    auto text = std::make_unique<Text>();
    text->memory.resize(layers_.size());
    for (size_t i = 0; i < texts_.size(); i++)
      if (!texts_[i]) {
        texts_[i] = std::move(text);
        return static_cast<int>(i);
      }
    texts_.push_back(std::move(text));
    return static_cast<int>(texts_.size()) - 1;
  }

  void check_position(size_t position) const {
    if (model_.config.has_positions && position >= static_cast<size_t>(model_.config.max_positions))
      throw TooLong(std::to_string(position + 1));
  }

  size_t width() const { return layers_.empty() ? 0 : layers_[0].self_attention.width(); }
  // From a token's place in one layer to that in the next.
  size_t layer_stride() const { return CHUNK * 2 * width(); }

  float* take(Text& text) {
    if (free_.empty()) {
      chunks_.emplace_back();
      float* chunk = chunks_.back().need(layers_.size() * layer_stride());
      for (int i = CHUNK; i--;) free_.push_back(chunk + i * 2 * width());
    }
    text.taken.push_back(free_.back());
    free_.pop_back();
    return text.taken.back();
  }

  void attend(size_t layer, const float* projected, float* y) {
    const MultiHeadAttention& attention = layers_[layer].self_attention;
    const RelativeBias& bias = model_.decoder().relative_bias();
    for (Current& row : now_) {
      int count = static_cast<int>(row.past->size());
      // The newest token's place, which no other row has yet.
      float* newest = row.past->back() + layer * layer_stride();
      std::copy_n(projected + width(), 2 * width(), newest);
      while (static_cast<int>(all_positions_.size()) < count)
        all_positions_.push_back(static_cast<int32_t>(all_positions_.size()));
      Past past{row.past->data(), layer * layer_stride(), count, attention.heads(),
                attention.head_width()};
      const int32_t* keys = all_positions_.data();
      work.kernels.attend_past(projected, past, attention.scale(),
                               bias.of(0, keys, keys + count - 1), bias.entries(),
                               work.scores.need(attention.heads() * up_to(count, LANES)), y);
      projected += attention.input().stride();
      y += stride_of(width());
    }
  }

  void attend_memory(size_t layer, const float* projected, float* y) {
    const MultiHeadAttention& attention = layers_[layer].cross_attention;
    size_t stride = attention.input().stride();
    for (size_t r = 0; r < now_.size();) {
      Text& text = *now_[r].text;
      int count = static_cast<int>(text.rows.size());
      attention.attend(work, projected + r * stride, stride, count, text.memory[layer], {}, nullptr,
                       y + r * stride_of(attention.width()), stride_of(attention.width()));
      r += count;
    }
  }

  const EncoderDecoder& model_;
  const std::vector<TransformerLayer>& layers_;
  std::vector<std::unique_ptr<Text>> texts_;
  std::vector<Buffer<float>> chunks_;
  std::vector<float*> free_;
  int64_t steps_ = 0;
  std::vector<Current> now_;
  std::vector<int32_t> positions_, all_positions_;
};

}  // namespace regard
