/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that peers write to. The transport treats received bytes as placed. The engine copies them
 * later, in the order of their arrival, when it has prepared the answers (engine_answer()). The
 * frames that hold the bytes stay until the next engine_receive(). */
#include <assert.h>

#include "host/engine.h"
#include "host/memory_copy.h"

enum { WRITES_MAX = HOST_PORT_COUNT_MAX * ENGINE_BATCH };

enum transport_access engine_keep(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    struct engine *engine = context;
    struct host_qp *qp = owner;
    uint8_t *to;

    (void)qpn;
    if (!qp->remote_write)
        return TRANSPORT_ACCESS_REFUSED;
    if (payload->length == 0)
        return TRANSPORT_ACCESS_OK;
    to = memory_table_resolve(&engine->nic->memory,
        &(struct memory_want){ .key = rkey,
            .domain = qp->config.domain,
            .access = HOST_ACCESS_REMOTE_WRITE,
            .va = va,
            .length_bytes = payload->length },
        &qp->last_rkey);
    if (!to)
        return TRANSPORT_ACCESS_REFUSED;
    assert(engine->write_count < WRITES_MAX);
    engine->writes[engine->write_count++] =
        (struct engine_write){ .to = to, .from = payload->bytes, .length_bytes = payload->length };
    return TRANSPORT_ACCESS_OK;
}

void engine_place(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->write_count; i++)
        memory_copy(engine->writes[i].to, engine->writes[i].from, engine->writes[i].length_bytes);
    engine->write_count = 0;
}
