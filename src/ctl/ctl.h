/* SPDX-License-Identifier: Apache-2.0 */
/* The controller and the agents of a fabric: the public header of this folder. */
#pragma once

#include "ctl/ctl_agent.h"
#include "ctl/ctl_certificate.h"
#include "ctl/ctl_client.h"
#include "ctl/ctl_controller.h"
#include "ctl/ctl_daemon.h"
#include "ctl/ctl_folder.h"
#include "ctl/ctl_link.h"
#include "ctl/ctl_loop.h"
#include "ctl/ctl_setup.h"
#include "ctl/ctl_store.h"
