# A module that runs with older C libraries than that of the build machine, for wheels (tools/wheels): `faithful_use_old_glibc(TARGET)`.
# The linker takes the newest version of each symbol. For the names below it is told to call a one-instruction function
# instead, which goes on to the version that glibc has had since 2002 (x86-64). The later versions differ in how errors are
# reported, or were moved from libpthread to libc; the numbers are the same. What older C libraries do not have at all is
# in python/static/old_glibc.cpp.
set(FAITHFUL_OLD_NAMES dladdr dlerror dlopen dlsym exp exp2 hypot log log2 pow
  pthread_create pthread_detach pthread_getspecific pthread_join pthread_key_create pthread_key_delete
  pthread_mutex_trylock pthread_once
  pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_setspecific __pthread_key_create)

function(faithful_use_old_glibc target)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    message(FATAL_ERROR "FAITHFUL_OLD_GLIBC is for x86-64 only")
  endif()
  set(functions "")
  foreach(name ${FAITHFUL_OLD_NAMES})
    string(APPEND functions "asm(\".symver old_${name}, ${name}@GLIBC_2.2.5\");\n"
      "asm(\".text\\n.globl __wrap_${name}\\n.type __wrap_${name}, @function\\n__wrap_${name}: jmp old_${name}@PLT\");\n")
    target_link_options(${target} PRIVATE -Wl,--wrap=${name})
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/old_glibc/names.cpp CONTENT "${functions}" @ONLY)
  set(sources ${PROJECT_BINARY_DIR}/old_glibc/names.cpp ${PROJECT_SOURCE_DIR}/python/static/old_glibc.cpp)
  target_sources(${target} PRIVATE ${sources})
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # Before 2.34, threads and the loader's functions were in libraries of their own.
  target_link_options(${target} PRIVATE
    "SHELL:-Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed")
endfunction()
