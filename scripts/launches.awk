# Rewrites launches in angle brackets for a C++ compiler, and for nvcc so that they run where an execution's
# other launches do (gpu/own_calls.hpp): awk -f scripts/launches.awk -v name_of_file=FILE FILE. Lines keep
# their numbers.
#   kernel<T><<<grid, block>>>(x, n); becomes
#   ::parlab::chevrons(grid, block)("kernel<T>", [=]([[maybe_unused]] const auto& parlab_at, auto... parlab_of) {
#     PARLAB_CALL(parlab_at, kernel<T>)(parlab_of...); }, x, n);
# Strings, characters and comments are left alone.

# The end of a comment or a literal that begins at `at`; `at` if code begins there.
function past_text(at,   two, one, end, mark) {
  one = substr(all, at, 1)
  two = substr(all, at, 2)
  if (two == "//") {
    end = index(substr(all, at), "\n")
    return end ? at + end - 1 : length(all) + 1
  }
  if (two == "/*") {
    end = index(substr(all, at + 2), "*/")
    return end ? at + 2 + end + 1 : length(all) + 1
  }
  if (two == "R\"" && substr(all, at - 1, 1) !~ /[A-Za-z0-9_]/) {
    mark = substr(all, at + 2, index(substr(all, at + 2), "(") - 1)
    end = index(substr(all, at), ")" mark "\"")
    return end ? at + end + length(mark) + 1 : length(all) + 1
  }
  # A quote between digits: 1'000.
  if (one == "\"" || (one == "'" && substr(all, at - 1, 1) !~ /[0-9A-Za-z]/)) {
    for (end = at + 1; end <= length(all); ++end) {
      if (substr(all, end, 1) == "\\") ++end
      else if (substr(all, end, 1) == one || substr(all, end, 1) == "\n") return end + 1
    }
    return end
  }
  return at
}

# The position of `mark` outside all brackets that open after `at`; 0: there is none.
function find(mark, at,   depth, next_at, c) {
  for (depth = 0; at <= length(all); ) {
    next_at = past_text(at)
    if (next_at > at) { at = next_at; continue }
    if (depth == 0 && substr(all, at, length(mark)) == mark) return at
    c = substr(all, at, 1)
    if (index("([{", c)) ++depth
    if (index(")]}", c) && --depth < 0) return 0
    ++at
  }
  return 0
}

# The position where the bracket that closes at `at` in text was opened.
function opening(text, at, open, close_,   depth, c) {
  for (depth = 0; at > 0; --at) {
    c = substr(text, at, 1)
    if (c == close_) ++depth
    else if (c == open && --depth == 0) return at
    else if (close_ == ">" && c == ")") at = opening(text, at, "(", ")")
  }
  return 0
}

# The position where the kernel's name begins, which ends the text.
function begin_of_kernel(text,   at, before) {
  at = length(text)
  while (at > 0) {
    while (at > 0 && substr(text, at, 1) ~ /[ \t\n\\]/) --at
    if (substr(text, at, 1) == ">" && substr(text, at - 1, 1) != "-") {
      at = opening(text, at, "<", ">") - 1
      continue
    }
    if (substr(text, at, 1) == "]") { at = opening(text, at, "[", "]") - 1; continue }
    if (substr(text, at, 1) == ")") { at = opening(text, at, "(", ")"); before = at; break }
    while (at > 0 && substr(text, at, 1) ~ /[A-Za-z0-9_]/) --at
    before = at + 1
    while (at > 0 && substr(text, at, 1) ~ /[ \t\n]/) --at
    if (substr(text, at - 1, 2) == "::") { before = at - 1; at -= 2; if (substr(text, at, 1) !~ /[A-Za-z0-9_>]/) break; continue }
    if (substr(text, at - 1, 2) == "->") { at -= 2; continue }
    if (substr(text, at, 1) == ".") { --at; continue }
    break
  }
  return before
}

function quoted(text) {
  gsub(/\\\n|\n/, " ", text)
  gsub(/["\\]/, "'", text)
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  return "\"" text "\""
}

{ all = all $0 "\n" }

END {
  # Defines the macros of a device compiler after all headers, which ask for them in their own way.
  count = split(all, lines, "\n")
  for (i = 1; i <= count; ++i)
    if (lines[i] ~ /^[ \t]*#[ \t]*include/) last = i
  all = ""
  for (i = 1; i < count; ++i) {
    all = all lines[i] "\n"
    if (i == last) all = all "PARLAB_DEVICE_MACROS\n"
  }
  # A launch with an array of arguments takes a kernel, or its address without a type, which emulation
  # cannot call.
  gsub(/cudaLaunchKernel\([ \t]*\((const )?void( const)? ?\*\)/, "cudaLaunchKernel(", all)
  gsub(/cudaLaunchCooperativeKernel\([ \t]*\((const )?void( const)? ?\*\)/, "cudaLaunchCooperativeKernel(", all)
  out = ""
  for (at = 1; at <= length(all); ) {
    after = past_text(at)
    if (after > at) { out = out substr(all, at, after - at); at = after; continue }
    if (substr(all, at, 3) != "<<<") { out = out substr(all, at, 1); ++at; continue }
    close_at = find(">>>", at + 3)
    open = close_at ? close_at + 3 : 0
    while (open && substr(all, open, 1) ~ /[ \t\n]/) ++open
    done = open && substr(all, open, 1) == "(" ? find(")", open + 1) : 0
    begin = begin_of_kernel(out)
    if (!done || !begin) { out = out "<<<"; at += 3; continue }
    kernel = substr(out, begin)
    arguments = substr(all, open + 1, done - open - 1)
    breaks = kernel
    gsub(/[^\n]/, "", breaks)
    breaks_after = substr(all, close_at + 3, open - close_at - 3)
    gsub(/[^\n]/, "", breaks_after)
    name = quoted(kernel)
    gsub(/\n/, " ", kernel)
    gsub(/^[ \t]*NULL[ \t]*$/, "nullptr", arguments)
    gsub(/,[ \t]*NULL[ \t]*$/, ", nullptr", arguments)
    while (sub(/,[ \t]*NULL[ \t]*,/, ", nullptr,", arguments)) { }
    out = substr(out, 1, begin - 1) breaks "::parlab::chevrons(" substr(all, at + 3, close_at - at - 3) ")(" name \
      ", [=]([[maybe_unused]] const auto& parlab_at, auto... parlab_of) { PARLAB_CALL(parlab_at, " kernel ")(parlab_of...); }" breaks_after \
      (arguments ~ /[^ \t\n]/ ? ", " arguments : "") ")"
    at = done + 1
  }
  count = split(out, lines, "\n")
  number = 1
  print "#line 1 \"" name_of_file "\""
  for (i = 1; i < count; ++i) {
    if (lines[i] == "PARLAB_DEVICE_MACROS") {
      print "#ifdef PARLAB_KERNEL\n#define __CUDA_ARCH__ 900\n#define __CUDACC__\n#endif"
      print "#line " number " \"" name_of_file "\""
    } else {
      print lines[i]
      ++number
    }
  }
}
