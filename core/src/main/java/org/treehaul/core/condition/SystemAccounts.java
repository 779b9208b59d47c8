// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.LoggerFactory;

/**
 * Reads /etc/passwd and /etc/group, and asks getent(1) for names that are not there: on clusters, users come from a
 * directory service, which only the C library can query.
 */
final class SystemAccounts implements Accounts {

    private final Database users = new Database("passwd");
    private final Database groups = new Database("group");

    @Override
    public OptionalLong user(String name) {
        return users.number(name);
    }

    @Override
    public OptionalLong loginGroup(String user) {
        return users.loginGroup(user);
    }

    @Override
    public OptionalLong group(String name) {
        return groups.number(name);
    }

    @Override
    public String userName(long number) {
        return users.name(number);
    }

    @Override
    public String groupName(long number) {
        return groups.name(number);
    }

    /** Lines as in passwd(5) and group(5): name, password, number, further fields. */
    private static final class Database {

        private final String kind;
        private final Map<String, OptionalLong> numbers = new ConcurrentHashMap<>();
        private final Map<Long, String> names = new ConcurrentHashMap<>();
        private boolean isRead;

        Database(String kind) {
            this.kind = kind;
        }

        OptionalLong number(String name) {
            read();
            return numbers.computeIfAbsent(name, unknown -> {
                for (String line : ask(unknown)) {
                    String[] parts = line.split(":", 4);
                    // If the name is all digits, getent looks for an ID.
                    if (parts.length > 2 && parts[0].equals(unknown)) {
                        return OptionalLong.of(Long.parseUnsignedLong(parts[2]));
                    }
                }
                return OptionalLong.empty();
            });
        }

        String name(long number) {
            read();
            return names.computeIfAbsent(number, unknown -> {
                String digits = Long.toString(unknown);
                for (String line : ask(digits)) {
                    String[] parts = line.split(":", 4);
                    if (parts.length > 2 && parts[2].equals(digits)) {
                        return parts[0];
                    }
                }
                return digits;
            });
        }

        // Rarely needed, so the file is read again.
        OptionalLong loginGroup(String name) {
            List<String> lines;
            try {
                lines = Files.readAllLines(Path.of("/etc", kind), StandardCharsets.ISO_8859_1);
            } catch (IOException e) {
                lines = List.of();
            }
            OptionalLong known = loginGroup(lines, name);
            return known.isPresent() ? known : loginGroup(ask(name), name);
        }

        private static OptionalLong loginGroup(List<String> lines, String name) {
            return lines.stream()
                    .map(line -> line.split(":", 5))
                    .filter(parts -> parts.length > 3 && parts[0].equals(name) && parts[3].matches("\\d{1,10}"))
                    .mapToLong(parts -> Long.parseLong(parts[3]))
                    .findFirst();
        }

        private synchronized void read() {
            if (isRead) {
                return;
            }
            isRead = true;
            try {
                for (String line : Files.readAllLines(Path.of("/etc", kind), StandardCharsets.ISO_8859_1)) {
                    String[] parts = line.split(":", 4);
                    if (parts.length > 2 && parts[2].matches("\\d{1,10}")) {
                        long number = Long.parseLong(parts[2]);
                        numbers.putIfAbsent(parts[0], OptionalLong.of(number));
                        names.putIfAbsent(number, parts[0]);
                    }
                }
            } catch (IOException e) {
                LoggerFactory.getLogger(SystemAccounts.class).warn("cannot read /etc/{}: {}", kind, e.toString());
            }
        }

        private List<String> ask(String key) {
            // A name cannot be an option of getent, nor contain NUL, which no argument can hold.
            if (key.isEmpty() || key.startsWith("-") || key.indexOf('\0') >= 0) {
                return List.of();
            }
            try {
                Process process = new ProcessBuilder("getent", kind, key).redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                process.getOutputStream().close();
                String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
                process.waitFor();
                return answer.lines().toList();
            } catch (IOException e) {
                LoggerFactory.getLogger(SystemAccounts.class).warn("cannot ask getent: {}", e.toString());
                return List.of();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }
    }
}
