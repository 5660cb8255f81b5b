// Compiled once for each family of processors, whose name is the macro FAMILY.
#include "kernels/attention.h"
#include "kernels/likeliest.h"
#include "kernels/product.h"
#include "kernels/norm.h"

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

namespace regard {

extern const Kernels FAMILY;
const Kernels FAMILY = {TEXT_OF(FAMILY), product,   round_rows, normalize, attend, attend_past,
                        rotate,          scale_all, embed,      log_sum,   top};

}  // namespace regard
