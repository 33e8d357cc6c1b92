# '#by' lines of results -> the commands that made them, each once, in the order of the pipes.
/^#by / {
    v = value_of()
    sub(/^[^:]*: /, "", v)
    if (!(v in seen)) {
        seen[v] = 1
        print esc(v)
    }
}
