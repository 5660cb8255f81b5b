// Calls the engine with everything that a caller may get wrong; to be run under the sanitizers.
//   hostile              each mistake, and some thousand calls at random
//   hostile SEED COUNT   so many calls at random
//   hostile memory       an engine that finds no memory, at one place after another
//   hostile threads      many threads on one model
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "interface.cpp"
#include "kernels/kernels.cpp"
#include "kernels/kernels_at.cpp"

namespace {

// Allocations until there is no memory, or for once none; -1: there is always some.
std::atomic<int64_t> allocations{0}, limit{-1};
bool once = false;

void* granted(size_t size, size_t alignment) {
  if (limit >= 0) {
    const int64_t number = allocations++;
    if (once ? number == limit : number >= limit) throw std::bad_alloc();
  }
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return granted(size, 16); }
void* operator new(size_t size, std::align_val_t to) { return granted(size, size_t(to)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return granted(size, 16);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

int64_t calls = 0;  // at random
thread_local uint64_t state = 7;
int32_t any(int32_t count) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<int32_t>((state >> 33) % count);
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s: %s\n", what, regard_error());
  std::exit(1);
}

// Runs a search to its end, or gives it up, by slices; `read` gets what it finds.
template <class Read>
int32_t search(const regard_model* model, const int32_t* ids, int64_t texts, int64_t length,
               const regard_generation& settings, int32_t threads, int32_t rows, Read read,
               int gives_up = 0) {
  regard_search* opened = nullptr;
  int32_t status =
      regard_search_open(model, ids, texts, length, &settings, threads, rows, &opened);
  expect((status == REGARD_DONE) == (opened != nullptr), "a status without its search");
  if (opened == nullptr) return status;
  int64_t done = 0;
  bool ends = false;
  while (status == REGARD_DONE && done < texts && !ends) {
    status = regard_search_run(opened, any(2) ? 0 : 0.001, &done);
    ends = gives_up > 0 && any(gives_up) == 0;
  }
  regard_hypotheses found;
  if (status == REGARD_DONE && !ends) status = regard_search_read(opened, &found);
  if (status == REGARD_DONE && !ends) read(found);
  if (ends && done < texts && threads < 2) {  // what is there so far; of others it may have ended
    status = regard_search_read(opened, &found);
    if (status == REGARD_DONE) read(found);
  }
  regard_search_close(opened);
  return status;
}

// Exactly as long as it is said to be, so that a byte more is a report of the sanitizer.
struct Tensors {
  std::vector<std::string> names;
  std::vector<std::vector<float>> data;
  std::vector<regard_tensor> all;

  void add(const std::string& name, int64_t rows, int64_t columns) {
    names.push_back(name);
    data.emplace_back(rows * columns);
    for (float& x : data.back()) x = (any(2001) - 1000) / 1000.0f;
    all.push_back({nullptr, nullptr, rows, columns, 0, 0});
  }
  void linear(const std::string& name, int64_t rows, int64_t columns) {
    add(name + ".weight", rows, columns);
    add(name + ".bias", 1, rows);
  }
  void seal() {
    for (size_t i = 0; i < all.size(); i++) {
      all[i].name = names[i].c_str();
      all[i].data = data[i].data();
    }
  }
};

constexpr int POOLED = 5;  // patches of a model that pools them by attention

Tensors tensors_of(const regard_config& c) {
  Tensors t;
  const bool alone = c.kind == REGARD_DECODER;
  for (std::string side : {"encoder", "decoder"}) {
    bool decodes = side == "decoder";
    if (decodes ? c.kind == REGARD_ENCODER : alone) continue;
    const int heads = decodes ? c.decoder_heads : c.encoder_heads, head = c.decoder_head_dim;
    const int width = heads * head, key_width = decodes ? c.decoder_key_heads * head : width;
    std::string embed = c.kind == REGARD_ENCODER ? "embed" : side + ".embed";
    if (c.image_length > 0) {
      t.linear("embed.patches", c.d_model, c.patch_width);
      t.add("embed.positions", c.image_length, c.d_model);
      if (c.image_length == POOLED) {
        for (std::string name : {"embed.norm.weight", "embed.norm.bias"}) t.add(name, 1, c.d_model);
        for (std::string name : {"query", "key", "value"})
          t.linear("head.pool.cross_attention." + name, width, c.d_model);
        t.linear("head.pool.cross_attention.output", c.d_model, width);
        for (std::string name : {"inner", "gate"})
          t.linear("head.pool.feed_forward." + name, c.d_ff, c.d_model);
        t.linear("head.pool.feed_forward.outer", c.d_model, c.d_ff);
        for (std::string name : {"norm.weight", "norm.bias", "probe"})
          t.add("head.pool." + name, 1, c.d_model);
      } else {
        t.add("embed.class_token", 1, c.d_model);
      }
    } else if (c.sound_length > 0 && !decodes) {
      t.linear("embed.every", c.d_model, 3 * c.mel_bins);
      t.linear("embed.second", c.d_model, 3 * c.d_model);
      t.add("embed.positions.weight", c.sound_length, c.d_model);
    } else {
      t.add(embed + ".tokens.weight", c.vocab_size, c.d_model);
      if (!alone) t.add(embed + ".positions.weight", c.max_positions, c.d_model);
    }
    if (c.token_types > 0) t.linear(embed + ".projection", c.d_model, c.d_model);
    if (c.token_types > 0) t.add(embed + ".token_types.weight", c.token_types, c.d_model);
    if (alone) {
      t.add(side + ".rotary.frequencies", 2, head / 2);
      t.add(side + ".rotary.layers", 1, c.decoder_layers);
      t.add(side + ".windows", 1, c.decoder_layers);
      t.data[t.data.size() - 2] = {2, 1};
      t.data.back() = {3, 0};
    }
    if (c.relative_reach >= 0) t.add(side + ".relative_bias.table", 2 * c.relative_reach + 1, heads);
    const bool has_distances = c.kind == REGARD_ENCODER && c.image_length == 0;
    if (has_distances) {
      t.add(side + ".distances.rows", 1, 5);
      t.data.back() = {0, 0, 1, 2, 3};
    }
    for (int i = 0; i < (decodes ? c.decoder_layers : c.encoder_layers); i++) {
      std::string layer = side + ".layers." + std::to_string(i);
      for (std::string kind : {".self_attention", ".cross_attention"}) {
        if (kind == ".cross_attention" && (alone || !decodes)) continue;
        for (std::string part : {".query", ".key", ".value"})
          t.linear(layer + kind + part, part == ".query" ? width : key_width, c.d_model);
        t.linear(layer + kind + ".output", c.d_model, width);
        if (has_distances) t.add(layer + kind + ".distances.query", 4, width);
        if (has_distances) t.add(layer + kind + ".distances.key", 4, width);
        t.add(layer + kind + "_norm.weight", 1, c.d_model);
        if (!alone) continue;
        t.add(layer + kind + "_output_norm.weight", 1, c.d_model);
        t.add(layer + kind + ".query_norm.weight", 1, head);
        t.add(layer + kind + ".sinks", 1, heads);
        t.add(layer + kind + ".key_norm.weight", 1, key_width);
      }
      std::vector<std::string> networks{layer + ".feed_forward"};
      const bool routed = alone && i > 0;
      if (routed) {
        t.linear(networks[0] + ".router", c.experts, c.d_model);
        for (int e = 0; e < c.experts; e++)
          networks.push_back(networks[0] + ".experts." + std::to_string(e));
      }
      const int wide = routed ? c.expert_d_ff : c.d_ff;
      for (size_t n = routed; n < networks.size(); n++) {
        t.linear(networks[n] + ".gate", wide, c.d_model);
        t.linear(networks[n] + ".inner", wide, c.d_model);
        t.linear(networks[n] + ".outer", c.d_model, wide);
      }
      t.add(layer + ".feed_forward_norm.weight", 1, c.d_model);
    }
    t.add(side + ".norm.weight", 1, c.d_model);
  }
  if (c.head_outputs > 0) {
    t.linear("head.pooler.dense", c.d_model, c.d_model);
    t.add("head.norm.weight", 1, c.d_model);
    t.linear("head.output", c.head_outputs, c.d_model);
  }
  t.seal();
  return t;
}

regard_generation settings_of(const int32_t* ids) {
  regard_generation g{};
  g.max_new_tokens = 1 + any(9);
  g.cut_repetition = any(2);
  g.num_beams = 1 + any(5);
  g.alternatives = 1 + any(g.num_beams);
  g.min_new_tokens = any(3);
  g.early_stopping = any(3);
  g.no_repeat_ngram_size = any(3);
  g.renormalize_logits = any(2);
  g.forced_bos_token_id = any(20) - 9;  // also outside of the vocabulary
  g.forced_eos_token_id = any(20) - 9;
  g.length_penalty = any(5) - 2;
  g.repetition_penalty = 1 + any(2);
  g.eos_ids = g.forced_beginning = g.bad_words = g.bad_word_lengths = ids;
  g.eos_count = any(3);
  g.beginning_count = any(3);
  g.bad_word_count = any(3);
  g.do_sample = g.num_beams == 1 && any(2);
  g.top_k = any(14) - 2;
  g.temperature = any(4) - 1;  // also none
  g.top_p = any(5) / 4.0;
  g.seed = any(5) ? any(1000) : INT64_MAX - any(2);
  return g;
}

void open_wrong(const regard_config& config, const Tensors& tensors) {
  int count = static_cast<int>(tensors.all.size());
  expect(!regard_open(nullptr, tensors.all.data(), count, nullptr), "no config");
  expect(!regard_open(&config, nullptr, count, nullptr), "no tensors");
  expect(!regard_open(&config, tensors.all.data(), 3, nullptr), "too few tensors");
  for (size_t i = 0; i < tensors.all.size(); i++)
    for (int change = 0; change < 4; change++) {
      std::vector<regard_tensor> wrong = tensors.all;
      if (change == 0) wrong[i].rows++;
      if (change == 1) wrong[i].columns = -1;
      if (change == 2) wrong[i].data = nullptr;
      if (change == 3) wrong[i].rows = INT64_MAX;
      regard_model* model = regard_open(&config, wrong.data(), count, nullptr);
      expect(model == nullptr, tensors.names[i].c_str());
      regard_close(model);
    }
  for (size_t field = 0; field < offsetof(regard_config, norm_eps) / 4; field++)
    for (int32_t value : {-1, 0, 5, 1 << 20, INT32_MAX, INT32_MIN}) {
      regard_config wrong = config;
      reinterpret_cast<int32_t*>(&wrong)[field] = value;
      regard_close(regard_open(&wrong, tensors.all.data(), count, nullptr));
    }
}

// A config and tensors of which some are changed at random; what opens is run.
void open_random(const regard_config& config, const Tensors& tensors) {
  for (int round = 0; round < 100; round++) {
    calls++;
    regard_config wrong = config;
    Tensors others = tensors;
    others.seal();
    for (int changes = 1 + any(3); changes > 0; changes--) {
      const size_t one = any(others.all.size()), other = any(others.all.size());
      float& number = others.data[one][any(others.data[one].size())];
      const uint32_t bits = any(1 << 30) * 4u + any(4);
      switch (any(5)) {
        case 0:
          reinterpret_cast<int32_t*>(&wrong)[any(sizeof wrong / 4)] = any(40) - 5;
          break;
        case 1:
          std::swap(others.all[one].name, others.all[other].name);
          break;
        case 2:
          std::swap(others.all[one].rows, others.all[one].columns);
          break;
        case 3:
          std::memcpy(&number, &bits, sizeof number);
          break;
        case 4:
          others.all[one].numbers = any(4);
          others.all[one].group = 16 * any(3);
      }
    }
    regard_model* model = regard_open(&wrong, others.all.data(), others.all.size(), nullptr);
    if (model == nullptr) continue;
    int32_t ids[12], lists[] = {1, 1, any(11), 2, 3, 4, 5, 6, 7, 8, 9, 10};
    for (int32_t& id : ids) id = any(11);
    regard_generation settings = settings_of(lists);
    search(model, ids, 2, 4, settings, 1, 4, [](const regard_hypotheses&) {});
    regard_close(model);
  }
}

// Reads all that it is shown.
double read(const regard_attention* what) {
  double sum = 0;
  auto rows = [&](const float* x, int count, int64_t stride, int heads) {
    for (int r = 0; r < count; r++)
      for (int h = 0; h < heads; h++)
        for (int i = 0; i < what->head_dim; i++) sum += x[r * stride + h * what->head_width + i];
  };
  if (what->query != nullptr) {
    rows(what->query, what->queries, what->query_stride, what->heads);
    rows(what->value, what->keys, what->value_stride, what->key_heads);
    for (int h = 0; h < what->key_heads; h++)
      for (int i = 0; i < what->head_dim; i++)
        for (int k = 0; k < what->keys; k++)
          sum += what->key[(h * what->head_width + i) * what->key_stride + k * what->key_step];
    if (what->sinks != nullptr)
      for (int h = 0; h < what->heads; h++) sum += what->sinks[h];
    if (what->bias != nullptr)
      for (int i = 0; i < what->heads * (2 * what->reach + 1); i++) sum += what->bias[i];
    if (what->lse != nullptr)
      for (int i = 0; i < what->heads * what->queries; i++) sum += what->lse[i];
  }
  return sum;
}

// Reads what is heard, writes what it may, and now and then ends the run.
int32_t listen(const regard_attention* what) {
  const double sum = read(what);
  for (int q = 0; q < what->queries; q++)
    for (int h = 0; h < std::max(1, what->heads); h++)
      for (int i = 0; i < what->head_dim; i++)
        what->output[q * what->output_stride + h * what->head_width + i] = sum != sum ? 0 : 0.5f;
  return any(60) == 0;
}

// Listens to this thread, keeps what it reads, or neither, for as long as it lives. Blocks are soon
// full, and now and then there is no other.
class Looking {
 public:
  Looking() {
    regard_listen(any(3) ? nullptr : listen);
    if (any(2)) return;
    room_.more = [](regard_room* room, int64_t bytes) {
      auto* all = reinterpret_cast<Looking*>(room);
      if (bytes > 0) all->ends_.push_back(room->place), all->add(bytes + any(4000));
      return static_cast<int32_t>(any(60) == 0);
    };
    add(any(4000));
    *regard_keep() = &room_;
  }
  ~Looking() {
    *regard_keep() = nullptr;
    regard_listen(nullptr);
    ends_.push_back(room_.place);
    for (size_t i = 0; i < blocks_.size(); i++)
      for (auto* at = reinterpret_cast<regard_attention*>(blocks_[i].data()); at < ends_[i]; at++)
        read(at);
  }

 private:
  void add(int64_t bytes) {
    blocks_.emplace_back(bytes / 8 + 1);
    room_.place = blocks_.back().data();
    room_.left = 8 * blocks_.back().size();
  }

  regard_room room_{};  // the first, so that its address is this one's
  std::vector<std::vector<int64_t>> blocks_;
  std::vector<void*> ends_;
};

void decode_wrong(const regard_model* model) {
  regard_decode* decode = regard_begin(model, 1 + any(3));
  for (int round = 0; round < 1000; round++) {
    const Looking looking;
    calls++;
    int32_t ids[8], numbers[8], tokens[8], places[8 * 4], best = any(5) - 1;
    float logits[8 * 11], values[8 * 4];
    for (int i = 0; i < 8; i++) {
      ids[i] = any(40) ? any(11) : any(40) - 20;
      numbers[i] = any(6) - 1;
      tokens[i] = any(20) ? any(11) : any(40) - 20;
    }
    int32_t lengths[8];
    for (int32_t& length : lengths) length = any(20) ? 1 : any(4);
    switch (any(4)) {
      case 0:
        regard_add(decode, ids, 1 + any(2), any(2) ? any(5) : 0, numbers);
        break;
      case 1:
        regard_select(decode, numbers[0], numbers + 1, any(4));
        break;
      case 2:
        if (any(3) == 0) regard_remove(decode, numbers[0]);
        break;
      case 3:
        regard_step(decode, numbers, any(4), tokens, any(2) ? lengths : nullptr, any(3), any(2) ? logits : nullptr, best,
                    any(2) ? values : nullptr, places);
    }
  }
  regard_end(decode);
}

void generate_wrong(const regard_model* model) {
  for (int round = 0; round < 150; round++) {
    calls++;
    int32_t ids[12];
    for (int32_t& id : ids) id = any(50) ? any(11) : any(40) - 20;
    int32_t lists[] = {1 + any(2), 1, any(11), 2, 3, 4, 5, 6, 7, 8, 9, 10};
    regard_generation settings = settings_of(lists);
    settings.start_id = any(9) ? 0 : any(40) - 20;
    search(model, ids, any(4), any(4), settings, any(4), any(4),
           [](const regard_hypotheses& found) {
             int64_t tokens = 0;
             for (int64_t i = 0; i < found.hypotheses; i++) tokens += found.lengths[i];
             expect(tokens == found.tokens, "lengths of other tokens");
           }, 9);
  }
  regard_generation settings{};
  regard_search* none = nullptr;
  int32_t id = 1;
  expect(regard_search_open(model, &id, 1, 1, &settings, 1, 1, &none), "no settings");
  settings.max_new_tokens = settings.num_beams = settings.alternatives = 1;
  expect(regard_search_open(model, &id, -1, 1, &settings, 1, 1, &none), "-1 texts");
  expect(regard_search_open(model, &id, INT64_MAX, INT64_MAX, &settings, 1, 1, &none),
         "more ids than there can be");
  expect(regard_search_open(nullptr, &id, 1, 1, &settings, 1, 1, &none), "no model");
  expect(none == nullptr, "a search that was refused");
}

void pairs_wrong(const regard_model* model, const regard_config& config) {
  for (int round = 0; round < 150; round++) {
    calls++;
    const int length = any(12), target_length = any(12);
    std::vector<int32_t> source(length), target(target_length);
    for (int32_t& id : source) id = any(50) ? any(11) : any(40) - 20;
    for (int32_t& id : target) id = any(50) ? any(11) : any(40) - 20;
    std::vector<float> states(target_length * config.d_model);
    const Looking looking;
    regard_read_pair(model, source.data(), length, target.data(), target_length, any(4),
                     states.data());
    std::vector<float> of_source(length), of_target(target_length);
    regard_gradient(model, source.data(), config.kind == REGARD_DECODER ? 0 : length,
                    target.data(), target_length, any(9) ? target_length - 1 : any(40) - 20,
                    any(12), of_source.data(), of_target.data());
  }
  int32_t id = 1;
  float x = 0;
  expect(regard_read_pair(model, &id, -1, &id, 1, 1, &x), "-1 tokens of a source");
  expect(regard_read_pair(model, &id, 1, &id, INT64_MAX, 1, &x), "more tokens than there can be");
  expect(regard_read_pair(nullptr, &id, 1, &id, 1, 1, &x), "no model");
}

void jobs_wrong(const regard_model* model) {
  expect(!regard_jobs_open(model, 0, 4, 0, 0, 16), "no threads");
  expect(!regard_jobs_open(model, 1, 4, 4, 0, 16), "no rows for long texts");
  expect(!regard_jobs_open(nullptr, 1, 4, 0, 0, 16), "no model");
  regard_jobs* jobs = regard_jobs_open(model, 1 + any(3), 6, 2, 3, 16);
  int64_t number = 0, last = 0;
  regard_event events[4];
  int32_t count = 0;
  for (int round = 0; round < 600; round++) {
    calls++;
    int32_t ids[24], lists[] = {1 + any(2), 1, any(11), 2, 3, 4, 5, 6, 7, 8, 9, 10};
    for (int32_t& id : ids) id = any(50) ? any(11) : any(40) - 20;
    regard_generation settings = settings_of(lists);
    regard_job job{ids, any(8), any(3) ? &settings : nullptr, any(9) ? 0 : any(40) - 20,
                   any(7), any(6) - 1, any(2), any(4), any(5) ? 1e9 : any(3) * 0.001};
    switch (any(4)) {
      case 0:
        if (regard_jobs_add(jobs, &job, &number) == REGARD_DONE) last = number;
        break;
      case 1:
        if (any(3) == 0) regard_jobs_cancel(jobs, last - any(9));
        break;
      case 2:
        regard_jobs_answer(jobs, last - any(4), ids, any(4), ids + 4, any(4), any(5) - 1);
        break;
      case 3:
        expect(!regard_jobs_poll(jobs, 0.001, events, 4, &count) && count >= 0, "a poll");
        for (int32_t i = 0; i < count; i++)
          if (events[i].kind == REGARD_ASKED) {
            int32_t rows = any(9) ? events[i].rows : 1 + any(4);
            std::fill_n(ids, 24, any(11));
            regard_jobs_answer(jobs, events[i].job, nullptr, 0, ids, rows, any(5) - 1);
          } else if (events[i].kind == REGARD_ENDED) {
            expect(events[i].found.texts == 1, "hypotheses of one text");
          }
    }
  }
  regard_jobs_finish(jobs);
  regard_jobs_poll(jobs, 0.01, events, 4, &count);
  regard_jobs_close(jobs);
}

void listen_wrong(const regard_model* model, const regard_config& config) {
  const int frames = 2 * config.sound_length * config.mel_bins;
  std::vector<float> sounds(3 * frames), states(11 * config.d_model), logits(3 * 11);
  regard_decode* decode = regard_begin(model, 2);
  for (int round = 0; round < 500; round++) {
    calls++;
    int32_t numbers[3] = {any(5) - 1, any(5), any(5)}, tokens[9];
    for (int32_t& token : tokens) token = any(40) ? any(11) : any(40) - 20;
    for (float& x : sounds) x = any(50) - 25;
    const Looking looking;
    if (any(2))
      regard_read_sound(model, sounds.data(), tokens, any(12) - 1, any(4), states.data());
    else if (any(3) == 0)
      regard_add_sounds(decode, sounds.data(), any(4), numbers);
    else if (any(4) == 0)
      regard_remove(decode, numbers[0]);
    else
      regard_step(decode, numbers, 1 + any(2), tokens, nullptr, 1 + any(2), logits.data(), 0,
                  nullptr, nullptr);
  }
  int32_t id = 1;
  float x = 0;
  expect(regard_add(decode, &id, 1, 1, &id), "a text for a model of sounds");
  expect(regard_add_sounds(decode, &x, -1, &id), "-1 sounds");
  expect(regard_add_sounds(decode, &x, INT64_MAX, &id), "more sounds than there can be");
  expect(regard_read_pair(model, &id, 1, &id, 1, 1, &x), "a source that is no sound");
  expect(regard_read_sound(model, &x, &id, 0, 1, &x), "no token of a text");
  regard_end(decode);
}

void read_wrong(const regard_model* model, const regard_config& config) {
  const bool images = config.image_length > 0;
  for (int round = 0; round < 600; round++) {
    calls++;
    int32_t lengths[4], tokens = 0, texts = any(5);
    for (int i = 0; i < texts; i++) tokens += lengths[i] = any(30) ? any(6) : any(40) - 20;
    tokens = std::max(0, tokens + (any(20) ? 0 : any(5) - 2));
    std::vector<int32_t> ids(tokens), positions(tokens), types(tokens);
    for (int i = 0; i < tokens; i++) {
      ids[i] = any(200) ? any(11) : any(40) - 20;
      positions[i] = any(200) ? any(9) : any(40) - 20;
      types[i] = any(200) ? any(2) : any(40) - 20;
    }
    int rows = images ? texts * config.image_length : tokens;
    std::vector<float> states(rows * config.d_model), outputs(rows * config.d_model);
    std::vector<float> patches(texts * config.image_length * config.patch_width);
    const Looking looking;
    if (any(9) == 0 || !images)
      regard_read_texts(model, ids.data(), positions.data(), any(2) ? types.data() : nullptr,
                        tokens, lengths, texts, any(4), states.data());
    if (any(9) == 0 || images)
      regard_read_images(model, patches.data(), texts, any(4), states.data());
    regard_head(model, states.data(), rows, any(4), outputs.data());
    if (images)
      regard_pool(model, states.data(), texts, any(9) ? config.image_length : any(3) - 1, any(4),
                  outputs.data());
  }
  float x = 0;
  int32_t id = 1;
  expect(regard_read_texts(model, &id, &id, nullptr, -1, &id, -1, 1, &x), "-1 texts");
  expect(regard_read_images(model, &x, -1, 1, &x), "-1 images");
  expect(regard_read_images(model, &x, INT64_MAX, 1, &x), "more images than there can be");
  expect(regard_head(model, &x, INT64_MAX, 1, &x), "more rows than there can be");
  expect(regard_head(nullptr, &x, 1, 1, &x), "no model");
  expect(regard_pool(model, &x, INT64_MAX, 2, 1, &x), "more images to pool than there can be");
  expect(regard_pool(model, &x, 1, 0, 1, &x), "an image of nothing");
  expect(regard_begin(model, 1 + any(3)) == nullptr, "a model that does not write");
}

// Calls a function that finds no memory at each `step`-th place in turn, until it has enough.
template <class Function>
void without_memory(int64_t step, Function function) {
  for (bool only_once : {false, true})
    for (int64_t most = 0;; most += step) {
      once = only_once;
      allocations = 0;
      limit = most;
      const bool done = function();
      limit = -1;
      if (allocations <= most) {
        expect(done, "a call that has memory");
        break;
      }
    }
}

void memory_wrong(const regard_config& config, const Tensors& tensors) {
  const int count = static_cast<int>(tensors.all.size());
  without_memory(1, [&] {
    regard_model* model = regard_open(&config, tensors.all.data(), count, nullptr);
    regard_close(model);
    return model != nullptr;
  });
  int32_t ids[] = {3, 4, 5, 6, 7, 8}, lengths[] = {3, 3}, lists[] = {1, 1, 2, 2, 3};
  std::vector<float> states(1000);
  const std::vector<float> sound(2 * config.sound_length * config.mel_bins, 0.5f);
  auto with_model = [&](auto function) {
    const int64_t most = limit;
    limit = -1;
    regard_model* model = regard_open(&config, tensors.all.data(), count, nullptr);
    allocations = 0;
    limit = most;
    const int32_t status = function(model);
    const int64_t wanted = allocations;
    limit = -1;
    regard_close(model);
    allocations = wanted;
    expect(status == REGARD_DONE || status == REGARD_MEMORY, "another error than memory");
    return status == REGARD_DONE;
  };
  for (int threads : {1, 2})
    without_memory(threads == 1 ? 2 : 25, [&] {
      return with_model([&](regard_model* model) {
        if (config.image_length > 0)
          return regard_read_images(model, states.data(), 2, threads, states.data());
        if (config.sound_length > 0)
          return regard_read_sound(model, sound.data(), ids, 3, threads, states.data());
        if (config.head_outputs > 0)
          return regard_read_texts(model, ids, ids, nullptr, 6, lengths, 2, threads,
                                   states.data());
        regard_generation settings = settings_of(lists);
        settings.max_new_tokens = 3;
        const int32_t status =
            search(model, ids, 2, 3, settings, threads, 4, [](const regard_hypotheses&) {});
        return status == REGARD_MISTAKE ? REGARD_DONE : status;  // of settings
      });
    });
}

// What a model computes by so many threads: scores and logits, or states.
std::vector<float> computed(const regard_model* model, const regard_config& config, int threads) {
  int32_t ids[] = {3, 4, 5, 6, 7, 8}, end = 1, lengths[] = {5, 1};
  std::vector<float> numbers(std::max(8, 2 * config.image_length) * config.d_model);
  if (config.image_length > 0) {
    std::vector<float> patches(2 * config.image_length * config.patch_width, 0.5f);
    regard_read_images(model, patches.data(), 2, threads, numbers.data());
    return numbers;
  }
  if (config.sound_length > 0) {
    std::vector<float> sound(2 * config.sound_length * config.mel_bins, 0.5f);
    regard_read_sound(model, sound.data(), ids, 6, threads, numbers.data());
    return numbers;
  }
  if (config.head_outputs > 0) {
    regard_read_texts(model, ids, ids, nullptr, 6, lengths, 2, threads, numbers.data());
    return numbers;
  }
  regard_generation settings{};
  settings.max_new_tokens = 6;
  settings.num_beams = settings.alternatives = 2;
  settings.forced_bos_token_id = settings.forced_eos_token_id = -1;
  settings.repetition_penalty = settings.length_penalty = 1;
  settings.eos_ids = &end;
  settings.eos_count = 1;
  const int32_t status =
      search(model, ids, 3, 2, settings, threads, 2, [&](const regard_hypotheses& found) {
        std::copy_n(found.scores, found.hypotheses, numbers.data());
      });
  expect(status == REGARD_DONE, "texts");
  regard_decode* decode = regard_begin(model, threads);
  int32_t text, source = config.kind == REGARD_DECODER ? 0 : 3;
  expect(!regard_add(decode, ids, 1, source, &text), "a source");
  for (int step = 0; step < 3; step++)  // a prompt and two tokens
    expect(!regard_step(decode, &text, 1, ids, step ? nullptr : lengths, 1, &numbers[11 * step + 11],
                        0, nullptr, nullptr),
           "a step");
  regard_end(decode);
  return numbers;
}

// One thread alone, and many that each have a team.
void threads_wrong(const regard_model* model, const regard_config& config) {
  const std::vector<float> expected = computed(model, config, 1);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 6; i++)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 6; round++)
        wrong += computed(model, config, 1 + (i + round) % 4) != expected;
    });
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, "threads on one model");
  if (config.head_outputs == 0) jobs_wrong(model);
}

