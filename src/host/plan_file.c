/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file with the text of a plan. */
#include "host/plan_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

char *plan_file_read(const char *path, int *err)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;

    *err = file ? 0 : -errno;
    if (file && getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
        *err = -EINVAL;
    }
    if (file)
        (void)fclose(file);
    return text;
}
