# l2stat rows of bandwidth -> findings: the best of each operation, and reads of the largest working set.
BEGIN { FS = OFS = "\t" }
/^#l2tsv/ { print; next }
/^#end/ { next }
/^#/ { print; next }
!have { header(); have = 1; next }
{
    op = $(at["op"])
    m = $(at["median"]) + 0
    if (!(op in best) || m > best[op]) { best[op] = m; row[op] = $0 }
    if (op == "read" && ($(at["size"]) + 0 > large || ($(at["size"]) + 0 == large && m > most))) {
        large = $(at["size"]) + 0
        most = m
        memory = $0
    }
}
function finding(name, line,    f) {
    split(line, f, "\t")
    rows++
    print name, f[at["median"]], f[at["q05"]], f[at["q95"]], "GB/s", "bandwidth", f[at["n"]], \
        "working set " words(f[at["size"]], "bytes") ", " f[at["blocks"]] " blocks of " f[at["threads"]] \
        " threads, " f[at["width"]] " bytes a load"
}
END {
    print "#by l2report: the best of each operation, reads of the largest size"
    print "param", "value", "lo", "hi", "unit", "method", "n", "note"
    if ("read" in row) finding("read_bw", row["read"])
    if ("write" in row) finding("write_bw", row["write"])
    if ("copy" in row) finding("copy_bw", row["copy"])
    if (memory != "") finding("dram_bw", memory)
    print "#end rows=" rows + 0 " status=ok"
}
