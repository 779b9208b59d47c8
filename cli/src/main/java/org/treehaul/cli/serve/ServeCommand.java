// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.serve;

import java.io.IOException;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.net.HostPort;
import org.treehaul.schedulers.stage.net.SegmentServer;
import org.treehaul.schedulers.stage.net.ServedDirectory;
import org.treehaul.schedulers.stage.net.ServerSettings;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul serve}: serves the segments of parallel files in a directory to other nodes. */
public final class ServeCommand implements Callable<Integer> {

    // The delay between a signal and the end of the command.
    private static final long TICK_MILLIS = 50;

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final ServeInput input = new ServeInput(spec, common);

    /** Defines the command for Picocli. */
    public ServeCommand() {
        spec.name("serve");
        Options.hide(spec, "--progress", "--progress-interval");
        Options.describe(spec, "--threads",
                "Carry out N requests at the same time, 1 to 256. Default: the number of processors, but 4 to 256.");
        spec.usageMessage()
                .header("Serve the parts of parallel files on this node to other nodes.")
                .customSynopsis("treehaul serve [OPTION]... --directory DIR --secret-file FILE")
                .description(
                        "%nKeeps segments of parallel files in DIR, for the time of a job, and lets other nodes read "
                                + "and write them. When it can be reached, it prints one line with its address; it ends when it is stopped. "
                                + "Nothing outside DIR can be reached, and only clients that know the secret are served.%n")
                .footer("%nExamples:", "  (umask 077; head -c 32 /dev/urandom | base64 > ~/run7.secret)",
                        "  srun --ntasks-per-node=1 treehaul serve --directory /local/run7 --secret-file ~/run7.secret",
                        "%nExit codes: 0 stopped, 2 the directory, the address or the secret cannot be used, or the line cannot be written.");
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            return serve(input.settings());
        } catch (IOException e) {
            common.screen().error(PrivateFiles.describe(e));
            return ExitCode.TROUBLE.code();
        }
    }

    private int serve(ServerSettings settings) throws IOException, InterruptedException {
        try (Session session = Session.beginWaiting(common);
                ServedDirectory served = ServedDirectory.open(Linux.calls(), settings.path(), settings.host());
                SegmentServer server = SegmentServer.start(settings, served.id(), served.segments(),
                        session.screen()::note)) {
            print(session, served, input.reachable(server.address()));
            // A job waits for the address, without which no client finds the server.
            ExitCode code = session.written(ExitCode.DONE);
            while (code == ExitCode.DONE && !session.cancellation().isCancelled()) {
                Thread.sleep(TICK_MILLIS);
            }
            return code.code();
        }
    }

    private void print(Session session, ServedDirectory served, HostPort address) {
        session.json()
                .ifPresentOrElse(json -> json.begin("serving")
                        .text("address", address.toString())
                        .path("directory", input.directory())
                        .text("id", served.id().toString())
                        .end(), () -> session.output().line("serving " + input.directory() + " at " + address));
    }
}
