// The processor is asked once which of the kernels it can run.
#include "kernels/kernels.h"
#if defined(__x86_64__) && !defined(ONE_FAMILY)
#include <cpuid.h>

#include <initializer_list>
#endif

namespace regard {

extern const Kernels plain;

#if defined(__x86_64__) && !defined(ONE_FAMILY)
extern const Kernels avx2, avx512, avx512_vnni;

namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
  explicit Registers(unsigned leaf) { __get_cpuid_count(leaf, 0, &a, &b, &c, &d); }
};

constexpr bool has(unsigned bits, std::initializer_list<int> places) {
  for (int place : places)
    if (!(bits >> place & 1)) return false;
  return true;
}

// 0: neither; 1: AVX2 with fused products; 2: AVX-512 as well; 3: and its products of bytes.
int level() {
  Registers one(1), seven(7);
  if (!has(one.c, {12, 27, 28})) return 0;  // FMA, XGETBV, AVX
  unsigned saved, high;                     // the registers that the system keeps for a process
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  if (!has(saved, {1, 2}) || !has(seven.b, {5})) return 0;
  if (!has(saved, {5, 6, 7}) || !has(seven.b, {16, 17, 30, 31})) return 1;  // F, DQ, BW, VL
  return has(seven.c, {11}) ? 3 : 2;
}

}  // namespace

const Kernels* kernels_at(int index) {
  static const int most = level();
  const Kernels* families[] = {&plain, &avx2, &avx512, &avx512_vnni};
  return index < 0 || index > most ? nullptr : families[most - index];
}

#else  // an arm64 processor has NEON, for which `plain` is compiled

const Kernels* kernels_at(int index) { return index == 0 ? &plain : nullptr; }

#endif

}  // namespace regard
