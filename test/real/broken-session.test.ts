/**
 * A real CLI that should continue its conversation finds it gone or broken. It starts a new
 * conversation, still receives its messages, and nothing counts as a failure.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { sampleOf } from '../support/sample.ts';
import type { CliName } from './clis.ts';
import { damage } from './damage.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { SECRET } from './sandboxed-harness.ts';
import { CLIS, harnessFor, isMissing, shellCall } from './sandboxed-clis.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';

const TIMEOUT_MS = 600_000;
const DAMAGES = ['gone', 'broken'] as const;

/** It asks until it receives a colour. */
function asksFirst(cli: CliName): ScriptFunction {
  return ({ toolResults, units }) => {
    if (!JSON.stringify(units).includes('It shall be blue.'))
      return { text: 'Which colour shall it have?' };
    if (toolResults === 0) return { calls: [shellCall(cli, 'echo blue >colour.txt')] };
    return { text: 'It is blue.' };
  };
}

function attemptsOf(facts: readonly StoredEvent[]): readonly AttemptInput[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt' ? [fact.payload.input] : [],
  );
}

/** Once it waits for a person. */
async function question(at: SandboxedHarness, run: string): Promise<readonly StoredEvent[]> {
  for (let tries = 0; ; tries += 1) {
    const facts = await at.client.events({ run });
    if (facts.some(({ type, payload }) => type === 'command.begun' && payload.command === 'ask'))
      return facts;
    assert.ok(tries < 1500 && facts.every(({ type }) => type !== 'run.ended'), 'it never asked');
    await systemClock.sleep(200);
  }
}

for (const [row, cli] of CLIS.entries())
  for (const how of sampleOf(DAMAGES, row))
    test(
      `${cli}: a conversation that is ${how} is replaced by a new one`,
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        await using server = await ModelServer.start({ keys: [SECRET], script: asksFirst(cli) });
        await using at = await harnessFor([cli], server.url);
        const run = await at.submit(cli);
        const session = attemptsOf(await question(at, run)).at(-1)?.resume ?? '';
        assert.ok((await damage(join(at.home, 'homes', run, cli), session, how)) > 0);
        await at.client.signal(run, { kind: 'answer', key: 'ask-1', answer: 'It shall be blue.' });
        const facts = await at.factsOf(run);
        const attempts = attemptsOf(facts);
        assert.deepEqual(
          attempts.map(({ why }) => why.kind),
          ['first', 'unattended', 'answered', 'new-session'],
          JSON.stringify(facts.at(-1)?.payload),
        );
        assert.deepEqual(facts.at(-1)?.payload, {
          outcome: { kind: 'unverified', reason: 'It is blue.' },
        });
        assert.match((await at.client.diff(run)).text, /^\+blue$/m);
      },
    );
