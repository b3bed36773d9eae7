/**
 * What a simulated process still does if it is killed while one of its notes waits for the disk.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandKey } from '../../../src/base/ids.ts';
import type { RunId } from '../../../src/base/ids.ts';
import type { CommandContext } from '../../../src/engine/performer.ts';
import { drawScenario } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import type { OwnerHas } from './virtual-machine.ts';
import { VirtualMachine } from './virtual-machine.ts';
import { clockTurn, WorldClock } from './world-clock.ts';

const LIFE = { number: 1, alive: true, isSuperseded: false };
/** No fault occurs, whatever its probability below one. */
const random = (): number => 0.999;
const input = { readsNotes: true, project: '/p', budget: {}, prompt: '' };
const request = { run: 'a000000000' as RunId, key: commandKey('attempt-1'), input };

/**
 * A turn whose note with that number waits, and its requests to its owner before and after that.
 */
async function killedInNote(number: number): Promise<readonly string[]> {
  const clock = new WorldClock();
  const asked: string[] = [];
  const broke: unknown[] = [];
  const drawn = drawScenario(1, random);
  const agents = { faults: {}, waits: 0, notes: 0 } as unknown as Scenario['agents'];
  const machine = new VirtualMachine(
    clock,
    random,
    { ...drawn, agents },
    {
      onRecord: () => undefined,
      happened: () => undefined,
      noted: () => undefined,
      broke: (error) => broke.push(error),
    },
  );
  const ask = (what: string) => async (): Promise<never> => {
    asked.push(what);
    throw new Error(`${what}: the journal is closed`);
  };
  const has = {
    turns: {
      clock: clock.of(LIFE),
      budgetsForRun: ask('purses'),
      deeds: { publish: () => undefined },
    },
    trees: { begin: async () => void asked.push('tree') },
  } as unknown as OwnerHas;
  const written = Promise.withResolvers<void>();
  const kill = new AbortController();
  let notes = 0;
  const note: CommandContext['note'] = () => {
    notes += 1;
    return notes === number ? written.promise : Promise.resolve();
  };
  const context: CommandContext = { cancelSignal: kill.signal, killSignal: kill.signal, note };
  const performed = machine.performer('attempt', LIFE, has).perform(request, context);
  await clockTurn();
  kill.abort();
  while (machine.alive.length > 0 && clock.step()) await clockTurn();
  assert.deepEqual(await performed, { kind: 'stopped' });
  written.resolve();
  await clockTurn();
  return [...asked, ...broke.map(String)];
}

describe('a killed process', () => {
  const closed = 'Error: purses: the journal is closed';
  const cases: [why: string, note: number, expected: readonly string[]][] = [
    ['takes no tree once its first note is written', 1, []],
    ['opens no budget once its conversation is noted', 2, ['tree']],
    ['had both, and met the fault, if no note had to wait', 3, ['tree', 'purses', closed]],
  ];
  for (const [why, note, expected] of cases)
    test(why, async () => assert.deepEqual(await killedInNote(note), expected));
});
