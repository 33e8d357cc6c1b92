# '#' lines of archives -> HTML. -v what=overview: a table with a row for each archive; all: every line, folded;
# warnings: what the archives and the programs warned of; simulated: the names of the simulated archives;
# device: the devices' names; notes: what filters want a person to know; lines: a Markdown list of the archives.
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
    warn($0)
    next
}

/^#/ {
    k = key()
    v = value_of()
    if (!((name, k) in first)) first[name, k] = v
    lines[name] = lines[name] "<tr><td>" esc(k) "</td><td>" esc(v) "</td></tr>\n"
    if (k == "device" && !(v in seen)) { seen[v] = 1; devices = devices (devices == "" ? "" : ", ") v }
    if (k == "simulated" && v == "yes") simulated[name] = 1
    if (k == "warning" || k == "incomplete") warn(v)
    if (k == "note" && !(v in noted)) { noted[v] = 1; notes = notes "<p class=note>" esc(v) "</p>\n" }
}

# What several archives warn of stands once.
function warn(text) {
    if (!(text in who)) warning[++w] = text
    if (!((text, name) in warned)) who[text] = who[text] (who[text] == "" ? "" : ", ") esc(name)
    warned[text, name] = 1
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
    if (what == "device") print devices == "" ? "device not recorded" : md ? plain(esc(devices)) : esc(devices)
    if (what == "notes") printf "%s", notes
    for (i = 1; i <= n; i++) {
        name = order[i]
        if (what == "simulated" && name in simulated) print esc(name)
        if (what == "overview")
            print "<tr><td>" esc(name) "</td>" cell(name, "device") cell(name, "time") change(name, "clock_sm") \
                change(name, "temperature") cell(name, "clock_locked") cell(name, "processes") cell(name, "simulated") \
                "<td>" esc(first[name, "end"]) "</td></tr>"
        if (what == "lines")
            print "- " plain(esc(name)) ": " plain(esc(first[name, "device"])) ", " plain(esc(first[name, "time"])) ", " \
                plain(esc(first[name, "parameters"])) ", " plain(esc(first[name, "end"]))
        if (what == "all")
            print "<details class=origin><summary>" esc(name) "</summary><div class=wide><table>" lines[name] "</table></div></details>"
    }
    if (what == "warnings" && w > 0) {
        print "<ul>"
        for (i = 1; i <= w; i++) print "<li><b>" who[warning[i]] "</b>: " esc(warning[i]) "</li>"
        print "</ul>"
    }
}
