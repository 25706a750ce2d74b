// SPDX-License-Identifier: Apache-2.0
#include "verification.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 27)) * 0xD6E8FEB86659FD93U;
    return x ^ (x >> 32);
}

// A counter with a hash, because filling a GiB must not take longer than the copies that it checks.
void fill_random(std::span<std::byte> bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof seed) {
        const std::uint64_t word = mixed(seed + i);
        std::memcpy(bytes.data() + i, &word, std::min(sizeof word, bytes.size() - i));
    }
}

// Small integers, so that all sums and products are exact in any order.
std::vector<std::byte> small_numbers(std::size_t bytes, std::uint64_t seed) {
    std::vector<std::byte> array(bytes);
    for (std::size_t i = 0; i < bytes; i += sizeof(float)) {
        const auto value = static_cast<float>(mixed(seed + i) & 3);
        std::memcpy(array.data() + i, &value, sizeof value);
    }
    return array;
}

float float_at(const std::vector<std::byte>& array, std::size_t i) {
    float value = 0;
    std::memcpy(&value, array.data() + i * sizeof value, sizeof value);
    return value;
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <class Value>
std::vector<std::byte> computed(std::size_t bytes, Value value) {
    std::vector<float> result(bytes / sizeof(float));
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = value(i);
    }
    return bytes_of(result);
}

std::vector<std::byte> dot_sums(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    std::vector<float> sums(dot_groups);
    constexpr std::size_t lanes = 4;
    for (std::size_t i = 0; i < a.size() / sizeof(float); ++i) {
        sums[i / lanes / stream_group % dot_groups] += float_at(a, i) * float_at(b, i);
    }
    return bytes_of(sums);
}

} // namespace

Verification::Verification(const Measurement& what, Subject& subject, std::size_t bytes, std::uint64_t seed)
    : what_(what), subject_(subject), bytes_(bytes), seed_(seed), values_(bump_items) {
    switch (what.check) {
    case Check::nothing:
        break;
    case Check::sum:
    case Check::order:
        fill_random(std::as_writable_bytes(std::span(values_)), seed);
        subject.write(Array::data, std::as_bytes(std::span(values_)));
        if (what.check == Check::order) {
            subject.run(Operation::launch, 1, 0, false);
        }
        break;
    case Check::uploaded:
        std::ranges::fill(destination(), std::byte{});
        subject.write(Array::first, destination());
        fill_random(source(), seed);
        break;
    case Check::both:
        std::ranges::fill(destination(), std::byte{});
        subject.write(Array::first, destination());
        kept_[0].resize(bytes);
        fill_random(kept_[0], seed + 1);
        subject.write(Array::second, kept_[0]);
        fill_random(source(), seed);
        break;
    case Check::downloaded:
    case Check::between:
        fill_random(source(), seed);
        subject.write(Array::first, source());
        std::ranges::fill(destination(), std::byte{});
        subject.write(Array::second, destination());
        break;
    case Check::filled:
        std::ranges::fill(destination(), std::byte{});
        subject.write(Array::first, destination());
        subject.set_pattern(static_cast<std::uint32_t>(seed));
        break;
    case Check::stream:
        prepare_stream();
        break;
    case Check::touched:
        kept_[0].resize(bytes);
        fill_random(kept_[0], seed);
        std::ranges::copy(kept_[0], subject.host(HostArray::shared).begin());
        break;
    case Check::held:
        values_ = {static_cast<std::uint32_t>(seed)};
        subject.write(Array::sums, std::as_bytes(std::span(values_)));
        break;
    }
}

std::span<std::byte> Verification::source() const {
    const bool pageable = what_.operation == Operation::up_pageable;
    return subject_.host(pageable ? HostArray::pageable_up : HostArray::up).first(bytes_);
}

std::span<std::byte> Verification::destination() const {
    const bool pageable = what_.operation == Operation::down_pageable;
    return subject_.host(pageable ? HostArray::pageable_down : HostArray::down).first(bytes_);
}

void Verification::prepare_stream() {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        kept_[i] = small_numbers(bytes_, seed_ + i);
        subject_.write(static_cast<Array>(i), kept_[i]);
    }
}

