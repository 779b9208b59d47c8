// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program that copies trees, and its command lines. They are for the shell; {@code $S} is the source, {@code $D} the
 * copy to make, {@code $W} a directory for the tool's own files.
 *
 * @param name its column in the report
 * @param program the program that must be on the PATH
 * @param version prints the version, in its first line
 * @param lines a command for each way of copying that it offers
 */
record Tool(String name, String program, String version, Map<Way, String> lines) {

    /** A way of copying. */
    enum Way {
        /** A tree with everything that the tool can keep. */
        TREE,
        /** One file, unchanged. */
        FILE,
        /** A tree with modes and times but without owners. */
        NO_OWNERS,
        /** A tree, reported as done only when it is on the disk. */
        FSYNC,
        /** A tree, written directly to files with their final names. */
        IN_PLACE,
        /** A tree, except for existing files that look complete. */
        UPDATE,
        /** A tree, with no option but the one that copies directories. */
        PLAIN,
        /** The attributes of a tree, without its data. */
        ATTRIBUTES
    }

    private static final String JAR = "\"$JAVA\" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar \"$JAR\" ";
    private static final String FPSYNC = "fpsync -n 2 -f 500 -t \"$W/fpsync\" ";

    private static final List<Tool> ALL = List.of(
            new Tool("treehaul", "java", JAR + "--version",
                    ways(" \"$S\" \"$D\"", JAR + "cp -aT", JAR + "cp", JAR + "cp -rT --preserve=mode,timestamps",
                            JAR + "cp -aT --fsync", JAR + "cp -aT", JAR + "cp -aTu", JAR + "cp -rT",
                            JAR + "cp -aT --attributes-only")),
            new Tool("cp -a", "cp", "cp --version",
                    ways(" \"$S\" \"$D\"", "cp -aT", "cp", "cp -rT --preserve=mode,timestamps", "", "cp -aT", "cp -aTu",
                            "cp -rT", "cp -aT --attributes-only")),
            rsync("-aHAX"), //
            rsync("-a"), //
            new Tool("fpsync", "fpsync", "fpsync -h",
                    ways(" \"$S/\" \"$D/\"", FPSYNC, "", FPSYNC + "-o '-lptD -v --numeric-ids'", "",
                            FPSYNC + "-o '-lptgoD -v --inplace'", FPSYNC, FPSYNC + "-o -v", "")),
            new Tool("xcp", "xcp", "xcp --version",
                    ways(" --no-progress \"$S\" \"$D\"", "xcp -roT", "xcp", "xcp -rT", "xcp -roT --fsync", "xcp -roT",
                            "xcp -roTn", "xcp -rT", "")),
            new Tool("cpz", "cpz", "cpz --version",
                    ways(" \"$S\" \"$D\"", "cpz -f", "cpz -f", "cpz -f", "", "cpz -f", "", "cpz -f", "")),
            // fcp copies into an existing destination, like cp without -T; then the line must name the entries of the
            // source.
            new Tool("fcp", "fcp", "fcp --version",
                    ways(" \"$S\"$([ ! -d \"$D\" ] || echo '/*') \"$D\"", "fcp", "fcp", "fcp", "", "fcp", "", "fcp",
                            "")),
            new Tool("dcp", "dcp", "dcp --version", ways(" \"$S\" \"$D\"", "mpirun -n 2 dcp -p", "mpirun -n 2 dcp",
                    "mpirun -n 2 dcp", "", "mpirun -n 2 dcp -p", "", "mpirun -n 2 dcp", "")));

    /** Returns all tools of the report, installed or not, in the order of its columns. */
    static List<Tool> all() {
        return ALL;
    }

    private static Tool rsync(String options) {
        String line = "rsync " + options;
        Map<Way, String> lines = ways(" \"$S/\" \"$D/\"", line, "", "rsync -rlpt", line + " --fsync",
                line + " --inplace", line, "rsync -r", "");
        lines.put(Way.FILE, "rsync \"$S\" \"$D\"");
        return new Tool("rsync " + options, "rsync", "rsync --version", lines);
    }

    // Takes the lines in the order of Way; an empty line is a way that the tool does not have.
    private static Map<Way, String> ways(String operands, String... lines) {
        Iterator<String> next = List.of(lines).iterator();
        Map<Way, String> ways = new EnumMap<>(Way.class);
        for (Way way : Way.values()) {
            String line = next.next();
            if (!line.isEmpty()) {
                ways.put(way, line + operands);
            }
        }
        return ways;
    }

    /** Returns the command; empty if the tool does not offer it. */
    Optional<String> line(Way way) {
        return Optional.ofNullable(lines.get(way));
    }

    /** Returns whether the program is installed. TreeHaul always is: its jar was built. */
    boolean isInstalled() {
        return isOnPath(program);
    }

    /** Returns whether the PATH contains a program with this name. */
    static boolean isOnPath(String program) {
        String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
        return Arrays.stream((path + ":/usr/sbin:/sbin").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory).resolve(program)));
    }
}
