// A mixture of experts: several feed-forward networks, of which a router chooses for each token.
#pragma once
#include "layers/feed_forward.h"

namespace regard {

class Experts {
 public:
  Experts() = default;
  Experts(const Weights& weights, const std::string& name, const regard_config& config)
      : per_token_(config.experts_per_token), adds_to_one_(config.shares_add_to_one),
        width_(config.d_model) {
    if (per_token_ < 1 || per_token_ > config.experts)
      throw Mistake("experts_per_token must be from 1 to the experts of " + name);
    // What a token's expert is would change by rounding: it is chosen in float32.
    router_ = Linear(weights, {{name + ".router", {1, config.experts}}}, {1, config.d_model},
                     Precision::FP32);
    for (int i = 0; i < config.experts; i++)
      experts_.emplace_back(weights, name + ".experts." + std::to_string(i), config,
                            config.expert_d_ff);
  }

  int count() const { return static_cast<int>(experts_.size()); }

  // Added to y, (rows, stride): only the experts that a row has chosen compute it, and a row is
  // added to in the order of their numbers, whatever its company.
  void add(Work& work, const float* x, size_t stride, int rows, float* y) const {
    const size_t route = router_.stride();
    float* probabilities = place_for(work.routes, rows * route);
    router_(work, x, stride, rows, probabilities);
    for (int r = 0; r < rows; r++) work.kernels.softmax(probabilities + r * route, count());
    if (listener != nullptr || room != nullptr) tell_routes(work, rows, probabilities);
    int32_t* chosen = work.chosen.need(rows * per_token_);
    float* shares = work.shares.need(rows * per_token_);
    for (int r = 0; r < rows; r++) {
      float* share = shares + r * per_token_;
      int32_t* expert = chosen + r * per_token_;
      const int found =
          work.kernels.top(probabilities + r * route, count(), per_token_, share, expert);
      if (found < per_token_) {  // what is not a number has no experts, and stays none
        std::fill(expert + found, expert + per_token_, -1);
        std::fill_n(y + r * stride, width_, NAN);
      }
      float sum = 0;
      for (int i = 0; i < found; i++) sum += share[i];
      for (int i = 0; i < found && adds_to_one_; i++) share[i] /= sum;
    }
    for (int e = 0; e < count(); e++) {
      int32_t* places = work.places.need(rows);
      float* theirs = work.gathered.need(rows * stride);
      int taken = 0;
      for (int i = 0; i < rows * per_token_; i++) {
        if (chosen[i] != e) continue;
        std::copy_n(x + i / per_token_ * stride, stride, theirs + taken * stride);
        places[taken++] = i;
      }
      if (taken == 0) continue;
      float* added = work.of_expert.need(taken * stride);
      std::fill_n(added, taken * stride, 0.0f);
      experts_[e].add(work, theirs, stride, taken, added);
      for (int t = 0; t < taken; t++) {
        float* to = y + places[t] / per_token_ * stride;
        for (int i = 0; i < width_; i++) to[i] += shares[places[t]] * added[t * stride + i];
      }
    }
  }

 private:
  void tell_routes(Work& work, int rows, float* probabilities) const {
    regard_attention what{};
    what.kind = REGARD_ROUTES, what.of_decoder = work.now.of_decoder, what.layer = work.now.layer;
    what.queries = rows, what.head_dim = count();
    what.output = probabilities, what.output_stride = static_cast<int64_t>(router_.stride());
    tell(what);
  }

  int per_token_ = 0, adds_to_one_ = 0, width_ = 0;
  Linear router_;
  std::vector<FeedForward> experts_;
};

}  // namespace regard
