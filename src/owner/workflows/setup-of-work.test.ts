import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { commandKey } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import type { Performer } from '../../engine/performer.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { GateInput } from '../../protocol/contracts/gate-contract.ts';
import { runStream } from '../../protocol/streams.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ends, submitted } from '../../../test/support/run-history-fixture.ts';
import { withSetupOfWork } from './setup-of-work.ts';

const STEP = 'a000000000' as RunId;
const FORK = 'b000000000' as RunId;

function ready(key: string): NewRunEvent {
  const event = ends('setup-1', { kind: 'ready', key, how: 'built', summary: '' });
  return { ...event, payload: { ...event.payload, command: 'setup' } } as NewRunEvent;
}

describe('a gate of a workflow', () => {
  const cases: [
    why: string,
    run: RunId | null,
    given: string | undefined,
    expected: string | undefined,
  ][] = [
    ['uses the setup of the run that made the work', STEP, undefined, 'k1'],
    ['uses that of the run which this one continues', FORK, undefined, 'k1'],
    ['uses the one that it is given', STEP, 'k2', 'k2'],
    ['has none if the run had none', 'c000000000' as RunId, undefined, undefined],
    ['has none if it checks an attempt of its own run', null, undefined, undefined],
  ];
  for (const [why, run, given, expected] of cases)
    test(why, async () => {
      const journal = new MemoryJournal();
      await journal.append(runStream(STEP), 0, [submitted(), ready('k1')], at(1));
      const submission = submitted().payload as never;
      const forked: NewRunEvent = {
        type: 'run.forked',
        payload: { from: STEP, seq: 2, submission },
      };
      await journal.append(runStream(FORK), 0, [forked], at(1));
      const seen: (string | undefined)[] = [];
      const gate: Performer<'gate'> = {
        command: 'gate',
        perform: async ({ input }) => {
          seen.push(input.setupKey);
          return { kind: 'passed', name: input.name };
        },
      };
      const input: GateInput = {
        name: 'test',
        command: ['npm', 'test'],
        timeoutMs: 1000,
        project: '/p',
        attempt: 0,
        sandbox: defaultSettings.sandbox,
        unsafe: false,
        ...(given === undefined ? {} : { setupKey: given }),
        ...(run === null ? {} : { work: { run, tree: 1, commit: 'c1', content: 't1' } }),
      };
      const { signal } = new AbortController();
      await withSetupOfWork(gate, journal).perform(
        { run: STEP, key: commandKey('gate-1'), input },
        { cancelSignal: signal, killSignal: signal, note: async () => {} },
      );
      assert.deepEqual(seen, [expected]);
    });
});
