// SPDX-License-Identifier: Apache-2.0
// A program with other strings and containers than the library must not link.
#include <ferry/ferry.hpp>

int main() {
    return static_cast<int>(ferry::devices().size());
}
