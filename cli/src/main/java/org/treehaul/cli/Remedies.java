// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

/** Ways to do with TreeHaul what users of other programs type. */
final class Remedies {

    private Remedies() {}

    /** Returns what to use for a word that is a command elsewhere; empty if nothing is known about it. */
    static String command(String word) {
        return switch (word) {
            case "copy", "clone", "scp", "dcp", "ditto" -> "'treehaul cp -a' copies trees";
            case "rsync", "mirror", "dsync" ->
                "'treehaul sync' makes a destination equal to a source, 'treehaul sync --delete' also removes the rest";
            case "move", "rename" -> "'treehaul mv' moves files and trees, also to another file system";
            case "dchmod", "dchown" -> "'treehaul chmod -R' and 'treehaul chown -R' change trees";
            case "dfind", "fd", "bfs", "locate", "search" ->
                "'treehaul find' finds entries by conditions, 'treehaul query' those of an index";
            case "ls", "list", "tree", "dwalk", "count" ->
                "'treehaul walk' summarises a tree, 'treehaul walk --print' lists it";
            case "check", "diff", "compare", "dcmp", "cmpdir" ->
                "'treehaul cmp' compares two trees, 'treehaul verify' the copy of a transfer";
            case "ncdu", "dust", "diskus", "pdu" -> "'treehaul du' sums up the space of directories";
            case "sha256sum", "sha256", "md5sum", "xxhsum", "checksum", "hash", "hashdeep", "bagit" ->
                "'treehaul manifest' writes the checksums of a tree and checks it against them";
            case "lfs", "getstripe", "getfattr", "pathinfo" ->
                "'treehaul walk --locality' lists the servers that have the data of each file";
            case "delete", "del", "remove", "purge", "drm", "rmdir" -> "'treehaul rm -r' removes trees";
            case "repair", "fix" -> "'treehaul cmp --repair' copies again what differs";
            case "ps", "jobs", "list-jobs", "squeue", "qstat", "transfers" -> "'treehaul status' shows transfers";
            case "kill", "stop", "abort", "scancel", "qdel" ->
                "'treehaul cancel' ends the jobs of a transfer, which can be resumed";
            case "submit", "sbatch", "qsub" -> "'treehaul cp --scheduler slurm' submits a copy";
            case "restart", "continue", "retry" -> "'treehaul resume' continues a transfer";
            case "parallel", "xargs", "exec", "foreach", "map" -> "'treehaul run' runs a command for each file";
            case "version" -> "'treehaul --version' prints the version";
            default -> "";
        };
    }

    /**
     * Returns what to use for an option of rsync, rclone, GNU cp or mpiFileUtils; empty if nothing is known about it.
     */
    static String option(String option) {
        int end = option.indexOf('=');
        return switch (end < 0 ? option : option.substring(0, end)) {
            case "-Z", "--context" -> "SELinux contexts are not set; run restorecon afterwards";
            case "--debug" -> "use -vv to see each step";
            case "--delete", "--delete-after", "--delete-before", "--delete-during", "--del" ->
                "a copy deletes nothing; 'treehaul sync --delete' removes what the source does not have";
            case "--no-verify" -> "use --verify=none";
            case "--bwlimit" -> "use --bandwidth, for example --bandwidth 200M";
            case "--info", "--info=progress2" -> "use --progress";
            case "-z", "--compress" -> "data are not compressed on the way";
            case "-W", "--whole-file" -> "a file that differs is always copied whole; leave it out";
            case "-e", "--rsh", "--rsync-path" ->
                "remote hosts are not supported: mount their file systems on this one";
            case "-I" -> "leave it out: files are replaced unless -u or -n is given";
            case "--remove-source-files", "--remove-sent-files" ->
                "a copy removes nothing from the source; 'treehaul mv' removes it when the copy is verified";
            case "-j", "--transfers", "--checkers", "--workers", "--nprocs" ->
                "use --threads for threads, --jobs for jobs of a scheduler";
            case "--min-size", "--max-size", "--min-age", "--max-age" ->
                "'treehaul cp' and 'treehaul find' have conditions: cp --where 'size>1M age<7d'";
            case "-c", "--checksum" -> "use --verify to read the copy back; 'treehaul cmp --content' compares data";
            case "--inplace" -> "use --in-place";
            case "--partial", "--append", "--append-verify" ->
                "a large file has its name only when it is complete; a copy by --jobs resumes it";
            case "--list-only" -> "use --dry-run -v";
            case "--size-only", "--ignore-times" ->
                "'treehaul sync' has this option; for cp use -u to leave files that are not newer";
            case "--xattrs", "-X", "--acls", "-A", "--hard-links" -> "-a preserves attributes, ACLs and hard links";
            case "-maxdepth", "--max-depth", "-name", "-size", "-mtime", "-type", "-newer" ->
                "use --where with the conditions of 'treehaul find', such as --where 'name=*.h5 size>1G'";
            case "--filter" -> "use --include and --exclude, with patterns as in .gitignore";
            default -> "";
        };
    }

