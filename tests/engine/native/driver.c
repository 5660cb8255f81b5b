// Opens a library of the engine by its path, which must have this interface, and a file as
// fixtures/portable.py writes it. Prints the names of the kernels, why a config of no kind is refused
// and, by the kernels of a place among them, the bits of a decoder's states of the first text beside
// itself, and each hypothesis of the texts: the bits of its score and its tokens.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

#ifdef _WIN32
#include <windows.h>
#define dlopen(path, how) (void*)LoadLibraryA(path)
#define dlsym(library, name) (void*)GetProcAddress((HMODULE)(library), name)
#define dlerror() "LoadLibrary refused it"
#else
#include <dlfcn.h>
#endif

static FILE* file;

static void* take(void* to, size_t size) {
  if (fread(to, 1, size, file) != size) exit(3);
  return to;
}

static int32_t number(void) {
  int32_t x;
  take(&x, sizeof x);
  return x;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

int main(int count, char** arguments) {
  void* library = count == 4 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
#define FUNCTION(name) __typeof__(name)* call_##name = (__typeof__(name)*)dlsym(library, #name)
  FUNCTION(regard_interface);
  FUNCTION(regard_kernels);
  FUNCTION(regard_open);
  FUNCTION(regard_error);
  FUNCTION(regard_read_pair);
  FUNCTION(regard_search_open);
  FUNCTION(regard_search_run);
  FUNCTION(regard_search_read);
  FUNCTION(regard_close);
  file = fopen(arguments[2], "rb");
  for (int i = 0; call_regard_kernels(i) != NULL; i++) printf("%s ", call_regard_kernels(i));
  printf("\n");

  regard_config config;
  if (number() != sizeof config) return 4;
  take(&config, sizeof config);
  config.kernels = atoi(arguments[3]);
  const int tensors = number();
  regard_tensor* all = calloc(tensors, sizeof *all);
  for (int i = 0; i < tensors; i++) {
    const size_t length = number();
    all[i].name = take(malloc(length), length);
    take(&all[i].rows, 2 * sizeof(int64_t));
    all[i].numbers = number();
    const size_t bytes = all[i].rows * all[i].columns * (all[i].numbers ? 2 : 4);
    all[i].data = take(malloc(bytes), bytes);
  }
  regard_config bad = config;
  bad.kind = -1;
  if (call_regard_interface() != REGARD_INTERFACE) return 7;
  if (call_regard_open(&bad, all, tensors, NULL) != NULL) return 8;
  printf("%s\n", call_regard_error());
  regard_model* model = call_regard_open(&config, all, tensors, NULL);
  if (model == NULL) return fprintf(stderr, "%s\n", call_regard_error()), 5;

  regard_generation settings = {.forced_bos_token_id = -1, .forced_eos_token_id = -1};
  settings.repetition_penalty = settings.length_penalty = 1;
  settings.start_id = number();
  const int32_t end = number();
  settings.eos_ids = &end;
  settings.eos_count = 1;
  settings.max_new_tokens = number();
  settings.num_beams = settings.alternatives = number();
  const int64_t texts = number(), length = number();
  int32_t* ids = take(malloc(texts * length * sizeof *ids), texts * length * sizeof *ids);
  float* states = malloc(length * config.d_model * sizeof *states);
  if (call_regard_read_pair(model, ids, length, ids, length, 2, states))
    return fprintf(stderr, "%s\n", call_regard_error()), 9;
  for (int i = 0; i < length * config.d_model; i++) printf("%08x", bits_of(states[i]));
  printf("\n");
  regard_search* search;
  int32_t status = call_regard_search_open(model, ids, texts, length, &settings, 2, 8, &search);
  int64_t done = 0;
  while (status == 0 && done < texts) status = call_regard_search_run(search, 0, &done);
  regard_hypotheses found;
  if (status || call_regard_search_read(search, &found))
    return fprintf(stderr, "%s\n", call_regard_error()), 6;
  for (int i = 0; i < found.hypotheses; i++, printf("\n")) {
    printf("%08x", bits_of(found.scores[i]));
    for (int t = 0; t < found.lengths[i]; t++) printf(" %d", *found.ids++);
  }
  call_regard_close(model);
}
