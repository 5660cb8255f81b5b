// The C interface: checks what comes, and turns what is thrown into a status and a sentence.
#include "interface.h"

#include "generation/jobs.h"
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
  regard_decode(const Model& model, int threads) : decode(model), team(team_of(threads - 1)) {
    decode.work.team = team.get();
  }

  Decode decode;
  std::shared_ptr<Team> team;  // which rests between two calls
};

struct regard_search {
  regard_search(const regard_model& model, const Jobs::Limits& limits, int threads)
      : jobs(model.model, model.idle, limits, threads, 1) {}

  std::vector<JobPointer> texts;
  Jobs jobs;
  Jobs::Worker caller;
  Results results;
};

struct regard_jobs {
  regard_jobs(const regard_model& model, const Jobs::Limits& limits, int threads)
      : jobs(model.model, model.idle, limits, threads) {}

  Jobs jobs;
  std::vector<Event> events;  // of the last poll
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
  } catch (...) {
    const Failure reason = failure();
    return failed(reason.status, reason.reason.c_str());
  }
}

template <class... Pointers>
void check(const Pointers*... pointers) {
  if (((pointers == nullptr) || ...)) throw Mistake("an argument is null");
}

void check_writes(const Model& model) {
  if (!model.writes()) throw Mistake("this model reads, and does not write");
}

Bell::Clock::time_point in(double seconds) {
  const double milliseconds = 1000 * std::max(0.0, std::min(seconds, 1e9));
  return Bell::Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(milliseconds));
}

// Rectangles of ids, whose number of bytes is a size.
void check_shape(int64_t texts, int64_t length) {
  if (texts < 0 || length < 0 || (length > 0 && texts > INT32_MAX / length))
    throw Mistake("ids must be at most 2^31; got " + std::to_string(texts) + " times " +
                  std::to_string(length));
}

regard_hypotheses hypotheses(const Results& all) {
  return {all.texts,          static_cast<int64_t>(all.lengths.size()),
          static_cast<int64_t>(all.ids.size()),
          all.counts.data(),  all.lengths.data(),
          all.scores.data(),  all.finished.data(),
          all.ids.data(),     all.log_probs.data()};
}

// A text, whose ids are its source or, of a decoder, its prompt; pad_id is padding.
JobPointer job_of(const Model& model, const int32_t* ids, int64_t length,
                  const std::shared_ptr<const Rules>& rules) {
  auto job = std::make_shared<Job>();
  const int32_t pad = model.config.pad_id;
  if (model.has_source()) {
    while (length > 0 && ids[length - 1] == pad) length--;
    job->source.assign(ids, ids + length);
    if (rules != nullptr) job->tokens = {rules->config.given.start_id};
  } else {
    std::copy_if(ids, ids + length, std::back_inserter(job->tokens),
                 [pad](int32_t id) { return id != pad; });
  }
  job->rules = rules;
  if (rules != nullptr) job->rows = rules->config.given.num_beams;
  return job;
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
                          int32_t count, regard_read read) {
  regard_model* model = nullptr;
  guarded([&] {
    check(config, tensors);
    const Kernels* kernels = kernels_at(config->kernels);
    if (kernels == nullptr) throw Mistake("this processor has no such kernels");
    model = new regard_model(*config, Weights(tensors, count, read), *kernels);
  });
  return model;
}

void regard_close(regard_model* model) { delete model; }

void regard_listen(regard_listener function) { listener = function; }

regard_room** regard_keep(void) { return &room; }

int32_t regard_search_open(const regard_model* model, const int32_t* ids, int64_t texts,
                           int64_t length, const regard_generation* config, int32_t threads,
                           int32_t rows, regard_search** search) {
  return guarded([&] {
    check(model, ids, config, search);
    check_writes(model->model);
    check_shape(texts, length);
    auto rules = std::make_shared<const Rules>(*config);
    const Jobs::Limits limits{std::max(rows, config->num_beams), 0, 0, INT32_MAX};
    auto opened = std::make_unique<regard_search>(*model, limits, std::clamp(threads, 1, 1024));
    for (int64_t i = 0; i < texts; i++) {
      opened->texts.push_back(job_of(model->model, ids + i * length, length, rules));
      opened->texts.back()->text = i;
    }
    // The longest first, so that no thread is left with a long one, and neighbors are alike.
    std::vector<JobPointer> sorted = opened->texts;
    auto length_of = [](const JobPointer& job) { return job->source.size() + job->tokens.size(); };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const JobPointer& a, const JobPointer& b) {
      return length_of(a) > length_of(b);
    });
    for (JobPointer& job : sorted) opened->jobs.add(std::move(job));
    opened->jobs.finish();
    try {
      opened->jobs.start();
    } catch (...) {  // those that began do the work
    }
    *search = opened.release();
  });
}

