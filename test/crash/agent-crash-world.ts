/**
 * The world outside an owner of long-lived agents, which outlives it: the work that was done, and a
 * queue of one item.
 */
import assert from 'node:assert/strict';
import { readTurnNotes } from '../../src/attempts/turn-notes.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type { Effect } from './crash-scenarios.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../src/protocol/contracts/attempt-contract.ts';
import { loosePerformer } from '../support/run-event.ts';

export type ScriptedTurns = {
  /** Which turn this is, by its prompt, and how it ends. */
  readonly labelOf: (seen: string, isResumed: boolean) => string;
  readonly ends: Readonly<Record<string, AttemptOutcome>>;
  /** The check that fails in a turn, by its text. */
  readonly isRed?: (check: string) => boolean;
};

export type AgentCrashWorld = {
  readonly effects: Effect[];
  readonly runs: Set<RunId>;
  /** Which turn did what, for the checks. */
  readonly turns: Map<string, string>;
  queued: boolean;
  taken: boolean;
};

export function agentSays(text: string): AttemptOutcome {
  return { kind: 'completed', summary: text, session: 's', turnNotes: readTurnNotes(text) };
}

export function worldPerformers(
  { labelOf, ends, isRed }: ScriptedTurns,
  clock: Clock,
  world: AgentCrashWorld,
): readonly Performer[] {
  const perform = (
    command: string,
    label: (input: Readonly<Record<string, unknown>>, run: string) => string,
    result: (label: string) => object,
  ): Performer =>
    loosePerformer(command, async ({ run, key, input }, context) => {
      const what = label(input, run);
      world.effects.push({ run, key, label: what });
      await context.note({ did: what });
      await clock.sleep(10, context.cancelSignal);
      return { ...result(what) };
    });
  return [
    loosePerformer('check-availability', async () => ({ cooling: [] })),
    perform(
      'attempt',
      (input, run) => {
        const { resume, prompt, resumePrompt } = input as unknown as AttemptInput;
        const isResumed = typeof resume === 'string';
        const label = labelOf(isResumed ? (resumePrompt ?? '') : prompt, isResumed);
        world.turns.set(`${run} ${Number(input['number'])}`, label);
        return label;
      },
      (label) => ends[label] ?? assert.fail(label),
    ),
    perform(
      'gate',
      (input, run) => {
        const turn = world.turns.get(`${run} ${Number(input['attempt'])}`) ?? '';
        return `checks ${textIn(input, 'name')} of who ${turn}`;
      },
      (label) =>
        isRed?.(label) === true
          ? { kind: 'failed', name: '', exit: 1, tail: 'red' }
          : { kind: 'passed', name: '' },
    ),
    perform(
      'claim-item',
      () => (world.queued || world.taken ? 'takes the item' : 'finds nothing'),
      (label) => {
        if (label === 'finds nothing') return { kind: 'empty' };
        [world.queued, world.taken] = [false, true];
        return { kind: 'claimed', name: 'x', text: 'do x' };
      },
    ),
    perform(
      'release-item',
      () => 'puts it away',
      () => {
        world.taken = false;
        return { kind: 'released' };
      },
    ),
    perform(
      'send-message',
      (input) => `tells ${textIn(input, 'to')} ${textIn(input, 'text')}`,
      () => ({ kind: 'sent', run: 'p' }),
    ),
    perform(
      'finalize',
      () => 'finalizes',
      () => ({ kind: 'finalized' }),
    ),
  ];
}

function textIn(input: Readonly<Record<string, unknown>>, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}
