# Flags common to everything we compile.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# Run from the build tree and from any prefix, and keep the build's path out of the binaries.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<BOOL:${FAITHFUL_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>         # GCC 12 sees overlaps in std::string + that are not there (its bug 105651)
  -ffp-contract=off                               # the same bits whatever the compiler would fuse
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.       # the same bytes wherever the tree lies
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
add_link_options(-Wl,--as-needed)

if(FAITHFUL_SANITIZE)
  add_compile_options(-fsanitize=${FAITHFUL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FAITHFUL_SANITIZE})
  # Highway's scalar code as GCC 12 has it, not its emulation of vectors, which takes minutes to test with clang's sanitizers.
  add_compile_definitions(HWY_BROKEN_EMU128=1)
endif()

# Several sources of a room are compiled at once, which takes half the time when everything is compiled. After an edit it
# takes longer, so the preset `dev` does without. Some sources are compiled alone: those with a header that is slow to
# compile, the one that changes with every commit (build_info.h), and Highway's kernels, which include themselves once per
# instruction set.
option(FAITHFUL_UNITY "Compile several sources at once" ON)
function(faithful_compile_together target)
  if(NOT FAITHFUL_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} alone REGEX "^#include (<Eigen/|<CLI/|<hwy/|\"build_info.h\")|^#define HWY_TARGET_INCLUDE")
    if(alone)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # GCC takes every included file for a header, whose classes should have no members of unnamed namespaces.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need the two kinds of sloppiness (the content is still hashed). Checkouts share their objects:
  # paths below the source folder are taken as relative, which the prefix maps above make true.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${CCACHE})
endif()
