// The generation loop: texts come and go between two steps. Each thread fills a batch of its own
// from one queue; a text that ends makes room for the next.
#pragma once
#include <cstring>
#include <deque>
#include <functional>
#include <map>

#include "generation/search.h"
#include "models/decoding.h"

namespace regard {

struct Failure {
  int32_t status;
  std::string reason;
};

// Of the exception that is being handled. A sentence needs memory too, but for the shortest.
inline Failure failure() {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const TooLong& error) {
      return {REGARD_TOO_LONG, error.what()};
    } catch (const Stopped&) {
      return {REGARD_STOPPED, "stopped"};
    } catch (const std::exception& error) {
      return {REGARD_MISTAKE, error.what()};
    }
  } catch (const std::bad_alloc&) {
    return {REGARD_MEMORY, "no memory"};
  } catch (...) {
    return {REGARD_MISTAKE, "unknown"};
  }
}

// Hypotheses of texts, one after another.
struct Results {
  int64_t texts = 0;
  std::vector<int32_t> counts, lengths, finished, ids;
  std::vector<float> scores, log_probs;

  void add(const Results& more) {
    texts += more.texts;
    append(counts, more.counts);
    append(lengths, more.lengths);
    append(finished, more.finished);
    append(ids, more.ids);
    append(scores, more.scores);
    append(log_probs, more.log_probs);
  }

  void add(const std::vector<Hypothesis>& found, int32_t most) {
    const size_t count = std::min<size_t>(found.size(), most);
    texts++;
    counts.push_back(static_cast<int32_t>(count));
    for (size_t i = 0; i < count; i++) {
      const Hypothesis& h = found[i];
      lengths.push_back(static_cast<int32_t>(h.log_probs.size()));
      scores.push_back(h.score);
      finished.push_back(h.finished);
      ids.insert(ids.end(), h.tokens.end() - h.log_probs.size(), h.tokens.end());
      append(log_probs, h.log_probs);
    }
  }

 private:
  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
};

// Settings of a search, which many texts share.
struct Rules {
  explicit Rules(const regard_generation& given) : config(given), filters(config) {}
  const GenerationConfig config;
  const Filters filters;
};

// One text; `text`: its number among those of its search. Its tokens are chosen by a search, or, where it has no rules, by the caller, who is
// given the numbers of each step: until it answers, the others go on.
struct Job {
  int64_t number = 0, line = 0, text = 0;
  std::vector<int32_t> source;  // of an encoder-decoder
  std::shared_ptr<const Rules> rules;
  int rows = 1;  // at most
  bool streams = false, is_short = false;
  Bell::Clock::time_point deadline = Bell::NEVER;

  std::vector<int32_t> tokens;  // to be read, one in each row; of its only row, a prompt
  size_t read = 0;              // of these
  std::vector<int32_t> chosen;  // rows to go on with; none: as they are
  int32_t best = 0;             // likeliest tokens that the caller asks for; 0: the logits
  std::vector<float> logits, log_probs;
  std::vector<int32_t> likeliest;
  int now_rows = 1, place = -1;  // of the decode's texts
  enum { WAITS, RUNS, PARKED, ANSWERED } state = WAITS;
  bool is_wanted = true;
  std::unique_ptr<Search> search;
  Results results;
  Failure failure{REGARD_DONE, {}};
};
using JobPointer = std::shared_ptr<Job>;

struct Event {
  JobPointer job;  // of a step, none
  int32_t kind, value;
  double seconds;
};

class Jobs {
 public:
  // Rows of each thread, of which `kept` are for short texts; the length of those; and the tokens
  // of prompts, or of sources, that are read in a step.
  struct Limits {
    int rows, kept, short_length, tokens;
  };

  // What one thread computes.
  struct Worker {
    std::unique_ptr<Decode> decode;
    std::vector<JobPointer> running;
  };

  // `callers`: threads that are not its own, and call `work`.
  Jobs(const Model& model, Idle<Decode, Model>& idle, const Limits& limits, int threads,
       int callers = 0)
      : model_(model),
        idle_(idle),
        limits_(limits),
        threads_(std::max(1, threads)),
        callers_(callers) {}

