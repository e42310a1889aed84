/* SPDX-License-Identifier: Apache-2.0 */
/* Opens ports by their address. */
#include "pktio/pktio_open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pktio/pktio_port.h"
#include "pktio/raw_port.h"
#include "pktio/shm_port.h"
#include "pktio/udp_port.h"
#include "pktio/xdp_port.h"

struct options {
    char target[PATH_MAX]; /* the part between ':' and '?' */
    struct pktio_self self;
    uint32_t mtu_bytes;
    uint32_t slot_count;
    uint64_t rate_bps;
    char peer[32];
    uint32_t queue;
};

static int parse_number(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno || end == text || *end || *text == '-' || *out > max ? -EINVAL : 0;
}

static int parse_option(struct options *options, const char *name, const char *value)
{
    uint64_t number = 0;

    if (strcmp(name, "peer") == 0) {
        snprintf(options->peer, sizeof(options->peer), "%s", value);
        return 0;
    }
    if (parse_number(value, strcmp(name, "rate") == 0 ? UINT64_MAX : UINT16_MAX, &number) < 0)
        return -EINVAL;
    if (strcmp(name, "mtu") == 0)
        options->mtu_bytes = (uint32_t)number;
    else if (strcmp(name, "slots") == 0)
        options->slot_count = (uint32_t)number;
    else if (strcmp(name, "rate") == 0)
        options->rate_bps = number;
    else if (strcmp(name, "queue") == 0)
        options->queue = (uint32_t)number;
    else
        return -EINVAL;
    return 0;
}

static int parse_options(struct options *options, char *text)
{
    char *rest = NULL;

    for (char *word = strtok_r(text, "&", &rest); word; word = strtok_r(NULL, "&", &rest)) {
        char *value = strchr(word, '=');
        int err;

        if (!value)
            return -EINVAL;
        *value++ = '\0';
        err = parse_option(options, word, value);
        if (err)
            return err;
    }
    return 0;
}

/* Each of four rings is shorter than a single one: together they should fit into the caches. */
static uint32_t slots_by_engines(const struct options *options)
{
    return options->self.engine_count > 2 ? 128 : 0;
}

static struct shm_port_config shm_config(const struct options *options)
{
    return (struct shm_port_config){ .path = options->target,
        .name = options->self.device,
        .port = options->self.index,
        .mtu_bytes = options->mtu_bytes,
        .slot_count = options->slot_count ? options->slot_count : slots_by_engines(options),
        .rate_bps = options->rate_bps,
        .engine = options->self.engine,
        .engine_count = options->self.engine_count };
}

static int open_shm(const struct options *options, struct pktio_port **out)
{
    struct shm_port_config config = shm_config(options);

    return shm_port_connect(&config, out);
}

static int open_shm_listen(const struct options *options, struct pktio_port **out)
{
    struct shm_port_config config = shm_config(options);

    return shm_port_serve(&config, out);
}

/* The target is LOCAL,REMOTE. */
static int open_udp(const struct options *options, struct pktio_port **out)
{
    char local[sizeof(options->target)];
    char *comma;

    memcpy(local, options->target, sizeof(local));
    comma = strchr(local, ',');
    if (!comma)
        return -EINVAL;
    *comma = '\0';
    return udp_port_open(&(struct udp_port_config){ .local = local,
                             .remote = comma + 1,
                             .mtu_bytes = options->mtu_bytes,
                             .rate_bps = options->rate_bps },
        out);
}

static int open_raw(const struct options *options, struct pktio_port **out)
{
    return raw_port_open(&(struct raw_port_config){ .interface = options->target,
                             .peer = options->peer,
                             .mtu_bytes = options->mtu_bytes,
                             .rate_bps = options->rate_bps },
        out);
}

static int open_xdp(const struct options *options, struct pktio_port **out)
{
    return xdp_port_open(&(struct xdp_port_config){ .interface = options->target,
                             .peer = options->peer,
                             .queue = options->queue,
                             .mtu_bytes = options->mtu_bytes,
                             .rate_bps = options->rate_bps },
        out);
}

static const struct {
    const char *name;
    int (*open)(const struct options *, struct pktio_port **);
} kinds[] = {
    { "shm", open_shm },
    { "shm-listen", open_shm_listen },
    { "udp", open_udp },
    { "raw", open_raw },
    { "xdp", open_xdp },
};

bool pktio_open_tells_engines(const char *address)
{
    return strncmp(address, "shm:", 4) == 0;
}

int pktio_open(const char *address, const struct pktio_self *self, struct pktio_port **out)
{
    struct options options = { .self = *self };
    const char *colon = strchr(address, ':');
    size_t length = colon ? strlen(colon + 1) : 0;
    char *question;
    int err;

    if (!colon || length >= sizeof(options.target))
        return -EINVAL;
    memcpy(options.target, colon + 1, length + 1);
    question = strchr(options.target, '?');
    if (question) {
        *question = '\0';
        err = parse_options(&options, question + 1);
        if (err)
            return err;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strlen(kinds[i].name) == (size_t)(colon - address) &&
            strncmp(kinds[i].name, address, strlen(kinds[i].name)) == 0)
            return kinds[i].open(&options, out);
    return -EINVAL;
}
