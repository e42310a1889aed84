/* SPDX-License-Identifier: Apache-2.0 */
/* The public header of this folder: captured packets, parsed, judged and printed as lines, trees
 * and JSON. */
#pragma once

#include "decode/decode_captured.h"
#include "decode/decode_packet.h"
#include "decode/decode_print.h"
#include "decode/decode_words.h"
#include "decode/link_layer.h"
