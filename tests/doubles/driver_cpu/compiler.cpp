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

/// The name of a file in the cache.
class Key {
public:
    Key& add(std::string_view part) {
        all_ += part;
        all_ += '\0';
        return *this;
    }
    std::string name() const {
        std::uint64_t hashes[2] = {14695981039346656037ULL, 0x9E3779B97F4A7C15ULL};
        for (const char c : all_) {
            hashes[0] = (hashes[0] ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
            hashes[1] =
                (hashes[1] + static_cast<unsigned char>(c)) * 6364136223846793005ULL + 1442695040888963407ULL;
        }
        char text[40];
        std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hashes[0]),
                      static_cast<unsigned long long>(hashes[1]));
        return text;
    }

private:
    std::string all_;
};

/// A key of this library, its compiler and the prelude.
Key compiler_key() {
    Key key;
    key.add(writer).add(compiler_path()).add(stamp(compiler_path())).add(compiler_facts.name);
    std::set<std::filesystem::path> headers;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(prelude_folder())) {
        if (entry.is_regular_file()) {
            headers.insert(entry.path());
        }
    }
    for (const std::filesystem::path& header : headers) {
        std::string text;
        read_file(header.string(), text);
        key.add(header.string()).add(text);
    }
    return key;
}

std::string key_of(const Source& source, const std::vector<std::string>& options) {
    Key key = compiler_key();
    key.add(source.name).add(source.text);
    for (const auto& [name, text] : source.headers) {
        key.add(name).add(text);
    }
    for (const std::string& option : options) {
        key.add(option);
    }
    return key.name();
}

/// Writes a file of the cache.
void keep(const std::filesystem::path& path, std::string_view bytes) {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    replace_file(path.string(), bytes);
}

/// Reads a file of the cache, and notes its use for bound().
bool fetch(const std::string& path, std::string& bytes) {
    std::error_code ignored;
    if (!read_file(path, bytes)) {
        return false;
    }
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
    return true;
}

class Compilation {
public:
    /// `cache`: the folder of libraries of kernels. Empty: none are kept.
    Compilation(const Source& source, const Options& options, std::string cache)
        : source_(source), options_(options), cache_(std::move(cache)) {}

    Compiled run() {
        if (folder_.path().empty() || !preprocess()) {
            return finish(compiler_compilation);
        }
        const std::string text = complete(rewrite(preprocessed_));
        // Texts and options that give the same preprocessed text share a library.
        const std::string kept = cache_.empty() ? "" : cache_ + "/" + key_of(text) + ".so";
        std::string bytes;
        if (kept.empty() || !fetch(kept, bytes)) {
            if (!build(text)) {
                return finish(compiler_compilation);
            }
            if (!read_file(file("kernels.so"), bytes)) {
                return finish(compiler_internal);
            }
            if (!kept.empty() && log_.empty()) {
                keep(kept, bytes);
            }
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

    static std::string complete(const Rewritten& rewritten) {
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
        return text + "{}};\nreturn table;\n}\n";
    }

    std::vector<std::string> words() const {
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
        return arguments;
    }

    bool build(const std::string& text) {
        write_file(file("kernels.cpp"), text);
        std::vector<std::string> arguments = words();
        arguments.insert(arguments.end(), {"-o", file("kernels.so"), file("kernels.cpp"), "-lm"});
        return step(arguments);
    }

    std::string key_of(std::string text) const {
        // The preprocessor names its input, which is in another folder each time.
        for (std::size_t at = text.find(folder_.path()); at != std::string::npos;
             at = text.find(folder_.path(), at)) {
            text.erase(at, folder_.path().size());
        }
        Key key = compiler_key();
        for (const std::string& word : words()) {
            key.add(word);
        }
        return key.add(text).name();
    }

    const Source& source_;
    const Options& options_;
    const std::string cache_;
    TemporaryFolder folder_;
    std::string preprocessed_, log_;
};

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
    if (!folder.empty() && fetch(path, bytes)) {
        result.object.assign(bytes.begin(), bytes.end());
    } else {
        result = Compilation(source, options, folder).run();
        // The file has no log, so a text with a log is compiled again.
        if (!folder.empty() && result.code == 0 && result.log.empty()) {
            keep(path, {result.object.data(), result.object.size()});
            static std::once_flag first;
            std::call_once(first, bound, folder);
        }
    }
    const std::lock_guard lock(cache().mutex);
    return cache().list.emplace(key, std::move(result)).first->second;
}

} // namespace ferry_double
