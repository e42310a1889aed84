/* SPDX-License-Identifier: Apache-2.0 */
/* Max-min rates of flows with several paths, by linear programs.
 *
 * Columns: the wire rate of each path, the level of each flow, a common level. Rows: the load of a
 * link fits; the paths of a flow carry its level; the level of a flow that still grows is not below
 * the common level.
 *
 * A round maximises the common level. It then maximises the sum of the levels of the flows in doubt
 * to find those that can grow further; a flow that grows is no longer in doubt. When none grows,
 * the optimum itself proves that none of the remaining flows can, and its dual values name the
 * links that limit them. These flows are fixed, and the next round begins. Only bounds and the
 * objective change between programs, and the last solution stays feasible, so each program starts
 * from it. */
#include <errno.h>
#include <math.h>
#include <stdalign.h>
#include <stdlib.h>

#include <coin/Clp_C_Interface.h>

#include "capacity/max_min.h"

#define TOLERANCE 1e-9
#define SLACK     1e-8 /* tolerance below a level that was reached before */
#define SLACK_MAX 1e-6
#define GROWTH    1e-6 /* relative to the common level; less is rounding or slack */
#define PRICE     1e-7 /* lower dual values count as 0 */

enum stage {
    FLOW_GROWS,
    FLOW_IN_DOUBT,
    FLOW_FIXED,
};

struct program {
    const struct max_min *problem;
    Clp_Simplex *model;
    uint8_t *stage;        /* of each flow */
    uint32_t level_column; /* of flow 0; columns before it are paths */
    uint32_t common_column;
    uint32_t column_count;
    uint32_t flow_row;
    uint32_t level_row;
    uint32_t row_count;
    double *column_lower;
    double *column_upper;
    double *objective;
    double *row_lower;
    double *row_upper;
    double *price; /* of each link */
    /* the matrix, by column */
    int *starts;
    int *rows;
    double *values;
};

/* ---- building -------------------------------------------------------------------------------- */

static uint32_t element_count(const struct max_min *problem)
{
    uint32_t count = 3 * problem->flow_count;

    for (uint32_t i = 0; i < problem->path_count; i++)
        count += problem->paths[i].hop_count + 1;
    return count;
}

static void take_memory(struct program *program, struct arena *arena)
{
    uint32_t columns = program->column_count;
    uint32_t rows = program->row_count;
    uint32_t elements = element_count(program->problem);

    program->stage = arena_take(arena, program->problem->flow_count, 1, 1);
    program->column_lower = arena_take(arena, columns, sizeof(double), alignof(double));
    program->column_upper = arena_take(arena, columns, sizeof(double), alignof(double));
    program->objective = arena_take(arena, columns, sizeof(double), alignof(double));
    program->row_lower = arena_take(arena, rows, sizeof(double), alignof(double));
    program->row_upper = arena_take(arena, rows, sizeof(double), alignof(double));
    program->price = arena_take(arena, rows, sizeof(double), alignof(double));
    program->values = arena_take(arena, elements, sizeof(double), alignof(double));
    program->starts = arena_take(arena, columns + 1, sizeof(int), alignof(int));
    program->rows = arena_take(arena, elements, sizeof(int), alignof(int));
}

static void add_element(struct program *program, int *count, uint32_t row, double value)
{
    program->rows[*count] = (int)row;
    program->values[(*count)++] = value;
}

static void add_path(
    struct program *program, int *count, uint32_t flow, const struct max_min_path *path)
{
    const struct max_min *problem = program->problem;

    for (uint32_t i = 0; i < path->hop_count; i++)
        add_element(program, count, problem->hops[path->first_hop + i].link,
            problem->hops[path->first_hop + i].times);
    add_element(program, count, program->flow_row + flow, path->payload_share * path->times);
}

static void build_matrix(struct program *program)
{
    const struct max_min *problem = program->problem;
    uint32_t column = 0;
    int count = 0;

    for (uint32_t flow = 0; flow < problem->flow_count; flow++)
        for (uint32_t p = 0; p < problem->flows[flow].path_count; p++) {
            program->starts[column++] = count;
            add_path(program, &count, flow, &problem->paths[problem->flows[flow].first_path + p]);
        }
    for (uint32_t flow = 0; flow < problem->flow_count; flow++) {
        program->starts[column++] = count;
        add_element(program, &count, program->flow_row + flow, -problem->flows[flow].weight);
        add_element(program, &count, program->level_row + flow, 1);
    }
    program->starts[column++] = count;
    for (uint32_t flow = 0; flow < problem->flow_count; flow++)
        add_element(program, &count, program->level_row + flow, -1);
    program->starts[column] = count;
}

