# '#by' lines of results -> the commands that made them, each once, in the order of the pipes. How a command names the
# folders of the report does not matter to who repeats it.
/^#by / {
    v = value_of()
    sub(/^[^:]*: /, "", v)
    gsub(/[^ ]*parts\/run\//, "", v)
    gsub(/[^ ]*parts\//, "", v)
    if (!(v in seen)) {
        seen[v] = 1
        print esc(v)
    }
}
