# Tables of findings and of knees -> the rows of one HTML table. Each file's name says the archive.
BEGIN {
    FS = "\t"
    n = split("capacity_side=capacity that one SM sees|capacity_total=capacity in all|ways=ways|sets_side=sets on a side|" \
        "sets_total=sets|line=line|sector=sector|fetch_default=fetch granularity|policy=replacement policy|slices=slices|" \
        "slices_side=slices of a side|grain=slice grain|sides=sides|levels=levels|latency_l1=latency of the L1|" \
        "latency_local=latency, own side|latency_remote=latency, other side|latency_dram=latency, memory|" \
        "latency_dram_remote=latency, memory by the other side|read_bw=read bandwidth, best|" \
        "write_bw=write bandwidth, best|copy_bw=copy bandwidth, best|read_bw_own=read bandwidth, own side|" \
        "read_bw_other=read bandwidth, other side|read_bw_share=read bandwidth, share of the slices|" \
        "dram_bw=read bandwidth, memory|tlb_reach=TLB reach|l1_inclusive=L1 inside L2|" \
        "persist_kept=persisting window kept|dirty_ways=dirty ways|side_mask=address bits of the side|" \
        "sm_sides=SMs of each side", list, "|")
    for (i = 1; i <= n; i++) {
        split(list[i], pair, "=")
        says[pair[1]] = pair[2]
        rank[pair[1]] = i
    }
}

FNR == 1 {
    have = 0
    archive = FILENAME
    sub(/.*\//, "", archive)
    sub(/\..*/, "", archive)
}

/^#/ { next }

!have {
    header()
    have = 1
    next
}

"x_mid" in at {
    unit = "bytes"
    low = $(at["conf"]) == "low"
    knees = knees sprintf("<tr%s><td>knee %s of %s</td><td class=v>%s</td><td>%s</td><td>%s to %s</td><td>%s</td></tr>\n", \
        low ? " class=low" : "", esc($(at["knee"])), esc(archive), words($(at["x_mid"]), unit), \
        interval($(at["x_lo"]), $(at["x_hi"]), unit), words($(at["y_before"]), ""), words($(at["y_after"]), "cycles"), \
        (low ? "low confidence" : "high confidence") ($(at["note"]) == "-" ? "" : ", " esc($(at["note"]))))
    next
}

"param" in at {
    name = $(at["param"])
    unit = $(at["unit"])
    note = $(at["note"])
    found = sprintf("<tr><td>%s</td><td class=v>%s</td><td>%s</td><td>%s, n = %s</td><td>%s</td></tr>", \
        name in says ? says[name] : esc(name), words($(at["value"]), unit), interval($(at["lo"]), $(at["hi"]), unit), \
        esc($(at["method"])), esc($(at["n"])), note == "-" ? "" : esc(note))
    place = name in rank ? rank[name] : n + 1
    rows[place] = rows[place] found "\n"
}

END {
    for (i = 1; i <= n + 1; i++) printf "%s", rows[i]
    printf "%s", knees
}
