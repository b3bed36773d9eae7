"""pytest: a plugin of ours for every run of tests, which also says when that is over. A run is what
`pytest.main` does, or what the hook `pytest_cmdline_main` wraps: the program `pytest` need not call `main`.
Both are public. The functions between them change from version to version, so nothing here touches them."""

import sys

# Nothing went wrong, or nothing was there to run.
FINE = (0, 5)

# With these, newer versions print a line and load no plugin.
ASKS = ("--version", "-V")


# Only a command that says so runs none of the tests that it collects.
ONLY_COLLECTS = ("--co", "--collect-only", "--collectonly")


def plugin_of(reports, words):
    """The plugin, and what ends the session by the exit code. A conftest can find the plugin, so nothing that
    ends or counts hangs on it."""
    outcomes = {}
    known = []
    only_collects = any(word in ONLY_COLLECTS for word in words)

    class SupervisorReports:
        """By test: the worst of its phases counts, once its teardown is over."""

        def pytest_plugin_registered(self, plugin, manager):
            if not known:
                known.append(manager.is_registered)

        def pytest_collection_finish(self, session):
            if hasattr(session.config, "workerinput"):
                return
            if only_collects:
                reports.plan(0)
            elif session.items:
                reports.plan(len(session.items))

        def pytest_collectreport(self, report):
            if report.failed:
                reports.failed(report.nodeid)

        def pytest_runtest_logreport(self, report):
            phases = outcomes.setdefault(report.nodeid, [])
            # A plugin may add phases, such as one that is run again or the part of a test.
            phases.append(report.outcome)
            if report.when != "teardown":
                return
            del outcomes[report.nodeid]
            if "failed" in phases:
                reports.failed(report.nodeid)
            elif "skipped" in phases:
                reports.skipped()
            elif "rerun" not in phases:
                reports.passed()

    def pytest_xdist_node_collection_finished(self, node, ids):
        if ids:
            reports.plan(len(ids))

    def finish(code):
        # A plugin that was taken out has not heard all that it was to count.
        if known and known[0](plugin):
            reports.end(code not in FINE)

    try:
        from pytest import hookimpl

        SupervisorReports.pytest_xdist_node_collection_finished = hookimpl(optionalhook=True)(
            pytest_xdist_node_collection_finished
        )
    except ImportError:
        pass
    plugin = SupervisorReports()
    return plugin, finish


def door_of(desk, hookimpl, words):
    class SupervisorDoor:
        """Counts a run that `main` does not know of."""

        @hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_cmdline_main(self, config):
            # A worker of xdist: the run that has started it counts.
            session = None if hasattr(config, "workerinput") else desk.enter("pytest")
            if session is None:
                yield
                return
            plugin, finish = plugin_of(session, words)
            config.pluginmanager.register(plugin)
            outcome = yield
            desk.leave()
            try:
                code = outcome.get_result()
            except BaseException:
                return  # pytest has broken down, and passes this on by itself
            finish(code)

    return SupervisorDoor()


def patch_pytest(desk):
    def patch(config):
        real = config.main
        managers = config.PytestPluginManager
        prepare = managers.__init__

        def main(args=None, plugins=None, **more):
            def work(session):
                if session is None:
                    return real(args, plugins, **more)
                plugin, finish = plugin_of(session, words)
                code = real(args, list(plugins or ()) + [plugin], **more)
                finish(code)
                return code

            given = sys.argv[1:] if args is None else args
            words = list(given) if isinstance(given, (list, tuple)) else []
            if any(word in ASKS for word in words):
                return work(None)
            return desk.run("pytest", work)

        def init(self, *args, **more):
            words = sys.argv[1:]  # before any conftest
            prepare(self, *args, **more)
            try:
                from pytest import hookimpl
            except ImportError:
                return  # one so old that all go through `main`
            self.register(door_of(desk, hookimpl, words))

        main.__doc__ = real.__doc__
        config.main = main
        managers.__init__ = init

    return patch
