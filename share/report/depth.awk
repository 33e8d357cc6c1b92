# l2copies -n -> exp others share case: the share of copies that are there after so many other lines of their set.
BEGIN { FS = OFS = "\t" }

/^#end/ { next }

/^#/ {
    print
    next
}

!have {
    for (i = 1; i <= NF; i++) at[$i] = i
    print "exp", "others", "share", "case"
    have = 1
    next
}

$(at["case"]) ~ /^depth_/ && $(at["touches"]) == 1 && $(at["each"]) == 1 {
    own = $(at["own"])
    all = own + $(at["home"]) + $(at["memory"])
    if (all > 0) {
        print "copies", $(at["near"]) + $(at["far"]), own / all, $(at["case"]) == "depth_home" ? "home lines" : "other copies"
        rows++
    }
}

END { print "#end rows=" rows + 0 " status=ok" }
