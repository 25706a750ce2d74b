// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"
#include "exports.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cstring>

namespace ferry_double {

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

unsigned long long live_programs() {
    return programs().size();
}

CompilerResult CompilerRows::version(int* major, int* minor) {
    FERRY_DOUBLE_COMPILER_COUNT(version)
    *major = compiler_major;
    *minor = compiler_minor;
    return success;
}

const char* CompilerRows::error_text(CompilerResult error) {
    return error >= 0 && error < static_cast<int>(std::size(compiler_errors))
               ? compiler_errors[error]
               : "an unknown code of the compiler";
}

CompilerResult CompilerRows::create(CompilerProgram* program, const char* text, const char* name,
                                    int header_count, Strings headers, Strings header_names) {
    FERRY_DOUBLE_COMPILER_COUNT(create)
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

CompilerResult CompilerRows::destroy(CompilerProgram* program) {
    FERRY_DOUBLE_COMPILER_COUNT(destroy)
    if (program == nullptr || programs().remove(*program) == nullptr) {
        return compiler_invalid_program;
    }
    *program = nullptr;
    return success;
}

CompilerResult CompilerRows::compile(CompilerProgram program, int count, Strings options) {
    FERRY_DOUBLE_COMPILER_COUNT(compile)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr || count < 0) {
        return state == nullptr ? compiler_invalid_program : compiler_invalid_input;
    }
    const Inside inside;
    if (!inside.alone && compiler_is_serial) {
        state->result = {compiler_internal, "error: two compilations at the same time\n", {}};
    } else {
        state->result = ferry_double::compile(state->source, {options, options + count});
    }
    state->compiled = true;
    return state->result.code;
}

CompilerResult CompilerRows::log_size(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COMPILER_COUNT(log_size)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr) {
        return compiler_invalid_program;
    }
    *bytes = state->result.log.size() + 1;
    return success;
}

CompilerResult CompilerRows::log(CompilerProgram program, char* text) {
    FERRY_DOUBLE_COMPILER_COUNT(log)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr) {
        return compiler_invalid_program;
    }
    std::memcpy(text, state->result.log.c_str(), state->result.log.size() + 1);
    return success;
}

CompilerResult CompilerRows::code_size(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COMPILER_COUNT(code_size)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr || !state->compiled || state->result.code != 0) {
        return compiler_invalid_program;
    }
    *bytes = state->result.object.size();
    return success;
}

CompilerResult CompilerRows::code(CompilerProgram program, char* code) {
    FERRY_DOUBLE_COMPILER_COUNT(code)
    const std::shared_ptr<ProgramState> state = programs().find(program);
    if (state == nullptr || !state->compiled || state->result.code != 0) {
        return compiler_invalid_program;
    }
    std::copy(state->result.object.begin(), state->result.object.end(), code);
    return success;
}

} // namespace ferry_double
