/** Turns requests into submissions. If a request names a role, its brief is prepared here. */
import { Refusal } from '../../base/errors.ts';
import { BriefStore } from '../../brief/brief-store.ts';
import { listFolder } from '../../host/files/list-folder.ts';
import { packageData } from '../../host/files/package-data.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import type { LoadedWorkflow } from '../../workflow-files/load-workflow.ts';
import type { Workflows } from '../../workflow-files/open-workflows.ts';
import { openWorkflows } from '../../workflow-files/open-workflows.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type {
  AblationSubmission,
  AttemptsSubmission,
  FeatureSubmission,
  PlanningSubmission,
  Submission,
  WorkflowSubmission,
} from '../../protocol/run-submission.ts';
import type { AblateRequest } from '../../protocol/views/ablation-view.ts';
import type { FeatureRequest, PlanningRequest } from '../../protocol/views/feature-view.ts';
import type { WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import type { Settings } from '../../settings/settings.ts';
import { readOnce } from '../../trust/read-once.ts';
import type { FileTexts, TrustedProject } from '../../trust/trusted-project.ts';
import { findCommit } from '../../workspace/commit-snapshot.ts';
import { inspectProject } from '../../workspace/project.ts';
import { contextCommands } from './context-commands.ts';
import { briefsDir } from './unused-briefs.ts';
import { signsNotifications } from '../notifications/sign-notification.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { findNamedAgent } from '../../attempts/choice/run-agents.ts';
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import { refusalOr } from '../../execution/refusal-outcome.ts';
import type { LoginExpiry } from '../../protocol/words/login-expiry.ts';
import { isAboutToExpire } from '../../protocol/words/login-expiry.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import { credentialSource, shellPath } from '../credentials/shell-host.ts';
import type { ProjectSettings } from '../project-settings.ts';
import type { WorkflowRequest } from '../workflows/workflow-submission.ts';
import { workflowSubmission } from '../workflows/workflow-submission.ts';
import { ablationSubmission } from '../workflows/ablation-submission.ts';
import { typeScriptOf } from '../features/types-gate.ts';
import type { LanePorts } from '../features/feature-submission.ts';
import { featureSubmission } from '../features/feature-submission.ts';
import { lookForRepository } from '../features/require-branch.ts';
import { planningSubmission } from '../features/planning-submission.ts';
import { requireDefaultAgent } from './default-agent.ts';
import type { LearnedPorts } from './learned-agent.ts';
import { withLearnedAgent } from './learned-agent.ts';
import { requireProvingGate } from './run-gates.ts';
import { buildSubmission } from './submission.ts';
import type { PinnedBrief } from '../../protocol/pinned-settings.ts';

/** The store that saves a prompt under its hash. */
type BriefSaver = Pick<BriefStore, 'save'>;

/** A request with everything that its role determines. */
export type BriefedSubmission = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly brief?: PinnedBrief;
};

export class Submissions {
  readonly #options: OwnerOptions;
  readonly #executionHost: ExecutionHost;
  readonly #store: BriefStore;
  readonly #learned: LearnedPorts | undefined;

  /** `learned`: what chooses the first agent by earlier attempts. Absent: nothing does. */
  constructor(options: OwnerOptions, executionHost: ExecutionHost, learned?: LearnedPorts) {
    this.#options = options;
    this.#executionHost = executionHost;
    this.#learned = learned;
    this.#store = new BriefStore(briefsDir(options.home.dir));
  }

  /** The prompt of a brief that a run has pinned. */
  read(hash: string): Promise<string> {
    return this.#store.read(hash);
  }

