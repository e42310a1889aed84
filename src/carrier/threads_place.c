/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the NUMA nodes of the machine and pins threads. */
#include "carrier/threads_place.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carrier/carrier.h"

#define NODES_FOLDER "/sys/devices/system/node"

/* Returns the NUMA node of a processor: nodeN/cpuP exists. 0 if the system does not say. */
static uint32_t node_of(const char *nodes, uint32_t processor)
{
    DIR *folder = opendir(nodes);
    uint32_t node = 0;
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        char path[512];
        DIR *found;

        if (strncmp(entry->d_name, "node", 4) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s/cpu%u", nodes, entry->d_name, processor);
        found = opendir(path);
        if (!found)
            continue;
        closedir(found);
        node = (uint32_t)strtoul(entry->d_name + 4, NULL, 10);
        break;
    }
    if (folder)
        closedir(folder);
    return node;
}

void threads_place_init(struct threads_place *place, const char *nodes)
{
    uint32_t node_of_place[THREADS_PLACE_MAX];

    place->count = 0;
    CPU_ZERO(&place->allowed);
    sched_getaffinity(0, sizeof(place->allowed), &place->allowed);
    for (uint32_t i = 0; i < CPU_SETSIZE; i++) {
        uint32_t at = place->count;
        uint32_t node;

        if (!CPU_ISSET(i, &place->allowed))
            continue;
        node = node_of(nodes ? nodes : NODES_FOLDER, i);
        for (; at > 0 && node_of_place[at - 1] > node; at--) {
            place->processors[at] = place->processors[at - 1];
            node_of_place[at] = node_of_place[at - 1];
        }
        place->processors[at] = i;
        node_of_place[at] = node;
        place->count++;
    }
}

void threads_place_pin(const struct threads_place *place, uint32_t index, uint32_t count)
{
    cpu_set_t one;

    if (count != place->count)
        return;
    CPU_ZERO(&one);
    CPU_SET(place->processors[index], &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one); /* if it fails, it runs anywhere */
}

uint32_t carrier_processors(void)
{
    cpu_set_t allowed;
    int count;

    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof(allowed), &allowed);
    count = CPU_COUNT(&allowed);
    return count > 0 ? (uint32_t)count : 1;
}
