# The Python module faithful._core, for `make test` (with Debian's pybind11-dev) and for the wheel (pyproject.toml). The
# rooms are linked in, and so are {fmt}, Highway and libstdc++: it needs nothing but the C library, and shows nothing but
# its entry point.
option(FAITHFUL_PYTHON_MODULE "Build the Python module" OFF)
if(NOT FAITHFUL_PYTHON_MODULE)
  return()
endif()
if(NOT SKBUILD)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The python3 that has Debian's modules")
endif()
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 CONFIG REQUIRED)

file(GLOB bindings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cpp ${PROJECT_SOURCE_DIR}/python/static/*.cpp)
pybind11_add_module(faithful_core MODULE NO_EXTRAS ${bindings})
list(TRANSFORM FAITHFUL_ROOMS PREPEND faithful_ OUTPUT_VARIABLE rooms)
target_link_libraries(faithful_core PRIVATE ${rooms} fmt::fmt hwy::hwy)
target_link_options(faithful_core PRIVATE -static-libstdc++ -static-libgcc
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/python/static/exports.map)
set(package ${PROJECT_BINARY_DIR}/python/faithful)
# In two pieces: most of the time goes into pybind11's headers.
set_target_properties(faithful_core PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package} UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
set_source_files_properties(${PROJECT_SOURCE_DIR}/python/static/fmt.cpp ${PROJECT_SOURCE_DIR}/python/static/highway.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(SKBUILD)
  install(TARGETS faithful_core LIBRARY DESTINATION faithful COMPONENT python)
  # What is linked in wants its notices to come along.
  foreach(library libeigen3-dev libfmt-dev libhwy-dev libkissfft-dev nlohmann-json3-dev zlib1g-dev gcc-12-base)
    if(EXISTS /usr/share/doc/${library}/copyright)
      install(FILES /usr/share/doc/${library}/copyright DESTINATION faithful/licenses RENAME ${library}.txt COMPONENT python)
    endif()
  endforeach()
  file(GLOB notice ${pybind11_DIR}/../../../../pybind11-*.dist-info/licenses/LICENSE)
  install(FILES ${notice} DESTINATION faithful/licenses RENAME pybind11.txt COMPONENT python)
endif()

# Beside the module of the build tree, the package's other files: PYTHONPATH=build/release/python.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/faithful ${PROJECT_SOURCE_DIR}/python/faithful/*)
list(FILTER sources EXCLUDE REGEX __pycache__)
foreach(source IN LISTS sources)
  get_filename_component(folder ${package}/${source} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/faithful/${source} ${package}/${source} SYMBOLIC)
endforeach()
