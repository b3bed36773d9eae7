/**
 * The owner's commands for long-lived agents: spawn, declare, send, dismiss, reject and list. An
 * agent is named by its id or its name.
 */
import { Refusal, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Serial } from '../../base/serial.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AgentSubmission, RequestMark } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { DeclaredAgents, AgentView, SpawnRequest } from '../../protocol/views/agent-view.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AgentRequest } from '../../settings/tree-config.ts';
import { parentPath, supervisorPath, treePath, POOL } from './supervisor-paths.ts';
import { preflightFailed } from './agent-preflight.ts';
import type { AgentRecord, AgentRegistry } from './agent-registry.ts';
import type { AgentsSupervisor } from './agents-supervisor.ts';
import type { TreeJournal } from './tree-journal.ts';
import type { AgentOrigin } from './agent-submission.ts';
import { isAsDeclared, agentSubmission } from './agent-submission.ts';
import { describeAgent } from './describe-agent.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import type { CredentialSource } from '../credentials/given-variables.ts';
import type { RunEnvironments } from '../credentials/run-environments.ts';
import { shellPath } from '../credentials/shell-host.ts';
import type { SettingsRequest } from '../project-settings.ts';
import {
  checkFamily,
  checkInheritance,
  checkName,
  findAgent,
  freeName,
  agentEndedRefusal,
  findParent,
} from './spawn-rules.ts';
import { toAgentRequest } from './spawn-request.ts';

export type AgentsApiPorts = {
  readonly registry: AgentRegistry;
  readonly treeJournal: TreeJournal;
  readonly supervisor: AgentsSupervisor;
  readonly engine: Pick<Engine, 'start'>;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal, request?: RequestMark) => Promise<void>;
  /** Refuses files of the project that the user has not trusted. */
  readonly settings: (project: string, request: SettingsRequest) => Promise<Settings>;
  /** The CLI to use if no agent is configured. */
  readonly defaultAgent: (settings: Settings, given?: RunEnvironment) => Promise<string | null>;
  /**
   * Everything that prevents the agent from starting. An empty list means that it can be spawned.
   */
  readonly preflight: (
    candidate: AgentSubmission['settings'],
    project: string,
    settings: Settings,
    given?: RunEnvironment,
  ) => Promise<readonly string[]>;
  readonly environments: Pick<RunEnvironments, 'giveTo'>;
  /** The environment of a command: what its shell gave, or that of the owner. */
  readonly credentialSource: (given: RunEnvironment | undefined) => CredentialSource;
  readonly now: () => number;
};

export class AgentsApi {
  readonly #ports: AgentsApiPorts;
  /** One spawn at a time: a second one must see that the name is taken and the budget delegated. */
  readonly #spawning = new Serial();

  constructor(ports: AgentsApiPorts) {
    this.#ports = ports;
  }

