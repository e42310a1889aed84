/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which processes are served. */
#include "pktio/control_turns.h"

bool control_turns_is_idle(const struct control_client *client)
{
    return client->answer && client->level > 0 && client->sent_bytes == client->answer_bytes;
}

bool control_turns_is_awaited(const struct control_client *client)
{
    return client->sock >= 0 && client->asked == 0 && !control_turns_is_idle(client);
}

static bool has_asked(const struct control_client *client)
{
    return client->sock >= 0 && client->asked > 0;
}

/* Followers have separate places. */
static bool has_place(const struct control_client *client)
{
    return client->sock >= 0 && !control_turns_is_idle(client);
}

/* A client, and the number of clients of this kind that its process has. */
struct standing {
    struct control_client *client; /* NULL: none */
    uint32_t count;
};

static uint32_t count_of_process(const struct control_server *server, pid_t process,
    bool (*is_counted)(const struct control_client *))
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        count += server->clients[i].process == process && is_counted(&server->clients[i]);
    return count;
}

/* Returns the first client of this kind, in this order. */
static struct standing first_of(struct control_server *server,
    bool (*is_counted)(const struct control_client *),
    bool (*is_before)(const struct standing *, const struct standing *))
{
    struct standing first = { NULL, 0 };

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &server->clients[i];
        struct standing next = { client, count_of_process(server, client->process, is_counted) };

        if (is_counted(client) && (!first.client || is_before(&next, &first)))
            first = next;
    }
    return first;
}

static bool is_answered_before(const struct standing *left, const struct standing *right)
{
    return left->count != right->count ? left->count < right->count
                                       : left->client->asked < right->client->asked;
}

static bool gives_way_before(const struct standing *left, const struct standing *right)
{
    return left->count != right->count ? left->count > right->count
                                       : left->client->came < right->client->came;
}

struct control_client *control_turns_next(struct control_server *server)
{
    return first_of(server, has_asked, is_answered_before).client;
}

struct control_client *control_turns_crowding(struct control_server *server)
{
    struct standing first = first_of(server, has_place, gives_way_before);

    return first.count > 1 ? first.client : NULL;
}
