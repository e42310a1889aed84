/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of faults: what is read is in order of time and has its kind and its place; else what is
 * wrong is said with its place. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "files/files.h"
#include "libfyaml.h"
#include "must.h"

static void expect_sense(const struct fault_script *script)
{
    for (uint32_t i = 0; i < script->count; i++) {
        const struct fault_script_step *step = &script->steps[i];

        MUST(step->fault.kind < FAULT_KIND_COUNT && (step->where_count > 0 || step->ev));
        MUST(step->fault.from_ps < step->fault.until_ps);
        MUST(step->fault.duty_permille > 0 && step->fault.duty_permille <= 1000);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct fault_script script;
    struct yaml_node *top;
    struct yaml yaml;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "faults.yaml", (const char *)data, length_bytes, true);
    if (top && top->kind == YAML_MAPPING && fault_script_read(&yaml, top, &script))
        expect_sense(&script);
    else
        MUST((top && top->kind != YAML_MAPPING) || yaml.problem[0] != 0);
    MUST(memchr(yaml.problem, 0, sizeof(yaml.problem)) != NULL);
    yaml_fini(&yaml);
    return 0;
}
