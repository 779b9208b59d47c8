// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.copy.data.DataHash;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}; the number comes from the build. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[]{text()};
    }

    /** Returns the version, and what this machine provides. */
    public static String details() {
        return text() + "\nJava " + System.getProperty("java.version") + ", " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch") + "\nxxh3: "
                + DataHash.systemProblem().map(reason -> "by Java; libxxhash: " + reason).orElse("by libxxhash")
                + "\nasynchronous files: "
                + AsyncFiles.ringProblem().map(reason -> "by threads; io_uring: " + reason).orElse("by io_uring");
    }

    /** Returns the version. */
    public static String text() {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
            if (in == null) {
                throw new IllegalStateException("build.properties is missing beside " + Version.class.getName());
            }
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "treehaul " + build.getProperty("version");
    }
}
