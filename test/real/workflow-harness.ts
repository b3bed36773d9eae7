/** A user with a small project, real CLIs on the strict model server, and a whole workflow that asks this user. */
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { CliName } from './clis.ts';
import { BIN, MODELS, providerEnv } from './sandboxed-clis.ts';
import { SECRET, SandboxedHarness } from './sandboxed-harness.ts';
import { playWorkflow } from './workflow-models.ts';

/** Far longer than anything takes, even on a busy machine. */
const WITHIN_MS = 600_000;
const SCRIPTED = 'scripted:plays-every-role';
const ROLES = [
  ...['planner', 'tech_lead', 'implementer', 'implementer_fast', 'test_engineer'],
  ...['reviewer_codex', 'reviewer_gemini', 'security_auditor', 'security_auditor_external'],
];
const GATES = [
  { name: 'test', command: ['node', '--test'] },
  { name: 'lint', command: ['node', '--check', 'sum.mjs'] },
  { name: 'docs', command: ['grep', '-q', 'add', 'README.md'] },
];
const FILES = {
  'README.md': 'It can add.\n',
  'sum.mjs': '/** The sum. */\nexport const add = () => undefined;\n',
  'test/sum.test.mjs': `import { test } from 'node:test';
import assert from 'node:assert';
import { add } from '../sum.mjs';
test('adds', () => assert.equal(add(1, 2), 3));
`,
};
/** Stands in for the program that opens pull requests. */
const GH = `#!/bin/sh
case "$2" in list) echo '[]';; create) cat >/dev/null; echo https://example.test/pull/7;; esac
`;

/** What the person types when this step asks. */
export type Reply = readonly [step: string, ...words: string[]];

export class WorkflowHarness implements AsyncDisposable {
  readonly user: SandboxedHarness;
  readonly server: ModelServer;
  readonly #bin: AsyncDisposable;

  private constructor(user: SandboxedHarness, server: ModelServer, bin: AsyncDisposable) {
    this.user = user;
    this.server = server;
    this.#bin = bin;
  }

  /** `real` says which CLI plays a role. A program plays every other role. */
  static async create(real: Readonly<Record<string, CliName>>): Promise<WorkflowHarness> {
    const server = await ModelServer.start({ keys: [SECRET], script: playWorkflow });
    const bin = await tempDir();
    await writeFile(join(bin.path, 'gh'), GH);
    await chmod(join(bin.path, 'gh'), 0o755);
    const agents = [...new Set(Object.values(real))].map((cli) => ({
      ...{ id: cli, cli },
      ...(MODELS[cli] === null ? {} : { model: MODELS[cli] }),
    }));
    const user = await SandboxedHarness.create({
      path: [bin.path, BIN],
      env: providerEnv(server.url),
      config: {
        agents: [...agents, { id: SCRIPTED, cli: 'scripted' }],
        sandbox: { backend: 'bubblewrap' },
        gates: GATES,
        git: { pull_requests: true },
      },
    });
    const roles = ROLES.map((role) => [
      `roles/${role}.yaml`,
      `extends: ${role}\ncli: ${real[role] ?? SCRIPTED}\n`,
    ]);
    await write(user.home, Object.fromEntries(roles));
    await write(user.project, FILES);
    user.git('add', '--all');
    user.git('commit', '--quiet', '-m', 'second');
    user.git('init', '--quiet', '--bare', join(user.root, 'remote'));
    user.git('remote', 'add', 'origin', join(user.root, 'remote'));
    return new WorkflowHarness(user, server, bin);
  }

  /** Starts the workflow, and answers each of its questions, which must come in this order. */
  async run(workflow: string, replies: readonly Reply[]): Promise<string> {
    const { client, project } = this.user;
    const { id } = await client.submit({ task: 'Write add.', project, workflow });
    for (const [step, ...words] of replies) {
      const asking = await this.#asks(id);
      assert.equal(asking, step, await this.user.type('status', id));
      const [verb = '', ...rest] = words;
      const said = await this.user.type(verb, id, ...rest);
      assert.doesNotMatch(said, /^error/m);
    }
    assert.equal(await this.#asks(id), undefined, await this.user.type('status', id));
    return id;
  }

  /** The step that asks. Undefined: the workflow has ended. */
  async #asks(id: string): Promise<string | undefined> {
    let step: string | undefined;
    const isKnown = async (): Promise<boolean> => {
      const { open, outcome } = await this.user.client.run(id);
      const asked = open.find(({ command }) => command === 'ask');
      step = /^ask-(?<step>.+)-\d+$/.exec(asked?.key ?? '')?.groups?.['step'];
      return outcome !== null || step !== undefined;
    };
    await eventually(`run ${id} asks or ends`, isKnown, WITHIN_MS);
    return step;
  }

