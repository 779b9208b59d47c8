// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.transfer.directory.ManyFiles;
import org.treehaul.core.transfer.directory.TransferDirectory;

/** Reads the progress of many attempts of a transfer, each as {@link BatchProgress#read} does. Used by one thread. */
public final class ProgressReader implements AutoCloseable {

    private final Path directory;
    private final ManyFiles files;
    private String host = "";
    private String job = "";

    public ProgressReader(TransferDirectory transfer) {
        this.directory = transfer.progress();
        this.files = new ManyFiles(directory);
    }

    /** Reads the progress of an attempt; empty if it is missing or damaged. */
    public Optional<BatchProgress> read(AttemptName name) throws IOException {
        String file = name.toString();
        int length = files.read(file);
        Optional<BatchProgress> usual = length < 0
                ? Optional.empty()
                : new ProgressText(files.content(), length).progress(host, job);
        if (usual.isEmpty()) {
            return BatchProgress.read(directory.resolve(file));
        }
        host = usual.get().host();
        job = usual.get().job();
        return usual;
    }

    @Override
    public void close() {
        files.close();
    }
}
