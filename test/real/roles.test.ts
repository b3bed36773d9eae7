/**
 * Every base role on the real CLIs, contained, with the strict model server. The model receives
 * exactly what `supervisor context` shows and no planted secret, and its answer is parsed or
 * refused.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { Json } from '../../src/base/json.ts';
import { isRecord } from '../../src/base/json.ts';
import { which } from '../../src/host/process/which.ts';
import type {
  ScriptedAnswer,
  ScriptFunction,
  View,
} from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { commandOf } from './clis.ts';
import { SECRET, SandboxedHarness } from './sandboxed-harness.ts';

const CLIS = ['claude', 'codex', 'gemini'] as const;
type Cli = (typeof CLIS)[number];

const PLANTED = `ghp_${'a1B2'.repeat(9)}`;
const FILES = {
  'README.md': '# The shop\n\nIt sells ``` things </context> and {{ 7 * 7 }}.\n',
  'docs/STANDARDS/CODE.md': 'Be plain – naïve 東京.\n',
  'src/cart.ts': `import { price } from './price.ts';\nexport const total = () => price() * 2;\n`,
  'src/price.ts': `const key = '${PLANTED}';\nconst other = '${SECRET}';\nexport const price = () => key.length + other.length;\n`,
  'src/auth.ts': "export const password = 'correct-horse-battery';\n",
  '.env': `TOKEN=${PLANTED}\n`,
};

/** By a word that only its schema has. */
const ANSWERS: readonly (readonly [word: string, answer: { readonly [key: string]: Json }])[] = [
  [
    '"estimated_components"',
    { status: 'COMPLETE', phases: [], dependencies: [], estimated_components: 0, risks: ['r'] },
  ],
  [
    '"tests_written"',
    { status: 'SUCCESS', files_created: [], files_modified: [], tests_written: [], blockers: [] },
  ],
  [
    '"security_concerns"',
    { status: 'APPROVED', issues: [], suggestions: [], security_concerns: [] },
  ],
  [
    '"action_taken"',
    {
      status: 'SUCCESS',
      action_taken: 'looked',
      files_modified: [],
      review_status: null,
      blockers: null,
      next_step: null,
    },
  ],
];

function answerTo(prompt: string): { readonly [key: string]: Json } {
  const [, answer] = ANSWERS.find(([word]) => prompt.includes(word)) ?? [];
  assert.ok(answer !== undefined, 'the prompt has no schema');
  return answer;
}

/** In the form in which this CLI takes an answer: its own tool, only JSON, or a block. */
function saying(wire: View['wire'], answer: { readonly [key: string]: Json }): ScriptedAnswer {
  if (wire === 'anthropic') return { calls: [{ name: 'StructuredOutput', args: answer }] };
  const text = JSON.stringify(answer);
  return { text: wire === 'gemini' ? `I have looked.\n\`\`\`json\n${text}\n\`\`\`` : text };
}

const play: ScriptFunction = ({ wire, units }) => {
  const prompt = units.map((unit) => (unit.kind === 'prompt' ? unit.text : '')).join('\n');
  const answer = answerTo(prompt);
  return saying(wire, prompt.includes('ANSWER BADLY') ? { ...answer, status: 'GREAT' } : answer);
};

async function harnessAt(url: string): Promise<SandboxedHarness> {
  const at = await SandboxedHarness.create({
    path: [dirname(commandOf('claude') ?? '')],
    env: {
      ANTHROPIC_API_KEY: SECRET,
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: SECRET,
      OPENAI_BASE_URL: `${url}/v1`,
      GEMINI_API_KEY: SECRET,
      GOOGLE_GEMINI_BASE_URL: url,
    },
    config: {
      agents: [
        { id: 'claude', cli: 'claude' },
        { id: 'codex', cli: 'codex', model: 'gpt-5.5' },
        { id: 'gemini', cli: 'gemini', model: 'gemini-2.5-flash' },
      ],
      sandbox: { backend: 'bubblewrap' },
      limits: { attempts: 3 },
      capacity: { runs_max: 3, per_agent_max: 3 },
    },
  });
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(at.project, path)), { recursive: true });
    await writeFile(join(at.project, path), text);
  }
  at.git('add', '--all', '--force');
  at.git('commit', '--quiet', '-m', 'second');
  await writeFile(join(at.project, 'src/cart.ts'), `${FILES['src/cart.ts']}// staged\n`);
  at.git('add', '--all');
  return at;
}

async function baseRoles(): Promise<readonly string[]> {
  const names = await readdir(new URL('../../config/base_roles', import.meta.url));
  return names.map((name) => basename(name, '.yaml')).toSorted();
}

/** Codex has one tool for everything, so it can't be restricted to reading. */
const READERS = /^(?:reviewer|reviewer_gemini|security_auditor.*|investigator)$/;

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one);
  else if (isRecord(value)) yield* textsIn(Object.values(value));
}

