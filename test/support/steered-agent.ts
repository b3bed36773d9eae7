/** An owner with one small contained agent that is steered, and a model that goes through a list of tool calls. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { MessageView } from '../../src/protocol/views/message-view.ts';
import type { ScriptedAnswer } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import { SandboxedHarness, SECRET } from '../real/sandboxed-harness.ts';
import type { SteeredFacts } from './steered-run.ts';
import { followSteered } from './steered-run.ts';
import { tempDir } from './temp-dir.ts';
import { installToolAgent, SIGNALS } from './tool-agent.ts';
import { trustProject } from './trust-project.ts';

const MODEL = 'claude-sonnet-4-5';
const CONTEXT_MAX = 100_000;

const CODER = {
  role_id: 'coder',
  role_name: 'Coder',
  capabilities: { bst_domains: ['coding', 'testing', 'operations', 'research'] },
  pace_plan: {
    alternate: { description: 'Build a smaller part of it', trigger: 'failures >= 3' },
    contingent: {
      description: 'Describe the design and ask for help',
      trigger: 'failures >= 5 OR context_fill > 0.85',
    },
    emergency: { description: 'Hand the work back', trigger: 'unrecoverable_error' },
  },
  doctrine: { salute_interval_turns: 5, max_turns_without_progress: 12 },
};

/** `inactive`: a role whose file can't be read, and no `active.json`. */
type OrganizationState = 'active' | 'inactive' | 'none';

/** Its folder. The user trusts it. `emergency`: the trigger of that level, if it is another one. */
export async function writeOrganization(
  at: SandboxedHarness,
  is: OrganizationState,
  emergency = CODER.pace_plan.emergency.trigger,
): Promise<string> {
  const plans = { ...CODER.pace_plan };
  plans.emergency = { ...plans.emergency, trigger: emergency };
  const folder = join(at.project, '.supervisor', 'organization');
  if (is !== 'none') {
    await mkdir(join(folder, 'roles'), { recursive: true });
    if (is === 'active') await writeFile(join(folder, 'active.json'), '{"org_id": "dev"}');
    const role = is === 'active' ? JSON.stringify({ ...CODER, pace_plan: plans }) : '{"role_id": 7';
    await writeFile(join(folder, 'roles', 'coder.json'), role);
  }
  await trustProject(at.home, at.project);
  return folder;
}

export type SteeredAgentOptions = {
  /** The calls of the model. Undefined: it says that it is done. `read`: its whole conversation. */
  readonly call: (nth: number, read: string) => ToolCall | undefined;
  readonly organization?: OrganizationState;
  readonly steering?: object;
  readonly config?: object;
  /** The turns whose calls wait until the message about what was found in them is sent. */
  readonly held?: readonly number[];
  /** From 0 to 1. */
  readonly context?: number;
};

export class SteeredAgent implements AsyncDisposable {
  readonly at: SandboxedHarness;
  readonly server: ModelServer;
  readonly run: string;
  readonly #signals: string;
  readonly #folder: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    made: Pick<SteeredAgent, 'at' | 'server' | 'run'>,
    folders: { readonly signals: string; readonly organization: string },
    stack: AsyncDisposableStack,
  ) {
    this.at = made.at;
    this.server = made.server;
    this.run = made.run;
    this.#signals = folders.signals;
    this.#folder = folders.organization;
    this.#stack = stack;
  }

  static async start(options: SteeredAgentOptions): Promise<SteeredAgent> {
    const { call, held = [], context = 0.1, organization = 'none', ...more } = options;
    await using stack = new AsyncDisposableStack();
    const dir = stack.use(await tempDir());
    const bin = await installToolAgent(dir.path);
    const signals = join(dir.path, 'signals');
    await mkdir(signals);
    const usage = { inputTokens: CONTEXT_MAX * context, outputTokens: 10, cachedTokens: 0 };
    const server = stack.use(
      await ModelServer.start({
        keys: [SECRET],
        script: ({ toolResults, units }): ScriptedAnswer => {
          const next = call(toolResults + 1, JSON.stringify(units));
          if (next === undefined) return { text: 'All done.', usage };
          return { text: `Step ${toolResults}.`, calls: [next], usage };
        },
      }),
    );
    const price = { model: MODEL, input: 0, output: 0, context_max: CONTEXT_MAX, output_max: 8000 };
    const at = stack.use(
      await SandboxedHarness.create({
        path: [bin],
        config: {
          agents: [
            {
              ...{ id: 'bot', cli: 'custom', model: MODEL },
              command: ['tool-agent', '{prompt_file}', `0,${held.join(',')}`, '{model}'],
            },
          ],
          sandbox: { mounts: [{ path: signals, to: SIGNALS }] },
          gateway: { prices: [price] },
          steering: { mode: 'steer', held_out: 0, ...more.steering },
          ...more.config,
        },
        env: { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: server.url },
      }),
    );
    const folder = await writeOrganization(at, organization);
    const run = await at.submit('bot', { once: true });
    return new SteeredAgent({ at, server, run }, { signals, organization: folder }, stack.move());
  }

  /** Resolves when the run has ended or is paused. */
  follow(): Promise<SteeredFacts> {
    return followSteered(this.at.client, this.run, this.server, this.#signals);
  }

  facts(): Promise<readonly StoredEvent[]> {
    return this.at.factsOf(this.run);
  }

  messages(): Promise<readonly MessageView[]> {
    return this.at.client.messages(this.run);
  }

  /** The status in the last report of the role. Null: there is none. */
  async report(): Promise<object | null> {
    const file = join(this.#folder, 'reports', 'coder_latest.json');
    if (!existsSync(file)) return null;
    return (JSON.parse(await readFile(file, 'utf8')) as { status: object }).status;
  }

  get hasReports(): boolean {
    return existsSync(join(this.#folder, 'reports'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
