/**
 * Budgets, pauses and secrets of contained agents. The agents are a line of shell and call models
 * with curl.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { ModelCallDocument } from '../../src/public-json/model-call-document.ts';
import { InboxDocument } from '../../src/public-json/reading-documents.ts';
import { eventually } from '../support/eventually.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { notesOf, resultOf, SECRET, SandboxedHarness } from './sandboxed-harness.ts';
import { namesBelow } from '../names-below.ts';

const missing = ['bwrap', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;

const USAGE = { inputTokens: 1000, cachedTokens: 0, outputTokens: 100, reasoningTokens: 0 };

function strict(): Promise<ModelServer> {
  return ModelServer.start({
    keys: [SECRET],
    script: { steps: [{ text: 'Good.', usage: USAGE }] },
  });
}

/** A shell function that calls a model once, and prints the status. */
function asking(prompt = 'hello'): string {
  const { path, body } = questionOn('openai-chat', prompt);
  return `
    ask() {
      curl -s -o answer -w '%{http_code}\n' "$\{OPENAI_BASE_URL%/v1}${path}" \
        -H 'content-type: application/json' -H "authorization: Bearer $OPENAI_API_KEY" \
        -d '${JSON.stringify(body)}'
    }
  `.replaceAll('$\\{', '${');
}

type Wishes = {
  readonly url: string;
  readonly env?: Record<string, string>;
  readonly more?: object;
};

