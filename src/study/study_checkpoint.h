/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a run. The simulation and its measurements are in one image (study_image.h), which
 * is written as it is. To continue, the inputs are read again, the run is set up in the same place,
 * and the image is restored over it: pointers to the outside keep the values of the set-up.
 *
 * Therefore, a run must not store pointers to the outside in its image after the set-up. A test
 * restores random runs with wrong values in all words that look like such pointers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"
#include "study/checkpoint_file.h"
#include "study/study_image.h"

struct study_run;
struct study_manner;

/* What a run is to write and to continue. */
struct study_checkpoint {
    const char *path;             /* is written again and again */
    double every_s;               /* wall time between two checkpoints; 0: only when interrupted */
    const char *words;            /* for the reader of the file */
    struct checkpoint_file *from; /* continue this one; NULL: begin */
    struct checkpoint_found *found; /* result of restoring; NULL: not wanted */
};

/* Returns whether this run would continue the one that wrote the file; otherwise the reason. */
bool study_checkpoint_fits(const struct checkpoint_file *, const struct study_run *,
    const struct study_manner *, char reason[static CHECKPOINT_REASON_BYTES]);

/* Maps the image of a run. Returns 0 or a negative errno: -EEXIST if the addresses are in use. */
int study_checkpoint_map(
    struct study_image *, const struct study_checkpoint *, uint64_t arena_bytes);

/* ---- a run that writes checkpoints ----------------------------------------------------------- */

struct study_checkpoints {
    const struct study_run *plan;
    const struct study_manner *manner;
    const struct study_image *image;
    const struct checkpoint_pointers *pointers;
    struct checkpoint_head head; /* of the next one */
    double written_s;            /* when the last one was written, or the run began */
    uint64_t written_ps;         /* virtual time of the last one */
    bool is_any_written;
};

void study_checkpoints_init(struct study_checkpoints *, const struct study_run *,
    const struct study_manner *, const struct study_image *, const struct checkpoint_pointers *);
bool study_checkpoints_are_due(const struct study_checkpoints *);

/* Writes one. Returns false after an error message that ends in `consequence`. */
bool study_checkpoints_write(
    struct study_checkpoints *, const struct sim *, const char *consequence);
