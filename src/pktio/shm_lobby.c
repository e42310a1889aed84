/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that have connected and not yet sent their hello. */
#include "pktio/shm_lobby.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pktio/private_socket.h"
#include "pktio/shm_meet.h"

enum {
    HELLO_MS = 1000,  /* for a client to send its hello */
    CROWDED_MS = 100, /* the same while others wait for its place */
    BACKLOG = 128,
    ACCEPTS_AT_ONCE = 8,
    LISTENER = SHM_LOBBY_GUESTS_MAX, /* the epoll data of the listening socket */
};

/* ---- open and close -------------------------------------------------------------------------- */

static int watch_fd(struct shm_lobby *lobby, int operation, int fd, uint32_t name, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.u32 = name };

    return epoll_ctl(lobby->epoll_fd, operation, fd, &event) < 0 ? -errno : 0;
}

static int open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int shm_lobby_open(struct shm_lobby *lobby, const char *path)
{
    int err;

    *lobby = (struct shm_lobby){ .reserve_fd = open_reserve() };
    for (uint32_t i = 0; i < SHM_LOBBY_GUESTS_MAX; i++)
        lobby->guests[i].sock = -1;
    lobby->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    err = lobby->epoll_fd < 0 || lobby->reserve_fd < 0 ? -errno : 0;
    lobby->listener = err ? err : private_socket_listen(path, SOCK_SEQPACKET, BACKLOG);
    if (lobby->listener < 0)
        err = lobby->listener;
    if (!err)
        err = watch_fd(lobby, EPOLL_CTL_ADD, lobby->listener, LISTENER, EPOLLIN);
    if (err)
        shm_lobby_close(lobby);
    return err;
}

void shm_lobby_close(struct shm_lobby *lobby)
{
    for (uint32_t i = 0; i < SHM_LOBBY_GUESTS_MAX; i++)
        private_socket_close(&lobby->guests[i].sock);
    private_socket_close(&lobby->listener);
    private_socket_close(&lobby->epoll_fd);
    private_socket_close(&lobby->reserve_fd);
}

/* ---- connecting and disconnecting ------------------------------------------------------------ */

/* While no place is free, the server accepts no client, and a connecting client does not wake it.
 */
static void accept_none(struct shm_lobby *lobby, bool is_full)
{
    if (lobby->is_full == is_full)
        return;
    lobby->is_full = is_full;
    watch_fd(lobby, EPOLL_CTL_MOD, lobby->listener, LISTENER, is_full ? 0 : EPOLLIN);
}

/* Does not close the socket: it belongs to the caller now, or is closed already. */
static void see_off(struct shm_lobby *lobby, struct shm_lobby_guest *guest)
{
    guest->sock = -1;
    accept_none(lobby, false);
}

static void hang_up(struct shm_lobby *lobby, struct shm_lobby_guest *guest)
{
    close(guest->sock);
    see_off(lobby, guest);
}

static void hang_up_late(struct shm_lobby *lobby, uint64_t now_ms)
{
    for (uint32_t i = 0; i < SHM_LOBBY_GUESTS_MAX; i++)
        if (lobby->guests[i].sock >= 0 && now_ms - lobby->guests[i].came_ms >= HELLO_MS)
            hang_up(lobby, &lobby->guests[i]);
}

/* Counts the guests of this user, or of all users if `any`. */
static uint32_t count_guests(const struct shm_lobby *lobby, uid_t user, bool any)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SHM_LOBBY_GUESTS_MAX; i++)
        count += lobby->guests[i].sock >= 0 && (any || lobby->guests[i].user == user);
    return count;
}

/* Disconnects the guest that has been silent longest, if it has had enough time. */
static bool make_room(struct shm_lobby *lobby, uint64_t now_ms, uid_t user, bool any)
{
    struct shm_lobby_guest *oldest = NULL;

    for (uint32_t i = 0; i < SHM_LOBBY_GUESTS_MAX; i++) {
        struct shm_lobby_guest *guest = &lobby->guests[i];

        if (guest->sock >= 0 && (any || guest->user == user) &&
            (!oldest || guest->came_ms < oldest->came_ms))
            oldest = guest;
    }
    if (!oldest || now_ms - oldest->came_ms < CROWDED_MS)
        return false;
    hang_up(lobby, oldest);
    return true;
}

