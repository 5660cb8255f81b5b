/* The engine as plain C. Sizes are checked; nothing is thrown across it. A function that fails
   returns a status, or null, and regard_error says why, for the calling thread. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef _WIN32
#define REGARD_API __declspec(dllexport)
#else
#define REGARD_API __attribute__((visibility("default")))
#endif

#define REGARD_INTERFACE 14 /* counts up when a function or a struct changes */

enum { REGARD_DONE = 0, REGARD_MISTAKE = 1, REGARD_MEMORY = 2, REGARD_STOPPED = 3,
       REGARD_TOO_LONG = 4, REGARD_LATE = 5 };

enum { REGARD_ENCODER_DECODER = 0, REGARD_DECODER = 1, REGARD_ENCODER = 2 }; /* kinds of models */

/* A matrix, or a vector as one row; copied while the model is opened. Of int8, each row is to be
   multiplied by its number in the tensor <name>.scales, (1, rows); or, where there is a group of 16
   or 32 columns, each group by its scale, and its offset is added: float32, (rows, groups), scales
   and then offsets, behind the integers. */
typedef struct {
  const char* name; /* in src/regard/models, such as "encoder.layers.0.feed_forward.inner.weight" */
  const void* data; /* null: regard_read gives it */
  int64_t rows, columns;
  int32_t numbers; /* float32, bfloat16, int8 */
  int32_t group;   /* 0: none */
} regard_tensor;
/* Gives the data of a tensor, by its place, when it is packed; null: it cannot. Then it is called
   with what it gave, which is no longer needed. */
typedef const void* (*regard_read)(int32_t index, const void* done);

/* A model; the fields of the configs in src/regard/models. What a kind lacks is 0, or 1 of sizes.
   Rotary positions are there where the tensor <stack>.rotary.frequencies is, (kinds, pairs that are
   rotated). <stack>.rotary.layers, (1, layers), has the number of each layer's kind, from 1 to the
   last, or 0 for none; without it all layers have the only one. <stack>.windows, (1, layers), has
   the tokens that a token of each layer attends to, itself included, or 0 for all so far; an
   encoder's attends to as many behind it. */
typedef struct {
  int32_t kind;
  int32_t vocab_size, target_vocab_size, d_model, d_ff;
  int32_t encoder_layers, decoder_layers, encoder_heads, decoder_heads;
  int32_t encoder_head_dim, decoder_head_dim;
  int32_t decoder_key_heads; /* of keys and values */
  int32_t activation; /* none, relu, gelu, gelu_tanh, silu, tanh, quick_gelu */
  int32_t gated, norm_first, rms_norm;
  int32_t has_positions; /* a table of them */
  int32_t max_positions; /* of the table, and of a text */
  int32_t position_offset;
  int32_t relative_reach; /* distances up to which a bias is given; -1: none */
  int32_t scale_embedding, embedding_norm, tied_output, scale_output;
  int32_t pad_id; /* what is no token where texts are read; -1 in a decoder's prompts */
  int32_t start_id;
  int32_t token_types;  /* of an encoder */
  int32_t image_length; /* of an encoder of images: patches and the class token */
  int32_t patch_width;  /* numbers of a patch */
  int32_t sound_length; /* of an encoder-decoder whose sources are sounds: states of one */
  int32_t mel_bins;     /* numbers of a frame, of which two make a state */
  int32_t head_outputs; /* of the head's last projection; 0: it has none, or the model writes */
  int32_t head_activation;
  /* of a decoder's layers that have a router: experts, those of a token, whether their shares add
     up to 1, and their inner width */
  int32_t experts, experts_per_token, shares_add_to_one, expert_d_ff;
  int32_t precision; /* fp32, bf16, int8, int4 */
  int32_t kernels;   /* of regard_kernels; 0: the best */
  float norm_eps, rotary_factor; /* by which rotated queries and keys are multiplied */
  float score_scale;           /* of query times key; 0: 1/√head_dim */
  float score_cap, output_cap; /* c of c · tanh(x / c), of scores and of logits; 0: none */
  float gate_limit; /* of a gated network's numbers, whose gate is then x · σ(1.702 x); 0: none */
} regard_config;

typedef struct regard_model regard_model;
typedef struct regard_decode regard_decode;
typedef struct regard_search regard_search;
typedef struct regard_jobs regard_jobs;

