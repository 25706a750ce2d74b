// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace ferry::host {

/// Shared ownership of an object with its own counter of owners, retain() and release().
template <class T>
class Reference {
public:
    Reference() noexcept = default;
    /// Takes over an existing count of the object.
    explicit Reference(T* adopted) noexcept : object_(adopted) {}
    Reference(const Reference& other) noexcept : object_(other.object_) {
        if (object_ != nullptr) {
            object_->retain();
        }
    }
    Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Reference& operator=(Reference other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Reference() {
        if (object_ != nullptr) {
            object_->release();
        }
    }
    T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    T* object_ = nullptr;
};

} // namespace ferry::host
