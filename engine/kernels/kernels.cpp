// Compiled once for each family of processors, whose name is the macro FAMILY. A family that differs
// from another, LIKE, in products of integers alone has only its product: a tenth of the library.
//
// Every processor loads this code and some cannot run it: nothing here may run before it is chosen,
// so both are constants that the compiler knows.
#include "kernels/product.h"
#ifndef LIKE
#include "kernels/attention.h"
#include "kernels/likeliest.h"
#include "kernels/norm.h"
#endif

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

namespace regard {

#ifdef LIKE
extern const Product FAMILY;
const Product FAMILY = product;
#else
extern const Kernels FAMILY;
const Kernels FAMILY = {TEXT_OF(FAMILY), product,   round_rows, normalize, attend, products,
                        attend_past,     rotate,    scale_all,  cap,       embed,  log_sum,
                        top,             softmax,   clamped_gate};
#endif

}  // namespace regard
