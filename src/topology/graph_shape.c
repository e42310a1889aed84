/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of shapes.def. */
#include "topology/graph_shape.h"

#include <stddef.h>

const struct graph_shape *const graph_shapes[GRAPH_SHAPE_COUNT] = {
#define GRAPH_SHAPE(name, meaning) &graph_shape_##name,
#include "topology/shapes.def"
};

const char *const graph_shape_words[GRAPH_SHAPE_COUNT + 2] = {
#define GRAPH_SHAPE(name, meaning) #name,
#include "topology/shapes.def"
    "links",
    NULL,
};
