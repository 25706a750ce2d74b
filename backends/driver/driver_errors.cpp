// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_errors.hpp"

#include <array>
#include <utility>

namespace ferry::driver {

namespace {

struct Meaning {
    int first;
    int last;
    Code code;
};

// CUDA and HIP use the same numbers for the same errors. A number of only one vendor is marked.
constexpr std::array meanings{
    Meaning{2, 2, Code::out_of_memory},
    Meaning{3, 3, Code::unavailable},      // not initialised
    Meaning{4, 4, Code::device_lost},      // deinitialised
    Meaning{9, 9, Code::invalid_argument}, // HIP: launch configuration
    Meaning{34, 36, Code::unavailable},    // stub library, insufficient driver
    Meaning{46, 46, Code::unavailable},    // device busy in exclusive mode
    Meaning{53, 53, Code::device_lost},    // HIP: prior launch failure
    Meaning{98, 98, Code::build_failed},   // HIP: invalid device function
    Meaning{100, 102, Code::unavailable},
    Meaning{200, 200, Code::build_failed}, // invalid image
    Meaning{209, 209, Code::build_failed}, // no binary for this device
    Meaning{214, 214, Code::device_lost},  // ECC error
    Meaning{217, 217, Code::unsupported},
    Meaning{218, 218, Code::build_failed}, // invalid PTX, invalid kernel file
    Meaning{220, 220, Code::device_lost},  // NVLink error
    Meaning{221, 223, Code::build_failed}, // the driver's PTX compiler
    Meaning{226, 226, Code::device_lost},  // error containment
    Meaning{300, 300, Code::build_failed},
    Meaning{500, 500, Code::not_found},
    Meaning{700, 700, Code::device_lost}, // illegal address
    Meaning{701, 701, Code::command_failed},
    Meaning{702, 702, Code::device_lost}, // watchdog
    Meaning{709, 710, Code::device_lost}, // context destroyed, assert
    Meaning{714, 719, Code::device_lost}, // hardware stack, instruction, alignment, address space, pc, launch
    Meaning{720, 720, Code::invalid_argument},
    Meaning{721, 721, Code::device_lost},
    Meaning{801, 801, Code::unsupported},
    Meaning{802, 804, Code::unavailable}, // driver and library do not match
    Meaning{805, 810, Code::device_lost}, // MPS server
};

} // namespace

Code code_of(int number) noexcept {
    for (const Meaning& meaning : meanings) {
        if (number >= meaning.first && number <= meaning.last) {
            return meaning.code;
        }
    }
    return Code::internal;
}

bool proves_done(int number) noexcept {
    return number == result::success || code_of(number) == Code::device_lost;
}

std::string describe(const VendorCall& call, std::string_view text) {
    std::string message = call.call + " returned " + std::to_string(call.code);
    if (!call.name.empty()) {
        message += " (" + call.name + ")";
    }
    if (!text.empty() && text != call.name) {
        message += ": ";
        message += text;
    }
    return message;
}

Error vendor_error(VendorCall call, std::string_view text, std::string_view about) {
    std::string message = describe(call, text);
    if (!about.empty()) {
        message = std::string(about) + ": " + message;
    }
    const Code code = code_of(static_cast<int>(call.code));
    return {code, std::move(message), std::move(call)};
}

} // namespace ferry::driver
