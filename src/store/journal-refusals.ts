/** The refusals of a journal, with the same text for every implementation. */
import { Refusal } from '../base/errors.ts';
import { EVENT_VERSION } from '../protocol/event.ts';

export function sequenceConflict(stream: string, expected: number, actual: number): Refusal {
  return new Refusal({
    code: 'store.conflict',
    message: `The stream ${stream} ends at ${actual}, not at ${expected}.`,
    hint: 'Read the stream again, and decide again.',
    details: { stream, believed: expected, actual },
  });
}

export function diskFull(cause?: unknown): Refusal {
  return new Refusal(
    {
      code: 'store.full',
      message: 'The disk is full; nothing was written.',
      hint: 'Free some space and try again.',
    },
    { cause },
  );
}

/** The file at the path is not the one that was opened, so everything written to it would be lost. */
export function homeLost(path: string): Refusal {
  return new Refusal({
    code: 'owner.home-lost',
    message: `${path} was deleted or replaced while its owner ran. The owner stops, and nothing was accepted.`,
    hint: 'Run the command again: a new owner starts with the current files.',
    details: { path },
  });
}

/** An import would mix two histories. `where` begins a sentence. */
export function notEmpty(where: string): Refusal {
  return new Refusal({
    code: 'store.not-empty',
    message: `${where} has runs already. Nothing was imported.`,
    hint: 'Import into an empty one: another schema (?schema=NAME) or database, or a home in which journal.db was moved away.',
  });
}

export function journalClosed(): Refusal {
  return new Refusal({
    code: 'store.closed',
    message: 'The journal is closed.',
    hint: 'Open it again.',
  });
}

export function unknownEventVersion(id: number, v: number): Refusal {
  return new Refusal({
    code: 'store.unknown-version',
    message: `Event ${id} has version ${v}; this program knows only version ${EVENT_VERSION}.`,
    hint: 'Use the release of Supervisor that wrote it.',
    details: { id, v, known: EVENT_VERSION },
  });
}
