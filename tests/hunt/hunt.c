/* SPDX-License-Identifier: Apache-2.0 */
/* Hunts for cases in which the transport achieves less than the fabric allows (docs/simulator.md).
 */
#include <string.h>

#include "program.h"

static int fail(const char *what, int err)
{
    fprintf(stderr, "hunt: %s: %s\n", what, strerror(-err));
    return 1;
}

static int list_cases(const struct program *program)
{
    for (uint32_t i = 0; i < program->case_count; i++) {
        struct study_trial trial;

        hunt_draw(&trial, &program->options, program->first_case + i);
        printf("# case %u\n", program->first_case + i);
        study_write(&trial, stdout);
    }
    return 0;
}

static bool has_broken(const struct hunt_figures *figures, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (figures[i].outcome != HUNT_RAN)
            return true;
    return false;
}

int main(int argument_count, char **arguments)
{
    struct hunt_figures *figures;
    struct program program;
    uint32_t count;
    bool is_done;
    int err;

    if (!options_read(&program, argument_count, arguments, &is_done))
        return 2;
    if (is_done)
        return 0;
    if (program.lists_only)
        return list_cases(&program);
    figures = pool_memory(program.case_count + 1);
    count = pool_run(&program, figures);
    printf("%u cases, seed %llu\n", count, (unsigned long long)program.options.seed);
    table_print(figures, count);
    err = program.json_path ? table_write_json(&program, figures, count) : 0;
    if (err)
        return fail(program.json_path, err);
    err = worst_tell(&program, figures, count);
    if (err)
        return fail(program.write_folder ? program.write_folder : "worst", err);
    if (program.requires && !promise_is_kept(figures, count))
        return 1;
    return program.is_strict && has_broken(figures, count) ? 1 : 0;
}
