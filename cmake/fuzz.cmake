# Each fuzz/fuzz_<name>.cpp is a libFuzzer target. In every build it is linked with a driver that replays
# fuzz/corpus/<name>/ as a test (replay_<name>); in the presets `asan` and `fuzz` (clang) also as the real fuzzer (fuzz_<name>).
add_library(faithful_replay OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/fuzz/replay.cpp)
file(GLOB targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.cpp)
foreach(source IN LISTS targets)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" corpus ${name})
  # It is linked with the rooms whose headers it includes.
  file(STRINGS ${source} includes REGEX "^#include \"faithful/")
  list(TRANSFORM includes REPLACE "^#include \"faithful/([a-z]+)/.*" "faithful_\\1" OUTPUT_VARIABLE rooms)
  list(REMOVE_DUPLICATES rooms)
  add_library(input_${corpus} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(input_${corpus} PUBLIC ${rooms} fmt::fmt)

  add_executable(replay_${corpus})
  target_link_libraries(replay_${corpus} PRIVATE faithful_replay input_${corpus})
  add_test(NAME fuzz-${corpus} COMMAND replay_${corpus} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${corpus})
  set_tests_properties(fuzz-${corpus} PROPERTIES LABELS "fast;unit;fuzz")
  if(FAITHFUL_SANITIZE MATCHES fuzzer)
    add_executable(${name})
    target_link_libraries(${name} PRIVATE input_${corpus})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()
