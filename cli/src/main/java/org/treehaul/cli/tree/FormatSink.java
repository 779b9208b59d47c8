// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.ByteArrayOutputStream;
import java.util.List;

import org.treehaul.cli.report.Output;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.Root;

/** Writes entries in a format of {@code --printf}. */
final class FormatSink extends EntrySink {

    private static final int FULL = 32 * 1024;

    private final Output output;
    private final PrintFormat format;
    private final FoundValues values;
    private final ByteArrayOutputStream text = new ByteArrayOutputStream(FULL + 8192);

    FormatSink(Output output, PrintFormat format, List<Root> roots) {
        this.output = output;
        this.format = format;
        this.values = new FoundValues(roots);
    }

    @Override
    void write(byte[] prefix, FoundEntry<byte[]> found) throws SystemCallException {
        format.print(found, values.of(found), text);
        if (text.size() >= FULL) {
            flush();
        }
    }

    @Override
    void flush() {
        output.write(text.toByteArray(), text.size());
        text.reset();
    }
}
