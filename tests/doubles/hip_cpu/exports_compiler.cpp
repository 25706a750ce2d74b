// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"
#include "exports.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cstring>

namespace {

struct ProgramState {
    Source source;
    Compiled result;
    bool compiled = false;
};

Handles<ProgramState>& programs() {
    static Handles<ProgramState>& all = *new Handles<ProgramState>;
    return all;
}

std::atomic<int> compiling{0};

struct Inside {
    bool alone = compiling++ == 0;
    ~Inside() { --compiling; }
    Inside() = default;
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

} // namespace

unsigned long long ferry_double::live_programs() {
    return programs().size();
}

CompilerResult hiprtcVersion(int* major, int* minor) {
    FERRY_DOUBLE_COUNT(hiprtcVersion)
    *major = 9;
    *minor = 0;
    return success;
}

const char* hiprtcGetErrorString(CompilerResult error) {
    constexpr const char* names[] = {"HIPRTC_SUCCESS",
                                     "HIPRTC_ERROR_OUT_OF_MEMORY",
                                     "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                     "HIPRTC_ERROR_INVALID_INPUT",
                                     "HIPRTC_ERROR_INVALID_PROGRAM",
                                     "HIPRTC_ERROR_INVALID_OPTION",
                                     "HIPRTC_ERROR_COMPILATION",
                                     "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                     "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                     "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                     "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                     "HIPRTC_ERROR_INTERNAL_ERROR"};
    return error >= 0 && error < static_cast<int>(std::size(names)) ? names[error]
                                                                    : "Invalid HIPRTC error code";
}

CompilerResult hiprtcCreateProgram(CompilerProgram* program, const char* text, const char* name,
                                   int header_count, Strings headers, Strings header_names) {
    FERRY_DOUBLE_COUNT(hiprtcCreateProgram)
    if (program == nullptr || text == nullptr || header_count < 0) {
        return compiler_invalid_input;
    }
    auto state = std::make_shared<ProgramState>();
    state->source = {text, name != nullptr && *name != '\0' ? name : "default_program", {}};
    for (int i = 0; i != header_count; ++i) {
        state->source.headers.emplace_back(header_names[i], headers[i]);
    }
    *program = programs().add(std::move(state));
    return success;
}

CompilerResult hiprtcDestroyProgram(CompilerProgram* program) {
    FERRY_DOUBLE_COUNT(hiprtcDestroyProgram)
    if (program == nullptr || programs().remove(*program) == nullptr) {
        return compiler_invalid_program;
    }
    *program = nullptr;
    return success;
}

CompilerResult hiprtcCompileProgram(CompilerProgram program, int count, Strings options) {
    FERRY_DOUBLE_COUNT(hiprtcCompileProgram)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr || count < 0) {
        return state == nullptr ? compiler_invalid_program : compiler_invalid_input;
    }
    const Inside inside;
    if (!inside.alone) { // AMD's crashes then, sometimes
        state->result = {compiler_internal, "error: two compilations at the same time\n", {}};
    } else {
        state->result = compile(state->source, {options, options + count});
    }
    state->compiled = true;
    return state->result.code;
}

CompilerResult hiprtcGetProgramLogSize(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COUNT(hiprtcGetProgramLogSize)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr) {
        return compiler_invalid_program;
    }
    *bytes = state->result.log.size() + 1;
    return success;
}

CompilerResult hiprtcGetProgramLog(CompilerProgram program, char* text) {
    FERRY_DOUBLE_COUNT(hiprtcGetProgramLog)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr) {
        return compiler_invalid_program;
    }
    std::memcpy(text, state->result.log.c_str(), state->result.log.size() + 1);
    return success;
}

CompilerResult hiprtcGetCodeSize(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COUNT(hiprtcGetCodeSize)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr || !state->compiled || state->result.code != 0) {
        return compiler_invalid_program;
    }
    *bytes = state->result.object.size();
    return success;
}

CompilerResult hiprtcGetCode(CompilerProgram program, char* code) {
    FERRY_DOUBLE_COUNT(hiprtcGetCode)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr || !state->compiled || state->result.code != 0) {
        return compiler_invalid_program;
    }
    std::copy(state->result.object.begin(), state->result.object.end(), code);
    return success;
}
