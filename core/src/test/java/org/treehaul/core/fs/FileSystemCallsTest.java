// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import org.junit.jupiter.api.Nested;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** The contract of the calls, checked for each implementation on each kind of file system. */
class FileSystemCallsTest {

    @Nested
    class DataByLinux extends DataContract {}

    @Nested
    class NamesByLinux extends NamesContract {}

    @Nested
    class MetadataByLinux extends MetadataContract {}

    @Nested
    class DataByLinuxOnTmpfs extends DataContract {
        @Override
        protected TestDirectory place() {
            return TestDirectory.onTmpfs();
        }
    }

    @Nested
    class NamesByLinuxOnTmpfs extends NamesContract {
        @Override
        protected TestDirectory place() {
            return TestDirectory.onTmpfs();
        }
    }

    @Nested
    class MetadataByLinuxOnTmpfs extends MetadataContract {
        @Override
        protected TestDirectory place() {
            return TestDirectory.onTmpfs();
        }
    }

    @Nested
    class DataByFaults extends DataContract {
        @Override
        protected FileSystemCalls implementation() {
            return FaultInjectingCalls.over(Linux.calls());
        }
    }

    @Nested
    class NamesByFaults extends NamesContract {
        @Override
        protected FileSystemCalls implementation() {
            return FaultInjectingCalls.over(Linux.calls());
        }
    }

    @Nested
    class MetadataByFaults extends MetadataContract {
        @Override
        protected FileSystemCalls implementation() {
            return FaultInjectingCalls.over(Linux.calls());
        }
    }
}
