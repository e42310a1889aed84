/* SPDX-License-Identifier: Apache-2.0 */
/* The worst cases: ranked, made smaller, written as experiment files. */
#include <errno.h>
#include <stdlib.h>

#include <sys/stat.h>

#include "program.h"

/* The worst in this way of those that were not told. */
static bool find_next(const struct hunt_figures *figures, uint32_t count, enum hunt_fault fault,
    const bool *is_told, uint32_t *found)
{
    double worst = 1; /* up to here all is well */
    bool has_found = false;

    for (uint32_t i = 0; i < count; i++) {
        double badness = hunt_badness(&figures[i], fault);

        if (is_told[i] || badness <= worst)
            continue;
        worst = badness;
        *found = i;
        has_found = true;
    }
    return has_found;
}

static void head_file(FILE *file, const struct program *program, uint32_t number,
    enum hunt_fault fault, const struct hunt_figures *figures)
{
    fprintf(file, "# case %u of seed %llu: %s\n# ", number,
        (unsigned long long)program->options.seed, hunt_fault_word(fault));
    table_case_json(file, number, figures);
}

static int write_case(const struct program *program, const struct study_trial *trial,
    uint32_t number, enum hunt_fault fault, const struct hunt_figures *figures)
{
    char path[4096];
    FILE *file;

    snprintf(
        path, sizeof(path), "%s/%s-%u.yaml", program->write_folder, hunt_fault_word(fault), number);
    file = fopen(path, "w");
    if (!file)
        return -errno;
    head_file(file, program, number, fault, figures);
    study_write(trial, file);
    if (fclose(file) != 0)
        return -errno;
    printf("  mrc sim %s\n", path);
    return 0;
}

static int tell_case(const struct program *program, const struct hunt_figures *drawn,
    uint32_t number, enum hunt_fault fault)
{
    struct study_trial *trial = malloc(sizeof(*trial));
    struct hunt_figures figures = *drawn;
    uint32_t runs = 0;
    int err = 0;

    if (!trial)
        return -ENOMEM;
    hunt_draw(trial, &program->options, number);
    if (program->shrink_runs > 0) {
        runs = hunt_shrink(trial, fault, &program->options, program->shrink_runs);
        hunt_run_apart(trial, &figures);
    }
    printf("case %u, %s: total %.3f, flow %.3f (h%u to h%u), starved %.0f us, failed %.0f RTTs, "
           "%llu QP errors, %llu timeouts%s%s; as drawn total %.3f, flow %.3f; %u runs\n",
        number, hunt_fault_word(fault), figures.capacity_fraction, figures.flow_fraction,
        figures.flow_from, figures.flow_to, figures.starved_us, figures.failed_rtts,
        (unsigned long long)figures.qp_errors, (unsigned long long)figures.timeouts,
        *figures.reason ? ": " : "", figures.reason, drawn->capacity_fraction, drawn->flow_fraction,
        runs);
    if (program->write_folder)
        err = write_case(program, trial, number, fault, &figures);
    else
        study_write(trial, stdout);
    free(trial);
    return err;
}

int worst_tell(const struct program *program, const struct hunt_figures *figures, uint32_t count)
{
    bool *is_told = calloc(count + 1, sizeof(*is_told));
    int err = 0;

    if (!is_told)
        return -ENOMEM;
    if (program->write_folder && mkdir(program->write_folder, 0777) != 0 && errno != EEXIST)
        err = -errno;
    for (uint32_t fault = 0; !err && fault < HUNT_FAULT_COUNT; fault++) {
        uint32_t found;

        for (uint32_t i = 0; i < count; i++)
            is_told[i] = !program->tells_any && figures[i].outcome == HUNT_RAN &&
                         !hunt_is_promised(&figures[i].class);
        for (uint32_t i = 0; !err && i < program->worst &&
                             find_next(figures, count, (enum hunt_fault)fault, is_told, &found);
             i++) {
            is_told[found] = true;
            err = tell_case(
                program, &figures[found], program->first_case + found, (enum hunt_fault)fault);
        }
    }
    free(is_told);
    return err;
}
