// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common.net;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Secrets of 256 bits, and the codes by which two processes prove that they know one without sending it. */
public final class Secret {

    /** The number of bytes of a challenge and of a code. */
    public static final int BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private Secret() {}

    /** Returns a new secret in hexadecimal digits. */
    public static String make() {
        return HexFormat.of().formatHex(challenge());
    }

    /** Returns random bytes, to which the other end must answer with a code. */
    public static byte[] challenge() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /**
     * Returns the code of a message; HMAC-SHA256.
     *
     * @param secret the secret, in ASCII
     * @param role a byte that differs between the two ends, so that neither can send the other's code back
     * @param parts the parts of the message; all but the last must have lengths that both ends know
     */
    public static byte[] code(String secret, byte role, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.US_ASCII), ALGORITHM));
            mac.update(role);
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
