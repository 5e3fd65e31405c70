# The rooms, in the order data flows. `faithful_room(NAME USES ROOM... LINKS LIBRARY...)`: sources are all
# .cpp files of the folder; USES names the only rooms (besides base) whose headers it may include.
# tools/check_layers.py reads these lines and holds the code to them.

# Most of the time of a compilation goes into the headers of the standard library and {fmt}: they are precompiled once,
# for every room and the program.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/headers.cpp CONTENT "")
add_library(faithful_headers OBJECT ${PROJECT_BINARY_DIR}/generated/headers.cpp)
target_link_libraries(faithful_headers PRIVATE fmt::fmt)
target_precompile_headers(faithful_headers PRIVATE <algorithm> <atomic> <chrono> <cmath> <fstream> <functional> <map>
  <memory> <numeric> <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

set(FAITHFUL_ROOMS "")
set(FAITHFUL_LINKS fmt::fmt)  # what libfaithful links to
function(faithful_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;LINKS")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/faithful/${name}/*.cpp)
  add_library(faithful_${name} STATIC ${sources})
  target_include_directories(faithful_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  if(NOT name STREQUAL base)
    list(PREPEND room_USES base)
  endif()
  list(TRANSFORM room_USES PREPEND faithful_)
  target_link_libraries(faithful_${name} PUBLIC ${room_USES} PRIVATE fmt::fmt ${room_LINKS})
  target_precompile_headers(faithful_${name} REUSE_FROM faithful_headers)
  faithful_compile_together(faithful_${name})
  set(FAITHFUL_ROOMS ${FAITHFUL_ROOMS} ${name} PARENT_SCOPE)
  set(FAITHFUL_LINKS ${FAITHFUL_LINKS} ${room_LINKS} PARENT_SCOPE)
endfunction()

faithful_room(base LINKS hwy::hwy Threads::Threads)
faithful_room(io LINKS ZLIB::ZLIB nlohmann_json::nlohmann_json)
faithful_room(fourier)
faithful_room(ranks LINKS ${CMAKE_DL_LIBS} Threads::Threads)
faithful_room(engine USES ranks LINKS hwy::hwy)
# Plain loops over columns, which GCC turns into vectors only at this level.
set_source_files_properties(${PROJECT_SOURCE_DIR}/faithful/engine/norm.cpp ${PROJECT_SOURCE_DIR}/faithful/engine/pool.cpp
  PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
faithful_room(encoding USES fourier engine LINKS hwy::hwy Eigen3::Eigen)
faithful_room(analysis USES io fourier encoding LINKS Eigen3::Eigen)
faithful_room(data USES io)
faithful_room(simulate USES data)
faithful_room(window USES data)
faithful_room(model USES data window engine encoding)
faithful_room(metrics)
faithful_room(kernels USES io data window engine model metrics LINKS hwy::hwy)
faithful_room(trained USES io data window engine model kernels metrics)
faithful_room(evaluate USES io data window engine model metrics trained)
faithful_room(train USES io ranks data window engine encoding model kernels metrics evaluate trained)
faithful_room(predict USES io data window engine model metrics trained)
faithful_room(report USES io)
faithful_room(diagnose USES io data window engine model metrics trained report LINKS Eigen3::Eigen)
faithful_room(study USES io data window engine encoding analysis metrics model evaluate trained train LINKS Eigen3::Eigen)

# HDF5 is optional: without it the reader and the writer say that they are not there.
option(FAITHFUL_HDF5 "Read and write HDF5 files" ON)
file(GLOB hdf5_sources ${PROJECT_SOURCE_DIR}/faithful/data/hdf5_*.cpp)
set_source_files_properties(${hdf5_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # compiled alone in both cases
if(FAITHFUL_HDF5)
  # By hand: find_package(HDF5) wants a C compiler to be part of the project.
  find_path(FAITHFUL_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
  find_library(FAITHFUL_HDF5_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
  target_link_libraries(faithful_data PRIVATE ${FAITHFUL_HDF5_LIBRARY})
  # Seen by these alone, so that a build without HDF5 compiles nothing else anew.
  set_source_files_properties(${hdf5_sources} PROPERTIES COMPILE_DEFINITIONS FAITHFUL_HDF5
    COMPILE_OPTIONS "-isystem;${FAITHFUL_HDF5_INCLUDE}")
  add_library(faithful_test_hdf5 INTERFACE)
  target_compile_definitions(faithful_test_hdf5 INTERFACE FAITHFUL_TEST_HDF5)
  set(FAITHFUL_TEST_LINKS_data faithful_test_hdf5)
  list(APPEND FAITHFUL_LINKS ${FAITHFUL_HDF5_LIBRARY})
endif()

add_dependencies(faithful_base faithful_build_info)
target_include_directories(faithful_base PRIVATE ${FAITHFUL_GENERATED})
