/**
 * Real CLIs as long-lived agents in a real sandbox. Each turn continues the conversation of the
 * last, a check verifies "done", and a broken conversation is replaced without a restart.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { AGENT_PROGRAM } from '../../src/protocol/agent-program-name.ts';
import { eventually } from '../support/eventually.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { AGENT_SETTINGS } from '../support/drive-agent.ts';
import type { CliName } from './clis.ts';
import { damage } from './damage.ts';
import { CLIS, harnessFor, isMissing, shellCall } from './sandboxed-clis.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { SECRET } from './sandboxed-harness.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';

const TIMEOUT_MS = 600_000;
const WITHIN_MS = 300_000;

/** Its first turn ends in the middle. The second creates the file, and remembers the first. */
function inTurns(cli: CliName): ScriptFunction {
  return ({ units }) => {
    const all = JSON.stringify(units);
    if (all.includes('It shall be blue.')) {
      if (all.includes('it-is-blue-now')) return { text: 'It is blue.\nDONE' };
      return { calls: [shellCall(cli, 'echo blue >colour.txt; echo it-is-blue'.concat('-now'))] };
    }
    if (!all.includes('Continue with your assignment')) return { text: 'I have half of it.' };
    if (!all.includes('I have half of it.')) return { text: 'I remember nothing.' };
    if (all.includes('it-is-made-now')) return { text: 'NOTE: it was easy\nDONE' };
    const makes = shellCall(cli, 'echo made >made.txt; echo it-is-made'.concat('-now'));
    return { text: 'NOTE: I make it now', calls: [makes] };
  };
}

function turnsOf(facts: readonly StoredEvent[]): readonly AttemptInput[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt' ? [fact.payload.input] : [],
  );
}

/** The notes of a turn, from all of its output. */
function notesOf(facts: readonly StoredEvent[], turn: number): unknown {
  for (const { type, payload } of facts) {
    if (type !== 'command.ended' || payload.key !== `attempt-${turn}`) continue;
    const { command, end } = payload;
    const isDone = command === 'attempt' && end.kind === 'done';
    return isDone && end.result.kind === 'completed' ? end.result.turnNotes?.notes : undefined;
  }
  return undefined;
}

/** The settings of an ordinary run of this agent, and those of a life. */
async function summon(at: SandboxedHarness, cli: CliName): Promise<RunId> {
  const other = await at.submit(cli, { once: true });
  const [first] = await at.client.events({ run: other });
  assert.ok(first?.type === 'run.submitted');
  await at.client.signal(other, { kind: 'kill' });
  await at.factsOf(other);
  const { gates: _, chain: _chain, once: _once, ...settings } = first.payload.settings;
  const check = { description: 'it is made', assertion: ['test', '-f', 'made.txt'] } as const;
  const commitments = [{ ...check, by: 'parent' as const, timeoutMs: 60_000 }];
  const longLived = { ...AGENT_SETTINGS, onDone: 'wait' as const, commitments };
  const run = await at.owner.engine.start({
    ...{ program: AGENT_PROGRAM, task: 'Make a file.', project: at.project },
    settings: { ...settings, longLived },
  });
  await at.owner.engine.signal(run, { kind: 'start-life', life: 1 });
  return run;
}

/** opencode stores all conversations in one file, so breaking it breaks all of them. */
function damageOf(cli: CliName): 'gone' | 'broken' {
  return cli === 'opencode' ? 'gone' : 'broken';
}

/** How often it was verified. */
function proofs(facts: readonly StoredEvent[]): number {
  return facts.filter(
    ({ type, payload }) =>
      type === 'command.ended' &&
      payload.command === 'gate' &&
      payload.end.kind === 'done' &&
      payload.end.result.kind === 'passed',
  ).length;
}

for (const cli of CLIS)
  test(
    `${cli}: works in turns, and survives the loss of its conversation`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      await using server = await ModelServer.start({ keys: [SECRET], script: inTurns(cli) });
      await using at = await harnessFor([cli], server.url);
      const run = await summon(at, cli);
      const facts = (): Promise<readonly StoredEvent[]> => at.client.events({ run });
      const proven = async (times: number): Promise<void> =>
        eventually(
          `proof ${times}`,
          async () => {
            const known = await facts();
            assert.ok(turnsOf(known).length < 10, JSON.stringify(known.slice(-4)));
            return proofs(known) >= times;
          },
          WITHIN_MS,
        );
      await proven(1);
      const [first, second] = turnsOf(await facts());
      assert.deepEqual([first?.resume, typeof second?.resume], [null, 'string']);
      assert.deepEqual(notesOf(await facts(), 2), ['I make it now', 'it was easy']);
      const session = second?.resume ?? '';
      assert.ok((await damage(join(at.home, 'homes', run, cli), session, damageOf(cli))) > 0);
      await at.owner.engine.signal(run, { kind: 'message', from: null, text: 'It shall be blue.' });
      await proven(2);
      const turns = turnsOf(await facts());
      assert.deepEqual(
        turns.map(({ resume }) => resume),
        [null, session, session, null],
        'the one that is broken is tried, and begun afresh',
      );
      assert.match(turns[3]?.prompt ?? '', /Your assignment:\nMake a file\..*It shall be blue\./s);
      const { lives } = await at.client.run(run);
      assert.equal(lives, 1);
      await at.owner.engine.signal(run, { kind: 'dismiss', because: 'enough' });
      assert.deepEqual((await at.factsOf(run)).at(-1)?.payload, {
        outcome: { kind: 'succeeded', reason: 'It is blue.\nDONE' },
      });
      const { text } = await at.client.diff(run);
      assert.match(text, /^\+blue$/m);
      assert.match(text, /^\+made$/m);
    },
  );
