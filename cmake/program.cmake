# The program: everything in app/, on top of libfaithful's public interface alone. CLI11 is slow to
# compile and is seen by app/parse.cpp only.
file(GLOB app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/*.cpp ${PROJECT_SOURCE_DIR}/app/pages/*.cpp)
list(REMOVE_ITEM app_sources ${PROJECT_SOURCE_DIR}/app/main.cpp)
add_library(faithful_app OBJECT ${app_sources})
target_link_libraries(faithful_app PUBLIC faithful fmt::fmt CLI11::CLI11)
target_include_directories(faithful_app PUBLIC ${PROJECT_SOURCE_DIR})
target_precompile_headers(faithful_app REUSE_FROM faithful_headers)
faithful_compile_together(faithful_app)
add_executable(faithful_program app/main.cpp)
set_target_properties(faithful_program PROPERTIES OUTPUT_NAME faithful INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
target_link_libraries(faithful_program PRIVATE faithful_app)

# Man page and shell completions, written by the program itself from its command tree.
set(FAITHFUL_SHARE ${PROJECT_BINARY_DIR}/share)
if(CMAKE_CROSSCOMPILING)
  return()
endif()
add_custom_command(OUTPUT ${FAITHFUL_SHARE}/faithful.1 ${FAITHFUL_SHARE}/faithful.bash ${FAITHFUL_SHARE}/_faithful ${FAITHFUL_SHARE}/faithful.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${FAITHFUL_SHARE}
  COMMAND faithful_program --generate man > ${FAITHFUL_SHARE}/faithful.1
  COMMAND faithful_program --generate bash > ${FAITHFUL_SHARE}/faithful.bash
  COMMAND faithful_program --generate zsh > ${FAITHFUL_SHARE}/_faithful
  COMMAND faithful_program --generate fish > ${FAITHFUL_SHARE}/faithful.fish
  DEPENDS faithful_program COMMENT "Writing man page and completions" VERBATIM)
add_custom_target(faithful_share ALL DEPENDS ${FAITHFUL_SHARE}/faithful.1)
