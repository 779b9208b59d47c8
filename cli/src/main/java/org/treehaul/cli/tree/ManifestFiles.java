// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.manifest.ManifestHash;
import org.treehaul.core.manifest.ManifestResult;
import org.treehaul.core.manifest.TreeManifest;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TotalCount;

/** Writes and checks the manifest files of {@code treehaul manifest}. */
public record ManifestFiles(FileSystemCalls calls, CommonOptions common, WalkOptions walk, Root tree) {

    /** The name of standard input and output. */
    static final ByteString STANDARD = ByteString.of("-");

    private interface Work {
        ExitCode run(Session session, TreeManifest manifest) throws IOException;
    }

    /**
     * Writes a manifest and returns the exit code of the command.
     *
     * @param option the option that names the file, for messages
     */
    public ExitCode write(String option, ByteString file, ManifestHash hash) {
        return run(option, file, (session, manifest) -> {
            TreeManifest.Target target = file.equals(STANDARD)
                    ? lines -> lines.writeTo(new Standard(session))
                    : lines -> ByteFiles.replace(file, lines::writeTo);
            if (!file.equals(STANDARD)) {
                // Finds out before the work whether the file can be written.
                ByteFiles.checkReplaceable(file);
            }
            ManifestResult result = manifest.write(tree, hash, target, session, session.progress(),
                    session.cancellation());
            return new ManifestReport(session, common).written(result, hash);
        });
    }

    /** Checks the tree against a manifest and returns the exit code of the command. */
    ExitCode check(ByteString file) {
        return run("--check", file, (session, manifest) -> {
            ManifestReport report = new ManifestReport(session, common);
            try (InputStream in = open(file)) {
                return report.checked(manifest.check(in, file.toString(), tree, report::print, session,
                        session.progress(), session.cancellation()));
            } catch (IllegalArgumentException e) {
                throw new IOException(e.getMessage(), e);
            }
        });
    }

    // The manifest itself is not part of the tree.
    private ExitCode run(String option, ByteString file, Work work) {
        try (Session session = Session.begin(common, false)) {
            Optional<FileStatus> own = file.equals(STANDARD) ? Optional.empty() : ByteFiles.find(file);
            try (ScratchDirectory scratch = ScratchDirectory.open("treehaul-manifest-")) {
                TreeManifest manifest = TreeManifest.of(calls, walk, scratch.path());
                session.count(() -> TotalCount.start(calls, walk, List.of(tree), new TotalCount.Work(1, false, true)));
                return work.run(session, own.isPresent() ? manifest.except(own.get()) : manifest);
            }
        } catch (IOException e) {
            common.screen().error(option + " " + file + ": " + PrivateFiles.describe(e));
            return ExitCode.TROUBLE;
        }
    }

    private static InputStream open(ByteString file) throws IOException {
        return file.equals(STANDARD)
                ? new BufferedInputStream(new FileInputStream(FileDescriptor.in))
                : ByteFiles.open(file);
    }

    /** The standard output, whose problems the session reports at its end. */
    private static final class Standard extends OutputStream {

        private final Session session;

        Standard(Session session) {
            this.session = session;
        }

        @Override
        public void write(int one) {
            session.output().write(new byte[]{(byte) one}, 1);
        }

        @Override
        public void write(byte[] bytes) {
            session.output().write(bytes, bytes.length);
        }
    }
}
