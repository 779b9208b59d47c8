// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;

/**
 * An action for a signal. Its only subclass implements {@code sun.misc.SignalHandler}. javac's warning about that
 * interface cannot be turned off, and the JVM takes 5 ms at each start to make a proxy of it, so the bytes of the
 * subclass are written here, in the format of chapter 4 of the Java Virtual Machine Specification.
 */
abstract class SignalAction {

    private static final String BASE = "org/treehaul/cli/report/SignalAction";
    private static final String SIGNAL = "sun/misc/Signal";
    private static final String HANDLER = "sun/misc/SignalHandler";

    private static final int JAVA_8 = 52;
    private static final int IS_FINAL = 0x0010;
    private static final int IS_PUBLIC = 0x0001;
    private static final int CALLS_SUPER = 0x0020;

    // Tags of constants.
    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;

    // Instructions.
    private static final int ALOAD_0 = 0x2a;
    private static final int ALOAD_1 = 0x2b;
    private static final int POP = 0x57;
    private static final int DUP = 0x59;
    private static final int RETURN = 0xb1;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;
    private static final int NEW = 0xbb;

    private final Runnable action;

    SignalAction(Runnable action) {
        this.action = action;
    }

    /**
     * Carries the action out whenever the process receives a signal, from now on.
     *
     * @param signal the name without SIG
     * @throws IllegalArgumentException if the JVM uses the signal itself, or does not know it
     */
    abstract void on(String signal);

    final void act() {
        action.run();
    }

    /**
     * Returns an action for signals.
     *
     * @throws ReflectiveOperationException if it cannot be made
     * @throws LinkageError if this Java has no {@code sun.misc.Signal}
     */
    static SignalAction of(Runnable action) throws ReflectiveOperationException {
        return Subclass.CONSTRUCTOR.newInstance(action);
    }

    /** The subclass, made once. */
    private static final class Subclass {

        static final Constructor<? extends SignalAction> CONSTRUCTOR;

        static {
            try {
                CONSTRUCTOR = MethodHandles.lookup()
                        .defineClass(new ClassFile().bytes())
                        .asSubclass(SignalAction.class)
                        .getDeclaredConstructor(Runnable.class);
            } catch (ReflectiveOperationException | IOException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    /** Writes the subclass. */
    private static final class ClassFile {

        private final ByteArrayOutputStream constantBytes = new ByteArrayOutputStream();
        private final DataOutputStream constants = new DataOutputStream(constantBytes);
        private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
        private final DataOutputStream methods = new DataOutputStream(methodBytes);
        private int count = 1;

        byte[] bytes() throws IOException {
            int self = type(BASE + "$OfSignal");
            int base = type(BASE);
            int handler = type(HANDLER);
            int code = text("Code");
            String constructor = "(Ljava/lang/Runnable;)V";
            method(0, "<init>", constructor, code, 2, ALOAD_0, ALOAD_1, INVOKESPECIAL,
                    method(BASE, "<init>", constructor), RETURN);
            method(0, "on", "(Ljava/lang/String;)V", code, 3, NEW, type(SIGNAL), DUP, ALOAD_1, INVOKESPECIAL,
                    method(SIGNAL, "<init>", "(Ljava/lang/String;)V"), ALOAD_0, INVOKESTATIC,
                    method(SIGNAL, "handle", "(L" + SIGNAL + ";L" + HANDLER + ";)L" + HANDLER + ";"), POP, RETURN);
            method(IS_PUBLIC, "handle", "(L" + SIGNAL + ";)V", code, 1, ALOAD_0, INVOKEVIRTUAL,
                    method(BASE, "act", "()V"), RETURN);
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(whole);
            out.writeInt(0xCAFEBABE);
            shorts(out, 0, JAVA_8, count);
            constantBytes.writeTo(out);
            // One interface, no fields, three methods.
            shorts(out, IS_FINAL | CALLS_SUPER, self, base, 1, handler, 0, 3);
            methodBytes.writeTo(out);
            shorts(out, 0);
            return whole.toByteArray();
        }

        private static void shorts(DataOutputStream out, int... numbers) throws IOException {
            for (int number : numbers) {
                out.writeShort(number);
            }
        }

        private int text(String text) throws IOException {
            constants.writeByte(UTF8);
            constants.writeUTF(text);
            return count++;
        }

        private int type(String name) throws IOException {
            int text = text(name);
            constants.writeByte(CLASS);
            constants.writeShort(text);
            return count++;
        }

        private int method(String owner, String name, String descriptor) throws IOException {
            int type = type(owner);
            int nameIndex = text(name);
            int descriptorIndex = text(descriptor);
            constants.writeByte(NAME_AND_TYPE);
            shorts(constants, nameIndex, descriptorIndex);
            int both = count++;
            constants.writeByte(METHOD);
            shorts(constants, type, both);
            return count++;
        }

        // The index of a constant follows the instructions from INVOKEVIRTUAL on.
        private void method(int access, String name, String descriptor, int code, int stack, int... instructions)
                throws IOException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(body);
            for (int i = 0; i < instructions.length; i++) {
                out.writeByte(instructions[i]);
                if (instructions[i] >= INVOKEVIRTUAL) {
                    i++;
                    out.writeShort(instructions[i]);
                }
            }
            shorts(methods, access, text(name), text(descriptor), 1, code);
            // Two local variables, this and an argument; no exception handlers and no attributes.
            methods.writeInt(12 + body.size());
            shorts(methods, stack, 2);
            methods.writeInt(body.size());
            body.writeTo(methods);
            shorts(methods, 0, 0);
        }
    }
}
