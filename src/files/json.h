/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that is the same on every machine: numbers with a point are made from integers by one
 * exactly rounded division, and printed with 15 digits. */
#pragma once

#include <stdint.h>

#include <jansson.h>

#include "files/yaml.h"

/* The format of results. */
#define JSON_FORM (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* Returns millionths / 1,000,000, as an integer if it is whole. */
json_t *json_millionths(uint64_t millionths);
/* Returns numerator / denominator, rounded down to millionths; null if the denominator is 0. */
json_t *json_ratio(uint64_t numerator, uint64_t denominator);

/* Returns any text, such as the name of a file. Bytes that are not UTF-8 become '?'. */
json_t *json_text(const char *);

/* Converts a YAML tree. Numbers without a unit and truth values keep their type; the rest becomes
 * text. */
json_t *json_of_yaml(const struct yaml_node *);

#define JSON_HASH_BYTES 17
/* Computes FNV-1a, 64 bits, of the text with sorted keys, as 16 hex digits. */
void json_hash(const json_t *, char out[static JSON_HASH_BYTES]);