int32_t regard_search_run(regard_search* search, double seconds, int64_t* done) {
  return guarded([&] {
    check(search, done);
    search->jobs.work(search->caller, in(seconds));
    *done = search->jobs.done();
  });
}

int32_t regard_search_read(regard_search* search, regard_hypotheses* out) {
  return guarded([&] {
    check(search, out);
    search->results = {};
    for (const JobPointer& job : search->texts) {
      if (job->is_wanted) {
        if (!search->jobs.is_callers()) throw Mistake("this search is not over");
        search->results.add(job->search->running(), 1);
        continue;
      }
      if (job->failure.status == REGARD_TOO_LONG) throw TooLong(job->failure.reason);
      if (job->failure.status == REGARD_MEMORY) throw std::bad_alloc();
      if (job->failure.status != REGARD_DONE) throw Mistake(job->failure.reason);
      search->results.add(job->results);
    }
    *out = hypotheses(search->results);
  });
}

void regard_search_close(regard_search* search) { delete search; }

regard_decode* regard_begin(const regard_model* model, int32_t threads) {
  regard_decode* decode = nullptr;
  guarded([&] {
    check(model);
    check_writes(model->model);
    decode = new regard_decode(model->model, std::clamp(threads, 1, 1024));
  });
  return decode;
}

void regard_end(regard_decode* decode) { delete decode; }

int32_t regard_add(regard_decode* decode, const int32_t* ids, int64_t texts, int64_t length,
                   int32_t* numbers) {
  return guarded([&] {
    check(decode, ids, numbers);
    check_shape(texts, length);
    std::vector<int32_t> lengths(texts, static_cast<int32_t>(length));
    std::vector<int> added = decode->decode.add(ids, lengths);
    decode->team->rest();
    std::copy(added.begin(), added.end(), numbers);
  });
}

int32_t regard_add_sounds(regard_decode* decode, const float* frames, int64_t sounds,
                          int32_t* numbers) {
  return guarded([&] {
    check(decode, frames, numbers);
    check_shape(sounds, 1);
    std::vector<int> added = decode->decode.add(frames, static_cast<int>(sounds));
    decode->team->rest();
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
    decode->team->rest();
    const int vocab = running.vocab();
    for (int r = 0; all != nullptr && r < rows; r++, all += running.logits_stride()) {
      if (logits != nullptr) std::copy_n(all, vocab, logits + static_cast<size_t>(r) * vocab);
      if (ranks)
        likeliest(running.work.kernels, all, vocab, best, log_probs + static_cast<size_t>(r) * best,
                  ids + static_cast<size_t>(r) * best);
    }
  });
}

regard_jobs* regard_jobs_open(const regard_model* model, int32_t threads, int32_t rows,
                              int32_t kept, int32_t short_length, int32_t tokens) {
  regard_jobs* jobs = nullptr;
  guarded([&] {
    check(model);
    check_writes(model->model);
    if (threads < 1 || threads > 1024 || rows < 1 || kept < 0 || kept >= rows || tokens < 16)
      throw Mistake("a limit of jobs is out of its range");
    auto opened = std::make_unique<regard_jobs>(*model,
                                                Jobs::Limits{rows, kept, short_length, tokens},
                                                threads);
    opened->jobs.start();
    jobs = opened.release();
  });
  return jobs;
}

void regard_jobs_close(regard_jobs* jobs) { delete jobs; }

int32_t regard_jobs_add(regard_jobs* jobs, const regard_job* given, int64_t* number) {
  return guarded([&] {
    check(jobs, given, number);
    if (given->length > 0) check(given->ids);
    check_shape(1, given->length);
    std::shared_ptr<const Rules> rules;
    if (given->config != nullptr) rules = std::make_shared<const Rules>(*given->config);
    JobPointer job = job_of(jobs->jobs.model(), given->ids, given->length, rules);
    if (rules == nullptr && jobs->jobs.model().has_source()) job->tokens = {given->start_id};
    job->rows = std::max(job->rows, given->rows);
    job->line = given->line;
    job->streams = given->streams && job->rows == 1;
    job->best = given->best;
    job->deadline = in(given->seconds);
    *number = jobs->jobs.add(std::move(job));
  });
}

int32_t regard_jobs_answer(regard_jobs* jobs, int64_t number, const int32_t* rows, int32_t count,
                           const int32_t* tokens, int32_t tokens_count, int32_t best) {
  return guarded([&] {
    check(jobs, tokens);
    if (count > 0) check(rows);
    jobs->jobs.answer(number, std::vector<int32_t>(rows, rows + std::max(0, count)),
                      std::vector<int32_t>(tokens, tokens + std::max(0, tokens_count)), best);
  });
}

int32_t regard_jobs_cancel(regard_jobs* jobs, int64_t number) {
  return guarded([&] {
    check(jobs);
    jobs->jobs.cancel(number);
  });
}

