// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.BusyCarriers;

class LineTest {

    @Test
    void signsOfLifeAreSentWhileAllCarriersOfVirtualThreadsAreBusy() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Line rank = new Line(new Socket(server.getInetAddress(), server.getLocalPort()));
                Line head = new Line(server.accept());
                BusyCarriers _ = new BusyCarriers()) {
            rank.beat();
            head.setPatience(Duration.ofMinutes(1));
            assertThat(head.read()).isInstanceOf(Line.Beat.class);
        }
    }
}
