// SPDX-License-Identifier: Apache-2.0
#include "c_argument.hpp"

#include <array>

namespace ferry::c {
namespace {

using detail::Argument;
using detail::ArgumentKind;

static_assert(static_cast<ferry_type>(ScalarType::f64) == FERRY_TYPE_F64);
static_assert(static_cast<ferry_type>(ScalarType::u16) == FERRY_TYPE_U16);

constexpr std::array<std::size_t, 12> sizes{1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};

std::string number(std::size_t i) {
    return "Argument " + std::to_string(i);
}

/// The part common to all kinds.
Argument begin(const ferry_argument& given, std::size_t i, const Call& at) {
    if (given.type < 0 || given.type > FERRY_TYPE_F64) {
        at.refuse(Code::invalid_argument, number(i) + ' ' + at.of() + " has the type " +
                                              std::to_string(given.type) + "; a type is 0 to " +
                                              std::to_string(FERRY_TYPE_F64));
    }
    Argument result;
    result.type = static_cast<ScalarType>(given.type);
    result.element = sizes[static_cast<std::size_t>(given.type)];
    return result;
}

void give_value(Argument& to, const ferry_argument& given, std::size_t i, const Call& at) {
    to.kind = ArgumentKind::value;
    if (given.kind == FERRY_ARGUMENT_SCALAR) {
        if (given.type == FERRY_TYPE_OTHER) {
            at.refuse(Code::invalid_argument, number(i) + ' ' + at.of() +
                                                  " is a scalar of no type; give it one, or its bytes "
                                                  "(FERRY_ARGUMENT_BYTES)");
        }
        to.value = &given.value;
        to.bytes = to.element;
        return;
    }
    if (given.value.data == nullptr || given.bytes == 0) {
        at.refuse(Code::invalid_argument,
                  number(i) + ' ' + at.of() + " is a value of " + std::to_string(given.bytes) +
                      (given.value.data == nullptr ? " bytes at the null pointer"
                                                   : " bytes; it needs at least one"));
    }
    to.value = given.value.data;
    to.bytes = given.bytes;
    to.element = given.bytes;
}

void give_buffer(Argument& to, const ferry_argument& given, const Call& at) {
    to.kind = ArgumentKind::buffer;
    if (given.value.buffer != nullptr) {
        to.region = at.view(at.get(given.value.buffer, "arguments"), given.offset, given.bytes).region();
        to.bytes = to.region.bytes;
    }
}

} // namespace

Arguments::Arguments(const ferry_argument* arguments, std::size_t count, const Call& at) {
    if (count > max_arguments) {
        at.refuse(Code::invalid_argument, std::to_string(count) + " arguments " + at.of() +
                                              " are more than a launch takes, " +
                                              std::to_string(max_arguments));
    }
    if (count != 0) {
        at.not_null(arguments, "arguments", "as many arguments as 'count' says");
    }
    packed.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const ferry_argument& given = arguments[i];
        Argument argument = begin(given, i, at);
        switch (given.kind) {
        case FERRY_ARGUMENT_SCALAR:
        case FERRY_ARGUMENT_BYTES:
            give_value(argument, given, i, at);
            break;
        case FERRY_ARGUMENT_BUFFER:
            give_buffer(argument, given, at);
            break;
        case FERRY_ARGUMENT_SHARE: {
            const Shared<std::byte>& shared = at.get(given.value.share, "arguments").shared;
            argument.kind = ArgumentKind::buffer;
            static_cast<void>(shared.device(at.where)); // Throws for an ended share, which has no size.
            argument.bytes = at.range(shared.size(), given.offset, given.bytes, "a share");
            uses.resize(count);
            uses[i] = {shared.state().get(), given.offset, argument.bytes, true};
            break;
        }
        case FERRY_ARGUMENT_LOCAL:
            argument.kind = ArgumentKind::local;
            argument.bytes = given.bytes;
            break;
        default:
            at.refuse(Code::invalid_argument, number(i) + ' ' + at.of() + " is of the kind " +
                                                  std::to_string(given.kind) + "; a kind is 1 to " +
                                                  std::to_string(FERRY_ARGUMENT_LOCAL));
        }
        packed.push_back(argument);
    }
}

} // namespace ferry::c
