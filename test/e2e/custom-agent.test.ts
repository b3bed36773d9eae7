/** The guide's example of a custom agent, with a small program that behaves like it. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { eventually } from '../support/eventually.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { readYaml } from '../../src/yaml/read-yaml.ts';
import { toValue } from '../../src/yaml/yaml-tree.ts';
import { documents } from '../docs/markdown.ts';
import { notesOf, resultOf, SECRET, SandboxedHarness } from '../real/sandboxed-harness.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

/**
 * It calls its model twice, stores its conversation in its home, and has its own names for its
 * numbers.
 */
const BOT = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const say = (value) => console.log(JSON.stringify(value));
const folder = process.env.HOME + '/.house-bot';
const { baseUrl, apiKey, model } = JSON.parse(readFileSync(folder + '/settings.json', 'utf8'));
const [, ...args] = process.argv.slice(2);
const going = args[0] === '--continue' ? args[1] : undefined;
const id = going ?? 'talk-0042';
const kept = folder + '/' + id + '.json';
const talk = going === undefined ? [] : JSON.parse(readFileSync(kept, 'utf8'));
talk.push({ role: 'user', content: readFileSync(args.at(-1), 'utf8') });
writeFileSync(kept, JSON.stringify(talk));
console.error('Conversation ' + id + ' saved.');
let [sent, received] = [0, 0];
while (talk.filter(({ role }) => role === 'assistant').length < 2) {
  const answer = await fetch(baseUrl + '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + apiKey },
    body: JSON.stringify({
      model,
      messages: talk,
      tools: [{ type: 'function', function: { name: 'Bash', parameters: { type: 'object', properties: {} } } }],
    }),
  });
  const body = await answer.json();
  if (answer.status !== 200) {
    say({ problem: JSON.stringify(body) });
    process.exit(1);
  }
  sent += body.usage.prompt_tokens;
  received += body.usage.completion_tokens;
  const words = body.choices[0].message.content;
  talk.push({ role: 'assistant', content: words }, { role: 'user', content: 'Go on.' });
  writeFileSync(kept, JSON.stringify(talk));
  writeFileSync('work.txt', words + '\\n', { flag: 'a' });
}
say({ answer: 'I wrote it.', stats: { tokens: { sent, received } } });
`;

/** PATH has a shell script; the package that it starts is in another folder. */
async function installBot(root: string): Promise<string> {
  const files = {
    'pkg/node_modules/house-bot/package.json': '{"type":"module"}',
    'pkg/node_modules/house-bot/cli.js': BOT,
    'bin/house-bot': `#!/bin/sh\nbasedir=$(dirname "$0")\nexec node "$basedir/../pkg/node_modules/house-bot/cli.js" "$@"\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await chmod(join(root, 'bin/house-bot'), 0o755);
  return join(root, 'bin');
}

function exampleOfGuide(): object {
  const guide = documents().find(({ path }) => path === 'docs/guide/agents.md');
  const block = guide?.blocks.find(({ text }) => text.includes('id: house-bot'));
  assert.ok(block !== undefined, 'the example is in the guide');
  const { tree } = readYaml(block.text, (line, column) => ({ file: 'guide', line, column }));
  return toValue(tree) as object;
}

function attemptsOf(facts: readonly StoredEvent[]): readonly AttemptInput[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt' ? [fact.payload.input] : [],
  );
}

describe('the custom agent of the guide', { skip, timeout: 120_000 }, () => {
  test('finds its settings, is counted by its own names, and continues its conversation', async () => {
    await using dir = await tempDir();
    const bin = await installBot(dir.path);
    let nth = 0;
    await using server = await ModelServer.start({
      keys: [SECRET],
      script: () => ({
        text: `words ${(nth += 1)}`,
        usage: { inputTokens: 900, outputTokens: 30 },
      }),
    });
    await using at = await SandboxedHarness.create({
      path: [bin],
      config: { ...exampleOfGuide(), budget: { calls: 1 } },
      env: { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${server.url}/v1` },
    });
    const run = await at.submit('house-bot');
    await eventually('it asks', async () => (await at.client.inbox()).length === 1, 60_000);
    const before = await at.client.events({ run });
    assert.deepEqual(notesOf(before, 'session'), [{ kind: 'session', session: 'talk-0042' }]);
    assert.equal(server.journal().length, 1, 'one call was paid');
    await at.type('answer', run, 'continue');
    const facts = await at.factsOf(run);
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'I wrote it.' },
    });
    assert.deepEqual(
      attemptsOf(facts).map(({ resume }) => resume ?? null),
      [null, 'talk-0042'],
    );
    const { model, body } = server.journal().at(-1) ?? {};
    assert.equal(model, 'gpt-4.1');
    const sent = JSON.stringify(body);
    assert.ok(
      ['words 1', 'Write a file.'].every((words) => sent.includes(words)),
      sent,
    );
    const { usage } = resultOf(facts);
    assert.deepEqual(usage, { inputTokens: 900, outputTokens: 30, costUsd: null });
    await at.client.apply(run);
    assert.match(await readFile(join(at.project, 'work.txt'), 'utf8'), /^words 1\nwords 2\n$/);
  });
});