/* Flows without a path are fixed from the beginning: they limit no other flow. */
static void bound_all(struct program *program)
{
    const struct max_min *problem = program->problem;

    for (uint32_t i = 0; i < program->column_count; i++)
        program->column_upper[i] = (double)INFINITY;
    for (uint32_t i = 0; i < problem->link_count; i++) {
        program->row_lower[i] = -(double)INFINITY;
        program->row_upper[i] = problem->link[i];
    }
    for (uint32_t flow = 0; flow < problem->flow_count; flow++) {
        bool has_path = problem->flows[flow].path_count > 0;

        program->column_upper[program->level_column + flow] =
            has_path ? problem->flows[flow].limit : 0;
        program->row_upper[program->flow_row + flow] = (double)INFINITY;
        program->row_upper[program->level_row + flow] = (double)INFINITY;
        program->row_lower[program->level_row + flow] = has_path ? 0 : -(double)INFINITY;
        program->stage[flow] = has_path ? FLOW_GROWS : FLOW_FIXED;
    }
}

static void count_up(struct program *program)
{
    const struct max_min *problem = program->problem;

    program->level_column = problem->path_count;
    program->common_column = program->level_column + problem->flow_count;
    program->column_count = program->common_column + 1;
    program->flow_row = problem->link_count;
    program->level_row = program->flow_row + problem->flow_count;
    program->row_count = program->level_row + problem->flow_count;
}

/* ---- solving --------------------------------------------------------------------------------- */

static bool solve_once(struct program *program)
{
    Clp_chgColumnLower(program->model, program->column_lower);
    Clp_chgColumnUpper(program->model, program->column_upper);
    Clp_chgRowLower(program->model, program->row_lower);
    Clp_chgObjCoefficients(program->model, program->objective);
    Clp_primal(program->model, 0);
    return Clp_status(program->model) == 0;
}

/* Rounding errors of many rounds can exceed the slack. Then levels may fall by more. */
static int optimise_program(struct program *program)
{
    bool is_solved = solve_once(program);
    double slack = SLACK;

    while (!is_solved && slack <= SLACK_MAX) {
        for (uint32_t i = program->level_column; i < program->common_column; i++)
            program->column_lower[i] = fmax(0, program->column_lower[i] - slack);
        is_solved = solve_once(program);
        slack *= 4;
    }
    return is_solved ? 0 : -EIO;
}

static double value_of(const struct program *program, uint32_t column)
{
    return Clp_getColSolution(program->model)[column];
}

static int raise_common(struct program *program, double *level)
{
    int err;

    for (uint32_t i = 0; i < program->column_count; i++)
        program->objective[i] = 0;
    program->objective[program->common_column] = 1;
    program->column_upper[program->common_column] = (double)INFINITY;
    err = optimise_program(program);
    *level = value_of(program, program->common_column);
    return err;
}

static double floor_of(double level)
{
    return level - SLACK;
}

/* A level above this has grown: one flow could use all that the slack leaves. */
static double ceiling_of(const struct program *program, double level)
{
    return level * (1 + GROWTH) + 4 * SLACK * program->problem->flow_count;
}

/* From now on no level falls below the common one; levels in doubt may double. */
static void doubt_all(struct program *program, double level)
{
    program->objective[program->common_column] = 0;
    for (uint32_t flow = 0; flow < program->problem->flow_count; flow++) {
        uint32_t column = program->level_column + flow;

        if (program->stage[flow] == FLOW_FIXED)
            continue;
        program->stage[flow] = FLOW_IN_DOUBT;
        program->column_lower[column] = floor_of(level);
        program->column_upper[column] = fmin(2 * level, program->problem->flows[flow].limit);
        program->objective[column] = 1;
    }
    program->column_lower[program->common_column] = 0;
    program->column_upper[program->common_column] = floor_of(level);
}

