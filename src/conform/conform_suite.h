/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a kit (mrc conform switch, endpoint, api). Each kit lists them in .def files:
 *
 *     CHECK(function, word, section, needs, sentence)   a check: what a device does
 *     FEATURE(ID, word, sentence)                       what a device may declare as missing
 *     POINT(ID, word, section, question)                what the specification leaves open
 *
 * `needs` is 0 or CONFORM_NEEDS(X_ID) of a feature, or several of them joined by |. A check is not
 * run if the device lacks a feature that the check needs. Sections are those of docs/protocol.md,
 * or begin with the name of another document: "wire §14", "fabric §10". */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

struct conform_report;

#define CONFORM_NEEDS(feature)     (UINT64_C(1) << (feature))
#define CONFORM_SUITE_CHECKS_MAX   256
#define CONFORM_SUITE_REASON_BYTES 256

struct conform_check {
    const char *word; /* names the check: "usid-shift" */
    const char *section;
    const char *sentence;
    uint64_t needs; /* features, by bit */
    /* Reports to `report`; a check that reports nothing passes. */
    void (*run)(void *kit, struct conform_report *report);
};

struct conform_feature {
    const char *word; /* "trimming" */
    const char *sentence;
};

struct conform_point {
    const char *word;
    const char *section;
    const char *question; /* "which QP spdcid names" */
};

struct conform_suite {
    const char *kit; /* "switch" */
    const struct conform_check *checks;
    uint32_t check_count; /* at most CONFORM_SUITE_CHECKS_MAX */
    const struct conform_feature *features;
    uint32_t feature_count; /* at most 64 */
    const struct conform_point *points;
    uint32_t point_count;
};

/* Reads the words of --without, separated by commas, and adds them to `absent`. Returns false and
 * the reason if the suite has no such feature. */
bool conform_suite_declare(const struct conform_suite *, const char *list, uint64_t *absent,
    char reason[static CONFORM_SUITE_REASON_BYTES]);

/* Reads the words of --only: a word chooses the checks that begin with it. Returns false and the
 * reason if there is none. */
bool conform_suite_choose(const struct conform_suite *, const char *list,
    bool chosen[static CONFORM_SUITE_CHECKS_MAX], char reason[static CONFORM_SUITE_REASON_BYTES]);

/* Prints the checks, features and open points. */
void conform_suite_list(const struct conform_suite *, FILE *, bool as_json);

/* Returns the words of these features. */
json_t *conform_suite_words(const struct conform_suite *, uint64_t features);
