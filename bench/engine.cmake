# The engine's benchmarks: `engine_step` alone, `dfstrans_step` on the whole model of that name, and `engine_serve` as the worker of bench/engine_peers.py beside PyTorch
# and ONNX Runtime.
include(engine_oracles)
foreach(program engine_step engine_serve)
  add_executable(bench_${program} ${PROJECT_SOURCE_DIR}/bench/${program}.cpp)
  set_target_properties(bench_${program} PROPERTIES OUTPUT_NAME ${program})
  target_link_libraries(bench_${program} PRIVATE faithful_engine faithful_engine_oracles fmt::fmt)
endforeach()
faithful_bench(kernels faithful_engine)
target_sources(bench_engine_serve PRIVATE ${PROJECT_SOURCE_DIR}/bench/fma_peak.cpp)
target_link_libraries(bench_engine_serve PRIVATE hwy::hwy)
add_executable(bench_dfstrans_step ${PROJECT_SOURCE_DIR}/bench/dfstrans_step.cpp)
set_target_properties(bench_dfstrans_step PROPERTIES OUTPUT_NAME dfstrans_step)
target_link_libraries(bench_dfstrans_step PRIVATE faithful_model faithful_engine_oracles fmt::fmt)
