/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols and switches that MRC is compared with: the public header of this folder. */
#pragma once

#include "rival/infiniband/ib_credit.h"
#include "rival/infiniband/ib_lane.h"
#include "rival/infiniband/ib_route.h"
#include "rival/infiniband/ib_settings.h"
#include "rival/lossless/pfc.h"
#include "rival/lossless/pfc_watchdog.h"
#include "rival/message/event_queue.h"
#include "rival/rocev2/dcqcn.h"
#include "rival/rocev2/ecn_marking.h"
#include "rival/rocev2/roce_nic.h"
#include "rival/rocev2/roce_packet.h"
#include "rival/rocev2/roce_profile.h"
#include "rival/routing/convergence.h"
#include "rival/routing/ecmp.h"
#include "rival/routing/routing.h"
#include "rival/uet/uet_nic.h"
#include "rival/uet/uet_packet.h"
#include "rival/uet/uet_profile.h"
