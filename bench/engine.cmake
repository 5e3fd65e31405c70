# The engine's benchmarks: `engine_step` alone, and bench/engine_peers.py beside PyTorch and ONNX Runtime.
include(engine_oracles)
add_executable(bench_engine_step ${PROJECT_SOURCE_DIR}/bench/engine_step.cpp)
set_target_properties(bench_engine_step PROPERTIES OUTPUT_NAME engine_step)
target_link_libraries(bench_engine_step PRIVATE faithful_engine faithful_engine_oracles fmt::fmt)