  ~Jobs() {
    stop();
    for (std::thread& thread : workers_) thread.join();
  }

  // Threads of its own, which work until it is finished.
  void start() {
    for (int i = callers_; i < threads_; i++)
      workers_.emplace_back([this] {
        try {
          Worker worker;
          work(worker);
        } catch (...) {  // no memory for a decode
          fail_waiting(failure());
        }
        std::lock_guard<std::mutex> lock(mutex_);
        if (++ended_ == threads_) polled_.notify_all();
      });
  }

  int64_t add(JobPointer job) {
    check(*job);
    const int length = static_cast<int>(std::max(job->source.size(), job->tokens.size()));
    job->is_short = length <= limits_.short_length && job->rows <= limits_.kept;
    if (job->rows > limits_.rows - (job->is_short ? 0 : limits_.kept))
      throw Mistake("a text may have " + std::to_string(limits_.rows - limits_.kept) +
                    " rows; got " + std::to_string(job->rows));
    if (job->rules != nullptr)
      job->search = std::make_unique<Search>(job->rules->config, job->rules->filters, job->tokens,
                                             job->text);
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) throw Stopped();
    job->number = ++last_;
    auto line = std::find_if(lines_.rbegin(), lines_.rend(), [&](const auto& each) {
      return each.front()->line == job->line;
    });
    if (line == lines_.rend())
      lines_.push_back({job});
    else
      line->push_back(job);
    jobs_[job->number] = job;
    waiting_++;
    change();
    return job->number;
  }

  // The caller's choice for a text that it was asked about; it goes on at the next `poll`.
  void answer(int64_t number, std::vector<int32_t> rows, std::vector<int32_t> tokens,
              int32_t best) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = jobs_.find(number);
    if (found == jobs_.end()) return;  // it is over
    Job& job = *found->second;
    if (job.state != Job::PARKED) throw Mistake("this text was not asked about");
    const size_t count = rows.empty() ? job.now_rows : rows.size();
    if (tokens.size() != count || count > static_cast<size_t>(job.rows))
      throw Mistake("there must be a token for each row");
    for (int32_t row : rows)
      if (row < 0 || row >= job.now_rows) throw Mistake("a row to be chosen is not there");
    check_tokens(tokens);
    job.chosen = std::move(rows);
    job.tokens = std::move(tokens);
    job.read = 0;
    job.best = best;
    job.state = Job::ANSWERED;
    answered_.push_back(found->second);
  }

  // Ends a text; nothing more is said about it.
  void cancel(int64_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto is_its = [&](const Event& event) { return event.job && event.job->number == number; };
    events_.erase(std::remove_if(events_.begin(), events_.end(), is_its), events_.end());
    auto found = jobs_.find(number);
    if (found == jobs_.end()) return;
    found->second->is_wanted = false;
    if (found->second->state == Job::WAITS) unqueue(found->second);
    jobs_.erase(found);
    change();
  }

  // What has happened since the last call, at most so much; waits so long for a first event. False
  // once all is done and said.
  bool poll(double seconds, size_t most, std::vector<Event>& events) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (JobPointer& job : answered_) job->state = Job::RUNS;
    if (!answered_.empty()) change();
    answered_.clear();
    events.clear();
    auto done = [this] { return closed_ && ended_ == threads_; };
    polled_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, 1e6)),
                     [&] { return is_urgent_ || done(); });
    const bool is_over = done() && events_.empty();
    const size_t count = std::min(most, events_.size());
    events.assign(std::make_move_iterator(events_.begin()),
                  std::make_move_iterator(events_.begin() + count));
    events_.erase(events_.begin(), events_.begin() + count);
    is_urgent_ = !events_.empty();
    return !is_over;
  }

  void counts(int64_t& waiting, int64_t& rows) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting = waiting_;
    rows = used_;
  }

  // No more are taken; what waits is still done.
  void finish() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    change();
  }

  // What runs or waits is given up.
  void stop() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = stopped_ = true;
    change();
  }

  // Works as one of the threads until all is done, or the time is over.
  void work(Worker& worker, Bell::Clock::time_point until = Bell::NEVER) {
    auto& [decode, running] = worker;
    if (decode == nullptr) take(decode, idle_.take());
    std::vector<JobPointer> begun, ready;
    while (next(worker, begun, ready, until)) {
      const auto before = Bell::Clock::now();
      int rows = 0;
      try {
        begin(*decode, begun);
        rows = step(*decode, ready);
      } catch (...) {
        const Failure reason = failure();
        {
          std::lock_guard<std::mutex> lock(mutex_);
          for (JobPointer& job : running) {
            used_ -= job->rows;
            end(job, reason);
          }
        }
        running.clear();
        take(decode, std::make_unique<Decode>(model_));  // what it holds cannot be trusted
      }
      const auto now = Bell::Clock::now();
      finish_step(worker, rows, std::chrono::duration<double>(now - before).count());
      if (now >= until) return;
    }
    decode->work.team = nullptr;
    if (running.empty()) idle_.give(std::move(decode));
  }

  const Model& model() const { return model_; }
  bool is_callers() const { return threads_ == callers_; }

  // Texts that have ended.
  int64_t done() {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_;
  }

 private:
  void take(std::unique_ptr<Decode>& decode, std::unique_ptr<Decode> other) {
    decode = std::move(other);
    decode->work.team = &team_;
  }

  // What is to be done in the next step: texts that begin and texts that are ready; until there are
  // some, or the time is over, helps the other threads. False at the end of all.
  bool next(Worker& worker, std::vector<JobPointer>& begun, std::vector<JobPointer>& ready,
            Bell::Clock::time_point until) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      const int64_t seen = changes_;
      drop(worker);
      begun = stopped_ ? std::vector<JobPointer>() : take(worker.running);
      worker.running.insert(worker.running.end(), begun.begin(), begun.end());
      ready.clear();
      for (JobPointer& job : worker.running)
        if (job->state == Job::RUNS) ready.push_back(job);
      if (stopped_) return false;
      if (!ready.empty()) return true;
      if (closed_ && jobs_.empty() && worker.running.empty()) return false;
      if (Bell::Clock::now() >= until) return true;
      lock.unlock();
      team_.help([&] { return changes_ != seen; }, until);
      lock.lock();
    }
  }

  // Lets those go whose time is over or that no one waits for.
  void drop(Worker& worker) {
    const auto now = Bell::Clock::now();
    leave(worker, [&](const JobPointer& job) {
      if (job->is_wanted && job->deadline < now) end(job, late());
      return !job->is_wanted;
    });
  }

  template <class Leaves>
  void leave(Worker& worker, Leaves leaves) {
    auto& running = worker.running;
    auto stay = std::remove_if(running.begin(), running.end(), [&](JobPointer& job) {
      if (!leaves(job)) return false;
      if (job->place >= 0) worker.decode->remove(job->place);
      used_ -= job->rows;
      return true;
    });
    running.erase(stay, running.end());
  }

  // Texts of one thread. Where a layer has parts, threads with few rows would each read all weights:
  // rather one reads them for more rows, and the others help.
  size_t share_of_waiting() const {
    if (lines_.empty()) return 0;  // also where memory was short and texts were lost
    constexpr int64_t FEW = 6;
    const int64_t layer = static_cast<int64_t>(model_.config.d_model) * model_.config.d_ff;
    const int64_t rows = waiting_ * lines_.front().front()->rows;
    const int64_t takers =
        layer < 2 * LEAST_PART ? threads_ : std::clamp<int64_t>(rows / FEW, 1, threads_);
    return (waiting_ + takers - 1) / takers;
  }

  // Texts for which there is room, of which each line is asked for one in turn: several at a time,
  // since an encoder is faster with more rows, and no more than a thread's share.
  std::vector<JobPointer> take(const std::vector<JobPointer>& running) {
    std::vector<JobPointer> taken;
    int used = 0, of_long = 0;
    for (const JobPointer& job : running) {
      used += job->rows;
      of_long += job->is_short ? 0 : job->rows;
    }
    if (used > limits_.rows - std::max(1, limits_.rows / 4)) return taken;
    const auto now = std::chrono::steady_clock::now();
    size_t share = share_of_waiting(), passed = 0;
    int64_t tokens = limits_.tokens;
    while (passed < lines_.size() && taken.size() < share) {
      JobPointer job = lines_[passed].front();
      const bool is_late = job->deadline < now;
      const int length = static_cast<int>(job->source.size());
      if (!is_late) {
        if (!job->is_short && of_long + job->rows > limits_.rows - limits_.kept) {
          passed++;  // a shorter one may fit
          continue;
        }
        // What finds too few rows holds up the rest, or would wait for ever.
        if (used + job->rows > limits_.rows || (!taken.empty() && length > tokens)) break;
        used += job->rows;
        of_long += job->is_short ? 0 : job->rows;
        tokens -= length;
        taken.push_back(job);
      }
      std::deque<JobPointer> line = std::move(lines_[passed]);
      lines_.erase(lines_.begin() + passed);
      line.pop_front();
      if (!line.empty()) lines_.push_back(std::move(line));
      waiting_--;
      if (is_late) {
        end(job, late());
        continue;
      }
      job->state = Job::RUNS;
      used_ += job->rows;
      say({job, REGARD_BEGUN, 0, 0}, true);
    }
    return taken;
  }

  void begin(Decode& decode, const std::vector<JobPointer>& begun) {
    if (begun.empty()) return;
    std::vector<int32_t> ids, lengths;
    for (const JobPointer& job : begun) {
      ids.insert(ids.end(), job->source.begin(), job->source.end());
      lengths.push_back(static_cast<int32_t>(job->source.size()));
    }
    std::vector<int> places = decode.add(ids.data(), lengths);
    for (size_t i = 0; i < begun.size(); i++) begun[i]->place = places[i];
  }

  // One step of these texts; how many rows it had.
  int step(Decode& decode, std::vector<JobPointer>& ready) {
    std::vector<int> places, counts;  // tokens that each text reads in this step
    std::vector<int32_t> tokens, lengths, parents;
    int64_t left = limits_.tokens;
    std::vector<JobPointer> stepped;
    for (JobPointer& job : ready) {
      if (!job->chosen.empty())
        decode.select(job->place, job->chosen.data(), static_cast<int>(job->chosen.size()));
      job->chosen.clear();
      job->now_rows = decode.rows(job->place);
      int64_t count = 1;
      if (job->now_rows == 1) {  // never one token alone of a prompt: it has other instructions
        const int64_t whole = job->tokens.size() - job->read;
        count = std::min(whole, std::max<int64_t>(left, 0));
        if (whole - count == 1) count--;
        if (whole == 1) count = 1;
        if (count < std::min<int64_t>(whole, 2)) continue;
        if (whole > 1) left -= count;
      }
      try {
        decode.check_room(job->place, count);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex_);
        end(job, failure());
        continue;
      }
      const auto from = job->tokens.begin() + job->read;
      tokens.insert(tokens.end(), from, from + count * job->now_rows);
      lengths.insert(lengths.end(), job->now_rows, static_cast<int32_t>(count));
      job->read += count * job->now_rows;
      places.push_back(job->place);
      stepped.push_back(job);
    }
    const int rows = static_cast<int>(lengths.size()), vocab = model_.config.target_vocab_size;
    if (rows == 0) return 0;
    float* logits = decode.step(places.data(), static_cast<int>(places.size()), tokens.data(),
                                lengths.data(), rows);
    for (JobPointer& job : stepped) {
      float* its = logits;
      logits += job->now_rows * decode.logits_stride();
      if (job->read < job->tokens.size()) continue;  // more of its prompt comes
      if (job->search == nullptr) {
        give(*job, its, decode.logits_stride());
        std::lock_guard<std::mutex> lock(mutex_);
        job->state = Job::PARKED;
        if (job->is_wanted) say({job, REGARD_ASKED, 0, 0}, true);
      } else if (job->search->advance(its, vocab, decode.logits_stride(), model_.kernels,
                                      parents)) {
        decode.select(job->place, parents.data(), static_cast<int>(parents.size()));
        job->search->next(job->tokens);
        job->read = 0;
        if (!job->streams) continue;
        std::lock_guard<std::mutex> lock(mutex_);
        if (job->is_wanted) say({job, REGARD_TOKEN, job->tokens[0], 0}, true);
      } else {
        job->results.add(job->search->found(), job->rules->config.given.alternatives);
        std::lock_guard<std::mutex> lock(mutex_);
        end(job, {REGARD_DONE, {}});
      }
    }
    return rows;
  }

  // The numbers from which the caller chooses.
  void give(Job& job, const float* logits, size_t stride) {
    const int vocab = model_.config.target_vocab_size, best = std::min(job.best, vocab);
    job.best = best;
    job.logits.resize(best > 0 ? 0 : static_cast<size_t>(job.now_rows) * vocab);
    job.log_probs.resize(static_cast<size_t>(job.now_rows) * best);
    job.likeliest.resize(job.log_probs.size());
    for (int r = 0; r < job.now_rows; r++, logits += stride)
      if (best > 0)
        likeliest(model_.kernels, logits, vocab, best, &job.log_probs[r * best],
                  &job.likeliest[r * best]);
      else
        std::copy_n(logits, vocab, &job.logits[static_cast<size_t>(r) * vocab]);
  }

  void finish_step(Worker& worker, int rows, double seconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    leave(worker, [](const JobPointer& job) { return !job->is_wanted; });
    if (rows > 0 && callers_ == 0) say({nullptr, REGARD_STEPPED, rows, seconds}, false);
  }

  // What follows needs the lock.

  void end(const JobPointer& job, const Failure& reason) {
    if (!job->is_wanted) return;
    job->is_wanted = false;
    job->failure = reason;
    jobs_.erase(job->number);
    done_++;
    if (closed_ && jobs_.empty()) change();
    say({job, reason.status == REGARD_DONE ? REGARD_ENDED : REGARD_FAILED, reason.status, 0}, true);
  }

  void say(Event&& event, bool is_urgent) {
    events_.push_back(std::move(event));
    if (!is_urgent) return;
    is_urgent_ = true;
    polled_.notify_all();
  }

  void change() {
    changes_++;
    team_.wake();
  }

  void unqueue(const JobPointer& job) {
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      auto place = std::find(line->begin(), line->end(), job);
      if (place == line->end()) continue;
      line->erase(place);
      if (line->empty()) lines_.erase(line);
      waiting_--;
      return;
    }
  }

  static Failure late() { return {REGARD_LATE, "the time is over"}; }

  // And these do not.

  void fail_waiting(const Failure& reason) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& line : lines_)
      for (JobPointer& job : line) end(job, reason);
    lines_.clear();
    waiting_ = 0;
    closed_ = true;
  }

  // Refuses what cannot be computed, before it runs beside others.
  void check(const Job& job) const {
    if (job.rows < 1) throw Mistake("a text must have at least one row");
    for (size_t i = 0; i < job.source.size(); i++)
      if (job.source[i] < 0 || job.source[i] >= model_.config.vocab_size)
        throw Mistake("an id is not in the vocabulary");
    if (job.tokens.empty()) throw Mistake("each row must read at least one token");
    check_tokens(job.tokens);
    const size_t longest = std::max(job.source.size(), job.tokens.size());
    if (longest > static_cast<size_t>(model_.config.max_positions))
      throw TooLong(std::to_string(longest));
  }

  void check_tokens(const std::vector<int32_t>& tokens) const {
    for (int32_t token : tokens)
      if (token < 0 || token >= model_.config.target_vocab_size)
        throw Mistake("a token is not in the vocabulary");
  }

  const Model& model_;
  Idle<Decode, Model>& idle_;
  const Limits limits_;
  const int threads_, callers_;
  std::vector<std::thread> workers_;
  Team team_;

  std::mutex mutex_;  // of all that follows, and of a job's state and is_wanted
  std::condition_variable polled_;
  std::deque<std::deque<JobPointer>> lines_;  // of requests, which take turns
  std::map<int64_t, JobPointer> jobs_;        // that have not ended
  std::vector<JobPointer> answered_;
  std::deque<Event> events_;
  bool is_urgent_ = false, closed_ = false, stopped_ = false;
  int64_t waiting_ = 0, used_ = 0, done_ = 0, last_ = 0;
  std::atomic<int64_t> changes_{0};
  int ended_ = 0;  // threads
};

}  // namespace regard
