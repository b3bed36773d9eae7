/** Where long-lived agents are summoned, spoken to and let go, by their id or by their name. */
import { Refusal, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Serial } from '../../base/serial.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RequestMark, Signal, Submission } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { DeclaredAgents, AgentView, SpawnRequest } from '../../protocol/views/agent-view.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AgentRequest } from '../../settings/tree-config.ts';
import { parentPath, supervisorPath, placeFromPath, POOL } from './supervisor-paths.ts';
import type { SpawnCandidate } from './agent-preflight.ts';
import { preflightFailed } from './agent-preflight.ts';
import type { AgentRecord, AgentRegistry } from './agent-registry.ts';
import type { AgentsSupervisor } from './agents-supervisor.ts';
import type { TreeJournal } from './tree-journal.ts';
import type { AgentOrigin } from './agent-submission.ts';
import { isAsDeclared, agentSubmission } from './agent-submission.ts';
import { describeAgent } from './describe-agent.ts';
import type { SettingsRequest } from '../project-settings.ts';
import {
  checkFamily,
  checkInheritance,
  checkName,
  findAgent,
  freeName,
  isOver,
  parentOf,
} from './spawn-rules.ts';
import { toAgentRequest } from './spawn-request.ts';

export type AgentsApiPorts = {
  readonly book: AgentRegistry;
  readonly kept: TreeJournal;
  readonly branch: AgentsSupervisor;
  readonly engine: Pick<Engine, 'start'>;
  /** Resolves when it is durable. */
  readonly signal: (run: RunId, signal: Signal, request?: RequestMark) => Promise<void>;
  /** Refuses files of the project that the user has not trusted. */
  readonly settings: (project: string, wish: SettingsRequest) => Promise<Settings>;
  /** The CLI to use where nobody has configured an agent. */
  readonly ready: (settings: Settings) => Promise<string | null>;
  /** All that is in the way of an agent; none: it may be summoned. */
  readonly preflight: (
    summons: SpawnCandidate,
    project: string,
    settings: Settings,
  ) => Promise<readonly string[]>;
  readonly now: () => number;
};

export class AgentsApi {
  readonly #ports: AgentsApiPorts;
  /** One spawn at a time: a second one must see that the name is taken and the budget delegated. */
  readonly #spawning = new Serial();

  constructor(ports: AgentsApiPorts) {
    this.#ports = ports;
  }

