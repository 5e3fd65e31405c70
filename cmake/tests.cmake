# One test program per room and label, from tests/<room>/: *_test.cpp is `fast`, *_data_test.cpp needs
# FAITHFUL_DATA (`data`), *_slow_test.cpp is `slow`. Run one: make dev ROOM=base TEST='Random.*'
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
include(engine_oracles)
set(FAITHFUL_PYTHON /usr/bin/python3 CACHE FILEPATH "The python3 that has Debian's modules")

# GoogleTest is precompiled once, here, and shared by every test program.
add_library(faithful_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/main.cpp ${PROJECT_SOURCE_DIR}/tests/allocations.cpp)
target_link_libraries(faithful_test_main PUBLIC GTest::gtest rapidcheck fmt::fmt)
target_include_directories(faithful_test_main PUBLIC ${PROJECT_SOURCE_DIR})
target_precompile_headers(faithful_test_main PRIVATE <gtest/gtest.h> <string> <vector>)
set_target_properties(faithful_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # as the programs that use it

function(faithful_test_program room label)
  set(sources ${ARGN})
  if(NOT sources)
    return()
  endif()
  set(name test_${room})
  if(NOT label STREQUAL fast)
    set(name test_${room}_${label})
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE faithful_${room} faithful_test_main ${FAITHFUL_TEST_LINKS_${room}})
  target_precompile_headers(${name} REUSE_FROM faithful_test_main)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  add_test(NAME ${room}-${label} COMMAND ${name})
  set_tests_properties(${room}-${label} PROPERTIES LABELS "${label};unit;room-${room}")
endfunction()

# FFTW is the oracle of our transform; it is in the tests only (its licence does not fit the product).
find_library(FAITHFUL_FFTW fftw3 REQUIRED)
set(FAITHFUL_TEST_LINKS_fourier ${FAITHFUL_FFTW})

# Where the model's conformance tests find what PyTorch computed.
add_library(faithful_model_golden INTERFACE)
target_compile_definitions(faithful_model_golden INTERFACE FAITHFUL_MODEL_GOLDEN="${PROJECT_SOURCE_DIR}/tests/model/golden")
set(FAITHFUL_TEST_LINKS_model faithful_model_golden)

foreach(room IN LISTS FAITHFUL_ROOMS)
  file(GLOB all CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp)
  foreach(label data slow)
    set(${label} ${all})
    list(FILTER ${label} INCLUDE REGEX "_${label}_test\\.cpp$")
    list(FILTER all EXCLUDE REGEX "_${label}_test\\.cpp$")
    faithful_test_program(${room} ${label} ${${label}})
  endforeach()
  faithful_test_program(${room} fast ${all})
endforeach()

# Engine and models on fresh numbers against the PyTorch that is installed; skipped where there is none.
foreach(room engine model)
  add_test(NAME ${room}-conformance COMMAND ${FAITHFUL_PYTHON} ${PROJECT_SOURCE_DIR}/tests/live_conformance.py
    ${room} $<TARGET_FILE:test_${room}>)
  set_tests_properties(${room}-conformance PROPERTIES LABELS "fast;program" SKIP_RETURN_CODE 77
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()

# A Python test: tests/app/<name>.py is a pytest file that drives the program as a user would; *_slow.py is `slow`.
set(FAITHFUL_TEST_ENV
  "FAITHFUL=$<TARGET_FILE:faithful_program>" "FAITHFUL_SOURCE=${PROJECT_SOURCE_DIR}" "FAITHFUL_BUILD=${PROJECT_BINARY_DIR}"
  "PYTHONDONTWRITEBYTECODE=1")
if(FAITHFUL_SANITIZE)
  list(APPEND FAITHFUL_TEST_ENV FAITHFUL_SANITIZED=1)
endif()
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/app/test_*.py)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^test_" "app-" name ${name})
  add_test(NAME ${name} COMMAND ${FAITHFUL_PYTHON} -m pytest -q -p no:cacheprovider ${script})
  set(label fast)
  if(name MATCHES "_slow$")
    set(label slow)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${label};program;app" ENVIRONMENT "${FAITHFUL_TEST_ENV}")
endforeach()