// Rows of numbers, some of them infinite or none: each place is one of the row's, or none, and what is
// drawn is from 0 to 1.
void numbers_wrong() {
  for (int round = 0; round < 200; round++) {
    calls++;
    const int rows = any(4), count = any(30), best = any(9) - 1;
    std::vector<float> logits(rows * count), log_probs(rows * count);
    for (float& x : logits) x = any(20) ? any(40) / 4.0f : any(2) ? -INFINITY : any(2) ? INFINITY : NAN;
    std::vector<int32_t> places(rows * std::max(best, 0));
    regard_log_softmax(logits.data(), any(9) ? rows : -1, count, any(3) ? log_probs.data() : nullptr,
                       best, any(3) ? places.data() : nullptr);
    for (int32_t place : places) expect(place >= -1 && place < std::max(count, 1), "a place");
    std::vector<double> scores(logits.begin(), logits.end()), sums(rows);
    regard_softmax(scores.data(), rows, count, sums.data());
    const double temperature = any(4) - 1, top_p = any(5) / 4.0;
    regard_narrow(logits.data(), any(2) ? rows * count : 0, temperature, any(40) - 2, top_p);
    std::vector<double> drawn(any(9));
    regard_draws(any(2) ? any(99) : INT64_MIN, any(9), drawn.size(), drawn.data());
    for (double number : drawn) expect(number >= 0 && number < 1, "a number to draw by");
  }
  expect(regard_softmax(nullptr, 1, 1, nullptr), "no scores");
  expect(regard_narrow(nullptr, 1, 1, 1, 1), "no logits");
  expect(regard_draws(0, 0, 1, nullptr), "no place for numbers");
}