  /**
   * The journal has the end of each command, of each run of a step, and of the workflow, which succeeded. The right
   * agent played each role, and no other one stepped in.
   */
  async assertWhole(
    facts: readonly StoredEvent[],
    real: Readonly<Record<string, CliName>>,
  ): Promise<void> {
    const last = facts.at(-1);
    assert.ok(last?.type === 'run.ended', JSON.stringify(last));
    assert.equal(last.payload.outcome.kind, 'succeeded', last.payload.outcome.reason);
    const runs = runsOf(facts, '');
    const parts = await Promise.all(runs.map((run) => this.user.factsOf(run)));
    assert.deepEqual([facts, ...parts].flatMap(openIn), []);
    assert.ok(parts.every((part) => part.at(-1)?.type === 'run.ended'));
    const played = parts.flatMap(playersIn);
    assert.ok(played.length > 0);
    for (const [role, agent] of played) assert.equal(agent, real[role] ?? SCRIPTED, role);
  }

  /** The branch with the one commit that the workflow made. */
  committed(run: string): string {
    const { user } = this;
    const refs = user.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/ai/');
    const [branch = '', ...more] = refs.trim().split('\n');
    assert.deepEqual(more, []);
    assert.match(branch, /^ai\/[0-9a-f]{6}-write-add$/);
    assert.equal(user.git('rev-list', '--count', `HEAD..${branch}`), '1\n');
    const trailers = `^Supervisor-Run: ${run}\nSupervisor-Outcome: verified$`;
    assert.match(user.git('log', '-1', '--format=%B', branch), new RegExp(trailers, 'm'));
    return branch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.user[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    await this.#bin[Symbol.asyncDispose]();
  }
}

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** What the workflow did, in order: the runs of its steps, its gates, its questions and its commits. */
export function tracedIn(facts: readonly StoredEvent[]): readonly string[] {
  return keysOf(facts, 'command.begun').flatMap((key) => {
    const { kind = '', step = '', role } = TRACED.exec(key)?.groups ?? {};
    if (kind === '') return [];
    const by = role === undefined ? '' : ` by ${role}`;
    return [`${kind === 'prepare' ? '' : `${kind} `}${step}${by}`];
  });
}

/** Two reviews are prepared in their order, and begin in any. */
const TRACED =
  /^(?<kind>prepare|gate|ask|commit)-(?<step>[a-z-]+?)-\d+(?:-\d+)?(?:-(?<role>[a-z-]+))?$/;

/** Which agent played which role in the attempts of a run. */
function playersIn(facts: readonly StoredEvent[]): readonly (readonly [string, string])[] {
  const [first] = facts;
  if (first?.type !== 'run.submitted' || !('brief' in first.payload.settings)) return [];
  const { role } = first.payload.settings.brief;
  return facts.flatMap((fact) => {
    if (fact.type !== 'command.begun' || !('agent' in fact.payload.input)) return [];
    const { agent } = fact.payload.input;
    return typeof agent === 'string' ? [] : [[role, agent.id] as const];
  });
}

/** Commands that began and did not end, which the journal of an ended run never has. */
function openIn(facts: readonly StoredEvent[]): readonly string[] {
  const ended = new Set(keysOf(facts, 'command.ended'));
  return keysOf(facts, 'command.begun').filter((key) => !ended.has(key));
}

function keysOf(
  facts: readonly StoredEvent[],
  type: 'command.begun' | 'command.ended',
): readonly string[] {
  return facts.flatMap((fact) => (fact.type === type ? [fact.payload.key] : []));
}

/** The runs that steps of this name started, in order. Without a name: of all steps. */
export function runsOf(facts: readonly StoredEvent[], step: string): readonly string[] {
  return facts.flatMap((fact) => {
    if (
      fact.type !== 'command.begun' ||
      !fact.payload.key.startsWith(step === '' ? 'step-' : `step-${step}-`)
    )
      return [];
    return 'submission' in fact.payload.input ? [fact.payload.input.run] : [];
  });
}

/** The verdicts of all gates, in order. */
export function verdictsIn(facts: readonly StoredEvent[]): readonly unknown[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.ended' &&
    fact.payload.command === 'gate' &&
    fact.payload.end.kind === 'done'
      ? [fact.payload.end.result.kind]
      : [],
  );
}
