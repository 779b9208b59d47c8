// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.tuple.ComponentCodec;

/** Makes names and paths usable as components of tuples: stores their bytes. */
@Internal
public final class ByteStringCodec implements ComponentCodec<ByteString> {

    /** Called by the service loader. */
    public ByteStringCodec() {}

    @Override
    public Class<ByteString> type() {
        return ByteString.class;
    }

    @Override
    public byte[] encode(ByteString value) {
        return value.toBytes();
    }

    @Override
    public ByteString decode(byte[] bytes) {
        return ByteString.of(bytes);
    }
}
