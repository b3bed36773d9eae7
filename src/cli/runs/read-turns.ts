/** Reads the turns of a run from its facts. */
import type { Client } from '../../client/client.ts';
import type { RunEvent, StoredEvent } from '../../protocol/event.ts';
import { isRunEvent } from '../../protocol/streams.ts';
import type { RecordedTurn } from '../../turns/list-turns.ts';

const PAGE = 500;

export function recordedTurn(event: StoredEvent): RecordedTurn | undefined {
  if (event.type !== 'command.noted' || event.payload.command !== 'attempt') return undefined;
  const { key, note } = event.payload;
  return note.kind === 'turn' ? { attempt: key, at: event.at, turn: note.turn } : undefined;
}

/** All facts of a run, oldest first. */
export async function* runFacts(client: Client, run: string): AsyncGenerator<RunEvent, void> {
  for (let after = 0; ;) {
    const page = (await client.events({ run, after, limit: PAGE })).filter(isRunEvent);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.seq;
  }
}

export async function readTurns(client: Client, run: string): Promise<readonly RecordedTurn[]> {
  const turns: RecordedTurn[] = [];
  for await (const event of runFacts(client, run)) turns.push(...present(recordedTurn(event)));
  return turns;
}

function present<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}
