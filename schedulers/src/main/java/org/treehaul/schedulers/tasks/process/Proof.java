// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.common.net.Secret;

/**
 * A process and the creator of its group prove to each other that they know the secret without sending it: each answers
 * random bytes of the other with a code that only the secret can produce.
 */
final class Proof {

    private static final String PROTOCOL = "treehaul-tasks 1";
    private static final byte AS_PROCESS = 1;
    private static final byte AS_CREATOR = 2;

    private Proof() {}

    /** Thrown when the other end is not of this group. */
    static final class StrangerException extends IOException {
        private static final long serialVersionUID = 1;

        StrangerException(String message) {
            super(message);
        }
    }

    /** Introduces this process to the creator, and verifies that the other end is the creator. */
    static void asProcess(DataInputStream in, DataOutputStream out, String secret, int number) throws IOException {
        try {
            requireProtocol(in);
            byte[] theirs = in.readNBytes(Secret.BYTES);
            byte[] mine = Secret.challenge();
            byte[] name = name(number);
            out.writeUTF(PROTOCOL);
            out.write(mine);
            out.write(name);
            out.write(Secret.code(secret, AS_PROCESS, theirs, mine, name));
            out.flush();
            byte[] answer = in.readNBytes(Secret.BYTES);
            if (!MessageDigest.isEqual(answer, Secret.code(secret, AS_CREATOR, theirs, mine, name))) {
                throw new StrangerException("the creator of another group answered there");
            }
        } catch (EOFException e) {
            throw new StrangerException("the creator of the group did not answer there");
        }
    }

    /** Verifies a process, and returns its number. */
    static int asCreator(DataInputStream in, DataOutputStream out, String secret) throws IOException {
        byte[] mine = Secret.challenge();
        out.writeUTF(PROTOCOL);
        out.write(mine);
        out.flush();
        requireProtocol(in);
        byte[] theirs = in.readNBytes(Secret.BYTES);
        byte[] name = in.readNBytes(Integer.BYTES);
        byte[] code = in.readNBytes(Secret.BYTES);
        if (!MessageDigest.isEqual(code, Secret.code(secret, AS_PROCESS, mine, theirs, name))) {
            throw new StrangerException("it does not know the secret");
        }
        out.write(Secret.code(secret, AS_CREATOR, mine, theirs, name));
        out.flush();
        return ByteBuffer.wrap(name).getInt();
    }

    private static byte[] name(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    // A version that differs has the same length, up to 9.
    private static void requireProtocol(DataInputStream in) throws IOException {
        byte[] expected = PROTOCOL.getBytes(StandardCharsets.US_ASCII);
        if (in.readUnsignedShort() != expected.length) {
            throw new StrangerException("the other end speaks another protocol than '" + PROTOCOL + "'");
        }
        byte[] theirs = in.readNBytes(expected.length);
        if (!MessageDigest.isEqual(theirs, expected)) {
            throw new StrangerException(
                    "the other end speaks '" + ByteString.printable(new String(theirs, StandardCharsets.ISO_8859_1))
                            + "', not '" + PROTOCOL + "'");
        }
    }
}
