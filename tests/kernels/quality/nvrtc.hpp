// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace quality {

/// NVRTC, by itself: what it makes of a text depends on nothing of Ferry's.
class Nvrtc {
public:
    /// Opens `file`, or libnvrtc under its usual names if it is empty. Throws std::runtime_error if there is
    /// none.
    explicit Nvrtc(const std::string& file);

    const std::string& version() const noexcept { return version_; }
    /// What Ferry asks of this version for translated kernels, beyond the options of all; may be empty.
    const std::string& translated_option() const noexcept { return translated_option_; }
    struct Result {
        std::string ptx;
        std::string cubin;
        double milliseconds = 0; ///< from making the program to having the code
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
