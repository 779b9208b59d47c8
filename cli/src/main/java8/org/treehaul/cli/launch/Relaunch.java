// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Runs the same jar in a newer Java, forwards signals to it, and returns its exit code.
 *
 * <p>
 * The arguments passed to the child as Strings have lost every byte that this Java could not decode. The child
 * therefore gets the id of this process in {@value #ARGUMENTS_OF} and reads the arguments from its command line, of
 * which they are the last ones.
 */
final class Relaunch {
    /** System property of the child: the process whose command line holds the exact arguments. */
    static final String ARGUMENTS_OF = "treehaul.argv.pid";

    /** The exit code if nothing could be done. */
    static final int NOTHING_DONE = 2;

    private static final int JVM_FAILED = 1;

    // A shell exits with these if it cannot run a program, and no command of TreeHaul does.
    private static final List<Integer> NOT_RUN = Arrays.asList(126, 127);
    private static final int SIGNALLED = 128;
    private static final int KILLED = SIGNALLED + 9;

    // The same commands as in the treehaul script, which gives the reason, but for cp: only the script looks for settings.
    private static final List<String> WITHOUT_OPTIMIZER = Arrays.asList("rm", "du", "find", "walk", "index", "chmod",
            "chown", "chgrp", "run", "cmp", "plan");

    // With these options they do much for each entry, as the script says too.
    private static final List<String> WITH_OPTIMIZER = Arrays.asList("--json", "--printf", "--exclude", "--include",
            "--repair", "--hash");

    // SIGABRT, SIGBUS and SIGSEGV, signal(7).
    private static final List<Integer> CRASHED = Arrays.asList(SIGNALLED + 6, SIGNALLED + 7, SIGNALLED + 11);

    // The variables from which a JVM takes options.
    private static final List<String> OPTION_VARIABLES = Arrays.asList("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
            "_JAVA_OPTIONS");

    private static final String TEMPORARY = "/tmp";
    private static final String CANNOT_RUN = "treehaul: needs Java " + Launcher.REQUIRED
            + " or newer, and cannot run the one it found. 'error=13' means that you may not execute it or that its file"
            + " system is mounted noexec, 'error=11' that the limit of processes is reached (ulimit -u), 'error=12' that"
            + " memory is short. Another one can be named: JAVA_HOME=/path/to/jdk-25 java -jar treehaul.jar ...";
    private static final File NULL = new File("/dev/null");

    private Relaunch() {}

    /**
     * Returns the exit code of the child, 128 plus the signal's number if it was killed, 2 if none could be started or
     * its JVM could not.
     */
    static int run(String[] args) throws InterruptedException {
        if (System.getProperty(ARGUMENTS_OF) != null) {
            System.err.println("treehaul: " + System.getProperty("java.home")
                    + " reports a newer version than it has: Java " + System.getProperty("java.version"));
            return NOTHING_DONE;
        }
        JavaHomes homes = JavaHomes.usual(System.getenv(), System.getProperty("user.home"));
        StringBuilder failures = new StringBuilder();
        AddressSpace space = AddressSpace.own();
        for (File java : homes.atLeast(Launcher.REQUIRED)) {
            try {
                // Only with a low limit is a JVM tried first, so that a failure to start gets a message of TreeHaul's.
                if (space.isShort() && !starts(java, space)) {
                    System.err.println(space.advice());
                    return NOTHING_DONE;
                }
                ProcessBuilder builder = new ProcessBuilder(command(java, space, args)).inheritIO();
                space.limit(builder.environment());
                Signals signals = Signals.hold();
                Process child = builder.start();
                signals.passTo(child);
                return ended(child.waitFor(), java, space);
            } catch (IOException e) {
                // Perhaps a Java for another processor; the next one may work.
                failures.append("treehaul: ").append(e.getMessage()).append('\n');
            }
        }
        System.err.print(failures);
        System.err.println(failures.length() == 0
                ? advice(System.getProperty("java.version"), System.getProperty("java.home"), homes.places())
                        + notExecutable(homes.notExecutable())
                : CANNOT_RUN);
        return NOTHING_DONE;
    }

    // A JVM that does not start exits with 1, as a command that finds differences does. Only a second attempt
    // distinguishes the two.
    private static int ended(int code, File java, AddressSpace space) throws IOException, InterruptedException {
        String message = "";
        int own = code;
        if (NOT_RUN.contains(code) || code == JVM_FAILED && !starts(java, space)) {
            message = badStart(java, System.getenv());
            own = NOTHING_DONE;
        } else if (code == KILLED) {
            message = "treehaul: Java was killed by signal 9. If no user or scheduler ended it, memory ran out, on the node"
                    + " or within the limit of the job or container: request more memory, or give Java a smaller heap:"
                    + " JDK_JAVA_OPTIONS=-Xmx256m";
        } else if (CRASHED.contains(code)) {
            message = "treehaul: Java crashed by signal " + (code - SIGNALLED)
                    + "; a report may be in hs_err_pid*.log in"
                    + " the working directory. A full file system can be the cause: check " + TEMPORARY;
        }
        if (!message.isEmpty()) {
            System.err.println(message);
        }
        return own;
    }

    static String badStart(File java, Map<String, String> environment) {
        StringBuilder set = new StringBuilder();
        for (String name : OPTION_VARIABLES) {
            String value = environment.get(name);
            if (value != null && !value.trim().isEmpty()) {
                set.append("; ").append(name).append(" is '").append(value).append('\'');
            }
        }
        return "treehaul: Java could not start (" + java + "); its message is above. " + (set.length() == 0
                ? "Check the options for Java in the command, and the limits of memory and processes (ulimit -a)."
                : "A newer Java may refuse an option, or have too little memory for it: correct the options in the"
                        + " command and in the environment" + set + ".");
    }

    private static String notExecutable(List<File> programs) {
        StringBuilder text = new StringBuilder();
        for (File java : programs) {
            text.append("\ntreehaul: ")
                    .append(java)
                    .append(" is not executable: check its permissions, and whether it is mounted noexec.");
        }
        return text.toString();
    }

    static String advice(String version, String home, String places) {
        return "treehaul: needs Java " + Launcher.REQUIRED + " or newer. This is Java " + version + " (" + home
                + "), and no newer one was found in " + places + ".\n" //
                + "Install one (Debian, Ubuntu: apt-get install openjdk-25-jre-headless; any Linux:"
                + " https://adoptium.net),\n" //
                + "or, if one is installed elsewhere, set its path: JAVA_HOME=/path/to/jdk-25 java -jar treehaul.jar ...";
    }

    private static boolean starts(File java, AddressSpace space) throws IOException, InterruptedException {
        List<String> command = jvm(java, space);
        // The JVM must not leave a report of the failure in the working directory.
        command.add("-XX:ErrorFile=" + NULL);
        command.add("-version");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectInput(NULL)
                .redirectOutput(NULL);
        space.limit(builder.environment());
        return builder.start().waitFor() == 0;
    }

    private static List<String> jvm(File java, AddressSpace space, String... args) {
        List<String> command = new ArrayList<String>();
        command.add(java.getPath());
        command.addAll(space.options(System.getenv()));
        List<String> given = ManagementFactory.getRuntimeMXBean().getInputArguments();
        command.addAll(options(args, given, System.getenv()));
        return command;
    }

    private static List<String> command(File java, AddressSpace space, String[] args) {
        List<String> command = jvm(java, space, args);
        String pid = ownPid();
        if (pid != null) {
            command.add("-D" + ARGUMENTS_OF + "=" + pid);
        }
        File jar = ownJar();
        if (jar != null) {
            command.add("-jar");
            command.add(jar.getPath());
        } else {
            command.add("-cp");
            command.add(System.getProperty("java.class.path"));
            command.add("org.treehaul.cli.Main");
        }
        command.addAll(Arrays.asList(args));
        return command;
    }

    private static boolean isLight(String[] args) {
        for (String arg : args) {
            for (String option : WITH_OPTIMIZER) {
                if (arg.startsWith(option)) {
                    return false;
                }
            }
        }
        return args.length > 0 && WITHOUT_OPTIMIZER.contains(args[0]);
    }

    /**
     * Returns the options for the child's JVM: those of TreeHaul, then those of this JVM that express a wish of the
     * user and are not specific to this process.
     *
     * @param args the arguments of TreeHaul
     */
    static List<String> options(String[] args, List<String> given, Map<String, String> environment) {
        boolean collector = namesCollector(environment.get("JDK_JAVA_OPTIONS"))
                || namesCollector(environment.get("JAVA_TOOL_OPTIONS"));
        List<String> passed = new ArrayList<String>();
        for (String option : given) {
            // A debugger's port and a class archive belong to one process and one version.
            boolean own = option.startsWith("-Xrun") || option.startsWith("-Xdebug") || option.startsWith("-Xshare")
                    || option.startsWith("-Xbootclasspath") || option.startsWith("-XX:AOT")
                    || option.startsWith("-XX:SharedArchiveFile") || option.startsWith("-XX:ArchiveClassesAtExit");
            if ((option.startsWith("-D") || option.startsWith("-X")) && !own) {
                passed.add(option);
                collector |= namesCollector(option);
            }
        }
        List<String> options = new ArrayList<String>();
        options.add("--enable-native-access=ALL-UNNAMED");
        // Messages of the JVM itself must not appear among the results.
        options.add("-Xlog:disable");
        options.add("-Xlog:all=warning:stderr");
        // An option that the newer Java has dropped must not keep it from starting.
        options.add("-XX:+IgnoreUnrecognizedVMOptions");
        if (!collector) {
            options.add("-XX:+UseSerialGC");
        }
        // The same options as in the treehaul script, which explains them; the class archive is specific to the script.
        options.add("-Xmn14m");
        options.add("-XX:FreqInlineSize=35");
        options.add("-XX:CompileThresholdScaling=4");
        if (isLight(args)) {
            options.add("-XX:TieredStopAtLevel=1");
            options.add("-XX:C1MaxInlineLevel=20");
            options.add("-XX:C1MaxInlineSize=50");
            options.add("-XX:C1InlineStackLimit=16");
            options.add("-XX:Tier3LoadFeedback=1000");
        } else if (args.length > 0 && args[0].equals("status")) {
            options.add("-XX:TieredStopAtLevel=1");
            options.add("-XX:Tier3LoadFeedback=1000");
        } else if (args.length > 0 && (args[0].equals("stage") || args[0].equals("serve"))) {
            if (!isEncrypted(args)) {
                options.add("-XX:TieredStopAtLevel=1");
            }
            if (args[0].equals("serve")) {
                options.add("-XX:CompileThresholdScaling=0.3");
            }
        }
        options.addAll(passed);
        return options;
    }

    private static boolean isEncrypted(String[] args) {
        for (String arg : args) {
            if (arg.startsWith("--tls")) {
                return true;
            }
        }
        return false;
    }

    private static boolean namesCollector(String options) {
        return options != null && options.matches("(?s).*-XX:\\+Use\\w*GC\\b.*");
    }

    private static String ownPid() {
        try {
            return Files.readSymbolicLink(Paths.get("/proc/self")).toString();
        } catch (IOException e) {
            return null;
        }
    }

    private static File ownJar() {
        CodeSource source = Relaunch.class.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        try {
            File file = location == null ? null : new File(location.toURI());
            return file != null && file.isFile() ? file : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
