// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.metadata;

import java.util.function.Consumer;

import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.ProcessStatus;

/**
 * Settings that all threads of a copy share when they copy metadata. Safe for any number of threads.
 *
 * @param options determine the metadata to preserve, and to require
 * @param process the identity, capabilities and umask of this process
 * @param umask the umask for new entries; that of the process may be different
 * @param aclListing remembers whether file systems list ACLs among the attributes
 * @param fileSystems knows the kinds of the file systems
 * @param isMove whether the sources are removed afterwards: as by mv(1), the owner and set-id bits are lost with them
 *        where the destination cannot hold these
 * @param notices receives messages for the user
 */
public record MetadataSettings(CopyOptions options, ProcessStatus process, int umask, AclListing aclListing,
        FileSystemPairs fileSystems, boolean isMove, Consumer<String> notices) {

    boolean preserves(Preserve what) {
        return options.preserves(what);
    }

    boolean requires(Preserve what) {
        return options.requires(what);
    }
}
