// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import org.treehaul.core.fs.linux.Linux;

/** Shortens the start of a command. */
final class QuickStart {

    private QuickStart() {}

    /** Keeps Picocli from looking for Groovy, which would open every jar of the class path. */
    static void withoutGroovy() {
        System.setProperty("picocli.disable.closures", "true");
    }

    // Otherwise the JVM makes classes for methods and constructors that are called by reflection only once. It reads the
    // property at its first reflective call, which may be one of the thread below.
    private static void withPlainReflection() {
        System.setProperty("jdk.reflect.useNativeAccessorOnly", "true");
    }

    // Otherwise the JVM checks that its own translation of each call shape is sound, and makes two classes for that.
    private static void withoutBindingChecks() {
        System.setProperty("java.lang.foreign.VERIFY_BINDINGS", "false");
    }

    // Otherwise Netty announces the events of its buffers to the flight recorder, for which the JVM makes twenty classes.
    private static void withoutEventsOfBuffers() {
        System.setProperty("io.netty.jfr.enabled", "false");
    }

    /**
     * Begins to link the functions of the C library on another thread, so that a second core can link them while the
     * command line is read. The first use of a function waits until all are linked.
     */
    static void linkCalls() {
        withPlainReflection();
        withoutBindingChecks();
        withoutEventsOfBuffers();
        try {
            Thread.ofPlatform().name("treehaul-link").daemon().start(QuickStart::link);
        } catch (OutOfMemoryError e) {
            // The process has reached a limit on threads: the command links the functions when it needs them.
            return;
        }
    }

    private static void link() {
        try {
            Linux.calls();
        } catch (UnsupportedOperationException e) {
            // The command reports the same, if it needs the functions.
            return;
        }
    }
}
