#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the entries of a plan, one a line: batch, root, kind, size, path, and of a chunk where it begins and ends.

    python3 read_plan.py PLAN                      (The format is described in docs/guide/plan-format.md.)
"""
import os
import struct
import sys


def entries(file, batch):
    data = open(file, "rb").read()
    if data[:4] != b"THPM" or struct.unpack_from("<II", data, 4) not in ((1, batch), (2, batch)):
        sys.exit(f"{file}: not a manifest of format 1 or 2 for batch {batch}")
    at, root, directory = 12, 0, b""
    while data[at] != 0:
        if data[at] == 1:
            root, _device, length = struct.unpack_from("<IQI", data, at + 1)
            directory, at = data[at + 17:at + 17 + length], at + 17 + length
            continue
        kind, flags, length, size, _s, _ns, _inode = struct.unpack_from("<cBHQqIQ", data, at + 1)
        name, at = data[at + 33:at + 33 + length], at + 33 + length
        at += 8 if flags & 1 else 0
        chunk = struct.unpack_from("<QQ", data, at + 8) if flags & 2 else ()
        at += (24 if flags & 2 else 0) + (8 if flags & 4 else 0) + (12 if flags & 8 else 0)
        yield root, kind, size, b"/".join(part for part in (directory, name) if part) or b".", chunk


plan = os.fsencode(sys.argv[1])
table = open(os.path.join(plan, b"batches"), "rb").read().splitlines()
if table[0] not in (b"treehaul-batches\t1", b"treehaul-batches\t2"):
    sys.exit("this is no plan of format 1 or 2")
for line in table[1:]:
    if not line.startswith(b"crc32c\t"):
        batch = int(line.split(b"\t")[0])
        for root, kind, size, path, chunk in entries(os.path.join(plan, b"manifest", b"%d" % batch), batch):
            part = b"\t%d-%d" % chunk if chunk else b""
            sys.stdout.buffer.write(b"%d\t%d\t%c\t%d\t%b%b\n" % (batch, root, kind, size, path, part))
