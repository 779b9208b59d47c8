// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.Version;
import org.treehaul.cli.help.ManualPages;
import org.treehaul.core.fs.PrivateFiles;
import picocli.CommandLine;

/** {@code treehaul man --output DIR}: writes the manual pages, for packages. */
final class ManCommand extends ModelCommand {

    @Nullable private String directory;

    /**
     * Defines the command for Picocli.
     *
     * @param all creates the model of all commands
     */
    ManCommand(Supplier<CommandLine> all) {
        super("man", all);
        spec.usageMessage()
                .hidden(true)
                .header("Write the manual pages.")
                .description("%nWrites treehaul.1 and a page for each command into DIR, for man. Their date is that of "
                        + "SOURCE_DATE_EPOCH, in seconds since 1970, or today.%n")
                .footer("%nExample:", "  treehaul man --output ~/.local/share/man/man1",
                        "%nExit codes: 0 written, 2 a page could not be written.");
        Options.add(spec, Options.value(String.class, value -> directory = value, "-o", "--output").required(true),
                "DIR", "Write the pages into DIR, which is created if it does not exist.");
        spec.addOption(Options.help());
    }

    @Override
    public Integer call() {
        Path target = Texts.path(String.valueOf(directory));
        String version = "TreeHaul " + Version.text().replaceFirst("treehaul ", "");
        try {
            Files.createDirectories(target);
            for (Map.Entry<String, String> page : new ManualPages(all(), version, date(), CommandLines::applies).pages()
                    .entrySet()) {
                Files.writeString(target.resolve(page.getKey()), page.getValue());
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("man: " + PrivateFiles.describe(e), e);
        }
        return ExitCode.DONE.code();
    }

    private static String date() {
        String epoch = System.getenv("SOURCE_DATE_EPOCH");
        LocalDate date = epoch == null
                ? LocalDate.now(ZoneOffset.UTC)
                : LocalDate.ofInstant(Instant.ofEpochSecond(Long.parseLong(epoch)), ZoneOffset.UTC);
        return date.toString();
    }
}
