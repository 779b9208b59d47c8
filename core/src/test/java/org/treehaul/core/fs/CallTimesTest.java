// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

class CallTimesTest {

    private final CallTimes times = new CallTimes();

    @Test
    void everyCallIsPassedOnAsItIsAndCountedUnderItsName() throws ReflectiveOperationException {
        List<Object> made = new ArrayList<>();
        FileSystemCalls beneath = (FileSystemCalls) Proxy.newProxyInstance(FileSystemCalls.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    made.add(method);
                    made.addAll(Arrays.asList(arguments));
                    return method.getReturnType() == int.class ? (Object) (-made.size()) : (Object) (1L << 40);
                });
        FileSystemCalls timed = times.over(beneath);
        // A default method makes one of the others.
        List<Method> calls = Arrays.stream(FileSystemCalls.class.getMethods())
                .filter(method -> !method.isDefault())
                .toList();
        for (Method method : calls) {
            made.clear();
            List<Object> arguments = new ArrayList<>();
            for (Class<?> type : method.getParameterTypes()) {
                // All different, so that none can be mistaken for another.
                arguments.add(type == int.class
                        ? (Object) (arguments.size() + 7)
                        : type == long.class
                                ? (Object) (arguments.size() + (1L << 33))
                                : MemorySegment.ofAddress(arguments.size() + 1L));
            }
            Call call = call(method.getName());
            long before = times.count(call);
            Object answer = method.invoke(timed, arguments.toArray());
            List<Object> expected = new ArrayList<>(List.of(method));
            expected.addAll(arguments);
            assertThat(made).as(method.getName()).isEqualTo(expected);
            assertThat(answer)
                    .isEqualTo(method.getReturnType() == int.class ? (Object) (-made.size()) : (Object) (1L << 40));
            assertThat(times.count(call)).as(call.name()).isEqualTo(before + 1);
        }
        assertThat(Arrays.stream(Call.values()).mapToLong(times::count).sum()).isEqualTo(calls.size());
        assertThat(times.nanos()).isPositive().isEqualTo(Arrays.stream(Call.values()).mapToLong(times::nanos).sum());
    }

    // A kernel lists the attributes of a name by the one or by the other, so both count as one.
    private static Call call(String method) {
        String name = method.equals("listxattrat") ? "llistxattr" : method;
        return Arrays.stream(Call.values())
                .filter(call -> call.name().replace("_", "").equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow();
    }
}
