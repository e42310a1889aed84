/* SPDX-License-Identifier: Apache-2.0 */
/* Small random networks, solved a second time in the plainest way: a dense tableau, and one program
 * for each flow that may be unable to grow. */
#include "spec.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "capacity/capacity.h"

enum {
    LINKS_MAX = 5,
    FLOWS_MAX = 5,
    PATHS_MAX = 3 * FLOWS_MAX,
    HOPS_MAX = 3 * PATHS_MAX,
    ROWS_MAX = LINKS_MAX + 2 * FLOWS_MAX,
    VARIABLES_MAX = PATHS_MAX + 1,
    COLUMNS_MAX = VARIABLES_MAX + 2 * ROWS_MAX + 1, /* slacks, artificial ones, right side */
};

/* ---- a tableau ------------------------------------------------------------------------------- */

struct tableau {
    double at[ROWS_MAX + 1][COLUMNS_MAX]; /* the objective is the last row */
    uint32_t basis[ROWS_MAX];
    uint32_t row_count;
    uint32_t column_count; /* without the right side */
};

#define MUCH 1e6 /* the price of an artificial variable */

/* sum of coefficients <= bound, bound of any sign. */
static void add_row(
    struct tableau *tableau, const double *coefficients, uint32_t count, double bound)
{
    uint32_t row = tableau->row_count++;
    double sign = bound < 0 ? -1 : 1;

    for (uint32_t i = 0; i < count; i++)
        tableau->at[row][i] = sign * coefficients[i];
    tableau->at[row][VARIABLES_MAX + row] = sign; /* slack */
    tableau->at[row][VARIABLES_MAX + ROWS_MAX + row] = bound < 0 ? 1 : 0;
    tableau->at[row][COLUMNS_MAX - 1] = sign * bound;
    tableau->basis[row] = VARIABLES_MAX + row + (bound < 0 ? (uint32_t)ROWS_MAX : 0);
}

static void subtract_row(struct tableau *tableau, uint32_t from, uint32_t row, double times)
{
    for (uint32_t i = 0; i < COLUMNS_MAX; i++)
        tableau->at[from][i] -= times * tableau->at[row][i];
}

static void pivot(struct tableau *tableau, uint32_t row, uint32_t column)
{
    double divisor = tableau->at[row][column];

    for (uint32_t i = 0; i < COLUMNS_MAX; i++)
        tableau->at[row][i] /= divisor;
    for (uint32_t i = 0; i <= ROWS_MAX; i++)
        if (i != row && tableau->at[i][column] != 0)
            subtract_row(tableau, i, row, tableau->at[i][column]);
    tableau->basis[row] = column;
}

/* Bland's rule: the first column that helps, so that it ends. */
static bool step(struct tableau *tableau)
{
    for (uint32_t column = 0; column < COLUMNS_MAX - 1; column++) {
        uint32_t best = ROWS_MAX;
        double least = INFINITY;

        if (tableau->at[ROWS_MAX][column] >= -1e-9)
            continue;
        for (uint32_t row = 0; row < tableau->row_count; row++) {
            double ratio = tableau->at[row][COLUMNS_MAX - 1] / tableau->at[row][column];

            if (tableau->at[row][column] <= 1e-9)
                continue;
            if (ratio < least - 1e-12 || (ratio <= least + 1e-12 && best < ROWS_MAX &&
                                             tableau->basis[row] < tableau->basis[best])) {
                least = ratio;
                best = row;
            }
        }
        EXPECT_LT(best, ROWS_MAX);
        pivot(tableau, best, column);
        return true;
    }
    return false;
}

/* The largest value of the last variable. */
static double maximise(struct tableau *tableau, uint32_t variable)
{
    tableau->at[ROWS_MAX][variable] = -1;
    for (uint32_t row = 0; row < tableau->row_count; row++)
        if (tableau->basis[row] >= VARIABLES_MAX + ROWS_MAX) {
            tableau->at[ROWS_MAX][tableau->basis[row]] = MUCH;
            subtract_row(tableau, ROWS_MAX, row, MUCH);
        }
    while (step(tableau))
        ;
    for (uint32_t row = 0; row < tableau->row_count; row++)
        if (tableau->basis[row] == variable)
            return tableau->at[row][COLUMNS_MAX - 1];
    return 0;
}

/* ---- the reference --------------------------------------------------------------------------- */

struct network {
    double links[LINKS_MAX];
    struct capacity_flow flows[FLOWS_MAX];
    struct capacity_path paths[PATHS_MAX];
    uint32_t hops[HOPS_MAX];
    struct capacity_input input;
};

