// SPDX-License-Identifier: Apache-2.0
/**
 * The way of a tree through TreeHaul: walked, planned, copied, compared, and the account of it.
 * <p>
 * Nothing lives in this package itself; it maps the ones below it, from the ground up. A package uses only those above
 * it in this list, and an architecture test in {@code src-test} holds it to that.
 * <dl>
 * <dt>{@code entry}</dt>
 * <dd>one thing in a tree: its kind, its name as bytes, what stat said of it</dd>
 * <dt>{@code fs}</dt>
 * <dd>every call to a file system behind one interface; {@code fs.linux} makes them, and is the only package with
 * downcalls</dd>
 * <dt>{@code event}</dt>
 * <dd>what the code reports while it works; it never prints</dd>
 * <dt>{@code walk}</dt>
 * <dd>trees become entries; the frontier of work that threads steal from and ranks split</dd>
 * <dt>{@code copy}</dt>
 * <dd>one entry made at the destination, data first, metadata afterwards</dd>
 * <dt>{@code compare}</dt>
 * <dd>two trees, or what was written and what should be there</dd>
 * <dt>{@code plan}</dt>
 * <dd>a transfer written down: batches, manifests, directories and links to finish</dd>
 * <dt>{@code transfer}</dt>
 * <dd>a plan carried out: state directory, journal, worker, finishing</dd>
 * </dl>
 * Core knows no strategy, no scheduler, no tuple space and no command line. It never changes the umask, the working
 * directory, signal handlers or the locale, never prints, never exits, and ends the threads it starts.
 */
@NullMarked
package org.treehaul.core;

import org.jspecify.annotations.NullMarked;