  /** Loads the project's settings as they are now and pins what the agent needs of them. */
  spawn(request: SpawnRequest, mark?: RequestMark): Promise<AgentView> {
    return this.#spawning.run(async () => {
      const { project } = request;
      const settings = await this.#ports.settings(project, request);
      const agents = this.#ports.book.all();
      const wish = toAgentRequest(request, freeName(request.kind ?? 'mortal', project, agents));
      const parent = parentOf(request.parent, wish.kind, project, agents);
      const path = wish.kind === 'root' ? '' : POOL;
      const unsafe = request.unsafe === true;
      const origin = { project, parent, path, declared: false, unsafe };
      const submission = await this.#submission(wish, settings, origin);
      try {
        const marked = mark === undefined ? submission : { ...submission, request: mark };
        return await this.#summon(marked, parent, settings);
      } catch (error) {
        if (parent !== null && isRefusal(error, 'agent.preflight-failed'))
          await this.#tell(parent, wish.name, error.message);
        throw error;
      }
    });
  }

  /** Brings up what the configuration of a project names and what is not there yet. */
  declare(project: string, untrusted = false): Promise<DeclaredAgents> {
    return this.#spawning.run(async () => {
      const settings = await this.#ports.settings(project, { untrusted });
      const { places, agents } = settings.tree;
      const told: DeclaredAgents = { started: [], kept: [], changed: [] };
      if (places.length === 0) return told;
      await this.#ports.kept.declare(project, places);
      await this.#ports.branch.declare(project);
      // The root first, whatever its place: the others are its children.
      const inOrder = [
        ...agents.filter(({ request }) => request.kind === 'root'),
        ...agents.filter(({ request }) => request.kind !== 'root'),
      ];
      for (const { path, request: wish } of inOrder) {
        const parent = parentOf(undefined, wish.kind, project, this.#ports.book.all());
        const place = { path: parentPath(path), declared: true, unsafe: false };
        const origin = { project, parent, ...place };
        const submission = await this.#submission(wish, settings, origin);
        const before = this.#declaredBefore(project, wish.name);
        const isDone =
          before?.outcome?.kind === 'succeeded' || before?.outcome?.kind === 'unverified';
        if (before === undefined || (before.standing.over && !isDone))
          told.started.push(await this.#summon(submission, parent, settings));
        else if (isAsDeclared(before, submission)) told.kept.push(wish.name);
        else if (before.standing.over)
          told.started.push(await this.#summon(submission, parent, settings));
        else told.changed.push(wish.name);
      }
      return told;
    });
  }

  async send(
    idOrName: string,
    text: string,
    project?: string,
    request?: RequestMark,
  ): Promise<AgentView> {
    const record = this.#living(idOrName, project);
    await this.#ports.signal(record.run, { kind: 'message', from: null, text }, request);
    return this.view(record.run, project);
  }

  async dismiss(
    idOrName: string,
    because = 'a person let it go',
    project?: string,
    request?: RequestMark,
  ): Promise<AgentView> {
    const record = this.#living(idOrName, project);
    await this.#ports.signal(record.run, { kind: 'dismiss', because }, request);
    const over = await this.#ports.book.until(record.run, ({ standing }) => standing.over);
    return this.#view(over ?? record);
  }

  /** Its work is not what was wanted: another life begins, from a clean tree, and is told why. One that is down is told so when it comes back. */
  async reject(
    idOrName: string,
    feedback: string,
    project?: string,
    request?: RequestMark,
  ): Promise<AgentView> {
    const record = this.#living(idOrName, project);
    const trigger = { kind: 'wrong-changeset', feedback } as const;
    if (record.standing.life === 0) throw isUnborn(record);
    await this.#ports.signal(record.run, { kind: 'trigger', trigger }, request);
    return this.view(record.run, project);
  }

  view(idOrName: string, project?: string): AgentView {
    return this.#view(findAgent(idOrName, project, this.#ports.book.all()));
  }

  /** Of one project, or of all; the dead too. */
  list(project?: string): readonly AgentView[] {
    return this.#ports.book
      .all()
      .filter((one) => project === undefined || one.project === project)
      .map((record) => this.#view(record));
  }

  living(): readonly AgentRecord[] {
    return this.#ports.book.living();
  }

  /** Whoever wanted the child hears why there is none; that it can't be told changes nothing. */
  async #tell({ run }: AgentRecord, from: string, text: string): Promise<void> {
    try {
      await this.#ports.signal(run, { kind: 'message', from, text });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  #declaredBefore(project: string, name: string): AgentRecord | undefined {
    const named = this.#ports.book
      .all()
      .filter((one) => one.project === project && one.settings.name === name);
    return (
      named.find(({ standing }) => !standing.over) ?? named.findLast((one) => one.settings.declared)
    );
  }

  #living(idOrName: string, project: string | undefined): AgentRecord {
    const record = findAgent(idOrName, project, this.#ports.book.all());
    if (record.standing.over) throw isOver(record);
    return record;
  }

  #view(record: AgentRecord): AgentView {
    const { book, kept } = this.#ports;
    const { parent } = record.settings;
    const path = supervisorPath(record, kept.places(record.project));
    return describeAgent(
      record,
      parent === null ? undefined : book.get(parent as RunId),
      kept.countOf(`${placeFromPath(record.project, path)}/${record.run}`),
    );
  }

  async #submission(
    wish: AgentRequest,
    settings: Settings,
    origin: AgentOrigin,
  ): Promise<Submission> {
    const ready = wish.agent === null ? await this.#ports.ready(settings) : null;
    return agentSubmission(wish, settings, origin, ready);
  }

  async #summon(
    submission: Submission,
    parent: AgentRecord | null,
    settings: Settings,
  ): Promise<AgentView> {
    const { book, engine, preflight, now } = this.#ports;
    const { life } = submission.settings as unknown as { life: LongLivedSettings };
    checkName(life.name, life.kind, submission.project, book.all());
    checkFamily(parent, book.all(), settings.tree);
    checkInheritance(submission, parent, book.all(), now());
    const summons = submission.settings as unknown as SpawnCandidate;
    const problems = await preflight(summons, submission.project, settings);
    if (problems.length > 0) throw preflightFailed(life.name, problems);
    const run = await engine.start(submission);
    const record = await book.until(run, () => true);
    if (record === undefined)
      throw new Refusal({
        code: 'owner.closing',
        message: `The agent ${life.name} (${run}) is summoned, and the owner ends before it begins.`,
        hint: 'The next owner takes it up.',
      });
    return this.#view(record);
  }
}

function isUnborn({ run, settings, standing }: AgentRecord): Refusal {
  return new Refusal({
    code: 'agent.down',
    message: `The agent ${settings.name} (${run}) is ${standing.state}: it has not lived yet, so there is no work of it.`,
    hint: `Wait until it has begun, or say: supervisor send ${settings.name} "…"`,
  });
}
