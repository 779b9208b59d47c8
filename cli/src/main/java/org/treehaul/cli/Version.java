// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints; the number comes from the build. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
            if (in == null) {
                throw new IOException("build.properties is missing beside " + Version.class.getName());
            }
            build.load(in);
        }
        return new String[]{"treehaul " + build.getProperty("version")};
    }
}
