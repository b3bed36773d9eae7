/** Creates runs: from a request, or as the continuation of another run. Each gets what the shell of its command gave. */
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import type { RunCredentials } from '../credentials/run-credentials.ts';
import { findSubmission } from '../credentials/run-credentials.ts';
import type { RunEnvironments } from '../credentials/run-environments.ts';
import { shellHost, shellOptions } from '../credentials/shell-host.ts';
import { requireDiskHeadroom } from '../disk-headroom.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { projectSettings, settingsFor } from '../project-settings.ts';
import { requireProject } from './require-project.ts';
import { requireRunnable } from './require-runnable.ts';
import { requireSetup, runToSetUp } from './require-setup.ts';
import { findResumePoint, refuseAgent } from './resume-run.ts';
import { Submissions } from './submissions.ts';

export type NewRunsPorts = {
  readonly options: OwnerOptions;
  readonly executionHost: ExecutionHost;
  readonly environments: RunEnvironments;
  readonly credentials: RunCredentials;
  readonly engine: () => Engine;
  readonly journal: () => Journal;
  readonly view: (run: RunId) => Promise<RunView>;
};

/** Only a few submissions are prepared at a time, so that the event loop stays responsive. */
const SUBMISSIONS_MAX = 8;

export class NewRuns {
  readonly #ports: NewRunsPorts;
  readonly #submitting = new ConcurrencyLimit(SUBMISSIONS_MAX);

  constructor(ports: NewRunsPorts) {
    this.#ports = ports;
  }

  /** Loads the project's settings as they are now and pins them into the run. */
  submit(request: RunRequest, mark?: RequestMark, environment?: RunEnvironment): Promise<RunView> {
    const submit = (): Promise<RunView> => this.#submit(request, mark, environment);
    // Preparing a brief can take long, so it does not count against the limit for plain
    // submissions.
    return request.role === undefined ? this.#submitting.run(submit) : submit();
  }

  async #submit(
    request: RunRequest,
    mark: RequestMark | undefined,
    environment: RunEnvironment | undefined,
  ): Promise<RunView> {
    const { environments, engine, view } = this.#ports;
    const options = shellOptions(this.#ports.options, environment);
    const host = shellHost(this.#ports.executionHost, environment);
    const { settings, project } = await projectSettings(options, request.project, request);
    await requireDiskHeadroom(options.home.dir, settings.limits);
    const submissions = new Submissions(options, host);
    const submission = await submissions.submission(request, settings, project, environment);
    await requireSetup(runToSetUp(submission, request, settings));
    await requireProject(submission, host);
    await requireRunnable(submission, host);
    const marked = mark === undefined ? submission : { ...submission, request: mark };
    return view(await engine().start(marked, environments.giveTo(submission, environment)));
  }

  /**
   * Returns a run that has not ended as it is, with the keys that it lacked. A run that ended badly
   * continues as a new run, from a point before its end.
   */
  async resume(id: RunId, mark?: RequestMark, environment?: RunEnvironment): Promise<RunView> {
    const { view, journal, credentials } = this.#ports;
    const point = await findResumePoint(await view(id), journal());
    if (point !== undefined) return this.fork(id, point, mark, environment);
    await credentials.continueWith(id, environment);
    return view(id);
  }

  /** Starts a new run that continues from the first `seq` facts of another run. */
  async fork(
    id: RunId,
    seq: number,
    mark?: RequestMark,
    environment?: RunEnvironment,
  ): Promise<RunView> {
    const { options, environments, engine, journal, view } = this.#ports;
    refuseAgent(await view(id));
    const { settings } = await settingsFor(options, undefined, []);
    await requireDiskHeadroom(options.home.dir, settings.limits);
    const submission = await findSubmission(journal(), id);
    const give = submission && environments.giveTo(submission, environment);
    return view(await engine().fork(id, seq, mark, give));
  }
}
