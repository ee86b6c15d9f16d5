// Shows line by line what nvcc made of a variant's source: PTX, and SASS, which
// a GPU executes. Both lie in the variant's object; no GPU is needed.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.hpp"
#include "facts/document.hpp"
#include "sweep/observer.hpp"

namespace parlab {

using Instructions = std::vector<std::string>;
// By file and line; an inlined function's are its own.
using InstructionsByLine =
    std::map<std::pair<std::string, unsigned>, Instructions>;
// By the symbol of a kernel.
using InstructionsByKernel = std::map<std::string, InstructionsByLine>;

// Reads what `nvdisasm --print-line-info` printed.
InstructionsByKernel parse_sass(const std::string& text);
// Reads what `cuobjdump --dump-ptx` printed. Of several architectures the
// first counts.
InstructionsByKernel parse_ptx(const std::string& text);

// Throws UsageError where the toolkit lacks what device_code_of() needs.
void require_disassemblers();

// A table for each kernel of a source that has elements of this type: its
// lines, with SASS and PTX beside them. Throws ExplainedError where the source
// has no device code, or is not built.
std::vector<Block> device_code_of(const std::string& source, Dtype dtype);

// A section for each source that passed. A note says why one has no code.
std::vector<Block> device_code_of(
    const std::vector<std::vector<Record>>& points, Observer& observer);

}  // namespace parlab
