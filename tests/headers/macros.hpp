// SPDX-License-Identifier: Apache-2.0
// Macros of Xlib, windows.h and curses. They come after the standard headers that Ferry's headers include,
// because those cannot be read with min and max as macros. Curses also has functions that are macros only in
// C (clear, erase, move). They are missing here, because no C++ program could use them with the standard
// library.
#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <concepts>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>
#define Bool int
#define Status int
#define True 1
#define False 0
#define None 0L
#define Success 0
#define Always 2
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define hyper __int64
#define interface struct
#define ERROR 0
#define OVERFLOW 3
#define IN
#define OUT
#define OPTIONAL
#define CreateEvent CreateEventA
#define GetObject GetObjectA
#define GetMessage GetMessageA
#define CopyFile CopyFileA
#define Yield()
#define CALLBACK __stdcall
#define DELETE (0x00010000L)
#define OK (0)
#define ERR (-1)
#define TRUE 1
#define FALSE 0
#define major(x) x
#define minor(x) x
#define unix 1
#define linux 1
