/* SPDX-License-Identifier: Apache-2.0 */
/* Captured packets, parsed, judged and shown as lines, trees and JSON: the front door of this
 * folder. */
#pragma once

#include "decode/decode_packet.h"
#include "decode/decode_print.h"
#include "decode/decode_words.h"
#include "decode/link_layer.h"
