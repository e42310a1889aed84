/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libxdp that ports need, found at run time. */
#pragma once

#include <xdp/xsk.h>

struct xdp_library {
    __typeof__(&xsk_umem__create) umem_create;
    __typeof__(&xsk_umem__delete) umem_delete;
    __typeof__(&xsk_socket__create) socket_create;
    __typeof__(&xsk_socket__delete) socket_delete;
    __typeof__(&xsk_socket__fd) socket_fd;
};

/* NULL: there is no libxdp. Loaded once, for the rest of the process. */
const struct xdp_library *xdp_library(void);
