// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::probe {

/// The exit status of a child process that ended as it should: an improbable number, so that a library
/// that ends the process with a status of its own is noticed.
inline constexpr int sound_status = 57;

/// The report of a child process that tests a vendor library (serve_test.hpp). It is read line by line:
///
///     litmus 6 0.1.0        child_run::greeting()
///     constructor NAME      the loader runs the constructors of this library
///     opened NAME           they have run
///     absent NAME           the loader did not open it
///     initialisation CALL   the vendor's function
///     listing PLATFORM      of devices; the platform may be empty
///     threw                 an exception that no code of Ferry's expects left the library
///     file STAMP PATH       a file that the library consists of; see stamp_line()
///     exit                  the exit handlers run now
///     left                  they have run
///     quick                 the library called quick_exit(); only of a copy of the program
class TestReport {
public:
    /// Takes bytes of any length. False, from then on: this is no report.
    bool feed(std::string_view bytes);

    /// The child has begun. An earlier end has another cause than the vendor library, for example an update
    /// that replaces Ferry's own library.
    bool has_greeted() const noexcept { return greeted_; }
    bool left() const noexcept { return left_; }
    bool threw() const noexcept { return threw_; }
    bool quick() const noexcept { return quick_; }
    /// Counts the lines of steps; for limits of one step.
    unsigned steps() const noexcept { return steps_; }
    /// The library at fault if the child ends now; empty if none was begun.
    const std::string& library() const noexcept { return library_; }
    /// "its constructor", "its initialisation (cuInit)"
    std::string phase() const;
    /// The child has opened a library and not only looked for one.
    bool has_opened() const noexcept { return !first_.empty(); }
    /// Lines of files as they came.
    const std::vector<std::string>& files() const noexcept { return files_; }

private:
    bool take(std::string_view line);

    std::string waiting_;
    std::string word_, subject_;
    std::string first_; ///< the first library that opened
    std::string library_;
    std::vector<std::string> files_;
    unsigned steps_ = 0;
    bool greeted_ = false, left_ = false, threw_ = false, quick_ = false, sound_ = true;
};

} // namespace ferry::detail::probe
