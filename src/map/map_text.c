/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as text. */
#include "map/map_text.h"

#include "base/text.h"

static uint32_t plane_of(const struct topology *topology, const struct map_verdict *verdict)
{
    struct topology_element at = verdict->element;

    if (topology_is_link(at.kind))
        at = topology_switch_at(topology, verdict->upper.node);
    return topology_place_of(&at).plane;
}

/* Adds the name of a NIC, or of a switch without its plane. */
static void add_name(struct text *text, const struct topology_element *element)
{
    char name[TOPOLOGY_NAME_BYTES];
    const char *rest = name;

    topology_name(element, name);
    if (topology_is_switch(element->kind))
        while (*rest && *rest++ != '.')
            ;
    text_add(text, rest);
}

static void add_end(struct text *text, const struct topology *topology, struct topology_end end)
{
    struct topology_element element =
        end.is_nic ? (struct topology_element){ .kind = TOPOLOGY_NIC, .nic = end.node }
                   : topology_switch_at(topology, end.node);

    add_name(text, &element);
}

static void add_port(struct text *text, struct topology_end end)
{
    text_add(text, " port ");
    text_number(text, end.port);
}

/* A link with a direction is written from its sending end. */
static void add_link(
    struct text *text, const struct topology *topology, const struct map_verdict *verdict)
{
    static const char *const directions[MAP_DIRECTION_COUNT] = {
        [MAP_DIRECTION_UNKNOWN] = ", direction not known",
        [MAP_DIRECTION_UP] = ", one direction",
        [MAP_DIRECTION_DOWN] = ", one direction",
        [MAP_DIRECTION_BOTH] = ", both directions",
    };
    bool is_one_way =
        verdict->direction == MAP_DIRECTION_UP || verdict->direction == MAP_DIRECTION_DOWN;
    bool goes_down = verdict->direction == MAP_DIRECTION_DOWN;
    struct topology_end from = goes_down ? verdict->upper : verdict->lower;

    add_end(text, topology, from);
    add_port(text, from);
    text_add(text, is_one_way ? " -> " : " - ");
    add_end(text, topology, goes_down ? verdict->lower : verdict->upper);
    text_add(text, directions[verdict->direction]);
}

/* Adds e.g. "2.1 %". */
static void add_percent(struct text *text, uint32_t ppm)
{
    enum { PPM_OF_TENTH = 1000 };
    uint32_t tenths = (ppm + PPM_OF_TENTH / 2) / PPM_OF_TENTH;

    text_number(text, tenths / 10);
    if (tenths < 1000) {
        text_char(text, '.');
        text_number(text, tenths % 10);
    }
    text_add(text, " %");
}

static void add_evs(struct text *text, uint32_t bad, uint32_t count)
{
    text_add(text, ", ");
    text_number(text, bad);
    if (count > 0) {
        text_add(text, " of ");
        text_number(text, count);
    }
    text_add(text, " EVs denied");
}

void map_text(const struct topology *topology, const struct map_verdict *verdict, const char *since,
    uint32_t ev_count, char out[static MAP_TEXT_BYTES])
{
    struct text text = text_in(out, MAP_TEXT_BYTES);

    if (verdict->element.kind != TOPOLOGY_NIC) {
        text_add(&text, "plane ");
        text_number(&text, plane_of(topology, verdict));
        text_add(&text, ", ");
    }
    if (topology_is_link(verdict->element.kind))
        add_link(&text, topology, verdict);
    else
        add_name(&text, &verdict->element);
    text_add(&text, ", ");
    add_percent(&text, verdict->loss_ppm);
    text_add(&text, " loss since ");
    text_add(&text, since);
    if (verdict->evs_bad > 0)
        add_evs(&text, verdict->evs_bad, ev_count);
}
