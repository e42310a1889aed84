/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, requests and files of attackers. */
#include "grammar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conform/conform.h"
#include "host/host.h"
#include "random_packet.h"
#include "wire/frame.h"

/* ---- frames ---------------------------------------------------------------------------------- */

static uint32_t build_valid(
    struct prng *prng, const struct plan *fabric, uint32_t from, uint32_t to, uint8_t *bytes)
{
    struct plan_nic plan = { .block = fabric->topology.config.usid_block,
        .plane_count = fabric->topology.config.plane_count,
        .self = plan_nic_address(fabric, from) };
    struct ev_path path = { .plane = prng_below(prng, fabric->topology.config.plane_count),
        .uplink = prng_below(prng, fabric->topology.config.t1_count + 1) };
    uint8_t opcode = random_packet_opcodes[prng_below(prng, RANDOM_PACKET_OPCODE_COUNT)];
    struct frame frame =
        random_packet_frame(prng, &format_default, opcode, RANDOM_PACKET_SRV6, false);
    struct template_addresses addresses;
    struct host_route route;

    if (frame.packet.class >= DSCP_OTHER)
        frame.packet.class = DSCP_TRIMMABLE;
    frame.packet.src = plan.self;
    frame.packet.dst = plan_nic_address(fabric, to);
    if (host_route_by_plan(&plan, &frame.packet.dst, &route) != 0)
        return 0;
    template_expand(&route.template, path, &addresses);
    frame_address(&format_default, &frame, &addresses.destination, NULL);
    return random_packet_build(prng, &format_default, &frame, bytes, GRAMMAR_FRAME_BYTES);
}

