// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PRIVATE;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_SUPER;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.RecordAttribute;
import java.lang.classfile.attribute.RecordComponentInfo;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.ControlTuple;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * Takes the place of the record classes of stored tuples, so that rows can be copied exactly: with the same canonical
 * values, also if the program lacks the class, or some components of the stored one.
 */
@Internal
public final class StandInClasses extends ClassLoader {
    private static final ClassDesc RECORD = Record.class.describeConstable().orElseThrow();

    /**
     * Those in use, for the next work with the same classes: stores remember the tables of the classes, so that new
     * ones for each work would stay in memory as long as the stores.
     */
    private static final List<WeakReference<StandInClasses>> LOADERS = new ArrayList<>();

    private final Map<String, Map<String, StoredClass.Part>> classes;

    private StandInClasses(ClassLoader parent, Map<String, Map<String, StoredClass.Part>> classes) {
        super(parent);
        this.classes = classes;
    }

    private static StandInClasses of(ClassLoader parent, Collection<Store> stores) {
        Map<String, Map<String, StoredClass.Part>> wanted = classes(parent, stores);
        synchronized (LOADERS) {
            for (Iterator<WeakReference<StandInClasses>> next = LOADERS.iterator(); next.hasNext();) {
                StandInClasses known = next.next().get();
                if (known == null) {
                    next.remove();
                } else if (known.getParent().equals(parent) && known.classes.equals(wanted)) {
                    return known;
                }
            }
            StandInClasses made = new StandInClasses(parent, wanted);
            LOADERS.add(new WeakReference<>(made));
            return made;
        }
    }

    /** Does work of this thread for which {@link RecordClasses} finds the classes as stores have them. */
    public static <R> R of(Collection<Store> stores, Supplier<R> work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(of(before == null ? StandInClasses.class.getClassLoader() : before, stores));
        try {
            return work.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Does work of this thread that is not about the rows, with the classes as the program has them. */
    public static void outside(Runnable work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        if (!(before instanceof StandInClasses)) {
            work.run();
            return;
        }
        thread.setContextClassLoader(before.getParent());
        try {
            work.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Returns whether the classes of the work of this thread still have all components that a store has by now. */
    public static boolean fit(Store store) {
        return !(Thread.currentThread().getContextClassLoader() instanceof StandInClasses own)
                || classes(own.getParent(), List.of(store)).entrySet()
                        .stream()
                        .allMatch(stored -> own.classes.getOrDefault(stored.getKey(), Map.of())
                                .keySet()
                                .containsAll(stored.getValue().keySet()));
    }

    /** Returns the components of the record classes of some stores. */
    private static Map<String, Map<String, StoredClass.Part>> classes(ClassLoader parent, Collection<Store> stores) {
        Map<String, Map<String, StoredClass.Part>> classes = new HashMap<>();
        for (Store store : stores) {
            for (StoredClass stored : store.recordClasses()) {
                if (!isControl(parent, stored.name())) {
                    // Stores may have tuples of different versions.
                    Map<String, StoredClass.Part> parts = classes.computeIfAbsent(stored.name(),
                            none -> new LinkedHashMap<>());
                    stored.components().forEach(part -> parts.putIfAbsent(part.name(), part));
                }
            }
        }
        return classes;
    }

    private static boolean isControl(ClassLoader parent, String name) {
        try {
            return ControlTuple.class.isAssignableFrom(Class.forName(name, false, parent));
        } catch (ClassNotFoundException | LinkageError e) {
            // The program does not have it.
            return false;
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        Map<String, StoredClass.Part> parts = classes.get(name);
        if (parts == null) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            byte[] made = make(ClassDesc.of(name), List.copyOf(parts.values()));
            return defineClass(name, made, 0, made.length);
        }
    }

    private static byte[] make(ClassDesc type, List<StoredClass.Part> parts) {
        return ClassFile.of().build(type, builder -> {
            builder.withFlags(ACC_PUBLIC | ACC_FINAL | ACC_SUPER).withSuperclass(RECORD);
            List<RecordComponentInfo> components = new ArrayList<>();
            for (StoredClass.Part part : parts) {
                ClassDesc value = value(part);
                builder.withField(part.name(), value, ACC_PRIVATE | ACC_FINAL);
                builder.withMethodBody(part.name(), MethodTypeDesc.of(value), ACC_PUBLIC,
                        code -> code.aload(0).getfield(type, part.name(), value).return_(TypeKind.from(value)));
                components.add(RecordComponentInfo.of(part.name(), value));
            }
            constructor(builder, type, parts);
            builder.with(RecordAttribute.of(components));
        });
    }

    private static void constructor(ClassBuilder builder, ClassDesc type, List<StoredClass.Part> parts) {
        List<ClassDesc> values = parts.stream().map(StandInClasses::value).toList();
        builder.withMethodBody(ConstantDescs.INIT_NAME, MethodTypeDesc.of(ConstantDescs.CD_void, values), ACC_PUBLIC,
                code -> {
                    code.aload(0).invokespecial(RECORD, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void);
                    int slot = 1;
                    for (int i = 0; i < values.size(); i++) {
                        TypeKind kind = TypeKind.from(values.get(i));
                        code.aload(0).loadLocal(kind, slot).putfield(type, parts.get(i).name(), values.get(i));
                        slot += kind.slotSize();
                    }
                    code.return_();
                });
    }

    /** Returns the class of the values of a component, whose canonical form is the value itself. */
    private static ClassDesc value(StoredClass.Part part) {
        boolean isPrimitive = !part.isOptional();
        return switch (part.kind()) {
            case Kind.INTEGER -> isPrimitive ? ConstantDescs.CD_long : ConstantDescs.CD_Long;
            case Kind.REAL -> isPrimitive ? ConstantDescs.CD_double : ConstantDescs.CD_Double;
            case Kind.TEXT -> ConstantDescs.CD_String;
            case Kind.BLOB -> Bytes.class.describeConstable().orElseThrow();
        };
    }
}
