// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A private key in a PEM file, in each form that OpenSSL writes without a password: {@code PRIVATE KEY} (PKCS-8, RFC
 * 5958), {@code RSA PRIVATE KEY} (PKCS-1, RFC 8017 appendix A.1.2) and {@code EC PRIVATE KEY} (RFC 5915).
 */
final class PemKey {
    private static final Pattern KEY = Pattern
            .compile("-----BEGIN (|RSA |EC )PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END");
    private static final int INTEGER = 2;
    private static final int OCTETS = 4;
    private static final int SEQUENCE = 0x30;
    /** The first byte of a length says with this bit that it is the number of bytes that follow. */
    private static final int LONG = 0x80;
    private static final int BYTE = 0xff;

    private PemKey() {}

    /** Returns whether the content of a file is in PEM, and not in a binary format. */
    static boolean isPem(byte[] content) {
        return text(content).contains("-----BEGIN ");
    }

    /** Returns whether a PEM file protects the key with a password. */
    static boolean isEncrypted(byte[] content) {
        return text(content).contains("ENCRYPTED");
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reads a key.
     *
     * @param certified the key in the certificate, which has the algorithm if the file does not name it
     * @throws GeneralSecurityException when the file has no such key
     */
    static PrivateKey read(byte[] content, PublicKey certified) throws GeneralSecurityException {
        Matcher found = KEY.matcher(text(content));
        if (!found.find()) {
            throw new GeneralSecurityException("it contains no private key");
        }
        byte[] key = Base64.getMimeDecoder().decode(found.group(2));
        if (!found.group(1).isEmpty()) {
            key = element(SEQUENCE, element(INTEGER, new byte[]{0}), algorithm(certified), element(OCTETS, key));
        }
        return KeyFactory.getInstance(certified.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(key));
    }

    /** Returns the identifier of the algorithm, the first element of a SubjectPublicKeyInfo (RFC 5280, 4.1). */
    private static byte[] algorithm(PublicKey key) {
        ByteBuffer info = ByteBuffer.wrap(key.getEncoded());
        enter(info);
        int begin = info.position();
        int length = enter(info);
        byte[] algorithm = new byte[info.position() + length - begin];
        info.get(begin, algorithm);
        return algorithm;
    }

    /** Passes tag and length of an element, and returns the length of its content. */
    private static int enter(ByteBuffer der) {
        der.get();
        int length = der.get() & BYTE;
        if (length >= LONG) {
            int bytes = length - LONG;
            length = 0;
            for (int i = 0; i < bytes; i++) {
                length = (length << 8) | (der.get() & BYTE);
            }
        }
        return length;
    }

    /** Returns an element of DER with a content of less than 64 KiB. */
    private static byte[] element(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        int length = content.size();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        if (length > BYTE) {
            all.write(LONG + 2);
            all.write(length >> 8);
        } else if (length >= LONG) {
            all.write(LONG + 1);
        }
        all.write(length);
        all.writeBytes(content.toByteArray());
        return all.toByteArray();
    }
}
