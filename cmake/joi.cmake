# CMake settings shared by the native libraries that cargo builds (espeak-ng, whisper.cpp, llama.cpp).
# espeak-ng is used for phonemes only: without libsonic (its build would clone it from the network),
# without audio output, mbrola voices and asynchronous synthesis. The others ignore these names.
set(SONIC_LIB "unused" CACHE STRING "")
set(SONIC_INC "/usr/include" CACHE PATH "")
set(USE_LIBSONIC OFF CACHE BOOL "")
set(USE_LIBPCAUDIO OFF CACHE BOOL "")
set(USE_MBROLA OFF CACHE BOOL "")
set(USE_ASYNC OFF CACHE BOOL "")
# Products of small matrices in registers (tinyBLAS), for 8 bit weights on AVX2 and on ARM with dot products: whisper.cpp
# leaves it out by default. A transcript with it takes 0.61 of the time (tiny.en and base, 8 bit, one thread, AVX-512).
set(GGML_LLAMAFILE ON CACHE BOOL "")
# AMX is a unit of server processors that the kernel has to permit. Where a virtual machine has it and does not permit it,
# llama.cpp crashes at its first question; without it AVX-512 does the same.
if(CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  add_compile_options(-U__AMX_INT8__)
endif()
