// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>
#include <ferry/error.hpp>
#include <ferry/settings.hpp>
#include <ferry/source_location.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

namespace ferry::interop::mpi {

/// How Communicator::allreduce() combines the ranks' elements.
enum class Reduce : std::uint8_t { sum, product, min, max };

namespace detail {

inline std::string message_of(int code) {
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    return MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS
               ? text.substr(0, static_cast<std::size_t>(length))
               : "an error without words";
}

/// Throws Error (command_failed) unless `code` is success.
inline void check(int code, const char* call, SourceLocation where) {
    if (code != MPI_SUCCESS) {
        throw Error(Code::command_failed,
                    std::string(call) + " returned " + std::to_string(code) + ": " + message_of(code), where);
    }
}

inline bool is_running() noexcept {
    int initialized = 0;
    int finalized = 0;
    return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 &&
           MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0;
}

template <class T>
MPI_Datatype datatype() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                  "allreduce() combines integers, float and double");
    if constexpr (std::is_same_v<T, float>) {
        return MPI_FLOAT;
    } else if constexpr (std::is_same_v<T, double>) {
        return MPI_DOUBLE;
    } else {
        static_assert(std::is_integral_v<T>, "allreduce() combines integers, float and double");
        constexpr bool is_signed = std::is_signed_v<T>;
        switch (sizeof(T)) {
        case 1:
            return is_signed ? MPI_INT8_T : MPI_UINT8_T;
        case 2:
            return is_signed ? MPI_INT16_T : MPI_UINT16_T;
        case 4:
            return is_signed ? MPI_INT32_T : MPI_UINT32_T;
        default:
            return is_signed ? MPI_INT64_T : MPI_UINT64_T;
        }
    }
}

inline MPI_Op operation(Reduce how) {
    switch (how) {
    case Reduce::sum:
        return MPI_SUM;
    case Reduce::product:
        return MPI_PROD;
    case Reduce::min:
        return MPI_MIN;
    default:
        return MPI_MAX;
    }
}

/// The index of this rank among the ranks of its machine.
inline int local_rank(MPI_Comm comm, SourceLocation where) {
    MPI_Comm local = MPI_COMM_NULL;
    int rank = 0;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local), "MPI_Comm_split_type",
          where);
    const int code = MPI_Comm_rank(local, &rank);
    MPI_Comm_free(&local);
    check(code, "MPI_Comm_rank", where);
    return rank;
}

/// The items of a list "a,b,c", without empty ones.
inline std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = (std::min)(list.find(',', at), list.size());
        if (comma > at) {
            parts.push_back(list.substr(at, comma - at));
        }
        at = comma + 1;
    }
    return parts;
}

} // namespace detail

/// Initialises MPI for the lifetime of this object, for calls from one thread at a time
/// (MPI_THREAD_SERIALIZED) or for the given `level`. If the program has already initialised MPI, this class
/// neither initialises nor finalises it, and the program determines the level.
///
/// In both cases, an exception that leaves the scope of this object ends all ranks (MPI_Abort with status 1),
/// unless MPI has been finalised. Otherwise the other ranks would wait for this one forever. MPI's launcher
/// has to detect ranks that end in another way.
class Environment {
public:
    /// Throws Error: unsupported (this MPI provides less than `level`; it is finalised again), invalid_state
    /// (MPI has been finalised), command_failed.
    Environment(int& argc, char**& argv, int level = MPI_THREAD_SERIALIZED,
                SourceLocation where = SourceLocation::current()) {
        int initialized = 0;
        int finalized = 0;
        detail::check(MPI_Initialized(&initialized), "MPI_Initialized", where);
        detail::check(MPI_Finalized(&finalized), "MPI_Finalized", where);
        if (finalized != 0) {
            throw Error(Code::invalid_state, "MPI has been finalised; it cannot be initialised again", where);
        }
        owns_ = initialized == 0;
        if (owns_) {
            int provided = MPI_THREAD_SINGLE;
            detail::check(MPI_Init_thread(&argc, &argv, level, &provided), "MPI_Init_thread", where);
            if (provided < level) {
                MPI_Finalize();
                throw Error(Code::unsupported,
                            "This MPI gives threads the level " + std::to_string(provided) +
                                " (MPI_Init_thread), and " + std::to_string(level) +
                                " is asked for; give Environment the level that the program needs",
                            where);
            }
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        if (!detail::is_running()) {
            return;
        }
        if (std::uncaught_exceptions() > before_) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (owns_) {
            MPI_Finalize();
        }
    }

private:
    bool owns_ = false;
    int before_ = std::uncaught_exceptions();
};

/// The device of this rank, chosen so that the ranks of one machine use all of its devices. Collective. The
/// first of these rules that applies decides:
///
/// 1. Settings::device, if the program has set it, for all ranks.
/// 2. FERRY_MPI_DEVICES, a list of selectors of find_device(). The n-th rank of a machine takes the n-th
/// selector; after the last one, the list starts again.
/// 3. FERRY_DEVICE, for all ranks.
/// 4. The n-th of devices() that has the kind of the best one (all GPUs, or all processors), again in turn.
///
/// Throws the errors of find_device().
inline Device local_device(MPI_Comm comm, SourceLocation where = SourceLocation::current()) {
    const auto index = static_cast<std::size_t>(detail::local_rank(comm, where));
    if (settings().device) {
        return default_device(where);
    }
    if (const char* const list = secure_getenv("FERRY_MPI_DEVICES"); list != nullptr && *list != '\0') {
        const std::vector<std::string> names = detail::parts_of(list);
        if (names.empty()) {
            throw Error(Code::invalid_argument,
                        "FERRY_MPI_DEVICES is '" + std::string(list) +
                            "'; it must be a list of devices, such as opencl:0,host:0",
                        where);
        }
        return find_device(names[index % names.size()], where);
    }
    if (const char* const one = secure_getenv("FERRY_DEVICE"); one != nullptr && *one != '\0') {
        return default_device(where);
    }
    std::vector<Device> present = devices(where);
    const DeviceKind best = present.front().info().kind;
    std::erase_if(present, [&](const Device& device) { return device.info().kind != best; });
    return present[index % present.size()];
}

} // namespace ferry::interop::mpi
