#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mistake in a kernel fails the build of the program that embeds it. Run as embed_test.py EMBED CMAKE CXX MODULES."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

EMBED = CMAKE = CXX = MODULES = ""
RIGHT = "__kernel void k(__global float* o) {\n    o[0] = 1.0f;\n}\n"
WRONG = {
    "name": ("__kernel void k(__global float* o) {\n    o[0] = 1.0f;\n    o[1] = wrong_name;\n}\n", "3:12", "wrong_name"),
    "type": ("__kernel void k(__global int* o) {\n    float4 v = 1.0f;\n    o[0] = v;\n}\n", "3:10", "float4"),
    "header": ("// more\n#include \"nowhere.h\"\n" + RIGHT, "2:10", "'nowhere.h'"),
    "refused": (RIGHT + "__kernel void p(sampler_t s) {}\n", "4:27", "no samplers"),
}
# Ferry's compiler accepts it, but OpenCL drivers do not allow such a parameter.
NOT_OPENCL = "\n__kernel void k(__global float* o, size_t b) {\n    o[0] = b ? 1.0f : 2.0f;\n}\n"
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
include("${MODULES}/FerryAddKernels.cmake")
add_library(app STATIC)
add_library(amd STATIC)
ferry_add_kernels(app k.cl ${CHECK})
ferry_add_kernels(amd k.cl HIP_ARCHITECTURES gfx90a gfx1030)
"""

INCLUDING = """cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES CXX)
include("${MODULES}/FerryAddKernels.cmake")
add_library(app STATIC)
add_library(headers INTERFACE)
target_include_directories(headers INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/inc" "${CMAKE_CURRENT_SOURCE_DIR}/with space")
target_compile_definitions(headers INTERFACE N LISTED=1)
set_target_properties(headers PROPERTIES INTERFACE_COMPILE_OPTIONS "-DONE=1;;-DTWO=2")
ferry_add_kernels(app k.cl INCLUDE "$<TARGET_PROPERTY:headers,INTERFACE_INCLUDE_DIRECTORIES>"
                  "$<TARGET_PROPERTY:app,NOTHING>" DEFINES GIVEN=7 "$<$<CONFIG:None>:NEVER>" "$<TARGET_PROPERTY:headers,INTERFACE_COMPILE_DEFINITIONS>"
                  OPTIONS -cl-mad-enable "$<TARGET_PROPERTY:headers,INTERFACE_COMPILE_OPTIONS>" -DTHREE=$<1:3>)
add_library(bare STATIC)
ferry_add_kernels(bare k.cl INCLUDE inc "with space" DEFINES "$<$<NOT:$<CONFIG:None>>:GIVEN=7;N>" LISTED
                  OPTIONS "$<$<CONFIG:None>:-cl-opt-disable;-DNEVER>" $<$<NOT:$<CONFIG:None>>:-DONE=1;-DTWO=2> -DTHREE=3)
add_custom_target(kernels DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/app_kernels/k.cl.hpp"
                  "${CMAKE_CURRENT_BINARY_DIR}/bare_kernels/k.cl.hpp")
"""


def run(*command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
    environment["FERRY_CACHE_LIMIT"] = "0"
    environment.update(variables)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Embed(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "k.cl")
        self.out = os.path.join(self.folder.name, "out")
        os.mkdir(self.out)

    def tearDown(self):
        self.folder.cleanup()

    def embed(self, *backends, architectures=(), **variables):
        return run(EMBED, self.file, "--folder", self.out, "--variable", "k_cl", "--symbol", "s", "--host-level", "base",
                   *[word for backend in backends for word in ("--backend", backend)],
                   *[word for name in architectures for word in ("--arch", name)], **variables)

    def binaries(self):
        """The contents of the program: [(language, architecture, bytes)]."""
        with open(os.path.join(self.out, "k.cl.cpp"), encoding="utf-8") as file:
            text = file.read()
        found = []
        for language, name, array in re.findall(r'\{ferry::Language::(\w+), "([^"]+)", \{(binary_\d+), \d+\}\}', text):
            body = re.search(r"char " + array + r"\[\] = \{(.*?) 0\};", text, re.DOTALL).group(1)
            found.append((language, name, bytes(int(x, 16) for x in re.findall(r"\\x(\w\w)", body))))
        return found

    def text(self):
        """Checks the contents of the program."""
        with open(os.path.join(self.out, "k.cl.cpp"), encoding="utf-8") as file:
            array = re.search(r"char text\[\] = \{(.*?) 0\};", file.read(), re.DOTALL).group(1)
        return bytes(int(x, 16) for x in re.findall(r"\\x(\w\w)", array)).decode()

    def test_what_options_define_and_the_folders_that_they_name_are_in_the_text(self):
        os.mkdir(os.path.join(self.folder.name, "inc"))
        write(os.path.join(self.folder.name, "inc", "far.h"), "#define FAR 10\n")
        write(self.file, "#if A == 1\n#include <nowhere.h>\n#include NO_NAME\n#else\n#include <far.h>\n#endif\n"
              "__kernel void k(__global int* o) {\n    o[0] = FAR + A;\n}\n")
        result = run(EMBED, self.file, "--folder", self.out, "--variable", "k_cl", "--symbol", "s", "--host-level", "base",
                     "--backend", "host", "--options", f" -DA=2 -cl-fast-relaxed-math -I {self.folder.name}/inc -D B")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(self.text().startswith("#define A 2\n#define B 1\n#line 1"), self.text())
        self.assertIn("#define FAR 10\n", self.text())

    def test_levels_of_arm64_ask_the_kernel_for_what_their_code_uses(self):
        write(self.file, "__kernel void k(__global int* o) {\n    o[0] = 1;\n}\n")
        levels = [word for level in ("base", "sve", "sve2") for word in ("--host-level", level)]
        result = run(EMBED, self.file, "--folder", self.out, "--variable", "k_cl", "--symbol", "s", "--backend", "host",
                     *levels)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with open(os.path.join(self.out, "k.cl.cpp"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("#include <sys/auxv.h>", text)
        # Best first. Each tests with the numbers of <asm/hwcap.h> whether this processor supports it.
        table = re.search(r"HostCode host\[\] = \{(.*?)\n\};", text, re.DOTALL).group(1)
        self.assertEqual(re.findall(r"\{usable_(\w+), s_(\w+)\}", table),
                         [("sve2", "sve2"), ("sve", "sve"), ("base", "base")])
        sve = 1 << 7 | 1 << 8 | 1 << 12 | 1 << 22  # CRC32, ATOMICS, ASIMDRDM, SVE
        for level, second in ("sve", ""), ("sve2", " && (getauxval(AT_HWCAP2) & 0x2ul) != 0"):
            self.assertIn(f"bool usable_{level}() {{\n    return (getauxval(AT_HWCAP) & {sve:#x}ul) == {sve:#x}ul"
                          f"{second};\n}}\n", text)

    def test_files_of_one_name_in_two_targets_are_different_constants(self):
        objects = []
        for target in "one", "two":
            folder = os.path.join(self.folder.name, target)
            os.mkdir(folder)
            write(self.file, RIGHT + "// " + target)
            made = run(EMBED, self.file, "--folder", folder, "--variable", "k_cl", "--symbol", "of_" + target,
                       "--backend", "host")
            self.assertEqual(made.returncode, 0, made.stderr)
            made = run(CMAKE, "-DINPUT=" + self.file, f"-DOUTPUT={folder}/k.cu.hpp", "-DNAME=k.cu", "-P",
                       MODULES + "/FerryEmbed.cmake")
            self.assertEqual(made.returncode, 0, made.stderr)
            write(f"{folder}/use.cpp", '#include "k.cl.hpp"\n#include "k.cu.hpp"\n#include <cstdio>\n'
                  f"void {target}() {{ std::puts(kernels::k_cl.text.data()); std::puts(kernels::k_cu.data()); }}\n")
            objects += [f"{folder}/use.cpp", f"{folder}/k.cl.cpp"]
        write(self.file + ".cpp", "void one();\nvoid two();\n"
              # The constants need only one symbol of the library: the one that names its standard library.
              "namespace ferry::detail { void needs_a_library_built_with_GLIBCXX_USE_CXX11_ABI_1() noexcept; }\n"
              "void ferry::detail::needs_a_library_built_with_GLIBCXX_USE_CXX11_ABI_1() noexcept {}\nint main() {\n    one();\n    two();\n}\n")
        program = os.path.join(self.folder.name, "program")
        built = run(CXX, "-std=c++20", "-I" + MODULES + "/../api", self.file + ".cpp", *objects, "-o", program)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(re.findall("// (one|two)", run(program).stdout), ["one", "one", "two", "two"])

    def test_the_header_of_a_text_is_the_same_wherever_it_is_built(self):
        headers = []
        for place, text in (("here", RIGHT), ("there", RIGHT), ("other", RIGHT + "\n")):
            header = os.path.join(self.folder.name, place + ".hpp")
            write(self.file, text)
            made = run(CMAKE, "-DINPUT=" + self.file, "-DOUTPUT=" + header, "-DNAME=k.cu", "-P", MODULES + "/FerryEmbed.cmake")
            self.assertEqual(made.returncode, 0, made.stderr)
            with open(header, encoding="utf-8") as file:
                headers.append(file.read())
        self.assertEqual(headers[0], headers[1])
        names = [re.search(r"inline namespace (\w+)", header).group(1) for header in headers]
        self.assertNotEqual(names[0], names[2])

    def test_an_error_has_its_place_and_leaves_no_file(self):
        for subject, (text, place, said) in WRONG.items():
            with self.subTest(subject):
                write(self.file, text)
                result = self.embed("host", "cuda")
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertIn(f"{self.file}:{place}: error: ", result.stderr)
                self.assertIn(said, result.stderr)
                self.assertEqual(os.listdir(self.out), [])

    def test_what_is_right_for_one_compiler_alone_fails(self):
        write(self.file, "#ifdef FERRY_CUDA\n#error not here\n#endif\n" + RIGHT)
        self.assertEqual(self.embed("host").returncode, 0)
        for name in os.listdir(self.out):
            os.unlink(os.path.join(self.out, name))
        result = self.embed("host", "cuda")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(f"{self.file}:2:2: error: ", result.stderr)
        self.assertEqual(os.listdir(self.out), [])

    def test_opencl_drivers_are_asked_if_the_build_wants_it(self):
        write(self.file, NOT_OPENCL)
        result = self.embed("host")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("OpenCL", result.stdout)
        for name in os.listdir(self.out):
            os.unlink(os.path.join(self.out, name))
        result = self.embed("host", "opencl")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(f"{self.file}:2:", result.stderr)
        self.assertIn("(for opencl, ", result.stderr)
        self.assertEqual(os.listdir(self.out), [])
        write(self.file, RIGHT)
        result = self.embed("host", "opencl")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("not checked", result.stdout)

    def test_compilers_that_end_one_anothers_process_are_kept_apart(self):
        for number, backends in enumerate(((), ("host", "opencl", "hip"))):
            # not in any cache
            write(self.file, f"__kernel void k(__global float* o) {{\n    o[0] = {os.getpid()}.{number}f;\n}}\n")
            result = self.embed(*backends)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.out, "k.cl.base.cpp")))
        write(self.file, NOT_OPENCL)
        result = self.embed("opencl", "hip", "opencl")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("(for opencl, ", result.stderr)

    def test_amd_code_objects_are_made_for_the_list_and_ptx_for_the_oldest(self):
        write(self.file, RIGHT)
        listed = ["gfx90a", "gfx1030"]
        result = self.embed("host", "cuda", "hip", architectures=listed)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        made = self.binaries()
        if "goes without AMD code objects" not in result.stdout:
            machine = {"gfx90a": 0x3F, "gfx1030": 0x36}  # in e_flags of the ELF header
            self.assertEqual([name for language, name, _ in made if language == "code_object"], listed)
            for language, name, code in made:
                if language == "code_object":
                    self.assertEqual(code[:4], b"\x7fELF")
                    self.assertEqual(int.from_bytes(code[18:20], "little"), 224)
                    self.assertEqual(code[48], machine[name])
        if "goes without PTX" not in result.stdout:
            ptx = [(name, code) for language, name, code in made if language == "ptx"]
            self.assertEqual(len(ptx), 1)
            self.assertIn(b".target " + ptx[0][0].replace("compute_", "sm_").encode(), ptx[0][1])
            self.assertIn(b".entry k", ptx[0][1])

    def test_kernels_are_compiled_for_vulkan_without_a_driver(self):
        write(self.file, RIGHT + '__kernel void p(__global int* o) {\n    o[0] = 2;\n}\n')
        result = self.embed("host", "vulkan", FERRY_VULKAN_LIBRARY="/nowhere/vulkan")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        (language, architecture, module), = self.binaries()
        self.assertEqual((language, architecture), ("spirv", "vulkan"))
        self.assertEqual(module[:4], (0x07230203).to_bytes(4, "little"))
        for name in b"k", b"p":
            self.assertIn(name + b"\0", module)

    def test_a_kernel_without_a_form_for_vulkan_leaves_out_its_file(self):
        write(self.file, RIGHT + '__kernel void p(__global char* o) {\n    printf("%s\\n", o);\n}\n')
        result = self.embed("host", "vulkan")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("k.cl goes without SPIR-V for Vulkan: ", result.stdout)
        self.assertIn("k.cl:5:", result.stdout)
        self.assertIn("printf", result.stdout)
        self.assertEqual(self.binaries(), [])

    def test_without_hiprtc_and_nvrtc_the_build_says_what_is_missing(self):
        write(self.file, RIGHT)
        result = self.embed("host", "cuda", "hip", architectures=["gfx90a"], FERRY_HIPRTC_LIBRARY="/nowhere/rtc",
                            FERRY_HIP_LIBRARY="/nowhere/hip", FERRY_NVRTC_LIBRARY="/nowhere/nvrtc")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("k.cl goes without PTX: ", result.stdout)
        self.assertIn("/nowhere/nvrtc", result.stdout)
        self.assertIn("k.cl goes without AMD code objects: ", result.stdout)
        self.assertEqual(self.binaries(), [])

    def test_without_an_opencl_driver_the_build_says_so(self):
        write(self.file, RIGHT)
        result = self.embed("host", "opencl", OCL_ICD_VENDORS=self.out, OCL_ICD_FILENAMES="")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("k.cl is not checked by an OpenCL driver", result.stdout)

    def test_a_driver_that_ends_the_process_has_checked_nothing(self):
        write(self.file, RIGHT)
        library = os.path.join(self.out, "exits.so")
        write(self.file + ".cpp", "#include <cstdlib>\nnamespace {\nstruct Ends {\n"
              "    Ends() { std::exit(std::atoi(std::getenv(\"EXIT_CODE\"))); }\n} ends;\n}\n")
        made = run(CXX, "-shared", "-fPIC", self.file + ".cpp", "-o", library)
        self.assertEqual(made.returncode, 0, made.stderr)
        for code in "0", "1", "2", "3", "7":
            with self.subTest(code):
                tested = self.embed("opencl", FERRY_OPENCL_LIBRARY=library, EXIT_CODE=code)
                self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)
                self.assertIn("k.cl is not checked by an OpenCL driver", tested.stdout)
                for name in os.listdir(self.out):
                    if name != "exits.so":
                        os.remove(os.path.join(self.out, name))
                result = self.embed("opencl", FERRY_OPENCL_LIBRARY=library, EXIT_CODE=code, FERRY_PROBE="off")
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(f"{self.file}: an OpenCL driver ended the process that compiled it: it ended with status {code}; ",
                              result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(os.listdir(self.out), ["exits.so"])

    def test_a_parent_that_ignores_its_children_is_as_good_as_any(self):
        write(self.file, RIGHT)
        result = run("sh", "-c", 'trap "" CHLD; exec "$@"', "sh", EMBED, self.file, "--folder", self.out, "--variable", "k_cl",
                     "--symbol", "s", "--backend", "opencl", OCL_ICD_VENDORS=self.out, OCL_ICD_FILENAMES="")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("k.cl is not checked by an OpenCL driver", result.stdout)

    def test_a_project_with_a_typo_is_not_built(self):
        build = os.path.join(self.folder.name, "build")
        write(os.path.join(self.folder.name, "CMakeLists.txt"), PROJECT)
        write(self.file, WRONG["name"][0])
        configured = run(CMAKE, "-G", "Ninja", "-S", self.folder.name, "-B", build, f"-DCMAKE_CXX_COMPILER={CXX}",
                         f"-DMODULES={MODULES}", f"-DFERRY_EMBED_COMMAND={EMBED}")
        self.assertEqual(configured.returncode, 0, configured.stdout + configured.stderr)
        header = os.path.join(build, "app_kernels", "k.cl.hpp")
        failed = run(CMAKE, "--build", build)
        self.assertNotEqual(failed.returncode, 0, failed.stdout)
        self.assertIn(f"{self.file}:3:12: error: ", failed.stdout + failed.stderr)
        self.assertFalse(os.path.exists(header))
        write(self.file, NOT_OPENCL)
        checked = run(CMAKE, "-S", self.folder.name, "-B", build, "-DCHECK=CHECK_OPENCL")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        failed = run(CMAKE, "--build", build, "--target", "app_kernels/k.cl.hpp")
        self.assertNotEqual(failed.returncode, 0, failed.stdout)
        self.assertIn(f"{self.file}:2:", failed.stdout + failed.stderr)
        write(self.file, RIGHT)
        made = run(CMAKE, "--build", build, "--target", "app_kernels/k.cl.hpp")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertTrue(os.path.exists(header))
        made = run(CMAKE, "--build", build, "--target", "amd_kernels/k.cl.hpp")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        with open(os.path.join(build, "amd_kernels", "k.cl.cpp"), encoding="utf-8") as file:
            embedded = re.findall(r'Language::code_object, "(\w+)"', file.read())
        self.assertEqual(embedded, [] if "goes without AMD" in made.stdout else ["gfx90a", "gfx1030"])

    def test_a_changed_header_builds_the_kernels_anew(self):
        for generator, program in (("Ninja", "ninja"), ("Unix Makefiles", "make")):
            if shutil.which(program) is None:
                continue
            folder = os.path.join(self.folder.name, f"{program} with a space")
            build = os.path.join(folder, "build")
            os.makedirs(os.path.join(folder, "inc"))
            write(os.path.join(folder, "CMakeLists.txt"), INCLUDING)
            write(os.path.join(folder, "k.cl"), '#include "beside.h"\n#include <far.h>\n#include <blank.h>\n'
                  "#if !defined GIVEN || !defined N || !defined LISTED || defined NEVER || ONE != 1 || TWO != 2 || THREE != 3\n#error not given\n#endif\n__kernel void k(__global int* o) {\n    o[0] = BESIDE + FAR + GIVEN;\n}\n")
            write(os.path.join(folder, "beside.h"), '#include "inc/behind.h"\n#define BESIDE BEHIND\n')
            write(os.path.join(folder, "inc", "behind.h"), "#define BEHIND 1234\n")
            write(os.path.join(folder, "inc", "far.h"), "#define FAR 10\n")
            os.mkdir(os.path.join(folder, "with space"))
            write(os.path.join(folder, "with space", "blank.h"), "// nothing yet\n")
            configured = run(CMAKE, "-G", generator, "-S", folder, "-B", build, f"-DCMAKE_CXX_COMPILER={CXX}",
                             f"-DMODULES={MODULES}", f"-DFERRY_EMBED_COMMAND={EMBED}")
            self.assertEqual(configured.returncode, 0, configured.stdout + configured.stderr)
            made = os.path.join(build, "app_kernels", "k.cl.base.cpp")

            def compiled():
                # pylint: disable=cell-var-from-loop
                result = run(CMAKE, "--build", build, "--target", "kernels")
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                with open(made, encoding="utf-8") as file:
                    return re.sub(r"\s", "", file.read()), result.stdout

            self.assertIn("=1234+10+7;", compiled()[0])
            self.assertNotIn("Compiling the kernels", compiled()[1])  # nothing changed
            for name, value, wanted in (("inc/behind.h", "#define BEHIND 5678", "=5678+10+7;"),
                                        ("inc/far.h", "#define FAR 20", "=5678+20+7;"),
                                        ("with space/blank.h", "#undef FAR\n#define FAR 30", "=5678+30+7;")):
                time.sleep(1.1)  # with some file systems, Make compares whole seconds
                write(os.path.join(folder, name), value + "\n")
                self.assertIn(wanted, compiled()[0], f"{generator}, {name}")

    def configured_with(self, arguments, generator="Ninja"):
        build = os.path.join(self.folder.name, "build")
        shutil.rmtree(build, ignore_errors=True)
        write(os.path.join(self.folder.name, "CMakeLists.txt"), PROJECT.replace("${CHECK}", arguments))
        write(self.file, RIGHT)
        return run(CMAKE, "-G", generator, "-S", self.folder.name, "-B", build, f"-DCMAKE_CXX_COMPILER={CXX}",
                   f"-DMODULES={MODULES}", f"-DFERRY_EMBED_COMMAND={EMBED}")

    def test_a_list_behind_other_text_is_refused(self):
        for kind, word in (("DEFINES", "B=$<1:x;y>"), ("DEFINES", "SHIFT=a>>b$<1:;Y=2>"), ("INCLUDE", "inc/$<1:x;y>")):
            with self.subTest(word):
                result = self.configured_with(f'{kind} "{word}"')
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(f"ferry_add_kernels: '{word}' in {kind} holds a list behind other text",
                              " ".join(result.stderr.split()))

    def test_a_shift_in_front_of_an_expression_is_no_end_of_it(self):
        result = self.configured_with('DEFINES "C=9>>$<1:2>" "$<1:A=4;B=1>"')
        self.assertEqual(result.returncode, 0, result.stderr)
        write(self.file, "#if A != 4 || B != 1 || C != 2\n#error other\n#endif\n" + RIGHT)
        built = run(CMAKE, "--build", os.path.join(self.folder.name, "build"), "--target", "app_kernels/k.cl.hpp")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)

    def test_two_files_of_one_name_are_refused(self):
        build = os.path.join(self.folder.name, "build")
        os.mkdir(os.path.join(self.folder.name, "other"))
        write(os.path.join(self.folder.name, "CMakeLists.txt"),
              PROJECT.replace("app k.cl ${CHECK}", "app k.cl other/k.cl"))
        write(self.file, RIGHT)
        write(os.path.join(self.folder.name, "other", "k.cl"), RIGHT)
        result = run(CMAKE, "-G", "Ninja", "-S", self.folder.name, "-B", build, f"-DCMAKE_CXX_COMPILER={CXX}",
                     f"-DMODULES={MODULES}", f"-DFERRY_EMBED_COMMAND={EMBED}")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(" ".join(result.stderr.split()), "'other/k.cl' is kernels::k_cl, as another file of this target")


if __name__ == "__main__":
    MODULES = sys.argv.pop()
    CXX = sys.argv.pop()
    CMAKE = sys.argv.pop()
    EMBED = sys.argv.pop()
    unittest.main()
