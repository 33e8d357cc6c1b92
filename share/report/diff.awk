# l2diff's table -> the points that differ, 60 of them at most.
BEGIN { FS = "\t" }

/^#/ { next }
!have {
    header()
    have = 1
    next
}
$(at["about"]) == "point" && $(at["result"]) == "differs" {
    if (!n++) print "<tr><th>archive<th>point<th>first<th>second<th>difference</tr>"
    if (n <= 60)
        print "<tr><td>" esc($(at["archive"])) "</td><td>" esc($(at["point"])) "</td><td>" esc($(at["left"])) "</td><td>" \
            esc($(at["right"])) "</td><td>" esc($(at["says"])) "</td></tr>"
}
END { if (n > 60) print "<tr><td colspan=5>and " n - 60 " more: see parts/diff.tsv</td></tr>" }
