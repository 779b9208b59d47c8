// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.schedulers.stage.StagedFile;

/** The values of a file of a stage in the fields of conditions. */
@Internal
public record StagedValues(StagedFile file) implements EntryValues<RuntimeException> {

    @Override
    public @Nullable ByteString text(FileField field) {
        return switch (field) {
            case PATH -> file.path();
            case DIRECTORY -> ByteString.of(file.path().toBytes(), 0, Math.max(0, slash()));
            case NAME -> name();
            case EXTENSION -> FileField.extension(name());
            default -> throw new IllegalArgumentException(field.label());
        };
    }

    @Override
    public @Nullable Long number(FileField field) {
        return switch (field) {
            case DEPTH -> depth();
            case KIND -> (long) FileField.KINDS.indexOf(file.kind());
            case SIZE -> file.size();
            case EMPTY -> file.size() == 0 ? 1L : 0L;
            case MTIME -> Timestamp.sinceEpoch(file.mtimeSeconds(), file.mtimeNanos());
            case MODE -> (long) file.mode();
            case OWNER -> file.owner();
            case GROUP -> file.group();
            default -> throw new IllegalArgumentException(field.label());
        };
    }

    private ByteString name() {
        return ByteString.of(file.path().toBytes(), slash() + 1, file.path().length());
    }

    private int slash() {
        int at = file.path().length() - 1;
        while (at >= 0 && file.path().at(at) != '/') {
            at--;
        }
        return at;
    }

    private long depth() {
        long depth = 1;
        for (int i = 0; i < file.path().length(); i++) {
            depth += file.path().at(i) == '/' ? 1 : 0;
        }
        return depth;
    }
}
