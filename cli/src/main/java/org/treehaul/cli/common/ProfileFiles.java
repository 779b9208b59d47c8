// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.treehaul.core.entry.ByteString;
import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.profile.RankProfile;

/** Writes profiles of ranks into a directory, which need not exist. */
public final class ProfileFiles {

    private static final String TRIAL = ".treehaul-profile";

    private final ByteString directory;

    private ProfileFiles(ByteString directory) {
        this.directory = directory;
    }

    /**
     * Creates the directory if it does not exist, and a file in it, which is removed again: a failure now is better
     * than one at the end.
     */
    public static ProfileFiles into(ByteString directory) throws IOException {
        ProfileFiles files = new ProfileFiles(directory);
        ByteFiles.makeDirectory(directory);
        ByteFiles.write(files.below(TRIAL), new byte[1]);
        ByteFiles.remove(files.below(TRIAL));
        return files;
    }

    /** Returns a directory in this one. */
    public ProfileFiles in(String name) throws IOException {
        return into(below(name));
    }

    /** Writes the files of the profile of walks by some ranks, like {@link #write(RankProfile)}. */
    void write(List<RankReport> reports) throws IOException {
        write(RankProfile.ofWalks(reports));
    }

    /** Writes all files; if this fails, some of them may exist. */
    public void write(RankProfile profile) throws IOException {
        for (Map.Entry<String, String> file : profile.files().entrySet()) {
            ByteFiles.write(below(file.getKey()), file.getValue().getBytes(StandardCharsets.UTF_8));
        }
    }

    private ByteString below(String name) {
        byte[] parent = directory.toBytes();
        byte[] child = ("/" + name).getBytes(StandardCharsets.US_ASCII);
        byte[] path = new byte[parent.length + child.length];
        System.arraycopy(parent, 0, path, 0, parent.length);
        System.arraycopy(child, 0, path, parent.length, child.length);
        return ByteString.of(path);
    }
}
