/* SPDX-License-Identifier: Apache-2.0 */
/* ERTH and EETH, 16 and 36 bytes: Endpoint Request and Response (docs/wire.md §11). */
#pragma once

#include "base/bytes.h"
#include "wire/packet.h"

#define ENDPOINT_REQUEST_BYTES  16
#define ENDPOINT_RESPONSE_BYTES 36

void endpoint_parse_request(struct bytes_in *, struct packet *);
void endpoint_build_request(struct bytes_out *, const struct packet *);
void endpoint_parse_response(struct bytes_in *, struct packet *);
void endpoint_build_response(struct bytes_out *, const struct packet *);
