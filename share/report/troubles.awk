# l2check's table -> a list: what was seen, what it likely comes from, what to do.
BEGIN { FS = "\t" }

/^#/ { next }
!have { header(); have = 1; next }
{
    print "<div class=\"trouble " esc($(at["severity"])) "\"><p><b>" esc($(at["sight"])) "</b> <span class=small>" \
        esc($(at["severity"])) ("file" in at ? ", " esc($(at["file"])) : "") "</span></p><p>" esc($(at["cause"])) "</p><p>" \
        esc($(at["advice"])) "</p></div>"
}
