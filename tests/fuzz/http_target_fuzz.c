/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of HTTP requests: what is accepted is in normal form and matches its own path. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "http/http_target.h"
#include "must.h"

static bool is_clean(const char *text)
{
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e)
            return false;
    return true;
}

static void check_target(const struct http_target *target)
{
    MUST(target->path[0] == '/');
    MUST(strlen(target->path) < sizeof(target->path));
    MUST(is_clean(target->path));
    MUST(!strstr(target->path, "//") && !strstr(target->path, "/../"));
    MUST(strchr(target->path, '*') || http_target_matches(target, target->path));
    for (unsigned i = 0; i < target->part_count; i++) {
        MUST(target->parts[i][0] && !strchr(target->parts[i], '/'));
        MUST(strcmp(target->parts[i], "..") != 0 && strcmp(target->parts[i], ".") != 0);
    }
    for (unsigned i = 0; i < target->parameter_count; i++) {
        MUST(is_clean(target->parameters[i].name) && is_clean(target->parameters[i].value));
        MUST(http_target_parameter(target, target->parameters[i].name) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    char *text = malloc(length_bytes + 1);
    struct http_target target;

    if (!text)
        abort();
    memcpy(text, data, length_bytes);
    text[length_bytes] = 0;
    if (http_target_read(text, &target))
        check_target(&target);
    free(text);
    return 0;
}
