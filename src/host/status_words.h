/* SPDX-License-Identifier: Apache-2.0 */
/* What states and causes are called in answers. */
#pragma once

#include "path/path.h"
#include "transport/transport.h"

const char *status_word_ev_state(enum path_ev_state);
const char *status_word_signal(enum path_signal);
const char *status_word_qp_state(enum qp_state);
const char *status_word_completion(enum completion_status);