int32_t regard_jobs_poll(regard_jobs* jobs, double seconds, regard_event* events, int32_t most,
                         int32_t* count) {
  return guarded([&] {
    check(jobs, events, count);
    const bool goes_on = jobs->jobs.poll(seconds, std::max(1, most), jobs->events);
    *count = goes_on ? static_cast<int32_t>(jobs->events.size()) : -1;
    for (Event& event : jobs->events) {
      *events = {};
      events->kind = event.kind;
      events->value = event.value;
      events->seconds = event.seconds;
      if (event.job != nullptr) {
        const Job& job = *event.job;
        events->job = job.number;
        events->reason = job.failure.reason.c_str();
        if (event.kind == REGARD_ASKED) {
          events->rows = job.now_rows;
          events->best = job.best;
          events->logits = job.logits.data();
          events->log_probs = job.log_probs.data();
          events->ids = job.likeliest.data();
        }
        if (event.kind == REGARD_ENDED) events->found = hypotheses(job.results);
      }
      events++;
    }
  });
}

int32_t regard_jobs_counts(regard_jobs* jobs, int64_t* waiting, int64_t* rows) {
  return guarded([&] {
    check(jobs, waiting, rows);
    jobs->jobs.counts(*waiting, *rows);
  });
}

int32_t regard_jobs_finish(regard_jobs* jobs) {
  return guarded([&] {
    check(jobs);
    jobs->jobs.finish();
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

int32_t regard_read_pair(const regard_model* model, const int32_t* source, int64_t length,
                         const int32_t* target, int64_t target_length, int32_t threads,
                         float* states) {
  return guarded([&] {
    check(model, source, target, states);
    model->reader.pair(source, length, target, target_length, threads, states);
  });
}

int32_t regard_gradient(const regard_model* model, const int32_t* source, int64_t length,
                        const int32_t* target, int64_t target_length, int64_t position,
                        int32_t token, float* of_source, float* of_target) {
  return guarded([&] {
    check(model, source, target, of_source, of_target);
    model->reader.gradient(source, length, target, target_length, position, token, of_source,
                           of_target);
  });
}

int32_t regard_read_sound(const regard_model* model, const float* frames, const int32_t* target,
                          int64_t target_length, int32_t threads, float* states) {
  return guarded([&] {
    check(model, frames, target, states);
    model->reader.sound(frames, target, target_length, threads, states);
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

int32_t regard_pool(const regard_model* model, const float* states, int64_t count, int64_t length,
                    int32_t threads, float* outputs) {
  return guarded([&] {
    check(model, states, outputs);
    model->reader.pool(states, count, length, threads, outputs);
  });
}

int32_t regard_log_softmax(const float* logits, int64_t rows, int64_t count, float* log_probs,
                           int32_t best, int32_t* places) {
  return guarded([&] {
    check(logits);
    check_shape(rows, count);
    const Kernels& kernels = *kernels_at(0);
    const int width = static_cast<int>(count), most = std::clamp(best, 0, width);
    std::vector<float> row(up_to(count, LANES)), values(most);
    for (int64_t r = 0; r < rows; r++, logits += count) {
      std::copy_n(logits, count, row.data());
      if (places != nullptr && best > 0) {
        const int found = kernels.top(row.data(), width, most, values.data(), places);
        std::fill(places + found, places + best, -1);
        places += best;
      }
      if (log_probs == nullptr) continue;
      float largest, log_of_sum;
      kernels.log_sum(row.data(), width, &largest, &log_of_sum);
      for (int i = 0; i < width; i++) *log_probs++ = logits[i] - largest - log_of_sum;
    }
  });
}

int32_t regard_softmax(double* scores, int64_t rows, int64_t count, double* log_sums) {
  return guarded([&] {
    check(scores, log_sums);
    check_shape(rows, count);
    for (double* end = scores + rows * count; scores < end; scores += count) {
      const double largest = *std::max_element(scores, scores + count);
      double sum = 0;
      for (int64_t i = 0; i < count; i++) sum += std::exp(scores[i] - largest);
      const bool sees = largest > -INFINITY;
      *log_sums = sees ? largest + std::log(sum) : largest;
      for (int64_t i = 0; i < count; i++) scores[i] = sees ? std::exp(scores[i] - *log_sums) : 0;
      log_sums++;
    }
  });
}

int32_t regard_narrow(float* logits, int64_t count, double temperature, int32_t top_k,
                      double top_p) {
  return guarded([&] {
    check(logits);
    check_shape(1, count);
    narrow(logits, static_cast<int>(count), temperature, top_k, top_p);
  });
}

int32_t regard_draws(int64_t seed, int64_t text, int64_t count, double* numbers) {
  return guarded([&] {
    check(numbers);
    const Draws draws(seed, text);
    for (int64_t i = 0; i < count; i++) numbers[i] = draws[i];
  });
}

}  // extern "C"