  /** Loads the project's current settings and pins the values that the agent needs. */
  spawn(request: SpawnRequest, mark?: RequestMark, given?: RunEnvironment): Promise<AgentView> {
    return this.#spawning.run(async () => {
      const { project } = request;
      const settings = await this.#ports.settings(project, request);
      const agents = this.#ports.registry.all();
      const name = freeName(request.kind ?? 'mortal', project, agents);
      const agentRequest = toAgentRequest(request, name);
      const parent = findParent(request.parent, agentRequest.kind, project, agents);
      const path = agentRequest.kind === 'root' ? '' : POOL;
      const unsafe = request.unsafe === true;
      const origin = { project, parent, path, declared: false, unsafe };
      const submission = await this.#submission(agentRequest, settings, origin, given);
      try {
        const marked = mark === undefined ? submission : { ...submission, request: mark };
        return await this.#start(marked, parent, settings, given);
      } catch (error) {
        const isUnfit =
          isRefusal(error, 'agent.preflight-failed') || isRefusal(error, 'setup.missing');
        if (parent !== null && isUnfit)
          await this.#notifyParent(parent, agentRequest.name, error.message);
        throw error;
      }
    });
  }

  /** Spawns the agents that the configuration of a project declares and that do not exist yet. */
  declare(
    project: string,
    { untrusted = false }: { readonly untrusted?: boolean | undefined } = {},
    given?: RunEnvironment,
  ): Promise<DeclaredAgents> {
    return this.#spawning.run(async () => {
      const settings = await this.#ports.settings(project, { untrusted });
      const { places, agents } = settings.tree;
      const result: DeclaredAgents = { started: [], unchanged: [], changed: [] };
      if (places.length === 0) return result;
      await this.#ports.treeJournal.declare(project, places);
      await this.#ports.supervisor.declare(project);
      // The root starts first, wherever it is declared, because the others are its children.
      const inOrder = [
        ...agents.filter(({ request }) => request.kind === 'root'),
        ...agents.filter(({ request }) => request.kind !== 'root'),
      ];
      for (const { path, request } of inOrder) {
        const parent = findParent(undefined, request.kind, project, this.#ports.registry.all());
        const place = { path: parentPath(path), declared: true, unsafe: false };
        const origin = { project, parent, ...place };
        const submission = await this.#submission(request, settings, origin, given);
        const existing = this.#findDeclared(project, request.name);
        const isDone =
          existing?.outcome?.kind === 'succeeded' || existing?.outcome?.kind === 'unverified';
        if (existing === undefined || (existing.status.isOver && !isDone))
          result.started.push(await this.#start(submission, parent, settings, given));
        else if (isAsDeclared(existing, submission)) result.unchanged.push(request.name);
        else if (existing.status.isOver)
          result.started.push(await this.#start(submission, parent, settings, given));
        else result.changed.push(request.name);
      }
      return result;
    });
  }

  async send(
    idOrName: string,
    text: string,
    project?: string,
    request?: RequestMark,
  ): Promise<AgentView> {
    const record = this.#findRunning(idOrName, project);
    await this.#ports.signal(record.run, { kind: 'message', from: null, text }, request);
    return this.view(record.run, project);
  }

  async dismiss(
    idOrName: string,
    because = 'a person dismissed it',
    project?: string,
    request?: RequestMark,
  ): Promise<AgentView> {
    const record = this.#findRunning(idOrName, project);
    await this.#ports.signal(record.run, { kind: 'dismiss', because }, request);
    const ended = await this.#ports.registry.until(record.run, ({ status }) => status.isOver);
    return this.#view(ended ?? record);
  }

  /**
   * Rejects the work of an agent. Its next life starts from a clean tree and gets the feedback. If
   * the agent is down, it gets the feedback when it starts again.
   */
  async reject(
    idOrName: string,
    feedback: string,
    project?: string,
    request?: RequestMark,
  ): Promise<AgentView> {
    const record = this.#findRunning(idOrName, project);
    const trigger = { kind: 'wrong-changeset', feedback } as const;
    if (record.status.life === 0) throw notStarted(record);
    await this.#ports.signal(record.run, { kind: 'trigger', trigger }, request);
    return this.view(record.run, project);
  }

  view(idOrName: string, project?: string): AgentView {
    return this.#view(findAgent(idOrName, project, this.#ports.registry.all()));
  }

  /** All agents of one project, or of all projects. Ended agents are included. */
  list(project?: string): readonly AgentView[] {
    return this.#ports.registry
      .all()
      .filter((one) => project === undefined || one.project === project)
      .map((record) => this.#view(record));
  }

  living(): readonly AgentRecord[] {
    return this.#ports.registry.living();
  }

  /**
   * Sends the parent the reason why its child was not started. A refusal is ignored, because the
   * caller gets the reason too.
   */
  async #notifyParent({ run }: AgentRecord, from: string, text: string): Promise<void> {
    try {
      await this.#ports.signal(run, { kind: 'message', from, text });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  #findDeclared(project: string, name: string): AgentRecord | undefined {
    const matches = this.#ports.registry
      .all()
      .filter((one) => one.project === project && one.settings.name === name);
    return (
      matches.find(({ status }) => !status.isOver) ??
      matches.findLast((one) => one.settings.declared)
    );
  }

  #findRunning(idOrName: string, project: string | undefined): AgentRecord {
    const record = findAgent(idOrName, project, this.#ports.registry.all());
    if (record.status.isOver) throw agentEndedRefusal(record);
    return record;
  }

  #view(record: AgentRecord): AgentView {
    const { registry, treeJournal } = this.#ports;
    const { parent } = record.settings;
    const path = supervisorPath(record, treeJournal.places(record.project));
    return describeAgent(
      record,
      parent === null ? undefined : registry.get(parent as RunId),
      treeJournal.restartCount(`${treePath(record.project, path)}/${record.run}`),
    );
  }

  async #submission(
    request: AgentRequest,
    settings: Settings,
    origin: AgentOrigin,
    given: RunEnvironment | undefined,
  ): Promise<AgentSubmission> {
    const { defaultAgent, credentialSource } = this.#ports;
    const found = request.agent === null ? await defaultAgent(settings, given) : null;
    const submission = agentSubmission(request, settings, origin, {
      defaultAgent: found,
      environment: credentialSource(given),
    });
    const path = shellPath(given);
    return path === undefined ? submission : { ...submission, path };
  }

  async #start(
    submission: AgentSubmission,
    parent: AgentRecord | null,
    settings: Settings,
    given: RunEnvironment | undefined,
  ): Promise<AgentView> {
    const { registry, engine, preflight, environments, now } = this.#ports;
    const { longLived } = submission.settings;
    checkName(longLived.name, longLived.kind, submission.project, registry.all());
    checkFamily(parent, registry.all(), settings.tree);
    checkInheritance(submission, parent, registry.all(), now());
    const problems = await preflight(submission.settings, submission.project, settings, given);
    if (problems.length > 0) throw preflightFailed(longLived.name, problems);
    const run = await engine.start(submission, environments.giveTo(submission, given));
    const record = await registry.until(run, () => true);
    if (record === undefined)
      throw new Refusal({
        code: 'owner.closing',
        message: `The agent ${longLived.name} (${run}) was spawned, but the owner closed before it started.`,
        hint: 'The next owner starts it.',
      });
    return this.#view(record);
  }
}

function notStarted({ run, settings, status }: AgentRecord): Refusal {
  return new Refusal({
    code: 'agent.down',
    message: `The agent ${settings.name} (${run}) is ${status.state}: it has not started yet, so it has no work to reject.`,
    hint: `Wait until it has started, or send it a message: supervisor send ${settings.name} "…"`,
  });
}
