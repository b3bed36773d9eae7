import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandKey, newRunId } from '../base/ids.ts';
import { seededRandom } from '../base/random.ts';
import type { FailedGate, GateInput } from '../protocol/contracts/gate-contract.ts';
import { defaultSettings } from '../settings/settings.ts';
import type { GatePorts } from './perform-gate.ts';
import { gatePerformer } from './perform-gate.ts';

test('a gate whose outcome is known starts nothing', async () => {
  const outcome: FailedGate = { kind: 'failed', name: 'test', exit: 1, tail: 'not ok 1' };
  const input: GateInput = {
    name: 'test',
    command: ['npm', 'test'],
    timeoutMs: 1000,
    project: '/p',
    attempt: 3,
    sandbox: defaultSettings.sandbox,
    unsafe: false,
    known: { place: 0, outcome, since: 2 },
  };
  const { signal } = new AbortController();
  const notes: unknown[] = [];
  // Without a port, a gate that looked for its work or started a process would throw.
  const result = await gatePerformer({} as GatePorts).perform(
    { run: newRunId(seededRandom(1)), key: commandKey('gate-3-0'), input },
    {
      cancelSignal: signal,
      killSignal: signal,
      note: async (note) => {
        notes.push(note);
        await Promise.resolve();
      },
    },
  );
  assert.deepEqual([result, notes], [{ ...outcome, knownSince: 2 }, []]);
});
