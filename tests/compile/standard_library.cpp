// SPDX-License-Identifier: Apache-2.0
// A program whose strings and containers are not the library's must not link.
#include <ferry/ferry.hpp>

int main() {
    return static_cast<int>(ferry::devices().size());
}
