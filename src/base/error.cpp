// SPDX-License-Identifier: Apache-2.0
#include <ferry/error.hpp>

#include <cstddef>
#include <utility>

namespace ferry {

struct Error::Contents {
    Code code{};
    std::string message;
    std::optional<VendorCall> vendor;
    std::string log;
    SourceLocation where;
};

namespace {

/// Zero bytes may be part of names given by callers. They would truncate the message.
std::string without_zeros(std::string message) {
    for (std::size_t at = 0; (at = message.find('\0', at)) != std::string::npos;) {
        message.replace(at, 1, "\\0");
    }
    return message;
}

} // namespace

Error::Error(Code code, std::string message, SourceLocation where)
    : contents_(std::make_shared<const Contents>(
          Contents{code, without_zeros(std::move(message)), std::nullopt, {}, where})) {}

Error::Error(Code code, std::string message, VendorCall vendor, SourceLocation where)
    : contents_(std::make_shared<const Contents>(
          Contents{code, without_zeros(std::move(message)), std::move(vendor), {}, where})) {}

Error::Error(std::shared_ptr<const Contents> contents) noexcept : contents_(std::move(contents)) {}

Code Error::code() const noexcept {
    return contents_->code;
}
const char* Error::what() const noexcept {
    return contents_->message.c_str();
}
const VendorCall* Error::vendor() const noexcept {
    return contents_->vendor ? &*contents_->vendor : nullptr;
}
const std::string& Error::log() const noexcept {
    return contents_->log;
}
const SourceLocation& Error::where() const noexcept {
    return contents_->where;
}

Error Error::with_message(std::string message) const {
    Contents changed = *contents_;
    changed.message = without_zeros(std::move(message));
    return Error(std::make_shared<const Contents>(std::move(changed)));
}

Error Error::with_log(std::string log) const {
    Contents changed = *contents_;
    changed.log = std::move(log);
    return Error(std::make_shared<const Contents>(std::move(changed)));
}

Error Error::with_where(SourceLocation where) const {
    Contents changed = *contents_;
    changed.where = where;
    return Error(std::make_shared<const Contents>(std::move(changed)));
}

Error Error::with_code(Code code) const {
    Contents changed = *contents_;
    changed.code = code;
    return Error(std::make_shared<const Contents>(std::move(changed)));
}

} // namespace ferry
