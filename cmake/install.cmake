# Program, library, public headers, CMake package, pkg-config file, man page, completions.
include(CMakePackageConfigHelpers)

install(TARGETS faithful_program RUNTIME)
install(TARGETS faithful EXPORT faithful-targets LIBRARY)
install(DIRECTORY faithful DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/faithful)
install(EXPORT faithful-targets NAMESPACE faithful:: DESTINATION ${config_dir} FILE faithful-config.cmake)
write_basic_package_version_file(${FAITHFUL_GENERATED}/faithful-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${FAITHFUL_GENERATED}/faithful-config-version.cmake DESTINATION ${config_dir})

configure_file(${PROJECT_SOURCE_DIR}/cmake/faithful.pc.in ${FAITHFUL_GENERATED}/faithful.pc @ONLY)
install(FILES ${FAITHFUL_GENERATED}/faithful.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(NOT CMAKE_CROSSCOMPILING)
  install(FILES ${FAITHFUL_SHARE}/faithful.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${FAITHFUL_SHARE}/faithful.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME faithful)
  install(FILES ${FAITHFUL_SHARE}/_faithful DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${FAITHFUL_SHARE}/faithful.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
