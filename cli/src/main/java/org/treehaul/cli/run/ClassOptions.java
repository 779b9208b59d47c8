// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Texts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.task.EntryTasks;
import org.treehaul.core.task.JavaTask;
import org.treehaul.core.task.UnknownTaskException;
import picocli.CommandLine.Model.CommandSpec;

/** The options that name a Java class in place of a command. */
final class ClassOptions {

    /** The jars as long as a command runs. */
    interface Opened extends AutoCloseable {
        @Override
        void close();
    }

    private final CommonOptions common;
    private final List<ByteString> jars = new ArrayList<>();
    private final SortedMap<String, String> parameters = new TreeMap<>();
    private @Nullable String name;

    /** Adds the options to a command. */
    ClassOptions(CommandSpec spec, CommonOptions common) {
        this.common = common;
        Options.add(spec, Options.value(String.class, value -> name = value, "--task"), "TASK",
                "Run the task TASK of a Java class in place of a command.");
        Options.add(spec, Options.value(ByteString.class, jars::add, "--jar"), "FILE",
                "Find TASK in the jar FILE. May be given several times.");
        Options.add(spec, Options.value(String.class, this::parameter, "--parameter"), "KEY=VALUE",
                "Give TASK a parameter. May be given several times.");
    }

    private void parameter(String argument) {
        if (!Texts.isText(argument)) {
            throw common.usage("--parameter must be UTF-8, not '" + ExactArguments.printable(argument) + "'");
        }
        String text = Texts.decode(argument);
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw common.usage("--parameter must be KEY=VALUE, not '" + text + "'");
        }
        parameters.put(text.substring(0, equals), text.substring(equals + 1));
    }

    /** Returns whether a class takes the place of the command. */
    boolean isGiven() {
        if (name == null && !(jars.isEmpty() && parameters.isEmpty())) {
            throw common.usage((jars.isEmpty() ? "--parameter" : "--jar") + " needs --task");
        }
        return name != null;
    }

    /** Returns the jars. */
    List<Path> jars() {
        return jars.stream().map(jar -> jar.toPath().toAbsolutePath()).toList();
    }

    /** Lets this thread, and those that it starts, find the classes of the jars. */
    Opened open() {
        if (jars.isEmpty()) {
            return () -> {};
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URLClassLoader loader = new URLClassLoader(jars().stream().map(this::url).toArray(URL[]::new),
                ClassOptions.class.getClassLoader());
        thread.setContextClassLoader(loader);
        return () -> {
            thread.setContextClassLoader(before);
            try {
                loader.close();
            } catch (IOException e) {
                // It was only read.
            }
        };
    }

    private URL url(Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw common.usage("--jar " + ByteString.of(jar) + " is not a file");
        }
        try {
            return jar.toUri().toURL();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the task, whose jars are {@linkplain #open open}. */
    JavaTask task() {
        try {
            return EntryTasks.find(String.valueOf(name), parameters, EntryTasks.loaders());
        } catch (UnknownTaskException e) {
            throw common.usage(e.getMessage() + (jars.isEmpty() ? "; name its jar by --jar" : ""));
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }
}
