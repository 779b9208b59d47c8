// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.common.net.Secret;

/**
 * A rank and rank 0 prove to each other that they know the secret without sending it: each answers a random number of
 * the other with a code that only the secret can produce.
 */
final class Handshake {

    private static final String MAGIC = "treehaul-ranks 1";
    private static final byte AS_RANK = 1;
    private static final byte AS_HEAD = 2;

    /**
     * The rank's description of itself.
     *
     * @param rank its number
     * @param size the number of ranks that it expects
     */
    record Hello(int rank, int size, String version, String plan, String host) {

        private byte[] bytes() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeInt(rank);
                out.writeInt(size);
                out.writeUTF(version);
                out.writeUTF(plan);
                out.writeUTF(host);
            }
            return bytes.toByteArray();
        }

        private static Hello read(byte[] bytes) throws IOException {
            try (DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(bytes))) {
                return new Hello(in.readInt(), in.readInt(), in.readUTF(), in.readUTF(),
                        ByteString.printable(in.readUTF()));
            }
        }
    }

    /** Thrown when the other end is not the expected member of the group. */
    static final class StrangerException extends IOException {
        private static final long serialVersionUID = 1;

        StrangerException(String message) {
            super(message);
        }
    }

    private Handshake() {}

    /** Identifies this rank to rank 0, and verifies that the other end is rank 0 of the group. */
    static void asRank(DataInputStream in, DataOutputStream out, String secret, Hello hello) throws IOException {
        try {
            requireMagic(in);
            byte[] theirs = in.readNBytes(Secret.BYTES);
            byte[] mine = Secret.challenge();
            byte[] payload = hello.bytes();
            out.writeUTF(MAGIC);
            out.write(mine);
            out.writeShort(payload.length);
            out.write(payload);
            out.write(Secret.code(secret, AS_RANK, theirs, mine, payload));
            out.flush();
            byte[] answer = in.readNBytes(Secret.BYTES);
            if (answer.length < Secret.BYTES) {
                throw new StrangerException("rank 0 of this group did not answer there");
            }
            if (!MessageDigest.isEqual(answer, Secret.code(secret, AS_HEAD, theirs, mine, payload))) {
                throw new StrangerException("rank 0 of another group answered there");
            }
        } catch (EOFException e) {
            throw new StrangerException("rank 0 of this group did not answer there");
        }
    }

    /** Verifies a rank and returns its description of itself. */
    static Hello asHead(DataInputStream in, DataOutputStream out, String secret) throws IOException {
        byte[] mine = Secret.challenge();
        out.writeUTF(MAGIC);
        out.write(mine);
        out.flush();
        requireMagic(in);
        byte[] theirs = in.readNBytes(Secret.BYTES);
        byte[] payload = in.readNBytes(in.readUnsignedShort());
        byte[] code = in.readNBytes(Secret.BYTES);
        if (!MessageDigest.isEqual(code, Secret.code(secret, AS_RANK, mine, theirs, payload))) {
            throw new StrangerException("it does not know the secret");
        }
        out.write(Secret.code(secret, AS_HEAD, mine, theirs, payload));
        out.flush();
        return Hello.read(payload);
    }

    private static void requireMagic(DataInputStream in) throws IOException {
        // readUTF would accept any length that a stranger sends.
        byte[] expected = MAGIC.getBytes(StandardCharsets.US_ASCII);
        if (in.readUnsignedShort() != expected.length
                || !MessageDigest.isEqual(in.readNBytes(expected.length), expected)) {
            throw new StrangerException("it speaks another protocol or version");
        }
    }
}