function harnessWith(
  script: string,
  { url, env = {}, more = {} }: Wishes,
): Promise<SandboxedHarness> {
  const agents = [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', script], env }];
  return SandboxedHarness.create({
    config: { agents, ...more },
    env: { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${url}/v1` },
  });
}

async function printed(at: SandboxedHarness, run: string): Promise<string> {
  let text = '';
  for await (const chunk of at.client.output.raw(run, {})) text += chunk.text;
  return text;
}

/** Waits until the run asks a question. */
async function asksIn(at: SandboxedHarness, run: string): Promise<void> {
  await eventually('it asks', async () =>
    (await at.client.run(run)).open.some(({ command }) => command === 'ask'),
  );
}

describe('a budget', { skip, timeout: 300_000 }, () => {
  test("ends the attempt with the call that it can't pay, asks, and continues after the answer", async () => {
    await using server = await strict();
    const script = `${asking()} ask; ask; ask; ask; sleep 600`;
    await using at = await harnessWith(script, { url: server.url, more: { budget: { calls: 2 } } });
    const run = await at.submit('mine');
    await asksIn(at, run);
    assert.equal(server.journal().length, 2);
    const { budget } = await at.client.run(run);
    assert.deepEqual([budget.spent.calls, budget.spent.tokens], [2, 2200]);
    assert.ok(budget.spent.usd > 0);
    assert.match(await at.type('status', run), /awaiting_input/);
    const shown = await at.type('inbox');
    assert.match(shown, new RegExp(`^${run} `));
    assert.match(
      shown,
      /Answer with one of continue, stop\. For example: supervisor answer [0-9a-f]+ continue\n/,
    );
    assert.match(
      await at.type('answer', run, 'perhaps'),
      /error: .*\nAnswer with one of: continue, stop/,
    );
    assert.match(
      await at.type('answer', run, 'continue', '--budget-usd', '2'),
      /error: .*is not waiting for a budget in US dollars/,
    );

    await at.closeOwner();
    await at.openOwner();
    await at.type('answer', run, 'continue');
    await eventually('the next two calls', () => server.journal().length === 4);
    await eventually('it asks again', async () => (await at.client.inbox()).length === 1);
    assert.equal(server.journal().length, 4);
    const { questions } = InboxDocument.parse(JSON.parse(await at.type('inbox', '--json')));
    assert.equal(questions[0]?.run_id, run);
    await at.type('answer', run, 'stop');
    const facts = await at.factsOf(run);
    assert.equal(facts.at(-1)?.type, 'run.ended');
    assert.equal((await at.client.run(run)).outcome?.kind, 'cancelled');
    assert.deepEqual(notesOf(facts, 'over-budget').slice(1), [
      { kind: 'over-budget', scope: 'run', limit: 'calls', because: 'spent', cap: 2 },
    ]);
    assert.match(await at.type('inbox'), /^No open questions\. /);
  });

  test('in money is raised by the sum that the answer names', async () => {
    await using server = await strict();
    const script = `${asking()} while test "$(ask)" = 200; do :; done; sleep 600`;
    await using at = await harnessWith(script, { url: server.url });
    const run = await at.submit('mine', { set: ['budget.usd=0.1'] });
    await asksIn(at, run);
    const { spent } = (await at.client.run(run)).budget;
    const inbox = (await at.type('inbox')).replaceAll(/\s+/g, ' ');
    assert.match(
      inbox,
      /the next call: \$0\.\d+ of \$0\.1000 is used, \$0\.\d+ is left, and the call may cost up to \$\d+\.\d+/,
    );
    for (const words of [['inbox'], ['why', run], ['status', run]])
      assert.match(
        await at.type(...words),
        new RegExp(`supervisor answer ${run} continue --budget-usd \\d+\\.\\d+\\.`),
        words[0],
      );
    assert.match(await at.type('status', run), /budget +\$0\.\d\d of \$0\.10 spent, /);
    assert.ok(spent.usd > 0.05 && spent.usd <= 0.1, `${spent.usd}`);
    await at.type('answer', run, 'continue', '--budget-usd', '0.04');
    await eventually('it asks again', async () => (await at.client.inbox()).length === 1);
    const { budget } = await at.client.run(run);
    assert.equal(budget.raised.run.usd, 0.04);
    assert.ok(budget.spent.usd > spent.usd && budget.spent.usd <= 0.14, `${budget.spent.usd}`);
    await at.type('stop', run);
  });

  test('of a project holds for all of its runs, and across owners', async () => {
    await using server = await strict();
    const script = `${asking()} test "$(ask)" = 200 && test "$(ask)" = 200 || sleep 600`;
    await using at = await harnessWith(script, {
      url: server.url,
      more: { budget: { project: { calls: 3 } } },
    });
    const first = await at.submit('mine');
    await at.factsOf(first);
    assert.equal(server.journal().length, 2);
    await at.closeOwner();
    await at.openOwner();
    const second = await at.submit('mine');
    await asksIn(at, second);
    assert.equal(server.journal().length, 3);
    assert.equal((await at.client.run(second)).budget.over?.scope, 'project');
    await at.type('answer', second, 'continue');
    const facts = await at.factsOf(second);
    assert.equal(facts.at(-1)?.type, 'run.ended');
    assert.equal(server.journal().length, 5);
  });
});

test(
  'a resumed run continues with the budget of the first run',
  { skip, timeout: 300_000 },
  async () => {
    await using server = await strict();
    const script = `${asking()} ask; ask; sleep 600`;
    await using at = await harnessWith(script, { url: server.url, more: { budget: { calls: 3 } } });
    const run = await at.submit('mine');
    const isSpent = async (): Promise<boolean> =>
      (await at.client.run(run)).budget.spent.calls === 2;
    await eventually('two calls', isSpent);
    await at.client.signal(run, { kind: 'stop' });
    await at.factsOf(run);
    const { id } = await at.client.resume(run);
    await asksIn(at, id);
    assert.equal(server.journal().length, 3);
    const { budget } = await at.client.run(id);
    assert.deepEqual(
      [budget.spent.calls, budget.before.calls, budget.over?.limit],
      [3, 2, 'calls'],
    );
    assert.match(
      await at.type('status', id),
      /before .* 2 calls by run [0-9a-f]{10}, which it continues/,
    );
    await at.type('answer', id, 'continue');
    await eventually('it goes on', () => server.journal().length === 5);
    await at.type('stop', id);
  },
);

describe('a pause', { skip, timeout: 300_000 }, () => {
  test('holds the next model call of a working agent until it is unpaused', async () => {
    await using server = await strict();
    const script = `${asking()}
      ask; touch once; while [ ! -e go ]; do sleep 0.1; done
      ask >second & sleep 2; touch waited; wait; cat second; echo over`;
    await using at = await harnessWith(script, { url: server.url });
    const run = await at.submit('mine');
    const tree = async (): Promise<string> => {
      const names = await namesBelow(at.home);
      return join(at.home, names.find((name) => name.endsWith('/1/work')) ?? '');
    };
    await eventually('its first call', async () => existsSync(join(await tree(), 'once')));
    assert.match(await at.type('pause', run), /paused/);
    await writeFile(join(await tree(), 'go'), '');
    await eventually('its second call', async () => existsSync(join(await tree(), 'waited')));
    assert.match(await at.type('status', run), /paused/);
    assert.equal(server.journal().length, 1);
    assert.match(await at.type('unpause', run), /running/);
    const facts = await at.factsOf(run);
    assert.equal(server.journal().length, 2);
    assert.equal(facts.at(-1)?.type, 'run.ended');
    assert.match(await printed(at, run), /^200\n200\nover$/m);
  });

  test('outlives its owner, and a stop ends it', async () => {
    await using server = await strict();
    await using at = await harnessWith('sleep 600', { url: server.url });
    const run = await at.submit('mine');
    await eventually('it begins', async () => (await at.client.run(run)).open.length > 0);
    await at.type('pause', run);
    await at.closeOwner();
    await at.openOwner();
    const view = await at.client.run(run);
    assert.deepEqual([view.pausedAt !== null, view.open], [true, []]);
    await at.type('stop', run);
    assert.equal((await at.client.run(run)).outcome?.kind, 'cancelled');
  });
});

test(
  'case 23: the calls of an attempt are recorded, and shown on demand',
  { skip, timeout: 300_000 },
  async () => {
    await using server = await strict();
    const env = { MY_TOKEN: 'tell-nobody-of-this' };
    const script = `${asking('my word is tell-nobody-of-this')} ask; ask`;
    await using at = await harnessWith(script, { url: server.url, env });
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    assert.deepEqual(notesOf(facts, 'recorded'), [{ kind: 'recorded', calls: 2, leftOut: 0 }]);
    const lines = (await at.type('logs', run, '--calls')).trim().split('\n');
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /main gpt-5\.5 {2}200 answered {2}1000 tokens in, 100 out/);
    const [whole = ''] = (await at.type('logs', run, '--calls', '--json')).split('\n');
    const record = ModelCallDocument.parse(JSON.parse(whole));
    assert.match(record.request, /my word is \[redacted\]/);
  },
);

/** The files under a folder that contain any of the texts, in any encoding. */
async function filesWith(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path === join(folder, 'config.yaml')) continue; // written by the user
    const bytes = await readFile(path);
    for (const text of texts) if (bytes.includes(text)) found.push(`${path}: ${text}`);
  }
  return found;
}

test(
  'case 17: a secret that an agent prints in every form is found nowhere in stored data',
  { skip, timeout: 300_000 },
  async () => {
    await using server = await strict();
    const word = 'Tr0ub4dor+and/3 more=words';
    const forge = `ghp_${'a1B2'.repeat(9)}`;
    const script = `${asking('say WORD').replace('WORD', `'"$MY_TOKEN"'`)}
      ask
      for word in "$MY_TOKEN" "$OPENAI_API_KEY"; do
        echo "plain $word"
        echo "plain $word" >&2
        printf %s "$word" | base64 -w0; echo
        printf 'x%s' "$word" | base64 -w0; echo
        printf 'xy%sz' "$word" | base64 -w0 | tr '+/' '-_'; echo
        printf %s "$word" | od -An -tx1 | tr -d ' \\n'; echo
        printf %s "$word" | od -An -tx1 | tr -d ' \\n' | tr a-f A-F; echo
        printf %s "$word" | od -An -tx1 | tr -d '\\n' | tr ' ' '%'; echo
        printf %s "\${word:0:9}"; sleep 0.2; echo "\${word:9}"
      done
      echo ${forge.slice(0, 12)}''${forge.slice(12)}
      cat answer; echo
      echo "the last word is $MY_TOKEN"`;
    await using at = await harnessWith(script, { url: server.url, env: { MY_TOKEN: word } });
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    assert.match(String(resultOf(facts)['summary']), /^200\nplain \[redacted\]\n/);
    const text = await printed(at, run);
    assert.match(text, /^plain \[redacted\]$/m);
    assert.match(text, /^the last word is \[redacted\]$/m);
    assert.match(await at.type('logs', run, '--calls', '--json'), /say \[redacted\]/);
    const bytes = Buffer.from(word);
    const forms = [
      word,
      JSON.stringify(word).slice(1, -1),
      bytes.toString('base64').slice(0, -4),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      bytes.toString('hex').replaceAll(/../g, '%$&'),
      SECRET,
      Buffer.from(SECRET).toString('base64').slice(0, -4),
      Buffer.from(SECRET).toString('hex'),
      forge,
    ];
    const live = await filesWith(at.home, forms);
    await at.closeOwner();
    assert.deepEqual([...live, ...(await filesWith(at.home, forms))], []);
    assert.equal(existsSync(join(at.home, 'journal.db')), true);
    await at.openOwner();
  },
);

test('a resumed run whose secret is missing asks for it', { skip, timeout: 300_000 }, async () => {
  await using server = await strict();
  const env = { MY_TOKEN: 'tell-nobody-of-this' };
  await using at = await harnessWith('sleep 600', { url: server.url, env });
  const run = await at.submit('mine');
  await eventually('it begins', async () => (await at.client.run(run)).open.length > 0);
  await at.closeOwner();
  const agents = [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', 'sleep 600'] }];
  await writeFile(join(at.home, 'config.yaml'), JSON.stringify({ agents }));
  await at.openOwner();
  const question = async (): Promise<string> => {
    const { open } = await at.client.run(run);
    return open.map((command) => command.question ?? '').join('');
  };
  await eventually('it asks', async () => (await question()) !== '');
  assert.match(await question(), /MY_TOKEN/);
});
