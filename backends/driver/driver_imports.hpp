// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/no_destructor.hpp"
#include "driver/driver_context.hpp"
#include "driver/range_lock.hpp"
#include "system/pages.hpp"

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

/// The caller's pages that are registered with one vendor, for all of its devices. A page is registered once,
/// however many imports use it. It is released with the last of them, when the devices are done that had
/// imported it or copied to or from it by its address.
template <class V>
class Imports {
public:
    static Imports& get() {
        static detail::NoDestructor<Imports> imports;
        return *imports;
    }

    using Context = DeviceContext<V>;
    using Devices = std::uint64_t; ///< One bit for each device; the 65th shares the bit of the first.

    /// A user that copies to and from host memory by its address.
    class User {
    public:
        explicit User(Context& device) : device_(get().bit_of(device)), ranges_(get().ranges_) {}

    private:
        friend class Imports;
        Devices device_;
        RangeLock::User ranges_;
    };

    /// Held around such a vendor call, which chooses its copy method by whether the pages are registered. No
    /// page of the range is registered or released meanwhile. A call may wait for its stream; an import of
    /// the same pages then waits for the call, and later imports of the device wait for that one. A thread
    /// holds one at a time.
    class Use {
    public:
        [[gnu::always_inline]] Use(User& user, const void* host, std::size_t bytes)
            : range_(user.ranges_, reinterpret_cast<std::uintptr_t>(host),
                     reinterpret_cast<std::uintptr_t>(host) + bytes),
              run_(get().count_.load(std::memory_order_relaxed) == 0 ? bytes : get().run(user, host, bytes)) {
        }

        /// The number of bytes that one call may copy. The vendors reject partially registered ranges, and
        /// rounding to pages registers parts of adjacent memory.
        std::size_t run() const noexcept { return run_; }

    private:
        RangeLock::Together range_;
        std::size_t run_;
    };

    /// Registers the pages of [begin, end) that are not registered yet. Returns the addresses at which one
    /// registration ends and the next begins; no single vendor copy need cross them. The device's context
    /// must be current.
    std::vector<std::uintptr_t> take(Context& device, std::uintptr_t begin, std::uintptr_t end,
                                     bool read_only) {
        const Api<V>& api = device.api();
        const Devices importing = bit_of(device);
        const Extent pages = pages_of(begin, end);
        const RangeLock::Alone range(ranges_, pages.first, pages.last);
        std::unique_lock lock(mutex_);
        std::vector<std::uintptr_t> added;
        std::vector<std::uintptr_t> seams;
        try {
            for (std::uintptr_t at = pages.first; at < pages.last;) {
                const auto next = pieces_.upper_bound(at);
                if (next != pieces_.begin() && std::prev(next)->second.end > at) {
                    at = std::prev(next)->second.end;
                    continue;
                }
                const bool reaches_next = next != pieces_.end() && next->first < pages.last;
                const std::uintptr_t stop = reaches_next ? next->first : pages.last;
                added.reserve(added.size() + 1);
                Piece& piece = pieces_.emplace(at, Piece{stop}).first->second;
                added.push_back(at);
                lock.unlock(); // Registering is slow, and copies in other ranges continue.
                const bool ours = add(api, at, stop, std::max(at, begin), std::min(stop, end), read_only);
                lock.lock();
                piece.ours = ours;
                at = stop;
            }
            each(pages, [&](auto piece) {
                if (piece->first > begin) {
                    seams.push_back(piece->first);
                }
            });
        } catch (...) {
            if (!lock) {
                lock.lock();
            }
            Pieces failed;
            for (const std::uintptr_t at : added) {
                failed.insert(pieces_.extract(at));
            }
            count_.store(pieces_.size(), std::memory_order_relaxed);
            lock.unlock();
            remove(api, failed);
            throw;
        }
        count_.store(pieces_.size(), std::memory_order_relaxed);
        each(pages, [&](auto piece) {
            ++piece->second.imports;
            piece->second.users |= importing;
        });
        return seams;
    }

