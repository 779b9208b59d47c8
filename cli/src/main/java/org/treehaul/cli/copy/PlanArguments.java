// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.Texts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;

/** The command line of a copy that a job plans, stored for that job: bytes, each argument ended by a NUL. */
final class PlanArguments {

    private static final String LIST = "list";
    private static final String PLACE = "place";
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    private PlanArguments() {}

    /** Writes the arguments, the working directory, and the user's umask into the directory of a transfer. */
    static void write(TransferDirectory transfer, List<String> arguments) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("cp\0");
        arguments.forEach(argument -> text.append(argument).append('\0'));
        PrivateFiles.makeDirectories(transfer.launch());
        PrivateFiles.write(transfer.launch().resolve("arguments"),
                text.toString().getBytes(StandardCharsets.ISO_8859_1));
        // The scheduler chooses the umask of jobs.
        PrivateFiles.write(transfer.launch().resolve("umask"),
                String.format("%04o%n", ProcessStatus.read().umask()).getBytes(StandardCharsets.US_ASCII));
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            byte[] here = access.linkTarget(AT_FDCWD, access.name("/proc/self/cwd".getBytes(StandardCharsets.US_ASCII)))
                    .toBytes();
            PrivateFiles.write(transfer.launch().resolve("cwd"), Arrays.copyOf(here, here.length + 1));
        }
    }

    /**
     * Records whether the copy will be the destination itself. If the copy is planned again after others may have begun
     * to copy, a destination that they created must not be mistaken for a directory to copy into.
     */
    static void keepPlace(TransferDirectory transfer, CpCommand cp) throws IOException {
        if (cp.operands.size() == 2 && cp.cp.targetDirectory == null && !isDirectory(cp.operands.getLast())) {
            PrivateFiles.makeFile(transfer.launch().resolve(PLACE));
        }
    }

    /** Returns whether the copy will be the destination itself, even if that is a directory by now. */
    static boolean isPlace(TransferDirectory transfer) {
        return Files.exists(transfer.launch().resolve(PLACE));
    }

    private static boolean isDirectory(ByteString path) {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            return access.followedStatus(longPath.base(), access.name(longPath.rest())).kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            return false;
        }
    }

    /** Returns the arguments, beginning with the name of the command. */
    static String[] read(TransferDirectory transfer) throws IOException {
        String text = Files.readString(transfer.launch().resolve("arguments"), StandardCharsets.ISO_8859_1);
        return text.substring(0, text.length() - 1).split("\0", -1);
    }

    /**
     * Keeps a list of files from standard input, which jobs do not have.
     *
     * @return the path of the kept list
     */
    static ByteString keepList(TransferDirectory transfer, InputStream in) throws IOException {
        Path whole = transfer.launch().resolve(LIST);
        Path part = transfer.launch().resolve(LIST + ".part");
        try (OutputStream out = PrivateFiles.rewrite(part)) {
            in.transferTo(out);
        }
        Files.move(part, whole);
        return ByteString.of(Texts.bytes(whole));
    }

    /**
     * Returns the path of the list that was read from standard input.
     *
     * @throws TransferException if the list is incomplete
     */
    static ByteString list(TransferDirectory transfer) throws TransferException {
        Path list = transfer.launch().resolve(LIST);
        if (!Files.exists(list)) {
            throw new TransferException("the list of files that " + transfer.id()
                    + " was given by standard input is not " + "whole: forget it and copy again");
        }
        return ByteString.of(Texts.bytes(list));
    }

    /** Returns arguments in the quoting of a shell, printable. */
    static String display(List<String> arguments) {
        return arguments.stream()
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .map(ExactArguments::printable)
                .collect(Collectors.joining(" "));
    }
}
