// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace quality {

/// NVRTC without Ferry, so that its output does not depend on Ferry.
class Nvrtc {
public:
    /// Opens `file`, or libnvrtc under its usual names if it is empty. Throws std::runtime_error if there is
    /// none.
    explicit Nvrtc(const std::string& file);

    const std::string& version() const noexcept { return version_; }
    /// The additional option that Ferry passes to this version for translated kernels; may be empty.
    const std::string& translated_option() const noexcept { return translated_option_; }
    struct Result {
        std::string ptx;
        std::string cubin;
        double milliseconds = 0; ///< from the creation of the program to the finished code
    };
    /// Throws std::runtime_error with the log if the text is wrong.
    Result compile(const std::string& text, const std::string& name,
                   const std::vector<std::string>& options) const;

private:
    void* library_;
    std::string version_;
    std::string translated_option_;
};

} // namespace quality
