// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;

import net.jini.core.lease.Lease;
import net.jini.core.lease.LeaseMap;
import net.jini.core.transaction.Transaction;
import net.jini.core.transaction.UnknownTransactionException;
import net.jini.core.transaction.server.ServerTransaction;
import net.jini.core.transaction.server.TransactionConstants;
import net.jini.core.transaction.server.TransactionManager;
import net.jini.core.transaction.server.TransactionParticipant;
import net.jini.export.Exporter;
import net.jini.space.JavaSpace05;
import org.opentest4j.TestAbortedException;

/** Apache River's JavaSpace, in this process: it is called directly, without RMI, lookup or security. */
public final class Outrigger implements AutoCloseable {
    private static final String CONFIGURATION = "com.sun.jini.outrigger.";
    /** After this time a call is examined for a deadlock. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Object server;
    private final JavaSpace05 space;
    private final Manager manager = new Manager();
    private boolean isDeadlocked;

    /** Hands out the server itself. Public, as the server makes it by its name. */
    public static final class Direct implements Exporter {
        @Override
        public Remote export(Remote server) {
            return server;
        }

        @Override
        public boolean unexport(boolean force) {
            return true;
        }
    }

    private Outrigger(Object server) throws ReflectiveOperationException {
        this.server = server;
        space = (JavaSpace05) call("space");
    }

    /** Starts one that forgets everything when it is closed. */
    public static Outrigger start() throws ReflectiveOperationException {
        // Only its classes that are sent over the network are public.
        Constructor<?> made = Class.forName("com.sun.jini.outrigger.TransientOutriggerImpl")
                .getDeclaredConstructors()[0];
        made.setAccessible(true);
        String[] configuration = {"-", CONFIGURATION + "initialLookupGroups=new String[]{}",
                CONFIGURATION + "serverExporter=new " + Direct.class.getName() + "()"};
        return new Outrigger(made.newInstance(configuration, null));
    }

    private Object call(String name) throws ReflectiveOperationException {
        Method method = server.getClass().getSuperclass().getDeclaredMethod(name);
        method.setAccessible(true);
        return method.invoke(server);
    }

    /** Returns the space. */
    public JavaSpace05 space() {
        return space;
    }

    /** Begins a transaction, which lasts until it is committed or aborted. */
    public Transaction begin() {
        return new ServerTransaction(manager, manager.create(Lease.FOREVER).id);
    }

    /**
     * Ends a transaction. Outrigger locks the transaction and then a caller that waits in it; where it serves such a
     * caller, it locks in the opposite order. Once in some thousand calls it therefore deadlocks, and cannot be used
     * afterwards.
     *
     * @throws TestAbortedException if it has
     */
    public void end(Transaction transaction, boolean isCommit) throws Exception {
        FutureTask<Boolean> end = new FutureTask<>(() -> {
            if (isCommit) {
                transaction.commit();
            } else {
                transaction.abort();
            }
            return true;
        });
        Thread thread = Thread.ofPlatform().daemon().start(end);
        while (!thread.join(LOOK)) {
            long[] deadlocked = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
            if (deadlocked != null && LongStream.of(deadlocked).anyMatch(id -> id == thread.threadId())) {
                isDeadlocked = true;
                throw new TestAbortedException("Outrigger has blocked itself");
            }
        }
        try {
            end.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Returns whether it has a deadlock. */
    public boolean isDeadlocked() {
        return isDeadlocked;
    }

    @Override
    public void close() throws ReflectiveOperationException {
        if (isDeadlocked) {
            return;
        }
        try {
            call("destroy");
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("Outrigger does not end", e.getCause());
        }
    }

    /** The least that a space needs of a manager of transactions of which it is the only participant. */
    private static final class Manager implements TransactionManager {
        private final Map<Long, TransactionParticipant> participants = new HashMap<>();
        private long last;

        @Override
        public synchronized Created create(long lease) {
            participants.put(++last, new Nobody());
            return new Created(last, new Endless());
        }

        @Override
        public synchronized void join(long id, TransactionParticipant participant, long crashes)
                throws UnknownTransactionException {
            if (participants.replace(id, participant) == null) {
                throw new UnknownTransactionException("it has ended");
            }
        }

        @Override
        public synchronized int getState(long id) throws UnknownTransactionException {
            if (!participants.containsKey(id)) {
                throw new UnknownTransactionException("it has ended");
            }
            return TransactionConstants.ACTIVE;
        }

        private synchronized TransactionParticipant end(long id) throws UnknownTransactionException {
            TransactionParticipant participant = participants.remove(id);
            if (participant == null) {
                throw new UnknownTransactionException("it has ended");
            }
            return participant;
        }

        @Override
        public void commit(long id) throws UnknownTransactionException, RemoteException {
            end(id).prepareAndCommit(this, id);
        }

        @Override
        public void commit(long id, long wait) throws UnknownTransactionException, RemoteException {
            commit(id);
        }

        @Override
        public void abort(long id) throws UnknownTransactionException, RemoteException {
            end(id).abort(this, id);
        }

        @Override
        public void abort(long id, long wait) throws UnknownTransactionException, RemoteException {
            abort(id);
        }
    }

    /** The participant until the space joins. */
    private static final class Nobody implements TransactionParticipant {
        @Override
        public int prepare(TransactionManager manager, long id) {
            return TransactionConstants.NOTCHANGED;
        }

        @Override
        public void commit(TransactionManager manager, long id) {}

        @Override
        public void abort(TransactionManager manager, long id) {}

        @Override
        public int prepareAndCommit(TransactionManager manager, long id) {
            return TransactionConstants.NOTCHANGED;
        }
    }

    private static final class Endless implements Lease {
        @Override
        public long getExpiration() {
            return FOREVER;
        }

        @Override
        public void cancel() {}

        @Override
        public void renew(long duration) {}

        @Override
        public void setSerialFormat(int format) {}

        @Override
        public int getSerialFormat() {
            return DURATION;
        }

        @Override
        public LeaseMap createLeaseMap(long duration) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean canBatch(Lease other) {
            return false;
        }
    }
}
