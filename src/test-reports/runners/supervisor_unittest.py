"""unittest: the outermost suite that any of its runners runs."""


def flat(suite):
    """The tests of a suite. One that is no plain suite may give none."""
    try:
        for test in suite:
            if hasattr(test, "__iter__"):
                for one in flat(test):
                    yield one
            elif test is not None:
                yield test
    except TypeError:
        return


def class_of(test):
    kind = type(test)
    return kind.__module__, "%s.%s" % (kind.__module__, kind.__qualname__)


def name_of(test):
    try:
        return test.id()
    except Exception:
        return str(type(test).__name__)


def watch(result, session, tests):
    """Counts each test when it stops. Gives what counts those that a skipped fixture has left out."""
    waiting = dict((id(test), class_of(test)) for test in tests)
    skipped = set()
    now = {}

    def instead(name, note):
        real = getattr(result, name, None)
        if real is None:
            return

        def called(test, *more, **named):
            note(test, *more)
            return real(test, *more, **named)

        setattr(result, name, called)

    def start(test):
        waiting.pop(id(test), None)
        now.clear()
        now["runs"] = True

    def stop(test):
        if "failed" in now:
            session.failed(name_of(test))
        elif "skipped" in now:
            session.skipped()
        elif "passed" in now:
            session.passed()
        now.clear()

    def fail(test, *more):
        if "runs" in now:
            now["failed"] = True
        else:
            session.failed(name_of(test))  # a fixture of a class or a module

    def skip(test, *more):
        if "runs" in now:
            now["skipped"] = True
        elif waiting.pop(id(test), None) is not None:
            session.skipped()  # Python 3.12.1 does not start a test to skip it
        else:
            # Such as `setUpClass (module.Class)`: none of its tests will start.
            skipped.add(str(test).partition("(")[2].rstrip(")"))

    def part(test, subtest, error=None):
        if error is not None:
            now["failed"] = True

    instead("startTest", start)
    instead("stopTest", stop)
    instead("addSuccess", lambda test: now.__setitem__("passed", True))
    instead("addFailure", fail)
    instead("addError", fail)
    instead("addUnexpectedSuccess", fail)
    instead("addSkip", skip)
    instead("addExpectedFailure", lambda test, *more: now.__setitem__("skipped", True))
    instead("addSubTest", part)

    def left_out():
        for names in waiting.values():
            if skipped.intersection(names):
                session.skipped()

    return left_out


def patch_unittest(desk):
    def patch(module):
        real = module.TestSuite.run

        def run(self, result, *more, **named):
            def work(session):
                if session is None:
                    return real(self, result, *more, **named)
                session.plan(self.countTestCases())
                left_out = watch(result, session, list(flat(self)))
                done = real(self, result, *more, **named)
                left_out()
                session.end(False)
                return done

            return desk.run("unittest", work)

        module.TestSuite.run = run

    return patch
