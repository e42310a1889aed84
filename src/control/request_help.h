/* SPDX-License-Identifier: Apache-2.0 */
/* Texts made from a table of requests, for request_form.c. */
#pragma once

#include <stddef.h>

struct request_form;

/* Writes "qp [from=NUMBER]", truncated to fit. */
void request_help_usage(const struct request_form *, char *out, size_t room_bytes);
/* Writes "dev, port, ... and help", truncated to fit. */
void request_help_names(const struct request_form *forms, char *out, size_t room_bytes);
