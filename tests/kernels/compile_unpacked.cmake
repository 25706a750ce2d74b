# SPDX-License-Identifier: Apache-2.0
# cmake -DFERRY=bin/ferry -DCHECK=bin/hiprtc_check -DROOT=FOLDER -DARCHITECTURES=gfx942,... -DFOLDER=OUT -DFILES=a.cl,b.cl
# -P compile_unpacked.cmake: translates the files and compiles the texts with the hipRTC of unpacked packages.
string(REPLACE "," ";" files "${FILES}")
file(REMOVE_RECURSE "${FOLDER}")
foreach(file IN LISTS files)
    execute_process(COMMAND "${FERRY}" compile "${file}" --backend hip --arch gfx90a --emit "${FOLDER}"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${file}: ${result}\n${output}")
    endif()
endforeach()
file(GLOB texts "${FOLDER}/*.cpp")
list(LENGTH files wanted)
list(LENGTH texts made)
if(made LESS wanted)
    message(FATAL_ERROR "${wanted} files gave ${made} texts")
endif()
set(libraries "${ROOT}/usr/lib/x86_64-linux-gnu")
execute_process(COMMAND "${ROOT}/usr/lib64/ld-linux-x86-64.so.2" --library-path "${libraries}" "${CHECK}"
    "${libraries}/libhiprtc.so.6" "${ARCHITECTURES}" ${texts} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "hipRTC 6.4: ${result}")
endif()
