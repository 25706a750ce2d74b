# SPDX-License-Identifier: Apache-2.0
# Third-party libraries that tests and samples show Ferry to meet. The library itself needs none of them.
include_guard(GLOBAL)

# ferry_find_kokkos(OUT): whether the target Kokkos::kokkos is there and fit for use.
function(ferry_find_kokkos out)
    find_package(Kokkos QUIET)
    if(TARGET Kokkos::kokkos)
        # Debian's Trilinos names a folder that it does not install, and the right one in a variable.
        get_target_property(folders Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
        set(present "")
        foreach(folder IN LISTS folders Kokkos_INCLUDE_DIRS)
            if(EXISTS "${folder}")
                list(APPEND present "${folder}")
            endif()
        endforeach()
        if(present AND Kokkos_INCLUDE_DIRS AND NOT folders MATCHES "\\$<")
            set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
        endif()
        message(STATUS "Ferry: Kokkos ${Kokkos_VERSION} found in ${Kokkos_DIR}")
        set(${out} TRUE PARENT_SCOPE)
    else()
        message(STATUS "Ferry: Kokkos was not found; its tests and sample 19 are left out (Debian: libtrilinos-kokkos-dev)")
        set(${out} FALSE PARENT_SCOPE)
    endif()
endfunction()

# ferry_find_mpi(OUT): whether the target MPI::MPI_CXX and a launcher are there.
function(ferry_find_mpi out)
    find_package(MPI QUIET COMPONENTS CXX)
    if(TARGET MPI::MPI_CXX AND MPIEXEC_EXECUTABLE)
        message(STATUS "Ferry: MPI ${MPI_CXX_VERSION} found, started with ${MPIEXEC_EXECUTABLE}")
        set(${out} TRUE PARENT_SCOPE)
    else()
        message(STATUS "Ferry: MPI was not found; its tests and sample 20 are left out (Debian: libopenmpi-dev openmpi-bin)")
        set(${out} FALSE PARENT_SCOPE)
    endif()
    set(MPIEXEC_EXECUTABLE "${MPIEXEC_EXECUTABLE}" PARENT_SCOPE)
endfunction()

# ferry_mpi_command(OUT RANKS command...): the command on that many ranks of this machine. Each rank has its own
# PoCL cache: processes that share a cold one can crash.
function(ferry_mpi_command out ranks)
    set(script "POCL_CACHE_DIR=\${POCL_CACHE_DIR:-/tmp}/\${OMPI_COMM_WORLD_RANK:-0} exec \"$0\" \"$@\"")
    set(${out} "${MPIEXEC_EXECUTABLE}" --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${ranks} sh -c "${script}" ${ARGN} PARENT_SCOPE)
endfunction()

# ferry_add_page(TARGET PAGE HEADER [LIBRARY]): the code of docs/PAGE.md that needs the library, with the header
# included, as a test case of the target; see tests/docs/extract_pages.py.
function(ferry_add_page target page header)
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    set(extract "${PROJECT_SOURCE_DIR}/tests/docs/extract_pages.py")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/page.cpp")
    add_custom_command(
        OUTPUT "${source}"
        COMMAND Python3::Interpreter "${extract}" "${PROJECT_SOURCE_DIR}" "docs/${page}.md" "${source}" ${ARGN}
        DEPENDS "${extract}" "${PROJECT_SOURCE_DIR}/docs/${page}.md"
        VERBATIM)
    set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS
        "-include;${header};-Wno-shadow;-Wno-unused-variable;-Wno-unused-but-set-variable;-Wno-unused-function")
    target_sources(${target} PRIVATE "${source}")
    target_link_libraries(${target} PRIVATE ferry_page_cases)
endfunction()

# For the tests' ENVIRONMENT: Open MPI refuses to run as root unless it is told twice, and complains where a
# container forbids processes to read each other's memory.
set(FERRY_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
    CACHE INTERNAL "")
