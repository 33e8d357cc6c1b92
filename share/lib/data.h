/* Where the project's data files are: beside the program run in place, or under the installed prefix. */
#ifndef L2_DATA_H
#define L2_DATA_H

/* A path under share/, such as "devices/h200.dev". $L2TOOLS_SHARE comes first, then DIR/../share where DIR is the
 * program's own folder, then DIR/../share/l2tools. The caller frees it. Exits 1 when it is nowhere. */
char *xdata_path(const char *name);

#endif
