/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that comes out the same everywhere: numbers with a point are made from integers by one
 * exactly rounded division, and printed with 15 digits. */
#pragma once

#include <stdint.h>

#include <jansson.h>

#include "files/yaml.h"

/* How results are written. */
#define JSON_FORM (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* millionths / 1,000,000; an integer where it is whole. */
json_t *json_millionths(uint64_t millionths);
/* numerator / denominator, rounded down to millionths; null where the denominator is 0. */
json_t *json_ratio(uint64_t numerator, uint64_t denominator);

/* Text that may hold anything, such as the name of a file: what is not UTF-8 becomes '?'. */
json_t *json_text(const char *);

/* As it was written: numbers without a unit and truths as such, all else as text. */
json_t *json_of_yaml(const struct yaml_node *);

#define JSON_HASH_BYTES 17
/* FNV-1a, 64 bits, of the text with its keys sorted, as 16 hex digits. */
void json_hash(const json_t *, char out[static JSON_HASH_BYTES]);
