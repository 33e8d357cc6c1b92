# What every awk program of the report uses: nothing of the data gets into the page but through esc().

function esc(s) {
    gsub(/[\001-\010\013-\037\177]/, "?", s)
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/>/, "\\&gt;", s)
    gsub(/"/, "\\&quot;", s)
    gsub(/'/, "\\&#39;", s)
    return s
}

function is_number(s) {
    return s ~ /^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/
}

# 31457280 bytes is 30 MiB; other units keep the number.
function words(value, unit,    u) {
    if (!is_number(value)) return esc(value)
    value += 0
    if (unit == "share") return sprintf("%.4g %%", 100 * value)
    if (unit == "bytes" && value >= 1024) {
        for (u = 0; value >= 1024 && u < 4; u++) value /= 1024
        return sprintf("%.4g %s", value, substr("KiBMiBGiBTiB", 3 * u - 2, 3))
    }
    return sprintf(value == int(value) ? "%d%s" : value >= 1000 ? "%.0f%s" : "%.4g%s", value, unit == "" || unit == "-" || unit == "1" ? "" : " " esc(unit))
}

# The same without the unit where the other end of an interval tells it.
function interval(lo, hi, unit,    a, b, tail) {
    if (!is_number(lo) || !is_number(hi)) return "-"
    if (lo == hi) return "exact"
    a = words(lo, unit)
    b = words(hi, unit)
    if (a == b) return a
    tail = b
    sub(/^[^ ]*/, "", tail)
    if (tail != "" && substr(a, length(a) - length(tail) + 1) == tail) a = substr(a, 1, length(a) - length(tail))
    return a " to " b
}

# The columns by name: at["size"].
function header(    i) {
    split("", at)
    for (i = 1; i <= NF; i++) at[$i] = i
}

# A '#' line: its key, and what follows.
function key() {
    return substr($1, 2)
}

function value_of(    v) {
    v = $0
    sub(/^#[^ ]* ?/, "", v)
    return v
}

# The names of parameters from parameters.txt: called(name), rank[name], sentence[name], home(name).
function read_parameters(    line, f) {
    while ((getline line < LIST) > 0) {
        if (line ~ /^#/ || split(line, f, "|") < 4) continue
        rank[f[1]] = ++parameters
        title[f[1]] = f[2]
        homes[f[1]] = f[3]
        sentence[f[1]] = f[4]
    }
    close(LIST)
}

function called(name) {
    return name in title ? title[name] : esc(name)
}

# The section in which a parameter stands: the first of its archives that is there.
function home(name, there,    list, n, k) {
    n = name in homes ? split(homes[name], list, " ") : 0
    for (k = 1; k <= n; k++)
        if (list[k] in there) return list[k]
    return ""
}

# The same for Markdown, after esc(): nothing in it starts a link, a table cell or code.
function plain(s) {
    gsub(/[][\\`*_|~!]/, "\\\\&", s)
    return s
}

BEGIN { if (LIST != "") read_parameters() }
