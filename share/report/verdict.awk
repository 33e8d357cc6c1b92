# The verdict, and perhaps a second one and l2diff's rows about parameters -> HTML or Markdown.
# -v what=table: the table with all parameters; card: those that stand in the section `here`. -v archives="latency evict ...":
# what there is. -v md=1: Markdown. -v second=FILE: the verdict of the other run; -v diff=FILE: l2diff's table.
BEGIN { FS = "\t" }

FNR == 1 {
    have = 0
    run = FILENAME == diff ? "diff" : FILENAME == second ? 2 : 1
    n = split(archives, list, " ")
    for (i = 1; i <= n; i++) there[list[i]] = 1
}

/^#/ { next }

!have {
    header()
    have = 1
    next
}

run == "diff" {
    if ($(at["about"]) == "parameter") says[$(at["param"])] = $(at["result"]) "\t" $(at["says"])
    next
}

{
    name = $(at["param"])
    split(FIELDS, field, " ")
    for (i = 1; i in field; i++) v[run, name, field[i]] = $(at[field[i]])
    v[run, name] = 1
    if (!(name in met)) {
        met[name] = ++m
        place[name in rank ? rank[name] : parameters + m] = name
    }
}

BEGIN { FIELDS = "value lo hi unit verdict values support methods evidence api difference note" }

function known(r, name) { return ((r, name) in v) && v[r, name, "verdict"] != "missing" }

# "16 lines", with each of several values of a disagreement in words.
function value(r, name,    unit, list, k, n, out) {
    unit = v[r, name, "unit"]
    n = split(v[r, name, "value"], list, / or /)
    for (k = 1; k <= n; k++) out = out (k > 1 ? " or " : "") words(list[k], unit)
    return out
}

function badge(word) { return "<span class=\"badge " esc(word) "\">" esc(word) "</span>" }

# What stands behind it: the methods with their values, what the driver says.
function methods(r, name,    list, k, n, out) {
    n = split(v[r, name, "values"], list, /; /)
    for (k = 1; k <= n; k++) out = out "<li>" esc(list[k])
    return "<ul class=small>" out "</ul>"
}

# "level, survival, knee": the table is for a glance.
function names(r, name,    list, k, n, out, item) {
    n = split(v[r, name, "values"], list, /; /)
    for (k = 1; k <= n; k++) {
        item = list[k]
        sub(/ not decided/, " -", item)
        gsub(/ or [^ ]+/, "", item)
        sub(/ [^ ]+( \[[^]]*\])?( n=[0-9]+)?( \([a-z, ]*\))?$/, "", item)
        out = out (k > 1 ? ", " : "") esc(item)
    }
    return out
}

function driver(r, name,    out) {
    if (!is_number(v[r, name, "api"])) return ""
    out = words(v[r, name, "api"], v[r, name, "unit"])
    if (is_number(v[r, name, "difference"])) out = out sprintf(" (%+.2g %%)", v[r, name, "difference"])
    return out
}

function cell(r, name) {
    if (!known(r, name)) return "<td class=v>-</td>"
    return "<td class=v>" value(r, name) " " badge(v[r, name, "verdict"]) "</td>"
}

function one_row(name,    s, where, between) {
    where = home(name, there)
    s = where == "" ? called(name) : "<a href=\"#" where "\">" called(name) "</a>"
    if (second != "") {
        split(name in says ? says[name] : "missing\t-", d, "\t")
        return "<tr><td>" s "</td>" cell(1, name) cell(2, name) "<td class=\"says-" esc(d[1]) "\">" esc(d[2]) "</td></tr>"
    }
    between = interval(v[1, name, "lo"], v[1, name, "hi"], v[1, name, "unit"])
    return "<tr><td>" s "</td>" cell(1, name) (between == "-" ? "<td class=none>" : "<td>") between "</td><td>" names(1, name) "</td><td>" driver(1, name) "</td></tr>"
}

function one_card(name,    word) {
    word = v[1, name, "verdict"]
    return "<div class=\"card " esc(word) "\"><h3>" called(name) "</h3><p class=value>" value(1, name) " " badge(word) "</p><p>" \
        esc(sentence[name]) "</p>" \
        (v[1, name, "note"] == "-" ? "" : "<p class=small>" esc(v[1, name, "note"]) "</p>") \
        methods(1, name) "</div>"
}

function markdown_card(name) {
    return "- **" called(name) ": " plain(value(1, name)) "** (" plain(esc(v[1, name, "verdict"])) "). " sentence[name] "\n"
}

END {
    for (i = 1; i <= parameters + m; i++) {
        if (!(i in place)) continue
        name = place[i]
        if (what == "card") {
            if (known(1, name) && home(name, there) == here) printf "%s", md ? markdown_card(name) : one_card(name)
            continue
        }
        if (!known(1, name) && !known(2, name)) {
            missing = missing (missing == "" ? "" : ", ") called(name)
            continue
        }
        if (what != "table") continue
        row = one_row(name)
        if (name in rank) print row
        else more = more row "\n"
    }
    if (what == "table" && more != "") print "<tr class=more><td colspan=5>numbers about the methods and the data</td></tr>" more
    if (what == "missing" && missing != "") print "<p class=small>Not measured, or not decided by any method: " missing ".</p>"
}
