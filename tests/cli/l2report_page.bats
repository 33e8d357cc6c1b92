#!/usr/bin/env bats
# The page of l2report in a browser: nothing is asked of the network, nothing is wrong in the console, every picture is
# shown, nothing sticks out of a desktop's or a phone's width, no letter is tiny, and it prints. Needs Chromium.
load ../common

setup_file()
{
    command -v chromium >/dev/null || return 0
    cd "$BATS_FILE_TMPDIR" || return 1
    PATH=$TOP/bin:$PATH
    mkdir run other
    for seed in 1 2; do
        l2collect -q -s $seed -d sim:tiny -o run/latency.tsv.gz latency size=16K:512K:6 hops=2048 passes=2
        l2collect -q -s $seed -d sim:tiny -o run/matrix.tsv.gz matrix op=atom count=256
        l2collect -q -s $seed -d sim:tiny -o run/contend.tsv.gz contend count=64
        l2collect -q -s $seed -d sim:tiny -o run/clock.tsv.gz clock
        l2collect -q -s $seed -d sim:tiny -o run/survive.tsv.gz survive
        [ $seed = 2 ] || mv run/* other
    done
    l2report -o one run >/dev/null
    l2report -o two run other >/dev/null
}

setup()
{
    command -v chromium >/dev/null || skip 'chromium is not installed'
    cd "$BATS_FILE_TMPDIR" || return 1
}

# A name server that knows nobody, so a request outside fails, and is logged.
browse()
{
    timeout 100 chromium --headless=new --no-sandbox --disable-gpu --disable-background-networking \
        --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$BATS_TEST_TMPDIR/profile" \
        --enable-logging=stderr --virtual-time-budget=20000 "$@"
}

@test "no request but for the page itself, no word in the console" {
    for r in one two; do
        browse --log-net-log="$BATS_TEST_TMPDIR/net" --dump-dom "file://$PWD/$r/index.html" >dom 2>err
        grep -q 'What was found' dom
        not grep -E 'CONSOLE' err
        # The browser itself asks its maker for this and that.
        grep -oE '"url":"https?://[^/"]*' "$BATS_TEST_TMPDIR/net" | sort -u >asked
        not grep -vE '(google|googleapis|gvt1|gstatic)\.com$' asked
        not grep -E '(src|href|srcset|action)="?(https?:|//)|<script|@import|url\(' dom
    done
}

# measured PAGE WIDTH: what a script finds that is put into a copy of the page, in a frame of this width.
measured()
{
    local copy=copy-$1-$2.html
    {
        sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//; s/<\/body><\/html>$//' "$1/index.html"
        cat <<'END'
<script>
addEventListener("load", async () => {
    const images = [...document.images];
    await Promise.all(images.map(i => i.decode().catch(() => 0)));
    for (const d of document.querySelectorAll("details")) d.open = true;
    const shown = images.filter(i => i.complete && i.naturalWidth > 0 && i.getBoundingClientRect().width > 100).length;
    const wide = document.documentElement.scrollWidth - innerWidth;
    let tiny = 0;
    for (const e of document.querySelectorAll("body *"))
        if (e.innerText && parseFloat(getComputedStyle(e).fontSize) < 12) tiny++;
    const boxes = [...document.querySelectorAll("p, li, td, h1, h2, h3, summary, figcaption, .badge")];
    const out = boxes.filter(b => { const r = b.getBoundingClientRect();
        return r.width > 0 && r.right > innerWidth + 1 && !b.closest(".wide") }).length;
    parent.postMessage(`images=${images.length} shown=${shown} wide=${wide > 0 ? wide : 0} tiny=${tiny} out=${out} width=${innerWidth}`, "*");
});
</script></body></html>
END
    } >"$copy"
    cat >frame.html <<END
<body><p id=r>nothing</p><script>addEventListener("message", e => document.getElementById("r").textContent = e.data)</script>
<iframe src="$copy" width=$2 height=900 style="border:0"></iframe></body>
END
    browse --window-size=1600,1000 --dump-dom "file://$PWD/frame.html" 2>err | sed -n 's/.*<p id="r">\([^<]*\)<.*/\1/p'
}

@test "every picture is shown, nothing sticks out, no letter is tiny: desktop and phone" {
    for r in one two; do
        for width in 1280 390; do
            found=$(measured $r $width)
            echo "$r: $found"
            [[ $found =~ images=([0-9]+)\ shown=([0-9]+)\ wide=0\ tiny=0\ out=0\ width=$width ]]
            [ "${BASH_REMATCH[1]}" -ge 8 ]
            [ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
        done
    done
    # The script sees what is wrong.
    mkdir -p bad
    sed 's,</main>,<img src="data:x"><p style="width: 500px; font-size: 5px">x</p></main>,' one/index.html >bad/index.html
    found=$(measured bad 390)
    echo "bad: $found"
    [[ $found =~ images=([0-9]+)\ shown=([0-9]+)\ wide=[1-9][0-9]*\ tiny=1\ out=1\ width=390 ]]
    [ "${BASH_REMATCH[2]}" -lt "${BASH_REMATCH[1]}" ]
}

@test "a simulated device is called so where the page begins, in light and dark" {
    browse --dump-dom "file://$PWD/one/index.html" 2>err | grep -q 'role="alert">SIMULATED'
    for scheme in light dark; do
        dark=0
        [ $scheme = light ] || dark=1
        browse --blink-settings=preferredColorScheme=$((1 - dark)) --window-size=1280,900 --hide-scrollbars \
            --screenshot="$BATS_TEST_TMPDIR/$scheme.png" "file://$PWD/one/index.html" 2>err
        [ -s "$BATS_TEST_TMPDIR/$scheme.png" ]
    done
    not cmp -s "$BATS_TEST_TMPDIR/light.png" "$BATS_TEST_TMPDIR/dark.png"
}

@test "it prints" {
    browse --print-to-pdf="$BATS_TEST_TMPDIR/page.pdf" "file://$PWD/one/index.html" 2>err
    [ "$(head -c 5 "$BATS_TEST_TMPDIR/page.pdf")" = '%PDF-' ]
    [ "$(wc -c <"$BATS_TEST_TMPDIR/page.pdf")" -gt 50000 ]
}
