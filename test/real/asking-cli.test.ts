/**
 * A real CLI that asks a question instead of working is told in its own conversation that no person
 * will answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import { SECRET } from './sandboxed-harness.ts';
import { harnessFor, isMissing, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const CLIS: readonly CliName[] = ['claude', 'codex'];

/**
 * It asks for a colour until it is told that no person will answer. It must still know its task
 * then.
 */
function asksFirst(cli: CliName): ScriptFunction {
  return ({ toolResults, units }) => {
    const received = JSON.stringify(units);
    if (!received.includes('No person is available to answer'))
      return { text: 'Which colour shall it have?' };
    const knows = received.includes('Write a file.') ? 'knows' : 'forgot';
    if (toolResults === 0) return { calls: [shellCall(cli, `echo ${knows} >blue.txt`)] };
    return { text: 'It is blue.' };
  };
}

for (const cli of CLIS)
  test(`${cli} continues in its conversation`, { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, cli)) return;
    await using server = await ModelServer.start({ keys: [SECRET], script: asksFirst(cli) });
    await using at = await harnessFor([cli], server.url);
    const run = await at.submit(cli);
    const facts = await at.factsOf(run);
    const inputs = facts.flatMap((fact) =>
      fact.type === 'command.begun' && fact.payload.command === 'attempt'
        ? [fact.payload.input]
        : [],
    );
    assert.deepEqual(
      inputs.map(({ why }) => why.kind),
      ['first', 'unattended'],
    );
    assert.match(inputs[1]?.resume ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'It is blue.' },
    });
    assert.match((await at.client.diff(run)).text, /^\+knows$/m);
  });
