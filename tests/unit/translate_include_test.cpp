// SPDX-License-Identifier: Apache-2.0
// #include: headers in memory and in directories, loops, limits.
#include "translate_preprocess_fixture.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace translate_include_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() : path_{fs::temp_directory_path() / ("ferry-include-" + std::to_string(getpid()))} {
        fs::remove_all(path_);
        fs::create_directories(path_ / "sub");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
    }
    std::string path() const { return path_.string(); }

private:
    fs::path path_;
};

PreprocessOptions with(std::vector<MemoryHeader> headers) {
    PreprocessOptions options;
    options.headers = std::move(headers);
    return options;
}

} // namespace

TEST_CASE("include: headers in memory") {
    CHECK(tokens("#include \"a.h\"\n#include <a.h>\nA", with({{"a.h", "#undef A\n#define A 1\nx"}})) ==
          "x x 1");
    CHECK(tokens("#include \"a\"\nend", with({{"a", "#include \"b\"\nA"}, {"b", "#define A 2"}})) == "2 end");
    CHECK(tokens("#include \"d/a\"", with({{"d/a", "#include \"b\""}, {"d/b", "beside"}})) == "beside");
    CHECK(tokens("#include \"a\"\n__LINE__ __FILE__", with({{"a", "\n__LINE__ __FILE__\n"}})) ==
          "2 \"a\" 2 \"main.cl\"");
    CHECK(tokens("#include \"a\"\n", with({{"a", "x"}})) == "x");
    CHECK(tokens("#define f(x) <x>\nf(\n#include \"a\"\n)", with({{"a", "1"}})) == "< 1 >");
}

TEST_CASE("include: the name made by a macro") {
    const PreprocessOptions options = with({{"a.h", "A"}, {"dir/b-1.h", "B"}});
    CHECK(tokens("#define H \"a.h\"\n#include H\n", options) == "A");
    CHECK(tokens("#define H <dir/b-1.h>\n#include H\n", options) == "B");
    CHECK(tokens("#define s(x) #x\n#define H(n) s(n.h)\n#include H(a)\n", options) == "A");
    CHECK(has(said("#define H 3\n#include H\n", options), "#include needs \"name\" or <name>"));
    CHECK(has(said("#define H <a.h\n#include H\n", options), "#include needs \"name\" or <name>"));
    CHECK(has(said("#include\n", options), "#include needs \"name\" or <name>"));
    CHECK(has(said("#include \"\"\n", options), "#include needs the name of a file"));
    CHECK(has(said("#include <a.h> x\n", options), "warning: 'x' behind #include is ignored"));
}

TEST_CASE("include: directories") {
    const Folder folder;
    folder.write("a.h", "#include \"b.h\"\nfrom_a");
    folder.write("sub/b.h", "from_sub_b");
    folder.write("sub/c.h", "#include \"b.h\"\n");
    PreprocessOptions options;
    options.include_directories = {"/nowhere", folder.path(), folder.path() + "/sub/"};
    CHECK(tokens("#include <a.h>\n", options) == "from_sub_b from_a");
    CHECK(tokens("#include \"sub/c.h\"\n", options) == "from_sub_b");
    options.headers = {{"b.h", "from_memory"}};
    CHECK(tokens("#include <a.h>\n", options) == "from_memory from_a");
    const std::string missing = said("\n#include <none.h>\n", options);
    CHECK(has(missing, "main.cl:2:10: error: the header 'none.h' is not found"));
    CHECK(has(missing, folder.path()));
    CHECK(has(said("#include <sub>\n", options), "'sub' is not found"));
    CHECK(has(said("#include \"/dev/zero\"\n", options), "'/dev/zero' is not found"));
}

TEST_CASE("include: once and guards") {
    const Folder folder;
    folder.write("once.h", "#pragma once\nx");
    PreprocessOptions options = with({{"once", "#pragma once\ny\n#include \"once\"\n"},
                                      {"guard", "#ifndef G\n#define G\nz\n#include \"guard\"\n#endif\n"},
                                      {"operator", "_Pragma(\"once\") w"}});
    options.include_directories = {folder.path(), folder.path() + "/sub/.."};
    CHECK(tokens("#include <once.h>\n#include \"sub/../once.h\"\n", options) == "x");
    CHECK(tokens("#include \"once\"\n#include <once>\n#include \"guard\"\n#include \"guard\"\n", options) ==
          "y z");
    CHECK(tokens("#include \"operator\"\n#include \"operator\"\n", options) == "w");
}

TEST_CASE("include: loops and limits") {
    const PreprocessOptions options = with({{"a.h", "#include \"b.h\"\n"},
                                            {"b.h", "#include \"a.h\"\n#include \"a.h\"\n"},
                                            {"self", "#include \"self\"\n#include \"self\"\n"}});
    CHECK(has(said("#include \"a.h\"\n", options),
              "headers are included 200 deep, which is the limit: a.h includes b.h includes a.h"));
    CHECK(has(said("#include \"self\"\n", options), "self includes self"));
    CHECK(has(said(times(20'001, "#include \"x\"\n"), with({{"x", ""}})),
              "more than 20000 files are included, which is the limit"));
    CHECK(has(said(times(300, "#include \"x\"\n"), with({{"x", times(1'000'000, " ")}})),
              "268435456 bytes, which is the limit"));
}

TEST_CASE("include: unfinished constructs of a header") {
    CHECK(has(said("#include \"a\"\n#endif\n", with({{"a", "#if 1\nx\n"}})),
              "a:1:2: error: #if has no #endif"));
    CHECK(has(said("#include \"a\"\n#endif\n", with({{"a", "#if 1\n"}})),
              "main.cl:2:2: error: #endif without #if"));
    CHECK(has(said("#define f(x) x\n#include \"a\"\n1)\n", with({{"a", "f(\n"}})),
              "a:1:1: error: the call of macro 'f' has no closing ')'"));
    CHECK(has(said("#include \"a\"\nx\n", with({{"a", "/* open"}})),
              "a:1:1: error: this comment is never closed"));
    CHECK(Run("#include \"a\"\nx\n", with({{"a", "y"}})).tokens[1].line_start);
}

} // namespace translate_include_test