    /// Called by the import that owns the pages. If it is the last import of some pages, it blocks until all
    /// work is done of the devices that had imported them or copied to or from them by their address.
    void give_back(const Api<V>& api, std::uintptr_t begin, std::uintptr_t end) noexcept {
        Extent pages = pages_of(begin, end);
        {
            const std::lock_guard lock(mutex_);
            bool last = false;
            each(pages_of(begin, end), [&](auto piece) {
                last = last || piece->second.imports == 1;
                pages = {std::min(pages.first, piece->first), std::max(pages.last, piece->second.end)};
            });
            if (!last) {
                each(pages_of(begin, end), [](auto piece) { --piece->second.imports; });
                return;
            }
        }
        // A first wait without the lock shortens the time in which new commands wait under it.
        wait_for_users(begin, end);
        const RangeLock::Alone range(ranges_, pages.first, pages.last);
        wait_for_users(begin, end);
        // Also if a device refuses the wait. The caller may free the pages now, and a registration that
        // stayed would make later memory at their address read and write the old pages.
        Pieces unused;
        {
            const std::lock_guard lock(mutex_);
            each(pages_of(begin, end), [&](auto piece) {
                if (--piece->second.imports == 0) {
                    unused.insert(pieces_.extract(piece));
                }
            });
            count_.store(pieces_.size(), std::memory_order_relaxed);
        }
        remove(api, unused);
    }

private:
    struct Extent {
        std::uintptr_t first, last;
    };
    struct Piece {
        std::uintptr_t end;
        std::size_t imports = 0;
        bool ours = false; ///< False if other code registered or allocated it.
        Devices users = 0; ///< The devices that imported it, or copied by its address, at any time.
    };
    using Pieces = std::map<std::uintptr_t, Piece>;

    static Devices bit_of(std::size_t place) noexcept { return Devices{1} << place % 64; }
    Devices bit_of(Context& device) {
        const std::lock_guard lock(mutex_);
        auto place = std::find(devices_.begin(), devices_.end(), &device);
        if (place == devices_.end()) {
            place = devices_.insert(place, &device);
        }
        return bit_of(static_cast<std::size_t>(place - devices_.begin()));
    }

    Extent pages_of(std::uintptr_t begin, std::uintptr_t end) const noexcept {
        return {begin / page_ * page_, (end + page_ - 1) / page_ * page_};
    }

    std::size_t run(const User& user, const void* host, std::size_t bytes) {
        const auto begin = reinterpret_cast<std::uintptr_t>(host);
        const std::lock_guard lock(mutex_);
        const auto next = pieces_.upper_bound(begin);
        std::uintptr_t stop = next != pieces_.end() ? next->first : begin + bytes;
        if (next != pieces_.begin() && std::prev(next)->second.end > begin) {
            Piece& piece = std::prev(next)->second;
            stop = std::min(stop, piece.end);
            piece.users |= user.device_;
        }
        return std::min<std::size_t>(bytes, stop - begin);
    }

