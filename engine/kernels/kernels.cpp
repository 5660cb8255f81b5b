// Compiled once for each family of processors, whose name is the macro FAMILY. A family that differs
// from another in products of integers alone has only these, and the rest from that one, LIKE: a
// tenth of the library.
#include "kernels/product.h"
#ifndef LIKE
#include "kernels/attention.h"
#include "kernels/likeliest.h"
#include "kernels/norm.h"
#endif

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

namespace regard {

extern const Kernels FAMILY;
#ifdef LIKE
const Kernels FAMILY = [] {
  Kernels kernels = LIKE;
  kernels.name = TEXT_OF(FAMILY);
  kernels.product = product;
  return kernels;
}();
#else
const Kernels FAMILY = {TEXT_OF(FAMILY), product,   round_rows, normalize, attend, attend_past,
                        rotate,          scale_all, embed,      log_sum,   top};
#endif

}  // namespace regard
