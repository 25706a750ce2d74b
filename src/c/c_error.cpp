// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include <exception>
#include <new>
#include <optional>

namespace ferry::c {
namespace {

static_assert(code_of(Code::invalid_argument) == FERRY_INVALID_ARGUMENT);
static_assert(code_of(Code::out_of_range) == FERRY_OUT_OF_RANGE);
static_assert(code_of(Code::invalid_state) == FERRY_INVALID_STATE);
static_assert(code_of(Code::out_of_memory) == FERRY_OUT_OF_MEMORY);
static_assert(code_of(Code::unavailable) == FERRY_UNAVAILABLE);
static_assert(code_of(Code::unsupported) == FERRY_UNSUPPORTED);
static_assert(code_of(Code::not_found) == FERRY_NOT_FOUND);
static_assert(code_of(Code::build_failed) == FERRY_BUILD_FAILED);
static_assert(code_of(Code::command_failed) == FERRY_COMMAND_FAILED);
static_assert(code_of(Code::device_lost) == FERRY_DEVICE_LOST);
static_assert(code_of(Code::internal) == FERRY_INTERNAL);

/// The last error of a thread. The error itself owns the texts that `details` refers to.
struct Last {
    std::optional<Error> error;
    ferry_error details{"", "", "", "", 0, FERRY_OK, -1};
    std::uint64_t noted = 0;
};

Last& last() noexcept {
    thread_local Last last;
    return last;
}

ferry_code note(const Error& error) noexcept {
    Last& now = last();
    now.error = error;
    ++now.noted;
    const Error& kept = *now.error;
    const VendorCall* const vendor = kept.vendor();
    now.details = {kept.what(),
                   kept.log().c_str(),
                   vendor != nullptr ? vendor->call.c_str() : "",
                   vendor != nullptr ? vendor->name.c_str() : "",
                   vendor != nullptr ? vendor->code : 0,
                   code_of(kept.code()),
                   vendor != nullptr ? static_cast<ferry_backend>(vendor->backend) : -1};
    return now.details.code;
}

ferry_code note_memory() noexcept {
    last().details = {"The host has no memory left for this call", "", "", "", 0, FERRY_OUT_OF_MEMORY, -1};
    return FERRY_OUT_OF_MEMORY;
}

} // namespace

std::uint64_t errors_noted() noexcept {
    return last().noted;
}

const Error* last_error() noexcept {
    return last().error ? &*last().error : nullptr;
}

ferry_code caught() noexcept {
    try {
        try {
            throw;
        } catch (const Error& error) {
            return note(error);
        } catch (const std::bad_alloc&) {
            return note_memory();
        } catch (const std::exception& error) {
            return note(Error(Code::internal,
                              "The library met an error it did not expect: " + std::string(error.what()),
                              SourceLocation()));
        }
    } catch (const std::exception&) { // Out of memory for the message.
        return note_memory();
    }
}

} // namespace ferry::c

const char* ferry_last_error(void) {
    return ferry::c::last().details.message;
}

const ferry_error* ferry_last_error_details(void) {
    return &ferry::c::last().details;
}

const char* ferry_code_name(ferry_code code) {
    return code == FERRY_OK ? "ok"
           : code < FERRY_OK || code > FERRY_INTERNAL
               ? "?"
               : ferry::to_string(static_cast<ferry::Code>(code - 1)).data();
}

const char* ferry_version(void) {
    return ferry::version();
}
