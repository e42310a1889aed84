-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector for Multipath Reliable Connection (MRC 1.0) and the RoCEv2 packets that share its UDP port.

local mrc = Proto("mrc", "Multipath Reliable Connection")
local second_look = Proto("mrc_second_look", "MRC that another dissector took")

local format = string.format

set_plugin_info({ version = "1.0.0", description = "Multipath Reliable Connection", license = "Apache-2.0" })

-- Preferences: what an operator chooses, and what the public specification leaves open.

local FLOW_LABEL_HIGH, SOURCE_PORT_HIGH, SE_FIRST, M_FIRST = 1, 2, 1, 2
local EV_ORDERS = { { 1, "flow-label-high", FLOW_LABEL_HIGH }, { 2, "source-port-high", SOURCE_PORT_HIGH } }
local BYTE1_ORDERS = { { 1, "SE-M", SE_FIRST }, { 2, "M-SE", M_FIRST } }

local prefs = mrc.prefs
prefs.ports = Pref.range("UDP ports", "4791,4971", "Destination ports that carry MRC", 65535)
prefs.any_source_port = Pref.bool("Claim any source port", true,
    "The source port is half of the EV: show MRC even when it equals the port of another protocol")
prefs.dscp_trimmed = Pref.uint("DSCP_TRIMMED", 12, "DSCP of a packet that a switch trimmed")
prefs.dscp_trimmed_lasthop = Pref.uint("DSCP_TRIMMED_LASTHOP", 16, "DSCP of a packet trimmed on the port to its host")
prefs.ev_order = Pref.enum("EV order", FLOW_LABEL_HIGH, "Which field carries the high half of the EV", EV_ORDERS, true)
prefs.uplink_bits = Pref.uint("Uplink width", 8, "Bits of the EV that name the uplink; those above name the plane")
prefs.index_bits = Pref.uint("Index width", 10, "Bits of a uSID that are its index: 10, or 13 if each plane has a block")
prefs.byte1_order = Pref.enum("Order of SE and M", SE_FIRST, "The two high bits of BTH byte 1", BYTE1_ORDERS, true)
prefs.writeimm_nak = Pref.uint("WriteImm limit NAK", 0x65, "AETH syndrome for too many WriteImm in flight")
prefs.srv6 = Pref.bool("Read the outer header", true, "Take path, ECN and trimming from an SRv6 outer header")
prefs.block_bytes = Pref.uint("uSID block", 4, "Bytes of the outer destination before its first uSID")
prefs.plan = Pref.string("Plan", "", "File of 'mrc plan config -f wireshark': names of switches and NICs, widths of EVs")
prefs.check_icrc = Pref.bool("Verify the iCRC", true, "Off saves time on large captures")

-- Findings, by name: group, severity, text in the list of all findings.

local found = {}
for name, row in pairs({
    icrc = { "CHECKSUM", "ERROR", "Bad iCRC" },
    malformed = { "MALFORMED", "ERROR", "Bytes are missing or left over" },
    capture_cut = { "UNDECODED", "NOTE", "The capture ends before the packet does" },
    opcode = { "UNDECODED", "WARN", "Undefined opcode" },
    unexpected = { "PROTOCOL", "NOTE", "Reserved bits set, or a value that MRC 1.0 does not send" },
    pad = { "PROTOCOL", "WARN", "Inconsistent pad" },
    length = { "PROTOCOL", "NOTE", "Payload length does not fit the opcode" },
    syndrome = { "PROTOCOL", "WARN", "Syndrome that MRC does not use" },
    nak = { "RESPONSE_CODE", "NOTE", "The responder refused a message" },
    reason = { "PROTOCOL", "WARN", "Unknown NACK reason" },
    trimmed = { "SEQUENCE", "NOTE", "A switch trimmed this packet" },
}) do
    found[name] = ProtoExpert.new("mrc.expert." .. name, row[3], expert.group[row[1]], expert.severity[row[2]])
end
mrc.experts = found

-- Names of values.

local OPCODES = {
    [0x11] = "Acknowledge", [0x81] = "CNP", [0xd1] = "Acknowledge", [0xd8] = "Endpoint Request",
    [0xd9] = "Endpoint Response", [0xdc] = "SACK", [0xdd] = "NACK", [0xde] = "Probe Request",
}
local WRITES = { "First", "Middle", "Last", "Last with Immediate", "Only", "Only with Immediate" }
for i, name in ipairs(WRITES) do
    OPCODES[0x05 + i], OPCODES[0xc5 + i] = "WRITE " .. name, "WRITE " .. name
end
local SACK_M = { [0] = "NONE", "SKIP_ONCE", "ALWAYS_SKIP", "reserved" }
local NACK_REASONS = {
    [0x01] = "TRIMMED",
    [0x02] = "TRIMMED_LASTHOP",
    [0x06] = "NO_BITMAP",
    [0x07] = "NO_PKT_BUFFER",
    [0x0a] = "NO_RESOURCE",
    [0x0b] = "PSN_OOR_WINDOW",
    [0x19] = "UNEXP_EVENT",
}
local EP_OPS = { [0] = "PORT_STATUS_UPDATE", "EV_PROBE", "MAP_PROBE", "undefined" }
local NAKS = { [0x61] = "invalid request", [0x62] = "remote access error", [0x63] = "remote operational error" }
local USID_TYPES = { "T0", "T1", "downlink", "service", "T2", "T3" }
local ECN, CE = { [0] = "Not-ECT", "ECT(1)", "ECT(0)", "CE" }, 3
local CHECK, BAD, GOOD, UNVERIFIED = { [0] = "bad", "good", "unverified" }, 0, 1, 2

-- Plans of fabrics by uSID block: uplink_bits, index_bits, and names: of a switch by its uSID, of a NIC by the uSIDs of
-- its switch and of the downlink. `scheme` and `names` are of the packet's fabric; without a plan, the preferences.
local plans, scheme, names = {}, prefs, {}

