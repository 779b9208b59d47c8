// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.IOException;
import java.io.InputStream;

import org.treehaul.core.entry.ByteString;

/** Asks the user on standard error and reads a line of standard input as the answer. Safe for several threads. */
public final class Question {

    private final Screen screen;
    private final InputStream answers = System.in;

    public Question(Screen screen) {
        this.screen = screen;
    }

    /** Returns whether the answer begins with y or Y. The end of the input means no. */
    public boolean mayOverwrite(ByteString path) {
        return isYes("overwrite '" + path + "'? ");
    }

    /** Returns whether the answer to a question begins with y or Y. The end of the input means no. */
    public synchronized boolean isYes(String question) {
        screen.ask(question);
        try {
            int first = answers.read();
            for (int next = first; next != '\n' && next >= 0;) {
                next = answers.read();
            }
            return first == 'y' || first == 'Y';
        } catch (IOException e) {
            return false;
        }
    }
}
