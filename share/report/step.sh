#!/bin/sh
# step.sh [-n] OUT COMMAND...: one step of a report. What the command prints becomes OUT, and OUT.err if it is on stderr.
# A command that fails leaves an empty OUT and its message in OUT.failed, so that the report is made anyway and says what
# is missing; with -n (the data need not have it) there is only the message. A picture's command is kept in OUT.by.
set -u
need=yes
if [ "$1" = -n ]; then
    need=no
    shift
fi
out=$1
shift
rm -f "$out.failed" "$out.err"
if "$@" >"$out.part" 2>"$out.err"; then
    mv "$out.part" "$out"
else
    [ -s "$out.err" ] || echo "$1: failed without a word" >"$out.err"
    [ "$need" = no ] || cp "$out.err" "$out.failed"
    rm -f "$out.part"
    : >"$out"
fi
[ -s "$out.err" ] || rm -f "$out.err"
case $out in
*.gp)
    # In a pipe that is given as a word, $1 is the archive.
    [ "$1 $2" != "sh -c" ] || set -- "$(echo "$3" | sed "s|\"\$1\"|$5|g")"
    echo "#by x: $* | gnuplot" >"$out.by"
    ;;
esac
