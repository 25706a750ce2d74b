// SPDX-License-Identifier: Apache-2.0
#pragma once
// hipRTC's text may include this header. Its declarations already exist.
