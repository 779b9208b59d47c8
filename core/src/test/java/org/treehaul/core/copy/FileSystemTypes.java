// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;

/** The kernel's calls on file systems that claim to be of another type. */
public final class FileSystemTypes {

    /** NFS_SUPER_MAGIC of linux/magic.h. */
    public static final long NFS = 0x6969;

    /** LL_SUPER_MAGIC of Lustre's lustre_user.h. */
    public static final long LUSTRE = 0x0BD00BD0;

    private FileSystemTypes() {}

    public static FileSystemCalls saying(long magic) {
        return (FileSystemCalls) Proxy.newProxyInstance(FileSystemTypes.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(Linux.calls(), arguments);
                        if (method.getName().equals("fstatfs")) {
                            ((MemorySegment) arguments[1]).set(ValueLayout.JAVA_LONG, 0, magic);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
