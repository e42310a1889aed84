/* SPDX-License-Identifier: Apache-2.0 */
/* Generators of graphs. A generator is one file with its parameters and its functions, and a line
 * in shapes.def. */
#pragma once

#include "topology/graph.h"

#define GRAPH_NUMBERS_MAX 16

/* A parameter of a shape: a count of at least 1. */
struct graph_number {
    const char *key; /* in fabric.yaml; NULL at the end of a list */
    uint32_t usual;  /* the default; 0: the generator decides, or refuses it */
};

struct graph_parameters {
    const struct graph_shape *shape;
    uint32_t numbers[GRAPH_NUMBERS_MAX]; /* in the order of shape->numbers */
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
};

struct graph_shape {
    const struct graph_number *numbers;
    uint32_t detour; /* the default of fabric.yaml: 1 where the shortest paths are too few */
    /* Returns false if the parameters contradict each other; `problem` gives the reason. */
    bool (*size)(const struct graph_parameters *, struct graph_size *, struct graph_problem *);
    /* Adds switches and links to an initialised graph; the caller calls graph_finish(). */
    void (*build)(struct graph *, const struct graph_parameters *);
};

#define GRAPH_SHAPE(name, meaning) extern const struct graph_shape graph_shape_##name;
#include "topology/shapes.def"

enum {
#define GRAPH_SHAPE(name, meaning) GRAPH_SHAPE_NUMBER_##name,
#include "topology/shapes.def"
    GRAPH_SHAPE_COUNT,
};

extern const struct graph_shape *const graph_shapes[GRAPH_SHAPE_COUNT];
/* The words of fabric.yaml: the shapes, "links" (link by link, without a generator), NULL. */
extern const char *const graph_shape_words[GRAPH_SHAPE_COUNT + 2];

/* For generators: adds a link of this kind between the next free ports of two nodes. */
static inline void graph_shape_connect(
    struct graph *graph, uint32_t from, uint32_t to, const struct topology_link_kind *kind)
{
    graph_connect(graph, from, to,
        &(struct graph_link){ .rate_bps = kind->rate_bps, .delay_ps = kind->delay_ps });
}
