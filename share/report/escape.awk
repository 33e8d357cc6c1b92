# Lines -> escaped lines.
{ print esc($0) }
