/* SPDX-License-Identifier: Apache-2.0 */
/* Experiment files: each run of one is read whole and makes sense, or what is wrong is said with
 * its place. The fabric stands in the file itself: no other is opened. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "files/files.h"
#include "libfyaml.h"
#include "must.h"

#define RUNS_READ 4

static bool is_told(const struct yaml *yaml)
{
    const char *end = memchr(yaml->problem, 0, sizeof(yaml->problem));

    return end && end > yaml->problem && !strchr(yaml->problem, '\n');
}

static void expect_sense(const struct experiment *experiment)
{
    struct problem problem;

    MUST(memchr(experiment->name, 0, sizeof(experiment->name)) != NULL);
    MUST(experiment->fabric.topology.nic_count >= 1);
    MUST(experiment->measure.sample_ps > 0);
    MUST(experiment->repeat > 0);
    MUST(sim_config_check(&experiment->sim, &problem));
}

static void read_run(struct yaml *yaml, const struct yaml_node *top, uint32_t index)
{
    struct yaml_node *changed = experiment_sweep_apply(yaml, top, index);
    static struct experiment experiment;
    char label[EXPERIMENT_LABEL_BYTES];

    experiment_sweep_label(top, index, label);
    MUST(memchr(label, 0, sizeof(label)) != NULL);
    if (changed && experiment_read(yaml, changed, &experiment))
        expect_sense(&experiment);
    else
        MUST(is_told(yaml));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct yaml_node *top;
    struct yaml yaml;
    uint32_t count;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "experiment.yaml", (const char *)data, length_bytes, true);
    MUST(top || is_told(&yaml));
    if (top && top->kind == YAML_MAPPING) {
        top->is_root = true;
        count = experiment_sweep_count(top);
        for (uint32_t i = 0; i < count && i < RUNS_READ && !*yaml.problem; i++)
            read_run(&yaml, top, i);
    }
    yaml_fini(&yaml);
    return 0;
}