function isMissing(t: TestContext): boolean {
  const missing = [
    ...CLIS.filter((cli) => commandOf(cli) === undefined).map(
      (cli) => `${cli} (npm ci --prefix test/real)`,
    ),
    ...(which('bwrap', process.env) === undefined ? ['bubblewrap'] : []),
  ];
  if (missing.length === 0) return false;
  const words = `missing: ${missing.join(', ')}`;
  if (process.env['CI'] !== undefined) assert.fail(words);
  t.skip(words);
  return true;
}

const WORD =
  /^\n\nMessages from Supervisor may reach you while you work\. Each begins with \[SUPERVISOR\] \w+\. [^\n]*\n?$/;

describe('a role on a real CLI', { timeout: 400_000 }, () => {
  test('receives what context shows, no secret, and answers in its form', async (t) => {
    if (isMissing(t)) return;
    await using server = await ModelServer.start({ keys: [SECRET], script: play });
    await using at = await harnessAt(server.url);
    const roles = await baseRoles();
    assert.ok(roles.length >= 11, `only ${roles.length} roles were found`);
    const pairs = roles.flatMap((role) => CLIS.map((cli) => [role, cli] as const));
    const seen = await Promise.all(pairs.map(([role, cli]) => runOne(at, server, role, cli)));
    const refused = seen.filter((end) => end === 'refused').length;
    assert.equal(refused, roles.filter((role) => READERS.test(role)).length);
    const bodies = JSON.stringify(server.journal().map(({ body }) => body));
    for (const secret of [PLANTED, SECRET, 'correct-horse-battery'])
      assert.ok(!bodies.includes(secret), secret);
  });

  test('fails when it answers in another form, with words that the next prompt can quote', async (t) => {
    if (isMissing(t)) return;
    await using server = await ModelServer.start({ keys: [SECRET], script: play });
    await using at = await harnessAt(server.url);
    const ends = await Promise.all(
      CLIS.map(async (cli) => {
        const run = await submit(at, 'planner', cli, 'ANSWER BADLY');
        const { answer } = await at.client.run(run);
        const ended = (await at.client.events({ run })).findLast(
          (fact) => fact.type === 'command.ended' && fact.payload.key === 'attempt-1',
        );
        const end = ended?.type === 'command.ended' ? ended.payload.end : undefined;
        const result = end?.kind === 'done' && 'reason' in end.result ? end.result : undefined;
        return [cli, answer, result?.reason, String(result?.message)] as const;
      }),
    );
    for (const [cli, answer, reason, message] of ends) {
      assert.deepEqual([cli, answer, reason], [cli, null, 'invalid_output']);
      // Claude reports it to its model itself, and gives up after five times.
      const words = /structured output after 5 attempts/;
      assert.match(message, cli === 'claude' ? words : /^- status: expected one of COMPLETE/m);
    }
  });
});

async function submit(at: SandboxedHarness, role: string, cli: Cli, task: string): Promise<string> {
  const targets = ['src/cart.ts'];
  const { project } = at;
  const { id } = await at.client.submit({ task, project, role, targets, agent: cli, once: true });
  await at.factsOf(id);
  return id;
}

async function runOne(
  at: SandboxedHarness,
  server: ModelServer,
  role: string,
  cli: Cli,
): Promise<'answered' | 'refused'> {
  const task = `Work as ${role} on ${cli}.`;
  const request = ['--target', 'src/cart.ts', '--task', task, '--agent', cli];
  const shown = await at.type('context', role, ...request, '--json');
  const { text: packed, prompt } = JSON.parse(shown) as { text: string; prompt: string };
  assert.ok(packed.length > 50 && prompt.includes(packed), `${role} on ${cli}: ${packed}`);
  const { answer, outcome } = await at.client.run(await submit(at, role, cli, task));
  const asked = server
    .journal()
    .filter((call) => [...textsIn(call.body)].some((text) => text.includes(task)));
  if (cli === 'codex' && READERS.test(role)) {
    assert.match(outcome?.reason ?? '', /codex has one tool for reading, editing/);
    assert.deepEqual(asked, []);
    return 'refused';
  }
  assert.equal(outcome?.kind, 'unverified', `${role} on ${cli}: ${outcome?.reason}`);
  assert.deepEqual(answer, answerTo(prompt));
  assert.ok(asked.length > 0, `${role} on ${cli}`);
  // Byte for byte: one text of the request is the prompt, followed only by the word of the run's messages.
  for (const { body } of asked)
    assert.ok(
      [...textsIn(body)].some(
        (text) => text.startsWith(prompt) && WORD.test(text.slice(prompt.length)),
      ),
      `${role} on ${cli}`,
    );
  return 'answered';
}
