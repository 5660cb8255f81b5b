// The processor is asked once which of the kernels it can run.
#include "kernels/kernels.h"
#if defined(ONE_FAMILY) || defined(__wasm__)
#elif defined(__x86_64__)
#include <cpuid.h>

#include <initializer_list>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

namespace regard {

extern const Kernels plain, avx2, avx512;
extern const Product avx_vnni, avx512_vnni, neon_dot;

namespace {

struct Family {
  Kernels kernels;
  bool runs;
};

[[maybe_unused]] Kernels with(const char* name, Product product, Kernels kernels) {
  kernels.name = name;
  kernels.product = product;
  return kernels;
}

#if defined(ONE_FAMILY) || defined(__wasm__)
const Family best_first[] = {{plain, true}};
#elif defined(__x86_64__)

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
  explicit Registers(unsigned leaf, unsigned part = 0) {
    if (__get_cpuid_max(0, nullptr) >= leaf) __cpuid_count(leaf, part, a, b, c, d);
  }
};

constexpr bool has(unsigned bits, std::initializer_list<int> places) {
  for (int place : places)
    if (!(bits >> place & 1)) return false;
  return true;
}

// The registers that the system keeps for a process.
unsigned saved_registers() {
  if (!has(Registers(1).c, {12, 27, 28})) return 0;  // FMA, XGETBV, AVX
  unsigned saved, high;
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  return saved;
}

const unsigned saved = saved_registers();
const Registers seven(7), seven_one(seven.a >= 1 ? 7 : 0xffffffff, 1);
const bool has_avx2 = has(saved, {1, 2}) && has(seven.b, {5});
const bool has_avx512 = has_avx2 && has(saved, {5, 6, 7}) && has(seven.b, {16, 17, 30, 31});
const bool has_avx512_vnni = has_avx512 && has(seven.c, {11});  // AVX-512 is F, DQ, BW and VL
const Family best_first[] = {
    {with("avx512_vnni", avx512_vnni, avx512), has_avx512_vnni},
    {with("avx_vnni", avx_vnni, avx2), has_avx2 && has(seven_one.a, {4})},
    {avx512, has_avx512},
    {avx2, has_avx2},
    {plain, true},
};

#else  // arm64, where NEON is always there; all of Apple's multiply bytes

#ifdef __linux__
const bool has_dot = getauxval(AT_HWCAP) >> 20 & 1;
#else
const bool has_dot = true;
#endif
const Family best_first[] = {{with("neon_dot", neon_dot, plain), has_dot}, {plain, true}};

#endif

}  // namespace

const Kernels* kernels_at(int index) {
  for (const Family& family : best_first)
    if (family.runs && index >= 0 && index-- == 0) return &family.kernels;
  return nullptr;
}

}  // namespace regard
