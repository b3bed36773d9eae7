/** A throw-away home and project for the demo, with a real owner in the background. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { connect, findOwner, stopOwner } from '../../client/connect.ts';
import type { Home } from '../../host/machine/state-home.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { createDemoRepository } from './demo-repository.ts';

/** Enough agents for a viewer who causes trouble many times. */
const AGENTS = ['ann', 'ben', 'cleo', 'dan', 'eva', 'finn', 'gus', 'hana'];

/** This agent crashes in its first turn, and reports in its second that it is done. */
const LONG_LIVED = 'scripted:lives-in-turns';

/** This agent writes code that is wrong, and corrects it when it reads what the gate says. */
const WORKFLOW_AGENT = 'scripted:plays-every-role';

/** This agent does what the task of a component says. */
const FEATURE_AGENT = 'scripted:builds-components';

/** What can happen to an agent at its next step. */
export type DemoTrouble = 'limit' | 'network' | 'memory' | 'lie';

/** What goes wrong, and after how many steps. */
export type DemoPlan = readonly (readonly [steps: number, what: DemoTrouble | 'kill'])[];

export class DemoEnvironment implements AsyncDisposable {
  readonly project: string;
  /** The project of the workflow. */
  readonly repository: string;
  /** How many steps the work has. */
  readonly steps: number;
  readonly agents = AGENTS;
  /** The agent of the last scene. */
  readonly longLivedAgent = LONG_LIVED;
  readonly workflowAgent = WORKFLOW_AGENT;
  readonly featureAgent = FEATURE_AGENT;
  readonly context: CliContext;
  readonly #dir: string;
  readonly #closing = new AbortController();
  #connecting: Promise<Client> | undefined;

  constructor(context: CliContext, steps: number, stepMs: number) {
    this.steps = steps;
    this.#dir = mkdtempSync(join(tmpdir(), 'supervisor-demo-'));
    this.project = join(this.#dir, 'project');
    this.repository = join(this.#dir, 'repository');
    const home = join(this.#dir, 'home');
    mkdirSync(this.project);
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'config.yaml'),
      config([steps, stepMs], this.#troubleFile, context.node),
    );
    this.context = { ...context, env: { ...context.env, SUPERVISOR_HOME: home } };
  }

  get home(): Home {
    return stateHome(this.context);
  }

  get #troubleFile(): string {
    return join(this.#dir, 'trouble');
  }

  /** Makes the repository of the workflow. */
  async prepare(): Promise<void> {
    await createDemoRepository(this.repository, this.home.dir, this.context);
  }

  /** Finds the owner or starts one, like every command. */
  async client(): Promise<Client> {
    const { version, clock, env, ownerCommand } = this.context;
    const closing = this.#closing.signal;
    this.#connecting = connect({ home: this.home, version, clock, env, ownerCommand, closing });
    return await this.#connecting;
  }

  async ownerPid(): Promise<number | undefined> {
    return (await findOwner(this.home))?.view.pid;
  }

  /** The trouble hits the agent that takes the next step. */
  cause(trouble: DemoTrouble): void {
    writeFileSync(this.#troubleFile, trouble);
  }

  /** Each trouble hits the agent after so many steps. Before a kill the agent waits, so that a busy machine changes nothing. */
  plan(script: DemoPlan): void {
    const lines = script.map(([steps, what]) =>
      what === 'kill' ? `hold ${steps + 1}` : `at ${steps + 1} ${what}`,
    );
    writeFileSync(this.#troubleFile, lines.join('\n'));
  }

  /** The lines of work that are on disk. */
  work(): readonly string[] {
    try {
      return readFileSync(join(this.project, 'WORK.md'), 'utf8').split('\n').filter(Boolean);
    } catch {
      return []; // nothing is written yet
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A story that is interrupted is still at work, and its next request would start another owner.
    this.#closing.abort();
    await this.#connecting?.catch(() => undefined);
    try {
      await stopOwner(this.home, this.context.clock);
    } catch (error) {
      if (!isRefusal(error)) throw error; // the owner ended before it could answer, which is fine
    }
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function config(
  [steps, stepMs]: readonly [number, number],
  troubleFile: string,
  node: string,
): string {
  const check = `const done = require('fs').readFileSync('WORK.md', 'utf8').split('\\n').filter(Boolean).length; console.log(done + ' of ${steps} steps are there'); process.exit(done < ${steps} ? 1 : 0)`;
  const args = JSON.stringify([String(steps), String(stepMs), troubleFile]);
  return `# The settings of the demo: agents that work in visible steps, a gate that counts them, short cooldowns.
attempt: {interruptions_max: 100}
recovery: {cooldown_s: 5, attempts_max: 200}
gates:
  - {name: all steps are there, command: ${JSON.stringify([node, '-e', check])}}
agents:
${AGENTS.map((id) => `  - {id: ${id}, cli: scripted, model: ${id}, args: ${args}}\n`).join('')}
  - {id: '${LONG_LIVED}', cli: scripted, args: [crash, DONE]}
  - {id: '${WORKFLOW_AGENT}', cli: scripted}
  - {id: '${FEATURE_AGENT}', cli: scripted}
`;
}
