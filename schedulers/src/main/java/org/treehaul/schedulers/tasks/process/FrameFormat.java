// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.StripeRange;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.TaskPlace;

/**
 * The form of frames: a byte for the kind, then the values in the order of the record. A text or an array of bytes is
 * preceded by its length, a list by the number of its elements; all numbers are big-endian.
 */
final class FrameFormat {

    /** Bytes of the longest frame: the answer to a query of 10,000 tasks with long reasons. */
    static final int LONGEST = 16 << 20;

    private FrameFormat() {}

    static byte[] bytes(Frame frame) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(frame, out);
        } catch (IOException e) {
            throw new IllegalStateException("memory throws none", e);
        }
        return bytes.toByteArray();
    }

    private static void write(Frame frame, DataOutputStream out) throws IOException {
        switch (frame) {
            case Frame.Beat beat -> out.writeByte('b');
            case Frame.Start start -> start(start, out);
            case Frame.Task task -> task(task.place(), out);
            case Frame.Ready ready -> {
                out.writeByte('r');
                text(ready.refusal(), out);
            }
            case Frame.Go go -> out.writeByte('g');
            case Frame.Send send -> {
                out.writeByte('s');
                out.writeLong(send.request());
                out.writeInt(send.from());
                out.writeInt(send.to());
                out.writeBoolean(send.isAcknowledged());
                array(send.content(), out);
            }
            case Frame.Receive receive -> {
                out.writeByte('R');
                out.writeLong(receive.request());
                out.writeInt(receive.member());
                out.writeInt(receive.source());
            }
            case Frame.Cancel cancel -> number('c', cancel.request(), out);
            case Frame.Acknowledge acknowledge -> number('a', acknowledge.request(), out);
            case Frame.Query query -> number('q', query.request(), out);
            case Frame.Kill kill -> {
                out.writeByte('k');
                out.writeInt(kill.task());
            }
            case Frame.Ended ended -> {
                out.writeByte('e');
                out.writeInt(ended.task());
                out.writeBoolean(ended.isFailed());
                text(ended.detail(), out);
            }
            case Frame.Sent sent -> number('S', sent.request(), out);
            case Frame.Received received -> {
                out.writeByte('m');
                out.writeLong(received.request());
                out.writeInt(received.from());
                out.writeBoolean(received.isAcknowledged());
                array(received.content(), out);
            }
            case Frame.Cancelled cancelled -> number('C', cancelled.request(), out);
            case Frame.Failed failed -> {
                number('x', failed.request(), out);
                out.writeInt(failed.task());
                text(failed.reason(), out);
            }
            case Frame.Tasks tasks -> tasks(tasks, out);
            case Frame.Free free -> out.writeByte('f');
        }
    }

    private static void number(char kind, long request, DataOutputStream out) throws IOException {
        out.writeByte(kind);
        out.writeLong(request);
    }

    private static void start(Frame.Start start, DataOutputStream out) throws IOException {
        out.writeByte('1');
        text(start.group(), out);
        out.writeInt(start.tasks());
        out.writeInt(start.here());
        out.writeBoolean(start.hasVirtualThreads());
        out.writeLong(start.silenceMillis());
        out.writeLong(start.graceMillis());
        text(start.program(), out);
        out.writeInt(start.parameters().size());
        for (var parameter : start.parameters().entrySet()) {
            text(parameter.getKey(), out);
            text(parameter.getValue(), out);
        }
    }

    private static void task(TaskPlace place, DataOutputStream out) throws IOException {
        out.writeByte('t');
        out.writeInt(place.index());
        out.writeInt(place.instance());
        out.writeInt(place.segment().index());
        text(place.segment().host().orElse(""), out);
        out.writeInt(place.segment().ranges().size());
        for (StripeRange range : place.segment().ranges()) {
            out.writeLong(range.offset());
            out.writeLong(range.end());
            out.writeLong(range.block());
            out.writeLong(range.stride());
        }
    }

    private static void tasks(Frame.Tasks tasks, DataOutputStream out) throws IOException {
        number('T', tasks.request(), out);
        out.writeInt(tasks.tasks().size());
        for (TaskInfo task : tasks.tasks()) {
            out.writeInt(task.index());
            out.writeInt(task.segment());
            out.writeInt(task.instance());
            text(task.host(), out);
            text(task.state().name(), out);
            text(task.detail(), out);
        }
    }

    private static void text(String text, DataOutputStream out) throws IOException {
        array(text.getBytes(StandardCharsets.UTF_8), out);
    }

    private static void array(byte[] bytes, DataOutputStream out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /**
     * Reads a frame.
     *
     * @throws IOException if the bytes are no frame of this version, or more than one
     */
    static Frame read(byte[] bytes) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Frame frame;
        try {
            frame = read(in);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw malformed(bytes);
        }
        if (in.hasRemaining()) {
            throw malformed(bytes);
        }
        return frame;
    }

    private static IOException malformed(byte[] bytes) {
        return new IOException("a malformed frame of " + bytes.length + " bytes"
                + (bytes.length == 0 ? "" : ", kind " + (bytes[0] & 0xff)));
    }

    private static Frame read(ByteBuffer in) {
        byte kind = in.get();
        return switch (kind) {
            case 'b' -> new Frame.Beat();
            case '1' -> start(in);
            case 't' -> new Frame.Task(place(in));
            case 'r' -> new Frame.Ready(text(in));
            case 'g' -> new Frame.Go();
            case 's' -> new Frame.Send(in.getLong(), in.getInt(), in.getInt(), flag(in), content(in));
            case 'R' -> new Frame.Receive(in.getLong(), in.getInt(), in.getInt());
            case 'c' -> new Frame.Cancel(in.getLong());
            case 'a' -> new Frame.Acknowledge(in.getLong());
            case 'q' -> new Frame.Query(in.getLong());
            case 'k' -> new Frame.Kill(in.getInt());
            case 'e' -> new Frame.Ended(in.getInt(), flag(in), text(in));
            case 'S' -> new Frame.Sent(in.getLong());
            case 'm' -> new Frame.Received(in.getLong(), in.getInt(), flag(in), content(in));
            case 'C' -> new Frame.Cancelled(in.getLong());
            case 'x' -> new Frame.Failed(in.getLong(), in.getInt(), text(in));
            case 'T' -> tasks(in);
            case 'f' -> new Frame.Free();
            default -> throw new IllegalArgumentException("no kind: " + kind);
        };
    }

    private static Frame start(ByteBuffer in) {
        String group = text(in);
        int tasks = in.getInt();
        int here = in.getInt();
        boolean hasVirtualThreads = flag(in);
        long silence = in.getLong();
        long grace = in.getLong();
        String program = text(in);
        SortedMap<String, String> parameters = new TreeMap<>();
        for (int rest = count(in); rest > 0; rest--) {
            parameters.put(text(in), text(in));
        }
        return new Frame.Start(group, tasks, here, hasVirtualThreads, silence, grace, program, parameters);
    }

    private static TaskPlace place(ByteBuffer in) {
        int index = in.getInt();
        int instance = in.getInt();
        int segment = in.getInt();
        String host = text(in);
        List<StripeRange> ranges = new ArrayList<>();
        for (int rest = count(in); rest > 0; rest--) {
            ranges.add(new StripeRange(in.getLong(), in.getLong(), in.getLong(), in.getLong()));
        }
        return new TaskPlace(index, instance,
                new Segment(segment, host.isEmpty() ? Optional.empty() : Optional.of(host), ranges));
    }

    private static Frame tasks(ByteBuffer in) {
        long request = in.getLong();
        List<TaskInfo> tasks = new ArrayList<>();
        for (int rest = count(in); rest > 0; rest--) {
            int index = in.getInt();
            int segment = in.getInt();
            int instance = in.getInt();
            String host = text(in);
            TaskInfo.State state = TaskInfo.State.valueOf(text(in));
            tasks.add(new TaskInfo(index, segment, instance, host, state, text(in)));
        }
        return new Frame.Tasks(request, tasks);
    }

    private static boolean flag(ByteBuffer in) {
        return switch (in.get()) {
            case 0 -> false;
            case 1 -> true;
            default -> throw new IllegalArgumentException("no boolean");
        };
    }

    // An element has at least one byte, so that no wrong number reserves memory or takes time.
    private static int count(ByteBuffer in) {
        int count = in.getInt();
        if (count < 0 || count > in.remaining()) {
            throw new IllegalArgumentException("no number of elements: " + count);
        }
        return count;
    }

    private static byte[] array(ByteBuffer in) {
        byte[] bytes = new byte[count(in)];
        in.get(bytes);
        return bytes;
    }

    private static byte[] content(ByteBuffer in) {
        byte[] bytes = array(in);
        if (bytes.length > GroupMember.LONGEST_MESSAGE) {
            throw new IllegalArgumentException("a message of " + bytes.length + " bytes");
        }
        return bytes;
    }

    private static String text(ByteBuffer in) {
        return new String(array(in), StandardCharsets.UTF_8);
    }
}
