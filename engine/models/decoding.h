// A running decode: texts that come and go between two steps, each with rows of hypotheses.
//
// A row is a table of where the keys of its tokens are, so what is copied when hypotheses are
// chosen is the table, never a key: beams share what their ancestors have read.
#pragma once
#include <memory>

#include "models/model.h"

namespace regard {

// More tokens than the model has positions.
struct TooLong : Mistake {
  using Mistake::Mistake;
};

class Decode {
 public:
  explicit Decode(const Model& model)
      : work(model.kernels), model_(model), stack_(model.decoder.stack()),
        layers_(stack_.layers()) {}

  // Sources of these lengths, empty of a decoder; they are laid end to end without their padding.
  std::vector<int> add(const int32_t* ids, const std::vector<int32_t>& lengths) {
    model_.check_reads_texts();
    Texts texts;
    for (int32_t length : lengths) {
      if (!model_.has_source() && length > 0) throw Mistake("a decoder's texts have no source");
      size_t before = texts.ids.size();
      for (int32_t at = 0; at < length; at++) {
        int32_t id = *ids++;
        if (id < 0 || id >= model_.config.vocab_size)
          throw Mistake("an id is not in the vocabulary");
        if (id == model_.config.pad_id) continue;
        check_position(at);
        texts.ids.push_back(id);
        texts.positions.push_back(at);
      }
      texts.lengths.push_back(static_cast<int>(texts.ids.size() - before));
    }
    const float* states = nullptr;
    if (model_.has_source()) {
      model_.encoder.embed(work, texts);
      states = model_.encoder(work, texts);
    }
    return placed(states, texts);
  }

  // Sounds, (count, 2 sound_length, mel_bins).
  std::vector<int> add(const float* frames, int count) {
    model_.check_reads_sounds();
    const regard_config& config = model_.config;
    const Texts sounds =
        model_.encoder.embed_sounds(work, frames, count, config.sound_length, config.mel_bins);
    return placed(model_.encoder(work, sounds), sounds);
  }

  void remove(int number) {
    Text& text = at(number);
    free_.insert(free_.end(), text.taken.begin(), text.taken.end());
    texts_[number].reset();
  }

  // Copies of these rows become a text's; of none, one that has read nothing.
  void select(int number, const int32_t* rows, int count) {
    Text& text = at(number);
    std::vector<Row> chosen;
    if (count == 0) {
      free_.insert(free_.end(), text.taken.begin(), text.taken.end());
      text.taken.clear();
      chosen.emplace_back();
    }
    for (int i = 0; i < count; i++) {
      if (rows[i] < 0 || rows[i] >= static_cast<int>(text.rows.size()))
        throw Mistake("a row to be chosen is not there");
      chosen.push_back(text.rows[rows[i]]);
    }
    text.rows = std::move(chosen);
  }

  int vocab() const { return model_.config.target_vocab_size; }
  size_t logits_stride() const { return model_.decoder.logits_stride(); }
  int rows(int number) { return static_cast<int>(at(number).rows.size()); }
  // Refuses more tokens of a text than the model has positions.
  void check_room(int number, int64_t tokens) {
    check_position(at(number).rows[0].size() + tokens - 1);
  }

  // Reads tokens in each row of these texts, end to end: as many as `lengths` says of each row, or
  // one where it is null. The logits of what follows each, or none where they are not needed.
  float* step(const int32_t* numbers, int count, const int32_t* tokens, const int32_t* lengths,
              int rows, bool with_logits = true) {
    std::vector<Reading> readings = checked(numbers, count, tokens, lengths, rows);
    work.last.need(rows * stack_.stride());
    now_.clear();
    positions_.clear();
    for (Reading& reading : readings)
      for (int left = reading.count; left > 0; left -= reading.count) {
        const int room = PIECE - static_cast<int>(positions_.size());
        reading.count = std::min(left, room);
        for (int i = 0; i < reading.count; i++)
          positions_.push_back(static_cast<int32_t>(reading.past->size() + i));
        now_.push_back(reading);
        if (reading.count == room) tokens += read(tokens);
      }
    if (!now_.empty()) read(tokens);
    return with_logits ? model_.decoder.logits(work, work.last.data(), rows) : nullptr;
  }

  Work work;

 private:
  static constexpr int CHUNK = 64;  // tokens whose keys and values are allocated together
  // Tokens that pass through the layers together: their states stay in the second cache.
  static constexpr int PIECE = 256;

  using Row = std::vector<float*>;  // of each token: its place in the first layer
  struct Text {
    std::vector<TextMemory> memory;  // of each layer
    std::vector<Row> rows{1};
    std::vector<float*> taken;
    int64_t step = 0;  // the last one
  };
  struct Reading {  // of one row
    Text* text;
    Row* past;
    int row, count;
    bool is_prompt;  // of several tokens, some of which may be in another piece
  };

  std::vector<Reading> checked(const int32_t* numbers, int count, const int32_t* tokens,
                               const int32_t* lengths, int rows) {
    std::vector<Reading> readings;
    steps_++;
    for (int i = 0; i < count; i++) {
      Text& text = at(numbers[i]);
      if (std::exchange(text.step, steps_) == steps_) throw Mistake("a text is stepped twice");
      for (Row& row : text.rows)
        readings.push_back({&text, &row, static_cast<int>(readings.size()), 1, false});
    }
    if (static_cast<int>(readings.size()) != rows)
      throw Mistake("there must be tokens for each of " + std::to_string(readings.size()) +
                    " rows; got " + std::to_string(rows));
    for (Reading& reading : readings) {
      if (lengths != nullptr) reading.count = lengths[reading.row];
      if (reading.count < 1) throw Mistake("each row must read at least one token");
      reading.is_prompt = reading.count > 1;
      check_position(reading.past->size() + reading.count - 1);
      for (int i = 0; i < reading.count; i++, tokens++)
        if (*tokens < 0 || *tokens >= model_.config.target_vocab_size)
          throw Mistake("a token is not in the vocabulary");
    }
    return readings;
  }

