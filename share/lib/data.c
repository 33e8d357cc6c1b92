/* Finds data files relative to the running program, so that one build works in place and installed. */
#include "data.h"
#include "cli.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *program_folder(void)
{
    char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    if (len <= 0)
        return xstrdup(".");
    path[len] = '\0';
    slash = strrchr(path, '/');
    return xstrndup(path, (size_t)(slash - path));
}

char *xdata_path(const char *name)
{
    static const char *const below[] = {"../share", "../share/l2tools"};
    const char *env = getenv("L2TOOLS_SHARE");
    char *folder, *path;

    if (env != NULL)
        return xprintf("%s/%s", env, name);
    folder = program_folder();
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        path = xprintf("%s/%s/%s", folder, below[i], name);
        if (access(path, R_OK) == 0) {
            free(folder);
            return path;
        }
        free(path);
    }
    xdie(EXIT_FAILED, "no data file '%s' in %s/../share or %s/../share/l2tools: set L2TOOLS_SHARE",
         name, folder, folder);
}
