// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include "environment.hpp"
#include "module.hpp"
#include "process.hpp"
#include "rewrite.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

namespace ferry_double {

namespace {

struct Options {
    std::string architecture = compiler_facts.architecture;
    std::vector<std::string> preprocess, compile;
};

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

// Returns false for an option that the vendor's compiler does not know, or for a wrong value of an option.
bool translate(const std::vector<std::string>& given, Options& options, std::string& log) {
    bool next_is_for_preprocessor = false;
    for (const std::string& word : given) {
        if (std::exchange(next_is_for_preprocessor, false)) {
            options.preprocess.push_back(word);
            continue;
        }
        const std::optional<std::string> option = compiler_facts.option(word);
        if (!option) {
            log = "error: unknown option '" + word + "'\n";
            return false;
        }
        if (starts(*option, "--gpu-architecture=")) {
            options.architecture = option->substr(option->find('=') + 1);
            if (!compiler_facts.known_architecture(options.architecture)) {
                log = "error: the architecture '" + options.architecture + "' is not known\n";
                return false;
            }
        } else if (starts(*option, "-D") || starts(*option, "-U") || starts(*option, "-I")) {
            options.preprocess.push_back(*option);
            next_is_for_preprocessor = option->size() == 2;
        } else if (starts(*option, "-std=")) {
            const bool older = option->find("++98") != std::string::npos ||
                               option->find("++11") != std::string::npos ||
                               option->find("++14") != std::string::npos;
            options.compile.push_back(older ? "-std=c++17" : *option);
        } else if (!option->empty()) {
            options.compile.push_back(*option);
        }
    }
    return true;
}

std::string compiler_path() {
    return text_from("FERRY_DOUBLE_CXX", FERRY_DOUBLE_COMPILER);
}
std::string prelude_folder() {
    return FERRY_DOUBLE_PRELUDE;
}

class Compilation {
public:
    Compilation(const Source& source, const Options& options) : source_(source), options_(options) {}

    Compiled run() {
        if (folder_.path().empty() || !preprocess()) {
            return finish(compiler_compilation);
        }
        const Rewritten rewritten = rewrite(preprocessed_);
        if (!build(rewritten)) {
            return finish(compiler_compilation);
        }
        std::string bytes;
        if (!read_file(file("kernels.so"), bytes)) {
            return finish(compiler_internal);
        }
        std::string error;
        const std::shared_ptr<ModuleState> module = ModuleState::load(bytes, error);
        if (module == nullptr) {
            log_ += error + "\n";
            return finish(compiler_compilation);
        }
        Compiled result = finish(0);
        result.object = compiler_facts.make_object(options_.architecture, module->descriptions(), bytes);
        return result;
    }

private:
    std::string file(const char* name) const { return folder_.path() + "/" + name; }

    Compiled finish(int code) { return {code, log_, {}}; }

    bool step(const std::vector<std::string>& arguments) {
        const int status = run_program(arguments, file("log"));
        std::string text;
        read_file(file("log"), text);
        log_ += text;
        if (status == -1) {
            log_ += "error: the double could not run " + arguments[0] + "\n";
        }
        return status == 0;
    }

    // Preprocesses without the prelude. So the text's own conditions decide which kernels exist, and standard
    // headers are missing, as in the vendor's compiler.
    bool preprocess() {
        for (const auto& [name, text] : source_.headers) {
            const std::filesystem::path path = folder_.path() + "/headers/" + name;
            std::error_code ignored;
            std::filesystem::create_directories(path.parent_path(), ignored);
            write_file(path.string(), text);
        }
        write_file(file("source"), "# 1 \"" + source_.name + "\"\n" + source_.text);
        std::vector<std::string> arguments{compiler_path(), "-x", "c++", "-std=c++17", "-E", "-nostdinc"};
        const std::vector<std::string> macros = compiler_facts.macros(options_.architecture);
        arguments.insert(arguments.end(), macros.begin(), macros.end());
        arguments.insert(arguments.end(), {"-I" + folder_.path() + "/headers", "-isystem", prelude_folder()});
        arguments.insert(arguments.end(), options_.preprocess.begin(), options_.preprocess.end());
        arguments.insert(arguments.end(), {"-o", file("preprocessed"), file("source")});
        return step(arguments) && read_file(file("preprocessed"), preprocessed_);
    }

    bool build(const Rewritten& rewritten) {
        std::string text = compiler_facts.prelude;
        text += rewritten.barriers ? "#define FERRY_DOUBLE_FIBERS 1\n" : "";
        // The headers of the C library define macros that the vendor's compiler lacks.
        text += "#include <prelude.hpp>\n#undef assert\n" + rewritten.text +
                "\n# 1 \"the double's table of kernels\"\n";
        text += "extern \"C\" const ferry_double::KernelEntry* ferry_double_kernels() {\n"
                "static const ferry_double::KernelEntry table[] = {\n";
        for (const FoundKernel& kernel : rewritten.kernels) {
            text += "ferry_double::entry<&::" + kernel.name + ">(\"" + kernel.name + "\"),\n";
        }
        text += "{}};\nreturn table;\n}\n";
        write_file(file("kernels.cpp"), text);
        const std::string compiler = compiler_path();
        std::vector<std::string> arguments{compiler,
                                           "-std=c++17",
                                           "-O1",
                                           "-fPIC",
                                           "-shared",
                                           "-Wl,-Bsymbolic",
                                           "-fno-exceptions",
                                           "-fno-rtti",
                                           "-fno-threadsafe-statics",
                                           "-fno-strict-aliasing",
                                           "-ffp-contract=off",
                                           "-Wno-attributes",
                                           "-Wno-unknown-pragmas",
                                           "-Wno-unused",
                                           "-isystem",
                                           prelude_folder()};
        if (compiler.find("clang") == std::string::npos) {
            arguments.push_back("-fno-gnu-unique"); // variables must not be shared between kernel libraries
        }
        arguments.insert(arguments.end(), options_.compile.begin(), options_.compile.end());
        arguments.insert(arguments.end(), {"-o", file("kernels.so"), file("kernels.cpp"), "-lm"});
        return step(arguments);
    }