  // Texts whose sources have these states, or that have no source.
  std::vector<int> placed(const float* states, const Texts& texts) {
    std::vector<int> numbers;
    for (size_t i = 0; i < texts.lengths.size(); i++) numbers.push_back(place());
    if (states == nullptr) return numbers;
    for (size_t l = 0; l < layers_.size(); l++) {
      std::vector<TextMemory*> memories;
      for (int number : numbers) memories.push_back(&texts_[number]->memory[l]);
      layers_[l].cross_attention.remember(work, states, stack_.stride(), texts, memories);
      for (TextMemory* memory : memories) memory->rows = nullptr;  // a text outlives a room
    }
    return numbers;
  }

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
    if (position >= static_cast<size_t>(model_.config.max_positions))
      throw TooLong(std::to_string(position + 1));
  }

  // Of a token's key and value in one layer.
  size_t width() const { return layers_.empty() ? 0 : 2 * layers_[0].self_attention.key_width(); }
  // From a token's place in one layer to that in the next.
  size_t layer_stride() const { return CHUNK * width(); }

  float* take(Text& text) {
    if (free_.empty()) {
      chunks_.emplace_back();
      float* chunk = chunks_.back().need(layers_.size() * layer_stride());
      for (int i = CHUNK; i--;) free_.push_back(chunk + i * width());
    }
    text.taken.push_back(free_.back());
    free_.pop_back();
    return text.taken.back();
  }

  // The tokens of now_ → each row's last state; how many there were.
  size_t read(const int32_t* tokens) {
    const size_t count = positions_.size(), stride = stack_.stride();
    for (Reading& row : now_)
      for (int i = 0; i < row.count; i++) row.past->push_back(take(*row.text));
    stack_.embed(work, tokens, positions_.data(), nullptr, static_cast<int>(count));
    const float* states = stack_(
        work, positions_.data(), static_cast<int>(count),
        [this](size_t layer, const float* projected, float* y) { attend(layer, projected, y); },
        [this](size_t layer, const float* projected, float* y) {
          attend_memory(layer, projected, y);
        });
    for (Reading& row : now_) {
      states += row.count * stride;
      std::copy_n(states - stride, stride, work.last.data() + row.row * stride);
    }
    now_.clear();
    positions_.clear();
    return count;
  }

  // The tokens of a prompt share each load of a key; a single token finds the keys of its row
  // where its ancestors left them.
  void attend(size_t layer, const float* projected, float* y) {
    const MultiHeadAttention& attention = layers_[layer].self_attention;
    const RelativeBias& bias = stack_.relative_bias();
    const size_t stride = attention.input().stride(), y_stride = stride_of(attention.width());
    const size_t offset = layer * layer_stride(), keys = attention.width();
    const int before = model_.decoder.sight(layer).before;
    for (Reading& row : now_) {
      const int count = static_cast<int>(row.past->size()), first = count - row.count;
      float* const* places = row.past->data();
      for (int i = 0; i < row.count; i++)  // their places, which no other row has yet
        std::copy_n(projected + i * stride + keys, width(), places[first + i] + offset);
      while (static_cast<int>(all_positions_.size()) < count)
        all_positions_.push_back(static_cast<int32_t>(all_positions_.size()));
      int start = is_listened_to() ? 0 : std::max(0, first - before);
      if (row.is_prompt || is_listened_to()) {
        start = start / LONG_BLOCK * LONG_BLOCK;
        attention.remember(
            work, [&](int i) { return places[start + i] + offset; }, count - start, keys_);
        attention.attend(work, projected, stride, row.count, keys_, {first - start, before, 0},
                         bias, &all_positions_[start], &all_positions_[first], y, y_stride);
      } else {
        attention.attend_past(work, projected, places + start, offset, count - start, bias,
                              &all_positions_[start], &all_positions_[first], y);
      }
      projected += row.count * stride;
      y += row.count * y_stride;
    }
  }

  void attend_memory(size_t layer, const float* projected, float* y) {
    const MultiHeadAttention& attention = layers_[layer].cross_attention;
    const size_t stride = attention.input().stride(), y_stride = stride_of(attention.width());
    for (size_t r = 0; r < now_.size();) {  // the rows of a text share its memory
      Text& text = *now_[r].text;
      int count = 0;
      do count += now_[r++].count;
      while (r < now_.size() && now_[r].text == &text && !is_listened_to());
      attention.attend(work, projected, stride, count, text.memory[layer], {}, {}, nullptr, nullptr,
                       y, y_stride);
      projected += count * stride;
      y += count * y_stride;
    }
  }

  const Model& model_;
  const Stack& stack_;
  const std::vector<TransformerLayer>& layers_;
  std::vector<std::unique_ptr<Text>> texts_;
  std::vector<Buffer<float>> chunks_;
  std::vector<float*> free_;
  int64_t steps_ = 0;
  std::vector<Reading> now_;
  std::vector<int32_t> positions_, all_positions_;
  TextMemory keys_;  // of a row whose prompt is read
};

}  // namespace regard
