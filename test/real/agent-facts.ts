/** Reads the facts of one long-lived agent, oldest first. */
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';

type Facts = readonly StoredEvent[];

/** Its turns as they began. */
export function turnsIn(facts: Facts): readonly AttemptInput[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt' ? [fact.payload.input] : [],
  );
}

/**
 * Its turns and the checks of its work, with their outcomes: `attempt completed`, `gate failed`,
 * `attempt oom`.
 */
export function stepsIn(facts: Facts): readonly string[] {
  return facts.flatMap((fact) => {
    if (fact.type !== 'command.ended') return [];
    const { command, end } = fact.payload;
    if (command !== 'attempt' && command !== 'gate') return [];
    if (end.kind !== 'done') return [`${command} ${end.kind}`];
    return [`${command} ${'reason' in end.result ? end.result.reason : end.result.kind}`];
  });
}

/** The outcomes of its turns: `completed`, or the reason of the failure. */
export function endsIn(facts: Facts): readonly string[] {
  return stepsIn(facts).flatMap((step) => {
    const [command, how = ''] = step.split(' ');
    return command === 'attempt' ? [how] : [];
  });
}

/** The journal position of the signal with which its supervisor began this life. */
export function lifeBegunIn(facts: Facts, life: number): number | undefined {
  return facts.find(
    ({ type, payload }) =>
      type === 'signal.received' &&
      payload.signal.kind === 'start-life' &&
      payload.signal.life === life,
  )?.id;
}

/** Its conversations, in the order in which it began them. */
export function sessionsIn(facts: Facts): readonly string[] {
  const named = facts.flatMap((fact) =>
    fact.type === 'command.noted' && fact.payload.note.kind === 'session'
      ? [fact.payload.note.session]
      : [],
  );
  return [...new Set(named)];
}

export function signalsIn(facts: Facts): readonly string[] {
  return facts.flatMap((fact) =>
    fact.type === 'signal.received' ? [fact.payload.signal.kind] : [],
  );
}

/** The process of its last turn. */
export function pidIn(facts: Facts): number | undefined {
  return facts
    .flatMap((fact) =>
      fact.type === 'command.noted' && fact.payload.note.kind === 'started'
        ? [fact.payload.note.pid ?? undefined]
        : [],
    )
    .at(-1);
}