local PLAN_LINES = {
    plan = function(block, uplink_bits, index_bits)
        plans[block] = { uplink_bits = tonumber(uplink_bits), index_bits = tonumber(index_bits), names = {} }
    end,
    switch = function(block, usid, name)
        plans[block].names[usid] = name
    end,
    port = function(block, usid, downlink, name)
        plans[block].names[usid .. downlink] = name
    end,
}

local function read_plan_line(line)
    local words = {}

    for word in line:gmatch("%S+") do
        words[#words + 1] = word
    end
    PLAN_LINES[words[1]](unpack(words, 2))
end

local function read_plans(path)
    local file, problem = io.open(path)
    local number = 0

    plans = {}
    if not file then
        report_failure("mrc.plan: " .. problem)
        return
    end
    for line in file:lines() do
        number = number + 1
        if not line:find("^%s*#") and not pcall(read_plan_line, line) then
            report_failure(format("mrc.plan: %s:%d: not a line of 'mrc plan config -f wireshark'", path, number))
            break
        end
    end
    file:close()
end

-- Plane and uplink of an EV from a fabric plan (docs/fabric.md §5); nil when no plan can have that plane.
local function ev_path(ev)
    local uplinks = 2 ^ scheme.uplink_bits

    if ev < 16 * uplinks then
        return math.floor(ev / uplinks), ev % uplinks
    end
    return nil
end

local function ev_text(ev)
    local plane, uplink = ev_path(ev)

    return plane and format("p%d/u%d", plane, uplink) or format("0x%08x", ev)
end

local function ev_note(ev)
    return ev_path(ev) and " (" .. ev_text(ev) .. ")" or ""
end

-- Endpoints that are OpenMRC say in a port status update which of their lives they are in (docs/wire.md §11.1).
local function incarnation_note(number, values)
    return (values.op ~= 0 or number == 0) and "" or format(" (incarnation %d)", number)
end

local function ports_note(mask, values)
    local ports = {}

    for port = 0, 31 do
        ports[#ports + 1] = bit.band(bit.rshift(mask, port), 1) == 1 and port or nil
    end
    return values.op ~= 0 and "" or " (ports " .. table.concat(ports, ", ") .. ")"
end

-- A header is a list of rows { name, label, offset, bytes } with, where needed: mask, names (of its values),
-- dec (shown decimal), signed, expect (all that MRC 1.0 sends), note (text shown behind its value).
-- A mask of one bit makes a flag. Sizes that no integer has are shown as bytes.

local UINT = { ProtoField.uint8, ProtoField.uint16, ProtoField.uint24, ProtoField.uint32, [8] = ProtoField.uint64 }
local all_fields = {}

local function row_field(abbrev, row)
    local label, bytes, mask = row[2], row[4], row.mask

    if mask and bit.band(mask, mask - 1) == 0 then
        return ProtoField.bool(abbrev, label, bytes * 8, nil, mask)
    elseif row.signed then
        return ProtoField.int16(abbrev, label, base.DEC)
    elseif UINT[bytes] then
        return UINT[bytes](abbrev, label, row.dec and base.DEC or base.HEX, row.names, mask)
    end
    return ProtoField.bytes(abbrev, label)
end

-- `short` names the header's own item, `prefix` begins the names of its fields; lists of rows follow.
local function define_header(title, short, prefix, bytes, ...)
    local result = { title = title, bytes = bytes, rows = {}, field = ProtoField.none("mrc." .. short, title) }

    all_fields[#all_fields + 1] = result.field
    for _, list in ipairs({ ... }) do
        for _, row in ipairs(list) do
            local field = row_field("mrc." .. prefix .. row[1], row)

            all_fields[#all_fields + 1] = field
            result.rows[#result.rows + 1] = setmetatable({ field = field }, { __index = row })
        end
    end
    return result
end

local function reserved(offset, bytes, mask)
    return { bytes <= 4 and "reserved" or "reserved_bytes", "Reserved", offset, bytes, mask = mask, expect = 0 }
end

local function timestamp(offset)
    return {
        { "tx_timestamp", "Transmit timestamp", offset, 2 },
        { "tsr", "Unit is not 128 ns (tsr)", offset + 2, 2, mask = 0x8000 },
        reserved(offset + 2, 2, 0x7ff0),
        { "ftype", "Format type", offset + 2, 2, mask = 0x000f, expect = 1 },
    }
end

-- MRC and RoCEv2 differ in bytes 4 and 8, and RoCEv2 gives M a meaning.
local function base_header(se, m, m_expected, byte4, byte8)
    return define_header("Base Transport Header (BTH)", "bth", "", 12, {
        { "opcode", "Opcode", 0, 1, names = OPCODES },
        { "se", "Solicited event", 1, 1, mask = se },
        { "m", "Migration request", 1, 1, mask = m, expect = m_expected },
        { "pad", "Pad count", 1, 1, mask = 0x30, dec = true },
        { "tver", "Transport header version", 1, 1, mask = 0x0f, dec = true, expect = 0 },
        { "pkey", "Partition key", 2, 2 },
    }, byte4, {
        { "dqp", "Destination QP", 5, 3 },
        { "ackreq", "Acknowledge request", 8, 1, mask = 0x80 },
    }, byte8, {
        { "psn", "PSN", 9, 3 },
    })
end

local MRC_BYTE4 = { { "var_res", "Reserved, variant", 4, 1, expect = 0 } }
local MRC_BYTE8 = {
    { "r", "Reserved", 8, 1, mask = 0x40, expect = 0 },
    { "rtx", "Retransmission", 8, 1, mask = 0x20 },
    { "ts", "Timestamp header follows", 8, 1, mask = 0x10 },
    { "inv_res", "Reserved, invariant", 8, 1, mask = 0x0f, expect = 0 },
}
local ROCE_BYTE4 = {
    { "fecn", "FECN", 4, 1, mask = 0x80 },
    { "becn", "BECN", 4, 1, mask = 0x40 },
    reserved(4, 1, 0x3f),
}
local BTH = {
    [SE_FIRST] = base_header(0x80, 0x40, 0, MRC_BYTE4, MRC_BYTE8),
    [M_FIRST] = base_header(0x40, 0x80, 0, MRC_BYTE4, MRC_BYTE8),
}
local ROCE_BTH = base_header(0x80, 0x40, nil, ROCE_BYTE4, { reserved(8, 1, 0x7f) })

local METH = define_header("Message Header (METH)", "meth", "", 4, {
    { "rqmsn", "WriteImm number (rqmsn)", 0, 2, dec = true },
    { "msn", "Message number (msn)", 2, 2, dec = true },
})
local TSETH = define_header("Timestamp Header (TSETH)", "tseth", "tseth.", 4, timestamp(0))
local RETH = define_header("RDMA Header (RETH)", "reth", "reth.", 16, {
    { "va", "Virtual address of this payload", 0, 8 },
    { "rkey", "Remote key", 8, 4 },
    { "dmalen", "Length of the message", 12, 4, dec = true },
})
local IMMDT = define_header("Immediate Data (ImmDt)", "immdt", "", 4, { { "imm", "Immediate", 0, 4 } })
local AETH = define_header("Acknowledge Header (AETH)", "aeth", "aeth.", 4, {
    { "syndrome", "Syndrome", 0, 1 },
    { "msn", "Messages completed (msn)", 1, 3, dec = true },
})
local CNP = define_header("Congestion Notification", "cnp", "cnp.", 16, { reserved(0, 16) })

-- docs/wire.md §7: the control headers begin like those of Ultra Ethernet.
local UET_WORD = {
    { "type", "Type", 0, 2, mask = 0xf000, expect = 0 },
    { "nxt", "Next", 0, 2, mask = 0x0f80, expect = 0 },
}
local VENDOR_INFO = { { "vendor_info", "Vendor info", 3, 1 } }
local PDC_IDS = { { "spdcid", "Source PDC id", 8, 2 }, { "dpdcid", "Destination PDC id", 10, 2 } }

local SETH = define_header("Selective Acknowledge Header (SETH)", "seth", "sack.", 28, UET_WORD, {
    { "m", "Path marking (m)", 0, 2, mask = 0x0060, names = SACK_M },
    reserved(0, 2, 0x001c),
    { "pr", "Answer to a probe (pr)", 0, 2, mask = 0x0002 },
    reserved(0, 2, 0x0001),
    -- Bytes 2-3 depend on pr: SETH.after.
    { "entropy", "EV of the triggering packet", 4, 4, note = ev_note },
}, PDC_IDS, {
    reserved(12, 1),
    { "cack_psn", "Cumulative PSN", 13, 3 },
    { "cc_type", "Congestion state type", 16, 1, mask = 0xf0, expect = 0 },
    { "cc_fl", "Congestion state flags", 16, 1, mask = 0x0f, expect = 0 },
    { "mpr", "Maximum PSN range", 17, 1, dec = true, note = function(mpr)
        return mpr == 0 and " (not in use)" or format(" (%d PSNs)", mpr * 128)
    end },
    { "sack_offset", "Bitmap offset", 18, 2, signed = true },
    { "bitmap", "Bitmap", 20, 8 },
})
local CC_STATE = define_header("Congestion Control State (CC_STATE)", "cc_state", "sack.cc.", 8, {
    { "tx_timestamp", "Echoed timestamp", 0, 2 },
    reserved(2, 2, 0x8000),
    { "ooo_count", "Packets above the cumulative PSN", 2, 2, mask = 0x7fff, dec = true },
    { "r_c", "Restore window (r_c)", 4, 1, mask = 0x80 },
    { "rcv_cwnd_pen", "Receiver penalty", 4, 1, mask = 0x7f, dec = true },
    { "rcvd_bytes", "Received, in 256 bytes", 5, 3, dec = true, note = function(units)
        return format(" (%.0f bytes)", units * 256)
    end },
})
local NETH = define_header("Negative Acknowledge Header (NETH)", "neth", "nack.", 20, UET_WORD, {
    reserved(0, 2, 0x007f),
    { "reason", "Reason", 2, 1, names = NACK_REASONS },
}, VENDOR_INFO, { { "entropy", "EV of the packet", 4, 4, note = ev_note } }, PDC_IDS, {
    reserved(12, 1),
    { "psn", "PSN", 13, 3 },
    { "cc_type", "Congestion state type", 16, 1, mask = 0xf0, expect = 2 },
    { "cc_fl", "Congestion state flags", 16, 1, mask = 0x0f, expect = 0 },
    reserved(17, 1),
    { "tx_timestamp", "Echoed timestamp", 18, 2 },
})
local PETH = define_header("Probe Header (PETH)", "peth", "probe.", 16, UET_WORD, {
    reserved(0, 2, 0x007f),
    reserved(2, 1),
}, VENDOR_INFO, { { "probe_id", "Probe id", 4, 2 }, reserved(6, 2) }, PDC_IDS, timestamp(12))
local ERTH = define_header("Endpoint Request Header (ERTH)", "erth", "ep.", 16, UET_WORD, {
    reserved(0, 2, 0x007c),
    { "op", "Operation", 0, 2, mask = 0x0003, names = EP_OPS },
    reserved(2, 1),
    { "vendor_info", "Vendor info", 3, 1, note = incarnation_note },
    { "port_status_mask", "Ports that can be reached", 4, 4, note = ports_note },
    reserved(8, 4),
}, timestamp(12))
local EETH = define_header("Endpoint Response Header (EETH)", "eeth", "ep.", 36, UET_WORD, {
    reserved(0, 2, 0x0070),
    { "op", "Operation", 0, 2, mask = 0x000c, names = EP_OPS },
    reserved(0, 2, 0x0003),
    reserved(2, 26),
    { "tx_timestamp", "Copied timestamp", 28, 2 },
    reserved(30, 6),
})

-- What no single header holds: derived values, and the bytes behind the headers.
local fields = {
    ev = ProtoField.uint32("mrc.ev", "EV", base.HEX),
    plane = ProtoField.uint32("mrc.plane", "Plane", base.DEC),
    uplink = ProtoField.uint32("mrc.uplink", "Uplink", base.DEC),
    path = ProtoField.string("mrc.path", "Path ahead"),
    usid = ProtoField.uint16("mrc.usid", "uSID", base.HEX),
    hop = ProtoField.string("mrc.hop", "Hop"),
    srh_path = ProtoField.string("mrc.srh.path", "Path in the SRH"),
    srh_usid = ProtoField.uint16("mrc.srh.usid", "uSID in the SRH", base.HEX),
    srh_hop = ProtoField.string("mrc.srh.hop", "Hop in the SRH"),
    dscp = ProtoField.uint8("mrc.dscp", "DSCP", base.DEC),
    ecn = ProtoField.uint8("mrc.ecn", "ECN", base.DEC, ECN),
    trimmed = ProtoField.bool("mrc.trimmed", "Trimmed"),
    trimmed_lasthop = ProtoField.bool("mrc.trimmed.lasthop", "Trimmed at the last hop"),
    trimmed_rest = ProtoField.bytes("mrc.trimmed.rest", "Survived, but not to be used"),
    aeth_meaning = ProtoField.string("mrc.aeth.meaning", "Meaning"),
    ack_psn_offset = ProtoField.int16("mrc.sack.ack_psn_offset", "Offset of the triggering PSN", base.DEC),
    ack_psn = ProtoField.uint24("mrc.sack.ack_psn", "Triggering PSN", base.HEX),
    probe_id = ProtoField.uint16("mrc.sack.probe_id", "Probe id", base.HEX),
    received_psn = ProtoField.uint24("mrc.sack.received_psn", "Received PSN", base.HEX),
    request_id = ProtoField.uint16("mrc.ep.request_id", "Request id", base.HEX),
    payload_len = ProtoField.uint32("mrc.payload_len", "Payload length", base.DEC),
    payload = ProtoField.bytes("mrc.payload", "Payload"),
    padding = ProtoField.bytes("mrc.padding", "Pad"),
    leftover = ProtoField.bytes("mrc.leftover", "Bytes without a meaning"),
    icrc = ProtoField.uint32("mrc.icrc", "iCRC", base.HEX),
    icrc_computed = ProtoField.uint32("mrc.icrc.computed", "Computed", base.HEX),
    icrc_status = ProtoField.uint8("mrc.icrc.status", "Status", base.DEC, CHECK),
}
for _, field in pairs(fields) do
    all_fields[#all_fields + 1] = field
end
mrc.fields = all_fields

-- Below MRC: UDP, IP, and an SRv6 header around them. Wireshark hands a dissector no bytes of lower layers;
-- the items of those layers in the tree still have them.

local ip_items, ipv6_items, udp_items = Field.new("ip"), Field.new("ipv6"), Field.new("udp")
local IP_IN_IPV6, ROUTING, SRH = { [4] = true, [41] = true }, 43, 4

local function is_ipv6(ip)
    return ip(0, 1):bitfield(0, 4) == 6
end

local function ip_bytes(ip)
    return is_ipv6(ip) and 40 or ip(0, 1):bitfield(4, 4) * 4
end

local function udp_bytes()
    return 8
end

local function dscp_ecn(ip)
    local class = is_ipv6(ip) and ip(0, 2):bitfield(4, 8) or ip(1, 1):uint()

    return math.floor(class / 4), class % 4
end

-- Whether `outer` encapsulates the header at byte `inner_at` of the frame, and the SRH between them if any.
local function srv6_link(outer, inner_at)
    local ip, gap = outer.range, inner_at - outer.offset - 40

    if gap == 0 then
        return IP_IN_IPV6[ip(6, 1):uint()]
    elseif gap < 8 or outer.len < 40 + gap or ip(6, 1):uint() ~= ROUTING then
        return false
    end
    local srh = ip(40, gap)

    return IP_IN_IPV6[srh(0, 1):uint()] and srh(2, 1):uint() == SRH and 8 + srh(1, 1):uint() * 8 == gap, srh
end

-- The last of some headers of one protocol that ends at byte `at`.
local function header_before(at, bytes_of, ...)
    local last

    for _, item in ipairs({ ... }) do
        last = item.offset + bytes_of(item.range) == at and item or last
    end
    return last
end

-- Ranges udp, ip, outer, srh; each nil when it is not there, ip also when it does not adjoin UDP (fragments).
local function headers_below(tvb)
    local udp = header_before(tvb:offset(), udp_bytes, udp_items())
    local inner = udp and (header_before(udp.offset, ip_bytes, ipv6_items())
        or header_before(udp.offset, ip_bytes, ip_items()))
    local below = { udp = udp and udp.range(0, 8), ip = inner and inner.range(0, ip_bytes(inner.range)) }

    for _, outer in ipairs(inner and prefs.srv6 and { ipv6_items() } or {}) do
        local linked, srh = srv6_link(outer, inner.offset)

        if linked then
            below.outer, below.srh = outer.range(0, 40), srh
        end
    end
    return below
end

-- docs/wire.md §3. IPv4 has no flow label: the source port is all there is.
local function entropy_value(below)
    local high, low = is_ipv6(below.ip) and below.ip(2, 2):uint() or 0, below.udp(0, 2):uint()

    if prefs.ev_order == SOURCE_PORT_HIGH then
        high, low = low, high
    end
    return high * 0x10000 + low
end

-- The DSCP that counts, and the ECN field after decapsulation as in RFC 6040.
local function path_marks(below)
    local dscp, ecn = dscp_ecn(below.ip)

    if below.outer then
        local outer_dscp, outer_ecn = dscp_ecn(below.outer)
        local inner_is_trimmed = dscp == prefs.dscp_trimmed or dscp == prefs.dscp_trimmed_lasthop

        dscp = inner_is_trimmed and dscp or outer_dscp
        ecn = (outer_ecn == CE and ecn ~= 0) and CE or ecn
    end
    return dscp, ecn
end

-- iCRC, docs/wire.md §12: CRC-32 over the inner headers with their mutable fields set to ones, and all that follows.

-- Four bytes at a time: calls into C are what costs here. crc_tables[k] advances a byte by k further bytes.
local bxor, crc_tables = bit.bxor, { [0] = {}, {}, {}, {} }
for value = 0, 255 do
    local crc = value

    for _ = 1, 8 do
        crc = bxor(bit.rshift(crc, 1), bit.band(crc, 1) * 0xedb88320)
    end
    crc_tables[0][value] = crc
end
for value = 0, 255 do
    for k = 1, 3 do
        local crc = crc_tables[k - 1][value]

        crc_tables[k][value] = bxor(bit.rshift(crc, 8), crc_tables[0][bit.band(crc, 0xff)])
    end
end

local function crc_update(crc, text)
    local table0, table1, table2, table3 = crc_tables[0], crc_tables[1], crc_tables[2], crc_tables[3]

    for i = 1, #text - 3, 4 do
        local a, b, c, d = text:byte(i, i + 3)
        local word = bxor(crc, a + b * 0x100 + c * 0x10000 + d * 0x1000000) % 0x100000000
        local low, high = word % 0x10000, math.floor(word / 0x10000)

        crc = bxor(table3[low % 0x100], table2[math.floor(low / 0x100)], table1[high % 0x100],
            table0[math.floor(high / 0x100)])
    end
    for i = #text - #text % 4 + 1, #text do
        crc = bxor(bit.rshift(crc, 8), table0[bit.band(bxor(crc, text:byte(i)), 0xff)])
    end
    return crc
end

-- `range` as text, with the bytes at the given offsets set to ones.
local function with_ones(range, ...)
    local text = range:bytes():raw()

    for _, at in ipairs({ ... }) do
        text = text:sub(1, at) .. "\255" .. text:sub(at + 2)
    end
    return text
end

-- As the wire shows it, first byte highest, so that it compares with a hex dump.
local function compute_icrc(below, covered)
    local ip = is_ipv6(below.ip) and "\111" .. with_ones(below.ip, 1, 2, 3, 7):sub(2)
        or with_ones(below.ip, 1, 8, 10, 11)
    local crc = -1

    for _, text in ipairs({ ("\255"):rep(8), ip, with_ones(below.udp, 6, 7), with_ones(covered, 4) }) do
        crc = crc_update(crc, text)
    end
    return bit.bswap(bit.bnot(crc)) % 0x100000000
end

-- Showing. A packet is { tvb, at (the cursor), tree, kind, below, bytes (by UDP's length), values, faults }.

local function complain(packet, item, what, text)
    item:add_proto_expert_info(what, text)
    if what == found.malformed or what == found.icrc or what == found.opcode then
        packet.faults[#packet.faults + 1] = " [" .. text .. "]"
    end
end

local function generated(tree, field, range, value)
    local item = tree:add(field, range, value)

    item:set_generated()
    return item
end

-- Moves the cursor over the next bytes and returns their range; nil and a finding when they are not all there.
local function take(packet, title, bytes)
    local at, tvb = packet.at, packet.tvb

    if tvb:len() - at >= bytes then
        packet.at = at + bytes
        return tvb(at, bytes)
    elseif tvb:reported_len() - at >= bytes then
        complain(packet, packet.tree, found.capture_cut, "the capture ends in " .. title)
    else
        local text = format("%s needs %d bytes, %d are left", title, bytes, tvb:reported_len() - at)

        complain(packet, packet.tree, found.malformed, text)
    end
    return nil
end

local function is_zero(range)
    return not tostring(range:bytes()):find("[^0]")
end

local function row_value(row, range)
    if row[4] > 4 then
        return is_zero(range) and 0 or 1 -- nothing else is asked of so many bytes
    end
    local value = range:uint()

    if row.mask then
        value = math.floor(bit.band(value, row.mask) / bit.band(row.mask, -row.mask))
    end
    return (row.signed and value >= 0x8000) and value - 0x10000 or value
end

local function show_row(packet, tree, row, range)
    local value, item = row_value(row, range), tree:add(row.field, range)

    if row.note then
        item:append_text(row.note(value, packet.values))
    end
    if row.expect and row.expect ~= value then
        complain(packet, item, found.unexpected, format("%s is not %d", row[2], row.expect))
    end
    packet.values[row[1]] = value
end

-- Shows the header at the cursor and notes its values by the names of its rows, the last header winning. Of a
-- header that is cut the whole rows are shown, and nil is returned.
local function show_header(packet, header)
    local tvb, start = packet.tvb, packet.at
    local left = tvb:len() - start

    if left > 0 then
        local tree = packet.tree:add(header.field, tvb(start, math.min(header.bytes, left)))

        for _, row in ipairs(header.rows) do
            if row[3] + row[4] <= left then
                show_row(packet, tree, row, tvb(start + row[3], row[4]))
            end
        end
        if header.after and left >= header.bytes then
            header.after(packet, tree, tvb(start, header.bytes))
        end
    end
    return take(packet, header.title, header.bytes)
end

local function syndrome_text(syndrome, is_mrc)
    local class = math.floor(syndrome / 32)

    if class == 0 then
        return "ACK"
    elseif class == 1 then
        return "RNR NAK"
    elseif class ~= 3 then
        return "reserved syndrome"
    elseif is_mrc and syndrome == prefs.writeimm_nak then
        return "NAK in-flight WriteImm limit exceeded"
    elseif not is_mrc and syndrome == 0x60 then
        return "NAK PSN sequence error"
    end
    return "NAK " .. (NAKS[syndrome] or "unknown")
end

function AETH.after(packet, tree, range)
    local syndrome, is_mrc = packet.values.syndrome, packet.kind.is_mrc
    local meaning = syndrome_text(syndrome, is_mrc)
    local item = generated(tree, fields.aeth_meaning, range(0, 1), meaning)

    packet.values.meaning = meaning
    if meaning == "reserved syndrome" or meaning == "NAK unknown" or (is_mrc and meaning == "RNR NAK") then
        complain(packet, item, found.syndrome, format("%s (0x%02x)", meaning, syndrome))
    elseif meaning ~= "ACK" then
        complain(packet, item, found.nak, meaning)
    elseif is_mrc and syndrome ~= 0x1f then
        complain(packet, item, found.unexpected, "the credit field of an ACK is not 31")
    end
end

function SETH.after(packet, tree, range)
    local values, trigger = packet.values, range(2, 2)

    if values.pr == 1 then
        values.trigger = format("probe 0x%04x", trigger:uint())
        tree:add(fields.probe_id, trigger)
    else
        local ack_psn = (values.cack_psn + trigger:int()) % 0x1000000

        values.trigger = format("PSN 0x%06x", ack_psn)
        tree:add(fields.ack_psn_offset, trigger)
        generated(tree, fields.ack_psn, trigger, ack_psn)
    end
    for i = 0, 63 do
        local byte = range(27 - math.floor(i / 8), 1)

        if byte:bitfield(7 - i % 8, 1) == 1 then
            generated(tree, fields.received_psn, byte, (values.cack_psn + values.sack_offset + i) % 0x1000000)
        end
    end
    if values.m == 3 then
        complain(packet, tree, found.unexpected, "m is 3, which is reserved")
    end
end

function NETH.after(packet, tree)
    if not NACK_REASONS[packet.values.reason] then
        complain(packet, tree, found.reason, format("NACK reason 0x%02x is unknown", packet.values.reason))
    end
end

-- docs/wire.md §11: endpoint operations have no connection and carry their id in the PSN.
function ERTH.after(packet, tree)
    local values = packet.values

    generated(tree, fields.request_id, packet.tvb(10, 2), values.psn % 0x10000)
    if values.dqp ~= 2 or values.psn >= 0x10000 or values.op > 1 then
        complain(packet, tree, found.unexpected, "QP is not 2, id exceeds 16 bits, or operation is undefined")
    end
end
EETH.after = ERTH.after

-- What a uSID of our own plan says by itself (docs/fabric.md §5).
local function usid_note(usid)
    local indexes = 2 ^ scheme.index_bits
    local type_name = USID_TYPES[math.floor(usid / indexes) % 8]
    local plane = indexes < 8192 and format("plane %d, ", math.floor(usid / indexes / 8)) or ""

    return type_name and format(" (%s%s %d)", plane, type_name, usid % indexes) or ""
end

-- The uSIDs of an address below an item with the whole list, with their names if the plan is known. A downlink is
-- local to the switch before it: `before` is the uSID before this address, and the last one is returned.
local function show_usids(tree, shown_as, address, before)
    local usids, texts = {}, {}

    for at = prefs.block_bytes, 14, 2 do
        if address(at, 2):uint() == 0 then
            break
        end
        usids[#usids + 1] = address(at, 2)
        texts[#texts + 1] = format("%04x", address(at, 2):uint())
    end
    local list = generated(tree, shown_as.list, address, table.concat(texts, " "))

    for i, range in ipairs(usids) do
        local name = names[texts[i]] or names[(texts[i - 1] or before) .. texts[i]]
        local item = generated(list, shown_as.usid, range, range:uint())

        item:append_text(name and " (" .. name .. ")" or usid_note(range:uint()))
        if name then
            generated(list, shown_as.hop, range, name)
        end
    end
    return texts[#texts] or before
end

local function show_entropy_value(packet, tree)
    local ev, source = entropy_value(packet.below), packet.below.udp(0, 2)
    local plane, uplink = ev_path(ev)

    packet.values.ev = ev_text(ev)
    generated(tree, fields.ev, source, ev):append_text(ev_note(ev))
    if plane then
        generated(tree, fields.plane, source, plane)
        generated(tree, fields.uplink, source, uplink)
    end
end

local function show_trimming(packet, tree, dscp)
    local lasthop = dscp == prefs.dscp_trimmed_lasthop

    if not packet.kind.is_mrc or not (lasthop or dscp == prefs.dscp_trimmed) then
        return
    end
    local item = generated(tree, fields.trimmed, packet.below.ip, true)

    packet.trimmed = lasthop and " trimmed at the last hop" or " trimmed"
    generated(tree, fields.trimmed_lasthop, packet.below.ip, lasthop)
    complain(packet, item, found.trimmed, "the packet was" .. packet.trimmed)
    if not packet.kind.is_write then
        complain(packet, item, found.unexpected, "only a WRITE can be trimmed")
    end
end

local function show_path(packet)
    local below, tree, last = packet.below, packet.tree, ""
    local dscp, ecn = path_marks(below)

    packet.ecn = ecn
    if packet.kind.is_mrc then
        show_entropy_value(packet, tree)
    end
    if below.outer then
        last = show_usids(tree, { list = fields.path, usid = fields.usid, hop = fields.hop }, below.outer(24, 16), last)
    end
    for at = 8, below.srh and below.srh:len() - 16 or 0, 16 do
        last = show_usids(tree, { list = fields.srh_path, usid = fields.srh_usid, hop = fields.srh_hop },
            below.srh(at, 16), last)
    end
    generated(tree, fields.dscp, below.outer or below.ip, dscp)
    generated(tree, fields.ecn, below.outer or below.ip, ecn)
    show_trimming(packet, tree, dscp)
end

-- Behind the headers: payload, pad, iCRC.

local PMTUS = { [256] = true, [512] = true, [1024] = true, [2048] = true, [4096] = true }

local function check_payload(packet, item, length)
    local kind, values = packet.kind, packet.values

    if (length + values.pad) % 4 ~= 0 or (values.pad > 0 and not kind.ends) then
        complain(packet, item, found.pad, format("a pad of %d behind %d bytes", values.pad, length))
    end
    if not kind.ends and not PMTUS[length] then
        complain(packet, item, found.length, kind.name .. " does not carry a whole PMTU")
    elseif kind.ends and not kind.starts and length == 0 then
        complain(packet, item, found.length, kind.name .. " carries nothing")
    elseif values.dmalen and length > values.dmalen then
        complain(packet, item, found.length, "more payload than the message has")
    end
end

-- The bytes of all headers, and from them and the UDP length those of the payload. UDP's length is the original
-- one in a trimmed packet too (docs/wire.md §14).
local function show_payload_length(packet)
    local kind, values, header_bytes = packet.kind, packet.values, 12

    for _, header in ipairs(kind.headers) do
        header_bytes = header_bytes + (header ~= TSETH and header.bytes or values.ts * header.bytes)
    end
    local length = packet.bytes - header_bytes - 4 - values.pad

    if length < 0 then
        complain(packet, packet.tree, found.malformed, format("%d bytes too short", -length))
    elseif not kind.is_write then
        if length + values.pad > 0 and kind.name then
            complain(packet, packet.tree, found.malformed, format("%d bytes too long", length + values.pad))
        end
        length = 0
    else
        check_payload(packet, generated(packet.tree, fields.payload_len, packet.tvb(), length), length)
    end
    values.payload_len = math.max(length, 0)
end

local function show_icrc(packet)
    local below, covered, range = packet.below, packet.tvb(0, packet.at), take(packet, "iCRC", 4)

    if not range then
        return
    end
    local item, status = packet.tree:add(fields.icrc, range), UNVERIFIED

    if prefs.check_icrc and below.ip then
        local computed = compute_icrc(below, covered)

        status = computed == range:uint() and GOOD or BAD
        generated(item, fields.icrc_computed, range, computed)
    end
    generated(item, fields.icrc_status, range, status)
    item:append_text(" (" .. CHECK[status] .. ")")
    if status == BAD then
        complain(packet, item, found.icrc, "bad iCRC")
    end
end

local function show_tail(packet)
    local payload, pad = packet.values.payload_len, packet.kind.is_write and packet.values.pad or 0
    local leftover = packet.bytes - packet.at - payload - pad - 4

    for _, part in ipairs({
        { fields.payload, "payload", payload },
        { fields.padding, "pad", pad },
        { fields.leftover, "packet", leftover },
    }) do
        local field, title, bytes = part[1], part[2], part[3]
        local range = bytes > 0 and take(packet, title, bytes)
        local item = range and packet.tree:add(field, range)

        if bytes ~= 0 and not range then
            return
        elseif title == "pad" and range and not is_zero(range) then
            complain(packet, item, found.pad, "the pad is not zero")
        end
    end
    show_icrc(packet)
end

-- Returns whether all headers are there, or all that a switch must leave of a trimmed packet.
local function show_headers(packet)
    for _, header in ipairs(packet.kind.headers) do
        local cut = packet.tvb:len() - packet.at < header.bytes

        if packet.trimmed and cut and (header == RETH or header == IMMDT) then
            return true
        elseif (header ~= TSETH or packet.values.ts == 1) and not show_header(packet, header) then
            return false
        end
    end
    return true
end

-- Returns whether nothing is missing that the Info column speaks of.
local function show_packet(packet)
    local bth = packet.kind.is_mrc and BTH[prefs.byte1_order] or ROCE_BTH

    if packet.below.ip then
        show_path(packet)
    end
    if not show_header(packet, bth) or not show_headers(packet) then
        return false
    end
    show_payload_length(packet)
    if not packet.trimmed then
        show_tail(packet)
    elseif packet.tvb:len() > packet.at then
        packet.tree:add(fields.trimmed_rest, packet.tvb(packet.at))
    end
    return true
end

-- Kinds of packets by opcode: their headers, and their line in the Info column.

local function destination(values)
    return format(" PSN 0x%06x QP 0x%x", values.psn, values.dqp) .. (values.ev and " EV " .. values.ev or "")
end

local function write_info(values)
    return OPCODES[values.opcode] .. destination(values) .. (values.msn and " msn " .. values.msn or "")
        .. (values.imm and format(" imm 0x%08x", values.imm) or "") .. format(" %d B", values.payload_len)
        .. (values.ackreq == 1 and " AckReq" or "") .. (values.rtx == 1 and " rtx" or "")
end

local function ack_info(values)
    return values.meaning .. destination(values) .. " msn " .. values.msn
end

local function endpoint_info(values)
    return format("%s %s id 0x%04x EV %s", OPCODES[values.opcode], EP_OPS[values.op], values.psn % 0x10000,
        values.ev or "?") .. (values.port_status_mask and ports_note(values.port_status_mask, values) or "")
end

local function unknown_info(values)
    return format("Opcode 0x%02x", values.opcode) .. destination(values)
end

local OTHER = { headers = {}, info = unknown_info }
local kinds = {
    [0x11] = { headers = { AETH }, info = ack_info },
    [0x81] = { headers = { CNP }, info = function(values)
        return format("CNP QP 0x%x", values.dqp)
    end },
    [0xd1] = { headers = { AETH }, info = ack_info },
    [0xd8] = { headers = { ERTH }, info = endpoint_info },
    [0xd9] = { headers = { EETH }, info = endpoint_info },
    [0xdc] = { headers = { SETH, CC_STATE }, info = function(values)
        return "SACK" .. destination(values) .. " for " .. values.trigger .. " on " .. ev_text(values.entropy)
            .. (values.m > 0 and " " .. SACK_M[values.m] or "") .. " ooo " .. values.ooo_count
    end },
    [0xdd] = { headers = { NETH }, info = function(values)
        return "NACK " .. (NACK_REASONS[values.reason] or format("reason 0x%02x", values.reason))
            .. destination(values) .. " on " .. ev_text(values.entropy)
    end },
    [0xde] = { headers = { PETH }, info = function(values)
        return format("Probe Request id 0x%04x QP 0x%x EV %s", values.probe_id, values.dqp, values.ev or "?")
    end },
}
for i in ipairs(WRITES) do
    local starts, ends, immediate = i == 1 or i >= 5, i >= 3, (i == 4 or i == 6) and IMMDT or nil
    local roce_headers = starts and { RETH, immediate } or { immediate }
    local mrc_headers = { METH, TSETH, RETH, immediate }

    kinds[0x05 + i] = { headers = roce_headers, info = write_info, is_write = true, starts = starts, ends = ends }
    kinds[0xc5 + i] = { headers = mrc_headers, info = write_info, is_write = true, starts = starts, ends = ends }
end
for opcode = 0xc0, 0xdf do
    kinds[opcode] = kinds[opcode] or { headers = {}, info = unknown_info }
    kinds[opcode].is_mrc = true
end
for opcode, kind in pairs(kinds) do
    kind.name = OPCODES[opcode]
end

-- Registration.

local ROCE_PORT = 4791
local udp_ports = DissectorTable.get("udp.port")
local stock_roce = udp_ports:get_dissector(ROCE_PORT)
local claimed = {}
local taken = false -- whether this frame has come to us

-- Whether the stock dissector took a packet that is none of ours. It throws at the end of what was captured, and
-- such a throw out of C passes Lua by and uses up its stack: only packets that are whole may go there.
local function hand_over(tvb, pinfo, root)
    return stock_roce and tvb:len() == tvb:reported_len() and pcall(stock_roce.call, stock_roce, tvb, pinfo, root)
end

local function dissect(tvb, pinfo, root)
    local kind = tvb:len() > 0 and kinds[tvb(0, 1):uint()] or OTHER

    if claimed[pinfo.src_port] and not claimed[pinfo.dst_port] then
        return 0
    end
    taken = true
    if kind == OTHER and hand_over(tvb, pinfo, root) then
        return tvb:len()
    end
    local below = headers_below(tvb)
    local plan = below.outer and plans[format("%08x", below.outer(24, 4):uint())]
    local packet = { tvb = tvb, at = 0, kind = kind, below = below, values = {}, faults = {} }
    local protocol = kind.is_mrc and "MRC" or "RoCEv2"

    scheme, names = plan or prefs, plan and plan.names or {}
    packet.bytes = below.udp and below.udp(4, 2):uint() - 8 or tvb:reported_len()
    packet.tree = root:add(mrc, tvb())
    pinfo.cols.protocol = protocol
    if kind.is_mrc and not kind.name then
        complain(packet, packet.tree, found.opcode, "undefined opcode")
    end
    local info = show_packet(packet) and kind.info(packet.values) or kind.name or "Opcode unknown"

    info = info .. (packet.ecn == CE and not packet.trimmed and " CE" or "") .. (packet.trimmed or "")
    packet.tree:set_text(protocol .. ", " .. info)
    pinfo.cols.info = info .. table.concat(packet.faults)
    return tvb:len()
end
mrc.dissector = dissect

-- Wireshark asks the lower port first, so an EV that ends in 53 goes to DNS. With udp.try_heuristic_first we are
-- asked before; otherwise we look at the frame once more, and are given the rest of its conversation.
mrc:register_heuristic("udp", function(tvb, pinfo, root)
    return prefs.any_source_port and claimed[pinfo.dst_port] ~= nil and dissect(tvb, pinfo, root) > 0
end)

-- Payload of the frame's last UDP header if that goes to one of our ports, and is in the frame as it came.
local function missed_payload(tvb)
    local items = { udp_items() }
    local udp = items[#items]

    if not udp or udp.len < 8 or not claimed[udp.range(2, 2):uint()] then
        return nil
    end
    local bytes = math.min(udp.range(4, 2):uint(), tvb:len() - udp.offset)

    if bytes <= 8 or tostring(udp.range(0, 8):bytes()) ~= tostring(tvb(udp.offset, 8):bytes()) then
        return nil
    end
    return tvb(udp.offset + 8, bytes - 8):tvb()
end

function second_look.dissector(tvb, pinfo, root)
    local payload = prefs.any_source_port and not taken and missed_payload(tvb)

    if payload then
        pinfo.conversation = mrc
        dissect(payload, pinfo, root)
    end
    taken = false
end
register_postdissector(second_look)

local function register()
    for port in pairs(claimed) do
        udp_ports:remove(port, mrc)
    end
    claimed = {}
    if stock_roce then
        udp_ports:add(ROCE_PORT, stock_roce)
    end
    for first, last in prefs.ports:gmatch("(%d+)%-?(%d*)") do
        for port = tonumber(first), tonumber(last) or tonumber(first) do
            claimed[port] = true
            udp_ports:add(port, mrc)
        end
    end
end

local plan_path = ""
function mrc.prefs_changed()
    register()
    if prefs.plan ~= plan_path then
        plan_path, plans = prefs.plan, {}
        if plan_path ~= "" then
            read_plans(plan_path)
        end
    end
end
register()
