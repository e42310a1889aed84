/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in and out: the public header of this folder. */
#pragma once

#include "pktio/capture.h"
#include "pktio/control_client.h"
#include "pktio/control_server.h"
#include "pktio/pcapng.h"
#include "pktio/pktio_open.h"
#include "pktio/pktio_port.h"
#include "pktio/pktio_tap.h"
#include "pktio/process_lock.h"
#include "pktio/raw_port.h"
#include "pktio/run_folder.h"
#include "pktio/run_place.h"
#include "pktio/shm_lobby.h"
#include "pktio/shm_port.h"
#include "pktio/udp_port.h"
#include "pktio/xdp_port.h"
