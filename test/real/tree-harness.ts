/**
 * A tree of real agents: a real owner in its own process, a project under git, and a strict model
 * server with a script for each agent, found by its name.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { RunId } from '../../src/base/ids.ts';
import type { Client } from '../../src/client/client.ts';
import { findOwner } from '../../src/client/connect.ts';
import type { OpenQuestion } from '../../src/protocol/views/open-question.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { AgentView } from '../../src/protocol/views/agent-view.ts';
import type { TreeAgent } from '../../src/public-json/agent-documents.ts';
import { TreeDocument } from '../../src/public-json/agent-documents.ts';
import { eventually } from '../support/eventually.ts';
import type { RecordedExchange } from '../../src/testing/model-server/request-journal.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import { familyOf, isCli } from './cli-processes.ts';
import {
  endsIn,
  lifeBegunIn,
  pidIn,
  sessionsIn,
  signalsIn,
  stepsIn,
  turnsIn,
} from './agent-facts.ts';
import type { Part } from './tree-parts.ts';
import { playing, youAre } from './tree-parts.ts';
import { BIN, MODELS, providerEnv } from './sandboxed-clis.ts';
import { SECRET } from './sandboxed-harness.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';

/** Far longer than anything takes, even on a busy machine. */
const WITHIN_MS = 300_000;

/** No backoff between two lives. */
export const AT_ONCE = { backoff_base: '0s', backoff_max: '0s' };

export class TreeHarness implements AsyncDisposable {
  readonly cli: CliHarness;
  readonly server: ModelServer;

  private constructor(harness: CliHarness, server: ModelServer) {
    this.cli = harness;
    this.server = server;
  }

