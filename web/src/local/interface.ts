/** Written by tools/interface.py from engine/interface.h; not to be edited. */
export const INTERFACE = 14;
export const DONE = 0;
export const MISTAKE = 1;
export const MEMORY = 2;
export const STOPPED = 3;
export const TOO_LONG = 4;
export const LATE = 5;
export const ENCODER_DECODER = 0;
export const DECODER = 1;
export const ENCODER = 2;
export const SELF = 0;
export const CROSS = 1;
export const STATES = 2;
export const ROUTES = 3;
export const BEGUN = 1;
export const TOKEN = 2;
export const ASKED = 3;
export const ENDED = 4;
export const FAILED = 5;
export const STEPPED = 6;
export const NUMBERS = ["float32", "bfloat16", "int8"];
export const ACTIVATION = ["none", "relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu"];
export const PRECISION = ["fp32", "bf16", "int8", "int4"];
export const EARLY_STOPPING = ["no", "yes", "never"];
export const TENSOR = {
  bytes: 32,
  fields: {
    name: ["pointer", 0],
    data: ["pointer", 4],
    rows: ["int64_t", 8],
    columns: ["int64_t", 16],
    numbers: ["int32_t", 24],
    group: ["int32_t", 28],
  },
} as const;
export const CONFIG = {
  bytes: 180,
  fields: {
    kind: ["int32_t", 0],
    vocab_size: ["int32_t", 4],
    target_vocab_size: ["int32_t", 8],
    d_model: ["int32_t", 12],
    d_ff: ["int32_t", 16],
    encoder_layers: ["int32_t", 20],
    decoder_layers: ["int32_t", 24],
    encoder_heads: ["int32_t", 28],
    decoder_heads: ["int32_t", 32],
    encoder_head_dim: ["int32_t", 36],
    decoder_head_dim: ["int32_t", 40],
    decoder_key_heads: ["int32_t", 44],
    activation: ["int32_t", 48],
    gated: ["int32_t", 52],
    norm_first: ["int32_t", 56],
    rms_norm: ["int32_t", 60],
    has_positions: ["int32_t", 64],
    max_positions: ["int32_t", 68],
    position_offset: ["int32_t", 72],
    relative_reach: ["int32_t", 76],
    scale_embedding: ["int32_t", 80],
    embedding_norm: ["int32_t", 84],
    tied_output: ["int32_t", 88],
    scale_output: ["int32_t", 92],
    pad_id: ["int32_t", 96],
    start_id: ["int32_t", 100],
    token_types: ["int32_t", 104],
    image_length: ["int32_t", 108],
    patch_width: ["int32_t", 112],
    sound_length: ["int32_t", 116],
    mel_bins: ["int32_t", 120],
    head_outputs: ["int32_t", 124],
    head_activation: ["int32_t", 128],
    experts: ["int32_t", 132],
    experts_per_token: ["int32_t", 136],
    shares_add_to_one: ["int32_t", 140],
    expert_d_ff: ["int32_t", 144],
    precision: ["int32_t", 148],
    kernels: ["int32_t", 152],
    norm_eps: ["float", 156],
    rotary_factor: ["float", 160],
    score_scale: ["float", 164],
    score_cap: ["float", 168],
    output_cap: ["float", 172],
    gate_limit: ["float", 176],
  },
} as const;
export const GENERATION = {
  bytes: 128,
  fields: {
    start_id: ["int32_t", 0],
    max_new_tokens: ["int32_t", 4],
    min_new_tokens: ["int32_t", 8],
    num_beams: ["int32_t", 12],
    alternatives: ["int32_t", 16],
    early_stopping: ["int32_t", 20],
    no_repeat_ngram_size: ["int32_t", 24],
    renormalize_logits: ["int32_t", 28],
    cut_repetition: ["int32_t", 32],
    forced_bos_token_id: ["int32_t", 36],
    forced_eos_token_id: ["int32_t", 40],
    length_penalty: ["double", 48],
    repetition_penalty: ["double", 56],
    eos_ids: ["pointer", 64],
    forced_beginning: ["pointer", 68],
    eos_count: ["int32_t", 72],
    beginning_count: ["int32_t", 76],
    bad_words: ["pointer", 80],
    bad_word_lengths: ["pointer", 84],
    bad_word_count: ["int32_t", 88],
    do_sample: ["int32_t", 92],
    top_k: ["int32_t", 96],
    temperature: ["double", 104],
    top_p: ["double", 112],
    seed: ["int64_t", 120],
  },
} as const;
export const HYPOTHESES = {
  bytes: 48,
  fields: {
    texts: ["int64_t", 0],
    hypotheses: ["int64_t", 8],
    tokens: ["int64_t", 16],
    counts: ["pointer", 24],
    lengths: ["pointer", 28],
    scores: ["pointer", 32],
    finished: ["pointer", 36],
    ids: ["pointer", 40],
    log_probs: ["pointer", 44],
  },
} as const;
export const ATTENTION = {
  bytes: 128,
  fields: {
    kind: ["int32_t", 0],
    of_decoder: ["int32_t", 4],
    layer: ["int32_t", 8],
    heads: ["int32_t", 12],
    key_heads: ["int32_t", 16],
    head_dim: ["int32_t", 20],
    head_width: ["int32_t", 24],
    queries: ["int32_t", 28],
    keys: ["int32_t", 32],
    first: ["int32_t", 36],
    before: ["int32_t", 40],
    after: ["int32_t", 44],
    reach: ["int32_t", 48],
    query: ["pointer", 52],
    key: ["pointer", 56],
    value: ["pointer", 60],
    bias: ["pointer", 64],
    sinks: ["pointer", 68],
    output: ["pointer", 72],
    query_stride: ["int64_t", 80],
    key_stride: ["int64_t", 88],
    value_stride: ["int64_t", 96],
    output_stride: ["int64_t", 104],
    lse: ["pointer", 112],
    key_step: ["int64_t", 120],
  },
} as const;
export const ROOM = {
  bytes: 32,
  fields: {
    place: ["pointer", 0],
    left: ["int64_t", 8],
    more: ["pointer", 16],
    asked: ["int64_t", 24],
  },
} as const;
export const JOB = {
  bytes: 56,
  fields: {
    ids: ["pointer", 0],
    length: ["int64_t", 8],
    config: ["pointer", 16],
    start_id: ["int32_t", 20],
    rows: ["int32_t", 24],
    best: ["int32_t", 28],
    streams: ["int32_t", 32],
    line: ["int64_t", 40],
    seconds: ["double", 48],
  },
} as const;
export const EVENT = {
  bytes: 96,
  fields: {
    job: ["int64_t", 0],
    kind: ["int32_t", 8],
    value: ["int32_t", 12],
    seconds: ["double", 16],
    reason: ["pointer", 24],
    rows: ["int32_t", 28],
    best: ["int32_t", 32],
    logits: ["pointer", 36],
    log_probs: ["pointer", 40],
    ids: ["pointer", 44],
    found: ["hypotheses", 48],
  },
} as const;
export interface Functions {
  regard_interface(): number;
  regard_error(): number;
  regard_kernels(index: number): number;
  regard_open(config: number, tensor: number, count: number, read: number): number;
  regard_close(model: number): void;
  regard_listen(listener: number): void;
  regard_keep(): number;
  regard_search_open(model: number, ids: number, texts: bigint, length: bigint, generation: number, threads: number, rows: number, search: number): number;
  regard_search_run(search: number, seconds: number, done: number): number;
  regard_search_read(search: number, hypotheses: number): number;
  regard_search_close(search: number): void;
  regard_jobs_open(model: number, threads: number, rows: number, kept: number, short_length: number, tokens: number): number;
  regard_jobs_add(jobs: number, job: number, number: number): number;
  regard_jobs_answer(jobs: number, number: bigint, rows: number, count: number, tokens: number, tokens_count: number, best: number): number;
  regard_jobs_cancel(jobs: number, number: bigint): number;
  regard_jobs_poll(jobs: number, seconds: number, events: number, most: number, count: number): number;
  regard_jobs_counts(jobs: number, waiting: number, rows: number): number;
  regard_jobs_finish(jobs: number): number;
  regard_jobs_close(jobs: number): void;
  regard_begin(model: number, threads: number): number;
  regard_end(decode: number): void;
  regard_add(decode: number, ids: number, texts: bigint, length: bigint, numbers: number): number;
  regard_add_sounds(decode: number, frames: number, sounds: bigint, numbers: number): number;
  regard_remove(decode: number, text: number): number;
  regard_select(decode: number, text: number, rows: number, count: number): number;
  regard_step(decode: number, texts: number, count: number, tokens: number, lengths: number, rows: number, logits: number, best: number, log_probs: number, ids: number): number;
  regard_read_texts(model: number, ids: number, positions: number, types: number, tokens: bigint, lengths: number, texts: bigint, threads: number, states: number): number;
  regard_read_pair(model: number, source: number, length: bigint, target: number, target_length: bigint, threads: number, states: number): number;
  regard_gradient(model: number, source: number, length: bigint, target: number, target_length: bigint, position: bigint, token: number, of_source: number, of_target: number): number;
  regard_read_sound(model: number, frames: number, target: number, target_length: bigint, threads: number, states: number): number;
  regard_read_images(model: number, patches: number, images: bigint, threads: number, states: number): number;
  regard_head(model: number, states: number, rows: bigint, threads: number, outputs: number): number;
  regard_pool(model: number, states: number, count: bigint, length: bigint, threads: number, outputs: number): number;
  regard_log_softmax(logits: number, rows: bigint, count: bigint, log_probs: number, best: number, places: number): number;
  regard_softmax(scores: number, rows: bigint, count: bigint, log_sums: number): number;
  regard_narrow(logits: number, count: bigint, temperature: number, top_k: number, top_p: number): number;
  regard_draws(seed: bigint, text: bigint, count: bigint, numbers: number): number;
}