/* How far `growing` (bits) can rise together while every flow has at least its floor. */
static double rise(const struct network *network, uint32_t growing, const double *floors)
{
    const struct capacity_input *input = &network->input;
    static struct tableau tableau;
    double row[VARIABLES_MAX];

    memset(&tableau, 0, sizeof(tableau));
    for (uint32_t link = 0; link < input->link_count; link++) {
        memset(row, 0, sizeof(row));
        for (uint32_t path = 0; path < input->path_count; path++)
            for (uint32_t i = 0; i < network->paths[path].hop_count; i++)
                row[path] += network->hops[network->paths[path].first_hop + i] == link;
        add_row(&tableau, row, VARIABLES_MAX, network->links[link]);
    }
    for (uint32_t flow = 0; flow < input->flow_count; flow++) {
        const struct capacity_flow *its = &network->flows[flow];

        memset(row, 0, sizeof(row));
        for (uint32_t i = 0; i < its->path_count; i++)
            row[its->first_path + i] = -network->paths[its->first_path + i].payload_share;
        add_row(&tableau, row, VARIABLES_MAX, -floors[flow] * its->weight);
        row[VARIABLES_MAX - 1] = its->weight;
        if (growing >> flow & 1)
            add_row(&tableau, row, VARIABLES_MAX, 0);
    }
    return maximise(&tableau, VARIABLES_MAX - 1);
}

static void solve_plainly(const struct network *network, double *levels)
{
    uint32_t flow_count = network->input.flow_count;
    uint32_t growing = (UINT32_C(1) << flow_count) - 1;

    while (growing) {
        double level = rise(network, growing, levels);
        uint32_t fixed = 0;

        for (uint32_t flow = 0; flow < flow_count; flow++)
            if (growing >> flow & 1)
                levels[flow] = level - 1e-7;
        for (uint32_t flow = 0; flow < flow_count; flow++)
            if ((growing >> flow & 1) && rise(network, 1u << flow, levels) < level + 1e-4)
                fixed |= 1u << flow;
        EXPECT_NE(fixed, 0);
        growing &= ~fixed;
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_path(struct network *network, struct prng *prng)
{
    struct capacity_input *input = &network->input;
    static const double shares[] = { 1, 1, 0.5, 0.8 };
    uint32_t used = 0;
    uint32_t count = 1 + prng_below(prng, 3);

    network->paths[input->path_count].first_hop = input->hop_count;
    network->paths[input->path_count].payload_share = shares[prng_below(prng, 4)];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = prng_below(prng, input->link_count);

        if (used >> link & 1)
            continue;
        used |= 1u << link;
        network->hops[input->hop_count++] = link;
        network->paths[input->path_count].hop_count++;
    }
    input->path_count++;
}

/* Few different rates, so that much is equal and degenerate. */
static void draw_network(struct network *network, uint64_t seed)
{
    static const double weights[] = { 1, 1, 1, 2 };
    struct prng prng = prng_stream(seed, 0x6d6d);
    struct capacity_input *input = &network->input;

    *network = (struct network){ 0 };
    input->link_count = 1 + prng_below(&prng, LINKS_MAX);
    input->flow_count = 1 + prng_below(&prng, FLOWS_MAX);
    for (uint32_t i = 0; i < input->link_count; i++)
        network->links[i] = 10 * (1 + prng_below(&prng, 4));
    for (uint32_t flow = 0; flow < input->flow_count; flow++) {
        struct capacity_flow *its = &network->flows[flow];

        *its = (struct capacity_flow){ .first_path = input->path_count,
            .path_count = 1 + prng_below(&prng, 3),
            .weight = weights[prng_below(&prng, 4)] };
        for (uint32_t i = 0; i < its->path_count; i++)
            draw_path(network, &prng);
    }
    input->link_bps = network->links;
    input->flows = network->flows;
    input->paths = network->paths;
    input->hops = network->hops;
}

PROPERTY("rates are those of a plain simplex that asks about every flow by itself", 600)
{
    struct capacity_rates rates;
    struct network network;
    double levels[FLOWS_MAX] = { 0 };

    draw_network(&network, seed);
    solve_plainly(&network, levels);
    for (uint32_t i = 0; i < LINKS_MAX; i++)
        network.links[i] *= 1e9;
    EXPECT_EQ(capacity_solve(&network.input, &rates), 0);
    for (uint32_t flow = 0; flow < network.input.flow_count; flow++) {
        double expected = levels[flow] * network.flows[flow].weight;

        if (fabs(rates.flow_bps[flow] / 1e9 - expected) > 1e-3)
            printf("# flow %u: %.6f, expected %.6f\n", flow, rates.flow_bps[flow] / 1e9, expected);
        EXPECT(fabs(rates.flow_bps[flow] / 1e9 - expected) <= 1e-3);
    }
    capacity_rates_fini(&rates);
}

PROPERTY("what limits a flow cuts all its paths", 300)
{
    struct capacity_rates rates;
    struct network network;

    draw_network(&network, seed);
    for (uint32_t i = 0; i < LINKS_MAX; i++)
        network.links[i] *= 1e9;
    EXPECT_EQ(capacity_solve(&network.input, &rates), 0);
    for (uint32_t flow = 0; flow < network.input.flow_count; flow++)
        for (uint32_t p = 0; p < network.flows[flow].path_count; p++) {
            const struct capacity_path *path = &network.paths[network.flows[flow].first_path + p];
            uint32_t cuts = 0;

            for (uint32_t i = 0; i < path->hop_count; i++)
                for (uint32_t k = 0; k < rates.limit_count[flow]; k++)
                    cuts += rates.limits[rates.first_limit[flow] + k] ==
                            network.hops[path->first_hop + i];
            EXPECT_GT(cuts, 0);
        }
    capacity_rates_fini(&rates);
}