    /// `used` is the caller's part of the pages of [begin, end).
    static bool add(const Api<V>& api, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t used_begin,
                    std::uintptr_t used_end, bool read_only) {
        const unsigned int flags =
            flag::register_portable_mapped | (read_only ? flag::register_read_only : 0U);
        if (api.version < V::unregisters_any_memory && get().keeps_address(api)) {
            throw Error(Code::unsupported,
                        std::string("host memory cannot be imported with ") + V::api_name + " " +
                            dotted<V>(api.version) + ": its " + api.unregister_host.name +
                            " ends the process where the device has the host's address for the memory, as "
                            "here; it needs version " +
                            dotted<V>(V::unregisters_any_memory) + " or later");
        }
        void* const memory = reinterpret_cast<void*>(begin);
        const bool own = V::unregistering_frees && is_known(api, used_begin);
        const int code = own ? result::registered_already : api.register_host(memory, end - begin, flags);
        if (code == result::success) {
            return true;
        }
        // A registration by other code, or the vendor's own page-locked memory: assumed for the whole range
        // if it is true of both ends. A query for each page takes longer than copying it.
        const bool begins = is_known(api, used_begin);
        if (!begins || !is_known(api, used_end - 1)) {
            const std::string why = std::to_string(end - begin) + " bytes of memory cannot be page-locked";
            if (code == result::registered_already) {
                throw Error(Code::unsupported,
                            why + ": other code has page-locked a part of them, without the " +
                                (begins ? "last one" : "first one"));
            }
            api.fail(api.register_host.name, code, why);
        }
        return false;
    }
    /// Whether the device sees registered memory at the host's address. Tested once with a page that then
    /// stays registered. The device's context must be current.
    bool keeps_address(const Api<V>& api) {
        std::call_once(tried_, [&] {
            void* const page = detail::map_pages(page_, detail::PageRights::all);
            if (page == nullptr) {
                return;
            }
            if (api.register_host(page, page_, flag::register_portable_mapped) != result::success) {
                detail::unmap_pages(page, page_);
                return; // The import's own call fails then, too.
            }
            typename V::Pointer seen{};
            keeps_address_ = api.host_address(&seen, page, 0) != result::success ||
                             V::to_number(seen) == reinterpret_cast<std::uintptr_t>(page);
            if (!keeps_address_) {
                api.call_quietly(api.unregister_host, page);
                detail::unmap_pages(page, page_);
            }
        });
        return keeps_address_;
    }
    static bool is_known(const Api<V>& api, std::uintptr_t address) {
        void* known = nullptr;
        return api.pointer_attribute &&
               api.pointer_attribute(&known, pointer_attribute::host_pointer, V::to_pointer(address)) ==
                   result::success &&
               known != nullptr;
    }
    /// Removes pieces that are no longer in the list.
    static void remove(const Api<V>& api, const Pieces& pieces) noexcept {
        for (const auto& [first, piece] : pieces) {
            if (piece.ours) {
                api.call_quietly(api.unregister_host, reinterpret_cast<void*>(first));
            }
        }
    }
    void wait_for_users(std::uintptr_t begin, std::uintptr_t end) noexcept {
        std::unique_lock lock(mutex_);
        Devices users = 0;
        each(pages_of(begin, end), [&](auto piece) { users |= piece->second.users; });
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            Context* const device = devices_[i];
            if ((users & bit_of(i)) != 0) {
                lock.unlock();
                synchronize(*device);
                lock.lock();
            }
        }
    }
    static void synchronize(Context& device) noexcept {
        try {
            const Guard<V> guard(device.api(), device.get());
            static_cast<void>(device.synchronize());
        } catch (...) { // The driver has lost the context, so nothing runs there any more.
        }
    }
    template <class F>
    void each(Extent pages, F&& f) {
        auto piece = pieces_.upper_bound(pages.first);
        if (piece != pieces_.begin() && std::prev(piece)->second.end > pages.first) {
            --piece;
        }
        while (piece != pieces_.end() && piece->first < pages.last) {
            f(piece++);
        }
    }

    const std::uintptr_t page_ = detail::page_size();
    /// Number of pieces. Relaxed, because Use reads it while it holds its range: a thread that registers
    /// pages of that range holds it alone first, so the lock orders the count, and an outdated count concerns
    /// other pages.
    std::atomic<std::size_t> count_{0};
    std::once_flag tried_;
    bool keeps_address_ = false;
    RangeLock ranges_; ///< Ranges that are being registered or released, or copied.
    std::mutex mutex_; ///< Protects all members below. Not held during vendor calls.
    Pieces pieces_;
    std::vector<Context*> devices_;
};

} // namespace ferry::driver
