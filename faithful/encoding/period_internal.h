#pragma once

#include "faithful/encoding/own_options.h"

namespace faithful {

inline const OwnOption kPeriod{
    {"period",
     "N",
     "positions after which the codes repeat; 0: d for dft, twice the positions for spectral",
     {.least = 0}},
    std::size_t{0},
    /*in_table=*/true,
    /*refused_elsewhere=*/true};

}  // namespace faithful
