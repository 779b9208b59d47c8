// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * The behaviour of the files of a store, for every store. A subclass says whether data are written at any offset
 * ({@link OffsetContract}) or only in order ({@link OrderContract}).
 */
public abstract class FileContract {

    private final Arena arena = Arena.ofShared();

    /** Creates an empty file and opens it for writing and reading; the fixture closes and removes it. */
    protected abstract TargetFile target() throws SystemCallException;

    /** Opens a file that {@link #target} created as the source of a copy, at its beginning. */
    protected abstract SourceFile source(TargetFile written) throws SystemCallException;

    /** Returns whether files of the store can share data. */
    protected abstract boolean clones();

    @AfterEach
    void free() {
        arena.close();
    }

    final MemorySegment data(String text) {
        return arena.allocateFrom(text, StandardCharsets.UTF_8).asSlice(0, text.length());
    }

    final MemorySegment memory(long size) {
        return arena.allocate(size, 8);
    }

    static String text(MemorySegment buffer, long length) {
        return new String(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    final TargetFile file(String content) throws SystemCallException {
        TargetFile file = target();
        file.write(data(content));
        return file;
    }

    final String contentOf(StoredFile file) throws SystemCallException {
        MemorySegment buffer = memory(file.status().size() + 1);
        return text(buffer, file.readFully(buffer, 0));
    }

    @Test
    void readsInOrderUntilTheEnd() throws SystemCallException {
        SourceFile file = source(file("hello world"));
        MemorySegment buffer = memory(8);
        assertThat(file.readFully(buffer)).isEqualTo(8);
        assertThat(text(buffer, 8)).isEqualTo("hello wo");
        assertThat(file.readFully(buffer)).isEqualTo(3);
        assertThat(text(buffer, 3)).isEqualTo("rld");
        assertThat(file.read(buffer)).isZero();
        file.rewind();
        assertThat(file.read(buffer.asSlice(0, 5))).isEqualTo(5);
        assertThat(text(buffer, 5)).isEqualTo("hello");
    }

    @Test
    void readsAtOffsetsWithoutMovingThePosition() throws SystemCallException {
        SourceFile file = source(file("0123456789"));
        MemorySegment buffer = memory(4);
        assertThat(file.read(buffer.asSlice(0, 2))).isEqualTo(2);
        assertThat(file.read(buffer, 5)).isEqualTo(4);
        assertThat(text(buffer, 4)).isEqualTo("5678");
        assertThat(file.readFully(buffer, 8)).isEqualTo(2);
        assertThat(text(buffer, 2)).isEqualTo("89");
        assertThat(file.read(buffer, 10)).isZero();
        assertThat(file.read(buffer, 1000)).isZero();
        assertThat(file.read(buffer.asSlice(0, 1))).isEqualTo(1);
        assertThat(text(buffer, 1)).isEqualTo("2");
    }

    @Test
    void writesInOrder() throws SystemCallException {
        TargetFile file = target();
        file.write(data("one "));
        file.write(memory(0));
        file.write(data("two"));
        assertThat(contentOf(file)).isEqualTo("one two");
        assertThat(file.status().size()).isEqualTo(7);
    }

    @Test
    void sharesDataOrRefuses() throws SystemCallException {
        SourceFile source = source(file("0123456789"));
        TargetFile target = target();
        if (clones()) {
            target.cloneFrom(source);
            assertThat(contentOf(target)).isEqualTo("0123456789");
        } else {
            assertThatThrownBy(() -> target.cloneFrom(source)).isInstanceOfSatisfying(SystemCallException.class,
                    e -> assertThat(Errno.isUnsupported(e.errno())).as(e.getMessage()).isTrue());
            assertThat(target.status().size()).isZero();
        }
    }

    @Test
    void filesOfOtherStoresAreRefused() throws SystemCallException {
        SourceFile foreign = new ForeignFile();
        TargetFile target = target();
        assertThat(target.copyFrom(foreign, 0, 5)).isEqualTo(TargetFile.CANNOT);
        assertThatThrownBy(() -> target.cloneFrom(foreign)).isInstanceOfSatisfying(SystemCallException.class,
                e -> assertThat(Errno.isUnsupported(e.errno())).as(e.getMessage()).isTrue());
    }
}
