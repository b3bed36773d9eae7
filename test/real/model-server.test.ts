/**
 * The real CLIs prove the model server. Each does a task through it with its own tools, continues
 * the conversation in a second process, and reports a failure as a failure.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';

import type { Fault } from '../../src/testing/model-server/model-faults.ts';
import type { RecordedExchange } from '../../src/testing/model-server/request-journal.ts';
import type { RuleName } from '../../src/testing/model-server/model-server.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import { commandOf, conversationIn, RECIPES } from './clis.ts';
import { makePlace, runCli } from './run-cli.ts';

/**
 * What each CLI sends on `--resume` that the real API refuses. Gemini CLI repeats every function
 * response; Copilot leaves its own note in tool messages. When a CLI is fixed, its test turns red.
 */
const BROKEN_ON_RESUME: Readonly<Record<CliName, readonly RuleName[]>> = {
  claude: [],
  codex: [],
  gemini: ['gemini:as-many-responses-as-calls', 'gemini:responses-match-calls'],
  copilot: ['openai-chat:known-message-keys'],
  opencode: [],
};

const TIMEOUT_MS = 240_000; // two runs, each bounded by half of it

function isMissing(t: TestContext, cli: CliName): boolean {
  if (commandOf(cli) !== undefined) return false;
  const words = `missing: ${cli}; install with npm ci --prefix test/real`;
  if (process.env['CI'] !== undefined) assert.fail(words);
  t.skip(words);
  return true;
}

function mainCalls(server: ModelServer): readonly RecordedExchange[] {
  return server.journal().filter(({ kind }) => kind === 'main');
}

for (const cli of Object.keys(RECIPES) as CliName[]) {
  const recipe = RECIPES[cli];

  describe(cli, () => {
    test('writes a file, stops, and continues when resumed', { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      const thought = 'A file is wanted.';
      const write = (file: string) => recipe.write(file, `from ${file}`, place);
      await using server = await ModelServer.start({
        script: [
          {
            when: 'second task',
            steps: [{ thought, calls: [write('two.txt')] }, { text: 'Both done.' }],
          },
          {
            when: 'first task',
            steps: [{ thought, calls: [write('one.txt')] }, { text: 'One done.' }],
          },
        ],
        tolerate: BROKEN_ON_RESUME[cli],
      });

      const first = await runCli(cli, 'This is the first task.', place, server.url);
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /One done\./);
      assert.equal((await readFile(join(place.cwd, 'one.txt'), 'utf8')).trim(), 'from one.txt');
      assert.deepEqual(mainCalls(server).map(brief), [
        { wire: recipe.wire, answered: { kind: 'step', step: 0 }, tolerated: [] },
        { wire: recipe.wire, answered: { kind: 'step', step: 1 }, tolerated: [] },
      ]);

      const id = conversationIn(first.stdout);
      const second = await runCli(cli, 'This is the second task.', place, server.url, id);
      assert.equal(second.code, 0, second.stderr);
      assert.match(second.stdout, /Both done\./);
      assert.equal((await readFile(join(place.cwd, 'two.txt'), 'utf8')).trim(), 'from two.txt');
      const tolerated = BROKEN_ON_RESUME[cli];
      assert.deepEqual(mainCalls(server).slice(2).map(brief), [
        { wire: recipe.wire, answered: { kind: 'step', step: 0 }, tolerated },
        { wire: recipe.wire, answered: { kind: 'step', step: 1 }, tolerated },
      ]);
      const refused = server.journal().filter(({ answered }) => answered.kind === 'refused');
      assert.deepEqual(refused, []);
    });

    test('fails when the provider requires payment', { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      await using server = await ModelServer.start({
        script: { steps: [{ text: 'Never said.' }] },
        faults: [{ fault: { kind: 'credit' } }],
      });
      const run = await runCli(cli, 'This will not work.', place, server.url);
      assert.notEqual(run.code, 0);
      assert.match(run.stdout + run.stderr, /credit balance|billing/i);
      assert.doesNotMatch(run.stdout, /Never said\./);
      assert.deepEqual(mainCalls(server).map(brief), [
        {
          wire: recipe.wire,
          answered: { kind: 'fault', fault: 'credit', step: 0 },
          tolerated: [],
        },
      ]);
    });
  });
}

function brief({ wire, answered, tolerated }: RecordedExchange) {
  return { wire, answered, tolerated };
}

/** The CLI decides about retries. The server answers a retry with the same step. */
describe('a short fault', () => {
  const cases: [cli: CliName, fault: Fault][] = [
    ['claude', { kind: 'cut' }],
    ['claude', { kind: 'overloaded' }],
    ['codex', { kind: 'cut' }],
    ['codex', { kind: 'unavailable' }],
    ['copilot', { kind: 'error-event' }],
  ];
  for (const [cli, fault] of cases)
    test(`${fault.kind}: ${cli} tries again and continues`, { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      const write = RECIPES[cli].write('one.txt', 'one', place);
      await using server = await ModelServer.start({
        script: { steps: [{ calls: [write] }, { text: 'One done.' }] },
        faults: [{ fault, at: { step: 1 }, times: 1 }],
      });
      const run = await runCli(cli, 'This is a task.', place, server.url);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stdout, /One done\./);
      assert.deepEqual(
        mainCalls(server).map(({ answered }) => answered),
        [
          { kind: 'step', step: 0 },
          { kind: 'fault', fault: fault.kind, step: 1 },
          { kind: 'step', step: 1 },
        ],
      );
    });
});
