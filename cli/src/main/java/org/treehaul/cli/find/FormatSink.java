// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.io.ByteArrayOutputStream;
import java.util.List;

import org.treehaul.cli.report.Output;
import org.treehaul.core.entry.ByteString;
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
    private final Text text = new Text();

    FormatSink(Output output, PrintFormat format, List<Root> roots) {
        this.output = output;
        this.format = format;
        this.values = new FoundValues(roots);
    }

    @Override
    void write(byte[] prefix, FoundEntry<byte[]> found) throws SystemCallException {
        write(found);
    }

    @Override
    void write(FoundValues.Subject entry, ByteString path) throws SystemCallException {
        write(entry);
    }

    private void write(FoundValues.Subject entry) throws SystemCallException {
        int before = text.size();
        boolean isWhole = false;
        try {
            format.print(entry, values.of(entry), text);
            isWhole = true;
        } finally {
            if (!isWhole) {
                text.cutTo(before);
            }
        }
        if (text.size() >= FULL) {
            flush();
        }
    }

    @Override
    void flush() {
        output.write(text.toByteArray(), text.size());
        text.reset();
    }

    private static final class Text extends ByteArrayOutputStream {

        Text() {
            super(FULL + 8192);
        }

        void cutTo(int size) {
            count = size;
        }
    }
}
