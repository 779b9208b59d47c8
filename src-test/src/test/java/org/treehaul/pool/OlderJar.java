// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.packaged.Run;

/** Makes the jar of a version before the format of plans changed: it writes and reads only the format before. */
final class OlderJar {

    /** The output of {@code --version} of the jar. */
    static final String VERSION = "treehaul 0.0.1";

    private static final String FORMATS = "/org/treehaul/core/plan/format/";

    private OlderJar() {}

    /** Makes the jar in a directory. */
    static Path in(Path directory) throws IOException {
        Path jar = Files.copy(Run.JAR, directory.resolve("older.jar"));
        try (FileSystem inside = FileSystems.newFileSystem(jar)) {
            writesBefore(inside.getPath(FORMATS + "TextFile.class"), "begin", 1);
            writesBefore(inside.getPath(FORMATS + "TextFile.class"), "checkVersion", 2);
            writesBefore(inside.getPath(FORMATS + "BinaryWriter.class"), "<init>", 1);
            Files.writeString(inside.getPath("/org/treehaul/cli/common/build.properties"),
                    VERSION.replace("treehaul ", "version="));
        }
        return jar;
    }

    // The compiler copies the constant of PlanHeader into the methods that use it.
    private static void writesBefore(Path file, String method, int times) throws IOException {
        AtomicInteger replaced = new AtomicInteger();
        ClassFile classes = ClassFile.of();
        byte[] changed = classes.transformClass(classes.parse(Files.readAllBytes(file)),
                ClassTransform.transformingMethodBodies(model -> model.methodName().equalsString(method),
                        CodeTransform.ofStateful(() -> before(replaced))));
        if (replaced.get() != times) {
            throw new IOException(method + " of " + file + " uses the version of the format " + replaced + " times");
        }
        Files.write(file, changed);
    }

    private static CodeTransform before(AtomicInteger replaced) {
        List<ConstantInstruction> held = new ArrayList<>();
        return (code, element) -> {
            if (!held.isEmpty()) {
                // The size of an array may be the same number.
                if (element instanceof NewReferenceArrayInstruction) {
                    code.with(held.getFirst());
                } else {
                    code.loadConstant(PlanHeader.VERSION - 1);
                    replaced.incrementAndGet();
                }
                held.clear();
            }
            if (element instanceof ConstantInstruction constant
                    && constant.constantValue().equals(PlanHeader.VERSION)) {
                held.add(constant);
            } else {
                code.with(element);
            }
        };
    }
}
