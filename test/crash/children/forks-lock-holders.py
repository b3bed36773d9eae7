"""Forks a process that holds locks, as often as a line comes in. Usage: forks-lock-holders.py FOLDER

In: `hold 1,2,3`. Out: `held PID`. Starting a Node takes fifty times as long as a fork. The holder
uses SQLite's lock in the same way as we do.
"""
import os, signal, sqlite3, sys

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if os.fork() == 0:
        held = []
        for lock in line.split()[1].split(","):
            path = os.path.join(sys.argv[1], lock + ".lock")
            database = sqlite3.connect(path, timeout=10, isolation_level=None)
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("BEGIN EXCLUSIVE")
            held.append(database)
        os.write(1, b"held %d\n" % os.getpid())
        signal.pause()
