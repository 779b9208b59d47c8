// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;

/** Calls with which each file system seems to be a Lustre, whose files have the layouts that a test gives them. */
public class LustreCalls extends InterceptedCalls {

    private static final long MAGIC = 0x0BD00BD0L;

    private final Map<String, ByteString> layouts = new ConcurrentHashMap<>();
    private final AtomicInteger types = new AtomicInteger();
    private final AtomicInteger attributes = new AtomicInteger();

    /** Decorates calls; no file has a layout yet. */
    public LustreCalls(FileSystemCalls calls) {
        super(calls);
    }

    /** Sets the layout of all files with a name. */
    public LustreCalls layout(String name, ByteString layout) {
        layouts.put(name, layout);
        return this;
    }

    /** Returns how often the type of a file system was read. */
    int types() {
        return types.get();
    }

    /** Returns how often an attribute was read. */
    int attributes() {
        return attributes.get();
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        return made.getAsLong();
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        types.incrementAndGet();
        int code = calls.fstatfs(descriptor, result);
        result.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, MAGIC);
        return code;
    }

    @Override
    public long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value) {
        attributes.incrementAndGet();
        if (!text(attribute).equals("lustre.lov")) {
            return calls.lgetxattr(path, attribute, value);
        }
        String whole = text(path);
        ByteString layout = layouts.get(whole.substring(whole.lastIndexOf('/') + 1));
        if (layout == null) {
            return -Errno.ENODATA;
        }
        MemorySegment.copy(layout.toBytes(), 0, value, ValueLayout.JAVA_BYTE, 0, layout.length());
        return layout.length();
    }

    private static String text(MemorySegment segment) {
        return segment.getString(0, StandardCharsets.ISO_8859_1);
    }
}
