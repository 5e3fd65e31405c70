#include "tests/engine/oracle_blas.h"

#if FAITHFUL_WITH_DNNL
#include <dlfcn.h>
#include <dnnl.h>
#endif
#if FAITHFUL_WITH_OPENBLAS
// Of cblas.h, which lies in another folder on every system, we need these two.
extern "C" void openblas_set_num_threads(int);
extern "C" void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a,
                            int lda, const float* b, int ldb, float beta, float* c, int ldc);
#endif

namespace faithful::engine {

namespace {

#if FAITHFUL_WITH_DNNL
void dnnl(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  // oneDNN brings GNU's OpenMP with it; its header belongs to one compiler only, so the function is asked for by name.
  static const bool one_thread = [] {
    if (void* set = dlsym(RTLD_DEFAULT, "omp_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
    return true;
  }();
  (void)one_thread;
  const auto signed_of = [](std::size_t x) { return static_cast<dnnl_dim_t>(x); };
  dnnl_sgemm('N', 'N', signed_of(m), signed_of(n), signed_of(k), 1.0F, a, signed_of(k), b, signed_of(n), 0.0F, c,
             signed_of(n));
}
#endif

#if FAITHFUL_WITH_OPENBLAS
void openblas(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  openblas_set_num_threads(1);
  constexpr int kRowMajor = 101, kNoTranspose = 111;
  const auto int_of = [](std::size_t x) { return static_cast<int>(x); };
  cblas_sgemm(kRowMajor, kNoTranspose, kNoTranspose, int_of(m), int_of(n), int_of(k), 1.0F, a, int_of(k), b, int_of(n),
              0.0F, c, int_of(n));
}
#endif

}  // namespace

std::vector<std::pair<std::string, Sgemm>> oracle_sgemms() {
  std::vector<std::pair<std::string, Sgemm>> all;
#if FAITHFUL_WITH_DNNL
  all.emplace_back("oneDNN", dnnl);
#endif
#if FAITHFUL_WITH_OPENBLAS
  all.emplace_back("OpenBLAS", openblas);
#endif
  return all;
}

}  // namespace faithful::engine
