// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::driver {

/// The pages of the caller that are registered with one vendor, for all of its devices. A page is registered
/// once, however many imports touch it, and given back with the last of them.
template <class V>
class Imports {
public:
    static Imports& get() {
        static Imports* const imports = new Imports; // imports may outlive static destruction
        return *imports;
    }

    /// Registers what is not yet of the pages of [begin, end). Returns the addresses at which one
    /// registration ends and the next begins: no single copy of the vendor's need cross them. A context is
    /// current.
    std::vector<std::uintptr_t> take(const Api<V>& api, std::uintptr_t begin, std::uintptr_t end,
                                     bool read_only) {
        const std::uintptr_t first = begin / page_ * page_;
        const std::uintptr_t last = (end + page_ - 1) / page_ * page_;
        const std::lock_guard lock(mutex_);
        std::vector<std::uintptr_t> added;
        try {
            for (std::uintptr_t at = first; at < last;) {
                auto next = pieces_.upper_bound(at);
                if (next != pieces_.begin() && std::prev(next)->second.end > at) {
                    at = std::prev(next)->second.end;
                    continue;
                }
                const std::uintptr_t stop = next != pieces_.end() && next->first < last ? next->first : last;
                const bool ours = add(api, at, stop, std::max(at, begin), std::min(stop, end), read_only);
                pieces_.emplace(at, Piece{stop, 0, ours});
                count_.store(pieces_.size(), std::memory_order_relaxed);
                added.push_back(at);
                at = stop;
            }
        } catch (...) {
            for (const std::uintptr_t at : added) {
                remove(api, pieces_.find(at));
            }
            throw;
        }
        std::vector<std::uintptr_t> seams;
        each(first, last, [&](auto piece) {
            ++piece->second.users;
            if (piece->first > begin) {
                seams.push_back(piece->first);
            }
        });
        return seams;
    }

    /// How many of `bytes` bytes of host memory one call may copy: the vendors refuse ranges of which a part
    /// is registered, and rounding to pages registers parts of what belongs to others.
    std::size_t run(const void* host, std::size_t bytes) {
        if (count_.load(std::memory_order_relaxed) == 0) [[likely]] {
            return bytes;
        }
        const auto begin = reinterpret_cast<std::uintptr_t>(host);
        const std::lock_guard lock(mutex_);
        const auto next = pieces_.upper_bound(begin);
        std::uintptr_t stop = next != pieces_.end() ? next->first : begin + bytes;
        if (next != pieces_.begin() && std::prev(next)->second.end > begin) {
            stop = std::min(stop, std::prev(next)->second.end);
        }
        return std::min<std::size_t>(bytes, stop - begin);
    }

    void give_back(const Api<V>& api, std::uintptr_t begin, std::uintptr_t end) noexcept {
        const std::lock_guard lock(mutex_);
        each(begin / page_ * page_, (end + page_ - 1) / page_ * page_, [&](auto piece) {
            if (--piece->second.users == 0) {
                remove(api, piece);
            }
        });
    }

private:
    struct Piece {
        std::uintptr_t end;
        std::size_t users;
        bool ours; ///< not so what somebody else registered or allocated
    };
    using Pieces = std::map<std::uintptr_t, Piece>;

    /// `used` is the caller's part of the pages of [begin, end).
    static bool add(const Api<V>& api, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t used_begin,
                    std::uintptr_t used_end, bool read_only) {
        const unsigned int flags =
            flag::register_portable_mapped | (read_only ? flag::register_read_only : 0U);
        void* const memory = reinterpret_cast<void*>(begin);
        const int code = api.register_host(memory, end - begin, flags);
        if (code == result::success) {
            return true;
        }
        // Somebody else's registration, or the vendor's own page-locked memory: of all of it, as far as its
        // ends tell. To ask for each page takes longer than to copy it.
        const bool begins = is_known(api, used_begin);
        if (!begins || !is_known(api, used_end - 1)) {
            const std::string why = std::to_string(end - begin) + " bytes of memory cannot be page-locked";
            if (code == result::registered_already) {
                throw Error(Code::unsupported,
                            why + ": somebody else has page-locked a part of them, without the " +
                                (begins ? "last one" : "first one"));
            }
            api.fail(api.register_host.name, code, why);
        }
        return false;
    }
    static bool is_known(const Api<V>& api, std::uintptr_t address) {
        void* known = nullptr;
        return api.pointer_attribute &&
               api.pointer_attribute(&known, pointer_attribute::host_pointer, V::to_pointer(address)) ==
                   result::success &&
               known != nullptr;
    }
    void remove(const Api<V>& api, typename Pieces::iterator piece) noexcept {
        if (piece->second.ours) {
            api.call_quietly(api.unregister_host, reinterpret_cast<void*>(piece->first));
        }
        pieces_.erase(piece);
        count_.store(pieces_.size(), std::memory_order_relaxed);
    }
    template <class F>
    void each(std::uintptr_t first, std::uintptr_t last, F&& f) {
        auto piece = pieces_.upper_bound(first);
        if (piece != pieces_.begin() && std::prev(piece)->second.end > first) {
            --piece;
        }
        while (piece != pieces_.end() && piece->first < last) {
            f(piece++);
        }
    }

    const std::uintptr_t page_ = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    std::atomic<std::size_t> count_{0};
    std::mutex mutex_;
    Pieces pieces_;
};

} // namespace ferry::driver
