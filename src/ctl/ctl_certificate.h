/* SPDX-License-Identifier: Apache-2.0 */
/* The authority of a fabric and the certificates that it signs: one for the controller, one for
 * each agent. Keys are on the curve P-256. All texts are PEM, from malloc(). */
#pragma once

#include <stdbool.h>

#define CTL_SERIAL_BYTES 64 /* of a serial number as hexadecimal digits */

struct ctl_certificate {
    char *certificate;
    char *key;
};

struct ctl_certificate_request {
    const char *name;         /* the common name: that of the agent, or "controller" */
    const char *const *hosts; /* names and addresses of the controller; ends with NULL */
    bool is_server;
    unsigned days;
};

/* Returns 0 or a negative errno: -EIO if the library fails. */
int ctl_certificate_authority(const char *name, unsigned days, struct ctl_certificate *);
int ctl_certificate_sign(const struct ctl_certificate *authority,
    const struct ctl_certificate_request *, struct ctl_certificate *);
/* Writes the serial number of a certificate. Returns 0 or -EINVAL. */
int ctl_certificate_serial(const char *certificate, char out[static CTL_SERIAL_BYTES]);
void ctl_certificate_free(struct ctl_certificate *);
