// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

namespace ferry::opencl_c {
namespace {

ScalarType scalar_type_of(const Types& types, Type type) {
    switch (types.integer_kind(type)) {
    case TypeKind::char_:
        return ScalarType::i8;
    case TypeKind::uchar:
        return ScalarType::u8;
    case TypeKind::short_:
        return ScalarType::i16;
    case TypeKind::ushort:
        return ScalarType::u16;
    case TypeKind::int_:
        return ScalarType::i32;
    case TypeKind::uint:
        return ScalarType::u32;
    case TypeKind::long_:
        return ScalarType::i64;
    case TypeKind::ulong:
        return ScalarType::u64;
    case TypeKind::half:
        return ScalarType::f16;
    case TypeKind::float_:
        return ScalarType::f32;
    case TypeKind::double_:
        return ScalarType::f64;
    default:
        return ScalarType::other;
    }
}

ParameterInfo described(const Tree& tree, const Variable& parameter, const std::string& type_text) {
    const Types& types = tree.types;
    ParameterInfo info;
    info.name = parameter.name;
    info.type_name = type_text;
    info.bytes = types.size(parameter.type);
    if (!types.is_pointer(parameter.type)) {
        info.kind = ParameterKind::value;
        info.space = AddressSpace::none;
        info.type = scalar_type_of(types, parameter.type);
        return info;
    }
    const Type pointee = types.element(parameter.type);
    info.type = scalar_type_of(types, pointee);
    info.kind = pointee.space() == Space::local ? ParameterKind::local : ParameterKind::buffer;
    info.space = pointee.space() == Space::local      ? AddressSpace::local
                 : pointee.space() == Space::constant ? AddressSpace::constant
                                                      : AddressSpace::global;
    info.read_only = pointee.is_const() || pointee.space() == Space::constant;
    return info;
}

} // namespace

std::vector<KernelInfo> kernels(const Tree& tree) {
    std::vector<KernelInfo> all;
    for (std::size_t i = 1; i < tree.functions.size(); ++i) {
        const Function& f = tree.functions[i];
        if (!f.kernel || f.body == 0) {
            continue;
        }
        KernelInfo info;
        info.name = f.name;
        info.parameters_known = true;
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            info.parameters.push_back(described(tree, tree.variables[f.parameters[n]], f.parameter_types[n]));
        }
        for (std::size_t d = 0; d < 3; ++d) {
            info.required_local[d] = f.required_local[d];
        }
        all.push_back(std::move(info));
    }
    return all;
}

} // namespace ferry::opencl_c
