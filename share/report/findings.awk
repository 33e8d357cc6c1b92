# Tables of findings and of knees -> the rows of one HTML table: the numbers of one archive, method by method.
BEGIN { FS = "\t" }

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
        called(name), words($(at["value"]), unit), interval($(at["lo"]), $(at["hi"]), unit), \
        esc($(at["method"])), esc($(at["n"])), note == "-" ? "" : esc(note))
    place = name in rank ? rank[name] : parameters + 1
    rows[place] = rows[place] found "\n"
}

END {
    for (i = 1; i <= parameters + 1; i++) printf "%s", rows[i]
    printf "%s", knees
}
