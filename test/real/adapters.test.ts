/**
 * The adapters with the real CLIs: prompts arrive whole, tools run, and conversations continue.
 * Also behaviour that no transcript shows: which signals end a CLI, and which CLI waits for ever.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { AttemptOutcome } from '../../src/protocol/contracts/attempt-contract.ts';
import { eventually } from '../support/eventually.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { RuleName } from '../../src/testing/model-server/model-server.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import type { CliName, Place } from './clis.ts';
import { commandOf, RECIPES } from './clis.ts';
import { startAgent, storyOf } from './run-agent.ts';
import { makePlace } from './run-cli.ts';

const TIMEOUT_MS = 240_000;
const STARTS_MS = 60_000;
/** The real API refuses the requests of these two after a resume; see `model-server.test.ts`. */
const BROKEN_ON_RESUME: readonly RuleName[] = [
  'gemini:as-many-responses-as-calls',
  'gemini:responses-match-calls',
  'openai-chat:known-message-keys',
];

/** A command that reports that it has begun, and then runs for a while. */
function sleeping(cli: CliName): ToolCall {
  const command = 'touch started; sleep 300';
  switch (cli) {
    case 'claude':
      return { name: 'Bash', args: { command, description: 'wait', timeout: 400_000 } };
    case 'codex':
      return { name: 'exec_command', args: { cmd: command, yield_time_ms: 200_000 } };
    case 'gemini':
      return { name: 'run_shell_command', args: { command, description: 'wait' } };
    case 'copilot':
      return { name: 'bash', args: { command, description: 'wait', initial_wait: 200 } };
    case 'opencode':
      return { name: 'bash', args: { command, description: 'wait', timeout: 400_000 } };
  }
}

function isMissing(t: TestContext, cli: CliName): boolean {
  if (commandOf(cli) !== undefined) return false;
  const words = `missing: ${cli}; install with npm ci --prefix test/real`;
  if (process.env['CI'] !== undefined) assert.fail(words);
  t.skip(words);
  return true;
}

function reasonOf(end: AttemptOutcome): string {
  return end.kind === 'failed' ? end.reason : end.kind;
}

async function startSleeping(cli: CliName, place: Place, server: ModelServer) {
  const run = await startAgent(cli, place, server.url);
  await eventually('the tool runs', () => existsSync(join(place.cwd, 'started')), STARTS_MS);
  return run;
}

for (const cli of Object.keys(RECIPES) as CliName[]) {
  describe(cli, () => {
    test(
      '3: takes a long and strange prompt whole, works, and continues',
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        await using place = await makePlace();
        const prompt = `/clear "a" 'b' \`c\` $HOME \\n é \t @none !ls\n${'x'.repeat(200_000)}\nEND`;
        await using server = await ModelServer.start({
          script: [
            { when: 'And now the second', steps: [{ text: 'Both done.' }] },
            {
              steps: [
                { calls: [RECIPES[cli].write('one.txt', 'from one', place)] },
                { text: 'All done.' },
              ],
            },
          ],
          tolerate: [...BROKEN_ON_RESUME],
        });
        const first = await startAgent(cli, place, server.url, { prompt });
        const { exit, end } = await first.classified();
        assert.deepEqual(
          [exit, end.kind],
          [{ kind: 'code', code: 0 }, 'completed'],
          JSON.stringify(end),
        );
        assert.equal((await readFile(join(place.cwd, 'one.txt'), 'utf8')).trim(), 'from one');
        const sent = JSON.stringify(server.journal().find(({ kind }) => kind === 'main')?.body);
        assert.ok(sent.includes(JSON.stringify(prompt).slice(1, -1)), 'the prompt arrived whole');
        const story = storyOf(first);
        assert.deepEqual([story.toolsUsed, story.toolsOpen, story.lastWords], [1, 0, 'All done.']);
        assert.ok(story.session !== null);

        const rest = { prompt: 'And now the second.', resume: story.session };
        const second = await startAgent(cli, place, server.url, rest);
        const ended = await second.classified();
        assert.equal(ended.end.kind, 'completed', JSON.stringify(ended.end));
        assert.equal(storyOf(second).lastWords, 'Both done.');
        const last = JSON.stringify(server.journal().findLast(({ kind }) => kind === 'main')?.body);
        assert.ok(last.includes('from one') && last.includes('END'), 'it remembers');
      },
    );

    test(
      '4 to 6: asked to end, it ends with its tool, and does not count as done',
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        await using place = await makePlace();
        await using server = await ModelServer.start({
          script: { steps: [{ calls: [sleeping(cli)] }] },
        });
        const run = await startSleeping(cli, place, server);
        await run.stop();
        const { end } = await run.classified();
        assert.equal(reasonOf(end), 'killed', JSON.stringify(end));
        assert.equal(run.group.left, 0);
      },
    );

    test('4: killed at once, it leaves no tool behind', { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      await using server = await ModelServer.start({
        script: { steps: [{ calls: [sleeping(cli)] }] },
      });
      const run = await startSleeping(cli, place, server);
      process.kill(run.group.leader?.pid ?? Number.NaN, 'SIGKILL');
      const { exit, end } = await run.classified();
      assert.deepEqual([exit, reasonOf(end)], [{ kind: 'signal', signal: 'SIGKILL' }, 'killed']);
      assert.equal(run.group.left, 0);
    });
  });
}