    /** Returns what to use for an option of rsync in {@code sync}; empty if nothing is known about it. */
    static String optionOfSync(String option) {
        int end = option.indexOf('=');
        return switch (end < 0 ? option : option.substring(0, end)) {
            case "-z", "--compress", "--compress-level", "-e", "--rsh", "--rsync-path", "--bwlimit", "--list-only" ->
                option(option);
            case "-f", "-F", "--filter" -> option("--filter");
            case "-C", "--cvs-exclude" -> "use --exclude-from with a file of patterns as in .gitignore";
            case "--min-size", "--max-size" -> "use conditions: --where 'size>1M'";
            case "-m", "--prune-empty-dirs" ->
                "with --where, directories are made only above entries that meet the conditions";
            case "--mkpath" -> "make the directory above the destination first, with mkdir -p";
            case "--from0" -> "use -0";
            case "--temp-dir", "-T", "--delay-updates" -> "leave it out: each file gets its name when it is complete";
            case "--preallocate", "--no-sparse" -> "leave it out: holes stay holes";
            case "--safe-links", "--copy-unsafe-links", "--munge-links" ->
                "links are copied as they are; --exclude leaves some out";
            case "-K", "--keep-dirlinks" -> "links below the destination are never followed";
            case "--fake-super", "--super" -> "owners are kept if the user may set them";
            case "--out-format", "--log-format", "--log-file-format" ->
                "--itemize prints a line for each change, --json an object";
            case "-P", "--info" -> "use --progress";
            case "--partial", "--partial-dir", "--append", "--append-verify" ->
                "leave it out: a file gets its name when it is complete, and an interrupted one is copied again";
            case "--inplace" -> "a changed file is a new file that takes the name when it is complete; to write into "
                    + "existing files, use 'treehaul cp -aT --in-place'";
            case "-S", "--sparse" -> "leave it out: holes stay holes; 'treehaul cp --sparse=always' makes new ones";
            case "--delete-during", "--del" -> "use --delete, which removes before the copy, or --delete=after";
            case "--delete-excluded" -> "use --delete, which spares excluded entries; 'treehaul rm' removes them";
            case "--delete-missing-args" -> "use --delete with --files-from";
            case "-u", "--update" -> "'treehaul cp -aTu' leaves files that are newer at the destination";
            case "--ignore-existing" -> "'treehaul cp -aTn' leaves files that exist";
            case "--existing", "--ignore-non-existing" ->
                "every entry of the source is copied; 'treehaul cmp' lists those that differ, for --files-from";
            case "-b", "--backup", "--suffix" -> "use --backup-dir";
            case "-y", "--fuzzy", "--detect-renamed", "--detect-moved" -> "use --delete --detect-renames";
            case "--copy-dest" -> "use --link-dest or --compare-dest";
            case "-L", "--copy-links", "-k", "--copy-dirlinks" ->
                "links are copied as links; 'treehaul cp -aTL' copies what they lead to";
            case "-R", "--relative" -> "use --files-from, whose paths are below the source";
            case "--remove-source-files" ->
                "a sync removes nothing from the source; 'treehaul mv' removes it when the copy is verified";
            case "--chmod", "--chown", "--usermap", "--groupmap" ->
                "everything is kept; 'treehaul chmod' and 'treehaul chown' change the copy";
            case "--no-owner", "--no-o", "--no-group", "--no-g", "--no-perms", "--no-p", "--no-times", "--no-t", "-O",
                    "--omit-dir-times", "-J", "--omit-link-times" ->
                "everything is kept; 'treehaul cp -rT --preserve=LIST' keeps what is listed";
            case "--stats" -> "the last line has the totals; --json prints all of them";
            default -> "";
        };
    }

    /** Returns what to use for an option of GNU mv in {@code mv}; empty if nothing is known about it. */
    static String optionOfMv(String option) {
        return switch (option) {
            case "--exchange" -> "move one of the two to a third name first";
            case "-Z", "--context" -> "SELinux contexts are not set; run restorecon afterwards";
            case "--no-copy" -> "a source on another file system is always copied and then removed";
            case "--debug" -> "use -v to see each entry";
            default -> "";
        };
    }

