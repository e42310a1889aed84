/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an experiment with the faults of a fabric. */
#include "control/fault_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "control/fault_request.h"
#include "files/files.h"

#define AFTERWARDS_PS UINT64_C(1000000000) /* of the experiment, after the last change */

static const char *text_of(const json_t *of, const char *key)
{
    return json_string_value(json_object_get(of, key));
}

static void write_fault(FILE *to, const json_t *json, uint64_t faster)
{
    struct fault recorded = fault_request_read(json);
    struct fault fault = fault_request_sped_up(&recorded, faster);
    const json_t *element;
    size_t i;

    fault_write_kind(to, &fault);
    if (text_of(json, "ev"))
        fprintf(to, "    ev: %s\n", text_of(json, "ev"));
    fprintf(to, "    where: [");
    json_array_foreach(json_object_get(json, "where"), i, element)
        fprintf(to, "%s%s", i > 0 ? ", " : "", json_string_value(element));
    fprintf(to, "]\n");
    fault_write_times(to, &fault);
}

/* Writes the fabric's own file as a part of this one. */
static void write_fabric(FILE *to, const char *text)
{
    fprintf(to, "fabric:\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool is_marker =
            length >= 3 && (memcmp(text, "---", 3) == 0 || memcmp(text, "...", 3) == 0);

        if (!is_marker && length > 0)
            fprintf(to, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static uint64_t last_change_ps(const json_t *faults, uint64_t faster)
{
    uint64_t last_ps = 0;
    const json_t *json;
    size_t i;

    json_array_foreach(faults, i, json)
    {
        struct fault recorded = fault_request_read(json);
        struct fault fault = fault_request_sped_up(&recorded, faster);
        uint64_t change_ps = fault.until_ps == FAULT_NEVER_PS ? fault.from_ps : fault.until_ps;

        last_ps = change_ps > last_ps ? change_ps : last_ps;
    }
    return last_ps;
}

int fault_record_write(FILE *to, const struct fault_record *recording)
{
    const json_t *faults = json_object_get(recording->answer, "faults");
    const json_t *json;
    size_t i;

    fprintf(to,
        "# The faults of the fabric '%s' as they happened. The workload is an example: replace "
        "it.\n"
        "name: %s\nduration: %" PRIu64 "ps\n",
        recording->fabric, recording->fabric,
        last_change_ps(faults, recording->faster) + AFTERWARDS_PS);
    write_fabric(to, text_of(recording->answer, "fabric"));
    fprintf(to, "workloads:\n  - { kind: permutation, message_bytes: 1MiB }\nfaults:\n");
    json_array_foreach(faults, i, json) write_fault(to, json, recording->faster);
    return ferror(to) ? -EIO : 0;
}