void Verification::check(std::uint64_t steps, std::string_view side) {
    subject_.finish_all();
    const auto found = [&](Array array) {
        std::ranges::fill(destination(), std::byte{});
        subject_.read(array, destination());
        return destination();
    };
    switch (what_.check) {
    case Check::nothing:
        break;
    case Check::sum:
    case Check::order:
        check_values(steps, side);
        break;
    case Check::uploaded:
        compare(source(), found(Array::first), side);
        break;
    case Check::both:
        compare(kept_[0], destination(), side);
        compare(source(), found(Array::first), side);
        break;
    case Check::downloaded:
        compare(source(), destination(), side);
        break;
    case Check::between:
        compare(source(), found(Array::second), side);
        break;
    case Check::filled: {
        const std::vector<std::uint32_t> expected(bytes_ / sizeof(std::uint32_t),
                                                  static_cast<std::uint32_t>(seed_));
        compare(std::as_bytes(std::span(expected)), found(Array::first), side);
        break;
    }
    case Check::stream:
        check_stream(side);
        break;
    case Check::touched:
        check_touched(steps, side);
        break;
    case Check::held:
        check_held(steps, side);
        break;
    }
}

void Verification::check_values(std::uint64_t steps, std::string_view side) {
    if (what_.check == Check::order) {
        subject_.run(Operation::launch, 1, 0, true);
        steps = 2;
    }
    std::vector<std::uint32_t> result(bump_items);
    subject_.read(Array::data, std::as_writable_bytes(std::span(result)));
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] += static_cast<std::uint32_t>(steps) * (bump_more(i) + bump_add);
    }
    compare(std::as_bytes(std::span(values_)), std::as_bytes(std::span(result)), side);
}

void Verification::check_stream(std::string_view side) {
    // Separate declarations, because clang++ 14 cannot capture structured bindings in lambdas.
    const auto& a = kept_[0];
    const auto& b = kept_[1];
    const auto& c = kept_[2];
    std::vector<std::byte> result(bytes_);
    const auto check_array = [&](Array array, const std::vector<std::byte>& expected) {
        subject_.read(array, std::span(result).first(expected.size()));
        compare(expected, std::span(result).first(expected.size()), side);
    };
    switch (what_.operation) {
    case Operation::stream_copy:
        return check_array(Array::third, a);
    case Operation::stream_mul:
        return check_array(Array::second,
                           computed(bytes_, [&](std::size_t i) { return stream_scalar * float_at(c, i); }));
    case Operation::stream_add:
        return check_array(Array::third,
                           computed(bytes_, [&](std::size_t i) { return float_at(a, i) + float_at(b, i); }));
    case Operation::stream_triad:
        return check_array(Array::first, computed(bytes_, [&](std::size_t i) {
                               return float_at(b, i) + stream_scalar * float_at(c, i);
                           }));
    default:
        return check_array(Array::sums, dot_sums(a, b));
    }
}

// Both sides add different amounts to each word, so a write that the other side did not see is detected.
void Verification::check_touched(std::uint64_t steps, std::string_view side) {
    for (std::size_t i = 0; i < bytes_ / sizeof(std::uint32_t); ++i) {
        std::uint32_t word = 0;
        std::byte* const at = kept_[0].data() + i * sizeof word;
        std::memcpy(&word, at, sizeof word);
        word += static_cast<std::uint32_t>(steps) * (touch_of_host(i) + touch_of_device(i));
        std::memcpy(at, &word, sizeof word);
    }
    compare(kept_[0], subject_.host(HostArray::shared).first(bytes_), side);
}

void Verification::check_held(std::uint64_t steps, std::string_view side) {
    std::uint32_t& x = values_[0];
    for (std::uint64_t i = 0; i < steps * bytes_; ++i) {
        x = (x ^ (x >> 7)) * 1664525U + 1013904223U; // As in bench.cl.
    }
    std::uint32_t result = 0;
    subject_.read(Array::sums, std::as_writable_bytes(std::span(&result, 1)));
    compare(std::as_bytes(std::span(values_)), std::as_bytes(std::span(&result, 1)), side);
}

void Verification::compare(std::span<const std::byte> expected, std::span<const std::byte> found,
                           std::string_view side) const {
    if (std::memcmp(expected.data(), found.data(), expected.size()) == 0) {
        return;
    }
    const auto [wrong, value] = std::mismatch(expected.begin(), expected.end(), found.begin());
    throw std::runtime_error(std::string(what_.name) + ", " + std::string(side) + ": byte " +
                             std::to_string(wrong - expected.begin()) + " of " +
                             std::to_string(expected.size()) + " is " +
                             std::to_string(std::to_integer<int>(*value)) + ", not " +
                             std::to_string(std::to_integer<int>(*wrong)) + ".");
}

} // namespace bench
