// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ferry::translate {

/// The compiler for the translated text.
enum class Dialect : std::uint8_t {
    cuda, ///< NVRTC, C++17.
    hip,  ///< hipRTC, C++17.
    host, ///< g++ or clang++, C++17 and later.
};

} // namespace ferry::translate
