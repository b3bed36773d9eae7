/** Creates runs: from a request, or as the continuation of another run. Each gets what the shell of its command gave. */
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts';
import { defined } from '../../base/defined.ts';
import type { RunId } from '../../base/ids.ts';
import { BriefStore } from '../../brief/brief-store.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { ForkPlace, ResumeRequest, RunRequest } from '../../protocol/api.ts';
import { continuesFrom } from '../../protocol/views/budget-view.ts';
import { runsThatContinue } from './find-continuation.ts';
import { NO_CHANGES } from '../../protocol/resume-changes.ts';
import type { RequestMark, Submission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { PinnedWorkflow } from '../../protocol/workflow-definition.ts';
import { ATTEMPTS_PROGRAM, WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import type { AblateRequest } from '../../protocol/views/ablation-view.ts';
import type { FeatureRequest, PlanningRequest } from '../../protocol/views/feature-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import type { RunCredentials } from '../credentials/run-credentials.ts';
import { findSubmission } from '../credentials/run-credentials.ts';
import type { RunEnvironments } from '../credentials/run-environments.ts';
import { credentialSource, shellHost, shellOptions } from '../credentials/shell-host.ts';
import { requireDiskHeadroom } from '../disk-headroom.ts';
import { requireBranch } from '../features/require-branch.ts';
import type { AttemptRecords } from '../metrics/attempt-records.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ProjectSettings } from '../project-settings.ts';
import { projectSettings, settingsFor } from '../project-settings.ts';
import { checkpointsOf, findCheckpoint } from '../workflows/checkpoints-of-run.ts';
import type { EarlyPrompt, EarlyPrompts } from '../workflows/early-prompts.ts';
import { writeEarlyPrompts } from '../workflows/early-prompts.ts';
import type { WorkflowRequest } from '../workflows/workflow-submission.ts';
import {
  inspectForWorkflow,
  requireWorkflow,
  withNewTaskId,
} from '../workflows/workflow-submission.ts';
import { bestOfSubmission, refuseMixed } from './best-of-submission.ts';
import { changedSubmission } from './changed-submission.ts';
import { requireFolder, requireProject } from './require-project.ts';
import { requireKeys } from './require-keys.ts';
import { requireRunnable } from './require-runnable.ts';
import { requireSetup, runToSetUp } from './require-setup.ts';
import type { ParentSubmission } from './require-workflows.ts';
import { requireWorkflows } from './require-workflows.ts';
import { requireVisible, runToSee } from './require-visible.ts';
import {
  findResumePoint,
  refuseActive,
  refuseAgent,
  refuseChanges,
  refuseChangesOfWorkflow,
} from './resume-run.ts';
import { requireNotifyProgram } from '../notifications/check-notify.ts';
import { Submissions } from './submissions.ts';
import { tryGateIn } from './try-gate.ts';
import { briefsDir } from './unused-briefs.ts';

export type NewRunsPorts = {
  readonly options: OwnerOptions;
  readonly executionHost: ExecutionHost;
  readonly environments: RunEnvironments;
  readonly earlyPrompts: EarlyPrompts;
  readonly credentials: RunCredentials;
  readonly engine: () => Engine;
  readonly journal: () => Journal;
  readonly attemptRecords: Pick<AttemptRecords, 'read'>;
  readonly view: (run: RunId) => Promise<RunView>;
};

/** A submission that can do its task, with the prompts that are ready already. */
type Checked = { readonly submission: Submission; readonly early?: readonly EarlyPrompt[] };

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
    const options = shellOptions(this.#ports.options, environment);
    const host = shellHost(this.#ports.executionHost, environment);
    const loaded = await projectSettings(options, request.project, request);
    await requireDiskHeadroom(options.home.dir, loaded.settings.limits);
    const submissions = new Submissions(options, host, {
      records: async () => (await this.#ports.attemptRecords.read()).records,
      now: () => options.clock.now(),
      random: options.random,
    });
    const checked = await this.#checked(request, loaded, submissions, host, environment);
    const { notify } = request;
    if (notify !== undefined) requireNotifyProgram(notify, this.#ports.options.agentEnv);
    return this.#start(checked.submission, mark, environment, checked.early);
  }

  /** Starts a run that compares a workflow with and without a step. */
  ablate(
    request: AblateRequest,
    mark?: RequestMark,
    environment?: RunEnvironment,
  ): Promise<RunView> {
    // No person watches a hundred trials, so none of them asks.
    const set = [...request.set, 'recovery.ask=false'];
    return this.#startParent(
      { ...request, set },
      mark,
      environment,
      async (submissions, loaded) => {
        const submission = await submissions.ablation(request, loaded, environment);
        return [submission, submission.settings.ablation.arms];
      },
    );
  }

  /** Starts a run that builds a feature. It may span projects, each with its own settings. */
  async startFeature(
    request: FeatureRequest,
    mark?: RequestMark,
    environment?: RunEnvironment,
  ): Promise<RunView> {
    const options = shellOptions(this.#ports.options, environment);
    const opened = new Map<string, ProjectSettings>();
    const open = async (path: string): Promise<ProjectSettings> => {
      const loaded = await projectSettings(options, path, request);
      opened.set(path, loaded);
      return loaded;
    };
    return this.#startParent(request, mark, environment, async (submissions, loaded, host) => {
      const submission = await submissions.feature(request, loaded, open, environment);
      await requireBranch(submission, host);
      const { feature } = submission.settings;
      for (const { path, settings, workflows } of Object.values(feature.projects ?? {})) {
        const child = { ...submission, project: path, settings: { ...settings, feature } };
        await requireWorkflows(child, workflows, opened.get(path) ?? loaded, host);
      }
      return [submission, feature.workflows];
    });
  }

  /** Starts a run that plans a feature. */
  startPlanning(
    request: PlanningRequest,
    mark?: RequestMark,
    environment?: RunEnvironment,
  ): Promise<RunView> {
    return this.#startParent(request, mark, environment, async (submissions, loaded) => {
      const submission = await submissions.planning(request, loaded, environment);
      return [submission, { '': submission.settings.workflow }];
    });
  }

  /** Starts a run whose children follow workflows. `submit` makes its submission, and names these workflows. */
  async #startParent(
    request: Pick<RunRequest, 'project' | 'set' | 'untrusted'>,
    mark: RequestMark | undefined,
    environment: RunEnvironment | undefined,
    submit: (
      submissions: Submissions,
      loaded: ProjectSettings,
      host: ExecutionHost,
    ) => Promise<readonly [ParentSubmission, Readonly<Record<string, PinnedWorkflow>>]>,
  ): Promise<RunView> {
    const options = shellOptions(this.#ports.options, environment);
    const host = shellHost(this.#ports.executionHost, environment);
    const loaded = await projectSettings(options, request.project, request);
    await requireDiskHeadroom(options.home.dir, loaded.settings.limits);
    const [submission, workflows] = await submit(new Submissions(options, host), loaded, host);
    await requireWorkflows(submission, workflows, loaded, host);
    return this.#start(submission, mark, environment);
  }

  async #start(
    submission: Submission,
    mark: RequestMark | undefined,
    environment: RunEnvironment | undefined,
    early: readonly EarlyPrompt[] = [],
  ): Promise<RunView> {
    const { environments, earlyPrompts, engine, view } = this.#ports;
    const marked = mark === undefined ? submission : { ...submission, request: mark };
    const give = environments.giveTo(submission, environment);
    const run = await engine().start(marked, (created) => {
      give(created);
      earlyPrompts.keep(created, early);
    });
    return view(run);
  }

  /** Writes the prompts of its first step too, because the caller waits for git anyway. */
  async #workflow(
    request: WorkflowRequest,
    loaded: ProjectSettings,
    submissions: Submissions,
    host: ExecutionHost,
    environment: RunEnvironment | undefined,
  ): Promise<Checked & { readonly submission: WorkflowSubmission }> {
    const { env, home, clock } = this.#ports.options;
    const submission = await submissions.workflow(request, loaded, environment);
    const store = new BriefStore(briefsDir(home.dir));
    const secrets = [env, environment ?? {}];
    const early = await writeEarlyPrompts(submission, clock.now(), { host, store, secrets });
    return { submission, early };
  }

  /** Refuses a run that could not do its task, whatever its agents do. */
  async #checked(
    request: RunRequest,
    loaded: ProjectSettings,
    submissions: Submissions,
    host: ExecutionHost,
    environment: RunEnvironment | undefined,
  ): Promise<Checked> {
    const { settings, project } = loaded;
    const runs = settings.baseline && request.withoutBaseline !== true;
    const tryGate = tryGateIn(request.project, settings.sandbox, host, { runs });
    refuseMixed(request);
    const { workflow } = request;
    if (workflow !== undefined) {
      const [checked, inspected] = await Promise.all([
        this.#workflow({ ...request, workflow }, loaded, submissions, host, environment),
        inspectForWorkflow(request.project, host),
      ]);
      await requireWorkflow(checked.submission, request, settings, { host, tryGate, inspected });
      return checked;
    }
    const submission = await submissions.submission(request, settings, project, environment);
    requireVisible(runToSee(submission), host);
    await requireSetup(runToSetUp(submission, request, settings), tryGate);
    await requireProject(submission, host);
    await requireRunnable(submission, host);
    await requireKeys(submission, settings, host);
    const { bestOf } = request;
    return { submission: bestOf === undefined ? submission : bestOfSubmission(submission, bestOf) };
  }

  /**
   * Returns a run that has not ended as it is, with the keys that it lacked. A run that ended badly
   * continues as a new run, from a point before its end.
   */
  async resume(
    id: RunId,
    mark?: RequestMark,
    environment?: RunEnvironment,
    { from, ...changes }: NonNullable<ResumeRequest> = NO_CHANGES,
  ): Promise<RunView> {
    const { view, journal, credentials } = this.#ports;
    const before = await view(id);
    if (from !== undefined) {
      refuseActive(before, from);
      return this.fork(id, { step: from }, mark, environment, changes);
    }
    const seq = await findResumePoint(before, journal());
    if (seq !== undefined) return this.fork(id, { seq }, mark, environment, changes);
    refuseChanges(id, changes);
    await credentials.continueWith(id, environment);
    return view(id);
  }

  /** Starts a new run that continues from the first facts of another run, or begins with a step of its workflow. */
  async fork(
    id: RunId,
    place: ForkPlace,
    mark?: RequestMark,
    environment?: RunEnvironment,
    changes = NO_CHANGES,
  ): Promise<RunView> {
    const { options: owner, environments, engine, journal, view } = this.#ports;
    const before = await view(id);
    refuseAgent(before);
    const { settings } = await settingsFor(owner, undefined, []);
    await requireDiskHeadroom(owner.home.dir, settings.limits);
    const recorded = await findSubmission(journal(), id);
    if (recorded?.program !== ATTEMPTS_PROGRAM) refuseChangesOfWorkflow(id, changes);
    const { run, seq } = await this.#pointAt(before, place);
    // However often a person resumes the same run, its budget is the limit for all of them together.
    const others = await runsThatContinue(journal(), before);
    const alsoSpentBy = others.map((other) => other.id as RunId);
    const options = { ...defined({ request: mark }), spentBy: id, alsoSpentBy };
    if (recorded?.program !== ATTEMPTS_PROGRAM) {
      const onCreated = recorded && environments.giveTo(recorded, environment);
      const isStep = 'step' in place && recorded?.program === WORKFLOW_PROGRAM;
      const submission = isStep ? withNewTaskId(recorded, owner.random) : undefined;
      const fork = { ...options, ...defined({ onCreated, submission }) };
      return view(await engine().fork(run, seq, fork));
    }
    await requireFolder(id, recorded.project);
    const submission = await changedSubmission(
      {
        submission: recorded,
        view: { ...before, budget: continuesFrom(before, owner.clock.now(), others) },
        source: credentialSource(owner, environment),
        settings: async () =>
          (await projectSettings(shellOptions(owner, environment), recorded.project, {})).settings,
      },
      changes,
    );
    const onCreated = environments.giveTo(submission, environment);
    return view(await engine().fork(run, seq, { ...options, onCreated, submission }));
  }

  /** The place of a step may be in a run that this one continues. */
  async #pointAt(view: RunView, place: ForkPlace): Promise<{ run: RunId; seq: number }> {
    if ('seq' in place) return { run: view.id as RunId, seq: place.seq };
    const checkpoints = await checkpointsOf(this.#ports.journal(), view);
    const { run, seq } = findCheckpoint(view, checkpoints, place.step);
    return { run: run as RunId, seq };
  }
}