    const Source& source_;
    const Options& options_;
    TemporaryFolder folder_;
    std::string preprocessed_, log_;
};

// Size and time of change. Empty if there is no such file.
std::string stamp(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    const auto time = std::filesystem::last_write_time(path, error);
    return error ? "" : std::to_string(size) + ' ' + std::to_string(time.time_since_epoch().count());
}

// The library with this code writes the objects, so another version of it must not read them.
std::string own_stamp() {
    Dl_info own{};
    return dladdr(reinterpret_cast<const void*>(&stamp), &own) != 0 ? stamp(own.dli_fname) : "";
}

// As the library is loaded: a build may replace the file before the first text is compiled.
const std::string writer = own_stamp();

std::string key_of(const Source& source, const std::vector<std::string>& options) {
    std::string all = writer + '\0' + compiler_path() + '\0' + stamp(compiler_path()) + '\0' +
                      compiler_facts.name + '\0' + source.name + '\0' + source.text;
    for (const auto& [name, text] : source.headers) {
        all += '\0' + name + '\0' + text;
    }
    for (const std::string& option : options) {
        all += '\0' + option;
    }
    std::set<std::filesystem::path> headers;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(prelude_folder())) {
        if (entry.is_regular_file()) {
            headers.insert(entry.path());
        }
    }
    for (const std::filesystem::path& header : headers) {
        std::string text;
        read_file(header.string(), text);
        all += '\0' + header.string() + '\0' + text;
    }
    std::uint64_t hashes[2] = {14695981039346656037ULL, 0x9E3779B97F4A7C15ULL};
    for (const char c : all) {
        hashes[0] = (hashes[0] ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        hashes[1] =
            (hashes[1] + static_cast<unsigned char>(c)) * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    char text[40];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hashes[0]),
                  static_cast<unsigned long long>(hashes[1]));
    return text;
}

struct Cache {
    std::mutex mutex;
    std::map<std::string, Compiled> list;
};
Cache& cache() {
    static Cache& only = *new Cache;
    return only;
}

/// Removes the files that were not used for the longest time if all of them have more than 256 MiB.
void bound(const std::string& folder) {
    namespace fs = std::filesystem;
    constexpr std::uintmax_t most = std::uintmax_t{256} << 20;
    struct File {
        fs::file_time_type used;
        std::uintmax_t bytes;
        fs::path path;
    };
    std::vector<File> files;
    std::uintmax_t bytes = 0;
    std::error_code failed; // Other processes add and remove files at the same time.
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        std::error_code gone;
        const File file{at->last_write_time(gone), at->file_size(gone), at->path()};
        if (!gone) {
            bytes += file.bytes;
            files.push_back(file);
        }
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
    for (auto file = files.begin(); bytes > most && file != files.end(); ++file) {
        bytes -= file->bytes;
        fs::remove(file->path, failed);
    }
}

} // namespace

Compiled compile(const Source& source, const std::vector<std::string>& given) {
    Options options;
    std::string log;
    if (!translate(given, options, log)) {
        return {compiler_invalid_option, log, {}};
    }
    const std::string key = key_of(source, given);
    {
        const std::lock_guard lock(cache().mutex);
        if (const auto found = cache().list.find(key); found != cache().list.end()) {
            return found->second;
        }
    }
    std::string folder = text_from("FERRY_DOUBLE_CACHE", FERRY_DOUBLE_CACHE_FOLDER);
    // The key does not cover the files of other folders.
    const bool includes_files = std::any_of(options.preprocess.begin(), options.preprocess.end(),
                                            [](const std::string& word) { return starts(word, "-I"); });
    if (folder == "off" || includes_files) {
        folder.clear();
    }
    const std::string path = folder + "/" + key;
    Compiled result;
    std::string bytes;
    if (!folder.empty() && read_file(path, bytes)) {
        result.object.assign(bytes.begin(), bytes.end());
        std::error_code ignored;
        std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
    } else {
        result = Compilation(source, options).run();
        // The file has no log, so a text with a log is compiled again.
        if (!folder.empty() && result.code == 0 && result.log.empty()) {
            std::error_code ignored;
            std::filesystem::create_directories(folder, ignored);
            replace_file(path, {result.object.data(), result.object.size()});
            static std::once_flag first;
            std::call_once(first, bound, folder);
        }
    }
    const std::lock_guard lock(cache().mutex);
    return cache().list.emplace(key, std::move(result)).first->second;
}

} // namespace ferry_double
