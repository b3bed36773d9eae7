"""One connection to the socket of the gate for each run of tests. Everything is written at once: a process
that ends in the middle of its work has reported all that came before. Every function that is needed later
is taken now, before any code of the project can replace it."""

import _socket
import json
import os
import sys
import time

getpid = os.getpid
pause = time.sleep
clock = time.monotonic
leave = os._exit
tell = os.write
quoted = json.dumps

# For the record, which has bounds: more failures than this have no name there.
NAMES_MAX = 50
NAME_CHARS_MAX = 300

# An answer takes a thousandth of that.
PATIENCE_S = 30


def opened(path, hello):
    """A connected socket and the key of its session, or None."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(PATIENCE_S)
        connection.connect(path)
        connection.send(hello)
        answer = b""
        while not answer.endswith(b"\n"):
            more = connection.recv(400)
            if not more:
                break
            answer += more
        connection.settimeout(None)
        parts = answer.decode("ascii", "replace").split('"')
        if len(parts) == 5 and parts[1] == "key":
            return connection, parts[3]
    except OSError:
        pass
    connection.close()
    return None


def begin(path, runner):
    """Opens a session and gives what can be said in it. The key stays in here."""
    owner = getpid()
    hello = ('{"hello":{"runner":"%s","pid":%d}}\n' % (runner, owner)).encode()
    until = clock() + PATIENCE_S
    found = opened(path, hello)
    while found is None and clock() < until:
        pause(0.01)
        found = opened(path, hello)
    if found is None:
        tell(2, ("supervisor: %s can't reach %s to report its tests\n" % (runner, path)).encode())
        leave(70)
    connection, key = found
    send = connection.send

    def say(what):
        # A child that was forked has the connection too, and nothing to say on it.
        if getpid() != owner:
            return
        line = ('{"key":"%s",%s}\n' % (key, what)).encode()
        try:
            while line:
                line = line[send(line) :]
        except OSError:
            pass  # the gate then misses the end, and is red

    return say


def tallied(tally):
    return '{"passed":%d,"failed":%d,"skipped":%d}' % tuple(tally)


class Session:
    """What one run of tests has come to: [passed, failed, skipped]."""

    def __init__(self, say):
        tally = [0, 0, 0]
        named = set()

        def count(which):
            tally[which] += 1
            say('"counts":' + tallied(tally))

        def failed(name):
            count(1)
            short = str(name)[:NAME_CHARS_MAX]
            if short in named or len(named) >= NAMES_MAX:
                return
            named.add(short)
            say('"failure":' + quoted(short))

        def end(is_red):
            if is_red and tally[1] == 0:
                tally[1] = 1
            say('"end":' + tallied(tally))

        self.passed = lambda: count(0)
        self.failed = failed
        self.skipped = lambda: count(2)
        self.plan = lambda number: say('"plan":%d' % number)
        self.end = end


class Desk:
    """Gives a session to the outermost run of tests. What runs inside a test is the project's business."""

    def __init__(self, path):
        early = []
        busy = []

        def open_early(runner):
            early.append((runner, Session(begin(path, runner))))
            forget()

        def enter(runner):
            if busy:
                return None
            if early and early[0][0] == runner:
                _, session = early.pop()
            else:
                session = Session(begin(path, runner))
                forget()
            busy.append(runner)
            return session

        def run(runner, work):
            session = enter(runner)
            if session is None:
                return work(None)
            try:
                return work(session)
            finally:
                busy.pop()

        self.open_early = open_early
        self.enter = enter
        self.leave = busy.pop
        self.run = run


def forget():
    """What the code under test starts is its own business: only what a runner starts reports here."""
    os.environ.pop("SUPERVISOR_TEST_REPORTS", None)
