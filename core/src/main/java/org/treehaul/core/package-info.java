// SPDX-License-Identifier: Apache-2.0
/**
 * The core of TreeHaul: trees are walked, planned, copied and compared, and each step is recorded.
 * <p>
 * This package has no types; it lists the packages below it, from the lowest layer up. A package uses only those above
 * it in the list, which an architecture test in {@code src-test} enforces.
 * <dl>
 * <dt>{@code annotation}</dt>
 * <dd>marks of the types that programs may use, and of those that they may not</dd>
 * <dt>{@code entry}</dt>
 * <dd>the objects in a tree: kind, name as bytes, and status</dd>
 * <dt>{@code condition}</dt>
 * <dd>conditions on entries: the language of {@code query} and {@code find}</dd>
 * <dt>{@code fs}</dt>
 * <dd>all calls to file systems, behind one interface; {@code fs.linux} makes them, and is the only package with
 * downcalls</dd>
 * <dt>{@code locality}</dt>
 * <dd>the servers of a parallel file system that store each part of a file</dd>
 * <dt>{@code picture}</dt>
 * <dd>pictures as SVG, for reports and profiles</dd>
 * <dt>{@code storage}</dt>
 * <dd>files and trees as a copy sees them, independent of the system that stores them</dd>
 * <dt>{@code state}</dt>
 * <dd>small files that the program keeps about its own work, checksummed and replaced atomically</dd>
 * <dt>{@code event}</dt>
 * <dd>reports of running work; the code never prints</dd>
 * <dt>{@code walk}</dt>
 * <dd>finds the entries of trees; its frontier of waiting work is shared by threads and split among ranks</dd>
 * <dt>{@code threads}</dt>
 * <dd>threads that share many similar items</dd>
 * <dt>{@code plan}</dt>
 * <dd>a transfer in written form: batches, manifests, directories and links to finish</dd>
 * <dt>{@code copy}</dt>
 * <dd>creates entries at the destination, first the data, then the metadata</dd>
 * <dt>{@code remove}</dt>
 * <dd>removes trees</dd>
 * <dt>{@code compare}</dt>
 * <dd>compares two trees, or a copy with its source</dd>
 * <dt>{@code repair}</dt>
 * <dd>copies again the entries that a comparison found to differ</dd>
 * <dt>{@code sync}</dt>
 * <dd>makes a destination equal to a source</dd>
 * <dt>{@code trees}</dt>
 * <dd>whole trees in one call, with default options</dd>
 * <dt>{@code manifest}</dt>
 * <dd>writes the checksums of a tree, and compares a tree with them</dd>
 * <dt>{@code operation}</dt>
 * <dd>operations on single entries, which plans apply</dd>
 * <dt>{@code move}</dt>
 * <dd>moves files and trees</dd>
 * <dt>{@code attributes}</dt>
 * <dd>changes modes and owners of trees</dd>
 * <dt>{@code transfer}</dt>
 * <dd>carries out a plan: state directory, journal, worker, finishing</dd>
 * </dl>
 * Core does not depend on strategies, schedulers, tuple spaces or the command line. It never changes the umask, the
 * working directory, signal handlers or the locale, never prints, never exits, and ends the threads it starts.
 */
@NullMarked
package org.treehaul.core;

import org.jspecify.annotations.NullMarked;
