// The C interface: checks what comes, and turns what is thrown into a status and a sentence.
#include "interface.h"

#include "generation/loop.h"
#include "models/reader.h"

using namespace regard;

#ifdef _LIBCPP_VERSION
// The library of C++ names an exception that is not caught, by 110 kB of code. None leaves here.
extern "C" char* __cxa_demangle(const char*, char*, size_t*, int*) { return nullptr; }
#endif

struct regard_model {
  regard_model(const regard_config& config, const Weights& weights, const Kernels& kernels)
      : model(config, weights, kernels), idle(model), reader(model) {}

  Model model;
  mutable Idle<Decode, Model> idle;
  Reader reader;
};

struct regard_decode {
  Decode decode;
};

struct regard_results {
  int64_t texts;
  std::vector<int32_t> counts, lengths, finished, ids;
  std::vector<float> scores, log_probs;
};

namespace {

thread_local std::string last_error;

int32_t failed(int32_t status, const char* reason) {
  try {
    last_error = reason;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return status;
}

template <class Function>
int32_t guarded(Function function) {
  try {
    function();
    return REGARD_DONE;
  } catch (const TooLong& error) {
    return failed(REGARD_TOO_LONG, error.what());
  } catch (const std::bad_alloc&) {
    return failed(REGARD_MEMORY, "there is not enough memory");
  } catch (const Stopped&) {
    return failed(REGARD_STOPPED, "stopped");
  } catch (const std::exception& error) {
    return failed(REGARD_MISTAKE, error.what());
  } catch (...) {
    return failed(REGARD_MISTAKE, "an unknown error");
  }
}

template <class... Pointers>
void check(const Pointers*... pointers) {
  if (((pointers == nullptr) || ...)) throw Mistake("an argument is null");
}

void check_writes(const Model& model) {
  if (!model.writes()) throw Mistake("this model reads, and does not write");
}

// Rectangles of ids, whose number of bytes is a size.
void check_shape(int64_t texts, int64_t length) {
  if (texts < 0 || length < 0 || (length > 0 && texts > INT32_MAX / length))
    throw Mistake("ids must be at most 2^31; got " + std::to_string(texts) + " times " +
                  std::to_string(length));
}

}  // namespace

extern "C" {

int32_t regard_interface(void) { return REGARD_INTERFACE; }
const char* regard_error(void) { return last_error.c_str(); }

const char* regard_kernels(int32_t index) {
  const Kernels* kernels = kernels_at(index);
  return kernels == nullptr ? nullptr : kernels->name;
}

regard_model* regard_open(const regard_config* config, const regard_tensor* tensors,
                          int32_t count) {
  regard_model* model = nullptr;
  guarded([&] {
    check(config, tensors);
    const Kernels* kernels = kernels_at(config->kernels);
    if (kernels == nullptr) throw Mistake("this processor has no such kernels");
    model = new regard_model(*config, Weights(tensors, count), *kernels);
  });
  return model;
}

void regard_close(regard_model* model) { delete model; }

int32_t regard_generate(const regard_model* model, const int32_t* ids, int64_t texts,
                        int64_t length, const regard_generation* config, int32_t threads,
                        int32_t together, regard_report report, regard_results** results) {
  return guarded([&] {
    check(model, ids, config, results);
    check_writes(model->model);
    check_shape(texts, length);
    Generation generation(model->model, model->idle, ids, texts, length, *config, together,
                          report);
    generation.run(std::min(threads, 1024));
    auto all = std::make_unique<regard_results>();
    all->texts = texts;
    for (std::vector<Hypothesis>& found : generation.results) {
      found.resize(std::min<size_t>(found.size(), config->alternatives));
      all->counts.push_back(static_cast<int32_t>(found.size()));
      for (const Hypothesis& hypothesis : found) {
        all->lengths.push_back(static_cast<int32_t>(hypothesis.log_probs.size()));
        all->scores.push_back(hypothesis.score);
        all->finished.push_back(hypothesis.finished);
        all->ids.insert(all->ids.end(), hypothesis.tokens.end() - hypothesis.log_probs.size(),
                        hypothesis.tokens.end());
        all->log_probs.insert(all->log_probs.end(), hypothesis.log_probs.begin(),
                              hypothesis.log_probs.end());
      }
    }
    *results = all.release();
  });
}

void regard_read(const regard_results* all, regard_hypotheses* out) {
  *out = {all->texts,          static_cast<int64_t>(all->lengths.size()),
          static_cast<int64_t>(all->ids.size()),
          all->counts.data(),  all->lengths.data(),
          all->scores.data(),  all->finished.data(),
          all->ids.data(),     all->log_probs.data()};
}

void regard_forget(regard_results* results) { delete results; }

regard_decode* regard_begin(const regard_model* model) {
  regard_decode* decode = nullptr;
  guarded([&] {
    check(model);
    check_writes(model->model);
    decode = new regard_decode{Decode(model->model)};
  });
  return decode;
}

void regard_end(regard_decode* decode) { delete decode; }

int32_t regard_add(regard_decode* decode, const int32_t* ids, int64_t texts, int64_t length,
                   int32_t* numbers) {
  return guarded([&] {
    check(decode, ids, numbers);
    check_shape(texts, length);
    std::vector<int> added = decode->decode.add(ids, texts, length);
    std::copy(added.begin(), added.end(), numbers);
  });
}

int32_t regard_remove(regard_decode* decode, int32_t text) {
  return guarded([&] {
    check(decode);
    decode->decode.remove(text);
  });
}

int32_t regard_select(regard_decode* decode, int32_t text, const int32_t* rows, int32_t count) {
  return guarded([&] {
    check(decode, rows);
    decode->decode.select(text, rows, count);
  });
}

int32_t regard_step(regard_decode* decode, const int32_t* texts, int32_t count,
                    const int32_t* tokens, const int32_t* lengths, int32_t rows, float* logits,
                    int32_t best, float* log_probs, int32_t* ids) {
  return guarded([&] {
    check(decode, texts, tokens);
    const bool ranks = log_probs != nullptr && ids != nullptr && best > 0;
    Decode& running = decode->decode;
    const float* all =
        running.step(texts, count, tokens, lengths, rows, ranks || logits != nullptr);
    const int vocab = running.vocab();
    for (int r = 0; all != nullptr && r < rows; r++, all += running.logits_stride()) {
      if (logits != nullptr) std::copy_n(all, vocab, logits + static_cast<size_t>(r) * vocab);
      if (!ranks) continue;
      float *values = log_probs + static_cast<size_t>(r) * best, largest, log_of_sum;
      int32_t* places = ids + static_cast<size_t>(r) * best;
      running.work.kernels.log_sum(all, vocab, &largest, &log_of_sum);
      int found = running.work.kernels.top(all, vocab, best, values, places);
      for (int i = 0; i < best; i++) {
        values[i] = i < found ? values[i] - largest - log_of_sum : -INFINITY;
        places[i] = i < found ? places[i] : 0;
      }
    }
  });
}

int32_t regard_read_texts(const regard_model* model, const int32_t* ids, const int32_t* positions,
                          const int32_t* types, int64_t tokens, const int32_t* lengths,
                          int64_t texts, int32_t threads, float* states) {
  return guarded([&] {
    check(model, ids, positions, lengths, states);
    model->reader.texts(ids, positions, types, tokens, lengths, texts, threads, states);
  });
}

int32_t regard_read_images(const regard_model* model, const float* patches, int64_t images,
                           int32_t threads, float* states) {
  return guarded([&] {
    check(model, patches, states);
    model->reader.images(patches, images, threads, states);
  });
}

int32_t regard_head(const regard_model* model, const float* states, int64_t rows, int32_t threads,
                    float* outputs) {
  return guarded([&] {
    check(model, states, outputs);
    model->reader.head(states, rows, threads, outputs);
  });
}

}  // extern "C"
