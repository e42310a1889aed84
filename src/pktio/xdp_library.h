/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libxdp that ports use, found at run time. */
#pragma once

#include <xdp/xsk.h>

struct xdp_library {
    __typeof__(&xsk_umem__create) umem_create;
    __typeof__(&xsk_umem__delete) umem_delete;
    __typeof__(&xsk_socket__create) socket_create;
    __typeof__(&xsk_socket__delete) socket_delete;
    __typeof__(&xsk_socket__fd) socket_fd;
};

/* Loads libxdp once per process. Returns NULL if there is no libxdp. */
const struct xdp_library *xdp_library(void);
