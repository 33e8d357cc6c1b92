#!/bin/sh
# survey_score.sh DEVICE VERDICT: rows of a verdict against the device file that they were measured on. Prints a line for each
# row that is wrong, then "N right, N wrong, N not told". A row that says "disagree", "open" or "missing" tells nothing.
set -eu
exec awk '
    function near(v, want, share) { return v >= want * (1 - share) && v <= want * (1 + share) }
    function bits(mask,    list, i, v, digits) {
        digits = "0123456789abcdef"
        for (i = 3; i <= length(mask); i++) v = v * 16 + index(digits, substr(mask, i, 1)) - 1
        for (i = 0; v > 0; i++) { if (v % 2) list = list (list == "" ? "" : ",") i; v = int(v / 2) }
        return list
    }
    BEGIN { # what a device file need not say
        split("sides 1 slices 1 sets 64 ways 16 line 128 sector 32 fetch 64 policy lru set_hash none timer 0 dram_gbps 100", d, " ")
        for (i = 1; i in d; i += 2) truth[d[i]] = d[i + 1]
    }
    NR == FNR { truth[$1] = $2; next }
    FNR == 1 {
        FS = "\t"
        $0 = $0
        sides = truth["sides"]
        all = truth["slices"] * truth["sets"]
        side = all * truth["ways"] * truth["line"]
        exact["ways"] = truth["ways"]
        exact["line"] = truth["line"]
        exact["sector"] = truth["sector"]
        exact["fetch_default"] = truth["fetch"]
        exact["sides"] = sides
        exact["slices_side"] = truth["slices"]
        exact["slices"] = truth["slices"] * sides
        exact["policy"] = truth["policy"]
        if (sides == 2) exact["side_mask"] = bits(truth["side_masks"])
        if (truth["set_hash"] != "none") exact["index"] = "hashed"
        about["sets_side"] = all
        about["sets_total"] = all * sides
        about["capacity_side"] = side
        about["capacity_total"] = side * sides
        about["latency_local"] = truth["latency_local"] + truth["timer"]
        about["latency_dram"] = truth["latency_dram"] + truth["timer"]
        if (sides > 1) {
            about["latency_remote"] = truth["latency_remote"] + truth["timer"]
            about["latency_dram_remote"] = truth["latency_dram_remote"] + truth["timer"]
        }
        about["dram_bw"] = truth["dram_gbps"]
    }
    /^#/ || /^param/ { next }
    !($1 in exact) && !($1 in about) { next }
    $6 != "agree" && $6 != "single" { open++; next }
    {
        want = $1 in exact ? exact[$1] : about[$1]
        good = $1 in exact ? $2 == want : near($2, want, $1 ~ /^latency/ ? 0.08 : 0.15)
        if (good) right++
        else { wrong++; print $1 ": " $2 " (" $6 "), truth " want ": " $12 }
    }
    END { printf "%d right, %d wrong, %d not told\n", right, wrong, open; exit wrong > 0 }' "$1" "$2"
