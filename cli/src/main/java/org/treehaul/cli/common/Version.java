// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}; the number comes from the build. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[]{text()};
    }

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
