# oneDNN and OpenBLAS as oracles of the engine's tests and peers in its benchmarks. Each may be missing. (Debian's
# find_package(dnnl) asks for OpenCL's -dev files, so the library is looked up by name.)
include_guard()
find_library(FAITHFUL_DNNL dnnl)
find_library(FAITHFUL_OPENBLAS openblas)
add_library(faithful_engine_oracles STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/engine/oracle_blas.cpp)
target_include_directories(faithful_engine_oracles PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(faithful_engine_oracles PRIVATE ${CMAKE_DL_LIBS})
foreach(library DNNL OPENBLAS)
  if(FAITHFUL_${library})
    target_compile_definitions(faithful_engine_oracles PRIVATE FAITHFUL_WITH_${library}=1)
    target_link_libraries(faithful_engine_oracles PRIVATE ${FAITHFUL_${library}})
  endif()
endforeach()
# Where the conformance tests find what PyTorch computed.
target_compile_definitions(faithful_engine_oracles PUBLIC FAITHFUL_ENGINE_GOLDEN="${PROJECT_SOURCE_DIR}/tests/engine/golden")
set(FAITHFUL_TEST_LINKS_engine faithful_engine_oracles)

if(NOT FAITHFUL_TESTS)
  return()
endif()
# The kernels on the lesser instruction sets that every machine of its kind has.
set(sets scalar)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND sets sse4)
endif()
foreach(set IN LISTS sets)
  add_test(NAME engine-fast-${set} COMMAND test_engine --gtest_brief=1)
  set_tests_properties(engine-fast-${set} PROPERTIES LABELS "fast;unit;room-engine" ENVIRONMENT FAITHFUL_ISA=${set})
endforeach()
# The same bits on any number of threads with AVX2 forced, also where the machine has better; skipped where it has not
# even that.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  add_test(NAME engine-threads-avx2 COMMAND test_engine --gtest_filter=Shards.WeightsAreBitIdenticalForAnyNumberOfThreads)
  set_tests_properties(engine-threads-avx2 PROPERTIES LABELS "fast;unit;room-engine" ENVIRONMENT FAITHFUL_ISA=avx2
    SKIP_REGULAR_EXPRESSION "FAITHFUL_ISA: expected one of")
endif()