/* A greedy or beam search, or what is drawn, of one beam; the fields of GenerationConfig. */
typedef struct {
  int32_t start_id; /* of an encoder-decoder */
  int32_t max_new_tokens, min_new_tokens, num_beams, alternatives;
  int32_t early_stopping; /* no, yes, never */
  int32_t no_repeat_ngram_size, renormalize_logits, cut_repetition;
  int32_t forced_bos_token_id, forced_eos_token_id; /* -1: none */
  double length_penalty, repetition_penalty;
  const int32_t *eos_ids, *forced_beginning;
  int32_t eos_count, beginning_count;
  const int32_t *bad_words, *bad_word_lengths; /* end to end */
  int32_t bad_word_count;
  int32_t do_sample, top_k; /* 0: of all tokens */
  double temperature, top_p;
  int64_t seed; /* each text of a search has numbers of its own */
} regard_generation;

/* Hypotheses of each text, best first, without what one that was cut off says again and again;
   tokens and log-probabilities end to end. */
typedef struct {
  int64_t texts, hypotheses, tokens;
  const int32_t* counts;   /* (texts) */
  const int32_t* lengths;  /* (hypotheses) */
  const float* scores;     /* (hypotheses) */
  const int32_t* finished; /* (hypotheses) */
  const int32_t* ids;      /* (tokens) */
  const float* log_probs;  /* (tokens) */
} regard_hypotheses;

/* What one attention of one text was given, and its output, which may be changed; or states of the
   residual stream, which may be changed too: a layer's input, or the last layer's output; or the
   probabilities of a layer's experts, (queries, head_dim), likewise. */
enum { REGARD_SELF = 0, REGARD_CROSS = 1, REGARD_STATES = 2, REGARD_ROUTES = 3 };
typedef struct {
  int32_t kind, of_decoder, layer; /* of states: so many layers have run */
  int32_t heads, key_heads, head_dim, head_width; /* head_width: from one head to the next */
  int32_t queries, keys;
  int32_t first, before, after; /* query q is at key first + q, and sees from before to after it */
  int32_t reach;                /* of the bias; distances beyond it have its bias */
  const float *query, *key, *value; /* rows of heads; a listener's key is (heads, width) */
  const float* bias;                /* (heads, 2 reach + 1), by key - query; null: none */
  const float* sinks; /* (heads): the score of one more key, which adds nothing; null: none */
  float* output;                    /* of states: (queries, head_dim), the rows themselves */
  int64_t query_stride, key_stride, value_stride, output_stride;
  const float* lse; /* (heads, queries): log Σ exp(score) of a row; null where there are few keys */
  int64_t key_step; /* from one key to the next; key_stride: from one number of it to the next */
} regard_attention;
/* Called where it happens; another answer than 0 stops. */
typedef int32_t (*regard_listener)(const regard_attention*);

/* Memory that is filled as a run goes: from its beginning on with each regard_attention, without
   states and outputs, and from its end on with the numbers that it points to, but for bias and sinks,
   which are the model's. They are computed there, so nothing is copied. */
typedef struct regard_room {
  void* place;  /* a multiple of 8 */
  int64_t left; /* bytes from there on */
  /* Called with the bytes for which there is no room, and gives another place; what is written
     there may point to the one before. Or, now and then, with 0. Another answer than 0 stops. */
  int32_t (*more)(struct regard_room*, int64_t bytes);
  int64_t asked; /* when it was called, in milliseconds; 0: not yet */
} regard_room;

REGARD_API int32_t regard_interface(void);
REGARD_API const char* regard_error(void);
/* The name of the kernels that this processor can run, best first; null where there are no more. */
REGARD_API const char* regard_kernels(int32_t index);

REGARD_API regard_model* regard_open(const regard_config*, const regard_tensor*, int32_t count,
                                     regard_read);
REGARD_API void regard_close(regard_model*);

/* From now on what the calling thread itself computes is listened to; null: no longer. The bits of
   a text are what they are without, but each row of a step passes by itself. Threads that a call
   starts are not listened to. */
REGARD_API void regard_listen(regard_listener);
/* The place of the calling thread's room, which is null at first: what is read as a whole, and not
   step by step, is kept in it, and no listener called. That takes less time. */
REGARD_API regard_room** regard_keep(void);

