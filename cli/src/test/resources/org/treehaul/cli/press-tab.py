# SPDX-License-Identifier: Apache-2.0
"""Presses TAB in an interactive shell, in a pseudo terminal.

usage: press-tab.py SHELL SCRIPT LINE...

Types each LINE and TAB, and prints the line as the shell completed it. SCRIPT has the completions. The shell runs in the working
directory, which must not contain the files .out and .done.
"""
import os, pty, sys, time, select

shell, script, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
here = os.getcwd()
out, done = here + "/.out", here + "/.done"
start = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}[shell]
# ^X^P writes the line into a file.
setup = {
    "bash": r"""bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'; source {script}
show() {{ printf '%s' "$READLINE_LINE" > {out}; : > {done}; }}; bind -x '"\C-x\C-p": show'; : > {done}
""",
    "zsh": r"""autoload -Uz compinit; compinit -u -D; source {script}; unsetopt automenu listambiguous beep
show() {{ printf '%s' "$BUFFER" > {out}; : > {done}; }}; zle -N show; bindkey '^X^P' show; : > {done}
""",
    "fish": r"""source {script}; function show; commandline | string collect -N > {out}; true > {done}; end; bind \cx\cp show; true > {done}
""",
}[shell].format(script=script, out=out, done=done)

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb" if shell != "fish" else "xterm"
    os.execvp(start[0], start)


def await_done():
    deadline = time.monotonic() + 60
    while not os.path.exists(done):
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                screen.append(os.read(terminal, 65536))
            except OSError:
                break
        if time.monotonic() > deadline:
            break
    if not os.path.exists(done):
        sys.exit("no answer; the screen shows:\n" + b"".join(screen).decode(errors="replace"))
    os.remove(done)


screen = []
os.write(terminal, setup.encode())
await_done()
for line in lines:
    screen.clear()
    os.write(terminal, line.encode() + b"\t\x18\x10")
    await_done()
    print(open(out).read().rstrip("\n"))
    os.write(terminal, b"\x15")
os.kill(pid, 9)
