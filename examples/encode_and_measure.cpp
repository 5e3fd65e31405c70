// Builds two encodings and measures how well each one tells positions apart.

#include <cstdio>

#include "faithful/analysis/analysis.h"
#include "faithful/encoding/encoding.h"

int main() {
  const faithful::EncodingOptions options{.length = 80, .dim = 256};
  for (const char* name : {"sinusoidal", "dft"}) {
    const faithful::Analysis analysis = faithful::analyze(name, options);
    std::printf("%-10s smallest distance %.3f, stable rank %.1f of 80\n", name, *analysis.faithfulness.min_distance,
                *analysis.faithfulness.stable_rank);
  }
}
