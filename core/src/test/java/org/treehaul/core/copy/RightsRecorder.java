// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TreeListing;

/**
 * The kernel's calls; after each one that may change access rights, all files of a tree are examined: the rights of
 * some groups and users at that moment.
 */
final class RightsRecorder {

    // Removing changes no rights, but an entry must not vanish while another thread examines it.
    private static final Set<String> MODIFYING = Set.of("openat", "openat2", "mkdirat", "mknodat", "symlinkat",
            "linkat", "unlinkat", "renameat2", "fchmod", "fchmodat", "fchownat", "fsetxattr", "setxattr",
            "fremovexattr", "removexattr", "write", "pwrite");

    private final FileSystemCalls examining;
    private final Path tree;
    private final Set<Integer> groups;
    private final Set<Integer> users;
    private final Map<Long, List<Moment>> moments = new LinkedHashMap<>();
    private final Map<Long, Map<String, Integer>> before = new HashMap<>();

    /** The rights of all on a file after a call. */
    private record Moment(String path, String call, Map<String, Integer> rights) {}

    RightsRecorder(Path tree, Set<Integer> groups, Set<Integer> users) {
        this(Linux.calls(), tree, groups, users);
    }

    /** Examines the tree with these calls. */
    RightsRecorder(FileSystemCalls examining, Path tree, Set<Integer> groups, Set<Integer> users) {
        this.examining = examining;
        this.tree = tree;
        this.groups = groups;
        this.users = users;
        if (Files.exists(tree)) {
            TreeListing.of(examining, tree)
                    .entries()
                    .forEach(entry -> before.put(entry.status().inode(), rights(entry)));
        }
    }

    FileSystemCalls calls() {
        return (FileSystemCalls) Proxy.newProxyInstance(RightsRecorder.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    try {
                        if (!MODIFYING.contains(method.getName())) {
                            return method.invoke(Linux.calls(), arguments);
                        }
                        synchronized (this) {
                            Object result = method.invoke(Linux.calls(), arguments);
                            look(method.getName());
                            return result;
                        }
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void look(String call) {
        if (!Files.exists(tree)) {
            return;
        }
        for (ListedEntry entry : TreeListing.of(examining, tree).entries()) {
            List<Moment> ofFile = moments.computeIfAbsent(entry.status().inode(), i -> new ArrayList<>());
            Map<String, Integer> rights = rights(entry);
            if (ofFile.isEmpty() || !ofFile.getLast().rights().equals(rights)) {
                ofFile.add(new Moment(entry.path().toString(), call, rights));
            }
        }
    }

    private Map<String, Integer> rights(ListedEntry entry) {
        Map<String, Integer> rights = new TreeMap<>();
        for (int group : groups) {
            rights.put("group " + group,
                    PosixAcl.rightsOfGroup(group, entry.status(), entry.attributes().get(PosixAcl.ACCESS)));
        }
        for (int user : users) {
            if (entry.status().uid() != user) {
                rights.put("user " + user,
                        PosixAcl.rightsOfUser(user, entry.status(), entry.attributes().get(PosixAcl.ACCESS)));
            }
        }
        return rights;
    }

    /** Fails if at any moment a user or group had more rights on a file than both before and after. */
    void neverMoreThanBeforeOrAfter(String what) {
        assertThat(moments).isNotEmpty();
        List<String> more = new ArrayList<>();
        moments.forEach((inode, ofFile) -> {
            Map<String, Integer> first = before.getOrDefault(inode, Map.of());
            Map<String, Integer> last = ofFile.getLast().rights();
            for (Moment moment : ofFile) {
                moment.rights().forEach((whom, rights) -> {
                    int allowed = first.getOrDefault(whom, 0) | last.getOrDefault(whom, 0);
                    if ((rights & ~allowed) != 0) {
                        more.add(moment.path() + " after " + moment.call() + ": " + whom + " " + rights + " for "
                                + allowed);
                    }
                });
            }
        });
        assertThat(more).as(what).isEmpty();
    }
}