/* A search from sources, or of a decoder from prompts, (texts, length), in which pad_id is padding.
   Each of `threads`, of which the caller of regard_search_run is one, has at most so many rows of
   hypotheses, and takes more texts when some end. There may be several searches at a time. */
REGARD_API int32_t regard_search_open(const regard_model*, const int32_t* ids, int64_t texts,
                                      int64_t length, const regard_generation*, int32_t threads,
                                      int32_t rows, regard_search**);
/* Goes on for so many seconds, a step at least; so many texts are done then. */
REGARD_API int32_t regard_search_run(regard_search*, double seconds, int64_t* done);
/* Once all are done; the hypotheses are there until the next call, or regard_search_close. Where
   there is one thread, also before: of a text that is not done, its likeliest tokens so far. */
REGARD_API int32_t regard_search_read(regard_search*, regard_hypotheses*);
REGARD_API void regard_search_close(regard_search*);

/* A text to be written beside others. */
typedef struct {
  const int32_t* ids; /* its source or, of a decoder, its prompt */
  int64_t length;
  const regard_generation* config; /* null: the caller chooses the tokens, see REGARD_ASKED */
  int32_t start_id;                /* of an encoder-decoder, where it is null */
  int32_t rows;                    /* of hypotheses, at most */
  int32_t best;    /* likeliest tokens to be asked about at first; 0: about all logits */
  int32_t streams; /* tokens are told as they are chosen, of one row */
  int64_t line;    /* texts of the same wait for each other, as those of one request */
  double seconds;  /* until it is late */
} regard_job;

enum {
  REGARD_BEGUN = 1,   /* it no longer waits */
  REGARD_TOKEN = 2,   /* value: the token of a text that streams */
  REGARD_ASKED = 3,   /* the numbers of its next tokens, to be answered */
  REGARD_ENDED = 4,   /* found: its hypotheses */
  REGARD_FAILED = 5,  /* value: a status; reason: the sentence */
  REGARD_STEPPED = 6, /* value: rows of a step of one thread; seconds */
};
typedef struct {
  int64_t job;
  int32_t kind, value;
  double seconds;
  const char* reason;
  int32_t rows, best;
  const float* logits;    /* (rows, vocabulary), or none */
  const float* log_probs; /* (rows, best), or none, as regard_step writes them */
  const int32_t* ids;
  regard_hypotheses found;
} regard_event;

/* Texts that come and go, in threads of their own. Each has at most so many rows of hypotheses, of
   which `kept` are for texts of at most `short_length`, and reads so many tokens of prompts, or
   sources, in a step. Lines take turns. */
REGARD_API regard_jobs* regard_jobs_open(const regard_model*, int32_t threads, int32_t rows,
                                         int32_t kept, int32_t short_length, int32_t tokens);
REGARD_API int32_t regard_jobs_add(regard_jobs*, const regard_job*, int64_t* number);
/* The rows with which a text goes on, or none: as they are, and a token for each; it does so at the
   next poll. */
REGARD_API int32_t regard_jobs_answer(regard_jobs*, int64_t number, const int32_t* rows,
                                      int32_t count, const int32_t* tokens, int32_t tokens_count,
                                      int32_t best);
/* Ends a text of which nothing more is to be said. */
REGARD_API int32_t regard_jobs_cancel(regard_jobs*, int64_t number);
/* Waits so long for something to happen. What events point to is there until the next call; one
   thread at a time may call it. A count of -1: all is done after regard_jobs_finish. */
REGARD_API int32_t regard_jobs_poll(regard_jobs*, double seconds, regard_event* events,
                                    int32_t most, int32_t* count);
REGARD_API int32_t regard_jobs_counts(regard_jobs*, int64_t* waiting, int64_t* rows);
/* No more are taken; what waits is still done. */
REGARD_API int32_t regard_jobs_finish(regard_jobs*);
/* Gives up what is not done. */
REGARD_API void regard_jobs_close(regard_jobs*);

/* Texts that are decoded step by step, by one caller at a time, with so many threads. */
REGARD_API regard_decode* regard_begin(const regard_model*, int32_t threads);
REGARD_API void regard_end(regard_decode*);
/* Encodes sources, (texts, length), and gives each a number; it has one row, without tokens. A
   decoder's texts have no source: the length is 0. */
REGARD_API int32_t regard_add(regard_decode*, const int32_t* ids, int64_t texts, int64_t length,
                              int32_t* numbers);
