# l2check's table -> a list: what was seen and in which archives, what it likely comes from, what to do.
BEGIN { FS = "\t" }

/^#/ { next }

!have {
    header()
    have = 1
    next
}

{
    file = $(at["file"])
    sub(/.*\//, "", file)
    sub(/\.tsv(\.gz)?$/, "", file)
    says = "<p><b>" esc($(at["sight"])) "</b></p><p>" esc($(at["cause"])) "; " esc($(at["advice"])) ".</p>"
    if (!(says in files)) {
        order[++n] = says
        severity[says] = $(at["severity"])
    }
    files[says] = files[says] (files[says] == "" ? "" : ", ") esc(file)
}

END {
    for (i = 1; i <= n; i++)
        print "<div class=\"trouble " esc(severity[order[i]]) "\">" order[i] "<p class=small>" esc(severity[order[i]]) ": " \
            files[order[i]] "</p></div>"
}
