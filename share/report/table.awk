# A table of predictions -> the rows of an HTML table: shares in %, predicted and measured in one cell.
BEGIN { FS = "\t" }

/^#note / { notes = notes sprintf("<tr><td colspan=%d>%s</td></tr>\n", columns + 1, esc(value_of())) }

/^#/ { next }

!have {
    have = 1
    header()
    printf "<tr>"
    for (i = 1; i <= NF; i++)
        if ($i !~ /_measured$/) {
            show[++columns] = i
            printf "<th>%s", esc($i)
        }
    print "</tr>"
    next
}

# A share as %, cycles as they are; with what was measured of the same name behind it.
function cell(i,    v, m) {
    v = $i
    m = at[name[i] "_measured"] ? $(at[name[i] "_measured"]) : ""
    if (!is_number(v)) return esc(v)
    if (name[i] == "cycles") return sprintf("%.0f / %.0f", v, m)
    return m == "" ? sprintf("%.1f", 100 * v) : sprintf("%.1f / %.1f", 100 * v, 100 * m)
}

{
    if (!named) for (n in at) name[at[n]] = n
    named = 1
    printf "<tr%s>", ($(at["off"]) > 0.03 ? " class=low" : "")
    for (k = 1; k <= columns; k++) printf "<td%s>%s</td>", k == 1 ? "" : " class=n", cell(show[k])
    print "</tr>"
}

END { printf "%s", notes }
