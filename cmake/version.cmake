# Writes <build>/generated/build_info.h with the version and the commit. The commit is looked up at
# every build, and the file changes only when the commit does.
set(FAITHFUL_GENERATED ${PROJECT_BINARY_DIR}/generated)
add_custom_target(faithful_build_info
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${FAITHFUL_GENERATED}/build_info.h -DSOURCE=${PROJECT_SOURCE_DIR}
          -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake
  BYPRODUCTS ${FAITHFUL_GENERATED}/build_info.h
  COMMENT "" VERBATIM)
