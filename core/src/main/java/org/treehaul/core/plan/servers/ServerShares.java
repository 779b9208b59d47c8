// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The division of a number of batches among the servers: each gets as many as it has of the work. Servers with less
 * than half a batch share the batches of the entries without a server, so the number of batches stays as requested.
 */
public final class ServerShares {

    private static final List<String> NONE = List.of();

    private final int[] partOfNumber;
    private final List<List<String>> servers = new ArrayList<>();
    private final int[] batches;

    private ServerShares(int[] partOfNumber, List<List<String>> servers, int[] batches) {
        this.partOfNumber = partOfNumber;
        this.servers.addAll(servers);
        this.batches = batches;
    }

    /**
     * Divides batches.
     *
     * @param work the work on each list of servers, by its number
     * @param wanted the number of batches; 0 if only limits of their size are given
     */
    public static ServerShares of(ServerTable table, double[] work, int wanted) {
        return of(table, work, wanted, false);
    }

    /**
     * Divides batches.
     *
     * @param isBound whether each server has batches of its own, however little it has and however many these become
     */
    public static ServerShares of(ServerTable table, double[] work, int wanted, boolean isBound) {
        double all = 0;
        List<Integer> numbers = new ArrayList<>();
        for (int number = 0; number < work.length; number++) {
            all += work[number];
            if (number != ServerTable.ANY && work[number] > 0) {
                numbers.add(number);
            }
        }
        // Threads number the lists in any order, and equal trees must give equal plans.
        numbers.sort((one, other) -> {
            int order = Double.compare(work[other], work[one]);
            return order != 0 ? order : compareServers(table, one, other);
        });
        double least = wanted == 0 || isBound ? 0 : all / wanted / 2;
        double rest = work[ServerTable.ANY];
        List<Integer> kept = new ArrayList<>();
        for (int number : numbers) {
            if (work[number] >= least && (wanted == 0 || isBound || kept.size() < wanted)) {
                kept.add(number);
            } else {
                rest += work[number];
            }
        }
        if (rest > 0 && !isBound && !kept.isEmpty() && kept.size() == wanted) {
            rest += work[kept.removeLast()];
        }
        kept.sort((one, other) -> compareServers(table, one, other));
        int[] parts = new int[work.length];
        Arrays.fill(parts, kept.size());
        List<List<String>> servers = new ArrayList<>();
        double[] shares = new double[kept.size() + (rest > 0 ? 1 : 0)];
        for (int part = 0; part < kept.size(); part++) {
            parts[kept.get(part)] = part;
            servers.add(table.servers(kept.get(part)));
            shares[part] = work[kept.get(part)];
        }
        if (rest > 0) {
            servers.add(NONE);
            shares[kept.size()] = rest;
        }
        return new ServerShares(parts, servers, divide(shares, wanted));
    }

    // No Comparator.comparing: the JVM generates a class for each at every start.
    private static int compareServers(ServerTable table, int one, int other) {
        return String.join("\t", table.servers(one)).compareTo(String.join("\t", table.servers(other)));
    }

    // At least one each; then one after another to the part whose batches are the largest.
    private static int[] divide(double[] shares, int wanted) {
        int[] batches = new int[shares.length];
        if (wanted == 0) {
            return batches;
        }
        Arrays.fill(batches, 1);
        PriorityQueue<Integer> largest = new PriorityQueue<>((one, other) -> {
            int order = Double.compare(shares[other] / batches[other], shares[one] / batches[one]);
            return order != 0 ? order : Integer.compare(one, other);
        });
        for (int part = 0; part < shares.length; part++) {
            largest.add(part);
        }
        for (int given = shares.length; given < wanted && !largest.isEmpty(); given++) {
            int part = largest.remove();
            batches[part]++;
            largest.add(part);
        }
        return batches;
    }

    /** Returns the number of parts: one for each list of servers that has batches of its own, and one for the rest. */
    public int parts() {
        return servers.size();
    }

    /** Returns the part of the entries on a list of servers. */
    public int part(int number) {
        return partOfNumber[number];
    }

    /** Returns the number of batches of a part; 0 if only limits of their size are given. */
    public int batches(int part) {
        return batches[part];
    }

    /** Returns the servers of a part; empty for the rest. */
    public List<String> servers(int part) {
        return servers.get(part);
    }

    /**
     * Returns the order in which the batches of several parts alternate, so that batches that follow each other are on
     * different servers.
     *
     * @param counts the number of batches of each part
     * @return the part of each batch
     */
    public static int[] alternate(int[] counts) {
        int all = 0;
        PriorityQueue<long[]> next = new PriorityQueue<>((one, other) -> {
            int order = Double.compare((one[1] + 0.5) / counts[(int) one[0]],
                    (other[1] + 0.5) / counts[(int) other[0]]);
            return order != 0 ? order : Long.compare(one[0], other[0]);
        });
        for (int part = 0; part < counts.length; part++) {
            all += counts[part];
            if (counts[part] > 0) {
                next.add(new long[]{part, 0});
            }
        }
        int[] order = new int[all];
        for (int i = 0; i < all; i++) {
            long[] one = next.remove();
            order[i] = (int) one[0];
            one[1]++;
            if (one[1] < counts[order[i]]) {
                next.add(one);
            }
        }
        return order;
    }
}
