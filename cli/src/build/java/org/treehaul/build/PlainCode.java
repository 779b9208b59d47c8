// SPDX-License-Identifier: Apache-2.0
package org.treehaul.build;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.RuntimeInvisibleTypeAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeVisibleTypeAnnotationsAttribute;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Replaces instructions for which the JVM generates classes when they are first reached, at every start, because no
 * archive of JDK 25 contains these classes: those that find the case of a {@code switch} over types
 * ({@code SwitchBootstraps.typeSwitch}), and those in the methods {@code equals} and {@code hashCode} of records
 * ({@code ObjectMethods}). Methods of the class itself do the same.
 * <p>
 * Switches that also have constants as labels stay as they are, and so does {@code toString}.
 */
final class PlainCode {

    private static final String SWITCH = "typeSwitch";
    private static final String EQUALS = "equals";
    private static final String HASH = "hashCode";
    private static final Set<String> BOOTSTRAPS = Set.of("java/lang/runtime/SwitchBootstraps",
            "java/lang/runtime/ObjectMethods");
    private static final int FLAGS = ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC;
    private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");
    private static final int HASH_FACTOR = 31;

    private final ClassModel type;
    private final Map<Plain, String> methods = new LinkedHashMap<>();

    /** A method in place of instructions. Equal ones share it. */
    private sealed interface Plain {

        /** Returns the types of its parameters and its result. */
        MethodTypeDesc type();

        /** Returns the beginning of its name. */
        String name();

        /** Writes its code. */
        void write(CodeBuilder to);
    }

    private PlainCode(ClassModel type) {
        this.type = type;
        for (MethodModel method : type.methods()) {
            method.code().ifPresent(this::examine);
        }
    }

    private void examine(CodeModel code) {
        for (CodeElement element : code) {
            find(element).ifPresent(found -> methods.computeIfAbsent(found, _ -> found.name() + "$" + methods.size()));
        }
    }

    /** Returns a class without such instructions. */
    static byte[] in(ClassFile classFile, byte[] content) {
        ClassModel type = classFile.parse(content);
        if (!mayHaveAny(type)) {
            return content;
        }
        PlainCode plain = new PlainCode(type);
        return plain.methods.isEmpty() ? content : classFile.transformClass(type, plain.replacement());
    }

    private static boolean mayHaveAny(ClassModel type) {
        for (PoolEntry entry : type.constantPool()) {
            if (entry instanceof Utf8Entry text && BOOTSTRAPS.contains(text.stringValue())) {
                return true;
            }
        }
        return false;
    }

    private ClassTransform replacement() {
        return ClassTransform
                .transformingMethodBodies(method -> method.code()
                        .stream()
                        .flatMap(CodeModel::elementStream)
                        .anyMatch(one -> find(one).isPresent()), this::replace)
                .andThen(ClassTransform.endHandler(to -> methods
                        .forEach((found, name) -> to.withMethodBody(name, found.type(), FLAGS, found::write))));
    }

    private void replace(CodeBuilder to, CodeElement element) {
        Optional<Plain> found = find(element);
        if (element instanceof RuntimeVisibleTypeAnnotationsAttribute
                || element instanceof RuntimeInvisibleTypeAnnotationsAttribute) {
            // They name places in the old code, and nothing reads them.
            return;
        }
        if (found.isPresent()) {
            to.invokestatic(type.thisClass().asSymbol(), methods.get(found.get()), found.get().type(),
                    type.flags().has(AccessFlag.INTERFACE));
        } else {
            to.with(element);
        }
    }

    private static Optional<Plain> find(CodeElement element) {
        if (!(element instanceof InvokeDynamicInstruction call)) {
            return Optional.empty();
        }
        DirectMethodHandleDesc bootstrap = call.bootstrapMethod();
        String owner = bootstrap.owner().descriptorString();
        if (!BOOTSTRAPS.contains(owner.substring(1, owner.length() - 1))) {
            return Optional.empty();
        }
        List<ConstantDesc> arguments = call.bootstrapArgs();
        if (bootstrap.methodName().equals(SWITCH) && arguments.stream().allMatch(ClassDesc.class::isInstance)) {
            return Optional.of(new Switch(call.typeSymbol(), arguments.stream().map(ClassDesc.class::cast).toList()));
        }
        String name = call.name().stringValue();
        if (!name.equals(EQUALS) && !name.equals(HASH)) {
            return Optional.empty();
        }
        // The first two are the record and the names of its components.
        List<DirectMethodHandleDesc> getters = arguments.stream()
                .skip(2)
                .map(DirectMethodHandleDesc.class::cast)
                .toList();
        return Optional.of(
                name.equals(EQUALS) ? new Equals(call.typeSymbol(), getters) : new Hash(call.typeSymbol(), getters));
    }

