// What WebAssembly lacks: exceptions of `new`, since its library of C++ is built without; memory for
// the page's arguments, and its listener; and a clock, so that nothing is asked of a system but to print
// an abort's reason.
#include <cstdlib>
#include <ctime>
#include <new>

#include "interface.h"

__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");

void* operator new(size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void* operator new(size_t size, std::align_val_t alignment) {
  const size_t to = static_cast<size_t>(alignment);
  if (size <= SIZE_MAX - to)
    if (void* memory = std::aligned_alloc(to, (size + to - 1) / to * to)) return memory;
  throw std::bad_alloc();
}

extern "C" {

int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }  // the thread has no end
int clock_gettime(clockid_t, timespec* now) { return *now = {}, 0; }  // nothing is late

__attribute__((visibility("default"))) void* regard_allocate(size_t size) {
  return std::malloc(size);
}
__attribute__((visibility("default"))) void regard_free(void* memory) { std::free(memory); }

// The page's listener, and whether it is told.
__attribute__((import_module("page"), import_name("listen"))) int32_t page_listen(
    const regard_attention*);
__attribute__((visibility("default"))) void regard_listen_page(int32_t listens) {
  regard_listen(listens ? page_listen : nullptr);
}

}  // extern "C"

void std::__libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