# Loaded before the C library by test_faults.py: fails the n-th allocation, read, write, ... of the program.
add_library(fail_nth MODULE ${PROJECT_SOURCE_DIR}/tests/faults/fail_nth.cpp)
target_link_libraries(fail_nth PRIVATE ${CMAKE_DL_LIBS})
target_compile_options(fail_nth PRIVATE -fno-builtin)
set_target_properties(fail_nth PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  CXX_VISIBILITY_PRESET default)

# Run under mpirun by test_mpi.py.
add_executable(ranks_exchange ${PROJECT_SOURCE_DIR}/tests/ranks/exchange.cpp)
target_link_libraries(ranks_exchange PRIVATE faithful)

# The Python package of the build tree, with Debian's python3 and packages.
if(FAITHFUL_PYTHON_MODULE)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    string(REGEX REPLACE "^test_" "python-" name ${name})
    add_test(NAME ${name} COMMAND ${FAITHFUL_PYTHON} -m pytest -q -rs -p no:cacheprovider ${script})
    set_tests_properties(${name} PROPERTIES LABELS "fast;program"
      ENVIRONMENT "${FAITHFUL_TEST_ENV};PYTHONPATH=${PROJECT_BINARY_DIR}/python")
  endforeach()
endif()

# The metrics against scikit-learn and SciPy: a Python test puts cases to a small program.
add_executable(metrics_oracle ${PROJECT_SOURCE_DIR}/tests/metrics/oracle.cpp)
target_link_libraries(metrics_oracle PRIVATE faithful_metrics fmt::fmt)
add_test(NAME metrics-oracle
  COMMAND ${FAITHFUL_PYTHON} -m pytest -q -p no:cacheprovider ${PROJECT_SOURCE_DIR}/tests/metrics/test_oracle.py)
set_tests_properties(metrics-oracle PROPERTIES LABELS "fast;program"
  ENVIRONMENT "FAITHFUL_METRICS_ORACLE=$<TARGET_FILE:metrics_oracle>;PYTHONDONTWRITEBYTECODE=1")

# The picture of the augmentations in the documents, drawn by the code of the training.
add_executable(augmentation_picture ${PROJECT_SOURCE_DIR}/tests/train/augmentation_picture.cpp)
target_link_libraries(augmentation_picture PRIVATE faithful_train faithful_simulate faithful_report)
add_test(NAME augmentation-picture COMMAND augmentation_picture)
set_tests_properties(augmentation-picture PROPERTIES LABELS "fast;program")

# The tree's own rules, and every example and console block of the documents.
add_test(NAME layers COMMAND ${FAITHFUL_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_layers.py ${PROJECT_SOURCE_DIR})
add_test(NAME fields COMMAND ${FAITHFUL_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_fields.py ${PROJECT_SOURCE_DIR})
add_test(NAME documents COMMAND ${FAITHFUL_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_documents.py ${PROJECT_SOURCE_DIR})
set_tests_properties(layers fields documents PROPERTIES LABELS "fast;program" ENVIRONMENT "${FAITHFUL_TEST_ENV}")

# A build where packages are missing names them in one line.
add_test(NAME missing-packages COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${PROJECT_BINARY_DIR}/missing-packages
  -DFAITHFUL_TESTS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON)
set_tests_properties(missing-packages PROPERTIES LABELS "fast;program"
  PASS_REGULAR_EXPRESSION "packages are missing: sudo apt-get install --no-install-recommends libfmt-dev zlib1g-dev\n")

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(example IN LISTS examples)
  get_filename_component(name ${example} NAME_WE)
  add_executable(example_${name} ${example})
  target_link_libraries(example_${name} PRIVATE faithful)
  add_test(NAME example-${name} COMMAND example_${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  set_tests_properties(example-${name} PROPERTIES LABELS "fast;program")
endforeach()

# The pump's log, which examples read.
add_test(NAME example-pump-data COMMAND sh -c "awk -f '${PROJECT_SOURCE_DIR}/examples/pump.awk' > pump.csv"
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
set_tests_properties(example-pump-data PROPERTIES LABELS "fast;program" FIXTURES_SETUP pump)
set_tests_properties(example-pump PROPERTIES FIXTURES_REQUIRED pump PASS_REGULAR_EXPRESSION "Look first at temp")
