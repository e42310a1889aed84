/* SPDX-License-Identifier: Apache-2.0 */
/* Tells systemd that the service is ready (Type=notify), without its library. */
#pragma once

/* Does nothing if NOTIFY_SOCKET is not set. */
void ctl_notify_ready(void);
