// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;

/** Copies by the server that has both files: on a tmpfs that says of itself that it is NFS. */
class ServerCopyTest {

    private static final long NFS_MAGIC = 0x6969; // linux/magic.h
    private static final long SIZE = 3L * HostileTree.CHUNK_BYTES + 5;

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
        copies.with(writer -> writer.file(path("large"), SIZE, 1)
                .file(path("medium"), 400_000, 2)
                .file(path("small"), 4000, 3)
                .sparse(path("sparse"), SIZE, 8192, 2_000_000));
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static FileSystemCalls sayingNfs() {
        return (FileSystemCalls) Proxy.newProxyInstance(ServerCopyTest.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(Linux.calls(), arguments);
                        if (method.getName().equals("fstatfs")) {
                            ((MemorySegment) arguments[1]).set(ValueLayout.JAVA_LONG, 0, NFS_MAGIC);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    static Stream<List<Fault>> faults() {
        Fault copying = Fault.on(Call.COPY_FILE_RANGE);
        return Stream.of(List.of(), List.of(copying.fails(Errno.EOPNOTSUPP)), List.of(copying.nth(2).fails(Errno.EIO)),
                List.of(copying.atMost(70_001)), List.of(copying.nth(2).returns(0)),
                List.of(copying.nth(1).fails(Errno.EINTR)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void largeFilesAreCopiedByTheServerAndTheRestByReadAndWrite(List<Fault> faults) {
        for (int threads : new int[]{1, 4}) {
            CopyOptions options = archive().threads(threads).chunkBytes(HostileTree.CHUNK_BYTES).build();
            Copies.Ran ran = copies.copy(sayingNfs(), options, faults.toArray(Fault[]::new)).succeeds();
            assertThat(ran.calls().count(Call.COPY_FILE_RANGE)).isPositive();
            assertThat(ran.calls().count(Call.FSTATFS)).isPositive();
            assertThat(ran.result().counts().bytes()).isGreaterThanOrEqualTo(SIZE + 404_000);
            copies.isCopied().hasNoTemporaries();
        }
    }

    @Test
    void whatIsHashedIsRead() {
        CopyOptions options = archive().verify(CopyOptions.Verify.XXH3).build();
        assertThat(copies.copy(sayingNfs(), options).succeeds().calls().count(Call.COPY_FILE_RANGE)).isZero();
        copies.isCopied();
    }

    @Test
    void localFileSystemsAreNotAsked() {
        assertThat(copies.copy(archive().build()).succeeds().calls().count(Call.COPY_FILE_RANGE)).isZero();
    }
}
