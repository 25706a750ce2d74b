// SPDX-License-Identifier: Apache-2.0
#pragma once

// std::chrono::duration, std::function, std::ranges::range and std::shared_ptr for Ferry's headers. With
// libstdc++ they come from the small headers that define them: <chrono>, <functional>, <memory> and <ranges>
// would double the compile time of <ferry/ferry.hpp>. A program that uses these names includes the standard
// headers itself.

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>) && __has_include(<bits/shared_ptr.h>) && \
    __has_include(<bits/std_function.h>)
#include <bits/chrono.h>
#include <bits/shared_ptr.h>
#include <bits/std_function.h>

#include <span> // with std::ranges::range
#else
#include <chrono>
#include <functional>
#include <memory>
#include <ranges>
#endif
