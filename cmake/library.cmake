# libfaithful: every room in one shared library; only what is marked FAITHFUL_API is visible.
add_library(faithful SHARED)
add_library(faithful::faithful ALIAS faithful)
foreach(room IN LISTS FAITHFUL_ROOMS)
  target_sources(faithful PRIVATE $<TARGET_OBJECTS:faithful_${room}>)
endforeach()
target_link_libraries(faithful PRIVATE ${FAITHFUL_LINKS})
target_include_directories(faithful INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(faithful INTERFACE cxx_std_20)
set_target_properties(faithful PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # before 1.0 a minor version may break the ABI
if(NOT FAITHFUL_SANITIZE)
  target_link_options(faithful PRIVATE -Wl,--no-undefined)
endif()
