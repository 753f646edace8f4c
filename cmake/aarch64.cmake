# CMake settings for 64-bit ARM with Debian's cross compiler, beside those of every build. Both files lie
# in one directory. GGML_CPU_ARM_ARCH comes from scripts/cross.sh and is one of GCC's names for -march.
include("${CMAKE_CURRENT_LIST_DIR}/joi.cmake")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# By force, since llama.cpp's crate asks for the oldest 64-bit ARM whatever the target is.
if(NOT "$ENV{GGML_CPU_ARM_ARCH}" STREQUAL "")
  set(GGML_CPU_ARM_ARCH "$ENV{GGML_CPU_ARM_ARCH}" CACHE STRING "" FORCE)
endif()
set(GGML_NATIVE OFF CACHE BOOL "" FORCE)
# The place where espeak-ng was built is otherwise written into it, and two builds differ; Joi carries its data.
add_compile_options(-UPATH_ESPEAK_DATA "-DPATH_ESPEAK_DATA=\"/usr/share/espeak-ng-data\"")
