/* SPDX-License-Identifier: Apache-2.0 */
/* The target of a request: the path and the query of "/v1/nics/h0?from=12". A path that is not in
 * its normal form is refused, never repaired, so that two spellings never name one resource. */
#pragma once

#include <stdbool.h>

#define HTTP_TARGET_BYTES   512 /* with its terminating zero */
#define HTTP_PARTS_MAX      8
#define HTTP_PARAMETERS_MAX 8

struct http_parameter {
    const char *name;
    const char *value;
};

/* Its pointers point into it: it must not be copied. */
struct http_target {
    char path[HTTP_TARGET_BYTES];       /* decoded: begins with '/', no empty, "." or ".." part */
    char parts_text[HTTP_TARGET_BYTES]; /* in which the parts are */
    const char *parts[HTTP_PARTS_MAX];  /* of the path */
    unsigned part_count;                /* 0: the path is "/" */
    char parameters_text[HTTP_TARGET_BYTES];
    struct http_parameter parameters[HTTP_PARAMETERS_MAX]; /* of the query */
    unsigned parameter_count;
};

/* Returns false if the text is no target that the server accepts: too long, not in normal form,
 * with bytes other than printable ASCII after decoding, or with too many parts. */
bool http_target_read(const char *text, struct http_target *);

/* Whether the path matches a pattern such as "/v1/nics/ *" (without the blank), in which "*" stands
 * for any one part. */
bool http_target_matches(const struct http_target *, const char *pattern);

/* Returns NULL if the query has no such parameter. */
const char *http_target_parameter(const struct http_target *, const char *name);
