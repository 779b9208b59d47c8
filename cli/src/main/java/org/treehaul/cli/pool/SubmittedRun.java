// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.pool;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.schedulers.pool.carry.OwnCarriers;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.schedulers.pool.submitter.Answers;
import org.treehaul.schedulers.pool.submitter.Service;

/** Carries out a transfer of this user for a worker of root, which says over standard input what to do. */
public final class SubmittedRun {

    /** Makes the listener of the work. */
    public interface Reports {
        PoolListener of(EventListener events, Consumer<String> notes, Cancellation cancellation);
    }

    private static final Pattern SUBMITTED = Pattern.compile("([0-9]{1,10}):([0-9a-z-]{1,40})");

    private final CommonOptions common;
    private final Path stateDirectory;
    private final long uid;
    private final String transfer;
    private final int generation;
    private final int index;

    /**
     * Reads the arguments.
     *
     * @param submitted the number of the user, a colon, and the id of the transfer
     */
    public SubmittedRun(CommonOptions common, Path stateDirectory, String submitted, int generation, int index) {
        Matcher parts = SUBMITTED.matcher(submitted);
        if (!parts.matches()) {
            throw common.usage("--submitted must be UID:ID");
        }
        this.common = common;
        this.stateDirectory = stateDirectory;
        this.uid = Long.parseLong(parts.group(1));
        this.transfer = parts.group(2);
        this.generation = generation;
        this.index = index;
        // Standard output carries only answers, so the settings of the user must not add other text.
        common.progress = CommonOptions.When.never;
        common.json = false;
    }

    /** Works until the worker ends, and returns the exit code. */
    public int run(Reports reports) throws InterruptedException {
        try {
            Service.requireUser(uid);
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
        try (Session session = Session.beginJob(common)) {
            Answers answers = new Answers(new FileOutputStream(FileDescriptor.out), session.progress(),
                    session.cancellation());
            // The failures of entries are in the directory of the transfer.
            PoolListener listener = reports.of(event -> {
                if (event instanceof Event.Notice notice) {
                    answers.notice(notice.text());
                }
            }, answers::notice, session.cancellation());
            try (OwnCarriers carriers = new OwnCarriers(stateDirectory, common.threads, index, listener,
                    session.progress())) {
                Service.serve(new FileInputStream(FileDescriptor.in), answers, transfer, generation, carriers,
                        session.cancellation(), () -> Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code()));
            }
            session.end(Map.of(), true);
            return ExitCode.DONE.code();
        }
    }
}