  /** `children` are declared in the configuration of the project. */
  static async create(
    children: readonly object[],
    parts: Readonly<Record<string, Part>>,
  ): Promise<TreeHarness> {
    const server = await ModelServer.start({ keys: [SECRET], script: playing(parts) });
    const harness = await CliHarness.create(JSON.stringify(configuration(children)));
    await mkdir(join(harness.dir, 'user'));
    await writeFile(join(harness.project, 'README.md'), 'a project\n');
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['commit', '-qm', 'first'],
    ])
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: harness.project,
      });
    return new TreeHarness(harness, server);
  }

  /** Runs a command that must succeed, and returns its output. */
  async run(...args: readonly string[]): Promise<string> {
    const path = [BIN, this.cli.env()['PATH'] ?? ''].join(delimiter);
    const env = { ...providerEnv(this.server.url), PATH: path, HOME: join(this.cli.dir, 'user') };
    const { code, stdout, stderr } = await this.cli.run(args, { env });
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** All agents, including idle and ended ones, as `supervisor tree` shows them. */
  async agents(): Promise<readonly TreeAgent[]> {
    const { nodes } = TreeDocument.parse(JSON.parse(await this.run('tree', '--all', '--json')));
    return nodes.flatMap(({ agent }) => (agent === null ? [] : [agent]));
  }

  /**
   * These agents, or all of them, one line each, in the order of the tree: `clara working, life 2
   * ↻1`.
   */
  async lines(...names: readonly string[]): Promise<readonly string[]> {
    return (await this.agents())
      .filter(({ name }) => names.length === 0 || names.includes(name))
      .map(({ name, state, life, restarts }) => `${name} ${state}, life ${life} ↻${restarts}`);
  }

  async view(name: string): Promise<AgentView> {
    const { client, project } = await this.#owner();
    const agent = (await client.agents.list(project)).find((one) => one.name === name);
    return agent ?? assert.fail(`no ${name}`);
  }

  async facts(name: string): Promise<readonly StoredEvent[]> {
    const { run } = await this.view(name);
    const { client } = await this.#owner();
    return client.events({ run });
  }

  async turns(name: string): Promise<readonly AttemptInput[]> {
    return turnsIn(await this.facts(name));
  }

  async steps(name: string): Promise<readonly string[]> {
    return stepsIn(await this.facts(name));
  }

  async ends(name: string): Promise<readonly string[]> {
    return endsIn(await this.facts(name));
  }

  /** The journal position of the signal with which its supervisor began this life. */
  async begunAt(name: string, life: number): Promise<number> {
    return lifeBegunIn(await this.facts(name), life) ?? assert.fail(`${name} has no life ${life}`);
  }

  async sessions(name: string): Promise<readonly string[]> {
    return sessionsIn(await this.facts(name));
  }

  async signals(name: string): Promise<readonly string[]> {
    return signalsIn(await this.facts(name));
  }

  /** The question that it asks a person, once it does. */
  async asked(name: string): Promise<readonly OpenQuestion[]> {
    const { run } = await this.view(name);
    let mine: readonly OpenQuestion[] = [];
    await this.until(`${name} asks`, async () => {
      const { client } = await this.#owner();
      mine = (await client.inbox()).filter((question) => question.run === run);
      return mine.length > 0;
    });
    return mine;
  }

  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    await eventually(what, condition, WITHIN_MS);
  }

  /** Waits until an agent is in that state of that life. */
  async becomes(name: string, state: AgentView['state'], life = 1): Promise<AgentView> {
    const condition = async (): Promise<boolean> => {
      const view = await this.view(name);
      return view.state === state && view.life === life;
    };
    await this.until(`${name} is ${state} in life ${life}`, condition).catch(
      async (error: unknown) => {
        // On a timeout, the error shows the real state.
        const { state: now, life: lives, why } = await this.view(name);
        const steps = (await this.steps(name)).join(', ');
        throw new Error(`${name} is ${now} in life ${lives} (${why ?? 'well'}): ${steps}`, {
          cause: error,
        });
      },
    );
    return this.view(name);
  }

  /** Once its run has ended. */
  async ended(name: string): Promise<AgentView> {
    await this.until(`the end of ${name}`, async () => (await this.view(name)).outcome !== null);
    return this.view(name);
  }

  /** What the model received from this agent since its server started. */
  calls(name: string): readonly RecordedExchange[] {
    return this.server
      .journal()
      .filter(({ body, kind }) => kind === 'main' && JSON.stringify(body).includes(youAre(name)));
  }

  /** A file in the tree of the agent, once it contains the line. */
  async wrote(name: string, line: string): Promise<void> {
    const file = join(await this.work(name), 'diary');
    await this.until(`${name} writes ${line}`, () => linesOf(file).includes(line));
  }

  async diary(name: string): Promise<readonly string[]> {
    return linesOf(join(await this.work(name), 'diary'));
  }

  /** The running processes of its last turn. */
  async processes(name: string): Promise<readonly number[]> {
    return familyOf(pidIn(await this.facts(name)) ?? assert.fail(`${name} has not begun`));
  }

  /** Kills its CLI from outside, in the middle of a turn, as the kernel or a person would. */
  async kill(name: string): Promise<void> {
    const cli = (await this.processes(name)).find(isCli) ?? assert.fail(`${name} has no CLI`);
    process.kill(cli, 'SIGKILL');
  }

  async work(name: string): Promise<string> {
    const { run } = await this.view(name);
    const tree = (await this.turns(name)).at(-1)?.tree ?? 1;
    const { home, project } = this.cli;
    return workspacePaths({ home: home.dir, root: project, run: run as RunId, attempt: tree }).work;
  }

  async #owner(): Promise<{ client: Client; project: string }> {
    const found = await findOwner(this.cli.home);
    return { client: (found ?? assert.fail('no owner is up')).client, project: this.cli.project };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
    await this.server.close();
  }
}

function configuration(children: readonly object[]): object {
  const agents = (['claude', 'codex'] as const).map((cli) => ({
    id: cli,
    cli,
    ...(MODELS[cli] === null ? {} : { model: MODELS[cli] }),
  }));
  return {
    agents,
    sandbox: { backend: 'bubblewrap' },
    attempt: { grace: '5s' },
    capacity: { runs_max: 20, per_agent_max: 20 },
    limits: { attempts: 20 },
    tree: { children },
  };
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return []; // not yet
  }
}