// Several threads of a team share at once: each part is computed once, some by who helps.
void team_wrong() {
  std::atomic<int> sharing{3}, wrong{0}, helped{0};
  const std::shared_ptr<Team> team = team_of(2);
  auto shares = [&] {
    for (int round = 0; round < 2000; round++) {
      std::vector<int> seen(1 + round % 50);
      const std::thread::id here = std::this_thread::get_id();
      auto see = [&](int64_t first, int64_t end) {
        helped += std::this_thread::get_id() != here;
        for (; first < end; first++) seen[first]++;
      };
      const int64_t count = static_cast<int64_t>(seen.size());
      Team::share(team.get(), count, count / (1 + round % 3), &see,
                  [](const void* what, int64_t first, int64_t end) {
                    (*static_cast<const decltype(see)*>(what))(first, end);
                  });
      wrong += std::count(seen.begin(), seen.end(), 1) != static_cast<int>(seen.size());
    }
    if (--sharing == 0) team->wake();
    team->help([&] { return sharing == 0; });
  };
  in_threads(sharing, [&] { shares(); });
  expect(wrong == 0 && helped > 0, "a team");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string kind = count > 1 ? arguments[1] : "all";
  const int64_t most = count > 2 ? std::atoll(arguments[2]) : 0;
  if (most > 0) state = std::atoll(arguments[1]);
  regard_config config{REGARD_ENCODER_DECODER, 11, 11, 12, 20, 2, 2, 3, 3, 5, 5, 3, 2, 1, 1, 0, 1,
                       9, 0, 4, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1e-5f, 1,
                       0, 0, 0};
  regard_config alone = config;
  alone.kind = REGARD_DECODER;
  alone.decoder_heads = 4;
  alone.decoder_key_heads = 2;
  alone.decoder_head_dim = 6;
  alone.has_positions = 0;
  alone.relative_reach = alone.pad_id = -1;
  alone.score_cap = 2;
  alone.output_cap = 3;
  alone.gate_limit = 0.5f;
  alone.experts = 3;
  alone.experts_per_token = 2;
  alone.expert_d_ff = 17;
  regard_config plain = config;  // whose gradients are known
  plain.relative_reach = -1;
  regard_config pair_reads = config, alone_reads = alone;
  for (regard_config* reads : {&pair_reads, &alone_reads}) {  // for a head
    reads->head_outputs = 3;
    reads->head_activation = 5;
  }
  regard_config encoder = pair_reads;
  encoder.kind = REGARD_ENCODER;
  encoder.token_types = 2;
  regard_config images = encoder;
  images.token_types = 0;
  images.image_length = 4;
  images.patch_width = 10;
  regard_config pooled = images;
  pooled.image_length = POOLED;
  regard_config sounds = config;
  sounds.sound_length = 3;
  sounds.mel_bins = 5;
  do {
    numbers_wrong();
    for (regard_config each :
         {config, alone, plain, pair_reads, alone_reads, encoder, images, pooled, sounds}) {
      Tensors tensors = tensors_of(each);
      if (kind == "all") open_wrong(each, tensors);
      if (kind == "memory") memory_wrong(each, tensors);
      if (kind != "memory" && kind != "threads") open_random(each, tensors);
      for (int32_t precision : {0, 1, 2, 3}) {
        each.precision = precision;
        regard_model* model = regard_open(&each, tensors.all.data(), tensors.all.size(), nullptr);
        expect(model != nullptr, "the model itself");
        if (kind == "memory") {
        } else if (kind == "threads") {
          threads_wrong(model, each);
        } else if (each.head_outputs > 0) {
          read_wrong(model, each);
        } else if (each.sound_length > 0) {
          listen_wrong(model, each);
        } else {
          decode_wrong(model);
          pairs_wrong(model, each);
          generate_wrong(model);
          jobs_wrong(model);
        }
        regard_close(model);
      }
    }
  } while (calls < most);
  if (kind == "threads") team_wrong();
  std::puts("all refused");
}
