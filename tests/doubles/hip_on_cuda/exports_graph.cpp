// SPDX-License-Identifier: Apache-2.0
#include "../hip_numbers.hpp"
#include "forward.hpp"

Result hipStreamBeginCapture(Stream stream, CaptureMode mode) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamBeginCapture)
    return forward(cuda::driver().cuStreamBeginCapture_v2, stream, mode);
}

Result hipStreamEndCapture(Stream stream, Graph* graph) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamEndCapture)
    return forward(cuda::driver().cuStreamEndCapture, stream, graph);
}

Result hipStreamGetCaptureInfo_v2(Stream stream, CaptureStatus* status, CaptureNumber* number, Graph* graph,
                                  const GraphNode** nodes, std::size_t* count) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamGetCaptureInfo_v2)
    cuda::CaptureNumber same = 0;
    const int code =
        forward(cuda::driver().cuStreamGetCaptureInfo_v2, stream, status, &same, graph, nodes, count);
    *number = same;
    return code;
}

Result hipGraphInstantiateWithFlags(GraphExec* made, Graph graph, unsigned long long flags) {
    FERRY_DOUBLE_ON_DEVICE(hipGraphInstantiateWithFlags)
    return forward(cuda::driver().cuGraphInstantiateWithFlags, made, graph, flags);
}

Result hipGraphLaunch(GraphExec graph, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipGraphLaunch)
    return forward(cuda::driver().cuGraphLaunch, graph, stream);
}

Result hipGraphExecKernelNodeSetParams(GraphExec graph, GraphNode node, const KernelNode* parameters) {
    FERRY_DOUBLE_ON_DEVICE(hipGraphExecKernelNodeSetParams)
    const KernelNode& from = *parameters;
    if (from.extra != nullptr) {
        return not_supported;
    }
    const cuda::KernelNode to{from.function,
                              {from.grid[0], from.grid[1], from.grid[2]},
                              {from.block[0], from.block[1], from.block[2]},
                              from.shared_bytes,
                              from.parameters,
                              nullptr,
                              nullptr,
                              nullptr};
    return forward(cuda::driver().cuGraphExecKernelNodeSetParams_v2, graph, node, &to);
}

Result hipGraphDestroy(Graph graph) {
    FERRY_DOUBLE_ON_DEVICE(hipGraphDestroy)
    return forward(cuda::driver().cuGraphDestroy, graph);
}

Result hipGraphExecDestroy(GraphExec graph) {
    FERRY_DOUBLE_ON_DEVICE(hipGraphExecDestroy)
    return forward(cuda::driver().cuGraphExecDestroy, graph);
}
