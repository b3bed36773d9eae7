/** Follows a run whose agent is steered, and reads from the provider's own journal what its model was told. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import type { AnomalyNote } from '../../src/protocol/contracts/steering-contract.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { ModelServer } from '../../src/testing/model-server/model-server.ts';

export type SteeredFacts = {
  readonly facts: readonly StoredEvent[];
  readonly anomalies: readonly AnomalyNote[];
  /** By message: how many main requests there were when it was sent. It belongs into the next one. */
  readonly requestsAtSending: ReadonlyMap<string, number>;
};

/**
 * Resolves when the run has ended or is paused. A tool call that waits for what was found in its turn continues when the
 * message about it is sent: `go-TURN` appears in `signals`.
 */
export async function followSteered(
  client: Client,
  run: string,
  server: ModelServer,
  signals: string,
): Promise<SteeredFacts> {
  const facts: StoredEvent[] = [];
  const anomalies: AnomalyNote[] = [];
  const requestsAtSending = new Map<string, number>();
  for await (const fact of client.followRun(run, 0)) {
    facts.push(fact);
    if (fact.type === 'signal.received' && fact.payload.signal.kind === 'pause') break;
    if (fact.type !== 'command.noted') continue;
    const { note, key } = fact.payload;
    if (note.kind === 'anomaly') anomalies.push(note);
    if (note.kind === 'sent')
      requestsAtSending.set(key.split('-')[1] ?? '', mainRequests(server).length);
    for (const { message = '', turn } of anomalies)
      if (requestsAtSending.has(message)) await writeFile(join(signals, `go-${turn}`), '');
  }
  return { facts, anomalies, requestsAtSending };
}

/** The conversations of the main requests, in their order. */
export function mainRequests(server: ModelServer): readonly (readonly unknown[])[] {
  return server.journal().flatMap(({ kind, body }) => {
    if (kind !== 'main') return [];
    const { messages, input, contents } = body as Record<string, readonly unknown[] | undefined>;
    return [messages ?? input ?? contents ?? []];
  });
}

/** How often each request has the words. */
export function timesIn(requests: readonly (readonly unknown[])[], words: string): number[] {
  return requests.map((items) => JSON.stringify(items).split(words).length - 1);
}
