// Shows, line by line, the code that nvcc made from a variant's source: PTX,
// and SASS, which a GPU executes. Both are in the variant's object file, so no
// GPU is needed.
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
// By file and line; an inlined function has its own lines.
using InstructionsByLine =
    std::map<std::pair<std::string, unsigned>, Instructions>;
// By a kernel's symbol.
using InstructionsByKernel = std::map<std::string, InstructionsByLine>;

// Reads the output of `nvdisasm --print-line-info`.
InstructionsByKernel parse_sass(const std::string& text);
// Reads the output of `cuobjdump --dump-ptx`. With several architectures the
// first counts.
InstructionsByKernel parse_ptx(const std::string& text);

// Throws UsageError if the toolkit lacks the programs that device_code_of()
// needs.
void require_disassemblers();

// A table for each kernel of a source that has elements of this type: its
// lines, with SASS and PTX beside them. Throws ExplainedError if the source has
// no device code or is not built.
std::vector<Block> device_code_of(const std::string& source, Dtype dtype);

// A section for each source that passed. If a source has no code, a note gives
// the reason.
std::vector<Block> device_code_of(
    const std::vector<std::vector<Record>>& points, Observer& observer);

}  // namespace parlab