    /** Returns what to use for an option of GNU rm in {@code rm}; empty if nothing is known about it. */
    static String optionOfRm(String option) {
        return switch (option) {
            case "--no-preserve-root" -> "leave it out: '/' is never removed";
            default -> "";
        };
    }

    /** Returns what to use for an option of GNU du in {@code du}; empty if nothing is known about it. */
    static String optionOfDu(String option) {
        int end = option.indexOf('=');
        return switch (end < 0 ? option : option.substring(0, end)) {
            case "-X" -> "use --exclude-from";
            case "--time", "--time-style" -> "use --by age, or 'treehaul find --printf' for the time of each entry";
            case "--files0-from" -> "give the roots as operands, for example by xargs -0";
            default -> "";
        };
    }

    /** Returns what to use for an option of {@code cp} in {@code plan}; empty if nothing is known about it. */
    static String optionOfPlan(String option) {
        int end = option.indexOf('=');
        return switch (end < 0 ? option : option.substring(0, end)) {
            case "--scheduler", "--queue", "--walltime", "--max-running", "--wait", "--ranks" ->
                "give it to 'treehaul cp --plan DIR', which carries out the plan";
            case "--manifest" ->
                "'treehaul manifest DEST > FILE' writes the checksums of the copy, and 'treehaul manifest --check FILE DEST' checks it";
            default -> option(option);
        };
    }

    /** Returns what to use for an option that users expect of {@code verify}; empty if nothing is known about it. */
    static String optionOfVerify(String option) {
        int end = option.indexOf('=');
        return switch (end < 0 ? option : option.substring(0, end)) {
            case "--manifest", "--check" -> "'treehaul manifest --check FILE TREE' checks a tree against a manifest";
            case "-n", "--dry-run" ->
                "verify without --repair changes nothing, and 'treehaul errors ID' then lists what --repair would copy";
            default -> "";
        };
    }

    /** Returns what to use for an option that users expect of {@code query}; empty if nothing is known about it. */
    static String optionOfQuery(String option) {
        return switch (option) {
            case "-l", "--long", "-ls" -> "--json prints all attributes, --top N --by FIELD the values of a field";
            case "-print0" -> "use -0";
            case "-delete", "--delete" -> "a query changes nothing";
            default -> optionOfFind(option);
        };
    }

    /** Returns what to use for an option of find in a walk; empty if nothing is known about it. */
    static String optionOfFind(String option) {
        return switch (option) {
            case "-name", "-iname", "-path", "-size", "-mtime", "-atime", "-type", "-user", "-newer", "-empty", "-perm",
                    "-maxdepth", "-mindepth", "--max-depth", "-d" ->
                "'treehaul find' selects by conditions such as 'name=*.h5', 'size>1G', kind=regular and depth=1";
            case "-print0" -> "use --print -0";
            case "-delete" -> "'treehaul rm -r' removes trees";
            default -> "";
        };
    }

    /** Returns what to use for an option of find(1) or fd in {@code find}; empty if nothing is known about it. */
    static String optionOfGnuFind(String option) {
        return switch (option) {
            case "-name", "-iname" -> "use 'name=*.h5', or 'name~=*.h5' in any case";
            case "-path", "-wholename", "-ipath" -> "use 'path=*/raw/*'";
            case "-size" -> "use 'size>1G', in bytes";
            case "-mtime", "-atime", "-ctime", "-mmin" -> "use 'age>7d', or 'atime<-7d'";
            case "-newer", "-newermt" -> "use newer-than=FILE, or 'mtime>2026-01-31'";
            case "-type" -> "use kind=regular, kind=directory or kind=symlink";
            case "-user", "-uid", "-group", "-gid" -> "use owner=NAME or group=NAME";
            case "-perm" -> "use mode=0644, mode=-4000 or mode=/022";
            case "-empty" -> "use empty=yes";
            case "-o", "-or" -> "use the word or";
            case "-not" -> "use the word not";
            case "-maxdepth", "-d" -> "use --max-depth";
            case "-mindepth" -> "use --min-depth";
            case "-print0" -> "use -0";
            case "-printf" -> "use --printf";
            case "-ls" -> "use --long";
            case "-exec", "-x" -> "use --exec";
            case "-quit" -> "use --limit 1";
            case "-prune" -> "use --exclude";
            case "-delete" -> "use --exec-batch rm, or 'treehaul rm'";
            default -> "";
        };
    }
}
