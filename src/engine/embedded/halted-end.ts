/**
 * The end of a run that a defect halted. It has no program to ask, so the engine itself ends it: a top run when a
 * person asks for that, a child at once, because its parent waits for the result.
 */
import type { Command } from '../../protocol/commands.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { REASON_MAX } from '../../protocol/outcome.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import { endedFact } from './begin-facts.ts';

type OpenCommands = readonly { readonly key: string; readonly command: Command }[];

export function stoppedFacts(
  kind: 'stop' | 'kill',
  request: RequestMark | undefined,
): readonly NewRunEvent[] {
  const payload = { signal: { kind }, ...(request === undefined ? {} : { request }) };
  return [{ type: 'signal.received', payload }];
}

/** The user has stopped it. */
export function haltedEndFacts(open: OpenCommands, kind: 'stop' | 'kill'): readonly NewRunEvent[] {
  const outcome = {
    kind: kind === 'kill' ? 'killed' : 'cancelled',
    reason: 'ended by the user while a defect of Supervisor halted it',
  } as const;
  return [...interrupted(open), { type: 'run.ended', payload: { outcome } }];
}

/** A child that can't continue. */
export function givenUpFacts(open: OpenCommands, why: string): readonly NewRunEvent[] {
  const reason = `a defect of Supervisor halted it: ${why}`.slice(0, REASON_MAX);
  const outcome = { kind: 'failed', reason } as const;
  return [...interrupted(open), { type: 'run.ended', payload: { outcome } }];
}

function interrupted(open: OpenCommands): readonly NewRunEvent[] {
  return open.map((one) => endedFact(one, { kind: 'interrupted' }));
}
