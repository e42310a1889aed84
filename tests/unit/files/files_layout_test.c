/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts for pages: every cable is listed once, with its lower end first. */
#include "files/files.h"

#include <string.h>

#include "made_topology.h"
#include "spec.h"

static struct topology made(uint32_t planes, uint32_t leaves, uint32_t spines, uint32_t hosts)
{
    struct topology_config config = made_topology_usual();

    config.plane_count = planes;
    config.t0_count = leaves;
    config.t1_count = spines;
    config.hosts_per_t0 = hosts;
    return made_topology_of(&config);
}

static json_int_t number_at(const json_t *link, size_t place)
{
    return json_integer_value(json_array_get(link, place));
}

SPEC("a layout has every switch and every cable by name")
{
    struct topology topology = made(2, 3, 2, 2);
    json_t *layout = fabric_layout(&topology, UINT32_MAX);
    const json_t *links = json_object_get(layout, "links");
    const json_t *uplink = json_array_get(links, 6 * 2);

    EXPECT_EQ(json_array_size(json_object_get(layout, "switches")), 2 * (3 + 2));
    EXPECT_EQ(json_array_size(links), 6 * 2 + 2 * 3 * 2);
    EXPECT_STR_EQ(json_string_value(json_array_get(json_array_get(links, 3), 0)), "h1.p1");
    EXPECT_STR_EQ(json_string_value(json_array_get(uplink, 0)), "p0.t0.0-t1.0");
    EXPECT_EQ(number_at(uplink, 1), 6);
    EXPECT_EQ(number_at(uplink, 2), 6 + 3);
    EXPECT_EQ(number_at(uplink, 3), 0);
    json_decref(layout);
}

SPEC("each name of a link occurs once, and NICs come first")
{
    struct topology topology = made(2, 3, 2, 2);
    json_t *layout = fabric_layout(&topology, UINT32_MAX);
    json_t *seen = json_object();
    const json_t *link;
    size_t i;

    json_array_foreach(json_object_get(layout, "links"), i, link)
    {
        const char *name = json_string_value(json_array_get(link, 0));

        EXPECT(json_object_get(seen, name) == NULL);
        json_object_set_new(seen, name, json_true());
        EXPECT_LT(number_at(link, 1), number_at(link, 2));
        EXPECT_EQ(i < 12, number_at(link, 1) < 6);
    }
    json_decref(seen);
    json_decref(layout);
}

SPEC("a fabric with too many links has its counts instead")
{
    struct topology topology = made(2, 3, 2, 2);
    json_t *layout = fabric_layout(&topology, 11);
    const json_t *shape = json_object_get(layout, "shape");

    EXPECT(json_object_get(layout, "links") == NULL);
    EXPECT_EQ(json_integer_value(json_object_get(shape, "t0")), 3);
    EXPECT_EQ(json_integer_value(json_object_get(shape, "nics")), 6);
    EXPECT_EQ(json_integer_value(json_object_get(layout, "nics")), 6);
    json_decref(layout);
}
