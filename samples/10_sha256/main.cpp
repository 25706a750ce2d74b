// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"
#include "search.cl.hpp"
#include "sha256.hpp"

#include <algorithm>
#include <bit>

namespace {

constexpr std::uint32_t none = 0xffffffff;

// 24 given bytes and 8 bytes of the nonce, most significant first.
std::array<std::uint8_t, 32> message(const std::vector<std::uint32_t>& head, std::uint64_t nonce) {
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < 24; ++i) {
        bytes[i] = static_cast<std::uint8_t>(head[i / 4] >> (24 - 8 * (i % 4)));
    }
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[24 + i] = static_cast<std::uint8_t>(nonce >> (56 - 8 * i));
    }
    return bytes;
}

class Searcher {
public:
    Searcher(const ferry::Device& device, const std::vector<std::uint32_t>& head)
        : queue_(device),
          search_(ferry::Program{device, kernels::search_cl}.kernel("search")),
          group_(std::bit_floor(std::min<std::size_t>(256, device.info().max_group_size))),
          head_(device, head.size()),
          found_(device, 1) {
        queue_.copy_and_wait(head, head_);
    }

    /// The smallest i < count for which first + i is a solution, or `none`. `count` is a multiple of 256.
    std::uint32_t search(std::uint64_t first, std::uint32_t count, std::uint32_t bits) {
        queue_.fill(found_, none);
        queue_.launch(search_, {.groups = count / group_, .local = group_}, head_, first, bits, found_);
        return queue_.read(found_).front();
    }

private:
    ferry::Queue queue_;
    ferry::Kernel search_;
    std::size_t group_; ///< a power of two
    ferry::Buffer<std::uint32_t> head_;
    ferry::Buffer<std::uint32_t> found_;
};

// Checks the digest of the solution, and that no nonce before it is a solution. Many nonces would take too
// long, so the number of those that are tried is limited.
void check(const std::vector<std::uint32_t>& head, std::uint64_t nonce, std::size_t bits) {
    const Digest digest = sha256(message(head, nonce));
    if (leading_zero_bits(digest) < bits) {
        throw sample::Failure(
            fmt::format("nonce {:016x} has the digest {}, which begins with {} zero bits, not {}", nonce,
                        hex(digest), leading_zero_bits(digest), bits));
    }
    for (std::uint64_t n = nonce - std::min<std::uint64_t>(nonce, 1 << 18); n < nonce; ++n) {
        if (leading_zero_bits(sha256(message(head, n))) >= bits) {
            throw sample::Failure(fmt::format("nonce {:016x} was found, but {:016x} is smaller", nonce, n));
        }
    }
}

void hashes(sample::Session& session) {
    if (session.size > 64) {
        throw std::invalid_argument(fmt::format("--size is {}; it is at most 64 bits", session.size));
    }
    const std::array<std::uint8_t, 3> abc{'a', 'b', 'c'};
    if (hex(sha256(abc)) != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") {
        throw sample::Failure("the reference gives a wrong digest of the standard's own example");
    }
    const auto bits = static_cast<std::uint32_t>(session.size);
    const std::vector<std::uint32_t> head = session.random_values<std::uint32_t>(6);
    Searcher searcher{session.device, head};
    searcher.search(0, 256, 64); // the first launch may compile and allocate

    // Batches grow until one is long enough on the device.
    std::uint64_t first = 0;
    std::uint32_t batch = 1 << 14;
    std::uint32_t found = none;
    const sample::Stopwatch watch;
    for (;;) {
        const sample::Stopwatch one;
        found = searcher.search(first, batch, bits);
        if (found != none) {
            break;
        }
        first += batch;
        batch = one.ms() < 50 ? std::min(2 * batch, 1u << 26) : batch;
    }
    const double seconds = watch.seconds();
    const std::uint64_t nonce = first + found;
    const double rate = static_cast<double>(first + batch) / seconds;

    const std::array<std::uint8_t, 32> solution = message(head, nonce);
    session.say("message {} {:016x}", hex(std::span{solution}.first(24)), nonce);
    session.say("digest  {}", hex(sha256(solution)));
    session.say("{} hashes in {:.1f} ms, {:.2f} million hashes/s", first + batch, 1e3 * seconds, rate / 1e6);
    session.measured("hashes_s", rate);
    check(head, nonce, bits);
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"10_sha256", "Finds a nonce that gives a SHA-256 digest with many leading zero bits", 18,
                    "leading zero bits of the digest; each one doubles it"};
    return app.run(argc, argv, hashes);
}
