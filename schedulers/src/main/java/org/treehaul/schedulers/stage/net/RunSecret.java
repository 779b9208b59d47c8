// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.UnsafePathException;

/**
 * The secret that the servers and clients of a run share, from a file that only its owner may read. A process that
 * knows it may read and change all segments. Never sent. Immutable.
 */
public final class RunSecret {

    /** The length of the code that proves the secret, in bytes. */
    static final int CODE_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int FEWEST = 32;
    private static final int MOST = 4096;
    private static final String REMEDY = "make one that all nodes see: (umask 077; head -c 32 /dev/urandom | base64 > ";

    private final ByteString file;
    private final SecretKeySpec key;

    private RunSecret(ByteString file, byte[] key) {
        this.file = file;
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /**
     * Reads the secret: the bytes of the file without the ends of lines after them.
     *
     * @param file the path, as this process sees it
     * @throws UnsafePathException if another user owns the file, or it is open to others
     * @throws IOException if it cannot be read, or has fewer than 32 bytes or more than 4096
     */
    public static RunSecret read(ByteString file) throws IOException {
        try {
            return of(file, OwnFile.read(file, "secret", MOST + 1));
        } catch (SystemCallException e) {
            throw new IOException("the secret in " + file + " cannot be read: " + e.getMessage()
                    + (e.errno() == Errno.ENOENT ? "; " + REMEDY + file + ")" : ""), e);
        }
    }

    private static RunSecret of(ByteString file, byte[] bytes) throws IOException {
        int length = bytes.length;
        while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
            length--;
        }
        if (length < FEWEST || bytes.length > MOST) {
            throw new IOException("a secret has " + FEWEST + " to " + MOST + " bytes, but that in " + file + " has "
                    + (bytes.length > MOST ? "more" : length) + "; " + REMEDY + file + ")");
        }
        return new RunSecret(file, Arrays.copyOf(bytes, length));
    }

    /** Returns the path of the file. */
    public ByteString file() {
        return file;
    }

    /** Returns a code of some parts that only the secret can produce. Every part must have a fixed length. */
    byte[] code(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the path, not the secret. */
    @Override
    public String toString() {
        return "the secret in " + file;
    }
}
