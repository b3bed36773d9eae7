"""pytest: a plugin of ours for every call of its main function, which also says when that has returned."""

# Nothing went wrong, or nothing was there to run.
FINE = (0, 5)


def plugin_of(session):
    class SupervisorReports:
        """By test: the worst of its phases counts, once its teardown is over."""

        def __init__(self):
            self.outcomes = {}
            self.manager = None

        def pytest_plugin_registered(self, plugin, manager):
            self.manager = manager

        def is_loaded(self):
            """A plugin that was taken out has not heard all that it was to count."""
            return self.manager is not None and self.manager.is_registered(self)

        def pytest_collection_finish(self, session):
            options = session.config.option
            if getattr(options, "collectonly", False) or hasattr(session.config, "workerinput"):
                return
            if session.items:
                reports.plan(len(session.items))

        def pytest_collectreport(self, report):
            if report.failed:
                reports.failed(report.nodeid)

        def pytest_runtest_logreport(self, report):
            phases = self.outcomes.setdefault(report.nodeid, [])
            # A plugin may add phases, such as one that is run again or the part of a test.
            phases.append(report.outcome)
            if report.when != "teardown":
                return
            del self.outcomes[report.nodeid]
            if "failed" in phases:
                reports.failed(report.nodeid)
            elif "skipped" in phases:
                reports.skipped()
            elif "rerun" not in phases:
                reports.passed()

    def pytest_xdist_node_collection_finished(self, node, ids):
        reports.plan(len(ids))

    reports = session
    try:
        from pytest import hookimpl

        SupervisorReports.pytest_xdist_node_collection_finished = hookimpl(optionalhook=True)(
            pytest_xdist_node_collection_finished
        )
    except ImportError:
        pass
    return SupervisorReports()


def patch_pytest(desk):
    def patch(config):
        real = config.main

        def main(args=None, plugins=None):
            def work(session):
                if session is None:
                    return real(args, plugins)
                plugin = plugin_of(session)
                code = real(args, list(plugins or ()) + [plugin])
                if plugin.is_loaded():
                    session.end(int(code) not in FINE)
                return code

            return desk.run("pytest", work)

        main.__doc__ = real.__doc__
        config.main = main

    return patch
