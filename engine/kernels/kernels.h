// Arithmetic, as functions that are compiled once for each family of processors.
//
// Every sum of a row is of that row alone, and in one order, however many rows there are: the bits
// of a result do not depend on its company. Where the processor multiplies and adds in one
// operation the order is also the same for every family, and so are the bits.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace regard {

constexpr int LANES = 16;   // numbers that are computed side by side
constexpr int PANEL = 64;   // outputs of a product whose weights lie together
constexpr int QUADS = 4;    // inputs of an output that lie together in integers
constexpr int BLOCK = 32;   // inputs of an output that share a scale in INT4
constexpr int LONG = 2048;        // keys beyond which a query sees them block by block
constexpr int LONG_BLOCK = 512;   // keys of such a block, a multiple of LANES

enum class Storage { FLOAT32, BFLOAT16, INT8, INT4, BYTES, HALVES };
enum class Activation { NONE, RELU, GELU, GELU_TANH, SILU, TANH, QUICK_GELU };
enum class Into { STORE, ADD, MULTIPLY };  // what becomes of the numbers that are there

// The weights of a product, packed: for each panel of outputs, input after input. Both numbers are
// multiples of LANES. Of INT4 a panel has, block after block, bytes of two weights, the first half of
// the inputs in the low bits, and the block's scales as bfloat16. BYTES and HALVES, which are 4 bits,
// are integers of which float32 numbers are made, by groups of inputs: nothing is rounded.
struct Matrix {
  int outputs, inputs;
  Storage storage;
  const void* weights;  // of INT8: plus 128; of INT4, and of HALVES without offsets: plus 8
  const float* scales;  // of INT8 and BFLOAT16, for each output
  // Of INT8 and INT4, for each output: the sum of its weights. Of BYTES and HALVES, as their scales
  // for each panel, group and output: the offsets, or null.
  const float* totals;
  const float* bias;
  Activation activation;
  int group;  // inputs of a scale, of BYTES and HALVES
};

// Rows of numbers as integers from -127 to 127, with a scale and a middle for each row: what is never
// negative, as behind ReLU, has all integers too.
struct Rounded {
  int8_t* integers;  // (rows, stride)
  float *scales, *middles;
  int32_t* sums;  // (rows, groups) of integers
  size_t stride;
  int group, groups;  // integers of a sum, and sums of a row, behind which the integers are zeros
};

struct Norm {
  const float *weight, *bias;  // as long as a row's whole panels; zero beyond `width`
  int width;
  bool centers;  // LayerNorm; else RMSNorm
  float epsilon;
};

// Keys of one head, transposed, (head_dim, padded), and its values, (count, stride).
struct Memory {
  const float *keys, *values;
  size_t stride;
  int count, padded;  // padded: the next multiple of LANES
};

inline size_t score_places(int head_width, int padded) {
  const size_t of_block = static_cast<size_t>(2 * head_width + 4) * LONG_BLOCK;
  const size_t of_rows = static_cast<size_t>(4) * padded;
  return padded > LONG && of_block > of_rows ? of_block : of_rows;
}

// What a query sees of a text's keys: of query q, which is at key first + q, those from `before`
// ahead of it to `after` behind it.
struct Sight {
  static constexpr int ALL = 1 << 30;
  int first = 0, before = ALL, after = ALL;
};

// A bias by distance: `table[clamp(key - query)]`, with the entry of distance 0 in its middle. Or two
// products with the state of a distance, its row clamped likewise: of each query and of each key.
struct Distances {
  const float* table;  // null: no bias
  int reach;
  const int32_t *keys, *queries;  // positions
  const int32_t* rows = nullptr;  // of query - key, with that of 0 in its middle; null: no products
  const float *of_queries = nullptr, *of_keys = nullptr;  // (queries, stride), (rows, key_stride)
  size_t stride = 0, key_stride = 0;
};

// What a score is of the product of query and key: times a factor, under a cap if that is not 0; and
// of each head, from the first one, the score of one more key, which adds nothing, if there is one.
struct Score {
  float scale = 1, cap = 0;
  const float* sinks = nullptr;
};

// The table of a decoder's tokens so far: where the key of each is, and `width` further its value.
struct Past {
  const float* const* places;  // (count)
  size_t offset, width;        // of the layer, and of the first head
  int count, heads, key_heads, head_width;
};

// x (rows, x_stride) times the weights → y (rows, whole panels), of outputs from `first` to `end`;
// `first` is a panel's.
using Product = void (*)(const Matrix&, const float* x, size_t x_stride, const Rounded&, int rows,
                         float* y, Into, int first, int end);

struct Kernels {
  const char* name;
  Product product;
  void (*round)(const float* x, size_t stride, int rows, int width, const Rounded&);
  void (*normalize)(const Norm&, const float* x, size_t stride, int rows, float* y);
  // One head: queries (count, q_stride) → y (count, y_stride), and, where `lse` is not null, the
  // logarithm of the sum of each row's powers; `scores` has score_places(…) places.
  void (*attend)(const float* queries, size_t q_stride, int count, int head_width,
                 const Memory&, const Sight&, Score, const Distances&, float* scores,
                 float* y, size_t y_stride, float* lse);
  // Scaled products of rows of a head, (count, x_stride), with keys as in Memory, of those from
  // `first`, a multiple of LANES, to `end` in whole lanes → y (count, y_stride).
  void (*products)(const float* x, size_t x_stride, int count, int head_width, const float* keys,
                   size_t padded, int first, int end, float scale, float* y, size_t y_stride);
  // All heads of one query; `scores` has heads · padded places.
  void (*attend_past)(const float* query, const Past&, Score, const Distances&, size_t reach,
                      float* scores, float* y);
  // Rotates each of a row's heads by its angles: (rows, 2 · half), cosines and then sines.
  void (*rotate)(float* x, size_t stride, int rows, int heads, int head_width, int half,
                 const float* angles);
  void (*scale)(float* x, size_t count, float factor);
  // most · tanh(x / most), of each.
  void (*cap)(float* x, size_t count, float most);
  // A token's row of a table, times a factor, plus those of its type and position (or null).
  void (*embed)(const void* row, Storage, float factor, const float* type, const float* position,
                int width, float* y);
  // The log-probabilities of `count` logits as `logits - largest - log of the sum`.
  void (*log_sum)(const float* logits, int count, float* largest, float* log_of_sum);
  // The `best` largest of `count` numbers, largest first, of equals the first first; what is not
  // above -infinity is left out. Returns how many.
  int (*top)(const float* x, int count, int best, float* values, int32_t* places);
  // `count` logits, up to whole lanes → their probabilities.
  void (*softmax)(float* x, int count);
  // gate · σ(1.702 gate) · (1 + x), of numbers that are cut at `most`, in the gate's place.
  void (*clamped_gate)(float* gate, const float* x, size_t count, float most);
};

// The kernels that this processor can run, best first; null where there are no more.
const Kernels* kernels_at(int index);

}  // namespace regard
