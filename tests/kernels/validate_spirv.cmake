# SPDX-License-Identifier: Apache-2.0
# cmake -DFERRY=bin/ferry -DSPIRV_VAL=spirv-val -DFOLDER=out -DFILES=a.cl,b.cl -P validate_spirv.cmake: fails if a
# file does not give a module with all of its kernels, or if spirv-val rejects the module.
string(REPLACE "," ";" files "${FILES}")
file(MAKE_DIRECTORY "${FOLDER}")
set(failed "")
set(validated 0)
foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    set(module "${FOLDER}/${name}.spv")
    file(REMOVE "${module}")
    execute_process(COMMAND "${FERRY}" compile "${file}" --target=spirv --emit "${FOLDER}"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(result EQUAL 0)
        # The second word of a module is its version. No OpenCL environment accepts version 1.3, which shuffles and
        # ballots need. Such a module is checked only by the general rules of SPIR-V.
        file(READ "${module}" head LIMIT 8 HEX)
        set(environment opencl2.1)
        if(NOT head MATCHES "00000100$")
            set(environment spv1.3)
        endif()
        execute_process(COMMAND "${SPIRV_VAL}" --target-env ${environment} "${module}"
            RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    endif()
    if(result EQUAL 0)
        math(EXPR validated "${validated} + 1")
    else()
        message("${file}: ${result}\n${output}")
        list(APPEND failed "${file}")
    endif()
endforeach()
if(failed OR validated EQUAL 0)
    message(FATAL_ERROR "${validated} modules are valid; these are not: ${failed}")
endif()
message("${validated} modules are valid")
