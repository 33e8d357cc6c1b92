# '#' lines of archives -> HTML. -v what=overview: a table with a row for each archive; all: every line, folded;
# warnings: what the archives and the programs warned of; simulated: the names of the simulated archives;
# device: the devices' names; notes: what filters want a person to know.
FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.(prov|tsv|svg|gp).*/, "", name)
    if (!(name in known)) {
        known[name] = 1
        order[++n] = name
    }
}

FILENAME ~ /\.err$/ {
    warning[++w] = "<li><b>" esc(name) "</b>: " esc($0) "</li>"
    next
}

/^#/ {
    k = key()
    v = value_of()
    if (!((name, k) in first)) first[name, k] = v
    lines[name] = lines[name] "<tr><td>" esc(k) "</td><td>" esc(v) "</td></tr>\n"
    if (k == "device" && !(v in seen)) { seen[v] = 1; devices = devices (devices == "" ? "" : ", ") v }
    if (k == "simulated" && v == "yes") simulated[name] = 1
    if (k == "warning" || k == "incomplete") warning[++w] = "<li><b>" esc(name) "</b>: " esc(v) "</li>"
    if (k == "note" && !(v in noted)) { noted[v] = 1; notes = notes "<p class=note>" esc(v) "</p>\n" }
}

function cell(name, k) {
    return "<td>" ((name, k) in first ? esc(first[name, k]) : "-") "</td>"
}

function change(name, k,    a, b) {
    a = first[name, k "_before"]
    b = first[name, k "_after"]
    return "<td>" (a == "" && b == "" ? "-" : esc(a == b ? a : a " to " b)) "</td>"
}

END {
    if (what == "device") print devices == "" ? "device not recorded" : esc(devices)
    if (what == "notes") printf "%s", notes
    for (i = 1; i <= n; i++) {
        name = order[i]
        if (what == "simulated" && name in simulated) print esc(name)
        if (what == "overview")
            print "<tr><td>" esc(name) "</td>" cell(name, "device") cell(name, "time") change(name, "clock_sm") \
                change(name, "temperature") cell(name, "clock_locked") cell(name, "processes") cell(name, "simulated") \
                "<td>" esc(first[name, "end"]) "</td></tr>"
        if (what == "all")
            print "<details><summary>" esc(name) "</summary><div class=wide><table>" lines[name] "</table></div></details>"
    }
    if (what == "warnings" && w > 0) {
        print "<ul>"
        for (i = 1; i <= w; i++) print warning[i]
        print "</ul>"
    }
}
