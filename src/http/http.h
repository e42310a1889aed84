/* SPDX-License-Identifier: Apache-2.0 */
/* An HTTP server for programs with a loop of their own: the public header of this folder. */
#pragma once

#include "http/http_answer.h"
#include "http/http_server.h"
#include "http/http_target.h"
