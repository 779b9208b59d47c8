// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.plan.format.HeaderText;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanFiles;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.plan.format.TextFile;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.state.Checksum;
import org.treehaul.core.state.Host;

/** Turns a plan that was written ahead of time into the plan of a transfer. */
public final class PlanAhead {

    private PlanAhead() {}

    /**
     * Copies a plan under another id and writes its tokens into the destinations. The caller is the user who submits
     * the transfer: the header gets this user's umask. The old plan stays and may be used again.
     *
     * @param from the plan
     * @param to the directory for the plan of the transfer: absent, empty, or with a plan that was never finished
     * @param id the transfer
     * @param claim shows whether this process still owns the plan; once it does not, nothing is sealed and the tokens
     *        stay
     * @throws PlanException if the plan is unfinished or damaged, or a file cannot be written; the files written so far
     *         stay without a seal, and the tokens are removed
     */
    public static void carry(FileSystemCalls calls, Path from, Path to, String id, PlanClaim claim)
            throws PlanException {
        PlanGuard guard = new PlanGuard(claim, new Cancellation());
        Plan plan = Plan.open(from);
        if (!plan.isSealed()) {
            throw new PlanException("the plan in " + PlanException.printable(from)
                    + " is not finished: wait until it is, or plan again");
        }
        if (plan.header().settings().isEmpty()) {
            throw new PlanException("the plan in " + PlanException.printable(from)
                    + " does not contain copy options; plan again with 'treehaul plan'");
        }
        try (FileAccess access = FileAccess.open(calls)) {
            List<ByteString> targets = plan.header().roots().stream().map(PlannedRoot::target).toList();
            List<ByteString> tokenDirectories;
            try (Targets found = new Targets(calls, targets, new RoomNeeds(false))) {
                tokenDirectories = Tokens.directories(targets, found.look(access));
            }
            PlanHeader header = header(plan.header(), id, tokenDirectories);
            Tokens tokens = new Tokens(access, header.token());
            boolean isSealed = false;
            try {
                // Removes the remains of an earlier attempt.
                guard.require();
                PlanWriter.create(to, header).close();
                tokens.write(tokenDirectories);
                copy(new PlanFiles(from), new PlanFiles(to), header, guard);
                isSealed = true;
            } finally {
                if (!isSealed && guard.isOurs()) {
                    tokens.remove();
                }
            }
        } catch (PlanException e) {
            throw e;
        } catch (IOException e) {
            throw PlanException.unwritable(to, e);
        }
    }

    private static PlanHeader header(PlanHeader old, String id, List<ByteString> tokenDirectories) throws IOException {
        ProcessStatus process = ProcessStatus.read();
        return new PlanHeader(id, old.created(), process.umask(), process.effectiveUid(), Host.name(), old.strategy(),
                old.limits(), old.jobs(), old.chunkBytes(), old.hasLinkGroups(), old.roots(), PlanHeader.tokenName(id),
                tokenDirectories, old.settings());
    }

    // Copies the seal last; readers verify the checksum of each file. As in a plan that grows, a manifest is there before
    // its batch is listed.
    private static void copy(PlanFiles from, PlanFiles to, PlanHeader header, PlanGuard guard) throws IOException {
        int checksum = TextFile.replace(to.header(), "plan", HeaderText.lines(header));
        int batches = Plan.open(from.directory()).batchCount();
        for (int batch = 0; batch < batches; batch++) {
            guard.check();
            copy(from.manifest(batch), to.manifest(batch));
        }
        List<String[]> seal = new ArrayList<>();
        for (String[] line : TextFile.read(from.sealed(), "sealed", false).lines()) {
            boolean isHeader = line[0].equals("file") && line[1].equals("header");
            seal.add(isHeader ? new String[]{"file", "header", Checksum.hex(checksum)} : line);
            if (line[0].equals("file") && !isHeader) {
                guard.check();
                copy(from.directory().resolve(line[1]), to.directory().resolve(line[1]));
            }
        }
        guard.require();
        TextFile.replace(to.sealed(), "sealed", seal);
    }

    private static void copy(Path from, Path to) throws IOException {
        Path temporary = TextFile.temporary(to);
        try (InputStream in = open(from); OutputStream out = TextFile.synced(temporary)) {
            in.transferTo(out);
        }
        AtomicFiles.rename(temporary, to);
    }

    private static InputStream open(Path file) throws PlanException {
        try {
            return Files.newInputStream(file);
        } catch (IOException e) {
            throw PlanException.unreadable(file, e);
        }
    }
}