static struct shm_lobby_guest *free_place(struct shm_lobby *lobby)
{
    for (uint32_t i = 0; i < SHM_LOBBY_GUESTS_MAX; i++)
        if (lobby->guests[i].sock < 0)
            return &lobby->guests[i];
    return NULL;
}

static void refuse_client(int sock, int err)
{
    shm_lobby_refuse(&(struct shm_lobby_call){ .sock = sock }, err);
}

static void take_in(
    struct shm_lobby *lobby, struct shm_lobby_guest *place, int sock, uint64_t now_ms)
{
    struct ucred peer = { .uid = (uid_t)-1 };
    socklen_t length = sizeof(peer);

    getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    if (count_guests(lobby, peer.uid, false) >= SHM_LOBBY_USER_MAX &&
        !make_room(lobby, now_ms, peer.uid, false)) {
        refuse_client(sock, -EAGAIN);
        return;
    }
    if (watch_fd(lobby, EPOLL_CTL_ADD, sock, (uint32_t)(place - lobby->guests), EPOLLIN) < 0) {
        refuse_client(sock, -ENFILE);
        return;
    }
    *place = (struct shm_lobby_guest){
        .sock = sock, .user = peer.uid, .process = peer.pid, .came_ms = now_ms
    };
}

/* Uses the reserved descriptor to tell the client why it is refused. */
static void refuse_for_want_of_descriptors(struct shm_lobby *lobby)
{
    int sock;

    private_socket_close(&lobby->reserve_fd);
    sock = accept4(lobby->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (sock >= 0)
        refuse_client(sock, -ENFILE);
    lobby->reserve_fd = open_reserve();
}

static void accept_guests(struct shm_lobby *lobby, uint64_t now_ms)
{
    for (uint32_t i = 0; i < ACCEPTS_AT_ONCE; i++) {
        struct shm_lobby_guest *place = free_place(lobby);
        int sock;

        if (!place && !make_room(lobby, now_ms, 0, true)) {
            accept_none(lobby, true);
            return;
        }
        sock = accept4(lobby->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (sock < 0 && (errno == EMFILE || errno == ENFILE))
            refuse_for_want_of_descriptors(lobby);
        if (sock < 0)
            return;
        take_in(lobby, free_place(lobby), sock, now_ms);
    }
}

/* ---- hellos ---------------------------------------------------------------------------------- */

static bool is_hello(const struct shm_hello *hello, ssize_t length)
{
    return length == sizeof(*hello) &&
           memcmp(hello->magic, shm_meet_hello, sizeof(hello->magic)) == 0 &&
           memchr(hello->name, '\0', sizeof(hello->name));
}

/* Returns true if the guest has sent its hello and become a call. */
static bool hear_guest(
    struct shm_lobby *lobby, struct shm_lobby_guest *guest, struct shm_lobby_call *call)
{
    ssize_t length = recv(guest->sock, &call->hello, sizeof(call->hello), MSG_DONTWAIT | MSG_TRUNC);

    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (!is_hello(&call->hello, length)) {
        hang_up(lobby, guest);
        return false;
    }
    call->sock = guest->sock;
    call->user = guest->user;
    call->process = guest->process;
    epoll_ctl(lobby->epoll_fd, EPOLL_CTL_DEL, guest->sock, NULL);
    see_off(lobby, guest);
    if (call->hello.version == SHM_PORT_VERSION)
        return true;
    shm_lobby_refuse(call, -EPROTONOSUPPORT);
    return false;
}

bool shm_lobby_next(struct shm_lobby *lobby, uint64_t now_ms, struct shm_lobby_call *call)
{
    struct epoll_event events[SHM_LOBBY_GUESTS_MAX + 1];
    int count;

    hang_up_late(lobby, now_ms);
    if (lobby->is_full && make_room(lobby, now_ms, 0, true))
        accept_none(lobby, false);
    count = epoll_wait(lobby->epoll_fd, events, SHM_LOBBY_GUESTS_MAX + 1, 0);
    for (int i = 0; i < count; i++) {
        uint32_t name = events[i].data.u32;

        if (name == LISTENER)
            accept_guests(lobby, now_ms);
        else if (lobby->guests[name].sock >= 0 && hear_guest(lobby, &lobby->guests[name], call))
            return true;
    }
    return false;
}
