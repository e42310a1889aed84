/* SPDX-License-Identifier: Apache-2.0 */
/* An array that grows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct growing {
    void *elements; /* moves when it grows */
    uint32_t count;
    uint32_t room;
};

/* Returns a new zeroed element at the end. Ends the program if there is no memory. */
void *growing_push(struct growing *, size_t element_bytes);
void growing_fini(struct growing *);