test('7: opencode that retries for ever is noticed', { timeout: TIMEOUT_MS }, async (t) => {
  if (isMissing(t, 'opencode')) return;
  await using place = await makePlace();
  await using server = await ModelServer.start({
    script: { steps: [{ text: 'never' }] },
    faults: [{ fault: { kind: 'empty' } }],
  });
  const run = await startAgent('opencode', place, server.url);
  const retries = () => run.events.filter(({ kind }) => kind === 'retrying').length;
  await eventually('three steps without an answer', () => retries() >= 3, STARTS_MS);
  await run.group.kill();
  assert.equal(reasonOf((await run.classified()).end), 'invalid_output');
});

describe('8: CLIs that wait in silence', () => {
  test('Codex gives up on a server that is down', { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, 'codex')) return;
    await using place = await makePlace();
    const run = await startAgent('codex', place, 'http://127.0.0.1:9');
    const { exit, end } = await run.classified();
    assert.deepEqual([exit, reasonOf(end)], [{ kind: 'code', code: 1 }, 'network']);
  });

  test('Codex that would wait for an hour reports it, once', { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, 'codex')) return;
    await using place = await makePlace();
    await using server = await ModelServer.start({
      script: { steps: [{ text: 'never' }] },
      faults: [{ fault: { kind: 'rate-limit', retryAfterS: 3600 } }],
    });
    const run = await startAgent('codex', place, server.url);
    await eventually('it tells', () => storyOf(run).retrying?.status === 429, STARTS_MS);
    await run.stop();
    assert.equal(reasonOf((await run.classified('deadline')).end), 'rate_limited');
  });

  for (const cli of ['claude', 'gemini'] as const)
    test(`${cli} gives up on a bad key at once`, { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      await using server = await ModelServer.start({
        script: { steps: [{ text: 'never' }] },
        faults: [{ fault: { kind: 'bad-key' } }],
      });
      const { end } = await (await startAgent(cli, place, server.url)).classified();
      assert.equal(reasonOf(end), 'auth');
      assert.ok(server.journal().filter(({ kind }) => kind === 'main').length <= 2);
    });
});

test(
  'a plain profile offers Claude and Copilot no subagents',
  { timeout: TIMEOUT_MS },
  async (t) => {
    for (const cli of ['claude', 'copilot'] as const) {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      await using server = await ModelServer.start({ script: { steps: [{ text: 'Done.' }] } });
      await (await startAgent(cli, place, server.url)).classified();
      const sent = JSON.stringify(server.journal().find(({ kind }) => kind === 'main')?.body);
      assert.doesNotMatch(
        sent,
        /"name":"(?:Cron\w+|ScheduleWakeup|EnterWorktree|Workflow|SendMessage|Monitor|ListAgents|write_agent|read_agent|list_agents)"/,
      );
    }
  },
);