uint32_t grammar_frame(struct prng *prng, const struct plan *fabric, uint32_t from, uint32_t to,
    uint8_t bytes[static GRAMMAR_FRAME_BYTES])
{
    uint32_t length = 0;

    if (prng_below(prng, 8) > 0)
        length = build_valid(prng, fabric, from, to, bytes);
    if (length < 60) {
        length = prng_below(prng, 5000);
        hostile_frame_noise(prng, bytes, length);
        return length;
    }
    return prng_below(prng, 3) == 0 ? hostile_frame_damage(prng, bytes, length, GRAMMAR_FRAME_BYTES)
                                    : length;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
    char *bytes;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length =
        vsnprintf(text->bytes + text->used, GRAMMAR_TEXT_BYTES - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length;
    if (text->used >= GRAMMAR_TEXT_BYTES)
        text->used = GRAMMAR_TEXT_BYTES - 1;
}

static const char *one_of(struct prng *prng, const char *const *words, uint32_t count)
{
    return words[prng_below(prng, count)];
}

#define ONE_OF(prng, words) one_of(prng, words, sizeof(words) / sizeof(words[0]))

static long long number(struct prng *prng)
{
    static const long long special[] = { 0, 1, -1, 999, 1000, 1000000, 4294967295, 4294967296,
        1LL << 50, INT64_MAX, INT64_MIN };

    if (prng_below(prng, 2))
        return special[prng_below(prng, sizeof(special) / sizeof(special[0]))];
    return (long long)(prng_next(prng) >> prng_below(prng, 64));
}

/* A few bytes of it become others. */
static void spoil(struct prng *prng, struct text *text)
{
    for (uint32_t i = prng_below(prng, 4); i > 0 && text->used > 0; i--)
        text->bytes[prng_below(prng, (uint32_t)text->used)] = (char)(1 + prng_below(prng, 255));
    if (prng_below(prng, 8) == 0)
        text->bytes[prng_below(prng, (uint32_t)text->used + 1)] = '\0';
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_place(
    struct prng *prng, const struct topology *topology, uint32_t first_nic, struct text *text)
{
    uint32_t nic = first_nic + prng_below(prng, topology->nic_count - first_nic);

    if (prng_below(prng, 2))
        add(text, " where=h%u what=nic", nic);
    else
        add(text, " where=h%u.p%u what=port", nic, prng_below(prng, topology->config.plane_count));
}

static void add_details(struct prng *prng, struct text *text)
{
    static const char *const kinds[] = { "down", "flap", "blackhole", "loss", "corrupt", "slow",
        "reboot", "" };
    static const char *const keys[] = { "probability", "rate_bps", "period_ps", "duty_permille",
        "for_ps", "at_ps", "id" };

    add(text, " kind=%s for_ps=%u000", ONE_OF(prng, kinds), prng_below(prng, 20000000));
    for (uint32_t i = prng_below(prng, 5); i > 0; i--)
        add(text, " %s=%lld", ONE_OF(prng, keys), number(prng));
}

/* Any place may be named in a question that is only checked. */
static void add_wild_place(struct prng *prng, struct text *text)
{
    static const char *const whats[] = { "link", "port", "switch", "plane", "nic", "ev", "x", "" };

    add(text, " check what=%s where=", ONE_OF(prng, whats));
    switch (prng_below(prng, 4)) {
    case 0:
        add(text, "p%lld.t0.%lld-t1.%lld", number(prng), number(prng), number(prng));
        break;
    case 1:
        add(text, "h%lld.p%lld", number(prng), number(prng));
        break;
    case 2:
        add(text, "p0.t%u.%u", prng_below(prng, 3), prng_below(prng, 5));
        break;
    default:
        for (uint32_t i = prng_below(prng, 300); i > 0; i--)
            add(text, "%c", 'a' + (int)prng_below(prng, 26));
        break;
    }
    if (prng_below(prng, 2))
        add(text, " ev=p%lld/u%lld", number(prng), number(prng));
}

void grammar_request(struct prng *prng, const struct topology *topology, uint32_t first_nic,
    char text[static GRAMMAR_TEXT_BYTES])
{
    struct text out = { .bytes = text };

    text[0] = '\0';
    switch (prng_below(prng, 9)) {
    case 0:
        add(&out, "show");
        return;
    case 1:
        add(&out, "clear");
        add_place(prng, topology, first_nic, &out);
        break;
    case 2:
        add(&out, "fault");
        add_place(prng, topology, first_nic, &out);
        add_details(prng, &out);
        break;
    case 3:
        for (uint32_t i = prng_below(prng, GRAMMAR_TEXT_BYTES / 2); i > 0; i--)
            add(&out, "%s", prng_below(prng, 2) ? "[" : "{\"a\":");
        return;
    case 5:
        add(&out, "clear");
        add_wild_place(prng, &out);
        return;
    case 4:
        hostile_frame_noise(prng, (uint8_t *)text, GRAMMAR_TEXT_BYTES - 1);
        text[GRAMMAR_TEXT_BYTES - 1] = '\0';
        return;
    default:
        add(&out, "fault");
        add_wild_place(prng, &out);
        add_details(prng, &out);
        return;
    }
}

/* ---- device files ---------------------------------------------------------------------------- */

static void add_port(struct prng *prng, struct text *text)
{
    static const char *const options[] = { "mtu=9000", "mtu=0", "slots=128", "slots=65535",
        "rate=1000000000", "rate=99999999999999999999", "peer=02:00:00:00:00:01", "peer=x",
        "queue=0", "colour=red", "=", "" };

    switch (prng_below(prng, 5)) {
    case 0:
        add(text, "    - udp:127.0.0.1:%u,127.0.0.1:%u", 20000 + prng_below(prng, 20000),
            prng_below(prng, 70000));
        break;
    case 1:
        add(text, "    - raw:no-such-one");
        break;
    case 2:
        add(text, "    - xdp:no-such-one");
        break;
    case 3:
        add(text, "    - udp:[::1]:%u,[::1]:%u", 20000 + prng_below(prng, 20000),
            20000 + prng_below(prng, 20000));
        break;
    default:
        add(text, "    - %c:%lld", 'a' + (int)prng_below(prng, 26), number(prng));
        break;
    }
    for (uint32_t i = prng_below(prng, 3), at = 0; at < i; at++)
        add(text, "%c%s", at ? '&' : '?', ONE_OF(prng, options));
    add(text, "\n");
}

void grammar_config(struct prng *prng, char text[static GRAMMAR_TEXT_BYTES])
{
    static const char *const keys[] = { "address", "fabric", "usid_block", "uplinks", "link_bps",
        "network_trims", "timeout", "base_rtt", "pmtu", "mpr", "capture", "ev_active", "nonsense" };
    static const char *const values[] = { "2001:db8:0:1::1", "srv6", "plain", "fc00:42", "on",
        "off", "4096", "0", "-1", "1ms", "18446744073709551616", "\"", "" };
    struct text out = { .bytes = text };

    text[0] = '\0';
    for (uint32_t device = prng_below(prng, 4); device < 4; device++) {
        add(&out, "mrc%u:\n  address: 2001:db8:0:%u::1\n", device, device);
        for (uint32_t i = prng_below(prng, 6); i > 0; i--)
            add(&out, "  %s: %s\n", ONE_OF(prng, keys), ONE_OF(prng, values));
        add(&out, "  ports:\n");
        for (uint32_t i = 1 + prng_below(prng, 5); i > 0; i--)
            add_port(prng, &out);
    }
    if (prng_below(prng, 2))
        spoil(prng, &out);
}
