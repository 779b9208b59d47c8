// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.UUID;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The first messages of a connection. Each end proves that it knows the secret without sending it: it answers a random
 * number of the other end with a code of both numbers, which only the secret can produce. The code also covers the
 * certificate that the end has seen or shown, so that with TLS no third party can relay the messages, whatever
 * certificate it has.
 * <p>
 * The server begins: magic, version, number. The client: magic, version, id of the client, number, code. The server:
 * verdict, code, id of its directory, window. A server that refuses ends after the verdict.
 */
final class Greeting {

    static final int NUMBER_BYTES = 32;
    static final int ID_BYTES = 2 * Long.BYTES;
    /** The rest of the server's first message, after magic and version. */
    static final int SERVER_BYTES = NUMBER_BYTES;
    /** The rest of the client's message, after magic and version. */
    static final int CLIENT_BYTES = ID_BYTES + NUMBER_BYTES + RunSecret.CODE_BYTES;
    /** The rest of the server's second message, after the verdict. */
    static final int WELCOME_BYTES = RunSecret.CODE_BYTES + ID_BYTES + Integer.BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final byte[] OF_CLIENT = label("treehaul segments, client");
    private static final byte[] OF_SERVER = label("treehaul segments, server");
    private static final int LABEL_BYTES = 32;

    /** The decision of a server about a client. */
    enum Verdict {
        /** The client may send requests. */
        WELCOME('w'),
        /** It speaks another version. */
        OTHER_VERSION('v'),
        /** It does not know the secret. */
        WRONG_SECRET('s'),
        /** The server has the largest number of clients already. */
        FULL('f');

        private final byte code;

        Verdict(char code) {
            this.code = (byte) code;
        }

        byte code() {
            return code;
        }

        static Verdict of(byte code) throws Wire.BrokenException {
            for (Verdict verdict : values()) {
                if (verdict.code == code) {
                    return verdict;
                }
            }
            throw new Wire.BrokenException("it does not speak this protocol");
        }
    }

    private Greeting() {}

    private static byte[] label(String text) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), LABEL_BYTES);
    }

    static byte[] newNumber() {
        byte[] number = new byte[NUMBER_BYTES];
        RANDOM.nextBytes(number);
        return number;
    }

    static ByteBuf ofServer(ByteBufAllocator allocator, byte[] number) {
        return allocator.buffer(Wire.MAGIC_BYTES + SERVER_BYTES)
                .writeLong(Wire.MAGIC)
                .writeShort(Wire.VERSION)
                .writeBytes(number);
    }

    static ByteBuf ofClient(ByteBufAllocator allocator, UUID client, byte[] number, byte[] code) {
        return allocator.buffer(Wire.MAGIC_BYTES + CLIENT_BYTES)
                .writeLong(Wire.MAGIC)
                .writeShort(Wire.VERSION)
                .writeLong(client.getMostSignificantBits())
                .writeLong(client.getLeastSignificantBits())
                .writeBytes(number)
                .writeBytes(code);
    }

    static ByteBuf welcome(ByteBufAllocator allocator, byte[] code, UUID directory, int window) {
        return allocator.buffer(Byte.BYTES + WELCOME_BYTES)
                .writeByte(Verdict.WELCOME.code())
                .writeBytes(code)
                .writeLong(directory.getMostSignificantBits())
                .writeLong(directory.getLeastSignificantBits())
                .writeInt(window);
    }

    /**
     * Reads magic and version.
     *
     * @return the version of the other end
     */
    static short version(ByteBuf bytes) throws Wire.BrokenException {
        if (bytes.readLong() != Wire.MAGIC) {
            throw new Wire.BrokenException("it does not speak this protocol");
        }
        return bytes.readShort();
    }

    static UUID id(ByteBuf bytes) {
        return new UUID(bytes.readLong(), bytes.readLong());
    }

    static byte[] bytes(ByteBuf from, int number) {
        byte[] bytes = new byte[number];
        from.readBytes(bytes);
        return bytes;
    }

    /**
     * Returns the code of the client.
     *
     * @param certificate the SHA-256 of the server's certificate; 32 zeros without TLS
     */
    static byte[] clientCode(RunSecret secret, byte[] server, byte[] client, UUID id, byte[] certificate) {
        return secret.code(OF_CLIENT, server, client, bytes(id), certificate);
    }

    /** Returns the code of the server, which also covers the id of its directory. */
    static byte[] serverCode(RunSecret secret, byte[] server, byte[] client, UUID directory, byte[] certificate) {
        return secret.code(OF_SERVER, server, client, bytes(directory), certificate);
    }

    /** Compares two codes in a time that does not depend on where they differ. */
    static boolean isEqual(byte[] code, byte[] expected) {
        return MessageDigest.isEqual(code, expected);
    }

    private static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(ID_BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }
}
