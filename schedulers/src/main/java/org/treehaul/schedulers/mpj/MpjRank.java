// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;

import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Received;

/**
 * Calls the functions of MPJ Express that TreeHaul uses, by method handles, so that no code here needs its classes at
 * compile time. Each rank has one instance. If the ranks share a process, every call must come from a thread of the
 * rank's own thread group.
 */
final class MpjRank implements FrameChannel {

    private static final int TAG = 7;
    private static final int ANY_SOURCE = -2;

    private final MethodHandle send;
    private final MethodHandle receive;
    private final MethodHandle length;
    private final MethodHandle source;
    private final MethodHandle finish;
    private final int rank;
    private final int size;
    private final byte[] buffer = new byte[Frame.LONGEST];

    private MpjRank(ClassLoader loader, String[] arguments) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> mpi = Class.forName("mpi.MPI", true, loader);
        Class<?> comm = Class.forName("mpi.Comm", true, loader);
        Class<?> type = Class.forName("mpi.Datatype", true, loader);
        Class<?> status = Class.forName("mpi.Status", true, loader);
        lookup.findStatic(mpi, "Init", methodType(String[].class, String[].class)).invoke((Object) arguments);
        Object world = lookup.findStaticGetter(mpi, "COMM_WORLD", Class.forName("mpi.Intracomm", true, loader))
                .invoke();
        Object bytes = lookup.findStaticGetter(mpi, "BYTE", type).invoke();
        rank = (int) lookup.findVirtual(comm, "Rank", methodType(int.class)).invoke(world);
        size = (int) lookup.findVirtual(comm, "Size", methodType(int.class)).invoke(world);
        Class<?>[] buffer = {Object.class, int.class, int.class, type, int.class, int.class};
        send = from(lookup.findVirtual(comm, "Send", methodType(void.class, buffer)).bindTo(world), bytes)
                .asType(methodType(void.class, Object.class, int.class, int.class));
        receive = MethodHandles.insertArguments(
                from(lookup.findVirtual(comm, "Recv", methodType(status, buffer)).bindTo(world), bytes), 2, ANY_SOURCE)
                .asType(methodType(Object.class, Object.class, int.class));
        length = MethodHandles
                .insertArguments(lookup.findVirtual(status, "Get_count", methodType(int.class, type)), 1, bytes)
                .asType(methodType(int.class, Object.class));
        source = lookup.findGetter(status, "source", int.class).asType(methodType(int.class, Object.class));
        finish = lookup.findStatic(mpi, "Finalize", methodType(void.class));
    }

    // Leaves buffer, count and the other rank as parameters: the offset is 0, the type and the tag are always the same.
    private static MethodHandle from(MethodHandle call, Object bytes) {
        return MethodHandles.insertArguments(
                MethodHandles.insertArguments(MethodHandles.insertArguments(call, 5, TAG), 3, bytes), 1, 0);
    }

    /**
     * Starts MPJ Express for this rank.
     *
     * @param arguments rank, number of ranks or configuration, device
     * @throws RanksException if that fails
     */
    static MpjRank init(ClassLoader loader, String... arguments) {
        try {
            return new MpjRank(loader, arguments);
        } catch (Throwable e) {
            throw failed("MPJ Express failed to start", e);
        }
    }

    private static RanksException failed(String what, Throwable e) {
        if (e instanceof VirtualMachineError error) {
            throw error;
        }
        return new RanksException(what + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()), e);
    }

    @Override
    public int rank() {
        return rank;
    }

    int size() {
        return size;
    }

    @Override
    public void send(byte[] frame, int to) {
        try {
            send.invokeExact((Object) frame, frame.length, to);
        } catch (Throwable e) {
            throw failed("MPJ Express failed to send to rank " + to, e);
        }
    }

    @Override
    public Received receive() {
        try {
            Object status = (Object) receive.invokeExact((Object) buffer, buffer.length);
            int from = (int) source.invokeExact(status);
            return new Received(from, Arrays.copyOf(buffer, (int) length.invokeExact(status)));
        } catch (Throwable e) {
            throw failed("MPJ Express failed to receive", e);
        }
    }

    @Override
    public void finish() {
        try {
            finish.invokeExact();
        } catch (Throwable e) {
            throw failed("MPJ Express failed to end", e);
        }
    }
}