  /** `environment`: what the shell of the command gave. */
  async submission(
    original: RunRequest,
    projectSettings: Settings,
    project: TrustedProject,
    environment?: RunEnvironment,
  ): Promise<AttemptsSubmission> {
    const signed = await this.#signed(original);
    const { request, settings, brief } = await this.brief(original, projectSettings, project);
    const plain = buildSubmission(request, settings, {
      defaultAgent: await this.defaultAgent(request, settings),
      brief,
      environment: credentialSource(this.#options, environment),
      path: shellPath(environment),
    });
    const submission =
      this.#learned === undefined
        ? plain
        : await withLearnedAgent(plain, request, settings, this.#learned);
    requireProvingGate(submission.settings.gates ?? [], original);
    const login = await this.#expiringLogin(submission.settings, settings);
    return { ...submission, ...signed, ...(login === undefined ? {} : { login }) };
  }

  /** The same for a request that names a workflow, or has the definition of one. `loaded`: the settings of its project. */
  async workflow(
    request: WorkflowRequest,
    { project, ...loaded }: ProjectSettings,
    environment?: RunEnvironment,
    definition?: WorkflowDefinition,
  ): Promise<WorkflowSubmission> {
    const signed = await this.#signed(request);
    const files = filesOf(project);
    const submission = await workflowSubmission(request, loaded.settings, {
      home: this.#options.home.dir,
      project,
      files,
      random: this.#options.random,
      loadWorkflow: async (name) =>
        definition ??
        definitionOf(await (await this.#workflows({ project, ...loaded }, files)).load(name)),
      defaultAgent: (one, settings) => this.defaultAgent(one, settings),
      parts: {
        environment: credentialSource(this.#options, environment),
        path: shellPath(environment),
      },
    });
    return { ...submission, ...signed };
  }

  /** The next owner may lack the secret, so the run records that its notifications are signed. */
  async #signed(request: RunRequest): Promise<Pick<Submission, 'signs'>> {
    const { env, home } = this.#options;
    return (await signsNotifications(request, env, home.dir)) ? { signs: true } : {};
  }

  /** The same for a request that compares a workflow with and without a step. */
  async ablation(
    request: AblateRequest,
    loaded: ProjectSettings,
    environment?: RunEnvironment,
  ): Promise<AblationSubmission> {
    const workflows = await this.#workflows(loaded);
    return ablationSubmission(request, {
      load: async (template, without) => definitionOf(await workflows.load(template, without)),
      submit: (one, definition) => this.workflow(one, loaded, environment, definition),
      findCommit: async (name) => {
        const { git, clock, tagOf, stateDir, userDir } = this.#executionHost;
        const ports = { git, clock, tag: tagOf('submission', 'base'), userHome: userDir };
        const project = await inspectProject(ports, { path: request.project, home: stateDir });
        return findCommit(ports, project, name);
      },
    });
  }

  /** The same for a request that builds a feature. `open`: the settings of another project that it spans. */
  async feature(
    request: FeatureRequest,
    loaded: ProjectSettings,
    open: (path: string) => Promise<ProjectSettings>,
    environment?: RunEnvironment,
  ): Promise<FeatureSubmission> {
    const lane = async (path: string, own: ProjectSettings): Promise<LanePorts> => {
      const workflows = await this.#workflows(own);
      return {
        ...{ path, typeScript: typeScriptOf, gates: own.settings.gates },
        projectWorkflow: workflows.projectWorkflow,
        load: async (template) => definitionOf(await workflows.load(template)),
        submit: (one, definition) => this.workflow(one, own, environment, definition),
      };
    };
    return featureSubmission(request, {
      ...(await lane(request.project, loaded)),
      open: async (path) => lane(path, await open(path)),
      look: (path) => lookForRepository(path, this.#executionHost),
    });
  }

  /** The same for a request that plans a feature. */
  planning(
    request: PlanningRequest,
    loaded: ProjectSettings,
    environment?: RunEnvironment,
  ): Promise<PlanningSubmission> {
    return planningSubmission(request, (one, definition) =>
      this.workflow(one, loaded, environment, definition),
    );
  }

  #workflows(
    { project, ...loaded }: ProjectSettings,
    files = filesOf(project),
  ): Promise<Workflows> {
    const home = this.#options.home.dir;
    return openWorkflows({ home, project, packageData, files, loaded });
  }

  /** The login of the first agent, if it is about to expire. If it has expired, the first attempt says so. */
  async #expiringLogin(
    { agent, unsafe = false }: Submission['settings'],
    settings: Settings,
  ): Promise<LoginExpiry | undefined> {
    if (unsafe || agent.cli === 'scripted') return undefined;
    const { env } = findNamedAgent(settings, agent.id) ?? agent;
    const { clock } = this.#executionHost;
    const found = await refusalOr(findCredentials({ ...agent, env }, this.#executionHost));
    const login = found instanceof Refusal ? undefined : found.login;
    return login !== undefined && isAboutToExpire(login, clock.now()) ? login : undefined;
  }

  /** Returns the request unchanged if it names no role. */
  async brief(
    request: RunRequest,
    settings: Settings,
    project: TrustedProject,
    store: BriefSaver = this.#store,
  ): Promise<BriefedSubmission> {
    const { role, targets = [] } = request;
    if (role === undefined) {
      if (targets.length > 0) throw targetsWithoutRole();
      return { request, settings };
    }
    // Packing the context needs parsers and tokenizers, so they are loaded only on use.
    const { briefRequest } = await import('./role-brief.ts');
    const { home, env } = this.#options;
    return briefRequest({ ...request, role }, settings, {
      home: home.dir,
      project,
      store,
      env,
      runCommand: contextCommands(this.#executionHost, request.project, settings.sandbox),
    });
  }

  /** The default agent if none is named or configured: a CLI that is installed and logged in. Refuses if there is none. */
  async defaultAgent(request: RunRequest, settings: Settings): Promise<string | null> {
    if (request.agent !== undefined || request.chain !== undefined) return null;
    return requireDefaultAgent(settings, this.#executionHost, { unsafe: request.unsafe === true });
  }
}

function filesOf(project: TrustedProject): FileTexts {
  return readOnce(project.over({ read: readTextFile, list: listFolder }));
}

function definitionOf({ definition }: LoadedWorkflow): WorkflowDefinition {
  return definition;
}

function targetsWithoutRole(): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: '--target requires --role: without a role, nothing shows the targets to the agent.',
    hint: 'Add --role. To list the roles: supervisor roles',
  });
}
