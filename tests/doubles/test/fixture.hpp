// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hip_library.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ferry_double::test {

inline HipLibrary& hip() {
    static HipLibrary library = open_hip(std::getenv("FERRY_HIP_LIBRARY"));
    return library;
}

inline HipCompiler& compiler() {
    static HipCompiler library = open_compiler(std::getenv("FERRY_HIPRTC_LIBRARY"));
    return library;
}

struct CompiledCode {
    int result = 0;
    std::string log;
    std::vector<char> bytes;
};

inline CompiledCode compile(const std::string& text,
                            std::vector<const char*> options = {"--gpu-architecture=gfx90a"}) {
    HipCompiler& rtc = compiler();
    CompilerProgram program = nullptr;
    REQUIRE(rtc.hiprtcCreateProgram(&program, text.c_str(), "user.hip", 0, nullptr, nullptr) == 0);
    CompiledCode code;
    code.result = rtc.hiprtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    std::size_t bytes = 0;
    REQUIRE(rtc.hiprtcGetProgramLogSize(program, &bytes) == 0);
    code.log.resize(bytes);
    REQUIRE(rtc.hiprtcGetProgramLog(program, code.log.data()) == 0);
    code.log.resize(bytes - 1);
    if (code.result == 0) {
        REQUIRE(rtc.hiprtcGetCodeSize(program, &bytes) == 0);
        code.bytes.resize(bytes);
        REQUIRE(rtc.hiprtcGetCode(program, code.bytes.data()) == 0);
    }
    REQUIRE(rtc.hiprtcDestroyProgram(&program) == 0);
    return code;
}

struct LoadedModule {
    explicit LoadedModule(const std::string& text) {
        const CompiledCode code = compile(text);
        INFO(code.log);
        REQUIRE(code.result == 0);
        REQUIRE(hip().hipModuleLoadDataEx(&handle, code.bytes.data(), 0, nullptr, nullptr) == 0);
    }
    ~LoadedModule() { hip().hipModuleUnload(handle); }
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    Function function(const char* name) const {
        Function found = nullptr;
        REQUIRE(hip().hipModuleGetFunction(&found, handle, name) == 0);
        return found;
    }

    Module handle = nullptr;
};

struct LoadedStream {
    LoadedStream() { REQUIRE(hip().hipStreamCreateWithFlags(&handle, 1) == 0); }
    ~LoadedStream() { hip().hipStreamDestroy(handle); }
    LoadedStream(const LoadedStream&) = delete;
    LoadedStream& operator=(const LoadedStream&) = delete;
    int finish() const { return hip().hipStreamSynchronize(handle); }

    template <class... A>
    int launch(Function function, unsigned int groups, unsigned int local, unsigned int shared,
               A... arguments) const {
        void* parameters[] = {static_cast<void*>(&arguments)..., nullptr};
        return hip().hipModuleLaunchKernel(function, groups, 1, 1, local, 1, 1, shared, handle,
                                           static_cast<void**>(parameters), nullptr);
    }

    Stream handle = nullptr;
};

template <class T>
struct DeviceArray {
    explicit DeviceArray(std::size_t n) : count(n) {
        REQUIRE(hip().hipMalloc(reinterpret_cast<void**>(&data), n * sizeof(T)) == 0);
    }
    explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
        LoadedStream stream;
        REQUIRE(hip().hipMemcpyHtoDAsync(data, const_cast<T*>(from.data()), count * sizeof(T),
                                         stream.handle) == 0);
        REQUIRE(stream.finish() == 0);
    }
    ~DeviceArray() { hip().hipFree(data); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    std::vector<T> read(const LoadedStream& stream) const {
        std::vector<T> to(count);
        REQUIRE(hip().hipMemcpyDtoHAsync(to.data(), data, count * sizeof(T), stream.handle) == 0);
        REQUIRE(stream.finish() == 0);
        return to;
    }

    T* data = nullptr;
    std::size_t count;
};

} // namespace ferry_double::test
