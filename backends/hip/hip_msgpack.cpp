// SPDX-License-Identifier: Apache-2.0
#include "hip/hip_msgpack.hpp"

namespace ferry::hip {

namespace {

constexpr int max_depth = 32;

} // namespace

void MessagePack::fail() noexcept {
    failed_ = true;
    rest_ = {};
}

std::string_view MessagePack::take(std::uint64_t bytes) {
    if (bytes > rest_.size()) {
        fail();
        return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
}

std::uint64_t MessagePack::big_endian(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char c : take(bytes)) {
        value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
}

std::optional<std::string_view> MessagePack::text() {
    const unsigned int type = peek();
    if (type >= 0xa0 && type <= 0xbf) {
        take(1);
        return take(type & 0x1f);
    }
    if (type >= 0xd9 && type <= 0xdb) {
        take(1);
        const std::uint64_t length = big_endian(std::size_t{1} << (type - 0xd9));
        return take(length);
    }
    skip();
    return std::nullopt;
}

std::optional<std::uint64_t> MessagePack::number() {
    const unsigned int type = peek();
    if (type <= 0x7f) {
        take(1);
        return type;
    }
    if (type >= 0xcc && type <= 0xcf) {
        take(1);
        return big_endian(std::size_t{1} << (type - 0xcc));
    }
    skip();
    return std::nullopt;
}

std::optional<std::uint64_t> MessagePack::container(unsigned int fixed, unsigned int wide) {
    const unsigned int type = peek();
    if (type >= fixed && type <= fixed + 15) {
        take(1);
        return type & 15;
    }
    if (type == wide || type == wide + 1) {
        take(1);
        return big_endian(type == wide ? 2 : 4);
    }
    skip();
    return std::nullopt;
}

void MessagePack::skip() {
    if (++depth_ > max_depth) {
        fail();
    }
    const unsigned int type = peek();
    if ((type >= 0x80 && type <= 0x8f) || type == 0xde || type == 0xdf) {
        map([this](std::string_view) { skip(); });
    } else if ((type >= 0x90 && type <= 0x9f) || type == 0xdc || type == 0xdd) {
        array([this] { skip(); });
    } else if ((type >= 0xa0 && type <= 0xbf) || (type >= 0xd9 && type <= 0xdb)) {
        text();
    } else if (type <= 0x7f || type >= 0xe0 || type == 0xc0 || type == 0xc2 || type == 0xc3) {
        take(1);
    } else if (type >= 0xcc && type <= 0xd3) {
        take(1 + (std::uint64_t{1} << (type & 3)));
    } else if (type == 0xca || type == 0xcb) {
        take(type == 0xca ? 5 : 9);
    } else if (type >= 0xc4 && type <= 0xc6) {
        take(1);
        take(big_endian(std::size_t{1} << (type - 0xc4)));
    } else {
        fail(); // Extensions, which the metadata never uses, and the end.
    }
    --depth_;
}

} // namespace ferry::hip
