#!/bin/bash -p
# The manual page of parlab, from what it says of itself: man-page.sh PROGRAM.
set -euo pipefail
program=$1
cat <<'PAGE'
.TH PARLAB 1
.SH NAME
parlab, parlab\-experiment \- verified measurements of serial, OpenMP, CUDA and library code
.SH SYNOPSIS
.B parlab
.I workload size
\&... [\fIoptions\fR]
.br
.B parlab-experiment
[\fIname\fR]
.SH DESCRIPTION
.nf
PAGE
"$program" --help | sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'\'']/\\\&&/'
cat <<'PAGE'
.fi
.SH SEE ALSO
/usr/lib/parlab/docs
PAGE