/* Flows that grew are no longer in doubt. */
static bool clear_doubts(struct program *program, double level)
{
    bool has_grown = false;

    for (uint32_t flow = 0; flow < program->problem->flow_count; flow++) {
        uint32_t column = program->level_column + flow;

        if (program->stage[flow] != FLOW_IN_DOUBT ||
            value_of(program, column) <= ceiling_of(program, level))
            continue;
        program->stage[flow] = FLOW_GROWS;
        program->objective[column] = 0;
        has_grown = true;
    }
    return has_grown;
}

static void fix_flow(struct program *program, uint32_t flow, double level, const double *price)
{
    uint32_t column = program->level_column + flow;

    program->stage[flow] = FLOW_FIXED;
    program->objective[column] = 0;
    program->column_upper[column] = level;
    program->row_lower[program->level_row + flow] = -(double)INFINITY;
    max_min_fix(program->problem, flow, level, price);
}

/* No flow that is not fixed is below the common level, and those that a fixed flow feeds are not
 * above. */
static void fix_fed(struct program *program, uint32_t flow, double level)
{
    const struct max_min_flow *flows = program->problem->flows;

    for (uint32_t next = flows[flow].feeds; next && program->stage[next - 1] != FLOW_FIXED;
         next = flows[next - 1].feeds)
        fix_flow(program, next - 1, level, NULL);
}

static void fix_doubtful(struct program *program, double level)
{
    const double *dual = Clp_getRowPrice(program->model);
    const struct max_min *problem = program->problem;

    for (uint32_t link = 0; link < problem->link_count; link++)
        program->price[link] = fabs(dual[link]) > PRICE ? 1 : 0;
    for (uint32_t flow = 0; flow < problem->flow_count; flow++) {
        uint32_t column = program->level_column + flow;
        bool has_own_limit = problem->flows[flow].limit <= ceiling_of(program, level);

        if (program->stage[flow] == FLOW_GROWS)
            program->column_upper[column] = problem->flows[flow].limit;
        if (program->stage[flow] != FLOW_IN_DOUBT)
            continue;
        fix_flow(program, flow, level, has_own_limit ? NULL : program->price);
    }
    for (uint32_t flow = 0; flow < problem->flow_count; flow++)
        if (program->stage[flow] == FLOW_FIXED)
            fix_fed(program, flow, level);
}

static bool is_done(const struct program *program)
{
    for (uint32_t flow = 0; flow < program->problem->flow_count; flow++)
        if (program->stage[flow] != FLOW_FIXED)
            return false;
    return true;
}

static int solve_rounds(struct program *program)
{
    uint32_t rounds_left = 2 * program->problem->flow_count + 1; /* prevents an endless loop */
    int err = 0;

    while (!err && !is_done(program)) {
        double level = 0;

        if (rounds_left-- == 0)
            return -EIO;
        err = raise_common(program, &level);
        if (err)
            break;
        doubt_all(program, level);
        do
            err = optimise_program(program);
        while (!err && clear_doubts(program, level));
        if (!err)
            fix_doubtful(program, level);
    }
    return err;
}

static int solve_model(struct program *program)
{
    int err = -ENOMEM;

    program->model = Clp_newModel();
    if (!program->model)
        return err;
    Clp_setLogLevel(program->model, 0);
    Clp_scaling(program->model, 0);
    Clp_setPerturbation(program->model, 100); /* off */
    Clp_setPrimalTolerance(program->model, TOLERANCE);
    Clp_setOptimizationDirection(program->model, -1);
    Clp_loadProblem(program->model, (int)program->column_count, (int)program->row_count,
        program->starts, program->rows, program->values, program->column_lower,
        program->column_upper, program->objective, program->row_lower, program->row_upper);
    err = solve_rounds(program);
    Clp_deleteModel(program->model);
    return err;
}

int max_min_solve_lp(const struct max_min *problem)
{
    struct program program = { .problem = problem };
    struct arena arena;
    void *memory;
    int err;

    count_up(&program);
    arena_init(&arena, NULL, 0);
    take_memory(&program, &arena);
    memory = malloc(arena.used_bytes + 1);
    if (!memory)
        return -ENOMEM;
    arena_init(&arena, memory, arena.used_bytes);
    take_memory(&program, &arena);
    build_matrix(&program);
    bound_all(&program);
    err = solve_model(&program);
    free(memory);
    return err;
}
