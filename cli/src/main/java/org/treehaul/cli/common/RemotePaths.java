// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.entry.ByteString;

/** Recognises operands that name a file on another host, as those of scp and rsync do, or in an object store. */
public final class RemotePaths {

    // host:/path, user@host:path, rsync://host/path, s3://bucket
    private static final Pattern REMOTE = Pattern
            .compile("([a-z][a-z0-9+.-]*:/|[A-Za-z0-9._-]+:/|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:).*", Pattern.DOTALL);

    private static final byte[] STAGE = "stage:".getBytes(StandardCharsets.US_ASCII);

    private RemotePaths() {}

    /** Returns whether an operand names an entry of a stage: {@code stage:NAME/PATH}. */
    public static boolean isStaged(ByteString operand) {
        return operand.has(STAGE, 0);
    }

    /** Returns whether one of several operands does. */
    public static boolean areStaged(List<ByteString> operands) {
        for (ByteString operand : operands) {
            if (isStaged(operand)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a message about the first operand that is remote and exists neither here nor as a directory to copy into.
     */
    public static Optional<String> problem(List<ByteString> operands) {
        for (ByteString operand : operands) {
            String text = operand.toString();
            if (isStaged(operand) && isMissing(operand)) {
                return Optional.of("'" + text + "' names an entry of a stage, which cp, cmp and walk take, and this "
                        + "command does not. A local file of this name is './" + text + "'");
            }
            Matcher remote = REMOTE.matcher(text);
            if (remote.matches() && isMissing(operand)
                    && isMissing(ByteString.of(remote.group(1).replaceFirst("/$", "")))) {
                return Optional.of("'" + text
                        + "' names another host, and remote hosts are not supported: mount its file system here. "
                        + "A local file of this name is './" + text + "'");
            }
        }
        return Optional.empty();
    }

    private static boolean isMissing(ByteString path) {
        try {
            return ByteFiles.find(path).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }
}
