/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the packets of a capture again. */
#include <errno.h>
#include <string.h>

#include "conform/traffic_state.h"
#include "decode/decode.h"

/* Returns when a packet is due: as long after the first one as in the capture. */
static uint64_t due_ns(
    const struct traffic *traffic, const struct capture_packet *packet, uint64_t *first_time_ns)
{
    if (!traffic->config->keeps_times || !packet->has_time)
        return 0;
    if (*first_time_ns == 0)
        *first_time_ns = packet->time_ns;
    if (traffic->first_ns == 0 || packet->time_ns < *first_time_ns)
        return 0;
    return traffic->first_ns + (packet->time_ns - *first_time_ns);
}

/* Sends the IP packet of a captured frame, if it was captured completely. The first frame of the
 * buffer is used for sending, the rest to decode. */
static bool send_captured(
    struct traffic *traffic, const struct capture *capture, const struct capture_packet *packet)
{
    struct decode_packet decoded;

    decode_captured(&decoded, &traffic->config->format, capture, packet,
        traffic->bytes + CONFORM_FRAME_BYTES_MAX);
    if (decoded.captured_bytes < decoded.length || decoded.length > CONFORM_FRAME_BYTES_MAX ||
        !decoded.bytes || traffic->match.count == traffic->match.room)
        return true;
    return traffic_send_frame(traffic, 0, decoded.bytes, decoded.length);
}

int traffic_replay(struct traffic *traffic)
{
    struct capture capture;
    struct capture_packet packet;
    uint64_t first_time_ns = 0;
    bool goes_on = true;
    int got = 0;

    if (capture_open(&capture, traffic->config->capture) < 0) {
        traffic_end(traffic, "%s", capture.error);
        return -ENOENT;
    }
    while (goes_on && (got = capture_next(&capture, &packet)) > 0)
        goes_on = traffic_receive(traffic, due_ns(traffic, &packet, &first_time_ns)) &&
                  send_captured(traffic, &capture, &packet);
    if (got < 0)
        traffic_end(traffic, "%s", capture.error);
    capture_close(&capture);
    return got < 0 ? -EINVAL : 0;
}
