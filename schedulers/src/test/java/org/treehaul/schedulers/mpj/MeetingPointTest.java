// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.common.net.Secret;

class MeetingPointTest {

    @TempDir
    private Path directory;

    @Test
    void itsNameAndThatOfItsDirectoryNeedNotBeText() throws Exception {
        Path odd = ByteString.of(new byte[]{'d', (byte) 0xff}).toPath();
        Path file = Files.createDirectory(directory.resolve(odd)).resolve(odd);
        MeetingPoint point = new MeetingPoint("host", List.of(InetAddress.getLoopbackAddress()), 1, Secret.make());
        point.write(file);
        assertThat(MeetingPoint.read(file)).contains(point);
    }
}