/* Sounds, (sounds, 2 sound_length, mel_bins). */
REGARD_API int32_t regard_add_sounds(regard_decode*, const float* frames, int64_t sounds,
                                     int32_t* numbers);
REGARD_API int32_t regard_remove(regard_decode*, int32_t text);
/* Makes copies of these rows the rows of a text; of none, one without tokens. */
REGARD_API int32_t regard_select(regard_decode*, int32_t text, const int32_t* rows, int32_t count);
/* Reads tokens in each row of these texts, `rows` in all: `lengths` of each row, end to end; where
   that is null, one. Written are, where they are not null, all logits of each row's next token,
   (rows, vocabulary), and the `best` largest log-probabilities with their tokens, (rows, best),
   largest first; there are fewer where the rest is impossible: -infinity. */
REGARD_API int32_t regard_step(regard_decode*, const int32_t* texts, int32_t count,
                               const int32_t* tokens, const int32_t* lengths, int32_t rows,
                               float* logits, int32_t best, float* log_probs, int32_t* ids);

/* The last states, (tokens, d_model), of texts of these lengths that lie end to end. Without types,
   they are 0. Each of `threads` takes the next texts; several may be called at a time. */
REGARD_API int32_t regard_read_texts(const regard_model*, const int32_t* ids,
                                     const int32_t* positions, const int32_t* types,
                                     int64_t tokens, const int32_t* lengths, int64_t texts,
                                     int32_t threads, float* states);
/* A decoder's last states, (target_length, d_model), of one target, as its tokens are read, beside
   its source. */
REGARD_API int32_t regard_read_pair(const regard_model*, const int32_t* source, int64_t length,
                                    const int32_t* target, int64_t target_length, int32_t threads,
                                    float* states);
/* ‖∂ log p / ∂x ⊙ x‖₂ of the embedding x of each token of such a source, (length), which is empty of a
   decoder alone, and target, (target_length): p is a token's behind a position of the target. */
REGARD_API int32_t regard_gradient(const regard_model*, const int32_t* source, int64_t length,
                                   const int32_t* target, int64_t target_length, int64_t position,
                                   int32_t token, float* of_source, float* of_target);
/* A sound, (2 sound_length, mel_bins), and what a decoder reads of its text → the text's last
   states, (target_length, d_model). */
REGARD_API int32_t regard_read_sound(const regard_model*, const float* frames,
                                     const int32_t* target, int64_t target_length, int32_t threads,
                                     float* states);
/* Of images, (images, image_length, d_model), by their patches, (images, image_length - 1,
   patch_width). */
REGARD_API int32_t regard_read_images(const regard_model*, const float* patches, int64_t images,
                                      int32_t threads, float* states);
/* States, (rows, d_model) → what the head makes of them, (rows, head_outputs or d_model), or the
   logits of a model that writes, (rows, target_vocab_size). */
REGARD_API int32_t regard_head(const regard_model*, const float* states, int64_t rows,
                               int32_t threads, float* outputs);
/* States of images, (count, length, d_model) → what a head that pools all of an image's states
   makes of them, (count, head_outputs or d_model). */
REGARD_API int32_t regard_pool(const regard_model*, const float* states, int64_t count,
                               int64_t length, int32_t threads, float* outputs);

/* Logits, (rows, count) → their log-probabilities, and the places of the `best` largest of each row,
   (rows, best), largest first, of equals the first first; -1 where only -infinity is left. Either
   may be null. */
REGARD_API int32_t regard_log_softmax(const float* logits, int64_t rows, int64_t count,
                                      float* log_probs, int32_t best, int32_t* places);
/* Scores, (rows, count), -infinity where they are masked → their weights, in the same place, and log
   Σ exp(score) of each row: in double precision. A row that is all masked has the weights 0. */
REGARD_API int32_t regard_softmax(double* scores, int64_t rows, int64_t count, double* log_sums);
/* Logits, (count) → those from whose softmax a token is drawn, in the same place: by the
   temperature, and -infinity where top_k or top_p leaves a token out. */
REGARD_API int32_t regard_narrow(float* logits, int64_t count, double temperature, int32_t top_k,
                                 double top_p);
/* The numbers in [0, 1) by which a text of a search draws its tokens. */
REGARD_API int32_t regard_draws(int64_t seed, int64_t text, int64_t count, double* numbers);

#ifdef __cplusplus
}
#endif
