// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Finds the users of roles: the space has a uid for each role, which only the administrator of the space can set, and
 * this node has the account of that uid. Used by one thread.
 */
public final class Submitters {

    // Changes by an administrator take effect after this time at most.
    private static final Duration FRESH = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MOST_BYTES = 65_536;

    /** The user of a role, or the reason why there is none. */
    public sealed interface Answer {}

    /** The user of a role. */
    public record Known(Submitter submitter) implements Answer {}

    /** The role has no user for whom a worker of root may act. */
    public record Unknown(String reason) implements Answer {}

    private final SpaceMembers members;
    private final Map<String, Answer> answers = new HashMap<>();
    private Map<String, Member> known = Map.of();
    private long readAt;
    private boolean isRead;

    private Submitters(SpaceMembers members) {
        this.members = members;
    }

    /**
     * Returns the users of a space; empty if it has no members.
     *
     * @throws SpaceException if the space does not answer
     */
    public static Optional<Submitters> of(SpaceUri space) {
        try {
            Submitters submitters = new Submitters(TupleSpaces.members(space));
            submitters.refresh();
            return Optional.of(submitters);
        } catch (SpaceException e) {
            if (e.reason() == SpaceException.Reason.UNSUPPORTED || e.reason() == SpaceException.Reason.PROVIDER) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Returns whether a role sees the tuples of all users, as a worker for all of them has to.
     *
     * @throws SpaceException if the space does not answer
     */
    public boolean isOfAll(String role) {
        Member member = known.get(role);
        // The administrator of the space is no member.
        return member == null || member.isOfAll() || members.visibility() == SpaceMembers.Visibility.ALL;
    }

    /**
     * Finds the user of a role.
     *
     * @throws SpaceException if the space does not answer
     */
    public Answer find(String role) {
        refresh();
        return answers.computeIfAbsent(role, this::ask);
    }

    private void refresh() {
        if (isRead && System.nanoTime() - readAt < FRESH.toNanos()) {
            return;
        }
        Map<String, Member> read = new HashMap<>();
        members.list().forEach(member -> read.put(member.user(), member));
        known = read;
        answers.clear();
        isRead = true;
        readAt = System.nanoTime();
    }

    private Answer ask(String role) {
        Member member = known.get(role);
        if (member == null || member.right() != Member.Right.WRITE) {
            return new Unknown("role " + role + " may not write to the space any more");
        }
        if (member.uid().isEmpty()) {
            return new Unknown("role " + role + " has no uid; an administrator of the space gives it one: "
                    + "'treehaul members grant --uid N write " + role + "'");
        }
        long uid = member.uid().getAsLong();
        if (uid == 0) {
            return new Unknown("role " + role + " has the uid 0, and no worker acts as root for another role");
        }
        try {
            return account(role, uid).<Answer>map(Known::new)
                    .orElseGet(() -> new Unknown("role " + role + " has the uid " + uid
                            + ", which no account of this node has: 'getent passwd " + uid + "' finds none"));
        } catch (IOException e) {
            return new Unknown(
                    "the account of role " + role + " with the uid " + uid + " cannot be read: " + e.getMessage());
        }
    }

    // The C library asks the directory service of a site; Java cannot.
    private static Optional<Submitter> account(String role, long uid) throws IOException {
        Process getent = new ProcessBuilder("getent", "passwd", String.valueOf(uid))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            getent.getOutputStream().close();
            if (!getent.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("getent has not answered for " + PATIENCE.toSeconds() + " s");
            }
            byte[] answer = getent.getInputStream().readNBytes(MOST_BYTES);
            return lines(answer).stream()
                    .map(line -> line.split(":", 5))
                    .filter(parts -> parts.length == 5 && parts[2].equals(String.valueOf(uid)))
                    .findFirst()
                    .map(parts -> submitter(role, parts));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            getent.destroyForcibly();
        }
    }

    private static List<String> lines(byte[] answer) {
        return new String(answer, StandardCharsets.UTF_8).lines().toList();
    }

    private static Submitter submitter(String role, String[] parts) {
        try {
            return new Submitter(role, parts[0], Long.parseLong(parts[2]), Long.parseLong(parts[3]));
        } catch (IllegalArgumentException e) {
            throw new UncheckedIOException(new IOException(e.getMessage(), e));
        }
    }
}
