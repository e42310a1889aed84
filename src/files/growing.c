/* SPDX-License-Identifier: Apache-2.0 */
/* An array that doubles its room when it is full. */
#include "files/growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64

void *growing_push(struct growing *list, size_t element_bytes)
{
    void *element;

    if (list->count == list->room) {
        size_t room = list->room ? 2 * (size_t)list->room : ROOM_LEAST;
        void *elements = room <= UINT32_MAX ? realloc(list->elements, room * element_bytes) : NULL;

        if (!elements) {
            fputs("mrc: out of memory\n", stderr);
            exit(1);
        }
        list->elements = elements;
        list->room = (uint32_t)room;
    }
    element = (char *)list->elements + list->count++ * element_bytes;
    return memset(element, 0, element_bytes);
}

void growing_fini(struct growing *list)
{
    free(list->elements);
    *list = (struct growing){ 0 };
}
