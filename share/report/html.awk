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
    if (unit == "bytes" && value >= 1024) {
        for (u = 0; value >= 1024 && u < 4; u++) value /= 1024
        return sprintf("%.4g %s", value, substr("KiBMiBGiBTiB", 3 * u - 2, 3))
    }
    return sprintf(value == int(value) ? "%d%s" : "%.4g%s", value, unit == "" || unit == "-" || unit == "1" ? "" : " " esc(unit))
}

# The same without the unit where the other end of an interval tells it.
function interval(lo, hi, unit,    a, b) {
    if (!is_number(lo) || !is_number(hi)) return "-"
    a = words(lo, unit)
    b = words(hi, unit)
    return a == b ? a : a " to " b
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