    /**
     * Returns -1 for null, the number of the first case, from that in the second parameter on, whose type the value
     * has, or the number of cases.
     */
    private record Switch(MethodTypeDesc type, List<ClassDesc> cases) implements Plain {

        @Override
        public String name() {
            return SWITCH;
        }

        @Override
        public void write(CodeBuilder to) {
            Label present = to.newLabel();
            to.aload(0).ifnonnull(present).iconst_m1().ireturn().labelBinding(present);
            for (int i = 0; i < cases.size(); i++) {
                Label next = to.newLabel();
                to.iload(1).loadConstant(i).if_icmpgt(next);
                to.aload(0).instanceOf(cases.get(i)).ifeq(next);
                to.loadConstant(i).ireturn().labelBinding(next);
            }
            to.loadConstant(cases.size()).ireturn();
        }
    }

    /** Compares two records as {@code Record.equals} says. */
    private record Equals(MethodTypeDesc type, List<DirectMethodHandleDesc> getters) implements Plain {

        @Override
        public String name() {
            return EQUALS;
        }

        @Override
        public void write(CodeBuilder to) {
            ClassDesc own = type.parameterType(0);
            Label same = to.newLabel();
            Label different = to.newLabel();
            to.aload(0).aload(1).if_acmpeq(same);
            to.aload(1).instanceOf(own).ifeq(different);
            to.aload(1).checkcast(own).astore(2);
            for (DirectMethodHandleDesc getter : getters) {
                ClassDesc part = part(getter);
                to.aload(0).getfield(getter.owner(), getter.methodName(), part);
                to.aload(2).getfield(getter.owner(), getter.methodName(), part);
                switch (TypeKind.from(part)) {
                    case REFERENCE -> to
                            .invokestatic(OBJECTS, EQUALS,
                                    MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_Object,
                                            ConstantDescs.CD_Object))
                            .ifeq(different);
                    case LONG -> to.lcmp().ifne(different);
                    case FLOAT, DOUBLE ->
                        to.invokestatic(box(part), "compare", MethodTypeDesc.of(ConstantDescs.CD_int, part, part))
                                .ifne(different);
                    default -> to.if_icmpne(different);
                }
            }
            to.labelBinding(same).iconst_1().ireturn();
            to.labelBinding(different).iconst_0().ireturn();
        }
    }

    /** Returns the hash code that {@code ObjectMethods} would compute. */
    private record Hash(MethodTypeDesc type, List<DirectMethodHandleDesc> getters) implements Plain {

        @Override
        public String name() {
            return HASH;
        }

        @Override
        public void write(CodeBuilder to) {
            to.iconst_0();
            for (DirectMethodHandleDesc getter : getters) {
                ClassDesc part = part(getter);
                to.loadConstant(HASH_FACTOR).imul();
                to.aload(0).getfield(getter.owner(), getter.methodName(), part);
                boolean isPrimitive = part.isPrimitive();
                to.invokestatic(isPrimitive ? box(part) : OBJECTS, HASH,
                        MethodTypeDesc.of(ConstantDescs.CD_int, isPrimitive ? part : ConstantDescs.CD_Object)).iadd();
            }
            to.ireturn();
        }
    }

    // The type of the component that a method handle gets.
    private static ClassDesc part(DirectMethodHandleDesc getter) {
        return getter.invocationType().returnType();
    }

    private static ClassDesc box(ClassDesc primitive) {
        return switch (TypeKind.from(primitive)) {
            case BOOLEAN -> ConstantDescs.CD_Boolean;
            case BYTE -> ConstantDescs.CD_Byte;
            case CHAR -> ConstantDescs.CD_Character;
            case SHORT -> ConstantDescs.CD_Short;
            case INT -> ConstantDescs.CD_Integer;
            case LONG -> ConstantDescs.CD_Long;
            case FLOAT -> ConstantDescs.CD_Float;
            default -> ConstantDescs.CD_Double;
        };
    }
}
