# A module that runs with older C libraries than that of the build machine, for wheels (tools/wheels): `faithful_use_old_glibc(TARGET)`.
# The linker takes the version of each symbol from the library that it finds first. So it gets small libraries which have
# only the names below, with the version that glibc has had since 2002 (x86-64). Their later versions differ in how errors
# are reported, or were moved from libpthread to libc; the numbers are the same. What older C libraries do not have at all
# is in python/static/old_glibc.cpp.
set(FAITHFUL_OLD_NAMES_m exp exp2 hypot log log2 pow)
set(FAITHFUL_OLD_NAMES_pthread pthread_create pthread_detach pthread_getspecific pthread_join pthread_key_create pthread_key_delete
  pthread_once pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_setspecific __pthread_key_create)
set(FAITHFUL_OLD_NAMES_c __fxstat __fxstat64 __lxstat __xstat)
set(FAITHFUL_OLD_SONAME_m libm.so.6)
set(FAITHFUL_OLD_SONAME_pthread libpthread.so.0)
set(FAITHFUL_OLD_SONAME_c libc.so.6)

function(faithful_use_old_glibc target)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    message(FATAL_ERROR "FAITHFUL_OLD_GLIBC is for x86-64 only")
  endif()
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/python/static/old_glibc.cpp)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/python/static/old_glibc.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(library m pthread c)
    set(names ${FAITHFUL_OLD_NAMES_${library}})
    set(folder ${PROJECT_BINARY_DIR}/old_glibc/${library})
    list(TRANSFORM names REPLACE "(.+)" "extern \"C\" void \\1() {}" OUTPUT_VARIABLE functions)
    list(JOIN functions "\n" functions)
    list(JOIN names "; " exported)
    file(CONFIGURE OUTPUT ${folder}/names.cpp CONTENT "${functions}\n")
    file(CONFIGURE OUTPUT ${folder}/names.map CONTENT "GLIBC_2.2.5 { global: ${exported}; local: *; };\n")
    add_library(faithful_old_${library} SHARED ${folder}/names.cpp)
    target_compile_options(faithful_old_${library} PRIVATE -w -fno-builtin -fvisibility=default)
    target_link_options(faithful_old_${library} PRIVATE -nostdlib -Wl,--version-script=${folder}/names.map)
    # CMake would name the file after the soname it gives; the file's own name does not matter.
    set_target_properties(faithful_old_${library} PROPERTIES NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${folder})
    target_link_options(faithful_old_${library} PRIVATE -Wl,-soname,${FAITHFUL_OLD_SONAME_${library}})
    add_dependencies(${target} faithful_old_${library})
  endforeach()
  # As one option, because CMake leaves out repeated ones. The objects that need them come later on the command line.
  set(files "$<TARGET_FILE:faithful_old_m> $<TARGET_FILE:faithful_old_pthread> $<TARGET_FILE:faithful_old_c>")
  target_link_options(${target} PRIVATE "SHELL:-Wl,--no-as-needed ${files} -Wl,--as-needed")
endfunction()
