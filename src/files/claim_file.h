/* SPDX-License-Identifier: Apache-2.0 */
/* A claim about MRC or about what it is compared with, and the cases that decide whether it holds:
 *
 *     claim: 15
 *     says: with ECMP about 60 % of the fabric is used, with MRC about 95 %
 *     experiment: runs/collisions.yaml
 *     cases:
 *       - { what: ECMP uses 55 to 70 %, expect: runs.one.goodput_fraction <= 0.7 }
 *       - { what: no path is used twice, test: unit-path_test, sentence: no path is used twice }
 *
 * A case is a comparison (criterion.h) of what an experiment measures, or a test of the tree. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct yaml;

struct claim_case {
    const char *what;       /* in words */
    const char *expect;     /* a comparison; NULL: a test decides */
    const char *experiment; /* the path of its file; NULL: a test decides */
    const char *test;       /* the name of a test program, and the sentence that it proves */
    const char *script;     /* the path of a test script, instead of a program; NULL: none */
    const char *sentence;
    bool contradicts; /* the case holds if the test does not pass */
};

struct claim {
    const char *file;
    const char *id;      /* its number, or another short name */
    const char *says;    /* in our words */
    const char *scale;   /* NULL: not given */
    const char *comment; /* NULL: none */
    const char *reason;  /* why the claim cannot be tested; NULL: it has cases */
    struct claim_case *cases;
    uint32_t case_count;
};

/* Reads a file. Returns false with yaml->problem. The claim belongs to `yaml`. */
bool claim_file_read(struct yaml *, const char *path, struct claim *);
